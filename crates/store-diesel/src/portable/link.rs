//! A connection of either kind, as exporting and importing need it.

use std::ops::ControlFlow;

use diesel::{
    Connection as _, QueryResult, QueryableByName, RunQueryDsl as _, SqliteConnection,
    connection::{DefaultLoadingMode, SimpleConnection as _},
    sql_types::Text,
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};

use super::dialect::Dialect;
use crate::{
    open::Fault,
    target::{Target, sqlite_name},
};

/// A blocking connection.
pub(super) trait Link {
    /// Runs statements that answer nothing.
    fn run(&mut self, sql: &str) -> QueryResult<()>;

    /// Gives the column `line` of each row to `each` as it arrives, until that has enough.
    fn lines(&mut self, sql: &str, each: &mut dyn FnMut(String) -> ControlFlow<()>) -> QueryResult<()>;

    /// The column `line` of every row.
    fn all_lines(&mut self, sql: &str) -> QueryResult<Vec<String>> {
        let mut found = Vec::new();
        self.lines(sql, &mut |line| {
            found.push(line);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// Runs a statement with a text bound to it; says how many rows it concerned.
    fn put(&mut self, sql: &str, text: &str) -> QueryResult<usize>;
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    line: String,
}

macro_rules! link {
    ($connection:ty) => {
        impl Link for $connection {
            fn run(&mut self, sql: &str) -> QueryResult<()> {
                self.batch_execute(sql)
            }

            fn lines(&mut self, sql: &str, each: &mut dyn FnMut(String) -> ControlFlow<()>) -> QueryResult<()> {
                for row in diesel::sql_query(sql).load_iter::<Row, DefaultLoadingMode>(self)? {
                    if each(row?.line).is_break() {
                        break;
                    }
                }
                Ok(())
            }

            fn put(&mut self, sql: &str, text: &str) -> QueryResult<usize> {
                diesel::sql_query(sql).bind::<Text, _>(text).execute(self)
            }
        }
    };
}

link!(SqliteConnection);
link!(AsyncConnectionWrapper<AsyncPgConnection>);

/// What opens a connection on a thread that may block.
pub(super) type Opener = Box<dyn FnOnce() -> Result<(Box<dyn Link>, Dialect), Fault> + Send>;

/// Prepares a connection to `target`.
pub(super) async fn opener(target: &Target) -> Result<Opener, Fault> {
    Ok(match target {
        Target::Sqlite(path) => {
            let name = sqlite_name(path);
            Box::new(move || {
                let mut conn = SqliteConnection::establish(&name).map_err(Fault::Connect)?;
                let settings = "PRAGMA busy_timeout = 60000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL";
                conn.batch_execute(settings).map_err(|error| Fault::Export(error.into()))?;
                Ok((Box::new(conn) as Box<dyn Link>, Dialect::Sqlite))
            })
        }
        Target::Postgres(target) => {
            let conn = target.connect().await.map_err(Fault::Connect)?;
            Box::new(move || {
                let conn = AsyncConnectionWrapper::<AsyncPgConnection>::from(conn);
                Ok((Box::new(conn) as Box<dyn Link>, Dialect::Postgres))
            })
        }
    })
}

/// Beginning a transaction that sees one moment throughout.
pub(super) const fn snapshot(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "BEGIN",
        Dialect::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    }
}

/// Beginning a transaction in which nobody else makes the first rows.
pub(super) const fn alone(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "BEGIN IMMEDIATE",
        Dialect::Postgres => "BEGIN; LOCK TABLE company IN EXCLUSIVE MODE",
    }
}
