//! What becomes of what somebody held who goes, as commands tell of it.

use chorus_app::leaving::Released;
use chorus_domain::{
    Kind,
    removal::{Parting, Vacated},
};
use chorus_ids::Uuid;
use serde::Serialize;

/// What becomes of what somebody held.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Told {
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
    /// The status it had while it was held.
    was: &'static str,
}

impl From<Parting> for Told {
    fn from(Parting { tasks, ideas, submitted, kept }: Parting) -> Self {
        let (task, idea) = (Kind::Task.as_str(), Kind::Idea.as_str());
        let tasks = tasks.into_iter().map(|Vacated { was, now, .. }| Item {
            kind: task,
            uuid: now.id.uuid(),
            title: now.title,
            was: was.as_str(),
        });
        let ideas = ideas.into_iter().map(|Vacated { was, now, .. }| Item {
            kind: idea,
            uuid: now.id.uuid(),
            title: now.title,
            was: was.as_str(),
        });
        let submitted = submitted.into_iter().map(|it| Item {
            kind: task,
            uuid: it.id.uuid(),
            was: it.status.as_str(),
            title: it.title,
        });
        Self { freed: tasks.chain(ideas).collect(), awaiting_verification: submitted.collect(), finished_kept: kept }
    }
}

impl Told {
    /// The lines for people; `free` heads what others can take, `whose` stands before `name`.
    pub(super) fn lines(&self, free: &str, whose: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = |heading: &str, items: &[Item]| {
            if !items.is_empty() {
                lines.push(heading.to_owned());
                let line = |item: &Item| format!("  {} {}  {} (was {})", item.kind, item.uuid, item.title, item.was);
                lines.extend(items.iter().map(line));
            }
        };
        list(free, &self.freed);
        list("Still waiting for verification:", &self.awaiting_verification);
        lines.push(match (self.freed.as_slice(), self.awaiting_verification.as_slice(), self.finished_kept) {
            ([], [], 0) => "Nothing was held.".to_owned(),
            (.., kept) => format!("Finished tasks and ideas that keep {whose} name: {kept}."),
        });
        lines
    }
}

/// How much a change of access frees.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReleasedLine {
    tasks: usize,
    ideas: usize,
    checkins: usize,
}

impl From<Released> for ReleasedLine {
    fn from(Released { tasks, ideas, checkins }: Released) -> Self {
        Self { tasks, ideas, checkins }
    }
}

impl ReleasedLine {
    /// The sentence for people that `who` begins; none if nothing is freed.
    pub(super) fn sentence(&self, who: &str) -> Option<String> {
        let Self { tasks, ideas, checkins } = self;
        (tasks + ideas + checkins > 0).then(|| {
            format!("{who} unfinished tasks: {tasks}, ideas: {ideas}, check-ins: {checkins}. They are free for others.")
        })
    }
}
