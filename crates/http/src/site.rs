//! Pages for people, on every path that no endpoint has.

use std::{net::IpAddr, pin::Pin, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use chorus_ids::Uuid;
use futures_util::{Stream, StreamExt as _};
use http::{HeaderMap, Request, Response, StatusCode, header, request::Parts};
use hyper::body::Body;
use tracing::Instrument as _;

use crate::{
    Answer, answer,
    app::Inner,
    body::{self, Lost},
    door, events,
    live::{Full, Live},
    load,
};

/// What a [`Site`] has to say to a request.
pub enum Shown {
    /// An answer that is known as a whole.
    Whole(Response<Bytes>),
    /// Nothing is here for people; programs are told so as everywhere.
    Nothing,
    /// Events, each as it goes over the wire, for as long as the stream gives them and somebody listens.
    Events {
        /// Whose stream it is: streams of one owner are limited like those of one key.
        owner: Uuid,
        /// The events.
        events: Pin<Box<dyn Stream<Item = String> + Send>>,
    },
}

/// Pages for people. A site is asked for every path that leads to no endpoint, behind the same checks of `Host`, `Origin`
/// and size; who asks, and what they may see, is its own concern.
#[async_trait]
pub trait Site: Send + Sync {
    /// Answers a request, always.
    async fn visit(&self, request: Request<Bytes>, from: Peer) -> Shown;

    /// What is said to a request with more than `most` bytes in its body, which nobody has read. `None` where a line of
    /// JSON is enough.
    fn too_large(&self, head: Parts, most: usize) -> Option<Response<Bytes>>;
}

/// Where a request comes from, as far as that is known: the other end of the connection, or what the proxy there says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peer(pub Option<IpAddr>);

/// The other end of a connection, in the extensions of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connected(pub(crate) IpAddr);

impl Peer {
    /// Where a request comes from. A proxy that is trusted adds the address that it sees to the end of
    /// `X-Forwarded-For`; what stands before is whatever the client wrote.
    pub(crate) fn of(head: &Parts, behind_proxy: bool) -> Self {
        let connected = head.extensions.get::<Connected>().map(|connected| connected.0);
        if behind_proxy { Self(forwarded(&head.headers).or(connected)) } else { Self(connected) }
    }
}

fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let line = headers.get_all("x-forwarded-for").iter().next_back()?;
    line.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

/// Answers a request that leads to no endpoint.
pub(crate) async fn show<B>(app: &Inner, site: &Arc<dyn Site>, head: Parts, body: B) -> Answer
where
    B: Body<Data: Send> + Send + 'static,
{
    let limits = &app.config.limits;
    let body = match body::read(body, &head.headers, limits, &app.load).await {
        Ok(body) => body,
        Err(Lost::TooLarge(rest)) => {
            let said = site.too_large(head, limits.body_bytes).map(|response| response.map(answer::whole));
            return door::ending(said.unwrap_or_else(|| too_large(limits.body_bytes)), rest);
        }
        Err(Lost::NoRoom(rest)) => return door::ending(load::busy(), rest),
        Err(Lost::TooSlow) => {
            return answer::closing(answer::error(StatusCode::REQUEST_TIMEOUT, "The body took too long to arrive."));
        }
        Err(Lost::Broken) => return answer::closing(answer::error(StatusCode::BAD_REQUEST, "The body broke off.")),
    };
    let Some(turn) = app.load.turn().await else { return load::busy() };
    let peer = Peer::of(&head, app.config.behind_proxy);
    let shown = site.visit(Request::from_parts(head, body.bytes.clone()), peer).await;
    drop((turn, body));
    match shown {
        Shown::Whole(response) => response.map(answer::whole),
        Shown::Nothing => answer::not_found(),
        Shown::Events { owner, events } => stream(&app.live, limits.write_stall, owner, events),
    }
}

fn too_large(most: usize) -> Answer {
    answer::error(StatusCode::PAYLOAD_TOO_LARGE, &format!("More than {most} bytes were sent, which is the most."))
}

/// An answer with these events, which ends with the server.
fn stream(
    live: &Arc<Live>,
    patience: std::time::Duration,
    owner: Uuid,
    mut events: Pin<Box<dyn Stream<Item = String> + Send>>,
) -> Answer {
    let seat = match live.admit(owner) {
        Ok(seat) => seat,
        Err(Full::Owner(most)) => {
            let text = format!("{most} streams are open already, which is the most; close one, then open another");
            return answer::retrying(answer::error(StatusCode::TOO_MANY_REQUESTS, &text));
        }
        Err(Full::Server) => return load::busy(),
    };
    let (pipe, mut answer) = events::open(patience);
    answer.headers_mut().insert(header::CACHE_CONTROL, http::HeaderValue::from_static("no-store"));
    let closed = live.closed();
    tokio::spawn(
        async move {
            let _seat = seat;
            let mut closed = std::pin::pin!(closed);
            loop {
                tokio::select! {
                    biased;
                    () = pipe.hung_up() => break,
                    () = &mut closed => break,
                    event = events.next() => match event {
                        Some(event) => if pipe.send(event).await.is_err() { break },
                        None => break,
                    },
                }
            }
        }
        .in_current_span(),
    );
    answer
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn peer(lines: &[&str], behind_proxy: bool) -> Option<String> {
        let mut request = Request::new(());
        request.extensions_mut().insert(Connected("192.0.2.1".parse().unwrap()));
        for line in lines {
            request.headers_mut().append("x-forwarded-for", line.parse().unwrap());
        }
        Peer::of(&request.into_parts().0, behind_proxy).0.map(|address| address.to_string())
    }

    #[test]
    fn only_what_the_trusted_proxy_added_is_believed() {
        let check = |lines: &[&str], behind_proxy, expected: &str| {
            assert_eq!(peer(lines, behind_proxy).as_deref(), Some(expected), "{lines:?}");
        };
        check(&[], false, "192.0.2.1");
        check(&["203.0.113.9"], false, "192.0.2.1");
        check(&["203.0.113.9"], true, "203.0.113.9");
        check(&["10.0.0.1, 203.0.113.9"], true, "203.0.113.9");
        check(&["10.0.0.1", "2001:db8::1"], true, "2001:db8::1");
        check(&["nonsense"], true, "192.0.2.1");
        check(&[], true, "192.0.2.1");
    }
}
