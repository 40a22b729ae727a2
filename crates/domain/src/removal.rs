//! Whoever goes, is suspended or may not edit a project any more: what becomes of what they held. Nothing may stay with
//! somebody who can't finish it, and finished work keeps its name.

use chorus_ids::{AgentId, ProjectId, SessionId, TaskId, Timestamp, UserId, Uuid};
use chorus_lifecycle::{idea::IdeaStatus, task::TaskStatus};

use crate::{
    Kind, Party, Refusal,
    idea::{self, Idea},
    task::{Task, work},
};

/// What some people and agents have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holdings {
    /// The tasks they hold that are not finished, whole.
    pub tasks: Vec<Task>,
    /// The ideas they hold, whole.
    pub ideas: Vec<HeldIdea>,
    /// Where sessions of the agents among them are.
    pub checkins: Vec<OpenCheckin>,
    /// How many finished tasks they hold.
    pub finished_tasks: u64,
    /// How many keys of the agents work.
    pub keys: u64,
    /// How many sessions of the agents are active.
    pub sessions: u64,
}

/// An idea that somebody holds.
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

/// A session that is at a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenCheckin {
    /// The task's project.
    pub project: ProjectId,
    /// The session's agent.
    pub agent: AgentId,
    /// The session.
    pub session: SessionId,
    /// The task.
    pub task: TaskId,
}

/// Somebody who holds something unfinished in a project, or is at one of its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stake {
    /// The project.
    pub project: ProjectId,
    /// Who.
    pub party: Party,
    /// Whose access they have: their own, or their owner's; nobody's for an agent without owner.
    pub principal: Option<UserId>,
}

/// Somebody who was there and is not now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Who.
    pub party: Party,
    /// What they are called, or were.
    pub name: String,
    /// Why they are not there.
    pub absence: Absence,
}

/// Why somebody is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// They are suspended, or their owner is.
    Suspended,
    /// They were removed.
    Removed,
}

impl Absent {
    /// What keeps them from taking on anything: `The agent `bot` was removed`.
    pub fn sentence(&self) -> String {
        let name = &self.name;
        match (self.party, self.absence) {
            (Party::User(_), Absence::Suspended) => format!("`{name}` is suspended"),
            (Party::User(_), Absence::Removed) => format!("`{name}` was removed"),
            (Party::Agent(_), Absence::Suspended) => format!("The owner of the agent `{name}` is suspended"),
            (Party::Agent(_), Absence::Removed) => format!("The agent `{name}` was removed"),
        }
    }
}

/// Something that is nobody's again.
#[derive(Clone, Debug, PartialEq)]
pub struct Vacated<S, T> {
    /// The status it had.
    pub was: S,
    /// Who held it.
    pub holder: Party,
    /// As it is now.
    pub now: T,
}

/// What becomes of holdings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parting {
    /// Tasks that are nobody's again.
    pub tasks: Vec<Vacated<TaskStatus, Task>>,
    /// Ideas that are nobody's again.
    pub ideas: Vec<Vacated<IdeaStatus, Idea>>,
    /// Tasks that wait for verification. They stay as they are: the work is done, and somebody else judges it.
    pub submitted: Vec<Task>,
    /// How many finished tasks and ideas keep the name.
    pub kept: u64,
}

/// Takes whatever is not finished from whoever holds it. Work that was submitted stays submitted under its name; found
/// wanting, it becomes free for others ([`work::reopen_vacant`]).
///
/// # Errors
/// What the lifecycles refuse; they refuse nothing that can be held.
pub fn part(holdings: Holdings, now: Timestamp) -> Result<Parting, Refusal> {
    let mut parting = Parting { kept: holdings.finished_tasks, ..Parting::default() };
    for task in holdings.tasks {
        let Some(held) = task.assignee else { continue };
        match task.status {
            TaskStatus::ToVerify => parting.submitted.push(task),
            TaskStatus::Done | TaskStatus::Closed => parting.kept += 1,
            TaskStatus::Open | TaskStatus::Assigned | TaskStatus::InProgress => {
                parting.tasks.push(Vacated { was: task.status, holder: held.to, now: work::vacate(&task, now)? });
            }
        }
    }
    for HeldIdea { idea, proposed } in holdings.ideas {
        let Some(held) = idea.assignee else { continue };
        match (idea.status, proposed) {
            (IdeaStatus::Elaborated, Proposed::Approved) => parting.kept += 1,
            (IdeaStatus::Open | IdeaStatus::Elaborating, _) | (IdeaStatus::Elaborated, Proposed::NotYet) => {
                parting.ideas.push(Vacated { was: idea.status, holder: held.to, now: idea::vacate(&idea, now)? });
            }
        }
    }
    Ok(parting)
}

/// One thing that is nobody's again, whatever its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freed<'p> {
    /// A task or an idea.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// Where it is.
    pub project: ProjectId,
    /// What it is called.
    pub title: &'p str,
    /// Who held it.
    pub holder: Party,
}

impl Parting {
    /// Everything that is nobody's again, tasks first.
    pub fn freed(&self) -> Vec<Freed<'_>> {
        let tasks = self.tasks.iter().map(|Vacated { holder, now: task, .. }| Freed {
            kind: Kind::Task,
            id: task.id.uuid(),
            project: task.project,
            title: &task.title,
            holder: *holder,
        });
        let ideas = self.ideas.iter().map(|Vacated { holder, now: idea, .. }| Freed {
            kind: Kind::Idea,
            id: idea.id.uuid(),
            project: idea.project,
            title: &idea.title,
            holder: *holder,
        });
        tasks.chain(ideas).collect()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{
        idea::fixtures,
        task::samples::{ME, NOW, task},
    };

    fn mine(status: TaskStatus) -> Task {
        task(status, Some(Party::Agent(ME)))
    }

    fn held(status: IdeaStatus, proposed: Proposed) -> HeldIdea {
        let assignee = mine(TaskStatus::Assigned).assignee;
        HeldIdea { idea: Idea { status, assignee, ..fixtures::idea() }, proposed }
    }

    #[test]
    fn unfinished_tasks_are_free_again() {
        for status in [TaskStatus::Assigned, TaskStatus::InProgress] {
            let parting = part(Holdings { tasks: vec![mine(status)], ..Holdings::default() }, NOW).unwrap();
            let free = Task { status: TaskStatus::Open, assignee: None, version: 4, updated_at: NOW, ..mine(status) };
            let [freed] = parting.freed()[..] else { unreachable!("{parting:?}") };
            assert_eq!((freed.kind, freed.id, freed.holder), (Kind::Task, free.id.uuid(), Party::Agent(ME)));
            let vacated = Vacated { was: status, holder: Party::Agent(ME), now: free };
            assert_eq!(parting, Parting { tasks: vec![vacated], ..Parting::default() });
        }
    }

    #[test]
    fn whoever_is_absent_is_named_with_the_reason() {
        let sentence = |party, absence| Absent { party, name: "ann".into(), absence }.sentence();
        let user = Party::User(UserId::from_u128(1));
        assert_eq!(sentence(user, Absence::Suspended), "`ann` is suspended");
        assert_eq!(sentence(user, Absence::Removed), "`ann` was removed");
        assert_eq!(sentence(Party::Agent(ME), Absence::Suspended), "The owner of the agent `ann` is suspended");
        assert_eq!(sentence(Party::Agent(ME), Absence::Removed), "The agent `ann` was removed");
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
                let [Vacated { was, now: idea, .. }] = parting.ideas.as_slice() else { unreachable!("{parting:?}") };
                let now = if status == IdeaStatus::Elaborated { status } else { IdeaStatus::Open };
                assert_eq!((*was, idea.status, idea.assignee), (status, now, None));
            }
        }
    }
}
