//! PostgreSQL by `tokio-postgres`: prepared statements over as many connections as the product has.

use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use bytes::BytesMut;
use tokio::sync::Semaphore;
use tokio_postgres::{
    Client, Statement,
    types::{Format, IsNull, ToSql, Type},
};
use uuid::Uuid;

use super::replay::{Bound, Replay, Turn, check_written, start};
use crate::{database::connect, plan::CONNECTIONS, statement::Value};

/// What the product's connections set too.
const SESSION: &str = "SET jit = off";

pub(super) struct Driver {
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

struct Connection {
    client: Client,
    prepared: HashMap<String, Statement>,
}

impl Driver {
    /// On the database of this URL.
    pub(super) async fn open(url: &str) -> Result<Self> {
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS {
            let client = connect(url).await?;
            client.batch_execute(SESSION).await.context("can't set the connection up")?;
            idle.push(Connection { client, prepared: HashMap::new() });
        }
        Ok(Self { turns: Semaphore::new(CONNECTIONS), idle: Mutex::new(idle) })
    }

    /// Runs what a replay has to; to its end, also if whoever asked is gone.
    pub(super) async fn run(self: Arc<Self>, replay: Arc<Replay>) -> Result<()> {
        let work = async move {
            let _turn = self.turns.acquire().await.context("no more turns")?;
            let mut connection = self.idle().pop().context("a turn without a connection")?;
            let done = connection.run(&replay).await;
            self.idle().push(connection);
            done
        };
        tokio::spawn(work).await.context("a replay broke off")?
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    async fn run(&mut self, replay: &Replay) -> Result<()> {
        for turn in replay.turns() {
            match turn {
                Turn::Read(statements) => {
                    for statement in &statements {
                        self.execute(statement).await?;
                    }
                }
                Turn::Write(statements) => {
                    self.client.batch_execute("BEGIN").await?;
                    let written = self.write(&statements).await;
                    self.client.batch_execute(if written.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
                    written?;
                }
            }
        }
        Ok(())
    }

    async fn write(&mut self, statements: &[Bound<'_>]) -> Result<()> {
        for statement in statements {
            let rows = self.execute(statement).await?;
            check_written(statement.sql, rows)?;
        }
        Ok(())
    }

    /// Runs a statement to its end; says how many rows it found or wrote.
    async fn execute(&mut self, bound: &Bound<'_>) -> Result<u64> {
        if !self.prepared.contains_key(bound.sql) {
            let statement =
                self.prepare(bound).await.with_context(|| format!("can't prepare: {}", start(bound.sql)))?;
            self.prepared.insert(bound.sql.to_owned(), statement);
        }
        let statement = self.prepared.get(bound.sql).context("it was prepared")?;
        let values: Vec<Text<'_>> = bound.values.iter().map(Text).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let ran = if statement.columns().is_empty() {
            self.client.execute(statement, &values).await
        } else {
            self.client.query(statement, &values).await.map(|rows| u64::try_from(rows.len()).unwrap_or(u64::MAX))
        };
        ran.with_context(|| format!("can't run: {}", start(bound.sql)))
    }

    /// Leaves it to the server to find out the types. Where it can't, as in a list of bare values, it is told which are ids.
    async fn prepare(&self, bound: &Bound<'_>) -> Result<Statement, tokio_postgres::Error> {
        let of = |value: &Value| match value {
            Value::Text(text) if Uuid::try_parse(text).is_ok() => Type::UUID,
            _ => Type::UNKNOWN,
        };
        match self.client.prepare(bound.sql).await {
            Err(error) if error.as_db_error().is_some() => {
                self.client.prepare_typed(bound.sql, &bound.values.iter().map(of).collect::<Vec<_>>()).await
            }
            prepared => prepared,
        }
    }
}

/// A value as the server's log writes it, which it reads as well.
#[derive(Debug)]
struct Text<'a>(&'a Value);

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            other => Err(format!("not from PostgreSQL's log: {other:?}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}
