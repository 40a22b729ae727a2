//! Bringing a schema up to date, and saying how far it is.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use chorus_domain::search::WORDS_VERSION;
use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    pg::Pg,
    sql_types::{BigInt, Bool},
    sqlite::Sqlite,
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{
    open::{Fault, OpenError, Options},
    pg::{
        self,
        named::{NamedLocks, make_slots, slot},
    },
    sqlite,
    target::{DatabaseUrl, Target, sqlite_name},
};

mod kept;

pub(crate) const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
pub(crate) const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The number of the lock that migrating processes of this program share: its name in ASCII.
const LOCK: i64 = i64::from_be_bytes(*b"chorus\0\x01");

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What migrating did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The names of the migrations that were applied, oldest first.
    pub applied: Vec<String>,
    /// Where a SQLite database is kept as it was before them, if there was one.
    pub kept: Option<PathBuf>,
}

/// Applies what is missing. Several processes may do this at once: one does the work, the others wait for it. On SQLite the
/// file is made if it is not there; if it is, a copy of it is kept, and the migration is undone if afterwards a table has
/// more or fewer rows than before.
///
/// # Errors
/// [`OpenError`] if the database can't be reached, was migrated by a newer version, or refuses a migration, or no copy of
/// it can be made.
pub async fn migrate(url: &DatabaseUrl) -> Result<Migrated, OpenError> {
    let done = run(url, Task::Migrate { until: usize::MAX, keep: true }).await?;
    if done.stale_words {
        reindex(url).await?;
    }
    Ok(Migrated { applied: done.names, kept: done.kept })
}

/// Applies what is missing of the first `until` migrations to a database that holds nothing worth a copy; the index for
/// search is left as it is.
pub(crate) async fn migrate_until(url: &DatabaseUrl, until: usize) -> Result<(), OpenError> {
    run(url, Task::Migrate { until, keep: false }).await.map(drop)
}

/// Makes the index of words for search anew; says how many things are in it. Others may work meanwhile. Needs the
/// multi-thread runtime.
///
/// # Errors
/// [`OpenError`] if the database can't be reached or is not up to date, or a statement fails.
pub async fn reindex(url: &DatabaseUrl) -> Result<u64, OpenError> {
    let looked = look(url).await?;
    if !looked.names.is_empty() {
        return Err(OpenError::new(url, Fault::Outdated(looked.names.len())));
    }
    let options = Options::default();
    let indexed = match url.target() {
        Target::Sqlite(path) => sqlite::search_index::reindex(&sqlite::open(path, &options, None)).await,
        Target::Postgres(target) => {
            pg::search_index::reindex(&pg::open(target, looked.named_locks, &options, None)).await
        }
    };
    indexed.map_err(|error| OpenError::new(url, Fault::Index(Box::new(error))))
}

/// The names of migrations that a database lacks, oldest first. Changes nothing.
///
/// # Errors
/// [`OpenError`] if the database is missing, can't be reached, or was migrated by a newer version.
pub async fn pending(url: &DatabaseUrl) -> Result<Vec<String>, OpenError> {
    Ok(look(url).await?.names)
}

/// What a database lacks, and how it locks. Changes nothing.
pub(crate) async fn look(url: &DatabaseUrl) -> Result<Done, OpenError> {
    run(url, Task::Look).await
}

/// The names of all migrations that this program knows, oldest first: what a schema is called.
pub(crate) fn known() -> Result<Vec<String>, BoxError> {
    let mut all: Migrations<Sqlite> = SQLITE.migrations()?;
    all.sort_by(|a, b| a.name().version().cmp(&b.name().version()));
    Ok(names_of(&all))
}

/// What a task found or did.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Migrations.
    pub(crate) names: Vec<String>,
    /// How a PostgreSQL server locks what has no row.
    pub(crate) named_locks: NamedLocks,
    /// The copy.
    kept: Option<PathBuf>,
    /// Whether there are things whose words another version of this program has cut, or none.
    stale_words: bool,
}

#[derive(Clone, Copy)]
enum Task {
    Look,
    Migrate {
        /// How many of all migrations there shall be at most.
        until: usize,
        /// Whether a copy is kept.
        keep: bool,
    },
}

/// Diesel migrates through blocking connections, so this happens on a thread that may block.
async fn run(url: &DatabaseUrl, task: Task) -> Result<Done, OpenError> {
    let work: Box<dyn FnOnce() -> Result<Done, BoxError> + Send> = match url.target() {
        Target::Sqlite(path) => {
            if matches!(task, Task::Look) && !path.exists() {
                return Err(OpenError::new(url, Fault::Missing));
            }
            let path = path.clone();
            Box::new(move || on_sqlite(&path, task).map_err(|error| explained(&path, error)))
        }
        Target::Postgres(target) => {
            let fail = |error| OpenError::new(url, Fault::Connect(error));
            let sessions = target.sessions().await.map_err(fail)?;
            if sessions.shared {
                return Err(OpenError::new(url, Fault::SharedSessions));
            }
            // Connections of its own, whatever the pools hold. They are let go at the end, and the lock with them.
            let conn = target.connect().await.map_err(fail)?;
            let lock = match (task, sessions.named_locks) {
                (Task::Look, _) => Lock::None,
                (Task::Migrate { .. }, NamedLocks::Advisory) => Lock::Session,
                (Task::Migrate { .. }, NamedLocks::Rows) => {
                    make_slots(target).await.map_err(fail)?;
                    Lock::Row(target.connect().await.map_err(fail)?)
                }
            };
            Box::new(move || Ok(Done { named_locks: sessions.named_locks, ..on_postgres(conn, lock, task)? }))
        }
    };
    let fault = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(error)) => error.downcast::<Fault>().map_or_else(Fault::Migrate, |fault| *fault),
        Err(error) => Fault::Migrate(error.into()),
    };
    Err(OpenError::new(url, fault))
}

/// What keeps others from migrating at the same time.
enum Lock {
    /// Nothing: the schema is only looked at.
    None,
    /// An advisory lock of the connection that migrates.
    Session,
    /// A row that stands for it, held by a transaction on this connection beside those of the migrations.
    Row(AsyncPgConnection),
}

fn on_postgres(conn: AsyncPgConnection, lock: Lock, task: Task) -> Result<Done, BoxError> {
    const EXISTS: &str = "to_regclass('__diesel_schema_migrations') IS NOT NULL";
    let mut conn = AsyncConnectionWrapper::<AsyncPgConnection>::from(conn);
    let _held = match lock {
        Lock::None => None,
        Lock::Session => {
            diesel::sql_query("SELECT pg_advisory_lock($1)").bind::<BigInt, _>(LOCK).execute(&mut conn)?;
            None
        }
        Lock::Row(holds) => {
            let mut holds = AsyncConnectionWrapper::<AsyncPgConnection>::from(holds);
            let row = slot(LOCK);
            holds.batch_execute(&format!("BEGIN; SELECT id FROM lock_slot WHERE id = {row} FOR UPDATE"))?;
            Some(holds)
        }
    };
    Ok(match task {
        Task::Look => looked(&missing::<Pg, _>(&mut conn, &POSTGRES, EXISTS)?),
        Task::Migrate { until, .. } => apply::<Pg, _>(&mut conn, &POSTGRES, EXISTS, until)?,
    })
}

fn on_sqlite(path: &Path, task: Task) -> Result<Done, BoxError> {
    const EXISTS: &str = "EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '__diesel_schema_migrations')";
    if matches!(task, Task::Migrate { .. }) {
        create(path)?;
    }
    let mut conn = SqliteConnection::establish(&sqlite_name(path)).map_err(Fault::Connect)?;
    // Another process may be migrating: wait for it. Foreign keys stay off (SQLite's default), as changing a table means
    // to build it anew; they are checked before the commit instead.
    conn.batch_execute("PRAGMA busy_timeout = 60000; PRAGMA synchronous = FULL")?;
    match task {
        Task::Look => Ok(looked(&missing::<Sqlite, _>(&mut conn, &SQLITE, EXISTS)?)),
        Task::Migrate { until, keep } => {
            write_ahead(&mut conn)?;
            let missing = missing::<Sqlite, _>(&mut conn, &SQLITE, EXISTS)?;
            let kept = match missing.first() {
                Some(first) if keep && kept::is_used(&mut conn)? => {
                    Some(kept::keep(&mut conn, path, &first.name().version().to_string())?)
                }
                _ => None,
            };
            conn.immediate_transaction(|conn| {
                let before = if missing.is_empty() { BTreeMap::new() } else { kept::count(conn)? };
                let done = apply::<Sqlite, _>(conn, &SQLITE, EXISTS, until)?;
                // Both read all that there is: not at every start.
                if !done.names.is_empty() {
                    kept::compare(&before, conn)?;
                    let broken = "SELECT EXISTS (SELECT 1 FROM pragma_foreign_key_check) AS yes";
                    if diesel::sql_query(broken).get_result::<Answer>(conn)?.yes {
                        return Err("a migration left rows that point to nothing".into());
                    }
                }
                Ok(Done { kept, ..done })
            })
        }
    }
}

/// Makes the file readable for its owner only: it holds hashes of passwords and keys. SQLite gives its side files the
/// same rights. A file that is there has to be one that may be written: SQLite would open it all the same, and then refuse
/// every write.
fn create(path: &Path) -> Result<(), Fault> {
    let fail = |text| Fault::Connect(diesel::ConnectionError::BadConnection(text));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let opened = std::fs::OpenOptions::new().append(true).open(path);
            opened.map(drop).map_err(|error| fail(format!("the file may not be written: {error}")))
        }
        Err(error) => Err(fail(error.to_string())),
    }
}

/// Switches the file to write-ahead logging, which lasts. The switch does not wait for another connection that does the
/// same, whatever the time-out says.
fn write_ahead(conn: &mut SqliteConnection) -> diesel::QueryResult<()> {
    let mut tries = 0;
    loop {
        match conn.batch_execute("PRAGMA journal_mode = WAL") {
            Err(error) if tries < 200 && error.to_string().contains("database is locked") => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(25));
            }
            done => return done,
        }
    }
}

/// What SQLite means: it calls a file read-only that it may not make its log beside, and a full disk a broken one where it
/// is the log's index that has no room.
fn explained(path: &Path, error: BoxError) -> BoxError {
    match error.to_string().as_str() {
        "attempt to write a readonly database" => {}
        text @ "disk I/O error" => return format!("{text}; is the disk full, or broken?").into(),
        _ => return error,
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    format!("in the folder {} no files may be made, and SQLite keeps its log beside the database", folder.display())
        .into()
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    yes: bool,
}

type Migrations<DB> = Vec<Box<dyn Migration<DB>>>;

/// What the database lacks, without writing to it; `exists` asks whether it keeps a list at all.
fn missing<DB, C>(conn: &mut C, all: &EmbeddedMigrations, exists: &str) -> Result<Migrations<DB>, BoxError>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB> + Ask,
    EmbeddedMigrations: MigrationSource<DB>,
{
    let applied = if conn.ask(exists)? { conn.applied_migrations()? } else { Vec::new() };
    let mut known = all.migrations()?;
    for version in &applied {
        if !known.iter().any(|migration| migration.name().version() == *version) {
            return Err(Box::new(Fault::Newer(version.to_string())));
        }
    }
    known.retain(|migration| !applied.contains(&migration.name().version()));
    known.sort_by(|a, b| a.name().version().cmp(&b.name().version()));
    Ok(known)
}

fn apply<DB, C>(conn: &mut C, all: &EmbeddedMigrations, exists: &str, until: usize) -> Result<Done, BoxError>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB> + Ask,
    EmbeddedMigrations: MigrationSource<DB>,
{
    let mut missing = missing(conn, all, exists)?;
    let there = all.migrations()?.len() - missing.len();
    missing.truncate(until.saturating_sub(there));
    if !missing.is_empty() {
        conn.applied_migrations()?; // makes the list if there is none
    }
    for migration in &missing {
        conn.run_migration(migration.as_ref()).map_err(|error| format!("{}: {error}", migration.name()))?;
    }
    if until < usize::MAX {
        return Ok(Done { names: names_of(&missing), ..Done::default() });
    }
    let stale = format!("EXISTS (SELECT 1 FROM search_state WHERE words_version <> {WORDS_VERSION})");
    let stale_words = conn.ask(&format!("{stale} AND EXISTS (SELECT 1 FROM company)"))?;
    if !stale_words && conn.ask(&stale)? {
        // Nothing is there that has words.
        conn.tell(&format!("UPDATE search_state SET words_version = {WORDS_VERSION}"))?;
    }
    Ok(Done { names: names_of(&missing), stale_words, ..Done::default() })
}

fn looked<DB: diesel::backend::Backend>(missing: &Migrations<DB>) -> Done {
    Done { names: names_of(missing), ..Done::default() }
}

fn names_of<DB: diesel::backend::Backend>(migrations: &Migrations<DB>) -> Vec<String> {
    migrations.iter().map(|migration| migration.name().to_string()).collect()
}

/// A question with a yes or no, as SQL expression; and what follows from it.
trait Ask {
    fn ask(&mut self, question: &str) -> diesel::QueryResult<bool>;

    /// Runs a statement.
    fn tell(&mut self, statement: &str) -> diesel::QueryResult<usize>;
}

impl Ask for SqliteConnection {
    fn ask(&mut self, question: &str) -> diesel::QueryResult<bool> {
        diesel::sql_query(format!("SELECT {question} AS yes")).get_result::<Answer>(self).map(|answer| answer.yes)
    }
    fn tell(&mut self, statement: &str) -> diesel::QueryResult<usize> {
        diesel::sql_query(statement).execute(self)
    }
}

impl Ask for AsyncConnectionWrapper<AsyncPgConnection> {
    fn ask(&mut self, question: &str) -> diesel::QueryResult<bool> {
        diesel::sql_query(format!("SELECT {question} AS yes")).get_result::<Answer>(self).map(|answer| answer.yes)
    }
    fn tell(&mut self, statement: &str) -> diesel::QueryResult<usize> {
        diesel::sql_query(statement).execute(self)
    }
}
