//! One newtype per kind of row.

use std::{fmt, str::FromStr};

use uuid::Uuid;

/// What every typed id can do; lets a caller be generic over the kind of row.
pub trait Id: Copy + Ord + fmt::Debug + fmt::Display {
    /// The id with this UUID.
    fn from_uuid(uuid: Uuid) -> Self;
    /// The UUID itself.
    fn uuid(self) -> Uuid;
}

/// A text that is no canonical UUID (8-4-4-4-12 hexadecimal digits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a UUID of the form 00000000-0000-0000-0000-000000000000")
    }
}

impl std::error::Error for InvalidId {}

fn canonical(text: &str) -> Result<Uuid, InvalidId> {
    // `Uuid` also reads the simple, braced and URN forms; the wire knows one form only.
    if text.len() == 36 { Uuid::try_parse(text).map_err(|_| InvalidId) } else { Err(InvalidId) }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(Uuid);

        impl $name {
            /// The id with this UUID.
            pub const fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            /// The id whose 128 bits are `bits`; for tests and fixtures.
            pub const fn from_u128(bits: u128) -> Self { Self(Uuid::from_u128(bits)) }
            /// The UUID itself.
            pub const fn uuid(self) -> Uuid { self.0 }
        }

        impl Id for $name {
            fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            fn uuid(self) -> Uuid { self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.hyphenated().fmt(f) }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> { canonical(text).map(Self) }
        }
    )* };
}

ids! {
    /// A tenant.
    CompanyId
    /// A person.
    UserId
    /// A program that acts with an API key.
    AgentId
    /// An API key of an agent.
    KeyId
    /// A project group.
    GroupId
    /// A project.
    ProjectId
    /// An idea.
    IdeaId
    /// An elaboration round of an idea.
    RoundId
    /// A question of an elaboration round.
    QuestionId
    /// A proposal.
    ProposalId
    /// A document or task draft inside a proposal.
    DraftId
    /// A document.
    DocumentId
    /// A task.
    TaskId
    /// An acceptance criterion of a task.
    CriterionId
    /// A comment.
    CommentId
    /// A reference to external evidence.
    ReferenceId
    /// An entry of a project's activity stream.
    ActivityId
    /// A working session of an agent.
    SessionId
    /// A session's check-in to a task.
    CheckinId
    /// A notification.
    NotificationId
    /// A mention of somebody in a text.
    MentionId
    /// A change event.
    EventId
    /// An entry of the audit log.
    AuditId
    /// A session of a person's browser.
    BrowserSessionId
    /// A link that lets a person in once.
    LinkId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_form_is_an_id() {
        let id = TaskId::from_u128(0x0192_f3a0_0000_7000_8000_0000_0000_00ff);
        assert_eq!(id.to_string(), "0192f3a0-0000-7000-8000-0000000000ff");
        assert_eq!("0192F3A0-0000-7000-8000-0000000000FF".parse(), Ok(id));
        for text in ["", "x", "0192f3a0000070008000000000000fff", "{0192f3a0-0000-7000-8000-0000000000ff}"] {
            assert_eq!(text.parse::<TaskId>(), Err(InvalidId), "{text}");
        }
    }
}
