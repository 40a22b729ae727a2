//! Tasks, their acceptance criteria and their dependencies.

use chorus_ids::{CompanyId, CriterionId, ProjectId, ProposalId, TaskId, Timestamp};
use chorus_lifecycle::{
    criterion::Mark,
    task::{Priority, TaskStatus},
};

use crate::{Assignment, Party};

pub mod assigning;
pub mod blocked;
pub mod create;
pub mod criteria;
pub mod edit;
pub mod ending;
pub mod work;

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its project.
    pub project: ProjectId,
    /// Its title.
    pub title: String,
    /// What is to be done.
    pub description: Option<String>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How urgent it is.
    pub priority: Priority,
    /// Expected effort in agent hours, 0 to 1000.
    pub story_points: Option<f64>,
    /// Who holds it.
    pub assignee: Option<Assignment>,
    /// The proposal it came from; none for a quick task.
    pub proposal: Option<ProposalId>,
    /// Who made it.
    pub created_by: Party,
    /// 1 when made, one more with every change.
    pub version: i32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// An acceptance criterion with its two independent marks (lifecycle specification §7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// Its id.
    pub id: CriterionId,
    /// Its task.
    pub task: TaskId,
    /// What must hold.
    pub description: String,
    /// Whether verification waits for it.
    pub required: bool,
    /// The assignee's own judgement.
    pub dev: Judgement,
    /// The reviewer's verdict; only this one counts for verification.
    pub verdict: Judgement,
    /// Its place in the list, from 0.
    pub position: i32,
}

/// A mark with what backs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Pending, passed or failed.
    pub mark: Mark,
    /// What backs it.
    pub evidence: Option<String>,
    /// Who marked it and when.
    pub by: Option<(Party, Timestamp)>,
}

impl Judgement {
    /// Not judged.
    pub const PENDING: Self = Self { mark: Mark::Pending, evidence: None, by: None };
}

/// A task depends on another: it can't start before the other is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The task that waits.
    pub task: TaskId,
    /// Its prerequisite.
    pub depends_on: TaskId,
}

/// A task as it appears beside another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRef {
    /// Its id.
    pub id: TaskId,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who holds it.
    pub assignee: Option<Party>,
}

/// A task that waits for one that has just finished; read without a scope, for those who must be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependant {
    /// The waiting task.
    pub id: TaskId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its project.
    pub project: ProjectId,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who holds it.
    pub assignee: Option<Party>,
    /// Who made it.
    pub created_by: Party,
    /// The prerequisite it waits for, of those asked about.
    pub depends_on: TaskId,
    /// Its prerequisites that are not finished, whichever they are.
    pub open_prerequisites: u32,
}

/// Who holds a task, with a name for refusals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Who.
    pub party: Party,
    /// What to call them.
    pub name: String,
}

impl Holder {
    /// As it stands in the details of a refusal.
    fn details(&self) -> serde_json::Value {
        serde_json::json!({ "type": self.party.kind(), "uuid": self.party.uuid(), "name": self.name })
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} `{}`", self.party.kind(), self.name)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! Plain values for the tests of decisions.

    use chorus_ids::{AgentId, CompanyId, CriterionId, ProjectId, TaskId, Timestamp, UserId};
    use chorus_lifecycle::{criterion::Mark, task::TaskStatus};
    use chorus_permissions::PermissionSet;
    use chorus_visibility::Principal;

    use super::{Criterion, Holder, Judgement, Task, TaskRef};
    use crate::{Assignment, Caller, Party, Subject, Via};

    pub(crate) const NOW: Timestamp = Timestamp::from_micros(1_796_062_951_000_000);
    pub(crate) const ME: AgentId = AgentId::from_u128(1);
    pub(crate) const OTHER: AgentId = AgentId::from_u128(2);
    pub(crate) const OWNER: UserId = UserId::from_u128(3);
    pub(crate) const PROJECT: ProjectId = ProjectId::from_u128(4);
    pub(crate) const COMPANY: CompanyId = CompanyId::from_u128(5);

    pub(crate) fn caller(subject: Subject) -> Caller {
        Caller {
            subject,
            via: Via::Key,
            company: COMPANY,
            name: "Me".into(),
            owner: Some(OWNER),
            principal: Principal { company: COMPANY, user: Some(OWNER), first_user: None },
            permissions: PermissionSet::EMPTY,
        }
    }

    pub(crate) fn me() -> Caller {
        caller(Subject::Agent(ME))
    }

    pub(crate) fn holder(party: Party) -> Holder {
        Holder { party, name: "Ann".into() }
    }

    pub(crate) fn task(status: TaskStatus, assignee: Option<Party>) -> Task {
        let at = Timestamp::from_micros(7);
        Task {
            id: TaskId::from_u128(100),
            company: COMPANY,
            project: PROJECT,
            title: "Parse".into(),
            description: Some("Long".into()),
            status,
            priority: chorus_lifecycle::task::Priority::Medium,
            story_points: None,
            assignee: assignee.map(|to| Assignment { to, at, by: None }),
            proposal: None,
            created_by: Party::User(OWNER),
            version: 3,
            created_at: at,
            updated_at: at,
        }
    }

    pub(crate) fn beside(id: u128, status: TaskStatus) -> TaskRef {
        TaskRef { id: TaskId::from_u128(id), title: format!("Task {id}"), status, assignee: None }
    }

    pub(crate) fn criterion(id: u128, required: bool, verdict: Mark) -> Criterion {
        Criterion {
            id: CriterionId::from_u128(id),
            task: TaskId::from_u128(100),
            description: format!("Holds {id}"),
            required,
            dev: Judgement { mark: Mark::Passed, ..Judgement::PENDING },
            verdict: Judgement { mark: verdict, ..Judgement::PENDING },
            position: 0,
        }
    }
}
