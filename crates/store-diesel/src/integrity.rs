//! Whether a database is what it was on its disk.

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::Text,
};
use tokio_postgres::Client;

use crate::{
    migrate::BoxError,
    open::{Fault, OpenError},
    target::{DatabaseUrl, PgTarget, Target, sqlite_name},
};

/// Most kinds of damage that are named.
const NAMED: usize = 20;

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// What is broken on the disk of a database. Of a SQLite database the whole file is read: pages that are no pages, indexes
/// that lack rows. Of a PostgreSQL database every row is read, and tables are named that can't be; `pg_amcheck` looks
/// closer.
///
/// # Errors
/// [`OpenError`] if it can't be read at all.
pub async fn damage(url: &DatabaseUrl) -> Result<Vec<String>, OpenError> {
    let found = match url.target() {
        Target::Sqlite(path) => {
            let name = sqlite_name(path);
            tokio::task::spawn_blocking(move || look(&name)).await.unwrap_or_else(|error| Err(error.into()))
        }
        Target::Postgres(target) => unreadable(target).await,
    };
    found.map_err(|error| OpenError::new(url, Fault::Check(error)))
}

fn look(name: &str) -> Result<Vec<String>, BoxError> {
    let mut conn = SqliteConnection::establish(name)?;
    conn.batch_execute("PRAGMA busy_timeout = 60000; PRAGMA query_only = ON")?;
    let look = format!("PRAGMA integrity_check({NAMED})");
    match diesel::sql_query(look).load::<Finding>(&mut conn) {
        // A check can founder on what it looks for.
        Err(error) if error.to_string().contains("malformed") => Ok(vec![error.to_string()]),
        Err(error) => Err(error.into()),
        Ok(found) => {
            let lines =
                found.into_iter().flat_map(|finding| lines(&finding.integrity_check)).filter(|line| line != "ok");
            Ok(lines.take(NAMED).collect())
        }
    }
}

async fn unreadable(target: &PgTarget) -> Result<Vec<String>, BoxError> {
    let (client, drives) = target.connect_bare().await?;
    let ended = tokio::spawn(drives);
    let found = read_tables(&client).await;
    drop(client);
    let _ = ended.await;
    Ok(found?)
}

/// Reads every row, long values too, and says which tables the server can't read.
async fn read_tables(client: &Client) -> Result<Vec<String>, tokio_postgres::Error> {
    const TABLES: &str =
        "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";
    let mut found = Vec::new();
    for row in client.query(TABLES, &[]).await? {
        let table: &str = row.try_get(0)?;
        match client.batch_execute(&format!("SELECT count(x::text) FROM {table} x")).await {
            Ok(()) => {}
            Err(error) => match error.as_db_error() {
                Some(said) => found.push(format!("{table}: {}", said.message())),
                None => return Err(error),
            },
        }
    }
    found.truncate(NAMED);
    Ok(found)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_matches(['*', ' ']).to_owned()).filter(|line| !line.is_empty()).collect()
}
