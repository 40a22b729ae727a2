#![doc = include_str!("../README.md")]

mod error;
mod page;
mod reads;
mod search;
#[cfg(feature = "testing")]
pub mod testing;
mod unit;
mod unscoped;

pub use error::{BoxError, Error, Result};
pub use page::{Page, PageRequest, Position, Row, Start};
pub use reads::{
    Activities, Comments, Documents, DraftBodies, Elaborations, IdeaSummary, Ideas, NotificationDigest, Notifications,
    Order, People, PersonName, ProjectCounts, ProjectSummary, Projects, ProposalUse, Proposals, Reads, Related,
    TaskDetail, TaskFilter, Tasks, TrackedIdea, TrackedTask, Trackers, Unblocked,
};
pub use search::{Ground, MAX_MATCHES, Matches, Neighbour, RANKED, Relation, SEEN, Search, SearchRow, Within};
pub use unit::{AuditEntry, Hold, Key, Locked, Outcome, Recall, Roots, Store, Tx};
pub use unscoped::{Addressee, AgentProfile, Credential, Directory, GroupView, KeyRow, Operator};
