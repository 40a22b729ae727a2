//! Activities: what happened in a project, for people and agents to read.

use chorus_ids::{ActivityId, CompanyId, ProjectId, SessionId, Timestamp, Uuid};
use serde_json::Value;

use crate::{Kind, Subject};

/// What an activity tells (tool guide §17, data model specification §5, README decision 5).
///
/// One target kind can have several; the pair (kind, action) decides which notification follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Given to or taken by somebody.
    Assigned,
    /// Closed.
    Closed,
    /// Commented on.
    CommentAdded,
    /// Made.
    Created,
    /// A prerequisite ended without being done.
    DependencyClosed,
    /// Edited.
    Edited,
    /// Questions of a round were answered.
    ElaborationAnswered,
    /// The assignee finished the elaboration.
    ElaborationResolved,
    /// The assignee skipped the elaboration.
    ElaborationSkipped,
    /// A round of questions was opened.
    ElaborationStarted,
    /// Somebody other than the assignee finished the elaboration.
    ElaborationVerified,
    /// A status was forced past unfinished prerequisites.
    ForceStatusChange,
    /// Somebody was mentioned.
    Mentioned,
    /// Moved to another project.
    Moved,
    /// The project changed its group.
    ProjectGroupChanged,
    /// A member was added.
    ProjectMemberAdded,
    /// A member was removed.
    ProjectMemberRemoved,
    /// A member's role changed.
    ProjectMemberRoleChanged,
    /// The project's visibility changed.
    ProjectVisibilityChanged,
    /// A reference was added.
    ReferenceAdded,
    /// Sent back to draft with a reason.
    RejectedToDraft,
    /// Given back.
    Released,
    /// Sent back to work.
    Reopened,
    /// Got another parent.
    Reparented,
    /// A completion report was written.
    ReportCreated,
    /// An approval was taken back.
    Revoked,
    /// The status changed.
    StatusChanged,
    /// Handed over for verification or review.
    Submitted,
    /// The last open prerequisite was done.
    Unblocked,
    /// Changed.
    Updated,
    /// Accepted.
    Verified,
    /// Approved.
    Approved,
    /// The project's group was changed.
    GroupUpdated,
    /// The project's group was deleted.
    GroupDeleted,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 34] = [
        Self::Assigned,
        Self::Closed,
        Self::CommentAdded,
        Self::Created,
        Self::DependencyClosed,
        Self::Edited,
        Self::ElaborationAnswered,
        Self::ElaborationResolved,
        Self::ElaborationSkipped,
        Self::ElaborationStarted,
        Self::ElaborationVerified,
        Self::ForceStatusChange,
        Self::Mentioned,
        Self::Moved,
        Self::ProjectGroupChanged,
        Self::ProjectMemberAdded,
        Self::ProjectMemberRemoved,
        Self::ProjectMemberRoleChanged,
        Self::ProjectVisibilityChanged,
        Self::ReferenceAdded,
        Self::RejectedToDraft,
        Self::Released,
        Self::Reopened,
        Self::Reparented,
        Self::ReportCreated,
        Self::Revoked,
        Self::StatusChanged,
        Self::Submitted,
        Self::Unblocked,
        Self::Updated,
        Self::Verified,
        Self::Approved,
        Self::GroupUpdated,
        Self::GroupDeleted,
    ];

    /// The name in rows and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Closed => "closed",
            Self::CommentAdded => "comment_added",
            Self::Created => "created",
            Self::DependencyClosed => "dependency_closed",
            Self::Edited => "edited",
            Self::ElaborationAnswered => "elaboration_answered",
            Self::ElaborationResolved => "elaboration_resolved",
            Self::ElaborationSkipped => "elaboration_skipped",
            Self::ElaborationStarted => "elaboration_started",
            Self::ElaborationVerified => "elaboration_verified",
            Self::ForceStatusChange => "force_status_change",
            Self::Mentioned => "mentioned",
            Self::Moved => "moved",
            Self::ProjectGroupChanged => "project_group_changed",
            Self::ProjectMemberAdded => "project_member_added",
            Self::ProjectMemberRemoved => "project_member_removed",
            Self::ProjectMemberRoleChanged => "project_member_role_changed",
            Self::ProjectVisibilityChanged => "project_visibility_changed",
            Self::ReferenceAdded => "reference_added",
            Self::RejectedToDraft => "rejected_to_draft",
            Self::Released => "released",
            Self::Reopened => "reopened",
            Self::Reparented => "reparented",
            Self::ReportCreated => "report_created",
            Self::Revoked => "revoked",
            Self::StatusChanged => "status_changed",
            Self::Submitted => "submitted",
            Self::Unblocked => "unblocked",
            Self::Updated => "updated",
            Self::Verified => "verified",
            Self::Approved => "approved",
            Self::GroupUpdated => "group_updated",
            Self::GroupDeleted => "group_deleted",
        }
    }

    /// The action with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == text)
    }
}

/// One entry of a project's activity stream. Entries never change.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Its id.
    pub id: ActivityId,
    /// Its tenant.
    pub company: CompanyId,
    /// The project in whose stream it stands.
    pub project: ProjectId,
    /// What kind of thing it is about.
    pub target: Kind,
    /// Which one.
    pub target_id: Uuid,
    /// What that was called at the time; stays readable when the thing is gone.
    pub target_title: String,
    /// Who did it.
    pub actor: Subject,
    /// What happened.
    pub action: Action,
    /// More about it, a JSON object.
    pub value: Option<Value>,
    /// In which of the agent's sessions.
    pub session: Option<(SessionId, String)>,
    /// When.
    pub created_at: Timestamp,
}
