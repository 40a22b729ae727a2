//! Unfinished prerequisites: nobody starts a blocked task by any path (README decision 5, lifecycle specification §6.4).

use chorus_lifecycle::{dependency, task::TaskStatus};
use serde_json::json;

use super::{Holder, TaskRef};
use crate::{Code, Refusal, session::Worker};

/// Most blockers that a refusal names in its text; the details hold all of them.
const NAMED_IN_TEXT: usize = 5;

/// What keeps a task from being worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked<'a> {
    /// Unfinished prerequisites that the caller sees.
    pub named: Vec<&'a TaskRef>,
    /// How many more there are.
    pub hidden: u32,
}

impl<'a> Blocked<'a> {
    /// What keeps a task with these prerequisites from being worked on.
    pub fn by(prerequisites: &'a [TaskRef], hidden_open: u32) -> Self {
        Self { named: unfinished(prerequisites), hidden: hidden_open }
    }

    /// What stands against an edit that takes a task from one status to another, or leaves it where it is, and adds
    /// prerequisites. `all` are its visible prerequisites after the edit, `added` those that are new among them.
    ///
    /// Starting asks for all of them. Work that has begun, or waits for verification, may not get a new one that is
    /// unfinished; those it had before are another matter, since it may have been forced past them.
    pub fn of_edit(
        before: TaskStatus,
        after: TaskStatus,
        all: &'a [TaskRef],
        hidden_open: u32,
        added: &'a [TaskRef],
    ) -> Self {
        match after {
            TaskStatus::InProgress if before != TaskStatus::InProgress => Self::by(all, hidden_open),
            TaskStatus::InProgress | TaskStatus::ToVerify => Self::by(added, 0),
            TaskStatus::Open | TaskStatus::Assigned | TaskStatus::Done | TaskStatus::Closed => Self::default(),
        }
    }

    /// Whether nothing blocks.
    pub const fn is_empty(&self) -> bool {
        self.named.is_empty() && self.hidden == 0
    }

    /// The refusal. `holder` gives the assignee of a blocker with a name, `worker` the session that is at it.
    pub fn refusal<'w>(
        &self,
        holder: impl Fn(&TaskRef) -> Option<Holder>,
        worker: impl Fn(&TaskRef) -> Option<&'w Worker>,
    ) -> Refusal {
        let mut parts: Vec<String> = self
            .named
            .iter()
            .take(NAMED_IN_TEXT)
            .map(|task| {
                let holder = holder(task).map(|holder| format!(", {holder}")).unwrap_or_default();
                let worker = worker(task).map(|worker| format!(", session `{}`", worker.name)).unwrap_or_default();
                format!("\"{}\" (`{}`{holder}{worker})", task.title, task.status)
            })
            .collect();
        let more = self.named.len().saturating_sub(NAMED_IN_TEXT);
        if more > 0 {
            parts.push(format!("{more} more in the details"));
        }
        if self.hidden > 0 {
            parts.push(format!("{} in projects that you can't see", self.hidden));
        }
        let blockers: Vec<_> = self
            .named
            .iter()
            .map(|task| {
                let session =
                    worker(task).map(|worker| json!({ "sessionUuid": worker.session, "sessionName": worker.name }));
                json!({
                    "uuid": task.id, "title": task.title, "status": task.status.as_str(),
                    "assignee": holder(task).as_ref().map(Holder::details), "sessionCheckin": session
                })
            })
            .collect();
        Refusal::new(
            Code::BlockedByDependencies,
            format!(
                "Blocked by prerequisites that are not finished: {}. Work on a task from chorus_get_unblocked_tasks \
                 until they are done.",
                parts.join(", ")
            ),
        )
        .with(json!({ "blockers": blockers, "hiddenBlockers": self.hidden }))
    }
}

fn unfinished(tasks: &[TaskRef]) -> Vec<&TaskRef> {
    dependency::blockers(tasks.iter().map(|task| (task, task.status)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::{
        super::samples::{OTHER, beside, holder},
        *,
    };
    use crate::Party;
    use TaskStatus as S;

    fn ids(blocked: &Blocked<'_>) -> (Vec<u128>, u32) {
        (blocked.named.iter().map(|task| task.id.uuid().as_u128()).collect(), blocked.hidden)
    }

    #[test]
    fn only_what_is_neither_done_nor_closed_blocks() {
        let all: Vec<TaskRef> = (0..).zip(TaskStatus::ALL).map(|(id, status)| beside(id, status)).collect();
        assert_eq!(ids(&Blocked::by(&all, 2)), (vec![0, 1, 2, 3], 2));
        assert!(Blocked::by(&all[4..], 0).is_empty());
        assert!(!Blocked::by(&[], 1).is_empty());
    }

    #[test]
    fn starting_asks_for_every_prerequisite_and_running_work_only_for_new_ones() {
        let (old, new) = (beside(1, S::Open), beside(2, S::InProgress));
        let all = [old, new.clone()];
        let added = [new];
        for (before, after, expected) in [
            (S::Assigned, S::InProgress, (vec![1, 2], 1)),
            (S::ToVerify, S::InProgress, (vec![1, 2], 1)),
            (S::InProgress, S::InProgress, (vec![2], 0)),
            (S::InProgress, S::ToVerify, (vec![2], 0)),
            (S::ToVerify, S::ToVerify, (vec![2], 0)),
            (S::Open, S::Open, (vec![], 0)),
            (S::Assigned, S::Assigned, (vec![], 0)),
            (S::Done, S::Done, (vec![], 0)),
            (S::Closed, S::Closed, (vec![], 0)),
        ] {
            assert_eq!(ids(&Blocked::of_edit(before, after, &all, 1, &added)), expected, "{before} {after}");
        }
    }

    #[test]
    fn a_refusal_names_what_the_caller_sees_and_counts_the_rest() {
        let tasks: Vec<TaskRef> = (1..=7).map(|id| beside(id, S::Open)).collect();
        let held = |task: &TaskRef| (task.id.uuid().as_u128() == 1).then(|| holder(Party::Agent(OTHER)));
        let builder = Worker {
            task: tasks[0].id,
            session: chorus_ids::SessionId::from_u128(9),
            name: "builder".into(),
            agent: OTHER,
            since: super::super::samples::NOW,
        };
        let refusal = Blocked::by(&tasks, 2).refusal(held, |task| (task.id == builder.task).then_some(&builder));
        assert_eq!(refusal.code, Code::BlockedByDependencies);
        let named = "\"Task 1\" (`open`, agent `Ann`, session `builder`), \"Task 2\" (`open`)";
        assert!(refusal.text.contains(named), "{refusal}");
        assert!(refusal.text.contains("2 more in the details, 2 in projects that you can't see"), "{refusal}");
        let details = refusal.details.unwrap();
        assert_eq!(details["hiddenBlockers"], 2);
        assert_eq!(details["blockers"].as_array().unwrap().len(), 7);
        assert_eq!(
            details["blockers"][0],
            json!({
                "uuid": tasks[0].id, "title": "Task 1", "status": "open",
                "sessionCheckin": {"sessionUuid": builder.session, "sessionName": "builder"},
                "assignee": {"type": "agent", "uuid": OTHER.uuid(), "name": "Ann"}
            })
        );
        assert_eq!(
            (&details["blockers"][1]["assignee"], &details["blockers"][1]["sessionCheckin"]),
            (&json!(null), &json!(null))
        );
    }
}
