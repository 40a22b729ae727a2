//! The HTTP+SSE transport (protocol checklist §4).

use chorus_mcp::{
    Changed, Encoding, Exchange, Posted, ServerInfo, TaskState, Version, receive_in_session, session_news,
};
use serde_json::{Value, json};

use crate::wire::{CAPABILITIES_KEY, VERSION_KEY, answer, events, rich, server, task};

fn post(server: &ServerInfo, negotiated: Option<Version>, body: &Value) -> Posted {
    receive_in_session(server, negotiated, body.to_string().as_bytes())
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 3, "method": method, "params": params })
}

fn taken(posted: Posted) -> (Option<Value>, Option<Version>) {
    let Posted::Taken { event, negotiated } = posted else { panic!("{posted:?}") };
    (event.map(|event| message(&event)), negotiated)
}

fn work(posted: Posted) -> Exchange {
    let Posted::Work(exchange) = posted else { panic!("{posted:?}") };
    exchange
}

#[track_caller]
fn refused(posted: Posted, status: u16, code: i64) {
    let Posted::Refused(reply) = posted else { panic!("{posted:?}") };
    let body: Value = serde_json::from_slice(&reply.body.unwrap()).unwrap();
    assert_eq!((reply.status, &body["error"]["code"]), (status, &json!(code)));
}

fn message(bytes: &[u8]) -> Value {
    let messages = events(std::str::from_utf8(bytes).unwrap());
    assert_eq!(messages.as_array().unwrap().len(), 1);
    messages[0].clone()
}

#[test]
fn a_handshake_is_answered_on_the_stream_and_remembered() {
    for version in Version::ALL {
        let hello = request("initialize", json!({ "protocolVersion": version.as_str(), "capabilities": {} }));
        let (event, negotiated) = taken(post(&server(), None, &hello));
        let settled = if version.is_modern() { Version::NEWEST_LEGACY } else { version };
        assert_eq!(negotiated, Some(settled));
        let event = event.unwrap();
        assert_eq!((&event["id"], &event["result"]["protocolVersion"]), (&json!(3), &json!(settled.as_str())));
    }
    let (event, negotiated) = taken(post(&server(), None, &request("initialize", json!({}))));
    assert_eq!((event.unwrap()["error"]["code"].as_i64(), negotiated), (Some(-32602), None));
}

#[test]
fn messages_follow_the_revision_of_the_session() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let exchange = work(post(&server(), Some(version), &request("tools/list", json!({}))));
        assert_eq!(exchange.requests()[0].version, version);
        assert_eq!(exchange.encoding(), Encoding::Sse);
        assert!(exchange.stream().is_some());
        let answers = exchange.requests().iter().map(answer).collect();
        let reply = exchange.finish(answers);
        let tool = &message(&reply.body.unwrap())["result"]["tools"][0];
        assert_eq!(tool.get("title").is_some(), version >= Version::V2025_06_18);
    }
    // Before the handshake, and whatever else is said to have been settled, it is the oldest.
    for unsettled in [None, Some(Version::V2026_07_28)] {
        let exchange = work(post(&server(), unsettled, &request("tools/list", json!({}))));
        assert_eq!(exchange.requests()[0].version, Version::V2024_11_05);
    }
}

#[test]
fn what_needs_no_answer_is_taken_without_an_event() {
    let version = Some(Version::V2025_11_25);
    for quiet in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 3 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/anything" }),
        json!({ "jsonrpc": "2.0", "id": 9, "result": {} }),
    ] {
        assert_eq!(taken(post(&server(), version, &quiet)), (None, None), "{quiet}");
    }
    let pong = taken(post(&server(), version, &request("ping", json!({})))).0;
    assert_eq!(pong, Some(json!({ "jsonrpc": "2.0", "id": 3, "result": {} })));
    let unknown = taken(post(&server(), version, &request("no/such", json!({})))).0;
    assert_eq!(unknown.unwrap()["error"]["code"], -32601);
}

#[test]
fn batches_are_for_their_revision() {
    let batch = json!([request("ping", json!({})), request("tools/list", json!({}))]);
    let exchange = work(post(&server(), Some(Version::V2025_03_26), &batch));
    let answers = exchange.requests().iter().map(answer).collect();
    let body = exchange.finish(answers).body.unwrap();
    assert_eq!(events(std::str::from_utf8(&body).unwrap()).as_array().unwrap().len(), 2);
    for version in [None, Some(Version::V2024_11_05), Some(Version::V2025_06_18)] {
        refused(post(&server(), version, &batch), 400, -32600);
    }
}

#[test]
fn what_cannot_be_read_is_refused_where_it_was_posted() {
    refused(receive_in_session(&server(), None, b"{"), 400, -32700);
    refused(receive_in_session(&server(), None, b""), 400, -32700);
    refused(post(&server(), None, &json!({ "id": 1 })), 400, -32600);
}

#[test]
fn revisions_without_a_handshake_are_not_served_here() {
    let meta = json!({ VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {} });
    for method in ["tools/list", "server/discover", "initialize"] {
        let modern = request(method, json!({ "_meta": meta, "protocolVersion": "2025-11-25" }));
        refused(post(&server(), None, &modern), 400, -32600);
    }
    let quiet = json!({ "jsonrpc": "2.0", "method": "notifications/x", "params": { "_meta": meta } });
    refused(post(&server(), Some(Version::V2025_11_25), &quiet), 400, -32600);
}

#[test]
fn news_reach_the_session_as_they_are() {
    let rows = [
        (Changed::Tools, "notifications/tools/list_changed", json!({})),
        (Changed::Prompts, "notifications/prompts/list_changed", json!({})),
        (Changed::Resources, "notifications/resources/list_changed", json!({})),
        (Changed::Resource("test://one".into()), "notifications/resources/updated", json!({ "uri": "test://one" })),
    ];
    for (changed, method, params) in rows {
        for version in Version::ALL {
            let told = session_news(&rich(), version, &changed).map(|bytes| message(&bytes));
            let expected = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            assert_eq!(told, (!version.is_modern()).then_some(expected), "{version}");
        }
    }
    let changed = Changed::Task(task(TaskState::Working));
    assert!(Version::ALL.iter().all(|version| session_news(&rich(), *version, &changed).is_none()));
}
