//! A SQLite database as it was before a migration, and whether every row is still there after it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use diesel::{
    QueryResult, QueryableByName, RunQueryDsl, SqliteConnection,
    sql_types::{BigInt, Text},
};

use super::{Ask as _, BoxError};
use crate::{schema::TABLES, target::sqlite_name};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// Whether there is something to lose.
pub(super) fn is_used(conn: &mut SqliteConnection) -> QueryResult<bool> {
    Ok(exists(conn, "company")? && conn.ask("EXISTS (SELECT 1 FROM company)")?)
}

/// Copies the database to a file beside it, which is named after the first migration to come and is there only when it is
/// whole. One from an attempt that failed is replaced.
pub(super) fn keep(conn: &mut SqliteConnection, path: &Path, version: &str) -> Result<PathBuf, BoxError> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".before-{version}{ending}"));
        PathBuf::from(name)
    };
    let (kept, fresh) = (beside(""), beside(".part"));
    let made = make(conn, &fresh).and_then(|()| Ok(std::fs::rename(&fresh, &kept)?));
    if let Err(error) = made {
        // Half a copy is of no use; if it can't be removed either, it says by its name what it is.
        let _ = std::fs::remove_file(&fresh);
        return Err(format!("a copy of the database can't be kept in {}: {error}", kept.display()).into());
    }
    Ok(kept)
}

fn make(conn: &mut SqliteConnection, fresh: &Path) -> Result<(), BoxError> {
    match std::fs::remove_file(fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => super::create(fresh)?,
    }
    // It is made empty first, for its owner only.
    diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(sqlite_name(fresh)).execute(conn)?;
    std::fs::File::open(fresh)?.sync_all()?;
    Ok(())
}

/// How many rows each table has that this program knows and that is there.
pub(super) fn count(conn: &mut SqliteConnection) -> QueryResult<BTreeMap<&'static str, i64>> {
    let mut counts = BTreeMap::new();
    for (table, ..) in TABLES {
        if exists(conn, table)? {
            let rows = format!("SELECT count(*) AS rows FROM {table}");
            counts.insert(*table, diesel::sql_query(rows).get_result::<Count>(conn)?.rows);
        }
    }
    Ok(counts)
}

/// Fails if a table has other rows than before.
pub(super) fn compare(before: &BTreeMap<&'static str, i64>, conn: &mut SqliteConnection) -> Result<(), BoxError> {
    if before.is_empty() {
        return Ok(());
    }
    let after = count(conn)?;
    for (table, rows) in before {
        let left = after.get(table).copied().unwrap_or_default();
        if left != *rows {
            return Err(format!("`{table}` had {rows} rows before and {left} after it; nothing was changed").into());
        }
    }
    Ok(())
}

fn exists(conn: &mut SqliteConnection, table: &str) -> QueryResult<bool> {
    conn.ask(&format!("EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '{table}')"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use diesel::{Connection as _, connection::SimpleConnection as _};

    use super::*;

    #[test]
    fn a_table_that_lost_or_won_rows_is_named() {
        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        conn.batch_execute("CREATE TABLE company (id); INSERT INTO company VALUES (1), (2); CREATE TABLE task (id)")
            .unwrap();
        let before = count(&mut conn).unwrap();
        assert_eq!(before, BTreeMap::from([("company", 2), ("task", 0)]));
        assert!(compare(&before, &mut conn).is_ok());
        conn.batch_execute("DELETE FROM company WHERE id = 1").unwrap();
        let lost = compare(&before, &mut conn).unwrap_err().to_string();
        assert_eq!(lost, "`company` had 2 rows before and 1 after it; nothing was changed");
        conn.batch_execute("INSERT INTO company VALUES (3); DROP TABLE task; INSERT INTO company VALUES (4)").unwrap();
        assert!(compare(&before, &mut conn).unwrap_err().to_string().contains("had 2 rows before and 3 after"));
    }
}
