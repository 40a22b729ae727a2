//! Protocol checklist §19: what is sent to whom.

use chorus_mcp::{Answer, CallResult, Content, Resource, RpcError, Version};
use serde_json::{Value, json};

use crate::wire::{Post, SERVER_INFO_KEY, Seen, success, tool};

fn listed(version: Version) -> Value {
    Post::of(version, "tools/list", json!({})).send().result().clone()
}

fn definition(version: Version) -> Value {
    listed(version)["tools"][0].clone()
}

fn called(version: Version) -> Value {
    Post::of(version, "tools/call", json!({ "name": "echo" })).send().result().clone()
}

/// What the server says of itself under this revision: by the handshake, or by discovery.
fn greeting(version: Version) -> Value {
    let post = if version.is_modern() {
        Post::modern("server/discover", json!({}))
    } else {
        Post::bare("initialize", &json!({ "protocolVersion": version.as_str(), "capabilities": {} }))
    };
    post.send().result().clone()
}

/// The server's own description, wherever this revision has it.
fn implementation(version: Version) -> Value {
    let greeting = greeting(version);
    if version.is_modern() { greeting["_meta"][SERVER_INFO_KEY].clone() } else { greeting["serverInfo"].clone() }
}

fn answers_with(version: Version, method: &str) -> u16 {
    Post::of(version, method, json!({ "protocolVersion": version.as_str() })).send().status
}

fn has(value: &Value, name: &str) -> bool {
    value.get(name).is_some()
}

#[test]
fn the_matrix() {
    type Probe = fn(Version) -> bool;
    /// The cells for 2024-11-05 to 2026-07-28: `x` is sent, `.` is not.
    const MATRIX: &[(&str, Probe, &str)] = &[
        ("tool.annotations", |v| has(&definition(v), "annotations"), ". x x x x"),
        ("annotations.title", |v| has(&definition(v)["annotations"], "title"), ". x . . ."),
        ("tool.title", |v| has(&definition(v), "title"), ". . x x x"),
        ("serverInfo.title", |v| has(&implementation(v), "title"), ". . x x x"),
        ("outputSchema", |v| has(&definition(v), "outputSchema"), ". . x x x"),
        ("tool._meta", |v| has(&definition(v), "_meta"), ". . x x x"),
        ("structuredContent", |v| has(&called(v), "structuredContent"), ". . x x x"),
        ("result._meta of ours", |v| has(&called(v)["_meta"], "example.com/of"), "x x x x x"),
        ("tool.icons", |v| has(&definition(v), "icons"), ". . . . ."),
        ("serverInfo.icons", |v| has(&implementation(v), "icons"), ". . . . ."),
        ("tool.execution", |v| has(&definition(v), "execution"), ". . . . ."),
        ("capabilities.tools", |v| has(&greeting(v)["capabilities"], "tools"), "x x x x x"),
        ("capabilities.completions", |v| has(&greeting(v)["capabilities"], "completions"), ". . . . ."),
        ("capabilities.extensions", |v| has(&greeting(v)["capabilities"], "extensions"), ". . . . ."),
        ("tools.listChanged", |v| has(&greeting(v)["capabilities"]["tools"], "listChanged"), ". . . . ."),
        ("instructions", |v| has(&greeting(v), "instructions"), "x x x x x"),
        ("protocolVersion in the greeting", |v| has(&greeting(v), "protocolVersion"), "x x x x ."),
        ("serverInfo in the greeting", |v| has(&greeting(v), "serverInfo"), "x x x x ."),
        ("supportedVersions", |v| has(&greeting(v), "supportedVersions"), ". . . . x"),
        ("batching", batches, ". x . . ."),
        ("resultType of a list", |v| listed(v)["resultType"] == "complete", ". . . . x"),
        ("resultType of a call", |v| called(v)["resultType"] == "complete", ". . . . x"),
        ("resultType of a greeting", |v| greeting(v)["resultType"] == "complete", ". . . . x"),
        ("ttlMs of a list", |v| listed(v)["ttlMs"].is_u64(), ". . . . x"),
        ("ttlMs of a greeting", |v| greeting(v)["ttlMs"].is_u64(), ". . . . x"),
        ("ttlMs of a call", |v| has(&called(v), "ttlMs"), ". . . . ."),
        ("cacheScope of a list", |v| listed(v)["cacheScope"] == "private", ". . . . x"),
        ("cacheScope of a greeting", |v| greeting(v)["cacheScope"] == "private", ". . . . x"),
        ("cacheScope of a call", |v| has(&called(v), "cacheScope"), ". . . . ."),
        ("_meta.serverInfo of a list", |v| has(&listed(v)["_meta"], SERVER_INFO_KEY), ". . . . x"),
        ("_meta.serverInfo of a call", |v| has(&called(v)["_meta"], SERVER_INFO_KEY), ". . . . x"),
        ("unknown method is 404", |v| answers_with(v, "no/such") == 404, ". . . . x"),
        ("unknown method is 200", |v| answers_with(v, "no/such") == 200, "x x x x ."),
        ("ping", |v| Post::of(v, "ping", json!({})).send().code().is_none(), "x x x x ."),
        ("initialize", |v| answers_with(v, "initialize") == 200, "x x x x ."),
    ];
    for (field, probe, expected) in MATRIX {
        let row = Version::ALL.map(|version| if probe(version) { "x" } else { "." }).join(" ");
        assert_eq!(row, *expected, "{field}");
    }
}

/// The result of a request to a server that offers everything.
fn rich(version: Version, method: &str, params: Value) -> Value {
    Post::of(version, method, params).rich().send().result().clone()
}

fn capabilities(version: Version) -> Value {
    let method = if version.is_modern() { "server/discover" } else { "initialize" };
    let post = if version.is_modern() {
        Post::modern(method, json!({}))
    } else {
        Post::bare(method, &json!({ "protocolVersion": version.as_str() }))
    };
    post.rich().send().result()["capabilities"].clone()
}

fn served(version: Version, method: &str, params: Value) -> bool {
    Post::of(version, method, params).rich().send().code().is_none()
}

/// The kind that this content has for a client.
fn kind(version: Version, content: Content) -> Value {
    let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
    post.answered(Answer::Call(CallResult::blocks(vec![content]))).result()["content"][0]["type"].clone()
}

fn not_found(version: Version) -> Option<i64> {
    let post = Post::of(version, "resources/read", json!({ "uri": "test://none" })).rich();
    post.answered(Answer::Error(RpcError::resource_not_found("test://none"))).code()
}

fn explains_progress(version: Version) -> bool {
    let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
    let meta = if version.is_modern() { post } else { post.with("/params/_meta", json!({})) };
    let mut stream = meta.with("/params/_meta/progressToken", json!(0)).exchange().stream().unwrap();
    let told = stream.progress(1.0, None, Some("half")).unwrap();
    String::from_utf8(told).unwrap().contains("half")
}

#[test]
fn the_matrix_of_a_server_that_offers_everything() {
    type Probe = fn(Version) -> bool;
    const MATRIX: &[(&str, Probe, &str)] = &[
        ("capabilities.completions", |v| has(&capabilities(v), "completions"), ". x x x x"),
        ("capabilities.extensions", |v| has(&capabilities(v), "extensions"), ". . . . x"),
        ("capabilities.tasks", |v| has(&capabilities(v), "tasks"), ". . . . ."),
        ("capabilities.logging", |v| has(&capabilities(v), "logging"), "x x x x x"),
        ("tools.listChanged", |v| has(&capabilities(v)["tools"], "listChanged"), "x x x x x"),
        (
            "pictures",
            |v| kind(v, Content::Image { data: Vec::new(), mime_type: String::new() }) == "image",
            "x x x x x",
        ),
        ("sound", |v| kind(v, Content::Audio { data: Vec::new(), mime_type: String::new() }) == "audio", ". x x x x"),
        ("links", |v| kind(v, Content::Link(Resource::new("u", "n"))) == "resource_link", ". . x x x"),
        ("progress.message", explains_progress, ". x x x x"),
        ("resource.title", |v| has(&rich(v, "resources/list", json!({}))["resources"][0], "title"), ". . x x x"),
        ("resource._meta", |v| has(&rich(v, "resources/list", json!({}))["resources"][0], "_meta"), ". . x x x"),
        (
            "contents._meta",
            |v| has(&rich(v, "resources/read", json!({ "uri": "u" }))["contents"][0], "_meta"),
            ". . x x x",
        ),
        ("prompt.title", |v| has(&rich(v, "prompts/list", json!({}))["prompts"][0], "title"), ". . x x x"),
        ("ttlMs of contents", |v| has(&rich(v, "resources/read", json!({ "uri": "u" })), "ttlMs"), ". . . . x"),
        ("ttlMs of a prompt", |v| has(&rich(v, "prompts/get", json!({ "name": "n" })), "ttlMs"), ". . . . ."),
        ("resultType of a prompt", |v| has(&rich(v, "prompts/get", json!({ "name": "n" })), "resultType"), ". . . . x"),
        ("not found is -32002", |v| not_found(v) == Some(-32002), "x x x x ."),
        ("not found is -32602", |v| not_found(v) == Some(-32602), ". . . . x"),
        ("logging/setLevel", |v| served(v, "logging/setLevel", json!({ "level": "info" })), "x x x x ."),
        ("resources/subscribe", |v| served(v, "resources/subscribe", json!({ "uri": "u" })), "x x x x ."),
        ("tasks/list", |v| served(v, "tasks/list", json!({})), ". . . . ."),
    ];
    for (field, probe, expected) in MATRIX {
        let row = Version::ALL.map(|version| if probe(version) { "x" } else { "." }).join(" ");
        assert_eq!(row, *expected, "{field}");
    }
}

fn batches(version: Version) -> bool {
    let body = json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]);
    Post::json(&body).header("MCP-Protocol-Version", version.as_str()).send().status == 200
}

#[test]
fn nothing_else_is_sent() {
    let tool_members = [
        "description inputSchema name",
        "annotations description inputSchema name",
        "_meta annotations description inputSchema name outputSchema title",
        "_meta annotations description inputSchema name outputSchema title",
        "_meta annotations description inputSchema name outputSchema title",
    ];
    let list_members =
        ["nextCursor tools"; 4].into_iter().chain(["_meta cacheScope nextCursor resultType tools ttlMs"]);
    let call_members = [
        "_meta content isError",
        "_meta content isError",
        "_meta content isError structuredContent",
        "_meta content isError structuredContent",
        "_meta content isError resultType structuredContent",
    ];
    let greeting_members = ["capabilities instructions protocolVersion serverInfo"; 4]
        .into_iter()
        .chain(["_meta cacheScope capabilities instructions resultType supportedVersions ttlMs"]);
    let rows = tool_members.into_iter().zip(list_members).zip(call_members).zip(greeting_members);
    for (version, (((tool, list), call), greeting_row)) in Version::ALL.into_iter().zip(rows) {
        assert_eq!(Seen::keys(&definition(version)).join(" "), tool, "{version}");
        assert_eq!(Seen::keys(&listed(version)).join(" "), list, "{version}");
        assert_eq!(Seen::keys(&called(version)).join(" "), call, "{version}");
        assert_eq!(Seen::keys(&greeting(version)).join(" "), greeting_row, "{version}");
    }
}

#[test]
fn values_are_the_callers() {
    let tool = definition(Version::V2026_07_28);
    assert_eq!(
        (&tool["name"], &tool["title"], &tool["description"]),
        (&json!("echo"), &json!("Echo"), &json!("Says it again."))
    );
    let hints =
        json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false });
    assert_eq!(tool["annotations"], hints);
    assert_eq!(tool["_meta"], json!({ "example.com/of": "definition" }));

    let info = json!({ "name": "server", "version": "1.2.3", "title": "A Server" });
    assert_eq!(implementation(Version::V2026_07_28), info);
    assert_eq!(implementation(Version::V2025_06_18), info);
    assert_eq!(greeting(Version::V2024_11_05)["instructions"], "Ask it.");
    assert_eq!(greeting(Version::V2026_07_28)["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(greeting(Version::V2025_11_25)["capabilities"], json!({ "tools": {} }));
}

#[test]
fn what_is_not_set_is_not_sent() {
    let tool = chorus_mcp::ToolDef { title: None, output_schema: None, meta: None, ..tool() };
    for version in Version::ALL {
        let rendered = tool.render(version);
        for absent in ["title", "outputSchema", "_meta"] {
            assert!(!has(&rendered, absent), "{version} {absent}");
        }
        assert!(!has(&rendered["annotations"], "title"));

        let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
        let seen = post.answered(Answer::Call(CallResult { structured: None, meta: None, ..success() }));
        assert!(!has(seen.result(), "structuredContent"));
        assert_eq!(has(seen.result(), "_meta"), version.is_modern());
    }
}

#[test]
fn a_pong_is_an_empty_object() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        assert_eq!(Post::of(version, "ping", json!({})).send().text, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    }
}

#[test]
fn the_callers_metadata_cannot_name_another_server() {
    let meta = Some(crate::wire::object(json!({ SERVER_INFO_KEY: { "name": "other" }, "a.b/c": 1 })));
    let post = Post::modern("tools/call", json!({ "name": "echo" }));
    let seen = post.answered(Answer::Call(CallResult { meta, ..success() }));
    assert_eq!(seen.result()["_meta"][SERVER_INFO_KEY]["name"], "server");
    assert_eq!(seen.result()["_meta"]["a.b/c"], 1);
}
