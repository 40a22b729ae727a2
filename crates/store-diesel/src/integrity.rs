//! Whether a file is the database that it was.

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::Text,
};

use crate::{
    migrate::BoxError,
    open::{Fault, OpenError},
    target::{DatabaseUrl, sqlite_name},
};

/// Most kinds of damage that are named.
const NAMED: usize = 20;

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// What is broken in the file of a SQLite database: pages that are no pages, indexes that lack rows. Nothing for a
/// PostgreSQL database, whose server looks after its files (`pg_amcheck` looks closer). Reads the whole file.
///
/// # Errors
/// [`OpenError`] if the file can't be read at all.
pub async fn damage(url: &DatabaseUrl) -> Result<Vec<String>, OpenError> {
    let Some(path) = url.sqlite_path() else { return Ok(Vec::new()) };
    let name = sqlite_name(path);
    let found = tokio::task::spawn_blocking(move || look(&name)).await.unwrap_or_else(|error| Err(error.into()));
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

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_matches(['*', ' ']).to_owned()).filter(|line| !line.is_empty()).collect()
}
