//! Clients that hang up while a writing tool waits for its turn (protocol checklist §2.4, §15).

use chorus_domain::Kind;
use chorus_store::{Hold, Roots, Tx};
use chorus_testkit::{Backend, Site};
use serde_json::{Value, json};

use super::{QUIET, new_task};
use crate::backends;

/// A task that somebody else holds, and what to call to rename it.
async fn contended(site: &Site) -> (String, Box<dyn Tx>, impl Fn(&str) -> Value) {
    let made = site.client().call("chorus_admin_create_project", json!({ "name": "P" })).await.ok();
    let (id, _) = new_task(&site.client(), made["uuid"].as_str().unwrap(), "contended").await;
    let mut blocker = site.world.services.store.begin().await.unwrap();
    let mut roots = Roots::default();
    roots.add(Kind::Task, id.parse().unwrap(), Hold::Own);
    blocker.lock(&roots).await.unwrap();
    let task = id.clone();
    let rename =
        move |title: &str| json!({ "name": "chorus_update_task", "arguments": { "taskUuid": task, "title": title } });
    (id, blocker, rename)
}

async fn title(site: &Site, id: &str) -> String {
    let task = site.client().call("chorus_get_task", json!({ "taskUuid": id })).await.ok();
    task["title"].as_str().unwrap().to_owned()
}

/// Under 2026-07-28 hanging up cancels: nothing is written, and the key of the call is free.
async fn who_hangs_up_cancels(backend: Backend) {
    let site = Site::new(backend).await;
    let (id, blocker, rename) = contended(&site).await;
    let mut call = rename("cancelled");
    call["arguments"]["idempotencyKey"] = json!("once");
    let client = site.client();
    let asked = call.clone();
    let waiting = tokio::spawn(async move { client.modern("tools/call", asked).await });
    tokio::time::sleep(QUIET).await;
    assert!(!waiting.is_finished());
    waiting.abort();
    tokio::time::sleep(QUIET).await;
    blocker.rollback().await.unwrap();
    tokio::time::sleep(QUIET).await;
    assert_eq!(title(&site, &id).await, "contended");
    // Asked for again under the same key, it is done.
    let answer = site.client().rpc("tools/call", call).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(title(&site, &id).await, "cancelled");
}

/// Under the handshake revisions a lost connection says nothing about the work, which goes on.
async fn who_loses_the_connection_cancels_nothing(backend: Backend) {
    let site = Site::new(backend).await;
    let (id, blocker, rename) = contended(&site).await;
    let client = site.client();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": rename("renamed") });
    let waiting = tokio::spawn(async move { client.send(&body).await });
    tokio::time::sleep(QUIET).await;
    assert!(!waiting.is_finished());
    waiting.abort();
    tokio::time::sleep(QUIET).await;
    blocker.rollback().await.unwrap();
    for _ in 0..200 {
        if title(&site, &id).await == "renamed" {
            return;
        }
        tokio::time::sleep(QUIET / 20).await;
    }
    panic!("the work did not go on");
}

backends!(who_hangs_up_cancels, who_loses_the_connection_cancels_nothing);
