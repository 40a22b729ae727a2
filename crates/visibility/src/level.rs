//! The level formula and what each level allows.

use crate::{GroupFacts, Level, Principal, ProjectFacts, Role, Visibility};

/// The principal's effective level in a project (visibility specification §3.1).
///
/// The higher of the local and the group role, automatic admins included, and at least editor in a public project. A
/// public group gives nothing to its private projects, and a project of another company gives nothing at all.
pub fn level(principal: &Principal, facts: &ProjectFacts) -> Level {
    if principal.company != facts.company {
        return Level::None;
    }
    let local = if is_automatic_project_admin(principal, facts) { Some(Role::Admin) } else { facts.role };
    let group = facts.group.as_ref().and_then(|group| standing(principal, group));
    // Memberships belong to users: where there is no user, there is nothing to count.
    let base = principal.user.and(local.max(group));
    let floor = match facts.visibility {
        Visibility::Public => Level::Editor,
        Visibility::Private => Level::None,
    };
    Level::from(base).max(floor)
}

/// The principal's role in a group, the automatic admin's included.
pub(crate) fn standing(principal: &Principal, group: &GroupFacts) -> Option<Role> {
    if is_automatic_group_admin(principal, group) {
        return Some(Role::Admin);
    }
    principal.user.and(group.role)
}

/// Whether the principal, of the group's company, is its automatic admin: the company's first user, while the group
/// has no explicit admin (visibility specification §3.4).
pub fn is_automatic_group_admin(principal: &Principal, group: &GroupFacts) -> bool {
    principal.is_first_user() && !group.has_admin
}

/// Whether the principal is the project's own automatic admin: the company's first user, while the project has neither
/// an admin of its own nor a group (visibility specification §3.4). A project in a group has its fallback from the
/// group only.
pub fn is_automatic_project_admin(principal: &Principal, facts: &ProjectFacts) -> bool {
    principal.is_first_user() && principal.company == facts.company && !facts.has_admin && facts.group.is_none()
}

/// What an operation in a project asks for (visibility specification §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Every read.
    Viewer,
    /// Every write of content, and being an assignee.
    Editor,
    /// Renaming, describing, deleting, moving: editor if the project is public, admin if it is private.
    Manage,
    /// Changing visibility and members.
    Admin,
}

impl Need {
    /// Every need.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Editor, Self::Manage, Self::Admin];

    /// The lowest level that meets the need in a project of this visibility.
    pub const fn least(self, visibility: Visibility) -> Level {
        match (self, visibility) {
            (Self::Viewer, _) => Level::Viewer,
            (Self::Editor, _) | (Self::Manage, Visibility::Public) => Level::Editor,
            (Self::Manage, Visibility::Private) | (Self::Admin, _) => Level::Admin,
        }
    }
}

/// The answer to "may they?" (visibility specification §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Yes.
    Granted,
    /// They see it, but their role is too low; reads keep working.
    Forbidden,
    /// For them it does not exist: the answer is the one to an unknown id.
    Hidden,
}

impl Access {
    /// The access as a result, for use with `?`.
    ///
    /// # Errors
    /// [`Denied::Hidden`] and [`Denied::Forbidden`], as they are here.
    pub const fn granted(self) -> Result<(), Denied> {
        match self {
            Self::Granted => Ok(()),
            Self::Forbidden => Err(Denied::Forbidden),
            Self::Hidden => Err(Denied::Hidden),
        }
    }
}

/// Why something is not allowed (visibility specification §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denied {
    /// For them it does not exist; nothing in the answer may differ from that to an unknown id.
    Hidden,
    /// They see it, but their role is too low.
    Forbidden,
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Hidden => "not found",
            Self::Forbidden => "the role is too low",
        })
    }
}

impl std::error::Error for Denied {}

/// Whether somebody of this level may do what asks for `need` in a project of this visibility.
pub fn permits(level: Level, visibility: Visibility, need: Need) -> Access {
    if level == Level::None {
        Access::Hidden
    } else if level >= need.least(visibility) {
        Access::Granted
    } else {
        Access::Forbidden
    }
}
