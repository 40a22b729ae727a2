//! `prompts/*` and `completion/complete` (protocol checklist §9, §10).

use std::collections::BTreeMap;

use chorus_mcp::{
    Answer, CompleteRequest, Completion, PromptMessage, PromptResult, Reference, RpcError, Version, Work,
};
use serde_json::{Value, json};

use crate::wire::{Post, Seen, check};

#[test]
fn requests_arrive_as_they_were_sent() {
    for version in Version::ALL {
        let params = json!({ "name": "ask", "arguments": { "what": "é", "how": "" } });
        let Work::GetPrompt { name, arguments, .. } = Post::of(version, "prompts/get", params).rich().request().work
        else {
            panic!("not a prompt")
        };
        let expected = BTreeMap::from([("what".to_owned(), "é".to_owned()), ("how".to_owned(), String::new())]);
        assert_eq!((name.as_str(), arguments), ("ask", expected));

        for params in [json!({ "name": "ask" }), json!({ "name": "ask", "arguments": null })] {
            let Work::GetPrompt { arguments, .. } = Post::of(version, "prompts/get", params).rich().request().work
            else {
                panic!("not a prompt")
            };
            assert!(arguments.is_empty());
        }
        let listed = Post::of(version, "prompts/list", json!({ "cursor": "" })).rich().request().work;
        assert_eq!(listed, Work::ListPrompts { cursor: Some(String::new()) });
    }
}

#[test]
fn malformed_requests_are_invalid_params() {
    for version in Version::ALL {
        for params in [
            json!({}),
            json!({ "name": 1 }),
            json!({ "name": "ask", "arguments": [] }),
            json!({ "name": "ask", "arguments": { "what": 1 } }),
            json!({ "name": "ask", "arguments": { "what": null } }),
        ] {
            check(&Post::of(version, "prompts/get", params).rich(), 200, -32602);
        }
    }
}

#[test]
fn refusals_are_invalid_params() {
    for version in Version::ALL {
        for error in [RpcError::unknown_prompt("ask"), RpcError::missing_argument("what")] {
            let post = Post::of(version, "prompts/get", json!({ "name": "ask" })).rich();
            let seen = post.answered(Answer::Error(error));
            assert_eq!((seen.status, seen.code()), (200, Some(-32602)));
        }
    }
}

#[test]
fn definitions_are_sent_as_each_revision_knows_them() {
    for version in Version::ALL {
        let seen = Post::of(version, "prompts/list", json!({})).rich().send();
        let prompt = &seen.result()["prompts"][0];
        let (members, argument) = if version >= Version::V2025_06_18 {
            ("_meta arguments description name title", "description name required title")
        } else {
            ("arguments description name", "description name required")
        };
        assert_eq!(Seen::keys(prompt).join(" "), members, "{version}");
        assert_eq!(Seen::keys(&prompt["arguments"][0]).join(" "), argument, "{version}");
    }
}

#[test]
fn a_prompt_has_messages_and_no_cache_hints() {
    for version in Version::ALL {
        let prompt = PromptResult { messages: vec![PromptMessage::user("hi")], ..PromptResult::default() };
        let seen = Post::of(version, "prompts/get", json!({ "name": "ask" })).rich().answered(Answer::Prompt(prompt));
        let result = seen.result();
        assert_eq!(result["messages"], json!([{ "role": "user", "content": { "type": "text", "text": "hi" } }]));
        assert_eq!(result.get("description"), None);
        assert_eq!(result.get("ttlMs"), None);
        assert_eq!(result.get("resultType").is_some(), version.is_modern());
    }
}

fn complete(version: Version, params: Value) -> Post {
    Post::of(version, "completion/complete", params).rich()
}

#[test]
fn completions_arrive_as_they_were_asked_for() {
    for version in Version::ALL {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "ask" },
            "argument": { "name": "what", "value": "par" },
            "context": { "arguments": { "how": "fast" } },
        });
        let expected = CompleteRequest {
            reference: Reference::Prompt { name: "ask".into() },
            argument: ("what".into(), "par".into()),
            context: BTreeMap::from([("how".to_owned(), "fast".to_owned())]),
        };
        assert_eq!(complete(version, params).request().work, Work::Complete(expected));
    }
    let params =
        json!({ "ref": { "type": "ref/resource", "uri": "test://{x}" }, "argument": { "name": "x", "value": "" } });
    let expected = CompleteRequest {
        reference: Reference::Resource { uri: "test://{x}".into() },
        argument: ("x".into(), String::new()),
        context: BTreeMap::new(),
    };
    assert_eq!(complete(Version::V2025_03_26, params).request().work, Work::Complete(expected));
}

#[test]
fn malformed_completions_are_invalid_params() {
    let right = json!({ "ref": { "type": "ref/prompt", "name": "ask" }, "argument": { "name": "what", "value": "" } });
    for (pointer, wrong) in [
        ("/params/ref", json!("ref/prompt")),
        ("/params/ref", json!({})),
        ("/params/ref/type", json!("ref/tool")),
        ("/params/ref/type", json!("ref/resource")),
        ("/params/ref/name", json!(1)),
        ("/params/argument", json!(null)),
        ("/params/argument", json!("what")),
        ("/params/argument/name", json!(null)),
        ("/params/argument/value", json!(1)),
        ("/params/context", json!([])),
        ("/params/context", json!({ "arguments": { "how": 1 } })),
    ] {
        for version in Version::ALL {
            check(&complete(version, right.clone()).with(pointer, wrong.clone()), 200, -32602);
        }
    }
    let unknown = complete(Version::V2026_07_28, right).answered(Answer::Error(RpcError::unknown_reference()));
    assert_eq!((unknown.status, unknown.code()), (200, Some(-32602)));
}

#[test]
fn at_most_a_hundred_values_are_sent() {
    let asked = json!({ "ref": { "type": "ref/prompt", "name": "ask" }, "argument": { "name": "what", "value": "" } });
    for (count, sent, has_more) in [(0, 0, false), (100, 100, false), (101, 100, true)] {
        let values: Vec<_> = (0..count).map(|value| value.to_string()).collect();
        let completion = Completion { values, total: Some(500), has_more: false };
        let seen = complete(Version::V2025_11_25, asked.clone()).answered(Answer::Completion(completion));
        let completion = &seen.result()["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), sent);
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(500), &json!(has_more)));
    }
    let seen = complete(Version::V2026_07_28, asked).answered(Answer::Completion(Completion::default()));
    assert_eq!(seen.result()["completion"], json!({ "values": [], "hasMore": false }));
    assert_eq!(seen.result().get("ttlMs"), None);
}
