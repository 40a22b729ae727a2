//! A session: its stream, from opening it to its end.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chorus_ids::KeyId;
use chorus_mcp::{Filter, ServerInfo, Version, session_news};
use chorus_store::Result;
use http::request::Parts;
use tokio::{
    sync::{Semaphore, mpsc, oneshot},
    time::{Instant, sleep_until},
};
use tracing::Instrument as _;

use super::{Listed, SsePaths, running::Running};
use crate::{
    Answer, Mount, answer,
    app::Inner,
    door,
    events::{self, HungUp, Pipe},
    live::{
        Seat,
        watcher::{Subscribed, Watcher},
    },
    narrowing,
};

/// What a message and its stream share.
pub(crate) struct Session {
    /// The key that opened it.
    pub(super) key: KeyId,
    /// Where its answers go.
    pub(super) pipe: Arc<Pipe>,
    /// The requests that are worked on.
    pub(super) running: Running,
    /// Room for requests.
    pub(super) room: Arc<Semaphore>,
    negotiated: Mutex<Option<Version>>,
    used: Mutex<Instant>,
    wishes: mpsc::Sender<Wish>,
}

/// What a message wants of the stream.
pub(super) enum Wish {
    Subscribe(String, oneshot::Sender<Result<Subscribed>>),
    Unsubscribe(String, oneshot::Sender<()>),
}

impl Session {
    /// The revision that the handshake settled on.
    pub(super) fn negotiated(&self) -> Option<Version> {
        *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the revision that a handshake settled on.
    pub(super) fn settle_on(&self, version: Version) {
        *self.negotiated.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }

    /// Notes that the client still uses it.
    pub(super) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a resource to be watched; `None` if the stream has ended.
    pub(super) async fn subscribe(&self, uri: String) -> Option<Result<Subscribed>> {
        let (answer, answered) = oneshot::channel();
        self.wishes.send(Wish::Subscribe(uri, answer)).await.ok()?;
        answered.await.ok()
    }

    /// Asks for a resource to be watched no longer; `None` if the stream has ended.
    pub(super) async fn unsubscribe(&self, uri: String) -> Option<()> {
        let (answer, answered) = oneshot::channel();
        self.wishes.send(Wish::Unsubscribe(uri, answer)).await.ok()?;
        answered.await.ok()
    }
}

/// How the server presents itself to a session: news can reach it, unlike a client of single requests.
pub(super) fn presented(mount: &Mount) -> ServerInfo {
    let mut info = mount.info.clone();
    info.offer.session_stream = true;
    info
}

/// Opens a session and its stream.
pub(crate) async fn open(app: &Inner, mount: &Mount, paths: SsePaths, request: &Parts) -> Answer {
    let (caller, ticket) = match door::identify(&app.authenticator, &request.headers).await {
        Ok(known) => known,
        Err(refused) => return refused,
    };
    let key = ticket.key;
    let seat = match app.live.admit(key.uuid()) {
        Ok(seat) => seat,
        Err(full) => return full.answer(),
    };
    let watch = app.watch(mount, ticket, narrowing::read(&request.headers, request.uri.query()));
    let limits = watch.limits;
    let info = presented(mount);
    let lists = Filter {
        tools_list_changed: true,
        prompts_list_changed: true,
        resources_list_changed: true,
        ..Filter::default()
    };
    let watcher = match Watcher::open(watch, caller, lists.within(&info.offer)).await {
        Ok((watcher, _)) => watcher,
        Err(error) => {
            tracing::warn!(%error, cause = ?std::error::Error::source(&error), "a session can't be opened");
            let text = "The server can't open a session just now. Try again in a few seconds.";
            return answer::retrying(answer::error(http::StatusCode::SERVICE_UNAVAILABLE, text));
        }
    };
    let (pipe, answer) = events::open(app.config.limits.write_stall);
    let (wishes, wished) = mpsc::channel(1);
    let session = Arc::new(Session {
        key,
        pipe: Arc::new(pipe),
        running: Running::default(),
        room: Arc::new(Semaphore::new(limits.requests)),
        negotiated: Mutex::default(),
        used: Mutex::new(Instant::now()),
        wishes,
    });
    // Whoever knows it and the key can post to the session; it can't be guessed.
    let id = format!("{:032x}", rand::random::<u128>());
    let listed = app.sessions.add(&id, Arc::clone(&session));
    let first = format!("event: endpoint\ndata: {}?sessionId={id}\n\n", paths.message);
    let stream = Stream { _seat: seat, _listed: listed, session, info, watcher, wished, idle: limits.idle };
    let closed = app.live.closed();
    tokio::spawn(
        async move {
            tracing::debug!("a session begins");
            let ended = stream.run(first, closed).await;
            tracing::debug!(hung_up = ended.is_err(), "a session ended");
        }
        .in_current_span(),
    );
    answer
}

/// The side of a session that tells the client.
struct Stream {
    _seat: Seat,
    _listed: Listed,
    session: Arc<Session>,
    info: ServerInfo,
    watcher: Watcher,
    wished: mpsc::Receiver<Wish>,
    idle: Duration,
}

impl Stream {
    async fn run(mut self, first: String, closed: impl Future<Output = ()>) -> Result<(), HungUp> {
        let mut closed = std::pin::pin!(closed);
        let pipe = Arc::clone(&self.session.pipe);
        pipe.send(first).await?;
        loop {
            let idle = self.session.used() + self.idle;
            tokio::select! {
                biased;
                () = pipe.hung_up() => return Err(HungUp),
                () = &mut closed => return Ok(()),
                Some(wish) = self.wished.recv() => {
                    self.fulfil(wish).await;
                    continue;
                }
                () = sleep_until(idle), if !self.watcher.is_subscribed() => {
                    if self.session.used() + self.idle <= Instant::now() {
                        return Ok(());
                    }
                    continue;
                }
                heard = self.watcher.wait() => if heard.is_err() { return Ok(()) },
            }
            let Ok(news) = self.watcher.settle().await else { return Ok(()) };
            for changed in news {
                // Before the handshake nothing is told.
                let version = self.session.negotiated();
                if let Some(event) = version.and_then(|version| session_news(&self.info, version, &changed)) {
                    pipe.send(event).await?;
                }
            }
        }
    }

    /// Who wished may be gone, which changes nothing.
    async fn fulfil(&mut self, wish: Wish) {
        match wish {
            Wish::Subscribe(uri, answer) => {
                let _ = answer.send(self.watcher.subscribe(uri).await);
            }
            Wish::Unsubscribe(uri, answer) => {
                self.watcher.unsubscribe(&uri);
                let _ = answer.send(());
            }
        }
    }
}
