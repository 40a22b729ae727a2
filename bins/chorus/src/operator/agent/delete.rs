//! `chorus agent delete`.

use async_trait::async_trait;
use chorus_app::{Call, agent};
use chorus_domain::{Kind, removal::Parting};
use chorus_ids::{CompanyId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use serde::Serialize;

use super::find;
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        CompanyArgs, FormatArgs,
        use_case::{UseCase, carry_out},
        workspace,
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

    async fn company(&self, tx: &mut dyn Tx) -> Result<CompanyId> {
        Ok(workspace(tx, &self.company).await?.id)
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
    /// What others can take.
    freed: Vec<Item>,
    /// What still waits for verification.
    awaiting_verification: Vec<Item>,
    /// How many finished tasks and ideas keep the name.
    finished_kept: u64,
}

/// A task or an idea.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    #[serde(rename = "type")]
    kind: &'static str,
    uuid: Uuid,
    title: String,
    /// The status it had while the agent held it.
    was: &'static str,
}

impl Deleted {
    fn of(removed: agent::Removed) -> Self {
        let agent::Removed { agent, parting, keys, sessions } = removed;
        let Parting { tasks, ideas, submitted, kept } = parting;
        let (task, idea) = (Kind::Task.as_str(), Kind::Idea.as_str());
        let tasks = tasks.into_iter().map(|(was, it)| Item {
            kind: task,
            uuid: it.id.uuid(),
            title: it.title,
            was: was.as_str(),
        });
        let ideas = ideas.into_iter().map(|(was, it)| Item {
            kind: idea,
            uuid: it.id.uuid(),
            title: it.title,
            was: was.as_str(),
        });
        let submitted = submitted.into_iter().map(|it| Item {
            kind: task,
            uuid: it.id.uuid(),
            was: it.status.as_str(),
            title: it.title,
        });
        Self {
            agent_uuid: agent.id.to_string(),
            name: agent.name,
            keys_revoked: keys,
            sessions_closed: sessions,
            freed: tasks.chain(ideas).collect(),
            awaiting_verification: submitted.collect(),
            finished_kept: kept,
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!(
            "Removed the agent {}, {}. Keys that no longer work: {}. Sessions that ended: {}.",
            self.name, self.agent_uuid, self.keys_revoked, self.sessions_closed
        )];
        let mut list = |heading: &str, items: &[Item]| {
            if !items.is_empty() {
                lines.push(heading.to_owned());
                let line = |item: &Item| format!("  {} {}  {} (was {})", item.kind, item.uuid, item.title, item.was);
                lines.extend(items.iter().map(line));
            }
        };
        list("Free for others now:", &self.freed);
        list("Still waiting for verification:", &self.awaiting_verification);
        lines.push(match (self.freed.as_slice(), self.awaiting_verification.as_slice(), self.finished_kept) {
            ([], [], 0) => "It held nothing.".to_owned(),
            (.., kept) => format!("Finished tasks and ideas that keep its name: {kept}."),
        });
        lines.join("\n")
    }
}
