//! Answers and requests belong together, whatever the caller gets wrong.

use chorus_mcp::{Answer, Received, RpcError, Version};
use serde_json::json;

use crate::wire::{Post, Seen, object, success};

fn codes(answers: Vec<Answer>) -> Vec<i64> {
    let post = Post::json(&json!([
        { "jsonrpc": "2.0", "id": 1, "method": "tools/list" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "echo" } },
    ]));
    let Received::Work(exchange) = post.receive() else { panic!("{post:?}") };
    let seen = Seen::from(exchange.finish(answers));
    seen.body.as_array().unwrap().iter().map(|response| response["error"]["code"].as_i64().unwrap_or(0)).collect()
}

fn tools() -> Answer {
    Answer::Tools { tools: Vec::new(), next_cursor: None }
}

#[test]
fn missing_and_mistaken_answers_are_internal_errors() {
    assert_eq!(codes(vec![tools(), Answer::Call(success())]), [0, 0]);
    assert_eq!(codes(vec![Answer::Call(success()), tools()]), [-32603, -32603]);
    assert_eq!(codes(vec![tools()]), [0, -32603]);
    assert_eq!(codes(vec![]), [-32603, -32603]);
    assert_eq!(codes(vec![tools(), Answer::Call(success()), tools()]), [0, 0]);
    assert_eq!(codes(vec![tools(), Answer::Error(RpcError::unknown_tool("echo"))]), [0, -32602]);
}

#[test]
fn the_status_of_an_answered_error_depends_on_the_era() {
    let errors = [
        (RpcError::unknown_tool("t"), -32602, 200),
        (RpcError::invalid_cursor(), -32602, 200),
        (RpcError::internal(), -32603, 200),
        (RpcError::method_not_found("m"), -32601, 404),
        (RpcError::header_mismatch("h"), -32020, 400),
        (RpcError::missing_capability(object(json!({ "sampling": {} }))), -32021, 400),
        (RpcError::unsupported_version("v"), -32022, 400),
        (RpcError { code: -31000, message: "own".into(), data: Some(json!([1])) }, -31000, 200),
    ];
    for (error, code, modern) in errors {
        for version in Version::ALL {
            let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
            let seen = post.answered(Answer::Error(error.clone()));
            if code == -32021 && !version.is_modern() {
                // A revision that lacks the code: the model reads it instead.
                assert_eq!((seen.status, &seen.result()["isError"]), (200, &json!(true)));
                continue;
            }
            let status = if version.is_modern() { modern } else { 200 };
            assert_eq!((seen.status, seen.code()), (status, Some(code)), "{version} {error}");
            assert_eq!(seen.body["id"], 7);
            assert_eq!(seen.body["error"].get("data"), error.data.as_ref());
        }
    }
}

#[test]
fn a_missing_capability_is_named_as_an_object() {
    let error = RpcError::missing_capability(object(json!({ "sampling": {} })));
    assert_eq!(error.data, Some(json!({ "requiredCapabilities": { "sampling": {} } })));
}
