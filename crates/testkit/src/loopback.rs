//! Small HTTP servers of tests.

use std::{convert::Infallible, io, pin::pin, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// A body that is made as it is sent.
pub(crate) type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// A body that is there.
pub(crate) fn whole(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).map_err(|never: Infallible| match never {}).boxed_unsync()
}

/// A server on a free port of this machine. It ends, with its connections, when it is dropped.
pub(crate) struct Loopback {
    base: String,
    cuts: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Loopback {
    /// Serves with `answer`. When that fails, its connection is closed without an answer.
    pub(crate) async fn serve<Answering>(
        answer: impl Fn(Request<Incoming>) -> Answering + Send + Sync + 'static,
    ) -> Self
    where
        Answering: Future<Output = io::Result<Response<Body>>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let cuts = watch::Sender::new(());
        let cut = cuts.subscribe();
        let answer = Arc::new(answer);
        let accepting = tokio::spawn(async move {
            // Its connections end with it.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, answer.clone(), cut.clone()));
            }
        });
        Self { base, cuts, accepting }
    }

    /// Its address without a path.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Closes each connection: at once if it is idle, else after its answer.
    pub(crate) fn cut(&self) {
        self.cuts.send_replace(());
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn connection<Answering>(
    stream: TcpStream,
    answer: Arc<impl Fn(Request<Incoming>) -> Answering>,
    mut cut: watch::Receiver<()>,
) where
    Answering: Future<Output = io::Result<Response<Body>>>,
{
    // Only cuts from now on.
    cut.mark_unchanged();
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(|request| answer(request)));
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        _ = cut.changed() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    // How a connection ends is the business of the client.
    drop(ended);
}
