//! Protocol checklist §1.2 and §2.2: what is checked first, and what it is answered with.

use chorus_mcp::{Encoding, method_not_allowed, payload_too_large};
use serde_json::json;

use crate::wire::{Post, Seen, check};

const META_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
const META_CAPABILITIES: &str = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";

/// A modern call that fails every check from `step` on, in the order of the checklist.
fn failing_from(step: usize) -> Post {
    let mut post = Post::modern("tools/call", json!({ "name": "echo", "arguments": [] })).header("Accept", "text/html");
    let faults: [fn(Post) -> Post; 7] = [
        |post| post.header("Content-Type", "text/plain"),
        |post| post.spoiled(),
        |post| post.with("/jsonrpc", json!("1.0")),
        |post| post.with(META_VERSION, json!("2099-01-01")), // 8b: the header says otherwise
        |post| post.lacking(META_CAPABILITIES),              // 8c
        |post| post.header("Mcp-Method", "tools/list"),      // 8e
        |post| post.header("Mcp-Name", "other"),             // 8f
    ];
    for fault in faults.into_iter().skip(step).rev() {
        post = fault(post);
    }
    post
}

#[test]
fn the_first_failing_check_answers() {
    let expected = [
        (415, -32600),
        (400, -32700),
        (400, -32600),
        (400, -32020),
        (400, -32602),
        (400, -32020),
        (400, -32020),
        (406, -32600),
    ];
    for (step, (status, code)) in expected.into_iter().enumerate() {
        check(&failing_from(step), status, code);
    }
    check(&failing_from(7).header("Accept", "*/*"), 200, -32602);
}

#[test]
fn each_modern_step_comes_before_the_next() {
    let call = || Post::modern("tools/call", json!({ "name": "echo" }));
    let unserved = |post: Post| post.with(META_VERSION, json!("2099-01-01"));
    // a: the version header is absent, before c
    check(&call().without("MCP-Protocol-Version").lacking(META_CAPABILITIES), 400, -32020);
    // b: the versions differ, even when one is unknown, before d
    check(&unserved(call()), 400, -32020);
    check(&call().header("MCP-Protocol-Version", "2099-01-01"), 400, -32020);
    check(&call().header("MCP-Protocol-Version", "2025-11-25"), 400, -32020);
    check(&call().header("MCP-Protocol-Version", "garbage"), 400, -32020);
    // c: metadata is missing, before d
    check(&call().header("MCP-Protocol-Version", "2099-01-01").lacking(META_VERSION), 400, -32602);
    check(&call().lacking(META_VERSION), 400, -32602);
    check(&call().lacking(META_CAPABILITIES), 400, -32602);
    check(&call().lacking("/params/_meta"), 400, -32602);
    check(&call().with("/params", json!([])), 400, -32602);
    check(&call().lacking("/params"), 400, -32602);
    check(&call().with(META_VERSION, json!(20_260_728)), 400, -32602);
    check(&call().with(META_CAPABILITIES, json!([])), 400, -32602);
    // d: the version is not served, before e
    check(&unserved(call()).header("MCP-Protocol-Version", "2099-01-01").without("Mcp-Method"), 400, -32022);
    // e: the method header, before f
    let e = call().header("Mcp-Method", "tools/list").without("Mcp-Name").send();
    assert!(e.message().contains("Mcp-Method"), "{e:?}");
    // f: the name header, before g
    check(&Post::modern("prompts/get", json!({ "name": "p" })).without("Mcp-Name"), 400, -32020);
    check(&Post::modern("resources/read", json!({ "uri": "u" })).without("Mcp-Name"), 400, -32020);
    check(&Post::modern("tasks/get", json!({ "taskId": "t" })).without("Mcp-Name"), 400, -32020);
    // g: the method is unknown, before `Accept`
    check(&Post::modern("prompts/get", json!({ "name": "p" })).header("Accept", "text/html"), 404, -32601);
    check(&Post::modern("resources/read", json!({ "uri": "u" })), 404, -32601);
    // j: parameters are looked at last
    check(&call().with("/params/arguments", json!("{}")).header("Accept", "text/html"), 406, -32600);
    check(&call().with("/params/arguments", json!("{}")), 200, -32602);
}

#[test]
fn the_legacy_order_is_version_then_accept_then_method() {
    let odd = Post::bare("no/such", &json!({})).header("Accept", "text/html");
    check(&odd.clone().header("MCP-Protocol-Version", "garbage"), 400, -32600);
    check(&odd.clone(), 406, -32600);
    check(&odd.header("Accept", "*/*"), 200, -32601);
}

#[test]
fn content_types_other_than_json_are_refused_whatever_the_body() {
    for good in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON ;charset=\"utf-8\"",
        " application/json",
    ] {
        check(&Post::bare("ping", &json!({})).header("Content-Type", good), 200, 0);
    }
    for bad in ["text/plain", "application/json-rpc", "application/x-www-form-urlencoded", "", "json", "application/*"]
    {
        check(&Post::bare("ping", &json!({})).header("Content-Type", bad), 415, -32600);
        check(&Post::raw("{").header("Content-Type", bad), 415, -32600);
    }
    check(&Post::bare("ping", &json!({})).without("Content-Type"), 415, -32600);
    check(&Post::bare("ping", &json!({})).also("Content-Type", "text/plain"), 415, -32600);
}

#[test]
fn unreadable_bodies_are_parse_errors_without_an_id() {
    for body in ["", " ", "{", "nul", "{}{}", "[", "[1,]", "{'a':1}", "\u{feff}", "\u{feff}\u{feff}{}", "{\"id\":01}"] {
        check(&Post::raw(body), 400, -32700);
        assert_eq!(Post::raw(body).send().body.get("id"), None, "{body}");
    }
    check(&Post::raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}".to_vec()), 400, -32700);
}

#[test]
fn values_that_are_no_message_are_invalid_requests() {
    let cases = [
        "1",
        "\"ping\"",
        "null",
        "true",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":2.0,"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2","id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":["ping"]}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
    ];
    for body in cases {
        check(&Post::raw(body), 400, -32600);
        assert_eq!(Post::raw(body).send().body.get("id").is_some(), body.contains("\"id\":7"), "{body}");
    }
}

#[test]
fn unknown_methods_have_a_status_only_in_the_modern_era() {
    let not_offered = [
        "no/such",
        "resources/list",
        "resources/templates/list",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
        "subscriptions/listen",
        "tasks/list",
        "tasks/result",
        "Tools/list",
        "",
    ];
    for method in not_offered {
        check(&Post::bare(method, &json!({})), 200, -32601);
        check(&Post::bare(method, &json!({})).header("MCP-Protocol-Version", "2025-11-25"), 200, -32601);
        check(&Post::modern(method, json!({})), 404, -32601);
    }
    for removed in ["initialize", "ping", "notifications/roots/list_changed"] {
        check(&Post::modern(removed, json!({})), 404, -32601);
    }
    check(&Post::bare("notifications/initialized", &json!({})), 200, -32601); // a request, since it has an id
    check(&Post::bare("server/discover", &json!({})), 400, -32602); // a method of the modern era, without metadata
}

#[test]
fn stale_sessions_and_event_ids_are_ignored() {
    for post in [Post::bare("ping", &json!({})), Post::modern("tools/list", json!({}))] {
        check(&post.header("Mcp-Session-Id", "gone").header("Last-Event-ID", "4"), 200, 0);
    }
}

#[test]
fn refusals_by_the_transport_are_json_rpc_errors_without_an_id() {
    for (reply, status) in [(method_not_allowed(), 405), (payload_too_large(4_194_304), 413)] {
        let seen = Seen::from(reply);
        assert_eq!((seen.status, seen.encoding, seen.code()), (status, Encoding::Json, Some(-32600)));
        assert_eq!(seen.body.get("id"), None);
    }
    assert!(Seen::from(payload_too_large(4_194_304)).message().contains("4194304"));
}
