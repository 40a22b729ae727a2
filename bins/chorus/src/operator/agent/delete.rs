//! `chorus agent delete`.

use async_trait::async_trait;
use chorus_app::{Call, agent};
use chorus_store::{Outcome, Result, Tx};
use serde::Serialize;

use super::find;
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        CompanyArgs, FormatArgs, parting,
        use_case::{UseCase, carry_out},
    },
    output,
};

pub(super) async fn run(place: &Place, agent: String, company: CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let deleted = carry_out(&services, Delete { agent, company }).await?;
    output::answer(format.format(), &deleted, || deleted.text())
}

struct Delete {
    agent: String,
    company: CompanyArgs,
}

#[async_trait]
impl UseCase for Delete {
    type Answer = Deleted;

    fn name(&self) -> &'static str {
        "agent delete"
    }

    fn company(&self) -> &CompanyArgs {
        &self.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Deleted>> {
        let (found, _) = find(tx, call.caller.company, &self.agent).await?;
        Ok(agent::remove(call, tx, found.id).await?.map(Deleted::of))
    }
}

/// What is said about a removed agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deleted {
    agent_uuid: String,
    name: String,
    keys_revoked: u64,
    sessions_closed: u64,
    #[serde(flatten)]
    held: parting::Told,
}

impl Deleted {
    fn of(removed: agent::Removed) -> Self {
        let agent::Removed { agent, parting, keys, sessions } = removed;
        Self {
            agent_uuid: agent.id.to_string(),
            name: agent.name,
            keys_revoked: keys,
            sessions_closed: sessions,
            held: parting.into(),
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!(
            "Removed the agent {}, {}. Keys that no longer work: {}. Sessions that ended: {}.",
            self.name, self.agent_uuid, self.keys_revoked, self.sessions_closed
        )];
        lines.extend(self.held.lines("Free for others now:", "its"));
        lines.join("\n")
    }
}
