//! Messages of the HTTP+SSE transport (2024-11-05): posted one by one, answered on a stream that outlives them
//! (protocol checklist §4).

use crate::jsonrpc::Message;
use crate::reply::{Encoding, Reply};
use crate::{Head, Received, ServerInfo, Version, negotiate, receive};

/// What a message posted to a session comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Posted {
    /// Answer the POST with this; nothing goes out on the stream.
    Refused(Reply),
    /// Answer the POST with 202.
    Taken {
        /// What goes out on the session's stream.
        event: Option<Vec<u8>>,
        /// The revision that a handshake settled on: remember it for the messages that follow.
        negotiated: Option<Version>,
    },
    /// Answer the POST with 202, work out the answers, and send the body of what [`crate::Exchange::finish`] makes of
    /// them on the session's stream. [`crate::Exchange::stream`] is there for what comes before.
    Work(crate::Exchange),
}

/// Judges a message that was posted to a session. `negotiated` is the revision that its handshake settled on, or that the
/// client names if it shook hands with an earlier process; `None` if there is neither. No other header matters: clients of
/// this transport send few, and `Accept` says nothing about the stream.
///
/// Revisions without a handshake are not served this way.
#[must_use]
pub fn receive_in_session(server: &ServerInfo, negotiated: Option<Version>, body: &[u8]) -> Posted {
    let version = negotiated.filter(|version| !version.is_modern()).unwrap_or(Version::V2024_11_05);
    let head = Head {
        content_type: Some("application/json".to_owned()),
        accept: Some(Encoding::Sse.content_type().to_owned()),
        protocol_version: vec![version.as_str().to_owned()],
        ..Head::default()
    };
    let (handshake, modern) = peek(body);
    if modern {
        let message = "this transport serves revisions with a handshake; POST to the endpoint for Streamable HTTP";
        return Posted::Refused(Reply::rejected(400, message));
    }
    match receive(server, &head, body) {
        Received::Work(exchange) => Posted::Work(exchange),
        Received::Reply(reply) if reply.status >= 400 => Posted::Refused(reply),
        Received::Reply(reply) => Posted::Taken { event: reply.body, negotiated: handshake },
    }
}

/// The revision that a handshake in this body settles on, and whether the body is of the modern era.
fn peek(body: &[u8]) -> (Option<Version>, bool) {
    let message = std::str::from_utf8(body).ok().and_then(|text| Message::read(text).ok());
    match message {
        Some(Message::Request(request)) => {
            let modern = negotiate::claims_modern(&request.call);
            let handshake = (request.call.method == negotiate::INITIALIZE && !modern)
                .then(|| negotiate::handshake(&request.call.params).ok());
            (handshake.flatten(), modern)
        }
        Some(Message::Notification(call)) => (None, negotiate::claims_modern(&call)),
        Some(Message::Response) | None => (None, false),
    }
}
