//! What is sent to whom: answers per revision (protocol checklist §19).

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value, json};

use crate::content::block;
use crate::exchange::Answer;
use crate::{
    CallResult, Capability, InputRequest, InputRequired, Request, RpcError, ServerInfo, Task, TaskState, Version, Work,
    Written, code, inputs,
};

/// How long a client may keep a list or a resource: not at all. What a caller may see changes with their rights.
const TTL_MS: u64 = 0;

/// How long a client may keep the answer to `server/discover`, which only another release changes.
const DISCOVER_TTL_MS: u64 = 300_000;

/// The result key that carries the server's name since the handshake is gone.
pub(crate) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// A result on its way out: its members, and one that is written already.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rendered {
    members: Map<String, Value>,
    written: Option<(&'static str, Written)>,
}

impl Serialize for Rendered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut result = serializer.serialize_map(None)?;
        for (name, value) in &self.members {
            result.serialize_entry(name, value)?;
        }
        if let Some((name, written)) = &self.written {
            result.serialize_entry(name, written)?;
        }
        result.end()
    }
}

impl Rendered {
    /// About how many bytes it takes, so that it is written without moving it about.
    pub(crate) fn size(&self) -> usize {
        let text = |value: &Value| value.pointer("/0/text").and_then(Value::as_str).map_or(0, str::len);
        let content = self.members.get("content").map_or(0, text);
        self.written.as_ref().map_or(0, |(_, written)| written.as_str().len()) + content + content / 8
    }

    fn with(self, name: &'static str, written: Option<Written>) -> Self {
        Self { written: written.map(|written| (name, written)), ..self }
    }
}

/// The answer to a request as a result, or as the error that it is.
///
/// What a call lacks in the client is something that its model should read, in a revision that has no code for it
/// (protocol checklist §6).
pub(crate) fn answer(server: &ServerInfo, request: &Request, answer: Option<Answer>) -> Result<Rendered, RpcError> {
    let version = request.version;
    outcome(server, request, answer).or_else(|error| match request.work {
        Work::CallTool { .. } if error.code == code::MISSING_CAPABILITY && !version.is_modern() => {
            Ok(call_result(server, version, CallResult::failure(error.message)))
        }
        _ => Err(error.under(version)),
    })
}

fn outcome(server: &ServerInfo, request: &Request, answer: Option<Answer>) -> Result<Rendered, RpcError> {
    let version = request.version;
    let list = |name: &str, items: Vec<Value>, next_cursor: Option<String>| {
        let mut result = Map::new();
        result.insert(name.into(), Value::Array(items));
        // An empty cursor is one that a client may send, never one to be handed out (protocol checklist §11).
        insert(&mut result, "nextCursor", next_cursor.filter(|cursor| !cursor.is_empty()).map(Value::String));
        Ok(complete(server, version, result, Some(TTL_MS)))
    };
    match (&request.work, answer) {
        (_, Some(Answer::Error(error))) => Err(error),
        (Work::ListTools { .. }, Some(Answer::Tools { tools, next_cursor })) => {
            list("tools", tools.iter().map(|tool| tool.render(version)).collect(), next_cursor)
        }
        (Work::ListTools { .. }, Some(Answer::ToolList(tools))) => {
            Ok(complete(server, version, Map::new(), Some(TTL_MS)).with("tools", Some(tools)))
        }
        (Work::CallTool { .. }, Some(Answer::Call(result))) => Ok(call_result(server, version, result)),
        (Work::CallTool { .. }, Some(Answer::Started(task))) => started(server, request, &task),
        (Work::ListResources { .. }, Some(Answer::Resources { resources, next_cursor })) => {
            list("resources", resources.iter().map(|resource| resource.render(version)).collect(), next_cursor)
        }
        (Work::ListTemplates { .. }, Some(Answer::Templates { templates, next_cursor })) => {
            list("resourceTemplates", templates.iter().map(|template| template.render(version)).collect(), next_cursor)
        }
        (Work::ReadResource { .. }, Some(Answer::Contents(contents))) if !contents.is_empty() => {
            let contents = contents.iter().map(|contents| contents.render(version)).collect();
            let result = Map::from_iter([("contents".to_owned(), contents)]);
            Ok(complete(server, version, result, Some(TTL_MS)))
        }
        (Work::ListPrompts { .. }, Some(Answer::Prompts { prompts, next_cursor })) => {
            list("prompts", prompts.iter().map(|prompt| prompt.render(version)).collect(), next_cursor)
        }
        (Work::GetPrompt { .. }, Some(Answer::Prompt(prompt))) => {
            Ok(complete(server, version, prompt.render(version), None))
        }
        (Work::Complete(_), Some(Answer::Completion(completion))) => {
            Ok(complete(server, version, completion.render(), None))
        }
        (
            Work::Subscribe { .. } | Work::Unsubscribe { .. } | Work::UpdateTask { .. } | Work::CancelTask { .. },
            Some(Answer::Done),
        ) => Ok(complete(server, version, Map::new(), None)),
        (
            Work::CallTool { .. } | Work::ReadResource { .. } | Work::GetPrompt { .. },
            Some(Answer::InputRequired(required)),
        ) => input_required(server, request, required),
        (Work::GetTask { .. }, Some(Answer::Task(task))) => {
            declared(request, &task).map(|()| complete(server, version, task.detail(server, version), None))
        }
        // An answer is missing, or of another kind: whoever asked must not take it for a success.
        (
            Work::ListTools { .. }
            | Work::CallTool { .. }
            | Work::ListResources { .. }
            | Work::ListTemplates { .. }
            | Work::ReadResource { .. }
            | Work::Subscribe { .. }
            | Work::Unsubscribe { .. }
            | Work::ListPrompts { .. }
            | Work::GetPrompt { .. }
            | Work::Complete(_)
            | Work::Listen(_)
            | Work::GetTask { .. }
            | Work::UpdateTask { .. }
            | Work::CancelTask { .. },
            _,
        ) => Err(RpcError::internal()),
    }
}

/// The result of a tool, as the answer to its call or as what a task came to.
pub(crate) fn call_result(server: &ServerInfo, version: Version, call: CallResult) -> Rendered {
    let structured = call
        .structured
        .filter(|value| version.has_titles() && !call.is_error && (value.is_object() || version.is_modern()));
    let mut content: Vec<Value> = call.content.iter().map(|content| content.render(version)).collect();
    if !call.text.is_empty() || content.is_empty() {
        content.insert(0, block(&call.text));
    }
    let mut result = Map::new();
    result.insert("content".into(), Value::Array(content));
    result.insert("isError".into(), json!(call.is_error));
    insert(&mut result, "_meta", call.meta.map(Value::Object));
    complete(server, version, result, None).with("structuredContent", structured)
}

/// A call that goes on as a task, for a client that can follow it.
fn started(server: &ServerInfo, request: &Request, task: &Task) -> Result<Rendered, RpcError> {
    request.client.require([Capability::Tasks])?;
    if !server.offer.tasks {
        return Err(RpcError::internal());
    }
    Ok(typed("task", server, request.version, task.started(), None))
}

/// What the client has to bring, if it said that it can.
fn input_required(server: &ServerInfo, request: &Request, required: InputRequired) -> Result<Rendered, RpcError> {
    if required.requests.is_empty() && required.state.is_none() {
        return Err(RpcError::internal());
    }
    if !request.version.is_modern() {
        return Err(RpcError::no_rounds(request.version));
    }
    request.client.require(required.requests.values().map(InputRequest::needs))?;
    let mut result = Map::new();
    if !required.requests.is_empty() {
        result.insert("inputRequests".into(), inputs::render(&required.requests));
    }
    insert(&mut result, "requestState", required.state.map(Value::String));
    Ok(typed("input_required", server, request.version, result, None))
}

/// What a task waits for must be something that whoever asks for it declared.
pub(crate) fn declared(request: &Request, task: &Task) -> Result<(), RpcError> {
    match &task.state {
        TaskState::InputRequired(requests) => request.client.require(requests.values().map(InputRequest::needs)),
        TaskState::Working | TaskState::Completed(_) | TaskState::Failed(_) | TaskState::Cancelled => Ok(()),
    }
}

/// The result of `initialize`, which settled on `version`.
pub(crate) fn initialize(server: &ServerInfo, version: Version) -> Rendered {
    let mut result = Map::new();
    result.insert("protocolVersion".into(), json!(version.as_str()));
    result.insert("capabilities".into(), server.offer.render(version));
    result.insert("serverInfo".into(), implementation(server, version));
    insert(&mut result, "instructions", server.instructions.as_ref().map(|text| json!(text)));
    complete(server, version, result, None)
}

/// The result of `server/discover`.
pub(crate) fn discover(server: &ServerInfo, version: Version) -> Rendered {
    let mut result = Map::new();
    result.insert("supportedVersions".into(), json!(Version::supported_modern()));
    result.insert("capabilities".into(), server.offer.render(version));
    insert(&mut result, "instructions", server.instructions.as_ref().map(|text| json!(text)));
    complete(server, version, result, Some(DISCOVER_TTL_MS))
}

/// A result that says nothing: of `ping` and of `logging/setLevel`.
pub(crate) fn empty(server: &ServerInfo, version: Version) -> Rendered {
    complete(server, version, Map::new(), None)
}

/// The server's own description.
pub(crate) fn implementation(server: &ServerInfo, version: Version) -> Value {
    let mut info = Map::new();
    info.insert("name".into(), json!(server.name));
    info.insert("version".into(), json!(server.version));
    if version.has_titles() {
        insert(&mut info, "title", server.title.as_ref().map(|title| json!(title)));
    }
    Value::Object(info)
}

/// A result that ends its request.
fn complete(server: &ServerInfo, version: Version, result: Map<String, Value>, ttl_ms: Option<u64>) -> Rendered {
    typed("complete", server, version, result, ttl_ms)
}

/// Adds what the modern era has on every result, and on one that may be kept for `ttl_ms` milliseconds.
fn typed(
    kind: &str,
    server: &ServerInfo,
    version: Version,
    mut result: Map<String, Value>,
    ttl_ms: Option<u64>,
) -> Rendered {
    if version.is_modern() {
        result.insert("resultType".into(), json!(kind));
        if let Some(ttl_ms) = ttl_ms {
            result.insert("ttlMs".into(), json!(ttl_ms));
            // A shared cache must not serve one caller's answer to another.
            result.insert("cacheScope".into(), json!("private"));
        }
        let info = implementation(server, version);
        match result.get_mut("_meta").and_then(Value::as_object_mut) {
            Some(meta) => {
                meta.insert(SERVER_INFO_KEY.into(), info);
            }
            None => {
                result.insert("_meta".into(), json!({ SERVER_INFO_KEY: info }));
            }
        }
    }
    Rendered { members: result, written: None }
}

pub(crate) fn insert(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.into(), value);
    }
}
