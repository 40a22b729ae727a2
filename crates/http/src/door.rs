//! Who sends a request, and its body: what comes before the protocol.

use chorus_auth::{AuthError, Authenticator, Ticket};
use chorus_domain::Caller;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use hyper::body::Body;

use crate::{
    Answer, Limits, answer,
    body::{self, Lost, Rest, Whole},
    load::{self, Load},
};

/// The caller, and what it is checked again with.
///
/// # Errors
/// The refusal to send once the body is out of the way. A bad credential is refused whatever else the request holds
/// (README decision 21).
pub(crate) async fn identify(authenticator: &Authenticator, headers: &HeaderMap) -> Result<(Caller, Ticket), Answer> {
    let lines = headers.get_all(header::AUTHORIZATION).iter().map(HeaderValue::as_bytes);
    match authenticator.authenticate(lines).await {
        Ok((caller, ticket)) => {
            let (subject, id) = (caller.subject.kind(), caller.subject.uuid());
            tracing::debug!(subject, %id, key = %ticket.key, "authenticated");
            Ok((caller, ticket))
        }
        Err(error) => Err(unauthenticated(&error)),
    }
}

/// The body of a message.
///
/// # Errors
/// The refusal of one that is too large, too slow or broken, or for which there is no room.
pub(crate) async fn message<B>(body: B, headers: &HeaderMap, limits: &Limits, load: &Load) -> Result<Whole, Answer>
where
    B: Body<Data: Send> + Send + 'static,
{
    body::read(body, headers, limits, load).await.map_err(|lost| match lost {
        Lost::TooLarge(rest) => ending(answer::reply(chorus_mcp::payload_too_large(limits.body_bytes)), rest),
        Lost::NoRoom(rest) => ending(load::busy(), rest),
        Lost::TooSlow => {
            let reply = chorus_mcp::Reply::rejected(408, "the body took too long to arrive");
            answer::closing(answer::reply(reply))
        }
        Lost::Broken => answer::closing(answer::reply(chorus_mcp::Reply::rejected(400, "the body broke off"))),
    })
}

/// The answer, as the last of its connection if the client may not have finished sending.
pub(crate) fn ending(answer: Answer, rest: Rest) -> Answer {
    match rest {
        Rest::Gone => answer,
        Rest::Coming => answer::closing(answer),
    }
}

fn unauthenticated(error: &AuthError) -> Answer {
    if let Some(challenge) = error.challenge() {
        tracing::debug!(%error, "not authenticated");
        let mut refused = answer::error(StatusCode::UNAUTHORIZED, error.description());
        // INVARIANT: challenges are made of visible ASCII.
        let challenge = HeaderValue::try_from(challenge).expect("a challenge is a header value");
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        return refused;
    }
    let cause = std::error::Error::source(error).and_then(std::error::Error::source).map(ToString::to_string);
    tracing::warn!(cause, "a credential could not be checked");
    answer::retrying(answer::error(StatusCode::SERVICE_UNAVAILABLE, error.description()))
}
