//! Progress, log messages and the answer as events (protocol checklist §2.4, §13, §14).

use chorus_mcp::{Answer, CallResult, Changed, Encoding, LogLevel, Stream, Version};
use serde_json::{Value, json};

use crate::wire::{Post, check, events, success};

fn call(version: Version, meta: Value) -> Post {
    let mut post = Post::of(version, "tools/call", json!({ "name": "echo" })).rich();
    if !version.is_modern() {
        post = post.with("/params/_meta", json!({}));
    }
    for (key, value) in meta.as_object().unwrap() {
        post = post.with(&format!("/params/_meta/{}", key.replace('/', "~1")), value.clone());
    }
    post
}

fn stream(post: &Post) -> Stream {
    post.exchange().stream().unwrap()
}

/// The one message in these bytes.
fn message(bytes: Option<Vec<u8>>) -> Option<Value> {
    let bytes = bytes?;
    let messages = events(std::str::from_utf8(&bytes).unwrap());
    assert_eq!(messages.as_array().unwrap().len(), 1);
    Some(messages[0].clone())
}

#[test]
fn a_single_request_can_stream_if_its_client_takes_events() {
    let post = call(Version::V2025_11_25, json!({}));
    for (accept, streams) in [
        ("application/json, text/event-stream", true),
        ("text/event-stream, application/json", true),
        ("text/event-stream", true),
        ("*/*", true),
        ("", true),
        ("application/json", false),
        ("application/json, text/event-stream;q=0", false),
    ] {
        assert_eq!(post.clone().header("Accept", accept).exchange().stream().is_some(), streams, "{accept}");
    }
    assert!(post.without("Accept").exchange().stream().is_some());
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }]);
    assert!(Post::json(&batch).exchange().stream().is_none());
}

#[test]
fn the_answer_is_json_unless_something_came_before_it() {
    let exchange = call(Version::V2026_07_28, json!({})).exchange();
    assert_eq!(exchange.encoding(), Encoding::Json);
    let stream = exchange.stream().unwrap();
    let event = message(Some(stream.finish(Answer::Call(success())))).unwrap();
    let reply = exchange.finish(vec![Answer::Call(success())]);
    assert_eq!(reply.encoding, Encoding::Json);
    assert_eq!(serde_json::from_slice::<Value>(&reply.body.unwrap()).unwrap(), event);
}

#[test]
fn progress_carries_the_token_as_it_was_sent() {
    for version in Version::ALL {
        for token in [json!(0), json!(-1), json!("a"), json!(""), json!(u64::MAX)] {
            let mut stream = stream(&call(version, json!({ "progressToken": token })));
            assert!(stream.wants_progress());
            let told = message(stream.progress(1.0, Some(2.5), Some("half"))).unwrap();
            let mut params = json!({ "progressToken": token, "progress": 1, "total": 2.5 });
            if version >= Version::V2025_03_26 {
                params["message"] = json!("half");
            }
            let expected = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
            assert_eq!(told, expected, "{version}");
        }
    }
}

#[test]
fn nobody_is_told_the_progress_without_asking() {
    for meta in [
        json!({}),
        json!({ "progressToken": null }),
        json!({ "progressToken": 1.5 }),
        json!({ "progressToken": [] }),
        json!({ "progressToken": true }),
    ] {
        let mut stream = stream(&call(Version::V2025_11_25, meta));
        assert!(!stream.wants_progress());
        assert_eq!(stream.progress(1.0, None, None), None);
    }
}

#[test]
fn there_is_something_to_tell_if_progress_was_asked_for_or_nothing_but_events_is_taken() {
    let telling = |meta: Value, accept: &str| {
        call(Version::V2025_11_25, meta).header("Accept", accept).exchange().telling().is_some()
    };
    for (token, told) in [(json!(1), true), (json!("a"), true), (json!(null), false), (json!([]), false)] {
        assert_eq!(telling(json!({ "progressToken": token }), "application/json, text/event-stream"), told, "{token}");
        assert!(telling(json!({ "progressToken": token }), "text/event-stream"), "{token}");
        assert!(!telling(json!({ "progressToken": token }), "application/json"), "{token}");
    }
}

#[test]
fn progress_only_increases() {
    let mut stream = stream(&call(Version::V2025_06_18, json!({ "progressToken": 1 })));
    let mut told = |progress| stream.progress(progress, None, None).is_some();
    let steps = [0.0, 0.0, 1.0, 0.5, 1.0, f64::NAN, f64::INFINITY, 1.1];
    assert_eq!(steps.map(&mut told), [true, false, true, false, false, false, false, true]);
    assert_eq!(message(stream.progress(3.0, Some(f64::INFINITY), None)).unwrap()["params"].get("total"), None);
}

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

#[test]
fn a_modern_client_gets_the_messages_that_it_asked_for() {
    for least in LogLevel::ALL {
        let stream = stream(&call(Version::V2026_07_28, json!({ LOG_LEVEL: least.as_str() })));
        for level in LogLevel::ALL {
            let told = message(stream.log(level, Some("here"), &json!({ "a": 1 })));
            let params = json!({ "level": level.as_str(), "logger": "here", "data": { "a": 1 } });
            let expected = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
            assert_eq!(told, (level >= least).then_some(expected), "{least:?} {level:?}");
        }
    }
    let silent = stream(&call(Version::V2026_07_28, json!({})));
    assert!(LogLevel::ALL.iter().all(|level| silent.log(*level, None, &json!("x")).is_none()));
}

#[test]
fn the_handshake_revisions_get_messages_from_info_on() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        // What the modern era asks with means nothing here.
        let stream = stream(&call(version, json!({ LOG_LEVEL: "emergency" })));
        let told: Vec<_> =
            LogLevel::ALL.into_iter().filter(|level| stream.log(*level, None, &json!("x")).is_some()).collect();
        assert_eq!(told, LogLevel::ALL[1..], "{version}");
    }
}

#[test]
fn nothing_is_logged_where_logging_is_not_offered() {
    for version in Version::ALL {
        let post = Post::of(version, "tools/call", json!({ "name": "echo" })).rich();
        let mut server = crate::wire::rich();
        server.offer.logging = false;
        let stream = stream(&post.to(server));
        assert_eq!(stream.log(LogLevel::Emergency, None, &json!("x")), None);
    }
}

#[test]
fn unknown_levels_are_invalid_params() {
    for level in [json!("loud"), json!("Info"), json!(""), json!(1), json!({})] {
        check(&call(Version::V2026_07_28, json!({ LOG_LEVEL: level })), 200, -32602);
        for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
            check(&Post::of(version, "logging/setLevel", json!({ "level": level })).rich(), 200, -32602);
        }
    }
    check(&Post::of(Version::V2025_11_25, "logging/setLevel", json!({})).rich(), 200, -32602);
    for level in LogLevel::ALL {
        let post = Post::of(Version::V2025_11_25, "logging/setLevel", json!({ "level": level.as_str() })).rich();
        assert_eq!(*post.send().result(), json!({}));
    }
}

#[test]
fn only_listeners_are_told_news() {
    let stream = stream(&call(Version::V2026_07_28, json!({})));
    assert_eq!(stream.changed(&Changed::Tools), None);
}

#[test]
fn text_with_line_breaks_stays_one_line() {
    let post = call(Version::V2025_11_25, json!({}));
    let told = stream(&post).log(LogLevel::Info, None, &json!("a\nb\r\nc\u{2028}")).unwrap();
    assert_eq!(told.iter().filter(|byte| **byte == b'\n').count(), 3);
    let bytes = stream(&post).finish(Answer::Call(CallResult::text("a\n\nb")));
    assert_eq!(message(Some(bytes)).unwrap()["result"]["content"][0]["text"], "a\n\nb");
}
