//! The Tasks extension (protocol checklist §17a).

use std::collections::BTreeMap;

use chorus_mcp::{Answer, CallResult, InputRequest, RpcError, TaskState, Version, Work};
use serde_json::{Value, json};

use crate::wire::{Post, Seen, check, object, success, task};

fn able() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

fn get() -> Post {
    Post::modern("tasks/get", json!({ "taskId": "t-1" })).rich().able(able())
}

fn call() -> Post {
    Post::modern("tools/call", json!({ "name": "echo" })).rich().able(able())
}

#[test]
fn requests_arrive_as_they_were_sent() {
    assert_eq!(get().request().work, Work::GetTask { id: "t-1".into() });
    let params = json!({ "taskId": "t-1", "inputResponses": { "k": { "action": "decline" } } });
    let update = Post::modern("tasks/update", params).rich().able(able());
    let responses = object(json!({ "k": { "action": "decline" } }));
    assert_eq!(update.request().work, Work::UpdateTask { id: "t-1".into(), responses });
    let cancel = Post::modern("tasks/cancel", json!({ "taskId": "t-1" })).rich().able(able());
    assert_eq!(cancel.request().work, Work::CancelTask { id: "t-1".into() });
}

#[test]
fn malformed_requests_are_invalid_params() {
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        check(&Post::modern(method, json!({ "inputResponses": {} })).rich().able(able()), 200, -32602);
    }
    for responses in [json!(null), json!([]), json!("x")] {
        let post = Post::modern("tasks/update", json!({ "taskId": "t", "inputResponses": responses }));
        check(&post.rich().able(able()), 200, -32602);
    }
}

#[test]
fn the_id_is_mirrored_in_a_header() {
    check(&get().without("Mcp-Name"), 400, -32020);
    check(&get().header("Mcp-Name", "t-2"), 400, -32020);
    check(&get().header("Mcp-Name", "=?base64?dC0x?="), 200, 0);
}

#[test]
fn clients_that_do_not_declare_the_extension_are_told_so() {
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        // Whatever the parameters: the capability comes first.
        for params in [json!({ "taskId": "t-1", "inputResponses": {} }), json!({})] {
            let seen = Post::modern(method, params).rich().send();
            assert_eq!((seen.status, seen.code()), (400, Some(-32021)), "{method}");
            assert_eq!(seen.body["error"]["data"]["requiredCapabilities"], able());
        }
    }
    let seen = Post::modern("tools/call", json!({ "name": "echo" })).rich();
    let seen = seen.answered(Answer::Started(task(TaskState::Working)));
    assert_eq!((seen.status, seen.code()), (400, Some(-32021)));
}

#[test]
fn a_call_that_goes_on_is_a_flat_result() {
    let seen = call().answered(Answer::Started(task(TaskState::Completed(success()))));
    let result = seen.result();
    assert_eq!(result["resultType"], "task");
    let members = "_meta createdAt lastUpdatedAt pollIntervalMs resultType status statusMessage taskId ttlMs";
    assert_eq!(Seen::keys(result).join(" "), members);
    assert_eq!((&result["taskId"], &result["status"]), (&json!("t-1"), &json!("completed")));
    assert_eq!((&result["ttlMs"], &result["pollIntervalMs"]), (&json!(60_000), &json!(500)));

    let endless =
        chorus_mcp::Task { ttl_ms: None, poll_interval_ms: None, status_message: None, ..task(TaskState::Working) };
    let seen = call().answered(Answer::Started(endless));
    assert_eq!(Seen::keys(seen.result()).join(" "), "_meta createdAt lastUpdatedAt resultType status taskId ttlMs");
    assert_eq!(seen.result()["ttlMs"], Value::Null);
}

#[test]
fn a_task_is_told_with_what_it_came_to() {
    let told = |state| get().answered(Answer::Task(task(state))).result().clone();
    let extra = |result: &Value| {
        let known = "_meta createdAt lastUpdatedAt pollIntervalMs resultType status statusMessage taskId ttlMs";
        Seen::keys(result)
            .into_iter()
            .filter(|key| !known.split(' ').any(|known| known == *key))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (state, status) in [(TaskState::Working, "working"), (TaskState::Cancelled, "cancelled")] {
        let result = told(state);
        assert_eq!((&result["status"], &result["resultType"]), (&json!(status), &json!("complete")));
        assert_eq!(extra(&result), "");
    }
    for failed in [false, true] {
        let result = told(TaskState::Completed(CallResult { is_error: failed, ..success() }));
        assert_eq!(extra(&result), "result");
        assert_eq!((&result["status"], &result["result"]["isError"]), (&json!("completed"), &json!(failed)));
        assert_eq!(result["result"]["content"][0]["type"], "text");
        assert_eq!(result["result"]["resultType"], "complete");
    }
    let result = told(TaskState::Failed(RpcError::resource_not_found("test://none")));
    assert_eq!(extra(&result), "error");
    assert_eq!((&result["status"], &result["error"]["code"]), (&json!("failed"), &json!(-32602)));
}

#[test]
fn a_task_asks_only_what_was_declared() {
    let waiting = || {
        let question =
            InputRequest::Elicit { message: "Name?".into(), schema: json!({ "type": "object", "properties": {} }) };
        task(TaskState::InputRequired(BTreeMap::from([("k".to_owned(), question)])))
    };
    let mut declared = able();
    let seen = get().answered(Answer::Task(waiting()));
    assert_eq!((seen.status, seen.code()), (400, Some(-32021)));
    declared["elicitation"] = json!({});
    let seen = get().able(declared).answered(Answer::Task(waiting()));
    assert_eq!(seen.result()["status"], "input_required");
    assert_eq!(seen.result()["inputRequests"]["k"]["method"], "elicitation/create");
}

#[test]
fn updating_and_cancelling_are_answered_with_nothing() {
    for method in ["tasks/update", "tasks/cancel"] {
        let post = Post::modern(method, json!({ "taskId": "t-1", "inputResponses": {} })).rich().able(able());
        let seen = post.send();
        assert_eq!(Seen::keys(seen.result()), ["_meta", "resultType"]);
        let seen = post.answered(Answer::Error(RpcError::unknown_task("t-1")));
        assert_eq!((seen.status, seen.code()), (200, Some(-32602)));
    }
}

#[test]
fn older_revisions_and_other_servers_have_no_tasks() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let post = Post::of(version, "tools/call", json!({ "name": "echo" })).rich();
        let seen = post.answered(Answer::Started(task(TaskState::Working)));
        assert_eq!(seen.result()["isError"], true, "{version}");
    }
    let mut server = crate::wire::rich();
    server.offer.tasks = false;
    check(&get().to(server.clone()), 404, -32601);
    assert_eq!(call().to(server).answered(Answer::Started(task(TaskState::Working))).code(), Some(-32603));
}

/// What a client of the experimental tasks of 2025-11-25 sends changes nothing.
#[test]
fn a_stray_wish_for_a_task_is_ignored() {
    for version in Version::ALL {
        let post = Post::of(version, "tools/call", json!({ "name": "echo" })).rich();
        assert_eq!(post.clone().with("/params/task", json!({ "ttl": 1 })).request(), post.request());
    }
}
