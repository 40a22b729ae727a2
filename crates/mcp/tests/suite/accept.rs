//! Protocol checklist §2.3 and §2.4: `Accept`, and the framing of what comes back.

use chorus_mcp::{Answer, Encoding, KEEP_ALIVE, RpcError};
use serde_json::json;

use crate::wire::{Post, check};

#[track_caller]
fn answers(accept: &str, expected: Encoding) {
    for post in [Post::bare("ping", &json!({})), Post::modern("tools/list", json!({}))] {
        let seen = post.header("Accept", accept).send();
        assert_eq!((seen.status, seen.encoding), (200, expected), "{accept}");
    }
}

#[test]
fn json_wherever_it_is_acceptable() {
    let accepts = [
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        "text/event-stream,application/json",
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;q=0.1, text/event-stream;q=0.9",
        "application/*",
        "*/*",
        "text/html, */*;q=0.1",
        "text/html,application/xhtml+xml, application/json",
        "application/*;q=0, application/json",
        "application/json;q=, text/event-stream",
        "",
        " , ",
    ];
    for accept in accepts {
        answers(accept, Encoding::Json);
    }
    check(&Post::bare("ping", &json!({})).without("Accept"), 200, 0);
    assert_eq!(Post::bare("ping", &json!({})).without("Accept").send().encoding, Encoding::Json);
}

#[test]
fn a_stream_where_only_that_is_acceptable() {
    let accepts = [
        "text/event-stream",
        "Text/Event-Stream; q=0.5",
        "text/*",
        "text/event-stream, application/json;q=0",
        "text/event-stream, application/json; q=0.000",
        "*/*, application/json;q=0",
        "*/*;q=1, application/*;q=0",
    ];
    for accept in accepts {
        answers(accept, Encoding::Sse);
    }
}

#[test]
fn several_lines_are_one_list() {
    let post = Post::bare("ping", &json!({})).header("Accept", "text/html").also("Accept", "application/json");
    check(&post, 200, 0);
}

#[test]
fn neither_is_not_acceptable() {
    for accept in ["text/html", "image/*", "application/xml", "*/*;q=0", "application/json;q=0", "json", "*/json"] {
        check(&Post::bare("ping", &json!({})).header("Accept", accept), 406, -32600);
        let seen = Post::modern("tools/list", json!({})).header("Accept", accept).send();
        assert_eq!((seen.status, seen.encoding, &seen.body["id"]), (406, Encoding::Json, &json!(7)), "{accept}");
    }
}

#[test]
fn messages_that_get_no_body_need_no_accept() {
    let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    check(&Post::json(&body).header("Accept", "text/html"), 202, 0);
}

#[test]
fn an_event_holds_one_message_on_one_line() {
    let seen = Post::raw("{\"jsonrpc\":\"2.0\",\"id\":\"a\\nb\",\"method\":\"ping\"}")
        .header("Accept", "text/event-stream")
        .send();
    assert_eq!(seen.text, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"a\\nb\",\"result\":{}}\n\n");
    // Formatting of the client's is not carried into the stream.
    let call = Post::bare("tools/call", &json!({ "name": "echo" })).header("Accept", "text/event-stream").send();
    assert_eq!(call.text.matches('\n').count(), 3, "{call:?}");
    assert!(KEEP_ALIVE.starts_with(b":") && KEEP_ALIVE.ends_with(b"\n\n"));
}

#[test]
fn a_stream_must_not_be_cached_or_buffered() {
    let value = |name: &str| Encoding::Sse.headers().iter().find(|(present, _)| *present == name).unwrap().1;
    assert_eq!(value("content-type"), Encoding::Sse.content_type());
    assert_eq!(value("cache-control"), "no-cache, no-transform");
    assert_eq!(value("x-accel-buffering"), "no");
    assert_eq!(Encoding::Json.headers(), [("content-type", Encoding::Json.content_type())]);
}

#[test]
fn an_answered_error_is_streamed_and_a_refusal_is_not() {
    let call = |post: Post| post.header("Accept", "text/event-stream");
    let unknown = Answer::Error(RpcError::unknown_tool("no"));
    let answered = call(Post::bare("tools/call", &json!({ "name": "no" }))).answered(unknown);
    assert_eq!((answered.status, answered.encoding), (200, Encoding::Sse));
    assert_eq!(answered.body[0]["error"]["code"], -32602);

    let mismatch = Answer::Error(RpcError::header_mismatch("no"));
    let refused = call(Post::modern("tools/call", json!({ "name": "echo" }))).answered(mismatch);
    assert_eq!((refused.status, refused.encoding, refused.code()), (400, Encoding::Json, Some(-32020)));
    for refused in [call(Post::modern("ping", json!({}))).send(), call(Post::raw("{")).send()] {
        assert_eq!(refused.encoding, Encoding::Json);
    }
}
