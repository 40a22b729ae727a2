//! What is offered is advertised and served, and nothing else (protocol checklist §3, §19).

use chorus_mcp::{Offer, ServerInfo, Version};
use serde_json::{Value, json};

use crate::wire::{Post, check, everything, server};

/// Every method that an offer can add, with parameters that are right, and what a client must declare for it.
fn methods() -> Vec<(&'static str, Value, Value)> {
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let nothing = json!({});
    vec![
        ("tools/list", json!({}), nothing.clone()),
        ("tools/call", json!({ "name": "echo" }), nothing.clone()),
        ("resources/list", json!({}), nothing.clone()),
        ("resources/templates/list", json!({}), nothing.clone()),
        ("resources/read", json!({ "uri": "test://one" }), nothing.clone()),
        ("resources/subscribe", json!({ "uri": "test://one" }), nothing.clone()),
        ("resources/unsubscribe", json!({ "uri": "test://one" }), nothing.clone()),
        ("prompts/list", json!({}), nothing.clone()),
        ("prompts/get", json!({ "name": "ask" }), nothing.clone()),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "ask" }, "argument": { "name": "what", "value": "" } }),
            nothing.clone(),
        ),
        ("logging/setLevel", json!({ "level": "info" }), nothing.clone()),
        ("subscriptions/listen", json!({ "notifications": {} }), nothing),
        ("tasks/get", json!({ "taskId": "t-1" }), tasks.clone()),
        ("tasks/update", json!({ "taskId": "t-1", "inputResponses": {} }), tasks.clone()),
        ("tasks/cancel", json!({ "taskId": "t-1" }), tasks),
    ]
}

fn served(server: &ServerInfo, version: Version) -> Vec<&'static str> {
    let answered = |(method, params, declared): &(&'static str, Value, Value)| {
        let post = Post::of(version, method, params.clone()).to(server.clone());
        let seen = if version.is_modern() { post.able(declared.clone()).send() } else { post.send() };
        let missing = seen.code() == Some(-32601);
        assert!(missing || seen.code().is_none(), "{method}: {seen:?}");
        assert_eq!(seen.status, if missing && version.is_modern() { 404 } else { 200 }, "{method}: {seen:?}");
        !missing
    };
    methods().iter().filter(|row| answered(row)).map(|(method, ..)| *method).collect()
}

fn offering(offer: Offer) -> ServerInfo {
    ServerInfo { offer, ..server() }
}

fn capabilities(server: &ServerInfo, version: Version) -> Value {
    let post = if version.is_modern() {
        Post::modern("server/discover", json!({}))
    } else {
        Post::bare("initialize", &json!({ "protocolVersion": version.as_str() }))
    };
    post.to(server.clone()).send().result()["capabilities"].clone()
}

#[test]
fn nothing_offered_is_nothing_served() {
    for version in Version::ALL {
        let bare = offering(Offer::default());
        assert_eq!(served(&bare, version), [""; 0]);
        assert_eq!(capabilities(&bare, version), json!({}));
    }
}

#[test]
fn each_offer_adds_its_methods() {
    type Row = (fn(&mut Offer), &'static str, Vec<&'static str>, Value);
    let rows: [Row; 6] = [
        (|offer| offer.tools = true, "legacy and modern", vec!["tools/list", "tools/call"], json!({ "tools": {} })),
        (
            |offer| offer.resources = true,
            "legacy and modern",
            vec!["resources/list", "resources/templates/list", "resources/read"],
            json!({ "resources": {} }),
        ),
        (
            |offer| offer.prompts = true,
            "legacy and modern",
            vec!["prompts/list", "prompts/get"],
            json!({ "prompts": {} }),
        ),
        (
            |offer| offer.completions = true,
            "legacy and modern",
            vec!["completion/complete"],
            json!({ "completions": {} }),
        ),
        (|offer| offer.logging = true, "legacy", vec!["logging/setLevel"], json!({ "logging": {} })),
        (
            |offer| offer.tasks = true,
            "modern",
            vec!["subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel"],
            json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }),
        ),
    ];
    for (set, eras, methods, advertised) in rows {
        let mut offer = Offer::default();
        set(&mut offer);
        let server = offering(offer);
        for version in Version::ALL {
            let era = if version.is_modern() { "modern" } else { "legacy" };
            let expected = if eras.contains(era) { methods.clone() } else { Vec::new() };
            assert_eq!(served(&server, version), expected, "{version}");
        }
        assert_eq!(capabilities(&server, Version::V2026_07_28), advertised);
    }
}

#[test]
fn everything_is_advertised_as_each_revision_names_it() {
    let server = offering(everything());
    let legacy = json!({
        "tools": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true },
        "prompts": { "listChanged": true },
        "logging": {},
    });
    assert_eq!(capabilities(&server, Version::V2024_11_05), legacy);
    let mut completing = legacy;
    completing["completions"] = json!({});
    for version in [Version::V2025_03_26, Version::V2025_06_18, Version::V2025_11_25] {
        assert_eq!(capabilities(&server, version), completing, "{version}");
    }
    let mut extended = completing;
    extended["extensions"] = json!({ "example.com/own": { "level": 2 }, "io.modelcontextprotocol/tasks": {} });
    assert_eq!(capabilities(&server, Version::V2026_07_28), extended);
}

/// A server that can push only to those who listen offers no news to revisions that cannot.
#[test]
fn news_are_offered_only_where_a_stream_can_bring_them() {
    let server = offering(Offer { session_stream: false, ..everything() });
    for version in Version::ALL {
        let capabilities = capabilities(&server, version);
        for news in ["/tools/listChanged", "/resources/listChanged", "/resources/subscribe", "/prompts/listChanged"] {
            assert_eq!(capabilities.pointer(news).is_some(), version.is_modern(), "{version} {news}");
        }
        assert!(!served(&server, version).contains(&"resources/subscribe"));
        assert_eq!(served(&server, version).contains(&"subscriptions/listen"), version.is_modern());
    }
    let pushing = offering(everything());
    assert!(served(&pushing, Version::V2025_11_25).contains(&"resources/subscribe"));
    assert!(!served(&pushing, Version::V2026_07_28).contains(&"resources/subscribe"));
}

#[test]
fn news_of_what_is_not_offered_are_not_offered() {
    let news = Offer { tools: false, resources: false, prompts: false, tasks: false, ..everything() };
    let server = offering(news);
    assert_eq!(capabilities(&server, Version::V2026_07_28)["tools"], Value::Null);
    assert!(!served(&server, Version::V2026_07_28).contains(&"subscriptions/listen"));
    assert!(!served(&server, Version::V2025_11_25).contains(&"resources/subscribe"));
}

#[test]
fn removed_methods_are_missing_whatever_is_offered() {
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
    ] {
        check(&Post::modern(method, json!({ "uri": "test://one", "level": "info" })).rich(), 404, -32601);
    }
    for method in ["tasks/list", "tasks/result", "tasks/get", "server/discover", "subscriptions/listen"] {
        let legacy = Post::of(Version::V2025_11_25, method, json!({ "taskId": "t-1", "notifications": {} }));
        // Only a modern client asks for discovery, so asking claims that era.
        let expected = if method == "server/discover" { (400, -32602) } else { (200, -32601) };
        check(&legacy.rich(), expected.0, expected.1);
    }
}
