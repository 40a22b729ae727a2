//! `tools/list` and `tools/call` (protocol checklist §5.2, §6, §11).

use chorus_mcp::{Answer, CallResult, Inputs, Version, Work, Written};
use serde_json::{Value, json};

use crate::wire::{Post, Seen, check, object, success, tool};

fn every_revision(method: &'static str, params: &Value) -> impl Iterator<Item = Post> {
    Version::ALL.into_iter().map(move |version| Post::of(version, method, params.clone()))
}

#[test]
fn calls_arrive_as_they_were_sent() {
    let params =
        json!({ "name": "echo", "arguments": { "text": "hi", "n": [1, 2.5] }, "_meta": { "progressToken": 0 } });
    for post in every_revision("tools/call", &params) {
        let request = post.request();
        let Work::CallTool { name, arguments, inputs } = request.work else { panic!("{post:?}") };
        assert_eq!((name.as_str(), Value::Object(arguments)), ("echo", json!({ "text": "hi", "n": [1, 2.5] })));
        assert_eq!(inputs, Inputs::default());
        assert_eq!(request.meta["progressToken"], 0);
    }
}

#[test]
fn missing_and_null_arguments_are_empty() {
    for params in [
        json!({ "name": "echo" }),
        json!({ "name": "echo", "arguments": null }),
        json!({ "name": "echo", "arguments": {} }),
    ] {
        for post in every_revision("tools/call", &params) {
            let Work::CallTool { arguments, .. } = post.request().work else { panic!("{post:?}") };
            assert!(arguments.is_empty(), "{post:?}");
        }
    }
    assert!(Post::bare("tools/call", &json!({ "name": "echo", "_meta": null })).request().meta.is_empty());
}

#[test]
fn malformed_calls_are_invalid_params() {
    for arguments in [json!([]), json!("{}"), json!(1), json!(false)] {
        for post in every_revision("tools/call", &json!({ "name": "echo", "arguments": arguments })) {
            check(&post, 200, -32602);
        }
    }
    for params in [json!({}), json!({ "name": null }), json!({ "name": 1 }), json!({ "arguments": {} })] {
        for post in every_revision("tools/call", &params) {
            check(&post, 200, -32602);
        }
    }
    check(&Post::bare("tools/call", &json!({ "name": "echo", "_meta": "x" })), 200, -32602);
    check(&Post::bare("tools/call", &json!({})).lacking("/params"), 200, -32602);
}

#[test]
fn cursors_are_opaque_strings() {
    for (cursor, expected) in [(json!("a=b&c"), Some("a=b&c")), (json!(""), Some("")), (json!(null), None)] {
        for post in every_revision("tools/list", &json!({ "cursor": cursor })) {
            assert_eq!(post.request().work, Work::ListTools { cursor: expected.map(str::to_owned) });
        }
    }
    for post in every_revision("tools/list", &json!({})) {
        assert_eq!(post.request().work, Work::ListTools { cursor: None });
    }
    for cursor in [json!(1), json!([]), json!({}), json!(true)] {
        for post in every_revision("tools/list", &json!({ "cursor": cursor })) {
            check(&post, 200, -32602);
        }
    }
}

#[test]
fn a_cursor_for_the_next_page_is_never_empty() {
    let next = |cursor: Option<&str>| {
        let answer = Answer::Tools { tools: vec![tool()], next_cursor: cursor.map(str::to_owned) };
        Post::bare("tools/list", &json!({})).answered(answer).result().get("nextCursor").cloned()
    };
    assert_eq!(next(Some("more")), Some(json!("more")));
    assert_eq!(next(Some("")), None);
    assert_eq!(next(None), None);
}

#[test]
fn a_list_that_was_written_before_is_sent_like_any_other() {
    for version in Version::ALL {
        let tools = ["b", "a"].map(|name| chorus_mcp::ToolDef { name: name.into(), ..tool() });
        let post = Post::of(version, "tools/list", json!({}));
        let written = Written::from(&tools.iter().map(|tool| tool.render(version)).collect::<Value>());
        let seen = post.answered(Answer::ToolList(written));
        let written_now = post.answered(Answer::Tools { tools: tools.into(), next_cursor: None });
        assert_eq!(seen.result(), written_now.result(), "{version}");
    }
}

#[test]
fn a_value_is_sent_as_text_and_as_structured_content() {
    let value = json!({ "text": "\"\n\u{e9}" });
    for version in [Version::V2025_06_18, Version::V2026_07_28] {
        let result = called(version, CallResult::value(Written::from(&value)));
        assert_eq!(result["structuredContent"], value);
        assert_eq!(result["content"], json!([{ "type": "text", "text": value.to_string() }]));
    }
}

#[test]
fn the_order_of_tools_is_the_callers() {
    let tools = ["b", "a", "c"].map(|name| chorus_mcp::ToolDef { name: name.into(), ..tool() });
    let seen = Post::bare("tools/list", &json!({})).answered(Answer::Tools { tools: tools.into(), next_cursor: None });
    let names: Vec<_> = seen.result()["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["b", "a", "c"]);
}

#[test]
fn schemas_are_sent_verbatim() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": { "a": { "$anchor": "a", "type": "string" } }, "properties": { "a": { "$ref": "#/$defs/a" } },
        "allOf": [{ "if": {}, "then": {}, "else": false }], "additionalProperties": false,
    });
    let tool = chorus_mcp::ToolDef { input_schema: schema.clone(), output_schema: Some(schema.clone()), ..tool() };
    for version in Version::ALL {
        assert_eq!(tool.render(version)["inputSchema"], schema);
    }
    assert_eq!(tool.render(Version::V2026_07_28)["outputSchema"], schema);
}

fn called(version: Version, result: CallResult) -> Value {
    let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
    Seen::result(&post.answered(Answer::Call(result))).clone()
}

#[test]
fn a_result_is_one_text_and_the_same_as_a_value() {
    for version in Version::ALL {
        let result = called(version, success());
        assert_eq!(result["content"], json!([{ "type": "text", "text": r#"{"text":"hi"}"# }]));
        assert_eq!(result["isError"], false);
        assert_eq!(result["_meta"]["example.com/of"], "result");
    }
}

#[test]
fn a_failed_tool_is_a_result_without_structured_content() {
    let meta = Some(object(json!({ "example.com/error": { "code": "not_found" } })));
    for version in Version::ALL {
        let result = called(version, CallResult { is_error: true, meta: meta.clone(), ..success() });
        assert_eq!(result["isError"], true);
        assert_eq!(result.get("structuredContent"), None);
        assert_eq!(result["_meta"]["example.com/error"]["code"], "not_found");
    }
}

#[test]
fn structured_content_is_an_object_before_the_modern_era() {
    for value in [json!([1]), json!("x"), json!(null)] {
        for version in Version::ALL {
            let result = called(version, CallResult { structured: Some(Written::from(&value)), ..success() });
            assert_eq!(result.get("structuredContent"), version.is_modern().then_some(&value), "{version}");
        }
    }
}
