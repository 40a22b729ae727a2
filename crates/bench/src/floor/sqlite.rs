//! SQLite by `rusqlite`: a connection for each thread that reads, and one thread that writes what waits in one durable
//! transaction.

use std::{
    cell::RefCell,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use anyhow::{Context as _, Result, anyhow};
use rusqlite::{Connection, params_from_iter, types::ValueRef};
use tokio::sync::oneshot;

use super::replay::{Bound, Replay, Turn, check_written, start};
use crate::statement::Value;

/// What the product's connections set too.
const SESSION: &str =
    "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL";

/// Statements that a connection keeps prepared; more than there are.
const PREPARED: usize = 512;

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

/// A statement that belongs to nobody.
struct Owned {
    sql: String,
    values: Vec<Value>,
}

/// A transaction that waits, and who waits for it.
struct Job {
    statements: Vec<Owned>,
    done: oneshot::Sender<Result<()>>,
}

pub(super) struct Driver {
    file: String,
    writer: Sender<Job>,
}

impl Driver {
    /// On this file.
    pub(super) fn open(file: &str) -> Result<Self> {
        let connection = open(file, SESSION)?;
        let (writer, jobs) = channel();
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || write(&connection, &jobs))
            .context("no thread")?;
        Ok(Self { file: file.to_owned(), writer })
    }

    /// Runs what a replay has to.
    pub(super) async fn run(&self, replay: &Replay) -> Result<()> {
        for turn in replay.turns() {
            match turn {
                Turn::Read(statements) => self.read(&statements)?,
                Turn::Write(statements) => self.write(statements).await?,
            }
        }
        Ok(())
    }

    fn read(&self, statements: &[Bound<'_>]) -> Result<()> {
        READER.with_borrow_mut(|reader| {
            if reader.is_none() {
                *reader = Some(open(&self.file, &format!("{SESSION}; PRAGMA query_only = ON"))?);
            }
            let reader = reader.as_ref().context("a reader has its connection")?;
            statements.iter().try_for_each(|statement| run(reader, statement.sql, &statement.values).map(drop))
        })
    }

    async fn write(&self, statements: Vec<Bound<'_>>) -> Result<()> {
        let owned = statements.into_iter().map(|bound| Owned { sql: bound.sql.to_owned(), values: bound.values });
        let (done, told) = oneshot::channel();
        let job = Job { statements: owned.collect(), done };
        self.writer.send(job).map_err(|_| anyhow!("the writer is gone"))?;
        told.await.context("the writer is gone")?
    }
}

fn open(file: &str, session: &str) -> Result<Connection> {
    let connection = Connection::open(file).with_context(|| format!("can't open {file}"))?;
    connection.execute_batch(session).context("can't set the connection up")?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    Ok(connection)
}

/// Runs a statement to its end and looks at everything that it finds; says how many rows those were, or it wrote.
fn run(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql).with_context(|| format!("can't prepare: {}", start(sql)))?;
    let values = params_from_iter(values.iter().map(as_sql));
    if statement.column_count() == 0 {
        let rows = statement.execute(values).with_context(|| format!("can't run: {}", start(sql)))?;
        return Ok(u64::try_from(rows)?);
    }
    let columns = statement.column_count();
    let mut rows = statement.query(values).with_context(|| format!("can't run: {}", start(sql)))?;
    let mut found = 0;
    while let Some(row) = rows.next().with_context(|| format!("can't read: {}", start(sql)))? {
        for column in 0..columns {
            std::hint::black_box(row.get_ref(column)?);
        }
        found += 1;
    }
    Ok(found)
}

fn as_sql(value: &Value) -> rusqlite::types::ToSqlOutput<'_> {
    rusqlite::types::ToSqlOutput::Borrowed(match value {
        Value::Null => ValueRef::Null,
        Value::Integer(number) => ValueRef::Integer(*number),
        Value::Real(number) => ValueRef::Real(*number),
        Value::Text(text) => ValueRef::Text(text.as_bytes()),
        Value::Blob(bytes) => ValueRef::Blob(bytes),
    })
}

/// Writes whatever waits, as many as there are in one transaction, and tells all once it is durable.
fn write(connection: &Connection, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        let begun = connection.execute_batch("BEGIN IMMEDIATE").context("can't begin");
        let mut written = begun;
        let mut at = 0;
        while let Some(job) = group.get(at) {
            written = written.and_then(|()| write_one(connection, job));
            at += 1;
            group.extend(jobs.try_recv());
        }
        let ended = if written.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = connection.execute_batch(ended).context("can't end a transaction");
        let said = written.and(ended).map_err(|error| format!("{error:#}"));
        for job in group {
            // Whoever has gone needs no word.
            let _ = job.done.send(said.clone().map_err(|error| anyhow!(error)));
        }
    }
}

fn write_one(connection: &Connection, job: &Job) -> Result<()> {
    job.statements.iter().try_for_each(|statement| {
        let rows = run(connection, &statement.sql, &statement.values)?;
        check_written(&statement.sql, rows)
    })
}
