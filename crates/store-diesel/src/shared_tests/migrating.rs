//! Migrations: several processes at once, and databases from another time.

use std::num::NonZeroU32;

use diesel_async::SimpleAsyncConnection;

use super::*;
use crate::{Options, export, import, migrate, migrate_until, open, pending};

/// A database of the first schema with a row in nearly every table, as an export.
const FIRST: &str = include_str!("../../tests/data/0001.jsonl");

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_processes_migrate_at_once_and_one_does_the_work() {
    let db = harness::empty().await;
    let runs: Vec<_> = (0..8)
        .map(|_| {
            let url = db.url().clone();
            tokio::spawn(async move { migrate(&url).await.unwrap().applied })
        })
        .collect();
    let mut applied = Vec::new();
    for run in runs {
        applied.extend(run.await.unwrap());
    }
    assert_eq!(applied, ["0001_init", "0002_search", "0003_name_keys", "0004_leaving", "0005_events", "0006_accounts"]);
    assert_eq!(pending(db.url()).await.unwrap(), [""; 0]);
    let options = Options { connections: NonZeroU32::MIN, ..Options::default() };
    open(db.url(), &options).await.map(drop).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_tables_is_told_apart() {
    let db = harness::empty().await;
    let error = open(db.url(), &Options::default()).await.map(drop).unwrap_err();
    assert!(error.needs_migration(), "{error}");
    if let Ok(names) = pending(db.url()).await {
        assert_eq!(
            names,
            ["0001_init", "0002_search", "0003_name_keys", "0004_leaving", "0005_events", "0006_accounts"]
        ); // SQLite's file does not exist yet, which is an error of its own
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_from_a_newer_version_is_refused() {
    let db = harness::migrated().await;
    let mut unit = harness::backend(db.url()).begin().await.unwrap();
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')";
    unit.conn().batch_execute(newer).await.unwrap();
    unit.commit().await.unwrap();
    for error in [
        open(db.url(), &Options::default()).await.map(drop).unwrap_err(),
        migrate(db.url()).await.map(drop).unwrap_err(),
        pending(db.url()).await.map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("newer version of this program (migration 9999)"), "{error}");
        assert!(!error.needs_migration());
    }
}

/// The rows of an export: table, key-sorted text of the columns.
fn rows(export: &str) -> Vec<(String, serde_json::Map<String, serde_json::Value>)> {
    let parsed = export.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let rows = parsed.filter_map(|line| line.get("row").and_then(|row| row.as_object().cloned()));
    rows.flat_map(|row| row.into_iter().map(|(table, row)| (table, row.as_object().unwrap().clone()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_first_schema_keeps_every_value_of_every_row() {
    let db = harness::empty().await;
    let imported = import(db.url(), FIRST.as_bytes(), |_| {}).await.unwrap();
    assert_eq!(imported.rows.values().sum::<u64>(), rows(FIRST).len() as u64);
    assert!(imported.indexed > 0);
    assert_eq!(pending(db.url()).await.unwrap(), [""; 0]);
    let file = tempfile::NamedTempFile::new().unwrap();
    export(db.url(), file.reopen().unwrap(), |_| {}).await.unwrap();
    let now = rows(&std::fs::read_to_string(file.path()).unwrap());
    for (table, before) in rows(FIRST) {
        let kept = now
            .iter()
            .any(|(name, row)| *name == table && before.iter().all(|(column, value)| row.get(column) == Some(value)));
        assert!(kept, "{table}: {before:?}");
    }
    // An older export does not go into a database with a newer schema.
    let later = harness::migrated().await;
    let refused = import(later.url(), FIRST.as_bytes(), |_| {}).await.unwrap_err().to_string();
    assert!(refused.contains("has a newer schema already"), "{refused}");
}

/// A start would take longer the more there is. What is broken, `db check` names.
#[tokio::test(flavor = "multi_thread")]
async fn where_no_migration_is_missing_rows_are_not_looked_at() {
    let db = harness::migrated().await;
    let mut conn = harness::backend(db.url()).bare().await;
    conn.batch_execute(harness::FOREIGN_KEYS_OFF).await.unwrap();
    user(&mut conn, USER, COMPANY).await.unwrap();
    drop(conn);
    assert_eq!(migrate(db.url()).await.unwrap().applied, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_kept_as_it_was_before_a_migration() {
    let db = harness::empty().await;
    migrate_until(db.url(), 1).await.unwrap();
    let first = migrate(harness::empty().await.url()).await.unwrap();
    assert_eq!(first.kept, None, "there was nothing to lose");
    let mut unit = harness::backend(db.url()).begin().await.unwrap();
    unit.conn().batch_execute(harness::A_COMPANY).await.unwrap();
    unit.commit().await.unwrap();
    let migrated = migrate(db.url()).await.unwrap();
    assert_eq!(migrated.applied[0], "0002_search");
    assert_eq!(migrate(db.url()).await.unwrap().kept, None, "nothing was missing");
    let Some(path) = db.url().sqlite_path() else {
        assert_eq!(migrated.kept, None);
        return;
    };
    let kept = migrated.kept.unwrap();
    assert_eq!(kept, path.with_extension("db.before-0002"));
    let copy = crate::DatabaseUrl::sqlite(&kept);
    assert_eq!(pending(&copy).await.unwrap(), migrated.applied);
    // It is a database like any other, with what was in it.
    assert_eq!(migrate(&copy).await.unwrap().applied, migrated.applied);
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = export(&copy, file.reopen().unwrap(), |_| {}).await.unwrap().rows;
    assert_eq!(rows["company"], 1);
}
