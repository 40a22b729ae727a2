//! A stand-in for a language model, for programs that are driven by one.

mod messages;
mod responses;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::loopback::{Body, Loopback, whole};

/// The API of a model whose part a test plays.
///
/// It speaks two dialects: `POST /v1/messages`, which Claude Code speaks, and `POST /v1/responses`, which Codex speaks.
pub struct Model {
    api: Loopback,
    turns: mpsc::UnboundedReceiver<Turn>,
}

/// A turn of the model: what it is told, and its answer to come.
pub struct Turn {
    /// The tools of the server that the program offers, by their names there.
    pub offered: Vec<Offered>,
    /// What the tool gave that was called in the turn before.
    pub result: Option<ToolOutput>,
    reply: oneshot::Sender<Says>,
}

/// A tool as a model sees it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Its name on its server.
    pub name: String,
    /// The schema of its arguments.
    pub schema: Value,
}

/// The result of a tool as a model sees it.
#[derive(Clone, Debug)]
pub struct ToolOutput {
    /// Its text.
    pub text: String,
    /// Whether it is marked as an error; nothing where the dialect has no such mark.
    pub failed: Option<bool>,
}

/// What the model says in its turn.
enum Says {
    Call { tool: String, arguments: Value },
    Text(String),
}

impl Turn {
    /// Has a tool of the server called.
    ///
    /// # Panics
    /// If the program has given up.
    pub fn call(self, tool: &str, arguments: Value) {
        let told = self.reply.send(Says::Call { tool: tool.to_owned(), arguments });
        assert!(told.is_ok(), "the program no longer waits for its model");
    }

    /// Says something, which ends the work.
    ///
    /// # Panics
    /// If the program has given up.
    pub fn say(self, text: &str) {
        let told = self.reply.send(Says::Text(text.to_owned()));
        assert!(told.is_ok(), "the program no longer waits for its model");
    }
}

/// One way to talk to a model.
trait Dialect: Send + Sync {
    /// The tools of the MCP server with this name that a request offers.
    fn offered(&self, server: &str, request: &Value) -> Vec<Offered>;

    /// The result of a tool with which a request ends.
    fn result(&self, request: &Value) -> Option<ToolOutput>;

    /// The events of the answer with this number, in their order. Each has its name in `type`.
    fn events(&self, server: &str, number: u64, says: &Says) -> Vec<Value>;
}

static ANSWERS: AtomicU64 = AtomicU64::new(1);

impl Model {
    /// A model for a program that knows an MCP server by this name.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn new(server: &str) -> Self {
        let (taken, turns) = mpsc::unbounded_channel();
        let server: Arc<str> = server.into();
        let api = Loopback::serve(move |request| answer(server.clone(), taken.clone(), request)).await;
        Self { api, turns }
    }

    /// Its address without a path.
    pub fn base(&self) -> &str {
        self.api.base()
    }

    /// The next turn in which tools of the server are offered. In others it says that there is nothing to do.
    ///
    /// # Panics
    /// If the API has ended.
    pub async fn turn(&mut self) -> Turn {
        self.turns.recv().await.unwrap()
    }
}

async fn answer(
    server: Arc<str>,
    turns: mpsc::UnboundedSender<Turn>,
    request: Request<Incoming>,
) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let dialect: &dyn Dialect = match (&head.method, head.uri.path()) {
        (&Method::POST, "/v1/messages") => &messages::Messages,
        (&Method::POST, "/v1/responses") => &responses::Responses,
        _ => {
            return Ok(json_response(
                StatusCode::NOT_FOUND,
                &json!({ "error": { "message": "there is only a model here" } }),
            ));
        }
    };
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let request: Value = serde_json::from_slice(&body).map_err(io::Error::other)?;
    let offered = dialect.offered(&server, &request);
    let says = if offered.is_empty() {
        Says::Text("Nothing to do.".to_owned())
    } else {
        let (reply, said) = oneshot::channel();
        let turn = Turn { offered, result: dialect.result(&request), reply };
        turns.send(turn).map_err(|_| io::Error::other("the test has ended"))?;
        said.await.map_err(io::Error::other)?
    };
    // Programs take two messages with one id for the same.
    let number = ANSWERS.fetch_add(1, Ordering::Relaxed);
    let mut stream = String::new();
    for event in dialect.events(&server, number, &says) {
        stream.push_str(&format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()));
    }
    let mut response = Response::new(whole(stream));
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(whole(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

/// The text of content that is a string or a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
