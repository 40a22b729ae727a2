//! Which database: URLs in, credentials never out.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use diesel::ConnectionResult;
use diesel_async::AsyncPgConnection;
use tokio_postgres::{
    Client, Config, Connection, SimpleQueryMessage, Socket,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    pg::named::NamedLocks,
    tls::{self, Verify},
};

/// Where a database is. `Display` and `Debug` show no credentials.
#[derive(Clone)]
pub struct DatabaseUrl(Target);

#[derive(Clone)]
pub(crate) enum Target {
    Sqlite(PathBuf),
    Postgres(PgTarget),
}

/// A text that names no database. Shows no part of a URL, since that may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Nothing, or a scheme with nothing behind it.
    #[error("the database URL names no database")]
    Empty,
    /// SQLite's `:memory:`: each connection would have a database of its own.
    #[error("a database in memory can't be shared by several connections; name a file")]
    InMemory,
    /// Neither PostgreSQL nor SQLite.
    #[error("unknown database scheme `{0}`; use postgres:// or sqlite:")]
    Scheme(String),
    /// Not a URL as libpq knows it.
    #[error("not a valid PostgreSQL URL; are special characters in user and password percent-encoded?")]
    Postgres,
    /// A `sslmode` that is not offered.
    #[error("unsupported sslmode; use disable, prefer, require or verify-full")]
    SslMode,
    /// The certificates named by `sslrootcert` can't be used.
    #[error("can't read certificates from the file in sslrootcert")]
    RootCertificates,
}

impl DatabaseUrl {
    /// Reads `postgres://…`, `postgresql://…`, `sqlite:PATH`, `sqlite://PATH` or a bare path.
    ///
    /// PostgreSQL's `sslmode` means what libpq means by it: `prefer` (the default) and `require` encrypt without
    /// checking who is there, `verify-full` checks the certificate and the host's name, against the certificates in
    /// `sslrootcert` or else those that browsers trust.
    ///
    /// # Errors
    /// [`UrlError`] if the text names no database.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return PgTarget::parse(text).map(|target| Self(Target::Postgres(target)));
        }
        let path = match text.strip_prefix("sqlite:") {
            Some(rest) => rest.strip_prefix("//").unwrap_or(rest),
            None => match text.split_once("://") {
                Some((scheme, _)) => return Err(UrlError::Scheme(scheme.to_owned())),
                None => text,
            },
        };
        match path {
            "" => Err(UrlError::Empty),
            ":memory:" => Err(UrlError::InMemory),
            path => Ok(Self(Target::Sqlite(PathBuf::from(path)))),
        }
    }

    /// The SQLite database in this file.
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self(Target::Sqlite(path.into()))
    }

    /// The file of a SQLite database.
    pub fn sqlite_path(&self) -> Option<&Path> {
        match &self.0 {
            Target::Sqlite(path) => Some(path),
            Target::Postgres(_) => None,
        }
    }

    pub(crate) const fn target(&self) -> &Target {
        &self.0
    }
}

impl FromStr for DatabaseUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Target::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Target::Postgres(target) => target.fmt(f),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A SQLite file as Diesel takes it: a name that looks like a URI would be read as one.
pub(crate) fn sqlite_name(path: &Path) -> String {
    let name = path.to_string_lossy();
    if name.starts_with("file:") { format!("./{name}") } else { name.into_owned() }
}

/// Where the numbers begin by which the server is asked whether it locks; what follows is a process id.
const PROBES: i64 = i64::from_be_bytes(*b"chor\0\0\0\0");

/// A PostgreSQL database and how to reach it.
#[derive(Clone)]
pub(crate) struct PgTarget {
    config: Config,
    tls: MakeRustlsConnect,
}

impl PgTarget {
    fn parse(url: &str) -> Result<Self, UrlError> {
        // The driver knows neither `verify-full` nor `sslrootcert`, so these two are taken out first. Credentials come
        // before the first `@`, and may hold a question mark.
        let start = url.find('@').unwrap_or(0);
        let (base, query) = match url.get(start..).and_then(|rest| rest.find('?')) {
            Some(at) => url.split_at(start + at),
            None => (url, ""),
        };
        let (mut mode, mut roots) = (None, None);
        let mut rest = Vec::new();
        for pair in query.trim_start_matches('?').split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(decode(value).ok_or(UrlError::Postgres)?),
                _ => rest.push(pair),
            }
        }
        let url = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
        let mut config: Config = url.parse().map_err(|_| UrlError::Postgres)?;
        if config.get_hosts().is_empty() {
            return Err(UrlError::Empty);
        }
        if config.get_application_name().is_none() {
            config.application_name("chorus");
        }
        let (ssl, verify) = match mode {
            None | Some("prefer") => (SslMode::Prefer, Verify::Nothing),
            Some("disable") => (SslMode::Disable, Verify::Nothing),
            Some("require") => (SslMode::Require, Verify::Nothing),
            Some("verify-full") => (SslMode::Require, Verify::Full(roots.map(PathBuf::from))),
            Some(_) => return Err(UrlError::SslMode),
        };
        config.ssl_mode(ssl);
        let tls = tls::client(&verify).ok_or(UrlError::RootCertificates)?;
        Ok(Self { config, tls: MakeRustlsConnect::new(tls) })
    }

    /// A new connection, without anything that drives it.
    pub(crate) async fn connect_bare(
        &self,
    ) -> ConnectionResult<(Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>)> {
        let connected = self.config.connect(self.tls.clone()).await;
        connected.map_err(|error| diesel::ConnectionError::BadConnection(explain(&error)))
    }

    /// How the server, and what stands before it, treats sessions.
    ///
    /// Two connections, neither of which is used meanwhile, are asked who serves them: on a server of their own it is
    /// always the same two processes. Then both ask for the same lock, which only one may get.
    pub(crate) async fn sessions(&self) -> ConnectionResult<Sessions> {
        let (one, drives_one) = self.connect_bare().await?;
        let (two, drives_two) = self.connect_bare().await?;
        let (one_ended, two_ended) = (tokio::spawn(drives_one), tokio::spawn(drives_two));
        let mut served_by = Vec::with_capacity(4);
        for client in [&one, &two, &two, &one] {
            served_by.push(word(client, "SELECT pg_backend_pid()").await.map_err(|error| failed(&error))?);
        }
        let shared = !matches!(served_by.as_slice(), [Some(one), Some(two), Some(two_again), Some(one_again)]
            if one != two && one == one_again && two == two_again);
        let named_locks = match served_by.first() {
            Some(Some(process)) if !shared => named_locks(&one, &two, process).await?,
            _ => NamedLocks::default(),
        };
        drop((one, two));
        // Ended before anything else is begun, on a server with few connections to spare.
        let _ = tokio::join!(one_ended, two_ended);
        Ok(Sessions { shared, named_locks })
    }

    /// A new connection.
    pub(crate) async fn connect(&self) -> ConnectionResult<AsyncPgConnection> {
        let (client, connection) = self.connect_bare().await?;
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }
}

/// Whether advisory locks work between these two, whose sessions are their own. The first is served by `process`.
async fn named_locks(one: &Client, two: &Client, process: &str) -> ConnectionResult<NamedLocks> {
    // A number that no other process asks for at the same time.
    let ask = format!("SELECT pg_try_advisory_lock({PROBES} | {process}::bigint)");
    let mut got = Vec::with_capacity(2);
    for client in [one, two] {
        match word(client, &ask).await {
            Ok(word) => got.push(word),
            // There is no such function, or it says that it does nothing.
            Err(error) if error.code().is_some() => got.push(None),
            Err(error) => return Err(failed(&error)),
        }
    }
    let work = matches!(got.as_slice(), [Some(one), Some(two)] if one == "t" && two == "f");
    Ok(if work { NamedLocks::Advisory } else { NamedLocks::Rows })
}

/// How sessions are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sessions {
    /// Whether connections share them, as they do behind a pooler that hands one out for each transaction. What a session
    /// is told (settings, prepared statements, locks) would then be told to strangers.
    pub(crate) shared: bool,
    /// How what has no row is locked.
    pub(crate) named_locks: NamedLocks,
}

/// The first word of the first row of an answer.
async fn word(client: &Client, ask: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let rows = client.simple_query(ask).await?;
    Ok(rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

/// A statement failed on a connection of its own.
pub(crate) fn failed(error: &tokio_postgres::Error) -> diesel::ConnectionError {
    diesel::ConnectionError::BadConnection(explain(error))
}

/// Why a connection failed, without the names of users or databases.
fn explain(error: &tokio_postgres::Error) -> String {
    use tokio_postgres::error::SqlState;
    match error.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            "the server refused the credentials".to_owned()
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => "the server has no such database".to_owned(),
        Some(&SqlState::TOO_MANY_CONNECTIONS) => "the server has no connection to spare".to_owned(),
        Some(&SqlState::CANNOT_CONNECT_NOW) => "the server is starting up or shutting down".to_owned(),
        Some(code) => format!("the server refused the connection (SQLSTATE {})", code.code()),
        None => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{error}{cause}")
        }
    }
}

impl fmt::Display for PgTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        let ports = self.config.get_ports();
        for (i, host) in self.config.get_hosts().iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            let port = ports.get(i).or(ports.first()).map(|port| format!(":{port}")).unwrap_or_default();
            match host {
                Host::Tcp(name) if name.contains(':') => write!(f, "[{name}]{port}")?,
                Host::Tcp(name) => write!(f, "{name}{port}")?,
                #[cfg(unix)]
                Host::Unix(path) => path.display().fmt(f)?,
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

/// Undoes percent-encoding; `None` for what is none.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
    use super::*;

    fn check(text: &str, shown: &str) {
        let url: DatabaseUrl = text.parse().unwrap();
        assert_eq!(url.to_string(), shown, "{text}");
        assert_eq!(format!("{url:?}"), shown, "{text}");
    }

    #[test]
    fn every_form_is_read_and_shown_without_credentials() {
        check("chorus.db", "sqlite:chorus.db");
        check("sqlite:data/chorus.db", "sqlite:data/chorus.db");
        check("sqlite://data/chorus.db", "sqlite:data/chorus.db");
        check("sqlite:///var/lib/chorus.db", "sqlite:/var/lib/chorus.db");
        check("postgres://me:secret@db.example/chorus", "postgres://db.example:5432/chorus");
        check("postgresql://me:sec%40ret@db.example:5433/chorus?sslmode=disable", "postgres://db.example:5433/chorus");
        check("postgres://me:a?b@[::1]:1,h2:2/x?sslmode=verify-full&connect_timeout=3", "postgres://[::1]:1,h2:2/x");
        check("postgres:///x?host=/run/postgresql&user=me", "postgres:///run/postgresql/x");
    }

    #[test]
    fn what_names_no_database_is_refused_without_repeating_it() {
        for (text, error) in [
            ("", UrlError::Empty),
            ("sqlite:", UrlError::Empty),
            ("sqlite::memory:", UrlError::InMemory),
            (":memory:", UrlError::InMemory),
            ("mysql://root:secret@localhost/x", UrlError::Scheme("mysql".to_owned())),
            ("postgres://me:secret@db/x?nonsense=secret", UrlError::Postgres),
            ("postgres://me:secret@db:port/x", UrlError::Postgres),
            ("postgres://me:secret@db/x?sslmode=verify-ca", UrlError::SslMode),
            ("postgres://me:secret@db/x?sslmode=verify-full&sslrootcert=/no/secret", UrlError::RootCertificates),
        ] {
            let refused = DatabaseUrl::parse(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(!refused.to_string().contains("secret"), "{refused}");
            assert_eq!(refused, error, "{text}");
        }
    }

    #[test]
    fn the_ssl_mode_decides_about_encryption() {
        for (text, mode) in [
            ("postgres://h/x", SslMode::Prefer),
            ("postgres://h/x?sslmode=prefer", SslMode::Prefer),
            ("postgres://h/x?sslmode=disable", SslMode::Disable),
            ("postgres://h/x?sslmode=require", SslMode::Require),
            ("postgres://h/x?sslmode=verify-full", SslMode::Require),
        ] {
            assert_eq!(PgTarget::parse(text).unwrap().config.get_ssl_mode(), mode, "{text}");
        }
    }

    #[test]
    fn a_file_name_is_never_a_uri() {
        assert_eq!(sqlite_name(Path::new("file:x?mode=memory")), "./file:x?mode=memory");
        assert_eq!(sqlite_name(Path::new("/a/b.db")), "/a/b.db");
    }
}
