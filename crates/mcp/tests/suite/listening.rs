//! `subscriptions/listen` (protocol checklist §16).

use std::collections::BTreeMap;

use chorus_mcp::{Answer, Changed, Encoding, Filter, InputRequest, LogLevel, Offer, Stream, TaskState, Version, Work};
use serde_json::{Value, json};

use crate::wire::{Post, SERVER_INFO_KEY, check, events, everything, rich, task};

const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

fn all() -> Value {
    json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["test://one", "test://two"],
        "taskIds": ["t-1"],
    })
}

fn listen(filter: Value) -> Post {
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    Post::modern("subscriptions/listen", json!({ "notifications": filter })).rich().able(tasks)
}

fn filter(post: &Post) -> Filter {
    let Work::Listen(filter) = post.request().work else { panic!("{post:?}") };
    filter
}

fn stream(post: &Post) -> Stream {
    post.exchange().stream().unwrap()
}

fn message(bytes: &[u8]) -> Value {
    let messages = events(std::str::from_utf8(bytes).unwrap());
    assert_eq!(messages.as_array().unwrap().len(), 1);
    messages[0].clone()
}

#[test]
fn the_filter_arrives_as_it_was_sent() {
    let expected = Filter {
        tools_list_changed: true,
        prompts_list_changed: true,
        resources_list_changed: true,
        resource_subscriptions: vec!["test://one".into(), "test://two".into()],
        tasks: vec!["t-1".into()],
    };
    assert_eq!(filter(&listen(all())), expected);
    for nothing in [json!({}), json!({ "toolsListChanged": false, "resourceSubscriptions": [], "other": 1 })] {
        assert_eq!(filter(&listen(nothing)), Filter::default());
    }
}

#[test]
fn only_what_is_offered_is_listened_to() {
    let offered = |change: fn(&mut Offer)| {
        let mut server = rich();
        change(&mut server.offer);
        filter(&listen(all()).to(server))
    };
    assert!(!offered(|offer| offer.tools_list_changed = false).tools_list_changed);
    assert!(!offered(|offer| offer.prompts_list_changed = false).prompts_list_changed);
    assert!(!offered(|offer| offer.resources_list_changed = false).resources_list_changed);
    assert!(offered(|offer| offer.resources_subscribe = false).resource_subscriptions.is_empty());
    assert!(offered(|offer| offer.tasks = false).tasks.is_empty());
    assert_eq!(
        offered(|offer| offer.resources = false),
        Filter { tools_list_changed: true, prompts_list_changed: true, tasks: vec!["t-1".into()], ..Filter::default() }
    );
}

#[test]
fn of_tasks_only_those_hear_who_know_them() {
    assert!(filter(&listen(all()).able(json!({}))).tasks.is_empty());
}

#[test]
fn malformed_filters_are_invalid_params() {
    for wrong in [json!(null), json!([]), json!(true)] {
        check(&listen(wrong), 200, -32602);
    }
    check(&listen(json!({})).lacking("/params/notifications"), 200, -32602);
    for wrong in [
        json!({ "toolsListChanged": 1 }),
        json!({ "promptsListChanged": "true" }),
        json!({ "resourcesListChanged": [] }),
        json!({ "resourceSubscriptions": "test://one" }),
        json!({ "resourceSubscriptions": [1] }),
        json!({ "taskIds": {} }),
    ] {
        check(&listen(wrong), 200, -32602);
    }
}

#[test]
fn listening_needs_a_client_that_takes_events() {
    check(&listen(all()).header("Accept", "application/json"), 406, -32600);
    assert!(listen(all()).header("Accept", "text/event-stream").exchange().stream().is_some());
}

#[test]
fn the_acknowledgement_names_what_is_granted_and_the_subscription() {
    let granted =
        Filter { prompts_list_changed: true, resource_subscriptions: vec!["test://one".into()], ..Filter::default() };
    let told = message(&stream(&listen(all())).acknowledged(&granted));
    let expected = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "_meta": { SUBSCRIPTION_KEY: 7 },
            "notifications": { "promptsListChanged": true, "resourceSubscriptions": ["test://one"] },
        },
    });
    assert_eq!(told, expected);
    let nothing = message(&stream(&listen(all())).acknowledged(&Filter::default()));
    assert_eq!(nothing["params"]["notifications"], json!({}));
}

#[test]
fn news_come_after_the_acknowledgement_and_are_those_granted() {
    let news = [
        Changed::Tools,
        Changed::Prompts,
        Changed::Resources,
        Changed::Resource("test://one".into()),
        Changed::Resource("test://three".into()),
        Changed::Task(task(TaskState::Working)),
    ];
    let mut stream = stream(&listen(all()));
    assert!(news.iter().all(|changed| stream.changed(changed).is_none()));

    let _ = stream.acknowledged(&filter(&listen(all())).within(&everything()));
    let told = |changed: &Changed| stream.changed(changed).map(|bytes| message(&bytes));
    let methods = [
        ("notifications/tools/list_changed", json!({})),
        ("notifications/prompts/list_changed", json!({})),
        ("notifications/resources/list_changed", json!({})),
        ("notifications/resources/updated", json!({ "uri": "test://one" })),
    ];
    for (changed, (method, mut params)) in news.iter().zip(methods) {
        params["_meta"] = json!({ SUBSCRIPTION_KEY: 7 });
        assert_eq!(told(changed), Some(json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }
    assert_eq!(told(&news[4]), None);
    let task = told(&news[5]).unwrap();
    assert_eq!(task["method"], "notifications/tasks");
    assert_eq!((&task["params"]["taskId"], &task["params"]["status"]), (&json!("t-1"), &json!("working")));

    let mut narrow = self::stream(&listen(all()));
    let _ = narrow.acknowledged(&Filter::default());
    assert!(news.iter().all(|changed| narrow.changed(changed).is_none()));
}

#[test]
fn a_task_that_asks_what_was_not_declared_is_no_news() {
    let question = InputRequest::Roots;
    let waiting = Changed::Task(task(TaskState::InputRequired(BTreeMap::from([("k".to_owned(), question)]))));
    let told = |post: Post| {
        let mut stream = stream(&post);
        let _ = stream.acknowledged(&Filter { tasks: vec!["t-1".into()], ..Filter::default() });
        stream.changed(&waiting).map(|bytes| message(&bytes))
    };
    assert_eq!(told(listen(all())), None);
    let able = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} }, "roots": {} });
    assert_eq!(told(listen(all()).able(able)).unwrap()["params"]["inputRequests"]["k"]["method"], "roots/list");
}

#[test]
fn the_subscription_is_named_exactly_as_its_request() {
    for id in ["0", "-5", "\"\"", "\"é\\n\"", "123456789012345678901234567890"] {
        let params = json!({ "notifications": {} });
        let Ok(text) = String::from_utf8(listen(params["notifications"].clone()).body().to_vec()) else { panic!() };
        let post = listen(json!({})).carrying(text.replace("\"id\":7", &format!("\"id\":{id}")));
        let mut stream = stream(&post);
        let told = String::from_utf8(stream.acknowledged(&Filter::default())).unwrap();
        assert!(told.contains(&format!("\"{SUBSCRIPTION_KEY}\":{id}}}")), "{told}");
        let ended = String::from_utf8(stream.finish(Answer::Listening)).unwrap();
        assert!(
            ended.contains(&format!("\"id\":{id},")) && ended.contains(&format!("\"{SUBSCRIPTION_KEY}\":{id},")),
            "{ended}"
        );
    }
}

#[test]
fn the_end_of_a_subscription_is_a_result() {
    let expected = json!({
        "jsonrpc": "2.0",
        "id": 7,
        "result": {
            "resultType": "complete",
            "_meta": {
                SUBSCRIPTION_KEY: 7,
                SERVER_INFO_KEY: { "name": "server", "version": "1.2.3", "title": "A Server" },
            },
        },
    });
    assert_eq!(message(&stream(&listen(all())).finish(Answer::Listening)), expected);
    let reply = listen(all()).exchange().finish(vec![Answer::Listening]);
    assert_eq!((reply.status, reply.encoding), (200, Encoding::Sse));
    assert_eq!(message(&reply.body.unwrap()), expected);
}

#[test]
fn a_refused_listener_gets_an_error() {
    let seen = listen(all()).answered(Answer::Error(chorus_mcp::RpcError::internal()));
    assert_eq!((seen.status, seen.code(), seen.encoding), (200, Some(-32603), Encoding::Json));
    assert_eq!(listen(all()).answered(Answer::Done).code(), Some(-32603));
}

/// Progress and log messages belong to requests that end.
#[test]
fn nothing_else_is_told_to_a_listener() {
    let meta = "/params/_meta";
    let post = listen(all())
        .with(&format!("{meta}/progressToken"), json!(1))
        .with(&format!("{meta}/io.modelcontextprotocol~1logLevel"), json!("debug"));
    let mut stream = stream(&post);
    let _ = stream.acknowledged(&Filter::default());
    assert!(!stream.wants_progress());
    assert_eq!(stream.progress(1.0, None, None), None);
    assert_eq!(stream.log(LogLevel::Emergency, None, &json!("x")), None);
}

#[test]
fn older_revisions_do_not_listen() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        check(&Post::of(version, "subscriptions/listen", json!({ "notifications": {} })).rich(), 200, -32601);
    }
}
