//! Where statements are overheard.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use chorus_store_diesel::{
    DatabaseUrl, DieselStore, Options,
    testing::{Statements, open_watched},
};
use serde::Deserialize;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use crate::{
    database::{Backend, Database, connect},
    statement::{Run, of_postgres, of_sqlite},
};

/// How long the log may be behind.
const PATIENCE: Duration = Duration::from_secs(10);

/// What hears the statements of one database.
pub(super) enum Tap {
    Sqlite { watch: Statements, heard: Vec<Vec<Run>> },
    Postgres(Log),
}

/// The log of a PostgreSQL server. It is read in one go after a round; marks in it say where each call begins and ends.
pub(super) struct Log {
    client: Client,
    database: String,
    file: String,
    /// How far it was read, in bytes.
    read: i64,
    marks: u64,
}

/// A line of the log.
#[derive(Deserialize)]
struct Entry {
    dbname: Option<String>,
    message: Option<String>,
    detail: Option<String>,
}

/// What a mark begins with.
const MARK: &str = "SELECT 'chorus-bench mark ";

impl Tap {
    /// A store on the database, and the tap on it.
    ///
    /// # Errors
    /// The database can't be opened, or its server writes no log of the kind that can be read.
    pub(super) async fn open(database: &Database) -> Result<(DieselStore, Self)> {
        let url: DatabaseUrl = database.url.parse().context("no database")?;
        match database.backend {
            Backend::Sqlite => {
                let (store, watch) = open_watched(&url).await.context("can't open the database")?;
                Ok((store, Self::Sqlite { watch, heard: Vec::new() }))
            }
            Backend::Postgres => {
                let log = Log::open(database).await?;
                let store = chorus_store_diesel::open(&url, &Options::default()).await;
                Ok((store.context("can't open the database")?, Self::Postgres(log)))
            }
        }
    }

    /// A call begins.
    pub(super) async fn begin(&mut self) -> Result<()> {
        match self {
            Self::Sqlite { watch, .. } => drop(watch.take()),
            Self::Postgres(log) => log.mark().await?,
        }
        Ok(())
    }

    /// It has ended.
    pub(super) fn end(&mut self) -> Result<()> {
        if let Self::Sqlite { watch, heard } = self {
            heard.push(watch.take().iter().map(|shown| of_sqlite(shown)).collect::<Result<_>>()?);
        }
        Ok(())
    }

    /// What each call ran since the last look.
    pub(super) async fn take(&mut self) -> Result<Vec<Vec<Run>>> {
        match self {
            Self::Sqlite { heard, .. } => Ok(std::mem::take(heard)),
            Self::Postgres(log) => log.take().await,
        }
    }

    /// Leaves the database as it was.
    pub(super) async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite { .. } => Ok(()),
            Self::Postgres(log) => log.close().await,
        }
    }
}

impl Log {
    async fn open(database: &Database) -> Result<Self> {
        let setting = connect(&database.url).await?;
        let name = &database.name;
        // Commits need not last here.
        for set in ["log_min_duration_statement = 0", "log_parameter_max_length = -1", "synchronous_commit = off"] {
            setting
                .batch_execute(&format!("ALTER DATABASE {name} SET {set}"))
                .await
                .context("can't switch the log on")?;
        }
        let client = connect(&database.url).await?;
        let row = client.query_one("SELECT pg_current_logfile('jsonlog')", &[]).await?;
        let Some(file) = row.get::<_, Option<String>>(0) else {
            bail!("PostgreSQL must log as JSON: start it with logging_collector=on and log_destination=jsonlog");
        };
        let row = client.query_one("SELECT size FROM pg_stat_file($1)", &[&file]).await?;
        Ok(Self { client, database: name.clone(), file, read: row.get(0), marks: 0 })
    }

    async fn mark(&mut self) -> Result<()> {
        self.marks += 1;
        Ok(self.client.batch_execute(&format!("{MARK}{}'", self.marks)).await?)
    }

    async fn take(&mut self) -> Result<Vec<Vec<Run>>> {
        self.mark().await?;
        let last = format!("{MARK}{}'", self.marks);
        let (began, mut text) = (Instant::now(), String::new());
        while !text.lines().rev().take(16).any(|line| line.contains(&last)) {
            if began.elapsed() > PATIENCE {
                bail!("the log of PostgreSQL does not come: {}", self.file);
            }
            sleep(Duration::from_millis(20)).await;
            let sql = "SELECT pg_read_binary_file($1, $2, 1000000000)";
            let more: Vec<u8> = self.client.query_one(sql, &[&self.file, &self.read]).await?.get(0);
            // Only whole lines.
            let whole = more.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            text.push_str(&String::from_utf8_lossy(more.get(..whole).unwrap_or_default()));
            self.read += i64::try_from(whole)?;
        }
        let mut calls: Vec<Vec<Run>> = Vec::new();
        for line in text.lines() {
            let entry: Entry = serde_json::from_str(line).with_context(|| format!("no log entry: {line}"))?;
            if entry.dbname.as_deref() != Some(&self.database) {
                continue;
            }
            let Some(sql) = entry.message.as_deref().and_then(executed) else { continue };
            if sql.starts_with(MARK) {
                calls.push(Vec::new());
            } else if let (Some(call), false) = (calls.last_mut(), of_the_tap(sql)) {
                call.push(of_postgres(sql, entry.detail.as_deref())?);
            }
        }
        // Behind the last mark there is no call.
        calls.pop();
        Ok(calls)
    }

    async fn close(self) -> Result<()> {
        self.client.batch_execute(&format!("ALTER DATABASE {} RESET ALL", self.database)).await.context("can't reset")
    }
}

/// Whether a statement is one of those with which the log is read.
fn of_the_tap(sql: &str) -> bool {
    sql.contains("pg_read_binary_file(") || sql.contains("pg_stat_file(")
}

/// The statement in `duration: 0.1 ms  execute s1: SELECT 1`, if it says that one was executed.
fn executed(message: &str) -> Option<&str> {
    let (_, what) = message.strip_prefix("duration: ")?.split_once(" ms  ")?;
    let (how, sql) = what.split_once(": ")?;
    (how == "statement" || how.starts_with("execute ")).then_some(sql)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_executed_is_read_from_the_log() {
        assert_eq!(executed("duration: 0.038 ms  execute s0: SELECT 1: 2"), Some("SELECT 1: 2"));
        assert_eq!(executed("duration: 1.0 ms  statement: COMMIT"), Some("COMMIT"));
        assert_eq!(executed("duration: 1.0 ms  bind s0: SELECT 1"), None);
        assert_eq!(executed("checkpoint complete: wrote 3 buffers"), None);
    }
}
