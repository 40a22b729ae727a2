//! Notifications, responses, and bodies that are meant to hurt.

use chorus_mcp::{Answer, RpcError};
use serde_json::{Value, json};

use crate::wire::{Post, VERSION_KEY, check};

fn notification(method: &str, params: &Value) -> Post {
    Post::json(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

#[test]
fn notifications_are_taken_whatever_they_say() {
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/no/such", "tools/call", "x"] {
        for header in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            check(&notification(method, &json!({ "name": "echo" })).header("MCP-Protocol-Version", header), 202, 0);
        }
        let post = notification(method, &json!(null));
        check(&post, 202, 0);
        assert!(post.send().text.is_empty());
    }
    check(&notification("notifications/cancelled", &json!([1])), 202, 0);
}

#[test]
fn a_notification_under_an_unknown_version_is_refused_without_an_id() {
    let post = notification("notifications/initialized", &json!({})).header("MCP-Protocol-Version", "garbage");
    check(&post, 400, -32600);
    assert_eq!(post.send().body.get("id"), None);
}

#[test]
fn modern_notifications_need_no_headers_but_must_not_carry_wrong_ones() {
    let modern = || notification("notifications/cancelled", &json!({ "_meta": { VERSION_KEY: "2026-07-28" } }));
    check(&modern(), 202, 0);
    check(&modern().header("MCP-Protocol-Version", "2026-07-28"), 202, 0);
    check(&modern().header("Mcp-Method", "notifications/cancelled"), 202, 0);
    check(&notification("x", &json!({})).header("MCP-Protocol-Version", "2026-07-28"), 202, 0);

    check(&modern().header("MCP-Protocol-Version", "2025-11-25"), 400, -32020);
    check(&modern().header("Mcp-Method", "notifications/initialized"), 400, -32020);
    check(&modern().header("Mcp-Method", "a").also("Mcp-Method", "a"), 400, -32020);
    check(&notification("x", &json!({})).header("MCP-Protocol-Version", "2099-01-01"), 400, -32022);
    check(&notification("x", &json!({ "_meta": { VERSION_KEY: "2099-01-01" } })), 400, -32022);
}

#[test]
fn responses_are_taken_and_dropped() {
    let responses = [
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": null }),
        json!({ "jsonrpc": "2.0", "id": "a", "error": { "code": -1, "message": "no" } }),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -1, "message": "no" } }),
        json!({ "jsonrpc": "2.0", "error": { "code": -1, "message": "no" } }),
    ];
    for response in responses {
        let post = Post::json(&response);
        check(&post, 202, 0);
        check(&post.clone().header("MCP-Protocol-Version", "2025-11-25"), 202, 0);
        check(&post.clone().header("MCP-Protocol-Version", "2026-07-28"), 202, 0);
        check(&post.header("MCP-Protocol-Version", "garbage"), 400, -32600);
    }
}

#[test]
fn unknown_members_are_tolerated_everywhere() {
    let post = Post::modern("tools/call", json!({ "name": "echo", "future": [1], "inputResponses": {}, "task": {} }))
        .with("/future", json!({ "a": 1 }))
        .with("/params/_meta/progressToken", json!(0))
        .with("/params/_meta/x-codex-turn-metadata", json!({}));
    check(&post, 200, 0);
    check(&Post::bare("ping", &json!({ "_meta": { "progressToken": "t" }, "x": 1 })), 200, 0);
}

#[test]
fn absent_null_and_empty_params_are_the_same() {
    for method in ["ping", "tools/list"] {
        for post in [
            Post::bare(method, &json!({})),
            Post::bare(method, &json!(null)),
            Post::bare(method, &json!({})).lacking("/params"),
        ] {
            check(&post, 200, 0);
        }
        for wrong in [json!([]), json!("x"), json!(1), json!(true), json!({ "_meta": [] })] {
            check(&Post::bare(method, &wrong), 200, -32602);
        }
    }
}

#[test]
fn deep_json_is_an_error_that_carries_the_id() {
    for depth in [200, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let params = format!(r#"{{"name":"echo","arguments":{{"a":{open}{close}}}}}"#);
        let post = Post::raw(format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{params},"id":"deep"}}"#));
        check(&post, 400, -32700);
        assert_eq!(post.send().body["id"], "deep");
        for member in ["jsonrpc", "id", "method"] {
            check(&Post::raw(format!(r#"{{"{member}":{open}{close}}}"#)), 400, -32600);
        }
        // Nobody looks into it.
        check(&Post::raw(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","x":{open}{close}}}"#)), 200, 0);
        check(&Post::raw(open.clone()), 400, -32700);
        check(&Post::raw(r#"{"a":"#.repeat(depth)), 400, -32700);
        assert_eq!(Post::raw(format!("{open}{close}")).send().body[0]["error"]["code"], -32600);
    }
}

#[test]
fn text_that_is_no_text_is_an_error_that_carries_the_id() {
    let post = Post::raw(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800"}}"#);
    check(&post, 400, -32700);
    assert_eq!(post.send().body["id"], 7);
}

#[test]
fn quotes_of_the_client_are_short_and_internal_errors_say_nothing() {
    let long = "é".repeat(100_000);
    let seen = Post::bare(&long, &json!({})).send();
    assert!(seen.message().len() < 400);
    assert!(RpcError::unknown_tool(&long).message.len() < 400);
    let seen = Post::bare("tools/list", &json!({})).answered(Answer::Error(RpcError::internal()));
    assert_eq!(seen.body["error"], json!({ "code": -32603, "message": "internal error" }));
}
