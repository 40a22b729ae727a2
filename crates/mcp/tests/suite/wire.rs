//! A client and a server to test with.

use std::collections::BTreeMap;

use chorus_mcp::{
    Annotations, Answer, CallResult, Completion, Encoding, Exchange, Head, Offer, PromptArgument, PromptDef,
    PromptMessage, PromptResult, Received, Reply, Request, Resource, ResourceAnnotations, ResourceContents,
    ResourceTemplate, Role, ServerInfo, Task, TaskState, ToolDef, Version, Work, Written, receive,
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
        content: Vec::new(),
        structured: Some(Written::from(&json!({ "text": "hi" }))),
        is_error: false,
        meta: Some(object(json!({ "example.com/of": "result" }))),
    }
}

/// A server that offers everything there is.
pub(crate) fn rich() -> ServerInfo {
    ServerInfo { offer: everything(), ..server() }
}

/// An offer of everything there is, on a transport that can bring news.
pub(crate) fn everything() -> Offer {
    Offer {
        tools: true,
        tools_list_changed: true,
        resources: true,
        resources_list_changed: true,
        resources_subscribe: true,
        prompts: true,
        prompts_list_changed: true,
        completions: true,
        logging: true,
        tasks: true,
        extensions: BTreeMap::from([("example.com/own".to_owned(), object(json!({ "level": 2 })))]),
        session_stream: true,
    }
}

/// A resource that sets everything there is to set.
pub(crate) fn resource() -> Resource {
    Resource {
        uri: "test://one".into(),
        name: "one".into(),
        title: Some("One".into()),
        description: Some("The first.".into()),
        mime_type: Some("text/plain".into()),
        size: Some(5),
        annotations: hints(),
        meta: Some(object(json!({ "example.com/of": "definition" }))),
    }
}

/// A template that sets everything there is to set.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate {
        uri_template: "test://{name}".into(),
        name: "any".into(),
        title: Some("Any".into()),
        description: Some("One of them.".into()),
        mime_type: Some("text/plain".into()),
        annotations: hints(),
        meta: Some(object(json!({ "example.com/of": "definition" }))),
    }
}

fn hints() -> ResourceAnnotations {
    ResourceAnnotations {
        audience: vec![Role::User, Role::Assistant],
        priority: Some(0.5),
        last_modified: Some("2026-01-02T03:04:05Z".into()),
    }
}

/// Contents that set everything there is to set.
pub(crate) fn contents() -> ResourceContents {
    ResourceContents {
        meta: Some(object(json!({ "example.com/of": "contents" }))),
        ..ResourceContents::text("test://one", "text/plain", "hello")
    }
}

/// A prompt that sets everything there is to set.
pub(crate) fn prompt() -> PromptDef {
    PromptDef {
        name: "ask".into(),
        title: Some("Ask".into()),
        description: Some("Asks.".into()),
        arguments: vec![PromptArgument {
            name: "what".into(),
            title: Some("What".into()),
            description: Some("The subject.".into()),
            required: true,
        }],
        meta: Some(object(json!({ "example.com/of": "definition" }))),
    }
}

/// A task in this state.
pub(crate) fn task(state: TaskState) -> Task {
    Task {
        id: "t-1".into(),
        state,
        status_message: Some("as expected".into()),
        created_at: "2026-01-02T03:04:05Z".into(),
        last_updated_at: "2026-01-02T03:04:06Z".into(),
        ttl_ms: Some(60_000),
        poll_interval_ms: Some(500),
    }
}

/// The answer of a server that has one of each.
pub(crate) fn answer(request: &Request) -> Answer {
    let next_cursor = Some("more".to_owned());
    match &request.work {
        Work::ListTools { .. } => Answer::Tools { tools: vec![tool()], next_cursor },
        Work::CallTool { .. } => Answer::Call(success()),
        Work::ListResources { .. } => Answer::Resources { resources: vec![resource()], next_cursor },
        Work::ListTemplates { .. } => Answer::Templates { templates: vec![template()], next_cursor },
        Work::ReadResource { .. } => Answer::Contents(vec![contents()]),
        Work::ListPrompts { .. } => Answer::Prompts { prompts: vec![prompt()], next_cursor },
        Work::GetPrompt { .. } => Answer::Prompt(PromptResult {
            description: Some("Asks.".into()),
            messages: vec![PromptMessage::user("what?")],
            meta: Some(object(json!({ "example.com/of": "result" }))),
        }),
        Work::Complete(_) => {
            Answer::Completion(Completion { values: vec!["a".into()], total: Some(1), has_more: false })
        }
        Work::Listen(_) => Answer::Listening,
        Work::GetTask { .. } => Answer::Task(task(TaskState::Working)),
        Work::Subscribe { .. } | Work::Unsubscribe { .. } | Work::UpdateTask { .. } | Work::CancelTask { .. } => {
            Answer::Done
        }
    }
}

/// A POST under construction.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    server: ServerInfo,
    lines: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Post {
    /// A body under the headers that every client sends.
    pub(crate) fn raw(body: impl Into<Vec<u8>>) -> Self {
        Self { server: server(), lines: Vec::new(), body: body.into() }
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
        match ["name", "uri", "taskId"].into_iter().find_map(|name| params[name].as_str()) {
            Some(name) => post.header("Mcp-Name", name),
            None => post,
        }
    }

    /// The same to a server that offers everything.
    pub(crate) fn rich(self) -> Self {
        self.to(rich())
    }

    /// The same to another server.
    pub(crate) fn to(mut self, server: ServerInfo) -> Self {
        self.server = server;
        self
    }

    /// The same from a client that can do this; 2026-07-28 only.
    pub(crate) fn able(self, capabilities: Value) -> Self {
        self.with(&format!("/params/_meta/{}", CAPABILITIES_KEY.replace('/', "~1")), capabilities)
    }

    /// The work that the server is left with.
    pub(crate) fn exchange(&self) -> Exchange {
        match self.receive() {
            Received::Work(exchange) => exchange,
            Received::Reply(reply) => panic!("{reply:?} for {self:?}"),
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

    /// The body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The same with another body.
    pub(crate) fn carrying(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn head(&self) -> Head {
        Head::from_lines(self.lines.iter().map(|(name, value)| (name.as_str(), value.as_bytes())))
    }

    pub(crate) fn receive(&self) -> Received {
        receive(&self.server, &self.head(), &self.body)
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
        Seen::from(self.exchange().finish(vec![answer]))
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
pub(crate) fn events(text: &str) -> Value {
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
