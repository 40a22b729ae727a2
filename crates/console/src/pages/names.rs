//! What people and agents are called.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::Party;

use crate::{desk::Reading, fault::Fault};

/// What some people and agents are called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<Party, String>);

impl Names {
    /// Looks up all of these in one statement.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn of(reading: &mut Reading, parties: Vec<Party>) -> Result<Self, Fault> {
        let parties: BTreeSet<Party> = parties.into_iter().collect();
        let parties: Vec<Party> = parties.into_iter().collect();
        let (call, reads) = reading.parts();
        let names = reads.names(&call.scope, &parties).await?;
        Ok(Self(names.into_iter().map(|named| (named.party, named.name)).collect()))
    }

    /// What somebody is called; a dash for whoever was never known.
    pub(crate) fn get(&self, party: Party) -> String {
        self.0.get(&party).cloned().unwrap_or_else(|| "—".to_owned())
    }
}
