//! What resources show, for those who wait for changes of them.

use chorus_app::library;
use chorus_dispatch::{Shown, Visitor};
use chorus_store::Result;

use crate::{ChorusLibrary, address::Address};

impl ChorusLibrary {
    /// What each of these resources shows; `None` for one that the visitor can't read.
    pub(crate) async fn watched(&self, visitor: &Visitor, uris: &[String]) -> Result<Vec<Option<Shown>>> {
        let addresses: Vec<Option<Address>> = uris.iter().map(|uri| Address::parse(uri)).collect();
        let thing = |address: &Option<Address>| match address {
            Some(Address::Thing { project, family, id }) if self.reads(visitor, family) => {
                Some((family.kind, *id, *project))
            }
            Some(Address::Thing { .. } | Address::Context) | None => None,
        };
        let things: Vec<_> = addresses.iter().filter_map(thing).collect();
        let call = visitor.call()?;
        let seen = if things.is_empty() {
            Vec::new()
        } else {
            library::seen(&call, visitor.services.store.read().await?.as_mut(), &things).await?
        };
        let shown = addresses.iter().map(|address| match address {
            Some(Address::Context) => Some(Shown::Caller),
            other => thing(other).filter(|thing| seen.contains(thing)).map(|(kind, id, _)| Shown::Thing(kind, id)),
        });
        Ok(shown.collect())
    }
}
