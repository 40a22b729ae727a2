//! Notifications: what somebody should know (data model specification §6).

use chorus_ids::{CompanyId, NotificationId, ProjectId, Timestamp, Uuid};

use crate::{Kind, Party, Subject, text};

/// What a notification is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// A task was given to the recipient.
    TaskAssigned,
    /// A task's status changed.
    TaskStatusChanged,
    /// A task waits for verification.
    TaskSubmittedForVerify,
    /// A task was accepted.
    TaskVerified,
    /// A task was sent back to work.
    TaskReopened,
    /// A proposal waits for review.
    ProposalSubmitted,
    /// A proposal was approved.
    ProposalApproved,
    /// A proposal was sent back.
    ProposalRejected,
    /// An idea got an assignee.
    IdeaClaimed,
    /// Somebody commented.
    CommentAdded,
    /// Somebody has questions about an idea.
    ElaborationRequested,
    /// Questions about an idea were answered.
    ElaborationAnswered,
    /// Somebody else finished the elaboration; the assigned agent can go on.
    ElaborationVerified,
    /// A completion report was written.
    ReportCreated,
    /// The recipient was mentioned.
    Mentioned,
    /// A prerequisite ended without being done.
    DependencyClosed,
    /// The last open prerequisite is done.
    Unblocked,
    /// Something that the recipient held was deleted.
    Deleted,
    /// An agent was removed, and what it held is free again.
    AgentRemoved,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 19] = [
        Self::TaskAssigned,
        Self::TaskStatusChanged,
        Self::TaskSubmittedForVerify,
        Self::TaskVerified,
        Self::TaskReopened,
        Self::ProposalSubmitted,
        Self::ProposalApproved,
        Self::ProposalRejected,
        Self::IdeaClaimed,
        Self::CommentAdded,
        Self::ElaborationRequested,
        Self::ElaborationAnswered,
        Self::ElaborationVerified,
        Self::ReportCreated,
        Self::Mentioned,
        Self::DependencyClosed,
        Self::Unblocked,
        Self::Deleted,
        Self::AgentRemoved,
    ];

    /// The name in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TaskAssigned => "task_assigned",
            Self::TaskStatusChanged => "task_status_changed",
            Self::TaskSubmittedForVerify => "task_submitted_for_verify",
            Self::TaskVerified => "task_verified",
            Self::TaskReopened => "task_reopened",
            Self::ProposalSubmitted => "proposal_submitted",
            Self::ProposalApproved => "proposal_approved",
            Self::ProposalRejected => "proposal_rejected",
            Self::IdeaClaimed => "idea_claimed",
            Self::CommentAdded => "comment_added",
            Self::ElaborationRequested => "elaboration_requested",
            Self::ElaborationAnswered => "elaboration_answered",
            Self::ElaborationVerified => "elaboration_verified",
            Self::ReportCreated => "report_created",
            Self::Mentioned => "mentioned",
            Self::DependencyClosed => "dependency_closed",
            Self::Unblocked => "unblocked",
            Self::Deleted => "deleted",
            Self::AgentRemoved => "agent_removed",
        }
    }

    /// The topic with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.as_str() == text)
    }

    /// The preference that turns it off; `None` for what always arrives.
    pub const fn preference(self) -> Option<Preference> {
        match self {
            Self::TaskAssigned => Some(Preference::TaskAssigned),
            Self::TaskStatusChanged => Some(Preference::TaskStatusChanged),
            Self::TaskSubmittedForVerify | Self::TaskVerified => Some(Preference::TaskVerified),
            Self::TaskReopened => Some(Preference::TaskReopened),
            Self::ProposalSubmitted => Some(Preference::ProposalSubmitted),
            Self::ProposalApproved => Some(Preference::ProposalApproved),
            Self::ProposalRejected => Some(Preference::ProposalRejected),
            Self::IdeaClaimed => Some(Preference::IdeaClaimed),
            Self::CommentAdded => Some(Preference::CommentAdded),
            Self::ElaborationRequested => Some(Preference::ElaborationRequested),
            Self::ElaborationAnswered => Some(Preference::ElaborationAnswered),
            Self::Mentioned => Some(Preference::Mentioned),
            Self::ElaborationVerified
            | Self::ReportCreated
            | Self::DependencyClosed
            | Self::Unblocked
            | Self::Deleted
            | Self::AgentRemoved => None,
        }
    }

    /// Whether an unread one of the same recipient and entity takes in the next one (README decision 26): mentions
    /// and decisions always get their own.
    pub const fn joins(self) -> bool {
        match self {
            Self::Mentioned
            | Self::ProposalApproved
            | Self::ProposalRejected
            | Self::TaskVerified
            | Self::TaskReopened
            | Self::ElaborationVerified
            // Their entity is the project, since the deleted thing can't be opened: joined, all but one would be lost.
            | Self::Deleted
            | Self::AgentRemoved => false,
            Self::TaskAssigned
            | Self::TaskStatusChanged
            | Self::TaskSubmittedForVerify
            | Self::ProposalSubmitted
            | Self::IdeaClaimed
            | Self::CommentAdded
            | Self::ElaborationRequested
            | Self::ElaborationAnswered
            | Self::ReportCreated
            | Self::DependencyClosed
            | Self::Unblocked => true,
        }
    }
}

/// A switch with which a recipient turns off some notifications. All are on at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preference {
    /// A task was given to me.
    TaskAssigned,
    /// A task of mine changed its status.
    TaskStatusChanged,
    /// Verification of tasks.
    TaskVerified,
    /// A task of mine was reopened.
    TaskReopened,
    /// A proposal was submitted.
    ProposalSubmitted,
    /// A proposal of mine was approved.
    ProposalApproved,
    /// A proposal of mine was rejected.
    ProposalRejected,
    /// An idea of mine was claimed.
    IdeaClaimed,
    /// A comment was added.
    CommentAdded,
    /// Questions were asked.
    ElaborationRequested,
    /// Questions were answered.
    ElaborationAnswered,
    /// I was mentioned.
    Mentioned,
}

/// Whom a change concerns, before access and preferences are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recipient {
    /// This user or agent.
    Party(Party),
    /// The person who owns this party, if it is an agent that has one.
    OwnerOf(Party),
    /// The administrators of the entity's project.
    ProjectAdmins,
}

/// A notification as a decision asks for it. Who really gets one is worked out when it is written: access,
/// preferences and the actor are looked at then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whom it concerns.
    pub to: Vec<Recipient>,
    /// What it is about.
    pub topic: Topic,
    /// The project of the entity.
    pub project: ProjectId,
    /// The kind of entity.
    pub entity: Kind,
    /// Which one.
    pub entity_id: Uuid,
    /// What it is called.
    pub entity_title: String,
    /// A short sentence naming who did what to which.
    pub message: String,
}

/// A notification of one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Its id.
    pub id: NotificationId,
    /// Its tenant.
    pub company: CompanyId,
    /// Whose it is.
    pub recipient: Party,
    /// The project of the entity; none for what belongs to no project.
    pub project: Option<ProjectId>,
    /// What the project was called.
    pub project_name: String,
    /// The kind of entity.
    pub entity: Kind,
    /// Which one.
    pub entity_id: Uuid,
    /// What it was called.
    pub entity_title: String,
    /// What it is about.
    pub topic: Topic,
    /// A short sentence.
    pub message: String,
    /// Who caused it, the newest if several were joined.
    pub actor: Subject,
    /// What the actor was called.
    pub actor_name: String,
    /// How many were joined in this one, at least 1.
    pub count: i32,
    /// When it was read.
    pub read_at: Option<Timestamp>,
    /// When it was put away.
    pub archived_at: Option<Timestamp>,
    /// When it was made or last refreshed.
    pub created_at: Timestamp,
}

/// Longest title inside a message, in characters.
const QUOTED_TITLE: usize = 120;

/// A title as it stands in a message: in quotation marks, cut if it is long.
pub fn quoted(title: &str) -> String {
    format!("\"{}\"", text::shorten(title, QUOTED_TITLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_in_messages() {
        assert_eq!(quoted("Parse"), "\"Parse\"");
        assert_eq!(quoted(&"x".repeat(500)).chars().count(), QUOTED_TITLE + 2);
    }
}
