//! A credential for programs that cannot send one.

use std::io;

use http::{HeaderValue, Request, Response, Uri, header};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

/// A proxy that adds a key to every request and changes nothing else, `Host` and `Origin` least of all. It ends when it
/// is dropped.
pub struct Bearer {
    base: String,
    accepting: JoinHandle<()>,
}

impl Bearer {
    /// A proxy in front of the server at `base`, an address without a path.
    ///
    /// # Panics
    /// If the key is no header value, or no port is free.
    pub async fn before(base: &str, key: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = format!("http://{}", listener.local_addr().unwrap());
        let there = base.to_owned();
        let credential = HeaderValue::try_from(format!("Bearer {key}")).unwrap();
        let client = Client::builder(TokioExecutor::new()).set_host(false).build(HttpConnector::new());
        let accepting = tokio::spawn(async move {
            // Its connections end with it.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (client, there, credential) = (client.clone(), there.clone(), credential.clone());
                let service =
                    service_fn(move |request| pass_on(client.clone(), there.clone(), credential.clone(), request));
                connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { base: here, accepting }
    }

    /// Its address without a path.
    pub fn base(&self) -> &str {
        &self.base
    }
}

impl Drop for Bearer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The server's answer, as it comes. If there is none, the connection is closed without one.
async fn pass_on(
    client: Client<HttpConnector, Incoming>,
    there: String,
    credential: HeaderValue,
    mut request: Request<Incoming>,
) -> io::Result<Response<Incoming>> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = format!("{there}{path}").parse::<Uri>().map_err(io::Error::other)?;
    request.headers_mut().insert(header::AUTHORIZATION, credential);
    client.request(request).await.map_err(io::Error::other)
}
