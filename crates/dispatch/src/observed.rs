//! What resources show, for whoever is told when they change.

use async_trait::async_trait;
use chorus_app::Services;
use chorus_domain::{Caller, Kind};
use chorus_ids::Uuid;
use chorus_store::Result;

use crate::Selection;

/// What a resource shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// Who calls, and what they have access to.
    Caller,
    /// A thing.
    Thing(Kind, Uuid),
}

/// What a surface offers beside its tools, as far as somebody is told of its changes.
#[async_trait]
pub trait Observed: Send + Sync {
    /// What these resources show, in their order; `None` for one that this caller may not read, whatever the reason.
    ///
    /// # Errors
    /// `Unavailable` when nobody can be asked.
    async fn shown(&self, services: &Services, caller: &Caller, uris: &[String]) -> Result<Vec<Option<Shown>>>;

    /// The names of the prompts that exist for this caller and selection, in the order in which they are listed.
    fn prompt_names(&self, caller: &Caller, selection: &Selection) -> Vec<String>;
}
