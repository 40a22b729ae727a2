//! Copying a database while it is in use.

use std::path::Path;

use diesel::{Connection, RunQueryDsl, SqliteConnection, connection::SimpleConnection, sql_types::Text};

use crate::{
    open::{Fault, OpenError},
    target::{DatabaseUrl, sqlite_name},
};

/// Writes a consistent copy of a SQLite database to `to`, which is missing or empty. Readers and writers go on meanwhile;
/// what they commit after the beginning is not in the copy. The copy is one file, whole only when this has ended well.
///
/// # Errors
/// [`OpenError`] if the database is missing or is no SQLite file, or the copy can't be written.
pub async fn backup(url: &DatabaseUrl, to: &Path) -> Result<(), OpenError> {
    let fail = |fault| OpenError::new(url, fault);
    let from = url.sqlite_path().ok_or_else(|| fail(Fault::Copy("it is no SQLite file".into())))?;
    if !from.exists() {
        return Err(fail(Fault::Missing));
    }
    let to = to.to_str().ok_or_else(|| fail(Fault::Copy("the path of the copy is not UTF-8".into())))?.to_owned();
    let from = sqlite_name(from);
    let copied = tokio::task::spawn_blocking(move || {
        let mut conn = SqliteConnection::establish(&from).map_err(Fault::Connect)?;
        let copied = conn.batch_execute("PRAGMA busy_timeout = 60000").and_then(|()| {
            diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(sqlite_name(Path::new(&to))).execute(&mut conn)
        });
        copied.map(drop).map_err(|error| Fault::Copy(error.into()))
    });
    copied.await.unwrap_or_else(|error| Err(Fault::Copy(error.into()))).map_err(fail)
}
