#![doc = include_str!("../README.md")]

mod error;
mod page;
mod reads;
#[cfg(feature = "testing")]
pub mod testing;
mod unit;
mod unscoped;

pub use error::{BoxError, Error, Result};
pub use page::{Page, PageRequest, Position, Row, Start};
pub use reads::{
    Activities, Comments, Documents, DraftBodies, Elaborations, GroupSummary, GroupTotals, GroupedProject, Groups,
    IdeaSummary, Ideas, NotificationDigest, Notifications, Order, People, PersonName, ProjectCounts, ProjectSummary,
    Projects, ProposalUse, Proposals, Reads, Related, TaskDetail, TaskFilter, Tasks, TrackedIdea, TrackedTask,
    Trackers, Unblocked,
};
pub use unit::{AuditEntry, Hold, Key, Locked, Outcome, Recall, Roots, Store, Tx};
pub use unscoped::{Addressee, AgentProfile, Contents, Credential, Directory, GroupView, KeyRow, Operator};
