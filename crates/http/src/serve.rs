//! Serving an application on a listener.

use std::{io, sync::Arc, time::Duration};

use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{App, Limits, stall::Stall};

/// How long nothing is accepted after accepting failed, usually for want of file descriptors.
const BREATHER: Duration = Duration::from_millis(100);

/// Serves `app` until `shutdown` is ready. Then nothing new is accepted, idle connections are closed, and what is in
/// flight may finish within [`Limits::shutdown_time`].
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) {
    let limits = app.config().limits;
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(limits.connections));
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &slots) => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, slot)) => connection(stream, slot, &app, &limits, &graceful),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATHER).await;
            }
        }
    }
    drop(listener);
    app.close_streams();
    tracing::info!(connections = graceful.count(), "shutting down");
    if timeout(limits.shutdown_time, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that were still in flight have been given up");
    }
}

async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    // Answers are written at once and are small: waiting to fill a packet only costs time.
    stream.set_nodelay(true)?;
    Ok((stream, slot))
}

fn connection(stream: TcpStream, slot: OwnedSemaphorePermit, app: &App, limits: &Limits, graceful: &GracefulShutdown) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_headers(limits.head_lines)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(Stall::new(stream, limits.write_stall)), app.clone());
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(slot);
    });
}
