//! What people and agents are called.

use std::collections::BTreeMap;

use chorus_app::home;
use chorus_domain::Party;

use crate::{desk::Reading, fault::Fault};

/// The text that stands for somebody in forms, queries and mentions.
pub(crate) fn party_text(party: Party) -> String {
    format!("{}:{}", party.kind(), party.uuid())
}

/// What some people and agents are called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<Party, String>);

impl Names {
    /// Looks up all of these in one statement.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn of(reading: &mut Reading, parties: Vec<Party>) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        Ok(Self(home::names(call, reads, parties).await?))
    }

    /// What somebody is called; a dash for whoever was never known.
    pub(crate) fn get(&self, party: Party) -> String {
        self.known(party).unwrap_or_else(|| "—".to_owned())
    }

    /// The same, if they were ever known.
    pub(crate) fn known(&self, party: Party) -> Option<String> {
        self.0.get(&party).cloned()
    }
}

impl FromIterator<(Party, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (Party, String)>>(named: I) -> Self {
        Self(named.into_iter().collect())
    }
}
