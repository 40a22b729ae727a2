//! What goes back to the client.

use serde::Serialize;

use crate::jsonrpc::Response;
use crate::{RpcError, render::Rendered, sse};

/// How the body of a [`Reply`] is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One JSON document.
    Json,
    /// Server-sent events, one per JSON-RPC message.
    Sse,
}

impl Encoding {
    /// The value of `Content-Type`.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Sse => "text/event-stream",
        }
    }

    /// The headers that go with a body in this encoding: name in lower case, value. An event stream must not be cached,
    /// transformed or buffered on its way (protocol checklist §2.4).
    #[must_use]
    pub const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Json => &[("content-type", "application/json")],
            Self::Sse => &[
                ("content-type", "text/event-stream"),
                ("cache-control", "no-cache, no-transform"),
                ("x-accel-buffering", "no"),
            ],
        }
    }
}

/// A complete HTTP answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status code.
    pub status: u16,
    /// The body; none with 202.
    pub body: Option<Vec<u8>>,
    /// How the body is written. Always [`Encoding::Json`] when the status is 400 or above.
    pub encoding: Encoding,
}

impl Reply {
    /// The value of `Content-Type`; `None` without a body.
    #[must_use]
    pub fn content_type(&self) -> Option<&'static str> {
        self.body.as_ref().map(|_| self.encoding.content_type())
    }

    /// The headers that this answer needs: name in lower case, value; none without a body.
    #[must_use]
    pub fn headers(&self) -> &'static [(&'static str, &'static str)] {
        if self.body.is_some() { self.encoding.headers() } else { &[] }
    }

    /// A refusal by the transport: `status` says what is wrong, the body is a JSON-RPC error without an id whose code
    /// is the one for refusals without a code of their own (protocol checklist §5.1).
    pub fn rejected(status: u16, message: impl Into<String>) -> Self {
        Self::refused(status, Response { id: None, outcome: Err(RpcError::invalid_request(message)) })
    }

    /// Taken, and nothing to say about it.
    pub(crate) const fn accepted() -> Self {
        Self { status: 202, body: None, encoding: Encoding::Json }
    }

    /// A response under a status that refuses: JSON, whatever the client would have got otherwise.
    pub(crate) fn refused(status: u16, response: Response) -> Self {
        Self { status, body: Some(self::response(&response)), encoding: Encoding::Json }
    }

    /// The response to one request.
    pub(crate) fn one(status: u16, encoding: Encoding, response: Response) -> Self {
        match encoding {
            Encoding::Sse if status < 400 => {
                Self { status, body: Some(sse::event(&self::response(&response))), encoding }
            }
            Encoding::Sse | Encoding::Json => Self::refused(status, response),
        }
    }

    /// Events that are written already.
    pub(crate) const fn events(body: Vec<u8>) -> Self {
        Self { status: 200, body: Some(body), encoding: Encoding::Sse }
    }

    /// The responses to a batch, in order.
    pub(crate) fn many(encoding: Encoding, responses: &[Response]) -> Self {
        let body = match encoding {
            Encoding::Json => json(responses),
            Encoding::Sse => responses.iter().flat_map(|response| sse::event(&json(response))).collect(),
        };
        Self { status: 200, body: Some(body), encoding }
    }
}

/// The answer to a method that the endpoint does not serve, such as the GET with which clients probe for a stream
/// (protocol checklist §2.1). The HTTP layer adds `Allow: POST`.
#[must_use]
pub fn method_not_allowed() -> Reply {
    Reply::rejected(405, "only POST is served here; there is no stream to open and no session to end")
}

/// The answer to a body of more than `limit` bytes.
#[must_use]
pub fn payload_too_large(limit: usize) -> Reply {
    Reply::rejected(413, format!("the body is larger than {limit} bytes"))
}

/// One response. Most of a long one is one member.
pub(crate) fn response(response: &Response) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256 + response.outcome.as_ref().map_or(0, Rendered::size));
    // INVARIANT: as below.
    serde_json::to_writer(&mut bytes, response).expect("a response is serialisable");
    bytes
}

pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // INVARIANT: responses are made of JSON values, string keys and numbers that were read from JSON.
    serde_json::to_vec(value).expect("a response is serialisable")
}
