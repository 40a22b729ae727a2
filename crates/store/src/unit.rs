//! Units of work.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_domain::{Batch, Caller, Kind, Party, access::Granted, notification::Notification};
use chorus_ids::{AuditId, ProjectId, Timestamp, Uuid};
use serde_json::Value;

use crate::{Feed, Reads, Result};

/// A database, open.
#[async_trait]
pub trait Store: Send + Sync {
    /// A connection for reading. Statements see what is committed when they run.
    ///
    /// # Errors
    /// `Unavailable` when no connection can be had in time.
    async fn read(&self) -> Result<Box<dyn Reads>>;

    /// A unit of work: a connection with an open transaction. Dropping it rolls back.
    ///
    /// # Errors
    /// `Unavailable` when no connection can be had in time.
    async fn begin(&self) -> Result<Box<dyn Tx>>;

    /// Whether the database answers.
    ///
    /// # Errors
    /// `Unavailable` when it does not.
    async fn ping(&self) -> Result<()>;

    /// Says how its connections stand, to whoever records what is measured (see [`Metric`](crate::Metric)).
    fn observe(&self);

    /// Listens to what is committed from now on. Waits a few seconds at most until that can be promised; a listener that
    /// was let go before hears [`Heard::Missed`](crate::Heard::Missed) when it can.
    async fn feed(&self) -> Box<dyn Feed>;
}

/// Takes reports on how far a unit is with its writes: how many are done, of how many.
pub type Report = dyn Fn(u64, u64) + Send + Sync;

/// A unit of work. Order: recall, locate, lock, locate again, read, apply, remember, audit, commit.
///
/// After any error the unit is over: `commit` refuses.
#[async_trait]
pub trait Tx: Reads {
    /// Takes the idempotency key, waiting for a twin that holds it.
    ///
    /// A remembered answer older than the key's retention is forgotten first. Any retention is allowed, also one that
    /// reaches back beyond what a time can say. An answer is remembered from the moment given when its key was taken.
    async fn recall(&mut self, key: &Key, now: Timestamp) -> Result<Recall>;

    /// Stores the answer under the key taken with [`Tx::recall`], with the projects that the call touched.
    async fn remember(&mut self, key: &Key, answer: &Value, projects: &[ProjectId]) -> Result<()>;

    /// Locks rows, each once at its strongest need: groups, projects, ideas, proposals, documents, tasks, users, agents,
    /// sessions, by id.
    /// Rows that don't exist are passed over. The answer says whether what was read before still holds.
    async fn lock(&mut self, roots: &Roots) -> Result<Locked>;

    /// Those of these users and agents who exist and are not suspended, nor their owners, in no order. None of them is
    /// removed or suspended before the unit ends: whoever is given something asks for this first, or it could go to one
    /// who is being removed.
    async fn keep(&mut self, parties: &[Party]) -> Result<Vec<Party>>;

    /// Waits until no other process sets up this database, and keeps others waiting until the unit ends.
    async fn lock_setup(&mut self) -> Result<()>;

    /// Writes rows, activities and events. `notifications` are the batch's notices, addressed.
    ///
    /// Where a thing is stored decides which project a write touches, not what the row says; a row that moves touches
    /// both. A project that the batch makes is covered by that. An edge that is there already, one to remove that is
    /// not, and empty lists are all fine.
    ///
    /// A notification whose topic joins takes in an unread one of the same recipient, entity and topic, also one of the
    /// same batch: the older keeps its id and takes actor, message and time of the newer and one more in its count.
    /// Units that may join the same one at the same time own its entity, and so do units that write events of one.
    ///
    /// Constraint violations come back as domain errors where a caller could have caused them.
    ///
    /// # Errors
    /// `Internal` when a write touches a project that `granted` does not cover (activities, events and notifications may
    /// follow in others: those are consequences, not acts), `Again` when a saved row changed
    /// since it was loaded.
    async fn apply(&mut self, granted: &Granted, batch: &Batch, notifications: &[Notification]) -> Result<()>;

    /// Whom [`Tx::apply`] reports to from now on, after each of its writes. Nobody unless told.
    fn report_to(&mut self, report: Arc<Report>);

    /// Writes a row of the audit log.
    async fn audit(&mut self, entry: &AuditEntry) -> Result<()>;

    /// Ends the unit and keeps what it wrote.
    async fn commit(self: Box<Self>) -> Result<()>;

    /// Ends the unit and keeps nothing. Cheaper than dropping it.
    ///
    /// # Errors
    /// `Again` if the unit has seen what others, with whom it shared a commit, then failed to commit: what was decided on it
    /// must not be told.
    async fn rollback(self: Box<Self>) -> Result<()>;
}

/// What a decision leaves: what to write and what to answer. Nothing is read after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<A> {
    /// What to write.
    pub batch: Batch,
    /// What to answer.
    pub answer: A,
}

impl<A> Outcome<A> {
    /// The same writes with another answer.
    pub fn map<B>(self, answer: impl FnOnce(A) -> B) -> Outcome<B> {
        Outcome { batch: self.batch, answer: answer(self.answer) }
    }
}

/// How strongly a unit needs a row. A lock can't be strengthened later without risking a deadlock, so each row is
/// locked once, at its strongest need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// It must not change.
    Share,
    /// It will be changed.
    Own,
    /// It will be deleted.
    Remove,
}

/// Whether facts read before the lock still hold after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// The lock may have waited for somebody who changed them: read them again.
    LookAgain,
    /// The unit had the database for itself all the time.
    Settled,
}

/// Rows to lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    rows: std::collections::BTreeMap<(Kind, Uuid), Hold>,
}

impl Roots {
    /// Adds a row; asked for twice, the stronger need counts.
    pub fn add(&mut self, kind: Kind, id: Uuid, hold: Hold) {
        let entry = self.rows.entry((kind, id)).or_insert(hold);
        *entry = (*entry).max(hold);
    }

    /// The rows of one kind, by id.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = (Uuid, Hold)> {
        self.rows.iter().filter(move |((k, _), _)| *k == kind).map(|((_, id), hold)| (*id, *hold))
    }

    /// Whether there is nothing to lock.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// An idempotency key with its scope (README decision 14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Whose key it is: subject kind and id.
    pub caller: chorus_domain::Subject,
    /// The surface on which it counts.
    pub surface: &'static str,
    /// The tool for which it counts.
    pub tool: &'static str,
    /// The key, 1 to 255 visible characters.
    pub key: String,
    /// A digest of the arguments; another one under the same key is refused.
    pub fingerprint: String,
    /// How long an answer is remembered, in microseconds.
    pub retention_micros: i64,
}

/// What a key stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Recall {
    /// Nothing yet: it is this unit's now.
    Mine,
    /// An answer given before, and the projects that the call touched.
    Answered {
        /// The first answer.
        answer: Value,
        /// Where access has to be checked again.
        projects: Vec<ProjectId>,
    },
    /// Other arguments.
    Reused,
}

/// A row of the audit log: a successful write.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// Its id.
    pub id: AuditId,
    /// Who called and how they came in.
    pub caller: Caller,
    /// The surface: `chorus`, `operator`.
    pub surface: &'static str,
    /// The tool or command.
    pub operation: &'static str,
    /// What was named in the call, kinds with ids.
    pub entities: Vec<(Kind, Uuid)>,
    /// When.
    pub at: Timestamp,
}
