//! Throw-away databases for tests: each test has its own, migrated, and gone when it ends.
#![expect(clippy::panic, reason = "a test whose database is missing must fail, and say why")]

use std::{
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::MigrationHarness as _;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::{
    DatabaseUrl, DieselStore, OpenError, Options,
    migrate::{BoxError, POSTGRES, SQLITE, migrate},
    open,
    open::watched,
    target::{Target, sqlite_name},
    watch::Watch,
};

/// Names the PostgreSQL server for tests: the URL of a superuser. `tests/postgres` starts one.
pub const POSTGRES_URL: &str = "CHORUS_TEST_POSTGRES_URL";

/// Held while the template database is made.
const TEMPLATE_LOCK: i64 = i64::from_be_bytes(*b"chorus\0t");

/// A database of one test. Dropping it removes it.
pub struct TestDb {
    url: DatabaseUrl,
    text: String,
    keep: Keep,
}

/// The statements that a store runs.
pub struct Statements(Watch);

impl Statements {
    /// Those since the last look, in their order, each with what it binds.
    pub fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

enum Keep {
    Folder { _folder: TempDir },
    Server { admin: String, name: String },
}

impl TestDb {
    /// A migrated SQLite database.
    ///
    /// # Panics
    /// If it can't be made.
    pub async fn sqlite() -> Self {
        let db = Self::empty_sqlite();
        db.migrate().await;
        db
    }

    /// A migrated PostgreSQL database, copied from a template that the first test makes.
    ///
    /// # Panics
    /// If [`POSTGRES_URL`] is not set or its server does not answer: a test is never skipped for that.
    pub async fn postgres() -> Self {
        let admin = admin_url();
        let template = template(&admin).await;
        Self::on_server(admin, &format!(" TEMPLATE {template}")).await
    }

    /// A SQLite database that does not exist yet.
    ///
    /// # Panics
    /// If no folder can be made for it.
    pub fn empty_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder for a test database: {error}"));
        let text = format!("sqlite:{}", folder.path().join("chorus.db").display());
        Self { url: parse(&text), text, keep: Keep::Folder { _folder: folder } }
    }

    /// A PostgreSQL database without tables.
    ///
    /// # Panics
    /// As [`TestDb::postgres`].
    pub async fn empty_postgres() -> Self {
        Self::on_server(admin_url(), "").await
    }

    /// A migrated database on another PostgreSQL server, named by the URL of a superuser.
    ///
    /// # Panics
    /// If the server does not answer, or the database can't be made.
    pub async fn postgres_on(admin: &str) -> Self {
        let db = Self::on_server(admin.to_owned(), "").await;
        db.migrate().await;
        db
    }

    async fn on_server(admin: String, options: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_micros());
        let name = format!("chorus_test_{}_{}_{now}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        execute(&connect(&admin).await, &format!("CREATE DATABASE {name}{options}")).await;
        let text = with_database(&admin, &name);
        Self { url: parse(&text), text, keep: Keep::Server { admin, name } }
    }

    /// Where it is.
    pub const fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    /// The same as text, credentials included, for a process to be started.
    pub fn url_text(&self) -> &str {
        &self.text
    }

    /// Brings the schema up to date.
    ///
    /// # Panics
    /// If that fails.
    pub async fn migrate(&self) {
        migrate(&self.url).await.map(drop).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Takes the newest migration back, as if this were a database of the release before it; says its version.
    ///
    /// # Panics
    /// If that fails.
    pub async fn revert(&self) -> String {
        let done = match self.url.target() {
            Target::Sqlite(path) => SqliteConnection::establish(&sqlite_name(path))
                .map_err(BoxError::from)
                .and_then(|mut conn| conn.revert_last_migration(SQLITE).map(|version| version.to_string())),
            Target::Postgres(target) => {
                let conn = target.connect().await.unwrap_or_else(|error| panic!("{error}"));
                let mut conn = AsyncConnectionWrapper::<AsyncPgConnection>::from(conn);
                let revert = move || conn.revert_last_migration(POSTGRES).map(|version| version.to_string());
                tokio::task::spawn_blocking(revert).await.unwrap_or_else(|error| Err(error.into()))
            }
        };
        done.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The store on it.
    ///
    /// # Panics
    /// If it can't be opened.
    pub async fn open(&self) -> DieselStore {
        open(&self.url, &Options::default()).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, watched.
    ///
    /// # Panics
    /// As [`TestDb::open`].
    pub async fn open_watched(&self) -> (DieselStore, Statements) {
        open_watched(&self.url).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The text column `line` of what a query finds: for tests of rows that the store only writes.
    ///
    /// # Panics
    /// If the query fails.
    pub async fn lines(&self, query: &str) -> Vec<String> {
        if let Keep::Server { .. } = &self.keep {
            let rows = connect(&self.text).await.query(query, &[]).await;
            return rows.unwrap_or_else(|error| panic!("{query}: {error}")).iter().map(|row| row.get(0)).collect();
        }
        let path = self.text.trim_start_matches("sqlite:");
        let rows = SqliteConnection::establish(path).map_err(|error| error.to_string()).and_then(|mut connection| {
            sql_query(query).load::<Line>(&mut connection).map_err(|error| error.to_string())
        });
        rows.unwrap_or_else(|error| panic!("{query}: {error}")).into_iter().map(|row| row.line).collect()
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let Keep::Server { admin, name } = &self.keep else { return };
        let (admin, name) = (admin.clone(), name.clone());
        // A runtime of its own: the test's may be shutting down. What can't be removed goes with the server.
        let done = std::thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                let _ = connect(&admin).await.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
            });
        });
        let _ = done.join();
    }
}

/// A store on any database, and the statements that it runs.
///
/// # Errors
/// As [`open`].
pub async fn open_watched(url: &DatabaseUrl) -> Result<(DieselStore, Statements), OpenError> {
    let watch = Watch::default();
    let store = watched(url, &Options::default(), Some(&watch)).await?;
    Ok((store, Statements(watch)))
}

/// Runs a statement on the PostgreSQL database of this URL, to its end.
///
/// # Panics
/// If it fails.
pub async fn run_on_postgres(url: &str, sql: &str) {
    execute(&connect(url).await, sql).await;
}

fn parse(text: &str) -> DatabaseUrl {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn admin_url() -> String {
    std::env::var(POSTGRES_URL).unwrap_or_else(|_| {
        panic!("{POSTGRES_URL} is not set; start a server with `tests/postgres start` and set it to the URL it prints")
    })
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .unwrap_or_else(|error| panic!("the server named by {POSTGRES_URL} does not answer: {error}"));
    tokio::spawn(connection);
    client
}

async fn execute(client: &Client, sql: &str) {
    client.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// The name of the migrated database that others are copied from. Whoever comes first makes it; it is named after the
/// migrations, so that one from before a change is never used.
async fn template(admin: &str) -> String {
    let name = concat!("chorus_template_", env!("CHORUS_MIGRATIONS_HASH"));
    let client = connect(admin).await;
    execute(&client, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    let found = client.query("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]).await;
    if found.unwrap_or_else(|error| panic!("{error}")).is_empty() {
        let draft = format!("{name}_draft");
        execute(&client, &format!("DROP DATABASE IF EXISTS {draft} WITH (FORCE)")).await;
        execute(&client, &format!("CREATE DATABASE {draft}")).await;
        migrate(&parse(&with_database(admin, &draft))).await.map(drop).unwrap_or_else(|error| panic!("{error}"));
        // The connection that migrated may take a moment to go away.
        for _ in 0..100 {
            if client.batch_execute(&format!("ALTER DATABASE {draft} RENAME TO {name}")).await.is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    // The lock ends with the connection.
    name.to_owned()
}

/// The URL with another database in it.
fn with_database(url: &str, name: &str) -> String {
    let (base, query) = url.find('?').map_or((url, ""), |at| url.split_at(at));
    let server = base.rsplit_once('/').map_or(base, |(server, _)| server);
    format!("{server}/{name}{query}")
}
