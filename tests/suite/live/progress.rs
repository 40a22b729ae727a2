//! How far a call is: told to those who asked, and only while there is something to wait for.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use chorus_app::{Context, Narrowing, call::Progress};
use chorus_dispatch::{CallRequest, Selection};
use chorus_testkit::{Backend, Database, EventStream, Reply, Site, Tools, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

/// What a tool reported.
#[derive(Default)]
struct Recorder(Mutex<Vec<(u64, Option<u64>)>>);

impl Progress for Recorder {
    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        assert!(!message.is_empty());
        self.0.lock().unwrap().push((done, total));
    }
}

async fn writers_report_each_step_and_readers_none(backend: Backend) {
    let database = Database::fresh(backend).await;
    let tools = Tools::new(database.services().await);
    let world = World::new(tools.services.clone()).await;
    let project = world.project("P", Visibility::Private, &[(world.first_user, Role::Admin)]).await;
    let me = world.new_caller("agent", Some(world.first_user), &["admin_agent"], &[]).await;
    let reported = async |tool: &str, arguments: Value| {
        let recorder = Arc::new(Recorder::default());
        let Value::Object(arguments) = arguments else { return Vec::new() };
        let request = CallRequest {
            caller: me.clone(),
            narrowing: Narrowing::Nothing,
            selection: Selection::default(),
            tool: tool.to_owned(),
            arguments,
            context: Context { progress: Arc::clone(&recorder) as Arc<dyn Progress>, ..Context::default() },
        };
        tools.surface.call(&tools.services, request).await.unwrap();
        recorder.0.lock().unwrap().clone()
    };
    let tasks: Vec<Value> = (0..30)
        .map(|n| json!({ "title": format!("Task {n}"), "acceptanceCriteriaItems": [{ "description": "works" }] }))
        .collect();
    let steps = reported("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await;
    assert!(steps.len() >= 4, "{steps:?}");
    assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0), "{steps:?}");
    let (last, total) = *steps.last().unwrap();
    assert_eq!((steps[0], Some(last)), ((1, None), total), "{steps:?}");
    assert!(steps[1..].iter().all(|(_, of)| *of == total), "{steps:?}");
    assert!(reported("chorus_list_projects", json!({})).await.len() <= 1);
}

backends!(writers_report_each_step_and_readers_none);

/// A call that has to wait twice for the database: before its events are written, and before its audit row is.
async fn waiting_call(site: &Site, accept: &str, meta: Value) -> reqwest::Response {
    let admins = [(site.world.first_user, Role::Admin)];
    let project = site.world.project("P", Visibility::Private, &admins).await;
    site.database.hold("event", Duration::from_millis(1_500)).await;
    site.database.hold("audit", Duration::from_millis(2_500)).await;
    let call = json!({
        "name": "chorus_create_tasks", "_meta": meta,
        "arguments": { "projectUuid": project, "tasks": [{ "title": "x", "acceptanceCriteriaItems": [{ "description": "y" }] }] },
    });
    let body = json!({ "jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": call });
    let request = site.client().post().header("content-type", "application/json").header("accept", accept);
    request.header("mcp-protocol-version", "2025-11-25").body(body.to_string()).send().await.unwrap()
}

const BOTH: &str = "application/json, text/event-stream";

#[tokio::test(flavor = "multi_thread")]
async fn a_long_call_tells_how_far_it_is_and_then_answers() {
    let site = Site::new(Backend::Postgres).await;
    for token in [json!("a token"), json!(0)] {
        let mut stream = EventStream::of(waiting_call(&site, BOTH, json!({ "progressToken": token })).await);
        stream.asks("2025-11-25", "tools/call", &json!("call"));
        let mut before = 0;
        let answer = loop {
            let message = stream.message().await;
            if message["id"] == "call" {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            let params = &message["params"];
            assert_eq!(params["progressToken"], token, "{message}");
            let progress = params["progress"].as_u64().unwrap();
            assert!(progress > before && params["total"].as_u64().unwrap() >= progress, "{message}");
            assert!(params["message"].is_string(), "{message}");
            before = progress;
        };
        assert!(before > 0, "nothing was told");
        assert_eq!(answer["result"]["structuredContent"]["tasks"].as_array().unwrap().len(), 1, "{answer}");
        stream.ended().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_without_a_token_or_to_who_takes_no_events() {
    let site = Site::new(Backend::Postgres).await;
    for (accept, meta) in [(BOTH, json!({})), ("application/json", json!({ "progressToken": "t" }))] {
        let reply = Reply::of(waiting_call(&site, accept, meta).await).await;
        assert_eq!(reply.json()["result"]["isError"], false, "{reply:?}");
    }
    // Who takes nothing but events is told that an answer will come.
    let mut stream = EventStream::of(waiting_call(&site, "text/event-stream", json!({})).await);
    stream.asks("2025-11-25", "tools/call", &json!("call"));
    assert_eq!(stream.message().await["id"], "call");
    stream.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fast_call_answers_at_once_whatever_its_token() {
    let site = Site::new(Backend::Sqlite).await;
    let params = json!({ "name": "chorus_list_projects", "arguments": {}, "_meta": { "progressToken": 1 } });
    let answer = site.client().rpc("tools/call", params).await;
    assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
}
