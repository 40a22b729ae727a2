//! PostgreSQL that may only be read, whose tables somebody locks, that grants too little, whose files are damaged.

use std::{fs, time::Duration};

use chorus_store_diesel::testing::run_on_postgres;
use chorus_testkit::{Backend, Database, Launch, http, run};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Furnished, command, refused};
use crate::{
    calling::{Said, call},
    crash::check_log,
    load,
    own_postgres::OwnPostgres,
    scale::times,
};

fn idea(furnished: &Furnished, title: &str) -> serde_json::Value {
    json!({ "projectUuid": furnished.project, "title": title, "idempotencyKey": title })
}

async fn how_many(client: &chorus_testkit::Client, furnished: &Furnished, title: &str) -> usize {
    let listed = load::rows(client, "chorus_get_ideas", json!({ "projectUuid": furnished.project }), "ideas").await;
    listed.iter().filter(|idea| idea["title"] == title).count()
}

/// Changes what sessions of a database begin with, and ends those that began otherwise.
async fn set(database: &Database, what: &str) {
    // A transaction that may write, also where others may not.
    let change = format!(
        "BEGIN READ WRITE; \
         DO $d$ BEGIN EXECUTE format('ALTER DATABASE %I {what}', current_database()); END $d$; COMMIT"
    );
    run_on_postgres(database.url(), &change).await;
    database.end_connections().await;
}

/// As after a failover to a copy that nobody has promoted yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_may_only_be_read_answers_readers() {
    let furnished = Furnished::new(Backend::Postgres).await;
    let url = furnished.database.url();
    let server = Launch::on(url).start().await;
    let client = server.client(&furnished.key);
    client.call("chorus_list_projects", json!({})).await.ok();
    set(&furnished.database, "SET default_transaction_read_only = on").await;
    for _ in 0..times(3, 50) {
        let said = call(&client, "chorus_pm_create_idea", &idea(&furnished, "later")).await;
        assert_eq!(said, Said::Lost, "it says that it can't be had for now");
        let said = call(&client, "chorus_get_ideas", &json!({ "projectUuid": furnished.project })).await;
        assert!(matches!(said, Said::Answer(_)), "{said:?}");
    }
    let health = http().get(format!("{}/api/health", server.base())).send().await.unwrap();
    assert_eq!(health.status().as_u16(), 200, "it can be read");
    let line = refused(Launch::on(url).command()).await;
    assert!(line.contains("read-only"), "{line}");

    set(&furnished.database, "RESET default_transaction_read_only").await;
    for _ in 0..2 {
        let said = call(&client, "chorus_pm_create_idea", &idea(&furnished, "later")).await;
        assert!(matches!(said, Said::Answer(_)), "{said:?}");
    }
    assert_eq!(how_many(&client, &furnished, "later").await, 1);
    check_log(&server.kill().await);
    run(&mut command(url, &["db", "check"])).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_table_is_waited_for_and_a_lock_that_stays_is_no_hang() {
    let furnished = Furnished::new(Backend::Postgres).await;
    let server = Launch::on(furnished.database.url()).start().await;
    let client = server.client(&furnished.key);
    let held = furnished.database.hold("idea", Duration::from_secs(2)).await;
    let (patient, arguments) = (client.clone(), idea(&furnished, "short"));
    let waiting = tokio::spawn(async move { call(&patient, "chorus_pm_create_idea", &arguments).await });
    sleep(Duration::from_millis(500)).await;
    assert!(!waiting.is_finished());
    let said = call(&client, "chorus_get_ideas", &json!({ "projectUuid": furnished.project })).await;
    assert!(matches!(said, Said::Answer(_)), "readers don't wait: {said:?}");
    held.await.unwrap();
    let said = waiting.await.unwrap();
    assert!(matches!(said, Said::Answer(_)), "{said:?}");
    assert_eq!(how_many(&client, &furnished, "short").await, 1);

    // Longer than a statement may run, which takes its time.
    for _ in 0..times(0, 1) {
        let (held, began) = (furnished.database.hold("idea", Duration::from_secs(50)).await, Instant::now());
        assert_eq!(call(&client, "chorus_pm_create_idea", &idea(&furnished, "long")).await, Said::Lost);
        assert!(began.elapsed() < Duration::from_secs(45), "whoever waits is told before the lock is gone");
        held.await.unwrap();
        for _ in 0..2 {
            let said = call(&client, "chorus_pm_create_idea", &idea(&furnished, "long")).await;
            assert!(matches!(said, Said::Answer(_)), "{said:?}");
        }
        assert_eq!(how_many(&client, &furnished, "long").await, 1);
    }
    check_log(&server.kill().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_may_do_nothing_is_told_so_and_changes_nothing() {
    let postgres = OwnPostgres::start().await;
    let furnished = Furnished::on(Database::on_server(postgres.url()).await).await;
    let before = furnished.database.events().await;
    run_on_postgres(postgres.url(), "CREATE ROLE weak LOGIN").await;
    run_on_postgres(postgres.url(), "CREATE DATABASE bare").await;
    let as_weak = |url: &str| url.replacen("//postgres@", "//weak@", 1);
    let bare = postgres.url().replacen("/postgres?", "/bare?", 1);
    assert!(bare != postgres.url());
    let (url, bare) = (as_weak(furnished.database.url()), as_weak(&bare));
    let mut commands =
        vec![Launch::on(&url).command(), Launch::on(&bare).command(), command(&bare, &["db", "migrate"])];
    let words = [&["db", "check"][..], &["db", "migrate"], &["agent", "list"], &["export", "-"]];
    commands.extend(words.map(|words| command(&url, words)));
    for command in commands {
        let line = refused(command).await;
        assert!(line.contains("permission denied"), "{line}");
    }
    assert_eq!(furnished.database.events().await, before);
    run(&mut command(furnished.database.url(), &["db", "check"])).await.ok();
    let server = Launch::on(furnished.database.url()).start().await;
    let client = server.client(&furnished.key);
    assert_eq!(client.call("chorus_get_ideas", json!({ "projectUuid": furnished.project })).await.ok()["total"], 60);
    check_log(&server.kill().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_table_is_found_by_the_check_and_brings_nobody_down() {
    let postgres = OwnPostgres::start().await;
    let furnished = Furnished::on(Database::on_server(postgres.url()).await).await;
    let url = furnished.database.url();
    let path = furnished.database.lines("SELECT pg_relation_filepath('idea') AS line").await.remove(0);
    let file = postgres.data().join(path);
    postgres.halt("fast").await;
    let whole = fs::read(&file).unwrap();
    let mut broken = whole.clone();
    for byte in &mut broken[..24] {
        *byte = !*byte;
    }
    fs::write(&file, broken).unwrap();
    postgres.resume().await;

    let server = Launch::on(url).start().await;
    let client = server.client(&furnished.key);
    let all = json!({ "projectUuid": furnished.project, "pageSize": 100 });
    for _ in 0..times(2, 20) {
        assert_eq!(call(&client, "chorus_get_ideas", &all).await, Said::Lost);
        let said = call(&client, "chorus_get_notifications", &json!({})).await;
        assert!(matches!(said, Said::Answer(_)), "what is whole is answered: {said:?}");
    }
    let checked = run(&mut command(url, &["db", "check"])).await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let said = format!("{}{}", checked.out, checked.err);
    assert!(said.contains("idea") && said.contains("invalid page"), "{checked:?}");
    assert!(!said.contains("panicked"), "{checked:?}");
    let log = server.kill().await;
    assert!(log.contains("invalid page"), "the log says why: {log}");
    check_log(&log);

    postgres.halt("fast").await;
    fs::write(&file, whole).unwrap();
    postgres.resume().await;
    run(&mut command(url, &["db", "check"])).await.ok();
    let server = Launch::on(url).start().await;
    assert_eq!(server.client(&furnished.key).call("chorus_get_ideas", all).await.ok()["total"], 60);
    check_log(&server.kill().await);
}
