#![doc = include_str!("../README.md")]

mod accounts;
mod error;
mod feed;
mod metric;
mod notifications;
mod overviews;
mod page;
mod reads;
mod search;
mod sessions;
mod spent;
#[cfg(feature = "testing")]
pub mod testing;
mod unit;
mod unscoped;

pub use accounts::{Accounts, Claimant, Visitor};
pub use error::{BoxError, Error, Result};
pub use feed::{Feed, Heard};
pub use metric::{Kind as MetricKind, Metric};
pub use notifications::{NotificationDigest, NotificationPage, Notifications, ReadState, Span};
pub use overviews::{AtHand, Overviews, ProjectProgress, ProjectsWithin, Waiting, WaitsFor};
pub use page::{Page, PageRequest, Position, Row, Start};
pub use reads::{
    Activities, AgentLine, Comments, Documents, DraftBodies, Elaborations, GroupSummary, GroupTotals, GroupedProject,
    Groups, IdeaSummary, Ideas, Mentionable, Mentionables, Order, People, PersonName, ProjectCounts, ProjectSummary,
    Projects, ProposalUse, Proposals, Reads, References, Related, TaskDetail, TaskFilter, Tasks, TrackedIdea,
    TrackedTask, Trackers, Unblocked,
};
pub use search::{Ground, MAX_MATCHES, Matches, Neighbour, RANKED, Relation, SEEN, Search, SearchRow, Within};
pub use sessions::{AtWork, Sessions};
pub use spent::{SLOW, Spent};
pub use unit::{AuditEntry, Hold, Key, Locked, Outcome, Recall, Report, Roots, Store, Tx};
pub use unscoped::{
    Addressee, AgentProfile, Contents, Contradiction, Credential, Directory, GroupView, Hanging, KeyRow, Memberships,
    Operator, Reach,
};
