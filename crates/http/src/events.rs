//! Answers that are streams of events (protocol checklist §2.4).

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use chorus_mcp::{Encoding, KEEP_ALIVE};
use http::{HeaderName, HeaderValue, Response};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame};
use tokio::{
    sync::mpsc,
    time::{Instant, Interval, interval_at, timeout},
};

use crate::Answer;

/// How long nothing is said before a comment keeps the connection open; proxies cut idle ones after half a minute.
const PING_EVERY: Duration = Duration::from_secs(15);
/// Events that wait for a slow reader. Who makes them waits meanwhile.
const BACKLOG: usize = 8;

/// The end of a stream at which events are put in. Dropped, it ends the stream.
pub(crate) struct Pipe {
    events: mpsc::Sender<Bytes>,
    patience: Duration,
}

/// The client is gone, or does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HungUp;

impl Pipe {
    /// Sends an event.
    ///
    /// # Errors
    /// [`HungUp`]: nothing more reaches the client.
    pub(crate) async fn send(&self, event: impl Into<Bytes>) -> Result<(), HungUp> {
        match timeout(self.patience, self.events.send(event.into())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(HungUp),
        }
    }

    /// Waits until the client is gone.
    pub(crate) async fn hung_up(&self) {
        self.events.closed().await;
    }
}

/// An answer whose events come out of the pipe. A client that takes none of them for so long is given up.
pub(crate) fn open(patience: Duration) -> (Pipe, Answer) {
    let (events, body) = mpsc::channel(BACKLOG);
    let ping = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    let mut answer = Response::new(Events { events: body, ping }.boxed_unsync());
    for (name, value) in Encoding::Sse.headers() {
        answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    (Pipe { events, patience }, answer)
}

/// The body: events, and comments where there are none.
struct Events {
    events: mpsc::Receiver<Bytes>,
    ping: Interval,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Poll::Ready(event) = self.events.poll_recv(cx) {
            self.ping.reset();
            return Poll::Ready(event.map(|event| Ok(Frame::data(event))));
        }
        ready!(self.ping.poll_tick(cx));
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(KEEP_ALIVE)))))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    async fn next(body: &mut crate::answer::Body) -> Option<Bytes> {
        body.frame().await.map(|frame| frame.unwrap().into_data().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_filled_with_comments_every_fifteen_seconds() {
        let (pipe, answer) = open(PATIENCE);
        let mut body = answer.into_body();
        let start = Instant::now();
        assert_eq!(next(&mut body).await.unwrap(), KEEP_ALIVE);
        assert_eq!(start.elapsed(), PING_EVERY);
        tokio::time::advance(Duration::from_secs(10)).await;
        pipe.send("data: x\n\n").await.unwrap();
        assert_eq!(next(&mut body).await.unwrap(), "data: x\n\n");
        assert_eq!(next(&mut body).await.unwrap(), KEEP_ALIVE);
        assert_eq!(start.elapsed(), Duration::from_secs(10) + PING_EVERY * 2);
        drop(pipe);
        assert_eq!(next(&mut body).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (pipe, _answer) = open(PATIENCE);
        for _ in 0..BACKLOG {
            pipe.send("x").await.unwrap();
        }
        let start = Instant::now();
        assert_eq!(pipe.send("x").await, Err(HungUp));
        assert_eq!(start.elapsed(), PATIENCE);
    }

    #[tokio::test]
    async fn a_client_that_is_gone_is_noticed() {
        let (pipe, answer) = open(PATIENCE);
        drop(answer);
        pipe.hung_up().await;
        assert_eq!(pipe.send("x").await, Err(HungUp));
    }
}
