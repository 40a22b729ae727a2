//! Opening a database.

use std::{fmt, num::NonZeroU32, time::Duration};

use crate::{
    migrate, pg, sqlite,
    target::{DatabaseUrl, Target},
    watch::Watch,
};

/// How a database is used.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Connections at most; on SQLite those that read, beside the one that writes.
    pub connections: NonZeroU32,
    /// How long a caller waits for a connection before the store counts as unavailable.
    pub wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        // INVARIANT: eight is not zero.
        let connections = const { NonZeroU32::new(8).expect("eight") };
        Self { connections, wait: Duration::from_secs(10) }
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
            Self::Index(error) => write!(f, "can't make the index for search: {error}"),
        }
    }
}

impl std::error::Error for Fault {}

impl std::error::Error for OpenError {}

/// The store on a database that is up to date.
pub struct DieselStore(pub(crate) Inner);

pub(crate) enum Inner {
    Postgres(pg::pool::Backend),
    Sqlite(sqlite::pool::Backend),
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
    let pending = migrate::pending(url).await?;
    if !pending.is_empty() {
        return Err(OpenError::new(url, Fault::Outdated(pending.len())));
    }
    Ok(DieselStore(match url.target() {
        Target::Postgres(target) => Inner::Postgres(pg::open(target, options, watch)),
        Target::Sqlite(path) => Inner::Sqlite(sqlite::open(path, options, watch)),
    }))
}
