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
    /// The name in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
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
