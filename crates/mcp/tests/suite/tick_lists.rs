//! Protocol checklist §20: one conversation per revision, as its clients hold it.

use chorus_mcp::{Version, Work};
use serde_json::{Value, json};

use crate::wire::{CAPABILITIES_KEY, Post, SERVER_INFO_KEY, VERSION_KEY, check};

/// Handshake, notification, ping, list, call; every POST could reach another process.
fn handshake_conversation(version: Version, named: fn(Post, Version) -> Post) -> Value {
    let hello = json!({
        "protocolVersion": version.as_str(),
        "capabilities": { "extensions": {}, "roots": { "listChanged": true } },
        "clientInfo": { "name": "client", "version": "0", "title": "Client", "icons": [] },
    });
    let greeting = Post::bare("initialize", &hello).send().result().clone();
    assert_eq!(greeting["protocolVersion"], version.as_str());
    assert!(!greeting["serverInfo"]["version"].as_str().unwrap().is_empty());

    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    check(&named(Post::json(&initialized), version), 202, 0);
    assert_eq!(*named(Post::bare("ping", &json!({})), version).send().result(), json!({}));
    assert_eq!(named(Post::bare("tools/list", &json!({})), version).send().result()["tools"][0]["name"], "echo");
    let call = json!({ "name": "echo", "_meta": { "progressToken": 0 } });
    named(Post::bare("tools/call", &call), version).send().result().clone()
}

fn by_header(post: Post, version: Version) -> Post {
    post.header("MCP-Protocol-Version", version.as_str())
}

fn without_header(post: Post, _: Version) -> Post {
    post
}

#[test]
fn v2024_11_05() {
    for named in [by_header, without_header] {
        let result = handshake_conversation(Version::V2024_11_05, named);
        assert_eq!(result["content"][0]["type"], "text");
        assert_eq!(result.get("structuredContent"), None);
    }
}

#[test]
fn v2025_03_26() {
    for named in [by_header, without_header] {
        let result = handshake_conversation(Version::V2025_03_26, named);
        assert_eq!(result.get("structuredContent"), None);
    }
    assert_eq!(Post::bare("tools/list", &json!({})).request().version, Version::V2025_03_26);
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]);
    assert_eq!(Post::json(&batch).send().body, json!([{ "jsonrpc": "2.0", "id": 1, "result": {} }]));
    let listed = Post::bare("tools/list", &json!({})).send();
    assert_eq!(listed.result()["tools"][0]["annotations"]["readOnlyHint"], true);
}

#[test]
fn v2025_06_18() {
    let result = handshake_conversation(Version::V2025_06_18, by_header);
    assert_eq!(result["structuredContent"], json!({ "text": "hi" }));
    check(&Post::bare("ping", &json!({})).header("MCP-Protocol-Version", "bad"), 400, -32600);
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]);
    check(&Post::json(&batch).header("MCP-Protocol-Version", "2025-06-18"), 400, -32600);
    let listed = Post::of(Version::V2025_06_18, "tools/list", json!({})).send();
    let tool = &listed.result()["tools"][0];
    assert!(tool["outputSchema"].is_object() && tool["title"].is_string());
}

#[test]
fn v2025_11_25() {
    let result = handshake_conversation(Version::V2025_11_25, by_header);
    assert_eq!(result["structuredContent"], json!({ "text": "hi" }));
    // Validation of arguments is the tool's: the protocol lets anything in an object through.
    let call = Post::of(Version::V2025_11_25, "tools/call", json!({ "name": "echo", "arguments": { "text": 1 } }));
    assert!(matches!(call.request().work, Work::CallTool { .. }));
    // Tasks are not advertised, and asking for one changes nothing.
    let greeting = Post::bare("initialize", &json!({ "protocolVersion": "2025-11-25" })).send();
    assert_eq!(greeting.result()["capabilities"], json!({ "tools": {} }));
    check(&call.with("/params/task", json!({ "ttl": 1 })), 200, 0);
}

#[test]
fn v2026_07_28() {
    let discovered = Post::modern("server/discover", json!({})).send();
    let discovered = discovered.result();
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(discovered["_meta"][SERVER_INFO_KEY]["name"], "server");
    assert_eq!(discovered.get("serverInfo"), None);

    // Any method may come first.
    let call = || Post::modern("tools/call", json!({ "name": "echo" }));
    let called = call().send();
    assert_eq!(called.result()["resultType"], "complete");
    for key in [VERSION_KEY, CAPABILITIES_KEY] {
        check(&call().lacking(&format!("/params/_meta/{}", key.replace('/', "~1"))), 400, -32602);
    }
    check(&call().without("MCP-Protocol-Version"), 400, -32020);
    check(&call().without("Mcp-Method"), 400, -32020);
    check(&call().without("Mcp-Name"), 400, -32020);
    check(&Post::modern("no/such", json!({})), 404, -32601);
    // What is not offered is absent, and says so at once.
    check(&Post::modern("subscriptions/listen", json!({ "notifications": {} })), 404, -32601);
    // Nothing is logged, asked for or not.
    let logging = call().with("/params/_meta/io.modelcontextprotocol~1logLevel", json!("debug"));
    assert_eq!(logging.send().body, called.body);
}
