//! A client and a server to test with.

use chorus_mcp::{
    Annotations, Answer, CallResult, Encoding, Head, Received, Reply, Request, ServerInfo, ToolDef, Version, Work,
    receive,
};
use serde_json::{Map, Value, json};

pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

pub(crate) fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("not an object: {value}") };
    object
}

/// A server that sets everything there is to set.
pub(crate) fn server() -> ServerInfo {
    ServerInfo {
        title: Some("A Server".into()),
        instructions: Some("Ask it.".into()),
        ..ServerInfo::new("server", "1.2.3")
    }
}

/// A tool that sets everything there is to set.
pub(crate) fn tool() -> ToolDef {
    ToolDef {
        name: "echo".into(),
        title: Some("Echo".into()),
        description: "Says it again.".into(),
        input_schema: json!({ "type": "object", "properties": { "text": { "type": "string" } } }),
        output_schema: Some(json!({ "type": "object", "properties": { "text": { "type": "string" } } })),
        annotations: Annotations { read_only: true, destructive: false, idempotent: true, open_world: false },
        meta: Some(object(json!({ "example.com/of": "definition" }))),
    }
}

/// A result that sets everything there is to set.
pub(crate) fn success() -> CallResult {
    CallResult {
        text: r#"{"text":"hi"}"#.into(),
        structured: Some(json!({ "text": "hi" })),
        is_error: false,
        meta: Some(object(json!({ "example.com/of": "result" }))),
    }
}

/// The answer of a server whose only tool is [`tool`].
pub(crate) fn answer(request: &Request) -> Answer {
    match &request.work {
        Work::ListTools { .. } => Answer::Tools { tools: vec![tool()], next_cursor: Some("more".into()) },
        Work::CallTool { .. } => Answer::Call(success()),
    }
}

/// A POST under construction.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    lines: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Post {
    /// A body under the headers that every client sends.
    pub(crate) fn raw(body: impl Into<Vec<u8>>) -> Self {
        Self { lines: Vec::new(), body: body.into() }
            .also("Content-Type", "application/json")
            .also("Accept", "application/json, text/event-stream")
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::raw(body.to_string())
    }

    /// Request 7 without a version header.
    pub(crate) fn bare(method: &str, params: &Value) -> Self {
        Self::json(&json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
    }

    /// Request 7 as a client of this revision sends it once it is connected.
    pub(crate) fn of(version: Version, method: &str, params: Value) -> Self {
        if version.is_modern() {
            Self::modern(method, params)
        } else {
            Self::bare(method, &params).header("MCP-Protocol-Version", version.as_str())
        }
    }

    /// Request 7 of the modern era, with metadata and all headers.
    pub(crate) fn modern(method: &str, mut params: Value) -> Self {
        params["_meta"][VERSION_KEY] = json!("2026-07-28");
        params["_meta"][CAPABILITIES_KEY] = json!({});
        let post =
            Self::bare(method, &params).header("MCP-Protocol-Version", "2026-07-28").header("Mcp-Method", method);
        match params["name"].as_str() {
            Some(name) => post.header("Mcp-Name", name),
            None => post,
        }
    }

    /// The same without a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.lines.retain(|(present, _)| !present.eq_ignore_ascii_case(name));
        self
    }

    /// The same with one line of a header.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.without(name).also(name, value)
    }

    /// The same with one more line of a header.
    pub(crate) fn also(mut self, name: &str, value: &str) -> Self {
        self.lines.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with another value at a JSON pointer of the body.
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        let mut body: Value = serde_json::from_slice(&self.body).unwrap();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name.replace("~1", "/")] = value;
        self.body = body.to_string().into_bytes();
        self
    }

    /// The same without the member at a JSON pointer of the body.
    pub(crate) fn lacking(mut self, pointer: &str) -> Self {
        let mut body: Value = serde_json::from_slice(&self.body).unwrap();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        parent.remove(&name.replace("~1", "/")).unwrap();
        self.body = body.to_string().into_bytes();
        self
    }

    /// The same with a body that is no JSON.
    pub(crate) fn spoiled(mut self) -> Self {
        self.body.insert(0, b'{');
        self
    }

    pub(crate) fn head(&self) -> Head {
        Head::from_lines(self.lines.iter().map(|(name, value)| (name.as_str(), value.as_bytes())))
    }

    pub(crate) fn receive(&self) -> Received {
        receive(&server(), &self.head(), &self.body)
    }

    /// What is left to answer, which must be one request.
    pub(crate) fn request(&self) -> Request {
        match self.receive() {
            Received::Work(exchange) if exchange.requests().len() == 1 => exchange.requests()[0].clone(),
            other => panic!("{other:?} for {self:?}"),
        }
    }

    /// The reply of a server that answers everything.
    pub(crate) fn send(&self) -> Seen {
        match self.receive() {
            Received::Reply(reply) => Seen::from(reply),
            Received::Work(exchange) => {
                let answers = exchange.requests().iter().map(answer).collect();
                Seen::from(exchange.finish(answers))
            }
        }
    }

    /// The reply of a server that answers one request with this.
    pub(crate) fn answered(&self, answer: Answer) -> Seen {
        match self.receive() {
            Received::Work(exchange) => Seen::from(exchange.finish(vec![answer])),
            Received::Reply(reply) => panic!("{reply:?} for {self:?}"),
        }
    }
}

/// A reply as a client sees it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) encoding: Encoding,
    pub(crate) text: String,
    /// Null without a body, the data of the events (an array) in a stream.
    pub(crate) body: Value,
}

impl From<Reply> for Seen {
    fn from(reply: Reply) -> Self {
        assert_eq!(reply.body.is_some(), reply.content_type().is_some());
        let text = String::from_utf8(reply.body.unwrap_or_default()).unwrap();
        let body = match reply.encoding {
            Encoding::Json if text.is_empty() => Value::Null,
            Encoding::Json => serde_json::from_str(&text).unwrap(),
            Encoding::Sse => events(&text),
        };
        Self { status: reply.status, encoding: reply.encoding, text, body }
    }
}

/// Reads a stream as strictly as the format allows.
fn events(text: &str) -> Value {
    let events = text.strip_suffix("\n\n").unwrap().split("\n\n");
    events
        .map(|event| serde_json::from_str::<Value>(event.strip_prefix("event: message\ndata: ").unwrap()).unwrap())
        .collect()
}

impl Seen {
    pub(crate) fn code(&self) -> Option<i64> {
        self.body["error"]["code"].as_i64()
    }

    pub(crate) fn message(&self) -> &str {
        self.body["error"]["message"].as_str().unwrap()
    }

    /// The result, which there must be.
    pub(crate) fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.body.get("result").unwrap_or_else(|| panic!("{self:?}"))
    }

    /// The names of the members of an object.
    pub(crate) fn keys(value: &Value) -> Vec<&str> {
        let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }
}

/// The client sends `post` and sees this status and this error code (0: no error).
#[track_caller]
pub(crate) fn check(post: &Post, status: u16, code: i64) {
    let seen = post.send();
    assert_eq!((seen.status, seen.code().unwrap_or(0)), (status, code), "{post:?}\n{seen:?}");
    if code != 0 {
        assert_eq!(seen.body["jsonrpc"], "2.0");
        assert!(!seen.message().is_empty());
        assert_eq!(seen.body.get("result"), None, "never both");
    }
}
