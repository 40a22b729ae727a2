#![doc = include_str!("../README.md")]

mod id;
mod page;
mod source;
mod timestamp;

pub use id::{
    ActivityId, AgentId, AuditId, BrowserSessionId, CheckinId, CommentId, CompanyId, CriterionId, DocumentId, DraftId,
    EventId, GroupId, Id, IdeaId, InvalidId, KeyId, LinkId, MentionId, NotificationId, ProjectId, ProposalId,
    QuestionId, ReferenceId, RoundId, SessionId, TaskId, UserId,
};
pub use page::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, PageSize};
pub use source::{IdSource, SequentialIds, v7};
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use uuid::Uuid;
