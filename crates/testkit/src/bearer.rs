//! A credential for programs that cannot send one.

use std::io;

use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

use crate::loopback::{Body, Loopback};

/// A proxy that adds a key to every request and changes nothing else, `Host` and `Origin` least of all. It ends when it
/// is dropped.
pub struct Bearer(Loopback);

impl Bearer {
    /// A proxy before the server at `base`, an address as `http://127.0.0.1:PORT`.
    ///
    /// # Panics
    /// If the key is no header value, or no port is free.
    pub async fn before(base: &str, key: &str) -> Self {
        let server = base.to_owned();
        let credential = HeaderValue::try_from(format!("Bearer {key}")).unwrap();
        let client = Client::builder(TokioExecutor::new()).set_host(false).build(HttpConnector::new());
        let pass_on = move |request| pass_on(client.clone(), server.clone(), credential.clone(), request);
        Self(Loopback::serve(pass_on).await)
    }

    /// Its address without a path.
    pub fn base(&self) -> &str {
        self.0.base()
    }
}

/// The server's answer, as it comes.
async fn pass_on(
    client: Client<HttpConnector, Incoming>,
    server: String,
    credential: HeaderValue,
    mut request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = format!("{server}{path}").parse::<Uri>().map_err(io::Error::other)?;
    request.headers_mut().insert(header::AUTHORIZATION, credential);
    let answer = client.request(request).await.map_err(io::Error::other)?;
    Ok(answer.map(BodyExt::boxed_unsync))
}
