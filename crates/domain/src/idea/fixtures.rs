//! An idea and those around it, for tests of decisions.

use chorus_ids::{AgentId, CompanyId, IdeaId, ProjectId, Timestamp, UserId};
use chorus_lifecycle::idea::IdeaStatus;
use chorus_permissions::{IDEA_ADMIN, PROPOSAL_ADMIN, PermissionSet};
use chorus_visibility::Principal;

use super::Idea;
use crate::{Assignment, Caller, Party, Subject, Via};

/// When everything was made.
pub(crate) const NOW: Timestamp = Timestamp::from_micros(1_767_225_600_000_000);
/// When it is decided upon.
pub(crate) const LATER: Timestamp = Timestamp::from_micros(1_767_225_660_000_000);

const COMPANY: CompanyId = CompanyId::from_u128(1);
const OWNER: UserId = UserId::from_u128(2);
const AGENT: AgentId = AgentId::from_u128(3);

/// The person who owns [`agent`].
pub(crate) fn owner() -> Party {
    Party::User(OWNER)
}

/// Another person.
pub(crate) fn someone() -> Party {
    Party::User(UserId::from_u128(22))
}

fn caller(subject: Subject, owner: UserId) -> Caller {
    Caller {
        subject,
        via: Via::Key,
        company: COMPANY,
        name: "Caller".into(),
        owner: Some(owner),
        principal: Principal { company: COMPANY, user: Some(owner), first_user: None },
        permissions: PermissionSet::default(),
    }
}

/// An agent without any permission; it holds [`idea`].
pub(crate) fn agent() -> Caller {
    caller(Subject::Agent(AGENT), OWNER)
}

/// An agent of somebody else.
pub(crate) fn strange_agent() -> Caller {
    caller(Subject::Agent(AgentId::from_u128(33)), UserId::from_u128(22))
}

/// An agent of somebody else that holds `idea:admin` and `proposal:admin`.
pub(crate) fn reviewer() -> Caller {
    Caller { permissions: PermissionSet::default().with(IDEA_ADMIN).with(PROPOSAL_ADMIN), ..strange_agent() }
}

/// The owner of [`agent`], calling.
pub(crate) fn person() -> Caller {
    caller(Subject::User(OWNER), OWNER)
}

/// An open idea that nobody holds.
pub(crate) fn thought() -> Idea {
    Idea {
        id: IdeaId::from_u128(100),
        company: COMPANY,
        project: ProjectId::from_u128(10),
        title: "A thought".into(),
        content: None,
        status: IdeaStatus::Open,
        elaboration_status: None,
        depth: None,
        parent: None,
        is_container: false,
        assignee: None,
        created_by: someone(),
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// The idea, held by [`agent`] and being elaborated.
pub(crate) fn idea() -> Idea {
    let assignee = Some(Assignment { to: Party::Agent(AGENT), at: NOW, by: None });
    Idea { status: IdeaStatus::Elaborating, assignee, version: 2, ..thought() }
}
