//! Everything that a change of access is computed from, as one consistent read.

use chorus_ids::{CompanyId, GroupId, ProjectId, UserId};

use crate::roster::Roster;
use crate::{GroupFacts, Level, Principal, ProjectFacts, Role, Visibility, level};

/// The people of a company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanySnapshot {
    /// The company.
    pub id: CompanyId,
    /// Every user, in any order. Agents are not among them: they follow their owners.
    pub users: Vec<UserId>,
    /// The first user: earliest creation, then lowest id. `None` in a company without users.
    pub first_user: Option<UserId>,
}

impl CompanySnapshot {
    pub(crate) fn principal(&self, user: UserId) -> Principal {
        Principal { company: self.id, user: Some(user), first_user: self.first_user }
    }

    /// The users, sorted, each once.
    pub(crate) fn sorted_users(&self) -> Vec<UserId> {
        let mut users = self.users.clone();
        users.sort_unstable();
        users.dedup();
        users
    }
}

/// A project with all its membership rows.
///
/// What would be computed for everybody reads ids, visibility and group of `facts` and the rows of `members`; the role
/// in `facts` is the acting principal's and only matters to [`authorise_change`](crate::authorise_change).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSnapshot {
    /// The project as the acting principal meets it.
    pub facts: ProjectFacts,
    /// Its name.
    pub name: String,
    /// Its own memberships, in any order, a user at most once.
    pub members: Vec<(UserId, Role)>,
}

impl ProjectSnapshot {
    /// The id of the project.
    pub const fn id(&self) -> ProjectId {
        self.facts.project
    }

    /// The id of its existing group.
    pub fn group_id(&self) -> Option<GroupId> {
        self.facts.group.map(|group| group.id)
    }
}

/// A group with all its membership rows and projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSnapshot {
    /// The group.
    pub id: GroupId,
    /// Its visibility.
    pub visibility: Visibility,
    /// Raised by one on every change that concerns access.
    pub access_version: i64,
    /// Its explicit memberships, in any order, a user at most once.
    pub members: Vec<(UserId, Role)>,
    /// Every project in it, those that the acting principal can't see included. A move needs none of them and ignores
    /// them.
    pub projects: Vec<ProjectSnapshot>,
}

/// Who answers for a project, and is told what nobody else would be: of its own administrators the one who has been in
/// the company longest (the lowest id), else of its group's, else the first user.
pub fn responsible(
    project: &ProjectSnapshot,
    group: Option<&GroupSnapshot>,
    company: &CompanySnapshot,
) -> Option<UserId> {
    let (local, side) = (Roster::new(&project.members), group.map(GroupSide::of));
    let visibility = project.facts.visibility;
    Standing { project: project.id(), visibility, local: &local, group: side.as_ref() }.responsible(company)
}

/// What a user has in a project.
pub fn level_in(
    project: &ProjectSnapshot,
    group: Option<&GroupSnapshot>,
    company: &CompanySnapshot,
    user: UserId,
) -> Level {
    let (local, side) = (Roster::new(&project.members), group.map(GroupSide::of));
    let visibility = project.facts.visibility;
    Standing { project: project.id(), visibility, local: &local, group: side.as_ref() }.level(company, user)
}

/// A group's side of a [`Standing`].
pub(crate) struct GroupSide {
    pub(crate) id: GroupId,
    pub(crate) visibility: Visibility,
    pub(crate) roster: Roster,
}

impl GroupSide {
    pub(crate) fn of(group: &GroupSnapshot) -> Self {
        Self { id: group.id, visibility: group.visibility, roster: Roster::new(&group.members) }
    }

    pub(crate) fn facts(&self, user: UserId) -> GroupFacts {
        GroupFacts {
            id: self.id,
            visibility: self.visibility,
            role: self.roster.role(user),
            has_admin: self.roster.has_admin(),
        }
    }
}

/// One state of a project's access, before or after a change, from which everybody's level follows.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub(crate) project: ProjectId,
    pub(crate) visibility: Visibility,
    pub(crate) local: &'a Roster,
    pub(crate) group: Option<&'a GroupSide>,
}

impl Standing<'_> {
    pub(crate) fn facts(&self, company: &CompanySnapshot, user: UserId) -> ProjectFacts {
        ProjectFacts {
            company: company.id,
            project: self.project,
            visibility: self.visibility,
            role: self.local.role(user),
            has_admin: self.local.has_admin(),
            group: self.group.map(|group| group.facts(user)),
        }
    }

    pub(crate) fn level(&self, company: &CompanySnapshot, user: UserId) -> Level {
        level(&company.principal(user), &self.facts(company, user))
    }

    /// See [`responsible`].
    pub(crate) fn responsible(&self, company: &CompanySnapshot) -> Option<UserId> {
        let admin = |roster: &Roster| {
            let mut admins = roster.rows().iter().filter(|(_, role)| *role == Role::Admin).map(|(user, _)| *user);
            admins.find(|user| company.users.contains(user))
        };
        admin(self.local).or_else(|| admin(&self.group?.roster)).or(company.first_user)
    }
}
