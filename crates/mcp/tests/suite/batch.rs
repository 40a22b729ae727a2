//! Batches (protocol checklist §5.2): one revision, one reply, every request answered.

use chorus_mcp::{Encoding, MAX_BATCH, Received, Work};
use serde_json::{Value, json};

use crate::wire::{CAPABILITIES_KEY, Post, VERSION_KEY, check};

fn ask(id: impl Into<Value>, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": { "name": "echo" } })
}

fn notify(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "method": method })
}

fn batch(messages: &[Value]) -> Post {
    Post::json(&json!(messages))
}

#[test]
fn requests_are_answered_in_order_and_the_rest_is_taken() {
    let post = batch(&[
        notify("notifications/initialized"),
        ask("list", "tools/list"),
        ask(2, "ping"),
        json!(3),
        ask(4, "tools/call"),
        json!({ "jsonrpc": "2.0", "id": 5, "result": {} }),
        ask("no", "no/such"),
        ask(6, "tools/call"),
    ]);
    let Received::Work(exchange) = post.receive() else { panic!("{post:?}") };
    let kinds: Vec<_> =
        exchange.requests().iter().map(|request| matches!(request.work, Work::CallTool { .. })).collect();
    assert_eq!(kinds, [false, true, true]);

    let seen = post.send();
    assert_eq!((seen.status, seen.encoding), (200, Encoding::Json));
    let responses = seen.body.as_array().unwrap();
    let outline: Vec<_> = responses.iter().map(|one| (one["id"].clone(), one["error"]["code"].as_i64())).collect();
    let expected = [
        (json!("list"), None),
        (json!(2), None),
        (Value::Null, Some(-32600)),
        (json!(4), None),
        (json!("no"), Some(-32601)),
        (json!(6), None),
    ];
    assert_eq!(outline, expected);
    assert_eq!(responses[2].get("id"), None);
    assert_eq!(responses[0]["result"]["tools"][0]["name"], "echo");
    assert_eq!(responses[3]["result"]["content"][0]["type"], "text");
}

#[test]
fn a_batch_may_be_a_stream_of_one_event_per_response() {
    let seen =
        batch(&[ask(1, "ping"), ask(2, "tools/list"), ask(3, "no/such")]).header("Accept", "text/event-stream").send();
    assert_eq!((seen.status, seen.encoding), (200, Encoding::Sse));
    let ids: Vec<_> = seen.body.as_array().unwrap().iter().map(|response| response["id"].clone()).collect();
    assert_eq!(ids, [1, 2, 3]);
    check(&batch(&[ask(1, "ping")]).header("Accept", "text/html"), 406, -32600);
}

#[test]
fn a_batch_without_requests_is_taken() {
    let post = batch(&[notify("notifications/initialized"), json!({ "jsonrpc": "2.0", "id": 5, "result": {} })]);
    check(&post, 202, 0);
    check(&post.header("Accept", "text/html"), 202, 0);
}

#[test]
fn only_one_revision_knows_batches() {
    let post = batch(&[ask(1, "ping")]);
    for good in ["2025-03-26", " 2025-03-26 "] {
        assert_eq!(post.clone().header("MCP-Protocol-Version", good).send().status, 200);
    }
    for bad in ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", "garbage", ""] {
        check(&post.clone().header("MCP-Protocol-Version", bad), 400, -32600);
    }
    check(&post.also("MCP-Protocol-Version", "2025-03-26").also("MCP-Protocol-Version", "2025-03-26"), 400, -32600);
}

#[test]
fn the_length_of_a_batch_is_bounded() {
    check(&batch(&[]), 400, -32600);
    assert_eq!(batch(&vec![ask(1, "ping"); MAX_BATCH]).send().body.as_array().unwrap().len(), 50);
    for over in [MAX_BATCH + 1, 10_000] {
        check(&batch(&vec![ask(1, "ping"); over]), 400, -32600);
        check(&batch(&vec![notify("x"); over]), 400, -32600);
    }
}

#[test]
fn handshakes_and_modern_requests_are_refused_each_by_itself() {
    let mut modern = ask(2, "tools/call");
    modern["params"]["_meta"] = json!({ VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {} });
    let seen = batch(&[ask(1, "initialize"), modern, ask(3, "server/discover"), ask(4, "ping")]).send();
    assert_eq!(seen.status, 200);
    let codes: Vec<_> =
        seen.body.as_array().unwrap().iter().map(|one| (one["id"].as_i64(), one["error"]["code"].as_i64())).collect();
    assert_eq!(codes, [(Some(1), Some(-32600)), (Some(2), Some(-32600)), (Some(3), Some(-32600)), (Some(4), None)]);
}

#[test]
fn a_batch_in_a_batch_is_no_message() {
    let seen = batch(&[json!([ask(1, "ping")])]).send();
    assert_eq!(seen.body[0]["error"]["code"], -32600);
}
