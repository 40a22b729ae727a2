//! Removing an agent: what becomes of what it held. Nothing may stay with somebody who can't finish it, and finished work
//! keeps its name.

use chorus_ids::Timestamp;
use chorus_lifecycle::{idea::IdeaStatus, task::TaskStatus};

use crate::{
    Refusal,
    idea::{self, Idea},
    task::{Task, work},
};

/// What an agent has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holdings {
    /// The tasks it holds that are not finished, whole.
    pub tasks: Vec<Task>,
    /// The ideas it holds, whole.
    pub ideas: Vec<HeldIdea>,
    /// How many finished tasks it holds.
    pub finished_tasks: u64,
    /// How many keys of it work.
    pub keys: u64,
    /// How many of its sessions are active.
    pub sessions: u64,
}

/// An idea of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldIdea {
    /// The idea.
    pub idea: Idea,
    /// Whether its holder still has something to do with it.
    pub proposed: Proposed,
}

/// Whether what an idea asks for was proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// A proposal that starts from it is approved: the rest is up to tasks.
    Approved,
    /// None is.
    NotYet,
}

/// What becomes of an agent's holdings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parting {
    /// Tasks that are nobody's again, each with the status it had.
    pub tasks: Vec<(TaskStatus, Task)>,
    /// Ideas that are nobody's again, each with the status it had.
    pub ideas: Vec<(IdeaStatus, Idea)>,
    /// Tasks that wait for verification. They stay as they are: the work is done, and somebody else judges it.
    pub submitted: Vec<Task>,
    /// How many finished tasks and ideas keep its name.
    pub kept: u64,
}

/// Takes from an agent whatever is not finished. Work that was submitted stays submitted under its name; found wanting,
/// it becomes free for others ([`work::reopen_vacant`]).
///
/// # Errors
/// What the lifecycles refuse; they refuse nothing that can be held.
pub fn part(holdings: Holdings, now: Timestamp) -> Result<Parting, Refusal> {
    let mut parting = Parting { kept: holdings.finished_tasks, ..Parting::default() };
    for task in holdings.tasks {
        match task.status {
            TaskStatus::ToVerify => parting.submitted.push(task),
            TaskStatus::Done | TaskStatus::Closed => parting.kept += 1,
            TaskStatus::Open | TaskStatus::Assigned | TaskStatus::InProgress => {
                parting.tasks.push((task.status, work::vacate(&task, now)?));
            }
        }
    }
    for HeldIdea { idea, proposed } in holdings.ideas {
        match (idea.status, proposed) {
            (IdeaStatus::Elaborated, Proposed::Approved) => parting.kept += 1,
            (IdeaStatus::Open | IdeaStatus::Elaborating, _) | (IdeaStatus::Elaborated, Proposed::NotYet) => {
                parting.ideas.push((idea.status, idea::vacate(&idea, now)?));
            }
        }
    }
    Ok(parting)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{
        Party,
        idea::fixtures,
        task::samples::{ME, NOW, task},
    };

    fn mine(status: TaskStatus) -> Task {
        task(status, Some(Party::Agent(ME)))
    }

    fn held(status: IdeaStatus, proposed: Proposed) -> HeldIdea {
        HeldIdea { idea: Idea { status, ..fixtures::idea() }, proposed }
    }

    #[test]
    fn unfinished_tasks_are_free_again() {
        for status in [TaskStatus::Assigned, TaskStatus::InProgress] {
            let parting = part(Holdings { tasks: vec![mine(status)], ..Holdings::default() }, NOW).unwrap();
            let free = Task { status: TaskStatus::Open, assignee: None, version: 4, updated_at: NOW, ..mine(status) };
            assert_eq!(parting, Parting { tasks: vec![(status, free)], ..Parting::default() });
        }
    }

    #[test]
    fn submitted_and_finished_work_keeps_its_name() {
        let tasks = vec![mine(TaskStatus::ToVerify), mine(TaskStatus::Done), mine(TaskStatus::Closed)];
        let parting = part(Holdings { tasks, finished_tasks: 5, ..Holdings::default() }, NOW).unwrap();
        assert_eq!(parting, Parting { submitted: vec![mine(TaskStatus::ToVerify)], kept: 7, ..Parting::default() });
    }

    #[test]
    fn an_idea_is_free_again_until_it_is_approved() {
        for status in IdeaStatus::ALL {
            for proposed in [Proposed::Approved, Proposed::NotYet] {
                let parting =
                    part(Holdings { ideas: vec![held(status, proposed)], ..Holdings::default() }, NOW).unwrap();
                if (status, proposed) == (IdeaStatus::Elaborated, Proposed::Approved) {
                    assert_eq!(parting, Parting { kept: 1, ..Parting::default() });
                    continue;
                }
                let [(was, idea)] = parting.ideas.as_slice() else { unreachable!("{parting:?}") };
                let now = if status == IdeaStatus::Elaborated { status } else { IdeaStatus::Open };
                assert_eq!((*was, idea.status, idea.assignee), (status, now, None));
            }
        }
    }
}
