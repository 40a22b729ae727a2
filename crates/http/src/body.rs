//! Reading bodies, and reading them away.

use std::pin::Pin;

use bytes::{Buf as _, Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use hyper::body::Body;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout_at},
};

use crate::{Limits, load::Load};

/// A body that was read, and the room that it takes.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It is larger than allowed.
    TooLarge(Rest),
    /// It took too long.
    TooSlow,
    /// Other bodies take all the room.
    NoRoom(Rest),
    /// The connection broke, or the body is not framed as HTTP wants it.
    Broken,
}

/// What became of a body that is not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It was read to its end: the connection can go on.
    Gone,
    /// More of it may come: the connection has to end.
    Coming,
}

/// All of a body, within the limits and the room that there is. Of one that is too large as much is read away as the limits say, so that its
/// sender gets to reading the answer instead of failing to send.
pub(crate) async fn read<B>(body: B, headers: &HeaderMap, limits: &Limits, load: &Load) -> Result<Whole, Lost>
where
    B: Body<Data: Send> + Send + 'static,
{
    let mut body = Box::pin(body);
    if body.size_hint().lower() > limits.body_bytes as u64 {
        return Err(Lost::TooLarge(drain(body, headers, limits).await));
    }
    let end = Instant::now() + limits.body_time;
    let mut read = BytesMut::new();
    let mut room: Option<OwnedSemaphorePermit> = None;
    loop {
        let frame = match timeout_at(end, body.frame()).await {
            Err(_) => return Err(Lost::TooSlow),
            Ok(None) => return Ok(Whole { bytes: read.freeze(), _room: room }),
            Ok(Some(Err(_))) => return Err(Lost::Broken),
            Ok(Some(Ok(frame))) => frame,
        };
        if let Ok(mut data) = frame.into_data() {
            let size = data.remaining();
            if read.len() + size > limits.body_bytes {
                let seen = read.len() + size;
                drop(read);
                return Err(Lost::TooLarge(read_away(body, limits, seen).await));
            }
            let Some(more) = load.room(size) else {
                let seen = read.len() + size;
                drop((read, room));
                return Err(Lost::NoRoom(read_away(body, limits, seen).await));
            };
            match &mut room {
                Some(room) => room.merge(more),
                None => room = Some(more),
            }
            read.extend_from_slice(&data.copy_to_bytes(size));
        }
    }
}

/// Reads away the body of a request that is refused whatever it holds.
pub(crate) async fn discard<B>(body: B, headers: &HeaderMap, limits: &Limits) -> Rest
where
    B: Body<Data: Send> + Send + 'static,
{
    drain(Box::pin(body), headers, limits).await
}

async fn drain<B>(body: Pin<Box<B>>, headers: &HeaderMap, limits: &Limits) -> Rest
where
    B: Body<Data: Send> + Send + 'static,
{
    if body.is_end_stream() {
        return Rest::Gone;
    }
    // Who asks first is told by the answer; reading would invite the body.
    if headers.contains_key(header::EXPECT) {
        return Rest::Coming;
    }
    // Of one that is announced to be larger than will be read, the end can't be waited for: the answer goes out while as
    // much as may be is read behind it, since closing on a client that sends would take the answer away from it.
    if body.size_hint().lower() > limits.drain_bytes as u64 {
        let limits = *limits;
        tokio::spawn(async move { read_away(body, &limits, 0).await });
        return Rest::Coming;
    }
    read_away(body, limits, 0).await
}

/// Reads and forgets, as far as the limits allow; `seen` bytes have been read before.
async fn read_away<B: Body>(mut body: Pin<Box<B>>, limits: &Limits, mut seen: usize) -> Rest {
    let end = Instant::now() + limits.drain_time;
    loop {
        match timeout_at(end, body.frame()).await {
            Ok(None) => return Rest::Gone,
            Err(_) | Ok(Some(Err(_))) => return Rest::Coming,
            Ok(Some(Ok(frame))) => {
                seen += frame.data_ref().map_or(0, |data| data.remaining());
                if seen > limits.drain_bytes {
                    return Rest::Coming;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::{convert::Infallible, time::Duration};

    use futures_util::{StreamExt as _, stream};
    use http::HeaderValue;
    use http_body_util::{Full, StreamBody};
    use hyper::body::Frame;

    use super::*;

    const LIMITS: fn() -> Limits = || Limits { body_bytes: 10, drain_bytes: 20, ..Limits::default() };

    fn chunk(size: usize) -> Result<Frame<Bytes>, Infallible> {
        Ok(Frame::data(Bytes::from(vec![b'x'; size])))
    }

    /// A body of unknown length.
    fn chunks(sizes: &[usize]) -> impl Body<Data = Bytes, Error = Infallible> + Send + use<> {
        StreamBody::new(stream::iter(sizes.iter().map(|size| chunk(*size)).collect::<Vec<_>>()))
    }

    async fn check(body: impl Body<Data = Bytes> + Send + 'static, expected: Result<usize, Lost>) {
        let load = Load::new(&LIMITS());
        assert_eq!(read(body, &HeaderMap::new(), &LIMITS(), &load).await.map(|whole| whole.bytes.len()), expected);
    }

    #[tokio::test]
    async fn bodies_share_the_room_that_there_is() {
        let load = Load::new(&Limits { bodies_bytes: 15, ..LIMITS() });
        let read = async |body| read(body, &HeaderMap::new(), &LIMITS(), &load).await;
        let first = read(chunks(&[4, 6])).await.unwrap();
        assert_eq!(read(chunks(&[5, 1, 1])).await.unwrap_err(), Lost::NoRoom(Rest::Gone));
        assert_eq!(read(chunks(&[5])).await.unwrap().bytes.len(), 5);
        drop(first);
        assert_eq!(read(chunks(&[10])).await.unwrap().bytes.len(), 10);
    }

    #[tokio::test]
    async fn a_body_within_the_limit_is_read_whole() {
        check(Full::new(Bytes::new()), Ok(0)).await;
        check(Full::new(Bytes::from_static(b"0123456789")), Ok(10)).await;
        check(chunks(&[4, 0, 6]), Ok(10)).await;
    }

    #[tokio::test]
    async fn one_byte_more_is_too_large_and_read_away() {
        check(Full::new(Bytes::from_static(b"0123456789a")), Err(Lost::TooLarge(Rest::Gone))).await;
        check(chunks(&[10, 1]), Err(Lost::TooLarge(Rest::Gone))).await;
        check(chunks(&[5, 5, 5, 5]), Err(Lost::TooLarge(Rest::Gone))).await;
    }

    #[tokio::test]
    async fn reading_away_has_its_own_limit() {
        check(chunks(&[5, 5, 5, 5, 1, 0]), Err(Lost::TooLarge(Rest::Coming))).await;
        check(Full::new(Bytes::from(vec![0; 21])), Err(Lost::TooLarge(Rest::Coming))).await;
        check(StreamBody::new(stream::repeat_with(|| chunk(3))), Err(Lost::TooLarge(Rest::Coming))).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_given_up() {
        let start = Instant::now();
        let trickle = stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_secs(7)).await;
            chunk(0)
        });
        check(StreamBody::new(Box::pin(trickle)), Err(Lost::TooSlow)).await;
        assert_eq!(start.elapsed(), LIMITS().body_time);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_rest_is_not_waited_for() {
        let start = Instant::now();
        let stuck = stream::once(async { chunk(11) }).chain(stream::pending());
        check(StreamBody::new(Box::pin(stuck)), Err(Lost::TooLarge(Rest::Coming))).await;
        assert_eq!(start.elapsed(), LIMITS().drain_time);
    }

    #[tokio::test]
    async fn a_broken_body_is_no_body() {
        let broken = stream::iter([Ok(Frame::data(Bytes::from_static(b"x"))), Err("reset")]);
        check(StreamBody::new(broken), Err(Lost::Broken)).await;
    }

    #[tokio::test]
    async fn a_body_announced_to_be_endless_is_read_behind_the_answer() {
        let (sender, body) = Channel::new();
        let discarded = tokio::time::timeout(Duration::from_secs(1), discard(body, &HeaderMap::new(), &LIMITS())).await;
        assert_eq!(discarded.unwrap(), Rest::Coming, "at once");
        for _ in 0..4 {
            sender.send(chunk(5)).await.unwrap();
        }
        sender.send(chunk(1)).await.unwrap();
        sender.closed().await;
    }

    /// A body that is announced to be larger than anything, and comes as it is sent.
    struct Channel(tokio::sync::mpsc::Receiver<Result<Frame<Bytes>, Infallible>>);

    impl Channel {
        fn new() -> (tokio::sync::mpsc::Sender<Result<Frame<Bytes>, Infallible>>, Self) {
            let (sender, receiver) = tokio::sync::mpsc::channel(1);
            (sender, Self(receiver))
        }
    }

    impl Body for Channel {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.poll_recv(cx)
        }

        fn size_hint(&self) -> hyper::body::SizeHint {
            hyper::body::SizeHint::with_exact(u64::MAX)
        }
    }

    #[tokio::test]
    async fn a_client_that_asks_first_is_not_invited_to_send_what_is_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(header::EXPECT, HeaderValue::from_static("100-continue"));
        let untouched = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
        let discarded = tokio::time::timeout(Duration::from_secs(1), discard(untouched, &headers, &LIMITS())).await;
        assert_eq!(discarded.unwrap(), Rest::Coming);
    }
}
