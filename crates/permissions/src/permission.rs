//! One bit: a resource and what may be done to it.

use std::{error::Error, fmt, str::FromStr};

/// What a permission is about.
///
/// The order of the variants is the canonical order (permissions
/// specification §1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Ideas and their elaborations.
    Idea,
    /// Proposals and their drafts.
    Proposal,
    /// Documents, completion reports and references.
    Document,
    /// Tasks and their acceptance criteria.
    Task,
    /// Projects and project groups.
    Project,
}

impl Resource {
    /// Every resource, in canonical order.
    pub const ALL: [Self; 5] = [Self::Idea, Self::Proposal, Self::Document, Self::Task, Self::Project];

    /// The name used in a permission, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idea => "idea",
            Self::Proposal => "proposal",
            Self::Document => "document",
            Self::Task => "task",
            Self::Project => "project",
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Resource {
    type Err = UnknownResource;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|r| r.as_str() == name).ok_or_else(|| UnknownResource(name.to_owned()))
    }
}

/// What a permission allows to be done. No action implies another.
///
/// The order of the variants is the canonical order (permissions
/// specification §1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// See it.
    Read,
    /// Do the ordinary work on it.
    Write,
    /// Decide about it: verify, approve, close, delete.
    Admin,
}

impl Action {
    /// Every action, in canonical order.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The name used in a permission, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|a| a.as_str() == name).ok_or_else(|| UnknownAction(name.to_owned()))
    }
}

/// One of the fifteen bits, written `resource:action`.
///
/// Permissions compare in canonical order: all of `idea` first, then all of
/// `proposal`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permission {
    resource: Resource,
    action: Action,
}

impl Permission {
    /// All fifteen, in canonical order.
    pub const ALL: [Self; 15] = [
        IDEA_READ,
        IDEA_WRITE,
        IDEA_ADMIN,
        PROPOSAL_READ,
        PROPOSAL_WRITE,
        PROPOSAL_ADMIN,
        DOCUMENT_READ,
        DOCUMENT_WRITE,
        DOCUMENT_ADMIN,
        TASK_READ,
        TASK_WRITE,
        TASK_ADMIN,
        PROJECT_READ,
        PROJECT_WRITE,
        PROJECT_ADMIN,
    ];

    /// The permission for `action` on `resource`.
    pub const fn new(resource: Resource, action: Action) -> Self {
        Self { resource, action }
    }

    /// What it is about.
    pub const fn resource(self) -> Resource {
        self.resource
    }

    /// What it allows.
    pub const fn action(self) -> Action {
        self.action
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.resource, self.action)
    }
}

/// Exact and case-sensitive: `Task:Write`, ` task:write` and `task:*` are not
/// permissions (permissions specification §3).
impl FromStr for Permission {
    type Err = UnknownPermission;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.split_once(':')
            .and_then(|(resource, action)| Some(Self::new(resource.parse().ok()?, action.parse().ok()?)))
            .ok_or_else(|| UnknownPermission(name.to_owned()))
    }
}

/// See ideas and elaborations.
pub const IDEA_READ: Permission = Permission::new(Resource::Idea, Action::Read);
/// Create, claim, release, edit and move ideas; open and skip elaborations.
pub const IDEA_WRITE: Permission = Permission::new(Resource::Idea, Action::Write);
/// Resolve elaborations, assign ideas to others, delete ideas.
pub const IDEA_ADMIN: Permission = Permission::new(Resource::Idea, Action::Admin);
/// See proposals and drafts.
pub const PROPOSAL_READ: Permission = Permission::new(Resource::Proposal, Action::Read);
/// Create, draft, validate and submit proposals; reject and revoke one's own; assign tasks.
pub const PROPOSAL_WRITE: Permission = Permission::new(Resource::Proposal, Action::Write);
/// Approve and close proposals; reject and revoke anybody's.
pub const PROPOSAL_ADMIN: Permission = Permission::new(Resource::Proposal, Action::Admin);
/// See documents.
pub const DOCUMENT_READ: Permission = Permission::new(Resource::Document, Action::Read);
/// Create and update documents, write completion reports, keep references.
pub const DOCUMENT_WRITE: Permission = Permission::new(Resource::Document, Action::Write);
/// Delete documents.
pub const DOCUMENT_ADMIN: Permission = Permission::new(Resource::Document, Action::Admin);
/// See tasks.
pub const TASK_READ: Permission = Permission::new(Resource::Task, Action::Read);
/// Claim, release, report on, submit and self-check tasks.
pub const TASK_WRITE: Permission = Permission::new(Resource::Task, Action::Write);
/// Verify, reopen, close and delete tasks; mark their criteria.
pub const TASK_ADMIN: Permission = Permission::new(Resource::Task, Action::Admin);
/// See projects and groups.
pub const PROJECT_READ: Permission = Permission::new(Resource::Project, Action::Read);
/// Create projects; create, update and delete groups; move projects.
pub const PROJECT_WRITE: Permission = Permission::new(Resource::Project, Action::Write);
/// Reserved: gates nothing today.
pub const PROJECT_ADMIN: Permission = Permission::new(Resource::Project, Action::Admin);

/// A string that names no permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPermission(pub String);

impl fmt::Display for UnknownPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a permission: write `resource:action`, with ", self.0)?;
        alternatives(f, "resource", Resource::ALL.map(Resource::as_str).as_slice())?;
        f.write_str(" and ")?;
        alternatives(f, "action", Action::ALL.map(Action::as_str).as_slice())
    }
}

impl Error for UnknownPermission {}

/// A string that names no resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownResource(pub String);

impl fmt::Display for UnknownResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not known: ", self.0)?;
        alternatives(f, "resource", Resource::ALL.map(Resource::as_str).as_slice())
    }
}

impl Error for UnknownResource {}

/// A string that names no action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAction(pub String);

impl fmt::Display for UnknownAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not known: ", self.0)?;
        alternatives(f, "action", Action::ALL.map(Action::as_str).as_slice())
    }
}

impl Error for UnknownAction {}

/// Writes `<what> one of a, b, c`.
pub(crate) fn alternatives(f: &mut fmt::Formatter<'_>, what: &str, names: &[&str]) -> fmt::Result {
    write!(f, "{what} one of {}", names.join(", "))
}
