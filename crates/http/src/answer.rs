//! Answers: always JSON, never HTML, whatever went wrong (protocol checklist §2.2).

use std::convert::Infallible;

use bytes::Bytes;
use chorus_mcp::{Reply, RpcError};
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use serde_json::{Value, json};

/// The body of an answer: known as a whole, or events that come one by one.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// What goes back.
pub type Answer = Response<Body>;

/// Seconds after which a client may try again what the server has no room or no database for.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// A body that is known as a whole.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed_unsync()
}

/// A JSON answer.
pub(crate) fn json(status: StatusCode, value: &Value) -> Answer {
    let mut answer = Response::new(whole(value.to_string()));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// `{"error": text}`.
pub(crate) fn error(status: StatusCode, text: &str) -> Answer {
    json(status, &json!({ "error": text }))
}

/// The answer for every path that leads nowhere. Clients that look for an authorization server probe several, and take
/// anything but a plain JSON 404 for one (protocol checklist §18.1). Those that try to register show the answer to people,
/// who have forgotten their key.
pub(crate) fn not_found() -> Answer {
    let text = "Nothing is here. The server has no authorization server to register with or to log in at: send an API key \
                as `Authorization: Bearer cho_...`.";
    json(StatusCode::NOT_FOUND, &json!({ "error": "not_found", "error_description": text }))
}

/// Our fault, told without a text of ours: the log has it.
pub(crate) fn internal() -> Answer {
    let body = json!({ "jsonrpc": "2.0", "error": { "code": RpcError::internal().code, "message": "internal error" } });
    json(StatusCode::INTERNAL_SERVER_ERROR, &body)
}

/// Nothing but a status.
pub(crate) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(whole(Bytes::new()));
    *answer.status_mut() = status;
    answer
}

/// What the protocol has to say.
pub(crate) fn reply(reply: Reply) -> Answer {
    // INVARIANT: the protocol crate uses status codes of HTTP only.
    let status = StatusCode::from_u16(reply.status).expect("a status code of HTTP");
    let headers = reply.headers();
    let mut answer = empty(status);
    for (name, value) in headers {
        answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(body) = reply.body {
        answer.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        *answer.body_mut() = whole(body);
    }
    answer
}

/// Adds when to try again.
pub(crate) fn retrying(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    answer
}

/// Adds `Allow`.
pub(crate) fn allowing(mut answer: Answer, methods: &'static str) -> Answer {
    answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
    answer
}

/// Announces that the connection ends with this answer, since there is more of the request than will be read.
pub(crate) fn closing(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}
