//! Serving an application on a listener.
//!
//! HTTP/1.1 alone: a connection has one request at a time, so that none takes more than its share, however much it sends
//! at once. A proxy in front that speaks HTTP/2 to clients speaks this to servers behind it.

use std::{
    convert::Infallible,
    io,
    net::IpAddr,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use http::Request;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, OwnedSemaphorePermit, Semaphore, watch},
    time::timeout,
};

use crate::{
    Answer, App, Limits, answer, body, load,
    meter::{self, Counted, Limit},
    site::Connected,
    stall::Stall,
};

/// How long nothing is accepted after accepting failed, usually for want of file descriptors.
const BREATHER: Duration = Duration::from_millis(100);

/// How long a connection is left alone: one that has just been made is about to be used.
const SETTLING: Duration = Duration::from_secs(1);

/// Serves `app` until `shutdown` is ready. Then nothing new is accepted, idle connections are closed, and what is in
/// flight may finish within [`Limits::shutdown_time`].
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) {
    let limits = app.config().limits;
    let house = House {
        limits,
        seats: Arc::new(Semaphore::new(limits.connections)),
        doorstep: Arc::new(Semaphore::new(limits.refusals)),
        wanted: Arc::new(Notify::new()),
        ending: watch::Sender::new(()),
    };
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = house.accept(&listener) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, peer, step)) => house.seat(stream, peer, step, &app),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATHER).await;
            }
        }
    }
    drop(listener);
    app.close_streams();
    tracing::info!(connections = house.ending.receiver_count(), "shutting down");
    house.ending.send_replace(());
    if timeout(limits.shutdown_time, house.ending.closed()).await.is_err() {
        tracing::warn!("requests that were still in flight have been given up");
    }
}

/// The connections of a server.
struct House {
    limits: Limits,
    /// One for each connection that is served.
    seats: Arc<Semaphore>,
    /// One for each connection that is accepted and not served.
    doorstep: Arc<Semaphore>,
    /// Tells one of those who sit, the longest-seated first, that somebody wants its seat.
    wanted: Arc<Notify>,
    /// Tells all who sit that the server ends. Whoever listens is still there.
    ending: watch::Sender<()>,
}

impl House {
    /// The next connection, with its place on the doorstep: without one it could not be told anything.
    async fn accept(&self, listener: &TcpListener) -> io::Result<(TcpStream, IpAddr, OwnedSemaphorePermit)> {
        let step = Arc::clone(&self.doorstep).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = listener.accept().await?;
        // Answers are written at once and are small: waiting to fill a packet only costs time.
        stream.set_nodelay(true)?;
        Ok((stream, peer.ip(), step))
    }

    fn seat(&self, stream: TcpStream, peer: IpAddr, step: OwnedSemaphorePermit, app: &App) {
        if let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() {
            drop(step);
            self.admit(stream, peer, seat, app);
        } else {
            meter::refused(Limit::Connections);
            self.wanted.notify_one();
            self.turn_away(stream, step);
        }
    }

    /// Serves a connection until it ends.
    fn admit(&self, stream: TcpStream, peer: IpAddr, seat: OwnedSemaphorePermit, app: &App) {
        let app = app.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Connected(peer));
            app.call(request)
        });
        let connection = builder(&self.limits)
            .header_read_timeout(self.limits.head_time)
            .serve_connection(TokioIo::new(Stall::new(stream, self.limits.write_stall)), service);
        let mut ending = self.ending.subscribe();
        // In line from now on, not from when the task is first run, which can be in any order.
        let wanted = Arc::clone(&self.wanted);
        let mut asked = Box::pin(Arc::clone(&wanted).notified_owned());
        asked.as_mut().enable();
        let since = Instant::now();
        let counted = Counted::connection();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            let mut leaving = false;
            let ended = loop {
                tokio::select! {
                    ended = connection.as_mut() => break ended,
                    () = asked.as_mut(), if !leaving => {
                        leaving = since.elapsed() >= SETTLING;
                        asked.set(Arc::clone(&wanted).notified_owned());
                    }
                    _ = ending.changed(), if !leaving => leaving = true,
                }
                if leaving {
                    // An idle connection is closed now, another one behind the answer that it waits for.
                    connection.as_mut().graceful_shutdown();
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
            drop((seat, counted));
        });
    }

    /// Answers one request, whatever it is, with the news that the server is full.
    fn turn_away(&self, stream: TcpStream, step: OwnedSemaphorePermit) {
        let limits = self.limits;
        let full = service_fn(move |request: Request<Incoming>| async move {
            Ok::<Answer, Infallible>(full(request, &limits).await)
        });
        let connection = builder(&limits)
            .header_read_timeout(limits.drain_time)
            .keep_alive(false)
            .serve_connection(TokioIo::new(Stall::new(stream, limits.drain_time)), full);
        tracing::debug!("a connection is one too many");
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection that was one too many ended early");
            }
            drop(step);
        });
    }
}

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .max_headers(limits.head_lines)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes);
    builder
}

/// The body is read away, since closing on a client that sends would take the answer away from it.
async fn full(request: Request<Incoming>, limits: &Limits) -> Answer {
    let (head, body) = request.into_parts();
    body::discard(body, &head.headers, limits).await;
    answer::closing(load::busy())
}
