//! SQLite: what differs from PostgreSQL, and the shared text compiled for it.
#![expect(clippy::duplicate_mod, reason = "one text for two backends: both compile the files below")]

use std::path::Path;

use chorus_domain::Kind;
use chorus_ids::Uuid;
use chorus_store::{Hold, Result};
use diesel::{
    ConnectionResult,
    result::{DatabaseErrorInformation, DatabaseErrorKind},
};

use crate::{asking::Asking, failure::Reading, meter::Meter, open::Options, watch::Watch};

pub(crate) use conn::{Conn, ExecuteDsl, LoadQuery, RunQueryDsl};

/// The backend of a connection.
pub(crate) type Db = diesel::sqlite::Sqlite;

/// There are no row locks: `BEGIN IMMEDIATE` is the lock.
pub(crate) const ROW_LOCKS: bool = false;

macro_rules! hold {
    ($hold:ident, $query:expr) => {
        $query
    };
}

#[path = "queries/access.rs"]
mod access;
#[path = "queries/account.rs"]
mod account;
#[path = "queries/activity.rs"]
mod activity;
#[path = "apply.rs"]
mod apply;
#[path = "queries/audience.rs"]
mod audience;
#[path = "queries/audit.rs"]
mod audit;
#[path = "queries/check.rs"]
mod check;
#[path = "queries/columns.rs"]
mod columns;
#[path = "queries/comment.rs"]
mod comment;
mod conn;
#[path = "queries/directory.rs"]
mod directory;
#[path = "queries/document.rs"]
pub(crate) mod document;
#[path = "queries/elaboration.rs"]
pub(crate) mod elaboration;
#[path = "queries/event.rs"]
mod event;
#[path = "queries/fate.rs"]
mod fate;
#[path = "queries/group.rs"]
mod group;
#[path = "queries/idea.rs"]
pub(crate) mod idea;
#[path = "queries/idempotency.rs"]
mod idempotency;
#[path = "queries/identity.rs"]
mod identity;
#[path = "queries/leaving.rs"]
mod leaving;
#[path = "queries/lock.rs"]
mod lock;
#[path = "queries/mention.rs"]
mod mention;
#[path = "queries/notification.rs"]
mod notification;
#[path = "queries/operator.rs"]
mod operator;
#[path = "queries/overview.rs"]
mod overview;
#[path = "queries/people.rs"]
mod people;
pub(crate) mod pool;
#[path = "queries/preference.rs"]
mod preference;
#[path = "queries/project.rs"]
mod project;
#[path = "queries/proposal.rs"]
pub(crate) mod proposal;
#[path = "queries/reference.rs"]
mod reference;
#[path = "queries/run.rs"]
mod run;
#[path = "queries/search.rs"]
mod search;
#[path = "queries/search_index.rs"]
pub(crate) mod search_index;
#[path = "queries/session.rs"]
mod session;
#[cfg(test)]
#[path = "shared_tests/mod.rs"]
mod shared_tests;
#[path = "queries/statement.rs"]
mod statement;
#[path = "queries/task.rs"]
mod task;
#[path = "queries/task_parts.rs"]
mod task_parts;
#[path = "queries/task_waiting.rs"]
mod task_waiting;
pub(crate) mod tell;
#[path = "touched.rs"]
mod touched;
#[path = "queries/tracker.rs"]
pub(crate) mod tracker;
#[path = "tx.rs"]
mod tx;
#[path = "unit.rs"]
pub(crate) mod unit;
#[path = "queries/visit.rs"]
mod visit;
mod writer;
#[cfg(test)]
mod writer_tests;

/// Another process may hold the write lock; Diesel hides the code of that too, but here the text is always the same. A commit
/// that units share may fail for all.
/// Constraints are reported by name (`CHECK`), by columns (`UNIQUE`) or not at all (`FOREIGN KEY`).
pub(crate) const READING: Reading = Reading {
    again: |kind, info| {
        matches!(kind, DatabaseErrorKind::SerializationFailure) || info.message().contains("database is locked")
    },
    unable: |_, info| UNABLE.contains(&info.message()),
    constraint: constraint_name,
};

/// What SQLite says where the operating system lets it down: a full disk, a file that may not grow or not be written, a
/// broken disk, a folder that is gone. All of it may be over later; nothing is half-written meanwhile.
const UNABLE: [&str; 4] = [
    "database or disk is full",
    "attempt to write a readonly database",
    "disk I/O error",
    "unable to open database file",
];

/// How its index of words is asked. The index comes first in the join: the planner can't know how few rows it gives.
pub(crate) const WORDS: Asking = Asking {
    anywhere: "search_word w CROSS JOIN search_entry e ON e.seq = w.rowid WHERE w.search_word MATCH ",
    in_title: "search_word w CROSS JOIN search_entry e ON e.seq = w.rowid WHERE w.search_word MATCH ",
    after: "",
    // Rows get their numbers as they are made. The index has them in this order: nothing is sorted, and looking ends early.
    newest: "w.rowid",
    title: ("title : (", ")"),
    quote: '"',
    beginning: "*",
    and: " AND ",
    or: " OR ",
    rebuild: Some("INSERT INTO search_word (search_word) VALUES ('rebuild')"),
};

/// The name of a violated constraint: `UNIQUE constraint failed: task.id, task.title` is `task_id_title_key`.
fn constraint_name(info: &dyn DatabaseErrorInformation) -> Option<String> {
    let message = info.message();
    if let Some(name) = message.strip_prefix("CHECK constraint failed: ") {
        return Some(name.to_owned());
    }
    let columns = message.strip_prefix("UNIQUE constraint failed: ")?;
    let mut name = columns.split_once('.')?.0.to_owned();
    for column in columns.split(", ") {
        name.push('_');
        name.push_str(column.split_once('.')?.1);
    }
    name.push_str("_key");
    Some(name)
}

/// The unit is the lock.
pub(crate) async fn lock_rows(_: &mut unit::Unit, _: Vec<(Kind, Hold, Vec<Uuid>)>) -> Result<()> {
    Ok(())
}

/// What every connection sets. FULL makes a commit survive a power loss; waiting units share it.
pub(crate) const SESSION: &str =
    "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL";

/// The connections of a database: exactly one that writes, several that can't. None is opened before it is needed.
pub(crate) fn open(path: &Path, options: &Options, watch: Option<&Watch>) -> pool::Backend {
    // Connections tell the watch themselves: they know what is bound as the database gets it.
    let (meter, watch) = (Meter::new(options.slow, None), watch.cloned());
    pool::Backend::new(Opener { name: crate::target::sqlite_name(path), meter, watch }, options)
}

/// Opens connections to one file.
pub(crate) struct Opener {
    name: String,
    meter: Meter,
    watch: Option<Watch>,
}

impl Opener {
    /// A connection with these pragmas beside [`SESSION`].
    fn open(&self, pragmas: &str) -> ConnectionResult<Conn> {
        let mut conn = Conn::open(&self.name, &[SESSION, pragmas])?;
        conn.set_instrumentation(self.meter.clone());
        conn.set_watch(self.watch.clone());
        Ok(conn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, name: Option<&str>) {
        assert_eq!(constraint_name(&message.to_owned()).as_deref(), name, "{message}");
    }

    #[test]
    fn names_of_constraints_follow_from_the_message() {
        check("CHECK constraint failed: task_title_check", Some("task_title_check"));
        check("UNIQUE constraint failed: api_key.key_hash", Some("api_key_key_hash_key"));
        check(
            "UNIQUE constraint failed: task_dependency.task_id, task_dependency.depends_on_id",
            Some("task_dependency_task_id_depends_on_id_key"),
        );
        check("FOREIGN KEY constraint failed", None);
    }
}

/// What the shared tests need to know about this backend.
#[cfg(test)]
pub(crate) mod harness {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use diesel::connection::Instrumentation;

    use super::{Conn, Options, pool::Backend};
    use crate::{target::DatabaseUrl, testing::TestDb};

    /// Lets rows point to nothing until the connection is reset with [`FOREIGN_KEYS_ON`].
    pub(crate) const FOREIGN_KEYS_OFF: &str = "PRAGMA foreign_keys = OFF";
    pub(crate) const FOREIGN_KEYS_ON: &str = "PRAGMA foreign_keys = ON";

    /// Makes a company.
    pub(crate) const A_COMPANY: &str =
        "INSERT INTO company (id, name, created_at) VALUES (x'00000000000070008000000000000001', 'A', 0)";

    /// Asks for a plan.
    pub(crate) const EXPLAIN: &str = "EXPLAIN QUERY PLAN ";
    pub(crate) type PlanSql =
        (diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Text);
    pub(crate) type PlanRow = (i32, i32, i32, String);

    pub(crate) fn step((.., step): PlanRow) -> String {
        step
    }

    /// Passes if a plan reads no table of things from end to end, and the words so often.
    pub(crate) fn check_plan(steps: &[String], looks: usize) {
        let plan = steps.join("\n");
        assert_eq!(plan.matches("SCAN w VIRTUAL TABLE INDEX").count(), looks, "{plan}");
        let scans = |table: &str| steps.iter().any(|step| step.trim() == format!("SCAN {table}"));
        for table in ["w", "e", "t", "i", "r", "d", "o", "g", "x", "y", "a"] {
            assert!(!scans(table), "{table}: {plan}");
        }
    }

    /// The id of the `n`th copy of the thing with the id OLD, and whether OLD is no copy.
    pub(crate) const COPY_OF: &str = "unhex(printf('%016X', n.n) || substr(hex(OLD), 17))";
    pub(crate) const WRITTEN: &str = "substr(hex(OLD), 1, 16) = '0000000000000000'";

    /// Passes if a plan reads no table of things, nor the words, from end to end.
    pub(crate) fn check_no_scan(steps: &[String]) {
        let looks = steps.iter().filter(|step| step.contains("SCAN w VIRTUAL TABLE INDEX")).count();
        assert!(looks > 0, "{steps:?}");
        check_plan(steps, looks);
    }

    /// Has the statements of a connection watched.
    pub(crate) fn watch(conn: &mut Conn, watch: impl Instrumentation) {
        conn.set_instrumentation(watch);
    }

    /// Lets the planner know what is there.
    pub(crate) async fn analyze(backend: &Backend) {
        use diesel_async::SimpleAsyncConnection as _;
        let mut unit = backend.begin().await.unwrap();
        unit.conn().batch_execute("ANALYZE").await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Passes if the index agrees with its entries.
    pub(crate) async fn check_index(backend: &Backend) {
        use diesel_async::SimpleAsyncConnection as _;
        let mut unit = backend.begin().await.unwrap();
        let check = "INSERT INTO search_word (search_word, rank) VALUES ('integrity-check', 1)";
        unit.conn().batch_execute(check).await.unwrap();
        unit.rollback().await.unwrap();
    }

    pub(crate) async fn migrated() -> TestDb {
        TestDb::sqlite().await
    }

    pub(crate) async fn empty() -> TestDb {
        TestDb::empty_sqlite()
    }

    pub(crate) fn backend(url: &DatabaseUrl) -> Backend {
        let path = url.sqlite_path().expect("a SQLite test");
        super::open(path, &Options::default(), None)
    }
}
