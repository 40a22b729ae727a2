//! A SQLite file that another process keeps locked.

use std::time::Duration;

use chorus_testkit::{Backend, Launch};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::Furnished;
use crate::{
    calling::{Said, call},
    crash::check_log,
    load,
};

fn idea(furnished: &Furnished, title: &str) -> serde_json::Value {
    json!({ "projectUuid": furnished.project, "title": title, "idempotencyKey": title })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_is_waited_for_and_one_that_stays_is_no_hang() {
    let furnished = Furnished::new(Backend::Sqlite).await;
    let store = furnished.database.store().await;
    let lock = store.begin().await.unwrap();
    // It starts meanwhile, or waits to.
    let starting = tokio::spawn(Launch::on(furnished.database.url()).start());
    sleep(Duration::from_secs(1)).await;
    lock.rollback().await.unwrap();
    let server = starting.await.unwrap();
    let client = server.client(&furnished.key);

    let lock = store.begin().await.unwrap();
    let (patient, arguments) = (client.clone(), idea(&furnished, "short"));
    let waiting = tokio::spawn(async move { call(&patient, "chorus_pm_create_idea", &arguments).await });
    sleep(Duration::from_secs(1)).await;
    let said = call(&client, "chorus_list_projects", &json!({})).await;
    assert!(matches!(said, Said::Answer(_)), "readers don't wait: {said:?}");
    lock.rollback().await.unwrap();
    let said = waiting.await.unwrap();
    assert!(matches!(said, Said::Answer(_)), "{said:?}");

    let lock = store.begin().await.unwrap();
    let began = Instant::now();
    assert_eq!(call(&client, "chorus_pm_create_idea", &idea(&furnished, "long")).await, Said::Lost);
    assert!(began.elapsed() < Duration::from_secs(20), "whoever waits is told before its patience ends");
    lock.rollback().await.unwrap();
    for _ in 0..2 {
        let said = call(&client, "chorus_pm_create_idea", &idea(&furnished, "long")).await;
        assert!(matches!(said, Said::Answer(_)), "{said:?}");
    }
    let listed = load::rows(&client, "chorus_get_ideas", json!({ "projectUuid": furnished.project }), "ideas").await;
    for title in ["short", "long"] {
        assert_eq!(listed.iter().filter(|idea| idea["title"] == title).count(), 1, "{title}");
    }
    check_log(&server.kill().await);
}
