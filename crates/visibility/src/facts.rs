//! What the rules look at.

use chorus_ids::{CompanyId, GroupId, ProjectId, UserId};

use crate::{Role, Visibility};

/// Whose memberships count (visibility specification §2): a user for themselves, an owner for their agents, nobody for
/// an agent without owner.
///
/// A super admin takes no part in project access and has no principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The company of the caller.
    pub company: CompanyId,
    /// The user whose memberships count; `None` for an agent without owner.
    pub user: Option<UserId>,
    /// The company's first user: earliest creation, then lowest id.
    pub first_user: Option<UserId>,
}

impl Principal {
    /// Whether the principal is the company's first user, who stands in where an admin is missing.
    pub fn is_first_user(&self) -> bool {
        self.user.is_some() && self.user == self.first_user
    }
}

/// A group as one principal meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupFacts {
    /// The group.
    pub id: GroupId,
    /// Its visibility.
    pub visibility: Visibility,
    /// The principal's explicit membership.
    pub role: Option<Role>,
    /// Whether anybody is an explicit admin of the group.
    pub has_admin: bool,
}

/// A project as one principal meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProjectFacts {
    /// The company that the project belongs to.
    pub company: CompanyId,
    /// The project.
    pub project: ProjectId,
    /// Its visibility.
    pub visibility: Visibility,
    /// The principal's membership in the project itself.
    pub role: Option<Role>,
    /// Whether anybody is an admin by membership in the project itself.
    pub has_admin: bool,
    /// The project's group; `None` if it has none, or the row points to one that is missing or of another company.
    pub group: Option<GroupFacts>,
}
