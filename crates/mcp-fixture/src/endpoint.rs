//! The endpoint: HTTP in, the protocol's replies out, as JSON or as events.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use chorus_mcp::{Answer, Encoding, Exchange, Head, KEEP_ALIVE, Received, Reply, RpcError, Stream, receive};
use futures_util::stream;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited, StreamBody, combinators::BoxBody};
use hyper::{
    body::{Frame, Incoming},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet, time::timeout};

use crate::{
    Fixture, admission, call,
    event::{Event, Reporter},
};

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// The most bytes of a body.
const LARGEST: usize = 1 << 20;

/// How long a stream may be silent.
const SILENCE: Duration = Duration::from_secs(15);

type Body = BoxBody<Bytes, Infallible>;

/// Serves until it is stopped from outside.
pub async fn serve(listener: TcpListener, fixture: Arc<Fixture>) {
    loop {
        // A connection that broke before it was taken is no reason to stop.
        let Ok((connection, _)) = listener.accept().await else { continue };
        let fixture = Arc::clone(&fixture);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let fixture = Arc::clone(&fixture);
                async move { Ok::<_, Infallible>(answer(fixture, request).await) }
            });
            // How a connection ends is the client's business.
            let _ =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), service).await;
        });
    }
}

async fn answer(fixture: Arc<Fixture>, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if !admission::admits(&parts.headers) {
        return reply(Reply::rejected(403, "this server answers to the names of its own machine only"));
    }
    if parts.uri.path().trim_end_matches('/') != PATH {
        return reply(Reply::rejected(404, "there is nothing here; the endpoint is /mcp"));
    }
    if parts.method != Method::POST {
        let mut refused = reply(chorus_mcp::method_not_allowed());
        refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    let Ok(body) = Limited::new(body, LARGEST).collect().await else {
        return reply(chorus_mcp::payload_too_large(LARGEST));
    };
    let lines = parts.headers.iter().map(|(name, value)| (HeaderName::as_str(name), value.as_bytes()));
    let head = Head::from_lines(lines);
    match receive(&fixture.info, &head, &body.to_bytes()) {
        Received::Reply(finished) => reply(finished),
        Received::Work(exchange) => match exchange.stream() {
            Some(stream) => work(fixture, head, exchange, stream).await,
            None => reply(all(fixture, head, exchange).await),
        },
    }
}

/// Works on everything, and says nothing before the end.
async fn all(fixture: Arc<Fixture>, head: Head, exchange: Exchange) -> Reply {
    let (reporter, mut unheard) = Reporter::new();
    tokio::spawn(async move { while unheard.recv().await.is_some() {} });
    let mut answers = Vec::new();
    for request in exchange.requests() {
        answers.push(call::answer(&fixture, &head, request, &reporter).await);
    }
    exchange.finish(answers)
}

/// Works on one request. Whatever it says before its answer makes the reply a stream.
async fn work(fixture: Arc<Fixture>, head: Head, exchange: Exchange, mut stream: Stream) -> Response<Body> {
    let (reporter, mut events) = Reporter::new();
    let Some(request) = exchange.requests().first().cloned() else { return reply(exchange.finish(Vec::new())) };
    let cancels = request.version.is_modern();
    let mut worker = JoinSet::new();
    worker.spawn(async move {
        let answer = call::answer(&fixture, &head, &request, &reporter).await;
        reporter.say(Event::Answer(answer)).await;
    });
    if !cancels {
        // Older clients hang up without meaning anything by it.
        worker.detach_all();
    }
    let first = loop {
        match events.recv().await {
            Some(Event::Answer(answer)) => return reply(exchange.finish(vec![answer])),
            Some(event) => {
                if let Some(message) = write(&mut stream, event) {
                    break message;
                }
            }
            // The work panicked.
            None => return reply(exchange.finish(vec![Answer::Error(RpcError::internal())])),
        }
    };
    let streaming = Streaming { stream: Some(stream), first: Some(first), events, _worker: worker };
    let body = stream::unfold(streaming, |mut streaming| async move {
        let message = streaming.next().await?;
        Some((Ok(Frame::data(Bytes::from(message))), streaming))
    });
    response(StatusCode::OK, Encoding::Sse.headers(), StreamBody::new(body).boxed())
}

/// A reply that is under way. The work ends with it.
struct Streaming {
    /// `None` once the answer is out.
    stream: Option<Stream>,
    first: Option<Vec<u8>>,
    events: mpsc::Receiver<Event>,
    _worker: JoinSet<()>,
}

impl Streaming {
    /// The next bytes; `None` at the end.
    async fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            match timeout(SILENCE, self.events.recv()).await {
                Err(_) if self.stream.is_some() => return Some(KEEP_ALIVE.to_vec()),
                Err(_) => return None,
                Ok(Some(Event::Answer(answer))) => return self.stream.take().map(|stream| stream.finish(answer)),
                Ok(Some(event)) => {
                    if let Some(message) = self.stream.as_mut().and_then(|stream| write(stream, event)) {
                        return Some(message);
                    }
                }
                Ok(None) => return self.stream.take().map(|stream| stream.finish(Answer::Error(RpcError::internal()))),
            }
        }
    }
}

/// The event as a message, if this client gets it.
fn write(stream: &mut Stream, event: Event) -> Option<Vec<u8>> {
    match event {
        Event::Progress(done, total) => stream.progress(done, Some(total), None),
        Event::Log(level, data) => stream.log(level, Some("fixture"), &data),
        Event::Granted(filter) => Some(stream.acknowledged(&filter)),
        Event::Changed(changed) => stream.changed(&changed),
        Event::Answer(_) => None,
    }
}

fn reply(reply: Reply) -> Response<Body> {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = reply.headers();
    response(status, headers, Full::new(Bytes::from(reply.body.unwrap_or_default())).boxed())
}

fn response(status: StatusCode, headers: &[(&'static str, &'static str)], body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
