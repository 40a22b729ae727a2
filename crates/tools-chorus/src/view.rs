//! Fragments that several answers share (data model specification §4).

use std::collections::{BTreeMap, BTreeSet};

use chorus_app::project::manage::Removed;
use chorus_dispatch::list::MAX_LIST_BYTES;
use chorus_domain::{Assignment, Party};
use chorus_ids::{ProjectId, Timestamp, Uuid};
use chorus_store::{Reads, Result};
use chorus_visibility::Scope;
use schemars::JsonSchema;
use serde::Serialize;

/// How much went with projects.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentsView {
    ideas: u64,
    proposals: u64,
    documents: u64,
    tasks: u64,
    claims: u64,
    comments: u64,
    references: u64,
    notifications: u64,
    waiting_tasks_elsewhere: u64,
}

impl From<&Removed> for ContentsView {
    fn from(removed: &Removed) -> Self {
        let contents = &removed.contents;
        Self {
            ideas: contents.ideas,
            proposals: contents.proposals,
            documents: contents.documents,
            tasks: contents.tasks,
            claims: contents.claims,
            comments: contents.comments,
            references: contents.references,
            notifications: contents.notifications,
            waiting_tasks_elsewhere: removed.left_waiting,
        }
    }
}

/// The names of everybody who appears in an answer, loaded in one statement.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Party, String>);

impl Names {
    /// Loads the names of these.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn load(reads: &mut dyn Reads, scope: &Scope, parties: impl IntoIterator<Item = Party>) -> Result<Self> {
        let parties: BTreeSet<Party> = parties.into_iter().collect();
        if parties.is_empty() {
            return Ok(Self::default());
        }
        let parties: Vec<Party> = parties.into_iter().collect();
        let names = reads.names(scope, &parties).await?;
        Ok(Self(names.into_iter().map(|name| (name.party, name.name)).collect()))
    }

    /// The party with its name; nothing for one that is gone.
    pub fn actor(&self, party: Party) -> Option<ActorView> {
        let name = self.0.get(&party)?.clone();
        Some(ActorView { kind: party.kind(), uuid: party.uuid(), name })
    }

    /// The party with its name, or with a placeholder for one that is gone: for authors, who stay.
    pub fn author(&self, party: Party) -> ActorView {
        self.actor(party).unwrap_or_else(|| ActorView {
            kind: party.kind(),
            uuid: party.uuid(),
            name: "Unknown".to_owned(),
        })
    }

    /// The holder of an item; nothing for one that is gone.
    pub fn assignee(&self, assignment: Option<Assignment>) -> Option<AssigneeView> {
        let assignment = assignment?;
        let ActorView { kind, uuid, name } = self.actor(assignment.to)?;
        Some(AssigneeView {
            kind,
            uuid,
            name,
            assigned_at: assignment.at,
            assigned_by: assignment.by.and_then(|by| self.actor(by)),
        })
    }
}

/// Everybody that an assignment names.
pub fn parties_of(assignment: Option<Assignment>) -> impl Iterator<Item = Party> {
    assignment.into_iter().flat_map(|assignment| std::iter::once(assignment.to).chain(assignment.by))
}

/// A user or agent with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ActorView {
    /// `user` or `agent`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Which one.
    pub uuid: Uuid,
    /// What to call it.
    pub name: String,
}

/// Who holds an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssigneeView {
    /// `user` or `agent`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Which one.
    pub uuid: Uuid,
    /// What to call it.
    pub name: String,
    /// Since when.
    #[schemars(with = "String")]
    pub assigned_at: Timestamp,
    /// Who gave it; null for an agent's own claim.
    pub assigned_by: Option<ActorView>,
}

/// A project, as it appears inside another answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectRef {
    /// Which one.
    #[schemars(with = "Uuid")]
    pub uuid: ProjectId,
    /// What it is called.
    pub name: String,
}

/// Longest title or name in a row of a list, in characters (tool guide §3).
pub const ROW_TITLE: usize = 256;

/// A title as it stands in a row of a list.
pub fn row_title(title: &str) -> String {
    chorus_domain::text::shorten(title, ROW_TITLE)
}

/// What an answer has room for. Answers that hold lists end before they grow past what a list may have.
pub struct Room {
    left: usize,
}

impl Room {
    /// Kept for what stands around the lists: keys, counts, ids.
    const AROUND: usize = 2_048;

    /// The room of a whole answer.
    pub const fn of_answer() -> Self {
        Self { left: MAX_LIST_BYTES - Self::AROUND }
    }

    /// Takes the room of a value; says whether there was enough.
    pub fn take(&mut self, value: &impl Serialize) -> bool {
        let bytes = serde_json::to_string(value).map_or(usize::MAX, |json| json.len().saturating_add(1));
        let fits = bytes <= self.left;
        self.left = if fits { self.left - bytes } else { 0 };
        fits
    }

    /// The rows from the first on, as many as there is room for.
    pub fn fitting<T: Serialize>(&mut self, rows: impl Iterator<Item = T>) -> Vec<T> {
        let mut kept = Vec::new();
        for row in rows {
            if !self.take(&row) {
                break;
            }
            kept.push(row);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_where_the_room_does() {
        let mut room = Room::of_answer();
        let row = "x".repeat(1_000);
        let kept = room.fitting(std::iter::repeat_n(&row, 100));
        assert_eq!(kept.len(), (MAX_LIST_BYTES - Room::AROUND) / 1_003);
        assert!(!room.take(&"nothing fits any more"), "what did not fit ended the list for good");
    }
}
