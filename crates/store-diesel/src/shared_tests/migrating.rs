//! Migrations: several processes at once, and databases from another time.

use std::num::NonZeroU32;

use diesel_async::SimpleAsyncConnection;

use super::*;
use crate::{Options, migrate, open, pending};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_processes_migrate_at_once_and_one_does_the_work() {
    let db = harness::empty().await;
    let runs: Vec<_> = (0..8)
        .map(|_| {
            let url = db.url().clone();
            tokio::spawn(async move { migrate(&url).await.unwrap() })
        })
        .collect();
    let mut applied = Vec::new();
    for run in runs {
        applied.extend(run.await.unwrap());
    }
    assert_eq!(applied, ["0001_init", "0002_search", "0003_name_keys", "0004_leaving"]);
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
        assert_eq!(names, ["0001_init", "0002_search", "0003_name_keys", "0004_leaving"]); // SQLite's file does not exist yet, which is an error of its own
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
