//! Notifications: what somebody should know (data model specification §6).

use chorus_ids::{CompanyId, NotificationId, ProjectId, Timestamp, UserId, Uuid};

use crate::{Kind, Party, Subject, text};

pub mod damping;

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
    /// Somebody was suspended or removed, or may not edit a project any more, and what they held is free again.
    WorkFreed,
    /// Two agents mention each other so often that their mentions are kept as read; a person should look.
    MentionsHeldBack,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 21] = [
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
        Self::WorkFreed,
        Self::MentionsHeldBack,
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
            Self::WorkFreed => "work_freed",
            Self::MentionsHeldBack => "mentions_held_back",
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
            | Self::AgentRemoved
            | Self::WorkFreed
            | Self::MentionsHeldBack => None,
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
            | Self::AgentRemoved
            | Self::WorkFreed => false,
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
            | Self::Unblocked
            | Self::MentionsHeldBack => true,
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

impl Preference {
    /// Every preference, in the order in which they are shown.
    pub const ALL: [Self; 12] = [
        Self::TaskAssigned,
        Self::TaskStatusChanged,
        Self::TaskVerified,
        Self::TaskReopened,
        Self::ProposalSubmitted,
        Self::ProposalApproved,
        Self::ProposalRejected,
        Self::IdeaClaimed,
        Self::CommentAdded,
        Self::ElaborationRequested,
        Self::ElaborationAnswered,
        Self::Mentioned,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TaskAssigned => "taskAssigned",
            Self::TaskStatusChanged => "taskStatusChanged",
            Self::TaskVerified => "taskVerified",
            Self::TaskReopened => "taskReopened",
            Self::ProposalSubmitted => "proposalSubmitted",
            Self::ProposalApproved => "proposalApproved",
            Self::ProposalRejected => "proposalRejected",
            Self::IdeaClaimed => "ideaClaimed",
            Self::CommentAdded => "commentAdded",
            Self::ElaborationRequested => "elaborationRequested",
            Self::ElaborationAnswered => "elaborationAnswered",
            Self::Mentioned => "mentioned",
        }
    }

    /// The preference with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preference| preference.as_str() == text)
    }
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
    /// This person, of whom the decision knows that they see the project once it is written. Access as it was before
    /// says nothing then.
    Entitled(UserId),
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

impl Notification {
    /// The same naming the project where its entity is now; one whose entity is gone is about the project itself. So it
    /// always opens something. What belongs to no project stays as it is.
    #[must_use]
    pub fn placed(self, now_in: Option<(ProjectId, String)>) -> Self {
        match (now_in, self.project) {
            (_, None) => self,
            (Some((project, _)), Some(then)) if project == then => self,
            (Some((project, project_name)), Some(_)) => Self { project: Some(project), project_name, ..self },
            (None, Some(project)) => Self { entity: Kind::Project, entity_id: project.uuid(), ..self },
        }
    }
}

/// Longest title inside a message, in characters.
const QUOTED_TITLE: usize = 120;

/// A title as it stands in a message: in quotation marks, cut if it is long.
pub fn quoted(title: &str) -> String {
    format!("\"{}\"", text::shorten(title, QUOTED_TITLE))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chorus_ids::TaskId;

    use super::*;

    #[test]
    fn topics_and_preferences_have_distinct_names_that_are_read_back() {
        assert_eq!(Topic::ALL.iter().collect::<BTreeSet<_>>().len(), Topic::ALL.len());
        assert!(Topic::ALL.into_iter().all(|topic| Topic::parse(topic.as_str()) == Some(topic)));
        assert_eq!(Preference::ALL.iter().collect::<BTreeSet<_>>().len(), Preference::ALL.len());
        assert!(Preference::ALL.into_iter().all(|one| Preference::parse(one.as_str()) == Some(one)));
        assert_eq!(Preference::parse("task_assigned"), None);
        // Each turns something off.
        let used: BTreeSet<_> = Topic::ALL.into_iter().filter_map(Topic::preference).collect();
        assert_eq!(used.len(), Preference::ALL.len());
    }

    #[test]
    fn a_notification_points_at_what_is_there() {
        let (then, now) = (ProjectId::from_u128(1), ProjectId::from_u128(2));
        let told = Notification {
            id: NotificationId::from_u128(3),
            company: CompanyId::from_u128(4),
            recipient: Party::User(UserId::from_u128(5)),
            project: Some(then),
            project_name: "As it was".into(),
            entity: Kind::Task,
            entity_id: TaskId::from_u128(6).uuid(),
            entity_title: "Parse".into(),
            topic: Topic::CommentAdded,
            message: "Ann commented".into(),
            actor: Subject::Operator,
            actor_name: "Operator".into(),
            count: 1,
            read_at: None,
            archived_at: None,
            created_at: Timestamp::from_micros(7),
        };
        // Names are copies of the time; only what moved shows where it went.
        assert_eq!(told.clone().placed(Some((then, "Renamed".into()))), told);
        let moved = told.clone().placed(Some((now, "There".into())));
        assert_eq!((moved.project, moved.project_name.as_str(), moved.entity), (Some(now), "There", Kind::Task));
        let gone = told.clone().placed(None);
        assert_eq!((gone.entity, gone.entity_id, gone.entity_title.as_str()), (Kind::Project, then.uuid(), "Parse"));
        let homeless = Notification { project: None, ..told };
        assert_eq!(homeless.clone().placed(None), homeless);
        assert_eq!(homeless.clone().placed(Some((now, "There".into()))), homeless);
    }

    #[test]
    fn long_titles_are_cut_in_messages() {
        assert_eq!(quoted("Parse"), "\"Parse\"");
        assert_eq!(quoted(&"x".repeat(500)).chars().count(), QUOTED_TITLE + 2);
    }
}
