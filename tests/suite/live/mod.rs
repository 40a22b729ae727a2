//! What stays open: streams of news, sessions of the older transport, and answers that tell how far they are.

mod bounds;
mod hangup;
mod listen;
mod processes;
mod progress;
mod sse;

use std::time::Duration;

use chorus_testkit::{Client, EventStream};
use serde_json::{Value, json};

/// How long silence is listened to: longer than news are gathered.
pub(crate) const QUIET: Duration = Duration::from_millis(1_200);

/// Opens a stream of news; gives it with what it is granted.
pub(crate) async fn listen(client: &Client, wanted: Value) -> (EventStream, Value) {
    let mut stream = EventStream::of(client.modern("subscriptions/listen", json!({ "notifications": wanted })).await);
    let mut first = stream.message().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].is_u64(), "{first}");
    (stream, first["params"]["notifications"].take())
}

/// The next news of a stream: its method, and the URI if it names one.
pub(crate) async fn news(stream: &mut EventStream) -> (String, Option<String>) {
    let message = stream.message().await;
    assert_eq!(message.get("id"), None, "{message}");
    let method = message["method"].as_str().unwrap_or_else(|| panic!("{message} is no notification"));
    let method = method.strip_prefix("notifications/").unwrap().to_owned();
    (method, message["params"]["uri"].as_str().map(str::to_owned))
}

/// The news of a changed resource.
pub(crate) fn updated(uri: &str) -> (String, Option<String>) {
    ("resources/updated".to_owned(), Some(uri.to_owned()))
}

/// A new quick task: its id, and its address.
pub(crate) async fn new_task(client: &Client, project: &str, title: &str) -> (String, String) {
    let tasks = json!({ "projectUuid": project, "tasks": [{ "title": title, "acceptanceCriteriaItems": [{ "description": "works" }] }] });
    let made = client.call("chorus_create_tasks", tasks).await.ok();
    let id = made["tasks"][0]["uuid"].as_str().unwrap().to_owned();
    let uri = format!("chorus://projects/{project}/tasks/{id}");
    (id, uri)
}

/// Says something about a task, which changes it.
pub(crate) async fn comment(client: &Client, task: &str) {
    let comment = json!({ "targetType": "task", "targetUuid": task, "content": "something" });
    client.call("chorus_add_comment", comment).await.ok();
}
