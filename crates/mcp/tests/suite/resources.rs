//! `resources/*` (protocol checklist §8).

use chorus_mcp::{
    Answer, Content, Resource, ResourceAnnotations, ResourceBody, ResourceContents, ResourceTemplate, RpcError,
    Version, Work,
};
use serde_json::{Value, json};

use crate::wire::{Post, Seen, check};

fn read(version: Version, contents: ResourceContents) -> Value {
    let post = Post::of(version, "resources/read", json!({ "uri": "test://one" })).rich();
    post.answered(Answer::Contents(vec![contents])).result()["contents"][0].clone()
}

#[test]
fn requests_arrive_as_they_were_sent() {
    for version in Version::ALL {
        let post = |method: &str, params: Value| Post::of(version, method, params).rich().request().work;
        let cursor = Some("c".to_owned());
        assert_eq!(post("resources/list", json!({ "cursor": "c" })), Work::ListResources { cursor: cursor.clone() });
        assert_eq!(post("resources/templates/list", json!({ "cursor": "c" })), Work::ListTemplates { cursor });
        let Work::ReadResource { uri, .. } = post("resources/read", json!({ "uri": "test://é" })) else { panic!() };
        assert_eq!(uri, "test://é");
    }
    let legacy = |method: &str| Post::of(Version::V2025_06_18, method, json!({ "uri": "u" })).rich().request().work;
    assert_eq!(legacy("resources/subscribe"), Work::Subscribe { uri: "u".into() });
    assert_eq!(legacy("resources/unsubscribe"), Work::Unsubscribe { uri: "u".into() });
}

#[test]
fn malformed_requests_are_invalid_params() {
    for version in Version::ALL {
        check(&Post::of(version, "resources/read", json!({})).rich(), 200, -32602);
        check(&Post::of(version, "resources/read", json!({ "uri": null })).rich(), 200, -32602);
        check(&Post::of(version, "resources/list", json!({ "cursor": 1 })).rich(), 200, -32602);
        check(&Post::of(version, "resources/templates/list", json!({ "cursor": {} })).rich(), 200, -32602);
    }
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        check(&Post::of(Version::V2025_11_25, method, json!({ "uri": [] })).rich(), 200, -32602);
    }
}

#[test]
fn definitions_are_sent_as_each_revision_knows_them() {
    let members = |version: Version, method: &str, list: &str| {
        let seen = Post::of(version, method, json!({})).rich().send();
        Seen::keys(&seen.result()[list][0]).join(" ")
    };
    for version in Version::ALL {
        let (resource, template) = if version >= Version::V2025_06_18 {
            (
                "_meta annotations description mimeType name size title uri",
                "_meta annotations description mimeType name title uriTemplate",
            )
        } else {
            ("annotations description mimeType name size uri", "annotations description mimeType name uriTemplate")
        };
        assert_eq!(members(version, "resources/list", "resources"), resource, "{version}");
        assert_eq!(members(version, "resources/templates/list", "resourceTemplates"), template, "{version}");
    }
    let seen = Post::of(Version::V2025_06_18, "resources/list", json!({})).rich().send();
    let annotations = &seen.result()["resources"][0]["annotations"];
    let all = json!({ "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-02T03:04:05Z" });
    assert_eq!(*annotations, all);
    let seen = Post::of(Version::V2025_03_26, "resources/list", json!({})).rich().send();
    assert_eq!(Seen::keys(&seen.result()["resources"][0]["annotations"]), ["audience", "priority"]);
}

#[test]
fn what_is_not_set_is_not_sent() {
    let resources = vec![Resource::new("test://one", "one")];
    let seen = Post::modern("resources/list", json!({})).rich();
    let seen = seen.answered(Answer::Resources { resources, next_cursor: Some(String::new()) });
    assert_eq!(seen.result()["resources"], json!([{ "uri": "test://one", "name": "one" }]));
    assert_eq!(seen.result().get("nextCursor"), None);

    let templates = vec![ResourceTemplate::new("test://{x}", "any")];
    let seen = Post::modern("resources/templates/list", json!({})).rich();
    let seen = seen.answered(Answer::Templates { templates, next_cursor: None });
    assert_eq!(seen.result()["resourceTemplates"], json!([{ "uriTemplate": "test://{x}", "name": "any" }]));
}

#[test]
fn a_priority_is_between_nothing_and_all() {
    for (priority, sent) in [(0.0, true), (1.0, true), (1.1, false), (-0.1, false), (f64::NAN, false)] {
        let annotations = ResourceAnnotations { priority: Some(priority), ..ResourceAnnotations::default() };
        let resource = Resource { annotations, ..Resource::new("test://one", "one") };
        let post = Post::modern("resources/list", json!({})).rich();
        let seen = post.answered(Answer::Resources { resources: vec![resource], next_cursor: None });
        assert_eq!(seen.result()["resources"][0].pointer("/annotations/priority").is_some(), sent, "{priority}");
    }
}

#[test]
fn contents_are_text_or_base64() {
    let blob = ResourceContents::blob("test://one", "image/png", vec![0, 1, 254, 255]);
    for version in Version::ALL {
        let text = ResourceContents::text("test://one", "text/plain", "ÿ\n");
        assert_eq!(read(version, text), json!({ "uri": "test://one", "mimeType": "text/plain", "text": "ÿ\n" }));
        assert_eq!(
            read(version, blob.clone()),
            json!({ "uri": "test://one", "mimeType": "image/png", "blob": "AAH+/w==" })
        );
    }
    let untyped = ResourceContents { mime_type: None, body: ResourceBody::Text(String::new()), ..blob };
    assert_eq!(read(Version::V2026_07_28, untyped), json!({ "uri": "test://one", "text": "" }));
}

/// A revision of the modern era forbids them, and the older ones have no use for them either.
#[test]
fn empty_contents_are_a_fault_of_ours() {
    for version in Version::ALL {
        let post = Post::of(version, "resources/read", json!({ "uri": "test://one" })).rich();
        assert_eq!(post.answered(Answer::Contents(Vec::new())).code(), Some(-32603));
    }
}

#[test]
fn a_missing_resource_has_the_code_of_the_revision() {
    for version in Version::ALL {
        let post = Post::of(version, "resources/read", json!({ "uri": "test://none" })).rich();
        let seen = post.answered(Answer::Error(RpcError::resource_not_found("test://none")));
        let code = if version.is_modern() { -32602 } else { -32002 };
        assert_eq!((seen.status, seen.code()), (200, Some(code)), "{version}");
        assert_eq!(seen.body["error"]["data"], json!({ "uri": "test://none" }));
    }
}

#[test]
fn lists_and_contents_carry_cache_hints_in_the_modern_era_only() {
    for version in Version::ALL {
        for (method, params) in [
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({ "uri": "test://one" })),
            ("prompts/list", json!({})),
            ("tools/list", json!({})),
        ] {
            let seen = Post::of(version, method, params).rich().send();
            let hints = (seen.result().get("ttlMs").cloned(), seen.result().get("cacheScope").cloned());
            let expected = version.is_modern().then(|| (json!(0), json!("private"))).unzip();
            assert_eq!(hints, expected, "{version} {method}");
        }
    }
}

#[test]
fn subscribing_is_answered_with_nothing() {
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let seen = Post::of(Version::V2025_11_25, method, json!({ "uri": "u" })).rich().send();
        assert_eq!(*seen.result(), json!({}));
    }
}

#[test]
fn links_are_text_where_they_are_unknown() {
    let link = Resource { title: Some("One".into()), ..Resource::new("test://one", "one") };
    for version in Version::ALL {
        let post = Post::of(version, "prompts/get", json!({ "name": "ask" })).rich();
        let message =
            chorus_mcp::PromptMessage { role: chorus_mcp::Role::Assistant, content: Content::Link(link.clone()) };
        let prompt = chorus_mcp::PromptResult { messages: vec![message], ..Default::default() };
        let seen = post.answered(Answer::Prompt(prompt));
        let expected = if version >= Version::V2025_06_18 {
            json!({ "type": "resource_link", "uri": "test://one", "name": "one", "title": "One" })
        } else {
            json!({ "type": "text", "text": "One: test://one" })
        };
        assert_eq!(seen.result()["messages"], json!([{ "role": "assistant", "content": expected }]), "{version}");
    }
}
