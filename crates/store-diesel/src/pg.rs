//! PostgreSQL: what differs from SQLite, and the shared text compiled for it.
#![expect(clippy::duplicate_mod, reason = "one text for two backends: both compile the files below")]

use std::sync::Arc;

use diesel::result::{ConnectionError, DatabaseErrorInformation, DatabaseErrorKind as Kind};
use diesel_async::{AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection, pooled_connection::ManagerConfig};

pub(crate) use self::locking::lock_rows;
use self::named::NamedLocks;
use crate::{asking::Asking, bus::Bell, failure::Reading, meter::Meter, open::Options, target::PgTarget, watch::Watch};

/// The connection type.
pub(crate) type Conn = AsyncPgConnection;

pub(crate) use diesel_async::{
    RunQueryDsl,
    methods::{ExecuteDsl, LoadQuery},
};

/// Its backend.
pub(crate) type Db = diesel::pg::Pg;

/// Rows are locked one by one.
pub(crate) const ROW_LOCKS: bool = true;

/// The row lock of a strength that goes with a read; the weaker one only keeps the row from being deleted.
macro_rules! hold {
    (Exist, $query:expr) => {
        $query.for_key_share()
    };
    (Share, $query:expr) => {
        $query.for_share()
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
mod locking;
#[path = "queries/mention.rs"]
mod mention;
pub(crate) mod named;
#[path = "queries/notification.rs"]
mod notification;
#[path = "queries/operator.rs"]
mod operator;
#[path = "queries/overview.rs"]
mod overview;
#[path = "queries/people.rs"]
mod people;
#[cfg(test)]
#[path = "pg_tests.rs"]
mod pg_tests;
pub(crate) mod poll;
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

/// Diesel hides the SQLSTATE: a deadlock, a lock timeout or a server going down is `Unknown` with a text in the server's
/// language, so every `Unknown` is worth a bounded re-run. The last two: the connection was dead. A server that may only be
/// read was another one's copy all along, or has become that.
pub(crate) const READING: Reading = Reading {
    again: |kind, _| {
        matches!(kind, Kind::SerializationFailure | Kind::Unknown | Kind::UnableToSendCommand | Kind::ClosedConnection)
    },
    unable: |kind, _| matches!(kind, Kind::ReadOnlyTransaction),
    constraint: |info: &dyn DatabaseErrorInformation| info.constraint_name().map(str::to_owned),
};

/// How its index of words is asked: `tsquery` with quoted words, cast from text, so that no parser reads them.
pub(crate) const WORDS: Asking = Asking {
    anywhere: "search_entry e WHERE e.all_words @@ ",
    in_title: "search_entry e WHERE e.title_words @@ ",
    after: "::tsquery",
    // The ids of what was made last are the highest.
    newest: "e.entity_id",
    title: ("", ""),
    quote: '\'',
    beginning: ":*",
    and: " & ",
    or: " | ",
    rebuild: None,
};

/// What every pooled session sets. A statement whose caller is gone ends, and lets go of its locks, within a second
/// instead of at its own end; no statement runs longer than half a minute; a unit that sits idle is ended. Nothing here
/// runs long enough to be worth compiling: counting 10,000 notifications took 0.4 s with JIT and 0.06 s without.
const SESSION: &str = "SET client_connection_check_interval = '1s'; SET statement_timeout = '30s'; \
     SET idle_in_transaction_session_timeout = '60s'; SET jit = off";

/// The pools of a database. Reads and units share one.
pub(crate) fn open(
    target: &PgTarget,
    named_locks: NamedLocks,
    options: &Options,
    watch: Option<&Watch>,
) -> pool::Backend {
    let (target, meter) = (Arc::new(target.clone()), Meter::new(options.slow, watch));
    let mut config = ManagerConfig::<Conn>::default();
    config.custom_setup = Box::new(move |_| {
        let (target, meter) = (Arc::clone(&target), meter.clone());
        Box::pin(async move {
            let mut conn = target.connect().await?;
            conn.batch_execute(SESSION).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
            conn.set_instrumentation(meter);
            Ok(conn)
        })
    });
    let pool = pool::pool(config, named_locks, options);
    pool::Backend { pool, bell: Bell::default() }
}

/// What the shared tests need to know about this backend.
#[cfg(test)]
pub(crate) mod harness {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use diesel::connection::Instrumentation;
    use diesel_async::AsyncConnection as _;

    use super::{Conn, NamedLocks, Options, pool::Backend};
    use crate::{
        target::{DatabaseUrl, Target},
        testing::TestDb,
    };

    /// Lets rows point to nothing until the connection is reset with [`FOREIGN_KEYS_ON`].
    pub(crate) const FOREIGN_KEYS_OFF: &str = "SET session_replication_role = replica";
    pub(crate) const FOREIGN_KEYS_ON: &str = "SET session_replication_role = DEFAULT";

    /// Makes a company.
    pub(crate) const A_COMPANY: &str =
        "INSERT INTO company (id, name, created_at) VALUES ('00000000-0000-7000-8000-000000000001', 'A', now())";

    /// Asks for a plan.
    pub(crate) const EXPLAIN: &str = "EXPLAIN ";
    pub(crate) type PlanSql = diesel::sql_types::Text;
    pub(crate) type PlanRow = String;

    pub(crate) fn step(row: PlanRow) -> String {
        row
    }

    /// Passes if a plan reads no table of things from end to end, and the words so often.
    pub(crate) fn check_plan(steps: &[String], looks: usize) {
        let plan = steps.join("\n");
        let words = ["search_entry_all_words_idx", "search_entry_title_words_idx"];
        assert_eq!(words.iter().map(|index| plan.matches(index).count()).sum::<usize>(), looks, "{plan}");
        for table in ["search_entry ", "task "] {
            assert!(!plan.contains(&format!("Seq Scan on {table}")), "{plan}");
        }
    }

    /// The id of the `n`th copy of the thing with the id OLD, and whether OLD is no copy.
    pub(crate) const COPY_OF: &str =
        "(lpad(to_hex(n.n), 16, '0') || substr(replace(CAST(OLD AS text), '-', ''), 17))::uuid";
    pub(crate) const WRITTEN: &str = "CAST(OLD AS text) LIKE '00000000-0000-0000-%'";

    /// Passes if a plan reads no table of things, nor the words, from end to end.
    pub(crate) fn check_no_scan(steps: &[String]) {
        let plan = steps.join("\n");
        let words = ["search_entry_all_words_idx", "search_entry_title_words_idx"];
        assert!(words.iter().any(|index| plan.contains(index)), "{plan}");
        for table in ["search_entry ", "task "] {
            assert!(!plan.contains(&format!("Seq Scan on {table}")), "{plan}");
        }
    }

    /// Has the statements of a connection watched.
    pub(crate) fn watch(conn: &mut Conn, watch: impl Instrumentation) {
        conn.set_instrumentation(watch);
    }

    /// Lets the planner know what is there, as the server does by itself in time.
    pub(crate) async fn analyze(backend: &Backend) {
        use diesel_async::SimpleAsyncConnection as _;
        let mut unit = backend.read().await.unwrap();
        unit.conn().batch_execute("VACUUM ANALYZE").await.unwrap();
    }

    /// Passes if the index agrees with its entries; here it can't be otherwise.
    #[expect(clippy::unused_async, reason = "the other backend's is")]
    pub(crate) async fn check_index(_: &Backend) {}

    pub(crate) async fn migrated() -> TestDb {
        TestDb::postgres().await
    }

    pub(crate) async fn empty() -> TestDb {
        TestDb::empty_postgres().await
    }

    pub(crate) fn backend(url: &DatabaseUrl) -> Backend {
        match url.target() {
            Target::Postgres(target) => super::open(target, NamedLocks::Advisory, &Options::default(), None),
            Target::Sqlite(_) => unreachable!("a PostgreSQL test"),
        }
    }
}
