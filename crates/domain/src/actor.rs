//! Who acts, and for whom.

use chorus_ids::{AgentId, CompanyId, Timestamp, UserId, Uuid};
use chorus_permissions::PermissionSet;
use chorus_visibility::Principal;

/// A user or an agent: whoever can hold, create or be told something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// A person.
    User(UserId),
    /// An agent.
    Agent(AgentId),
}

impl Party {
    /// `user` or `agent`, as in rows and on the wire.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::User(_) => "user",
            Self::Agent(_) => "agent",
        }
    }

    /// The id without its kind.
    pub const fn uuid(self) -> Uuid {
        match self {
            Self::User(id) => id.uuid(),
            Self::Agent(id) => id.uuid(),
        }
    }

    /// The party of this kind and id, if the kind is one.
    pub fn read(kind: &str, id: Uuid) -> Option<Self> {
        match kind {
            "user" => Some(Self::User(UserId::from_uuid(id))),
            "agent" => Some(Self::Agent(AgentId::from_uuid(id))),
            _ => None,
        }
    }
}

/// Who performs an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A person.
    User(UserId),
    /// An agent.
    Agent(AgentId),
    /// Whoever runs the server, through its command line. Has no id.
    Operator,
}

impl Subject {
    /// `user`, `agent` or `operator`, as in rows and on the wire.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::User(_) => "user",
            Self::Agent(_) => "agent",
            Self::Operator => "operator",
        }
    }

    /// The id without its kind; the operator's is nil.
    pub const fn uuid(self) -> Uuid {
        match self {
            Self::User(id) => id.uuid(),
            Self::Agent(id) => id.uuid(),
            Self::Operator => Uuid::nil(),
        }
    }

    /// The party that acts; the operator is none.
    pub const fn party(self) -> Option<Party> {
        match self {
            Self::User(id) => Some(Party::User(id)),
            Self::Agent(id) => Some(Party::Agent(id)),
            Self::Operator => None,
        }
    }

    /// The subject of this kind and id, if the kind is one.
    pub fn read(kind: &str, id: Uuid) -> Option<Self> {
        match kind {
            "operator" => Some(Self::Operator),
            _ => Party::read(kind, id).map(Self::from),
        }
    }
}

impl From<Party> for Subject {
    fn from(party: Party) -> Self {
        match party {
            Party::User(id) => Self::User(id),
            Party::Agent(id) => Self::Agent(id),
        }
    }
}

/// How a subject came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// An agent's API key.
    Key,
    /// A browser session.
    Browser,
    /// A personal or OAuth token.
    Token,
    /// The operator's command line.
    CommandLine,
}

impl Via {
    /// The name in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Browser => "browser",
            Self::Token => "token",
            Self::CommandLine => "command_line",
        }
    }
}

/// Whoever calls, as loaded for this one call.
///
/// Permissions are computed from the stored agent on every call, so that a change takes effect with the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who acts.
    pub subject: Subject,
    /// How it came in.
    pub via: Via,
    /// Its tenant.
    pub company: CompanyId,
    /// Its display name.
    pub name: String,
    /// The person that owns the calling agent; the person itself for a user.
    pub owner: Option<UserId>,
    /// Whose memberships count.
    pub principal: Principal,
    /// What the subject may do at all.
    pub permissions: PermissionSet,
}

impl Caller {
    /// Whether this assignment counts as the caller's own: its own, or its owner's (lifecycle specification §1.3).
    pub fn holds(&self, assignee: Option<Party>) -> bool {
        match (assignee, self.subject) {
            (Some(Party::User(user)), Subject::Agent(_)) => self.owner == Some(user),
            (Some(party), subject) => Subject::from(party) == subject,
            (None, _) => false,
        }
    }

    /// Whether it is assigned to the caller itself, not merely to its owner: the strict rule of elaborations and of
    /// proposals from ideas (lifecycle specification §1.3).
    pub fn holds_strictly(&self, assignee: Option<Party>) -> bool {
        assignee.is_some_and(|party| Subject::from(party) == self.subject)
    }
}

/// Who holds an item, since when, and who gave it to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The holder.
    pub to: Party,
    /// Since when.
    pub at: Timestamp,
    /// Who gave it; nobody for an agent's claim for itself (lifecycle specification §1.4).
    pub by: Option<Party>,
}
