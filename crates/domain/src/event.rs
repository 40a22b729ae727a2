//! Change events, for streams and caches.

use chorus_ids::{CompanyId, EventId, ProjectId, Timestamp, Uuid};

use crate::{Kind, Subject};

/// What happened to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It was made.
    Created,
    /// It, or something shown with it, was changed.
    Updated,
    /// It is gone.
    Deleted,
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 3] = [Self::Created, Self::Updated, Self::Deleted];

    /// The name in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }

    /// The change of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.as_str() == text)
    }
}

/// A change of one entity. The store numbers the events of an entity without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Its tenant.
    pub company: CompanyId,
    /// The project, if it has one.
    pub project: Option<ProjectId>,
    /// What kind of thing changed.
    pub entity: Kind,
    /// Which one.
    pub entity_id: Uuid,
    /// How.
    pub change: Change,
    /// Who did it.
    pub actor: Subject,
    /// When.
    pub created_at: Timestamp,
}

impl Event {
    /// Whether somebody may see or do something else after it: roles, visibility and places of projects and groups, and
    /// whatever is changed about agents, keys and people. Who keeps something open for a caller has to look again.
    pub const fn concerns_access(&self) -> bool {
        match self.entity {
            Kind::Project | Kind::Group | Kind::Agent | Kind::User | Kind::Key => true,
            Kind::Idea
            | Kind::Proposal
            | Kind::Document
            | Kind::Task
            | Kind::Comment
            | Kind::Reference
            | Kind::Session
            | Kind::Notification
            | Kind::Round => false,
        }
    }
}
