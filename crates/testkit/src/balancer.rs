//! A proxy in front of several servers that sends nobody to the same one twice.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use http::{Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

use crate::loopback::{Body, Loopback};

/// Passes each request on to the next of its servers, whatever connection and client it comes from. Answers pass as they
/// come. A server that can't be reached is passed over, as a balancer does that looks after its servers' health.
pub struct Balancer {
    proxy: Loopback,
}

struct Servers {
    bases: Vec<String>,
    next: AtomicUsize,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Balancer {
    /// One in front of the servers at these addresses, each as `http://127.0.0.1:PORT`.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn before(bases: impl IntoIterator<Item = String>) -> Self {
        let servers = Arc::new(Servers {
            bases: bases.into_iter().collect(),
            next: AtomicUsize::new(0),
            client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http(),
        });
        Self { proxy: Loopback::serve(move |request| pass(Arc::clone(&servers), request)).await }
    }

    /// Its address without a path.
    pub fn base(&self) -> &str {
        self.proxy.base()
    }
}

async fn pass(servers: Arc<Servers>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let (mut head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    head.headers.remove(header::CONNECTION);
    let mut tries = 0;
    loop {
        let number = servers.next.fetch_add(1, Ordering::Relaxed) % servers.bases.len();
        head.uri = format!("{}{path}", servers.bases[number]).parse::<Uri>().map_err(io::Error::other)?;
        tries += 1;
        match servers.client.request(Request::from_parts(head.clone(), Full::new(body.clone()))).await {
            Ok(answer) => {
                let (mut head, body) = answer.into_parts();
                head.headers.remove(header::CONNECTION);
                return Ok(Response::from_parts(head, body.boxed_unsync()));
            }
            // Nothing was sent: another one may be asked.
            Err(error) if error.is_connect() && tries < servers.bases.len() => {}
            Err(error) => return Err(io::Error::other(error)),
        }
    }
}
