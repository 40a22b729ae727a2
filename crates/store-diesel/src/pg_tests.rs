//! What only PostgreSQL has: connections that die, statements that go on without their caller, and TLS.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use chorus_store::Error;
use diesel::{QueryableByName, sql_types::Text};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};

use super::harness;
use crate::{DatabaseUrl, Options, UrlError, open, pending, testing::TestDb};

#[derive(QueryableByName)]
struct Shown {
    #[diesel(sql_type = Text)]
    value: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_the_server_ended_is_replaced() {
    let db = harness::migrated().await;
    let (victim, killer) = (harness::backend(db.url()), harness::backend(db.url()));
    victim.read().await.unwrap().ping().await.unwrap();
    let mut unit = victim.begin().await.unwrap();
    let kill = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
    killer.read().await.unwrap().conn().batch_execute(kill).await.unwrap();

    // The one in use fails its next statement, and the unit may run again; the ones in the pool are not given out.
    let failed = unit.conn().batch_execute("SELECT 1").await;
    assert!(matches!(unit.checked(failed), Err(Error::Again(_))));
    drop(unit);
    for _ in 0..3 {
        let mut unit = victim.begin().await.unwrap();
        unit.ping().await.unwrap();
        unit.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_without_its_caller_lets_go_of_its_locks() {
    let db = harness::migrated().await;
    let backend = harness::backend(db.url());
    let lock = "SELECT pg_advisory_xact_lock(1)";
    let mut unit = backend.begin().await.unwrap();
    let stuck = tokio::spawn(async move {
        unit.conn().batch_execute("SELECT pg_advisory_xact_lock(1), pg_sleep(25)").await.unwrap();
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    stuck.abort();
    let started = Instant::now();
    let mut unit = backend.begin().await.unwrap();
    unit.conn().batch_execute(lock).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    unit.rollback().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_asks_for_another_run() {
    let db = harness::migrated().await;
    let backend = harness::backend(db.url());
    let (mut one, mut two) = (backend.begin().await.unwrap(), backend.begin().await.unwrap());
    one.conn().batch_execute("SELECT pg_advisory_xact_lock(1)").await.unwrap();
    two.conn().batch_execute("SELECT pg_advisory_xact_lock(2)").await.unwrap();
    let (first, second) = tokio::join!(
        async {
            let done = one.conn().batch_execute("SELECT pg_advisory_xact_lock(2)").await;
            let done = one.checked(done);
            drop(one);
            done
        },
        async {
            let done = two.conn().batch_execute("SELECT pg_advisory_xact_lock(1)").await;
            let done = two.checked(done);
            drop(two);
            done
        }
    );
    let again = [&first, &second].into_iter().filter(|done| matches!(done, Err(Error::Again(_)))).count();
    assert_eq!((again, first.is_ok() || second.is_ok()), (1, true));
}

/// The test database's URL with another `sslmode`.
fn with_mode(db: &TestDb, rest: &str) -> Result<DatabaseUrl, UrlError> {
    db.url_text().replace("sslmode=disable", rest).parse()
}

#[tokio::test(flavor = "multi_thread")]
async fn ssl_modes_encrypt_and_verify_as_they_promise() {
    let db = harness::migrated().await;
    let shown = async |url: &DatabaseUrl, sql: &str| {
        let mut unit = harness::backend(url).read().await.unwrap();
        let row: Shown = diesel::sql_query(sql).get_result(unit.conn()).await.unwrap();
        row.value
    };
    let certificate = shown(db.url(), "SELECT current_setting('ssl_cert_file') AS value").await;
    let encrypted = "SELECT ssl::text AS value FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let verified = format!("sslmode=verify-full&sslrootcert={certificate}");
    for (mode, expected) in
        [("sslmode=disable", "false"), ("sslmode=prefer", "true"), ("sslmode=require", "true"), (&verified, "true")]
    {
        let url = with_mode(&db, mode).unwrap();
        assert_eq!(shown(&url, encrypted).await, expected, "{mode}");
    }
    // Nobody that browsers trust has signed it; nor does it name this host.
    let stranger = with_mode(&db, "sslmode=verify-full").unwrap();
    let error = pending(&stranger).await.unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
    let other_name = db.url_text().replace("127.0.0.1", "localhost").replace("sslmode=disable", &verified);
    let error = pending(&other_name.parse().unwrap()).await.unwrap_err().to_string();
    assert!(error.contains("certificate"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_to_open_name_no_credentials() {
    let db = harness::empty().await;
    let missing = db.url_text().replace("/chorus_test_", "/no_such_database_").replace("postgres@", "postgres:hush@");
    let nobody = missing.replace("postgres:hush@", "stranger:hush@");
    let nowhere = "postgres://stranger:hush@127.0.0.1:1/x";
    for text in [missing.as_str(), nobody.as_str(), nowhere] {
        let error = open(&text.parse().unwrap(), &Options::default()).await.map(drop).unwrap_err().to_string();
        assert!(!error.contains("hush") && !error.contains("stranger"), "{error}");
        assert!(error.starts_with("postgres://127.0.0.1:") && error.contains(": can't connect: "), "{error}");
    }
}
