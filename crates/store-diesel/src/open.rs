//! Opening a database.

use std::{fmt, num::NonZeroU32, time::Duration};

use chorus_store::SLOW;

use crate::{
    bus::Bus,
    migrate,
    pg::{
        self,
        named::{NamedLocks, make_slots},
    },
    sqlite,
    target::{DatabaseUrl, PgTarget, Target},
    watch::Watch,
};

/// How a database is used.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Connections at most; on SQLite those that read, beside the one that writes.
    pub connections: NonZeroU32,
    /// How long a caller waits for a connection before the store counts as unavailable.
    pub wait: Duration,
    /// How the changes of other processes are noticed.
    pub events: Events,
    /// How long a statement may take until the log is told of it.
    pub slow: Duration,
}

/// How a process notices what others commit to the same PostgreSQL database. On SQLite it looks at the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Events {
    /// It listens, on a connection of its own, which has to be a session of the server's.
    #[default]
    Notify,
    /// It looks every second, for where a proxy in between gives each transaction another session.
    Poll,
}

impl Default for Options {
    fn default() -> Self {
        // INVARIANT: eight is not zero.
        let connections = const { NonZeroU32::new(8).expect("eight") };
        Self { connections, wait: Duration::from_secs(10), events: Events::default(), slow: SLOW }
    }
}

/// Why a database can't be opened or migrated. Its texts hold no credentials.
#[derive(Debug)]
pub struct OpenError {
    database: String,
    fault: Fault,
}

#[derive(Debug)]
pub(crate) enum Fault {
    Missing,
    Connect(diesel::ConnectionError),
    Outdated(usize),
    Newer(String),
    Migrate(Box<dyn std::error::Error + Send + Sync>),
    Copy(Box<dyn std::error::Error + Send + Sync>),
    Index(Box<dyn std::error::Error + Send + Sync>),
    Export(Box<dyn std::error::Error + Send + Sync>),
    Check(Box<dyn std::error::Error + Send + Sync>),
    SharedSessions,
}

impl OpenError {
    pub(crate) fn new(url: &DatabaseUrl, fault: Fault) -> Self {
        Self { database: url.to_string(), fault }
    }

    /// Whether migrating would help.
    pub const fn needs_migration(&self) -> bool {
        matches!(self.fault, Fault::Missing | Fault::Outdated(_))
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.database, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such database; migrating makes it"),
            Self::Connect(error) => write!(f, "can't connect: {error}"),
            Self::Outdated(count) => write!(f, "{count} migration(s) are missing; migrate it first"),
            Self::Newer(version) => {
                write!(f, "migrated by a newer version of this program (migration {version}); run that version")
            }
            Self::Migrate(error) => write!(f, "can't migrate: {error}"),
            Self::Copy(error) => write!(f, "can't be copied: {error}"),
            Self::Export(error) => write!(f, "can't be exported: {error}"),
            Self::Check(error) => write!(f, "can't be checked: {error}"),
            Self::SharedSessions => f.write_str(
                "what stands before the server gives each transaction another session (PgBouncer with pool_mode = \
                 transaction?); name the server itself, or a pool in session mode",
            ),
            Self::Index(error) => write!(f, "can't make the index for search: {error}"),
        }
    }
}

impl std::error::Error for Fault {}

impl std::error::Error for OpenError {}

/// The store on a database that is up to date.
pub struct DieselStore {
    pub(crate) inner: Inner,
    pub(crate) bus: Bus,
}

pub(crate) enum Inner {
    Postgres(pg::pool::Backend, Teller),
    Sqlite(sqlite::pool::Backend),
}

/// How changes on a PostgreSQL database are told.
pub(crate) enum Teller {
    Listens(PgTarget),
    Polls,
}

/// Opens a database. Needs the multi-thread runtime.
///
/// # Errors
/// [`OpenError`] if the database is missing, can't be reached, or its schema is older or newer than this program.
pub async fn open(url: &DatabaseUrl, options: &Options) -> Result<DieselStore, OpenError> {
    watched(url, options, None).await
}

/// The same; `watch` is told every statement.
pub(crate) async fn watched(
    url: &DatabaseUrl,
    options: &Options,
    watch: Option<&Watch>,
) -> Result<DieselStore, OpenError> {
    let looked = migrate::look(url).await?;
    if !looked.names.is_empty() {
        return Err(OpenError::new(url, Fault::Outdated(looked.names.len())));
    }
    let inner = match url.target() {
        Target::Postgres(target) => {
            let teller = match options.events {
                Events::Notify => Teller::Listens(target.clone()),
                Events::Poll => Teller::Polls,
            };
            let locks = looked.named_locks;
            if locks == NamedLocks::Rows {
                tracing::warn!("the database has no advisory locks that work; rows of a table stand for them");
                make_slots(target).await.map_err(|error| OpenError::new(url, Fault::Connect(error)))?;
            }
            Inner::Postgres(pg::open(target, locks, options, watch), teller)
        }
        Target::Sqlite(path) => Inner::Sqlite(sqlite::open(path, options, watch)),
    };
    Ok(DieselStore { inner, bus: Bus::new() })
}
