//! What passes between a client and a server.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    asked, check_message,
    loopback::{Body, Loopback},
    reply::only,
};

/// A request and its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The method of HTTP.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The request's headers: names in lower case, values.
    pub headers: Vec<(String, String)>,
    /// The request's body.
    pub body: String,
    /// The answer's status.
    pub status: u16,
    /// The answer's body, as far as it has come.
    pub answer: Vec<u8>,
}

impl Exchange {
    /// A header of the request that is there at most once.
    ///
    /// # Panics
    /// If it is there several times.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        only(&self.headers, name)
    }

    /// The message of the request, null if it has none.
    ///
    /// # Panics
    /// If the body is no JSON.
    #[track_caller]
    pub fn message(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The method of the message, empty if it has none.
    pub fn rpc(&self) -> String {
        self.message()["method"].as_str().unwrap_or_default().to_owned()
    }

    /// Holds the messages of an answer to a POST against the schema of their revision.
    fn check(&self) {
        let path = self.path.split('?').next().unwrap_or_default();
        if self.method != "POST" || !path.trim_end_matches('/').ends_with("/mcp") {
            return;
        }
        let asked = asked(&self.headers, self.body.as_bytes());
        let Some(first) = asked.first() else { return };
        for message in self.answers().iter().filter(|answer| answer.get("jsonrpc").is_some()) {
            check_message(&asked, &first.revision, message);
        }
    }

    /// The messages of the answer: one of JSON, or any number of a stream.
    pub fn answers(&self) -> Vec<Value> {
        let text = String::from_utf8_lossy(&self.answer);
        match serde_json::from_str(&text) {
            Ok(message) => vec![message],
            Err(_) => {
                let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
                lines.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
            }
        }
    }
}

/// Stands between a client and a server, passes everything on as it is, and keeps a record.
///
/// The way to the server is made anew for each request, so that it may go and come back.
pub struct Recorder {
    proxy: Loopback,
    shared: Arc<Shared>,
}

struct Shared {
    server: String,
    client: Client<HttpConnector, Full<Bytes>>,
    exchanges: Mutex<Vec<Exchange>>,
    hold: Mutex<Option<Hold>>,
}

/// The next request with this method of JSON-RPC waits.
struct Hold {
    method: &'static str,
    reached: oneshot::Sender<()>,
    release: oneshot::Receiver<()>,
}

/// A request that waits, or will.
pub struct Held {
    reached: oneshot::Receiver<()>,
    release: oneshot::Sender<()>,
}

impl Held {
    /// Waits until the request is there.
    ///
    /// # Panics
    /// If the recorder is gone.
    pub async fn reached(&mut self) {
        (&mut self.reached).await.unwrap();
    }

    /// Lets it go on to the server.
    ///
    /// # Panics
    /// If its client has given up.
    pub fn release(self) {
        self.release.send(()).unwrap();
    }
}

impl Recorder {
    /// A recorder before the server at `base`, an address as `http://127.0.0.1:PORT`.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn before(base: &str) -> Self {
        let shared = Arc::new(Shared {
            server: base.to_owned(),
            client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http(),
            exchanges: Mutex::default(),
            hold: Mutex::default(),
        });
        let proxied = shared.clone();
        let proxy = Loopback::serve(move |request| pass(proxied.clone(), request)).await;
        Self { proxy, shared }
    }

    /// Its address without a path.
    pub fn base(&self) -> &str {
        self.proxy.base()
    }

    /// What has passed so far, in the order of the requests; those without an answer are not there.
    ///
    /// # Panics
    /// If the server sent a message that it may not send under the revision of its request.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let passed: Vec<_> = self.shared.exchanges().iter().filter(|exchange| exchange.status != 0).cloned().collect();
        passed.iter().for_each(Exchange::check);
        passed
    }

    /// Closes each connection of a client, at once or after its answer, as a server does that ends.
    pub fn cut(&self) {
        self.proxy.cut();
    }

    /// Makes the next request with this method of JSON-RPC wait.
    pub fn hold(&self, method: &'static str) -> Held {
        let (reached, is_reached) = oneshot::channel();
        let (release, is_released) = oneshot::channel();
        *lock(&self.shared.hold) = Some(Hold { method, reached, release: is_released });
        Held { reached: is_reached, release }
    }
}

impl Shared {
    fn exchanges(&self) -> MutexGuard<'_, Vec<Exchange>> {
        lock(&self.exchanges)
    }

    /// The hold that this request meets.
    fn held(&self, method: &str) -> Option<Hold> {
        lock(&self.hold).take_if(|hold| hold.method == method)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn pass(shared: Arc<Shared>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let (mut head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let exchange = Exchange {
        method: head.method.to_string(),
        path: path.clone(),
        headers: lines(&head.headers),
        body: String::from_utf8_lossy(&body).into_owned(),
        status: 0,
        answer: Vec::new(),
    };
    let held = shared.held(&exchange.rpc());
    let index = {
        let mut exchanges = shared.exchanges();
        exchanges.push(exchange);
        exchanges.len() - 1
    };
    if let Some(hold) = held {
        // Whoever holds it may have ended, and then nothing waits.
        let _ = hold.reached.send(());
        let _ = hold.release.await;
    }
    head.uri = format!("{}{path}", shared.server).parse::<Uri>().map_err(io::Error::other)?;
    head.headers.remove(header::CONNECTION);
    let request = Request::from_parts(head, Full::new(body));
    let (mut head, body) = shared.client.request(request).await.map_err(io::Error::other)?.into_parts();
    head.headers.remove(header::CONNECTION);
    shared.exchanges()[index].status = head.status.as_u16();
    let body = body.map_frame(move |frame| {
        if let Some(data) = frame.data_ref() {
            shared.exchanges()[index].answer.extend_from_slice(data);
        }
        frame
    });
    Ok(Response::from_parts(head, body.boxed_unsync()))
}

fn lines(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}
