//! A client that speaks plain JSON-RPC.

use std::{
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use crate::{Asked, Reply, check_answer, check_refusal, check_reply};

/// An agent's connection to a server.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: String,
    key: String,
    headers: Vec<(String, String)>,
}

/// The result of a tool: its answer, or the error it gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Result {
    /// Answered.
    Answer(Value),
    /// Refused by the tool: the text, and `_meta["chorus/error"]`.
    Refused(String, Value),
    /// Refused by the protocol: the JSON-RPC error.
    Protocol(Value),
}

impl Result {
    /// The answer.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn ok(self) -> Value {
        match self {
            Self::Answer(answer) => answer,
            other => panic!("no answer: {other:?}"),
        }
    }

    /// The machine code of the refusal.
    ///
    /// # Panics
    /// If it was no refusal by the tool.
    #[track_caller]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(_, error) => error["code"].as_str().unwrap(),
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The details of the refusal, null if it has none.
    ///
    /// # Panics
    /// If it was no refusal by the tool.
    #[track_caller]
    pub fn details(&self) -> &Value {
        match self {
            Self::Refused(_, error) => &error["details"],
            other => panic!("not refused: {other:?}"),
        }
    }

    /// The text of the refusal.
    ///
    /// # Panics
    /// If it was no refusal by the tool.
    #[track_caller]
    pub fn text(&self) -> &str {
        match self {
            Self::Refused(text, _) => text,
            other => panic!("not refused: {other:?}"),
        }
    }
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A client of HTTP that waits long enough for a busy machine.
///
/// # Panics
/// If it can't be made.
pub fn http() -> reqwest::Client {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Another library of the test may have installed one; either will do, since no test speaks TLS.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    reqwest::Client::builder().timeout(Duration::from_secs(60)).no_proxy().build().unwrap()
}

/// Sends a request and reads the answer, whose messages are held against their schemas.
///
/// # Panics
/// If the server can't be reached, or sends a message that it may not send.
pub async fn exchange(request: RequestBuilder) -> Reply {
    let (client, request) = request.build_split();
    let request = request.unwrap();
    let lines = request.headers().iter();
    let headers: Vec<_> =
        lines.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect();
    let body = request.body().and_then(|body| body.as_bytes()).unwrap_or_default().to_vec();
    let is_message = request.url().path().trim_end_matches('/').ends_with("/mcp");
    let reply = Reply::of(client.execute(request).await.unwrap()).await;
    if is_message {
        check_reply(&headers, &body, &reply);
    }
    reply
}

impl Client {
    /// A client of the server at `base` (without path) with this key.
    pub fn new(base: &str, key: &str) -> Self {
        Self { http: http(), endpoint: format!("{base}/api/mcp"), key: key.to_owned(), headers: Vec::new() }
    }

    /// The same with another header on every request.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A POST to the endpoint with this key and nothing else.
    pub fn post(&self) -> RequestBuilder {
        let mut request = self.http.post(&self.endpoint).bearer_auth(&self.key);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    /// Sends one request and gives the response's body.
    ///
    /// # Panics
    /// If the server can't be reached or does not answer with JSON.
    pub async fn rpc(&self, method: &str, params: Value) -> Value {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let reply = exchange(self.message(&body)).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let answer = reply.json();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Sends a body as a client of revision 2025-11-25 does.
    ///
    /// # Errors
    /// If the server can't be reached.
    pub async fn send(&self, body: &Value) -> reqwest::Result<Response> {
        self.message(body).send().await
    }

    fn message(&self, body: &Value) -> RequestBuilder {
        self.post()
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(body.to_string())
    }

    /// Sends a request as a client of revision 2026-07-28 does, and waits for the beginning of the answer.
    ///
    /// # Panics
    /// If the server can't be reached.
    pub async fn modern(&self, method: &str, params: Value) -> Response {
        let (request, id) = self.modern_message(method, params);
        let mut response = request.send().await.unwrap();
        // For whoever reads it as a stream.
        let asked = Asked { revision: "2026-07-28".to_owned(), method: method.to_owned(), id };
        response.extensions_mut().insert(vec![asked]);
        response
    }

    /// The same for an answer that ends: it is read whole, and held against its schema.
    ///
    /// # Panics
    /// If the server can't be reached, or sends a message that it may not send.
    pub async fn modern_reply(&self, method: &str, params: Value) -> Reply {
        exchange(self.modern_message(method, params).0).await
    }

    /// A request of that revision, and its id.
    fn modern_message(&self, method: &str, mut params: Value) -> (RequestBuilder, Value) {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let request = self
            .post()
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        let request = if name.is_empty() { request } else { request.header("mcp-name", name) };
        (request.body(body.to_string()), json!(id))
    }

    /// A GET of a path of the server with this key.
    pub fn get(&self, path: &str) -> RequestBuilder {
        let base = self.endpoint.trim_end_matches("/api/mcp");
        let mut request = self.http.get(format!("{base}{path}")).bearer_auth(&self.key);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    /// A POST to a path of the server with this key.
    pub fn post_to(&self, path: &str) -> RequestBuilder {
        let base = self.endpoint.trim_end_matches("/api/mcp");
        self.http.post(format!("{base}{path}")).bearer_auth(&self.key).header("content-type", "application/json")
    }

    /// Posts a body with these headers besides the key, and nothing else.
    ///
    /// # Panics
    /// If the server can't be reached.
    pub async fn exchange(&self, headers: &[(&str, &str)], body: impl Into<reqwest::Body>) -> Reply {
        let request = headers.iter().fold(self.post(), |request, (name, value)| request.header(*name, *value));
        exchange(request.body(body)).await
    }

    /// Calls a tool.
    ///
    /// # Panics
    /// If the server can't be reached, or its answer is not what a tool's answer has to be.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result {
        let answer = self.rpc("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let result = read(&answer);
        match &result {
            Result::Answer(answer) => check_answer(tool, answer),
            Result::Refused(text, error) => check_refusal(tool, text, error),
            Result::Protocol(_) => {}
        }
        result
    }

    /// The names of the tools that exist for this key.
    ///
    /// # Panics
    /// As [`Client::rpc`].
    pub async fn tools(&self) -> Vec<String> {
        let answer = self.rpc("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// Reads the JSON-RPC response to a `tools/call` and checks its form (README decision 10).
fn read(answer: &Value) -> Result {
    if let Some(error) = answer.get("error") {
        return Result::Protocol(error.clone());
    }
    let result = &answer["result"];
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "{answer}");
    let text = content.first().and_then(|item| item["text"].as_str()).unwrap();
    if result["isError"] == true {
        assert_eq!(result.get("structuredContent"), None, "{answer}");
        return Result::Refused(text.to_owned(), result["_meta"]["chorus/error"].clone());
    }
    let structured = &result["structuredContent"];
    assert!(structured.is_object(), "{answer}");
    assert_eq!(structured.to_string(), text, "the text is the same value, compact");
    Result::Answer(structured.clone())
}
