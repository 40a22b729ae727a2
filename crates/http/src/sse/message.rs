//! A message that is posted to a session.

use std::sync::Arc;

use chorus_app::{Context, call::Cancellation};
use chorus_auth::Ticket;
use chorus_mcp::{Answer as Answered, Exchange, Head, Posted, Request, RpcError, Version, Work, receive_in_session};
use http::{HeaderMap, StatusCode, request::Parts};
use hyper::body::Body;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tracing::Instrument as _;

use super::session::{Session, presented};
use crate::{
    Answer, Mount, answer,
    app::Inner,
    body,
    desk::Desk,
    door,
    live::watcher::Subscribed,
    load::{self, Turn},
    narrowing, progress,
    work::alone,
};

const NO_ID: &str = "The URL must name the session: `?sessionId=`, as the first event of the stream gives it.";
const NO_SESSION: &str = "There is no such session here. Open a stream again. If this server is one of several, whatever \
     is in front of them has to send all requests of a session to the same one (sticky sessions).";
const NO_ROOM: &str = "The session works on as many requests as it may. Wait for an answer, then post again.";

/// Takes a message: its answer goes out on the stream.
pub(crate) async fn post<B>(app: &Inner, mount: &Mount, request: &Parts, body: B) -> Answer
where
    B: Body<Data: Send> + Send + 'static,
{
    let (headers, limits) = (&request.headers, &app.config.limits);
    let known = match door::identify(&app.authenticator, headers).await {
        Ok((caller, ticket)) => session(app, request, &ticket)
            .map(|session| (caller, session))
            .map_err(|(status, text)| answer::error(status, text)),
        Err(refused) => Err(refused),
    };
    let (caller, session) = match known {
        Ok(known) => known,
        Err(refused) => return door::ending(refused, body::discard(body, headers, limits).await),
    };
    let body = match door::message(body, headers, limits, &app.load).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let Some(turn) = app.load.turn().await else { return load::busy() };
    session.touch();
    let exchange = match receive_in_session(&presented(mount), spoken(&session, headers), &body.bytes) {
        Posted::Refused(reply) => return answer::reply(reply),
        Posted::Taken { event, negotiated } => {
            if let Some(version) = negotiated {
                session.settle_on(version);
            }
            session.running.cancel(&body.bytes);
            let gone = match event {
                Some(event) => session.pipe.send(event).await.is_err(),
                None => false,
            };
            if gone {
                return answer::error(StatusCode::NOT_FOUND, NO_SESSION);
            }
            return answer::empty(StatusCode::ACCEPTED);
        }
        Posted::Work(exchange) => exchange,
    };
    let Ok(room) = Arc::clone(&session.room).try_acquire_owned() else {
        return answer::retrying(answer::error(StatusCode::TOO_MANY_REQUESTS, NO_ROOM));
    };
    let desk = app.desk(mount, caller, narrowing::read(headers, request.uri.query()), Head::default());
    begin(session, desk, exchange, (room, turn));
    answer::empty(StatusCode::ACCEPTED)
}

/// The revision that a session speaks. After a restart of the server clients open another stream and go on without another
/// handshake; then it is what their header says.
fn spoken(session: &Session, headers: &HeaderMap) -> Option<Version> {
    let said = || Version::parse(headers.get("mcp-protocol-version")?.to_str().ok()?);
    let spoken = session.negotiated().or_else(said);
    // News are told in it too; a handshake that follows settles it anew.
    if let Some(version) = spoken.filter(|version| !version.is_modern()) {
        session.settle_on(version);
    }
    spoken
}

/// The session that a message is for.
fn session(app: &Inner, request: &Parts, ticket: &Ticket) -> Result<Arc<Session>, (StatusCode, &'static str)> {
    let mut pairs = form_urlencoded::parse(request.uri.query().unwrap_or_default().as_bytes());
    let Some((_, id)) = pairs.find(|(name, _)| name == "sessionId").filter(|(_, id)| !id.is_empty()) else {
        return Err((StatusCode::BAD_REQUEST, NO_ID));
    };
    app.sessions.find(&id, ticket.key).ok_or((StatusCode::NOT_FOUND, NO_SESSION))
}

/// Works on the requests in a task of its own, which the client can cancel if it is one request.
fn begin(session: Arc<Session>, desk: Desk, exchange: Exchange, held: (OwnedSemaphorePermit, Turn)) {
    let (progress, mut reports) = progress::channel();
    let cancellation = Cancellation::default();
    let context = alone(&exchange, Context { progress, cancellation: cancellation.clone(), ..Context::default() });
    let id = context.as_ref().and_then(|_| exchange.requests().first()).map(|request| request.id.clone());
    let (go, noted) = oneshot::channel::<()>();
    let running = session.running.clone();
    let name = id.clone();
    let work = async move {
        let _held = held;
        // Not before it can be cancelled.
        if noted.await.is_err() {
            return;
        }
        let mut stream = exchange.stream();
        let answers = {
            let mut answers = std::pin::pin!(answers(&session, &desk, &exchange, context));
            loop {
                tokio::select! {
                    biased;
                    answers = &mut answers => break answers,
                    step = reports.next(), if stream.is_some() => {
                        let event = stream.as_mut().and_then(|stream| step.render(stream));
                        if let Some(event) = event && session.pipe.send(event).await.is_err() {
                            // The stream is gone, the work is not: losing a connection cancels nothing here.
                            stream = None;
                        }
                    }
                }
            }
        };
        if let Some(id) = name {
            session.running.remove(&id);
        }
        if let Some(event) = exchange.finish(answers).body {
            let _ = session.pipe.send(event).await;
        }
    };
    let task = tokio::spawn(work.in_current_span());
    if let Some(id) = id {
        running.add(&id, cancellation, task.abort_handle());
    }
    let _ = go.send(());
}

async fn answers(session: &Session, desk: &Desk, exchange: &Exchange, context: Option<Context>) -> Vec<Answered> {
    let mut answers = Vec::with_capacity(exchange.requests().len());
    for request in exchange.requests() {
        answers.push(answer_to(session, desk, request, &context.clone().unwrap_or_default()).await);
    }
    answers
}

async fn answer_to(session: &Session, desk: &Desk, request: &Request, context: &Context) -> Answered {
    if let Work::Subscribe { uri } = &request.work {
        return match session.subscribe(uri.clone()).await {
            Some(Ok(Subscribed::Yes)) => Answered::Done,
            Some(Ok(Subscribed::Missing)) => Answered::Error(RpcError::resource_not_found(uri)),
            Some(Ok(Subscribed::Full)) => Answered::Error(RpcError::invalid_params(
                "this session is subscribed to as many resources as it may; unsubscribe from one first",
            )),
            Some(Err(_)) | None => Answered::Error(RpcError::internal()),
        };
    }
    if let Work::Unsubscribe { uri } = &request.work {
        // A session whose stream has ended watches nothing either.
        let _ = session.unsubscribe(uri.clone()).await;
        return Answered::Done;
    }
    desk.answer(request, context).await
}
