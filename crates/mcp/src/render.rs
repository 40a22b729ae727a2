//! What is sent to whom: results and definitions per revision (protocol checklist §19).

use serde_json::{Map, Value, json};

use crate::exchange::Answer;
use crate::{Annotations, CallResult, RpcError, ServerInfo, ToolDef, Version, Work};

/// How long a client may keep the list of tools: not at all. What a caller may use changes with their rights, and
/// nothing would tell them.
const TOOLS_TTL_MS: u64 = 0;

/// How long a client may keep the answer to `server/discover`, which only another release changes.
const DISCOVER_TTL_MS: u64 = 300_000;

/// The result key that carries the server's name since the handshake is gone.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// From which revision on a member may be sent.
impl Version {
    fn has_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Titles, output schemas, structured content and metadata of definitions came together.
    fn has_titles(self) -> bool {
        self >= Self::V2025_06_18
    }
}

impl ToolDef {
    /// The definition as `tools/list` shows it under `version`.
    #[must_use]
    pub fn render(&self, version: Version) -> Value {
        let mut tool = Map::new();
        tool.insert("name".into(), json!(self.name));
        tool.insert("description".into(), json!(self.description));
        tool.insert("inputSchema".into(), self.input_schema.clone());
        if version.has_annotations() {
            // Where the definition has no title of its own, this is the place for it.
            let title = self.title.as_ref().filter(|_| !version.has_titles());
            tool.insert("annotations".into(), self.annotations.render(title));
        }
        if version.has_titles() {
            insert(&mut tool, "title", self.title.as_ref().map(|title| json!(title)));
            insert(&mut tool, "outputSchema", self.output_schema.clone());
            insert(&mut tool, "_meta", self.meta.clone().map(Value::Object));
        }
        Value::Object(tool)
    }
}

impl Annotations {
    fn render(self, title: Option<&String>) -> Value {
        let mut hints = Map::new();
        insert(&mut hints, "title", title.map(|title| json!(title)));
        hints.insert("readOnlyHint".into(), json!(self.read_only));
        hints.insert("destructiveHint".into(), json!(self.destructive));
        hints.insert("idempotentHint".into(), json!(self.idempotent));
        hints.insert("openWorldHint".into(), json!(self.open_world));
        Value::Object(hints)
    }
}

/// The answer to `work` as a result, or as the error that it is.
pub(crate) fn answer(
    server: &ServerInfo,
    version: Version,
    work: &Work,
    answer: Option<Answer>,
) -> Result<Value, RpcError> {
    match (work, answer) {
        (_, Some(Answer::Error(error))) => Err(error),
        (Work::ListTools { .. }, Some(Answer::Tools { tools, next_cursor })) => {
            Ok(tools_result(server, version, &tools, next_cursor))
        }
        (Work::CallTool { .. }, Some(Answer::Call(result))) => Ok(call_result(server, version, result)),
        // An answer is missing, or of the other kind: whoever asked must not take it for a success.
        (Work::ListTools { .. }, Some(Answer::Call(_)) | None)
        | (Work::CallTool { .. }, Some(Answer::Tools { .. }) | None) => Err(RpcError::internal()),
    }
}

fn tools_result(server: &ServerInfo, version: Version, tools: &[ToolDef], next_cursor: Option<String>) -> Value {
    let mut result = Map::new();
    result.insert("tools".into(), tools.iter().map(|tool| tool.render(version)).collect());
    // An empty cursor is one that a client may send, never one to be handed out (protocol checklist §11).
    insert(&mut result, "nextCursor", next_cursor.filter(|cursor| !cursor.is_empty()).map(Value::String));
    complete(server, version, result, Some(TOOLS_TTL_MS))
}

fn call_result(server: &ServerInfo, version: Version, call: CallResult) -> Value {
    let structured = call
        .structured
        .filter(|value| version.has_titles() && !call.is_error && (value.is_object() || version.is_modern()));
    let mut result = Map::new();
    result.insert("content".into(), json!([{ "type": "text", "text": call.text }]));
    result.insert("isError".into(), json!(call.is_error));
    insert(&mut result, "structuredContent", structured);
    insert(&mut result, "_meta", call.meta.map(Value::Object));
    complete(server, version, result, None)
}

/// The result of `initialize`, which settled on `version`.
pub(crate) fn initialize(server: &ServerInfo, version: Version) -> Value {
    let mut result = Map::new();
    result.insert("protocolVersion".into(), json!(version.as_str()));
    result.insert("capabilities".into(), capabilities());
    result.insert("serverInfo".into(), implementation(server, version));
    insert(&mut result, "instructions", server.instructions.as_ref().map(|text| json!(text)));
    complete(server, version, result, None)
}

/// The result of `server/discover`.
pub(crate) fn discover(server: &ServerInfo, version: Version) -> Value {
    let mut result = Map::new();
    result.insert("supportedVersions".into(), json!(Version::supported_modern()));
    result.insert("capabilities".into(), capabilities());
    insert(&mut result, "instructions", server.instructions.as_ref().map(|text| json!(text)));
    complete(server, version, result, Some(DISCOVER_TTL_MS))
}

/// The result of `ping`.
pub(crate) fn pong(server: &ServerInfo, version: Version) -> Value {
    complete(server, version, Map::new(), None)
}

/// What is advertised: tools alone. Without `listChanged` no client waits for news that never come.
fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn implementation(server: &ServerInfo, version: Version) -> Value {
    let mut info = Map::new();
    info.insert("name".into(), json!(server.name));
    info.insert("version".into(), json!(server.version));
    if version.has_titles() {
        insert(&mut info, "title", server.title.as_ref().map(|title| json!(title)));
    }
    Value::Object(info)
}

/// Adds what the modern era has on every result, and on one that may be kept for `ttl_ms` milliseconds.
fn complete(server: &ServerInfo, version: Version, mut result: Map<String, Value>, ttl_ms: Option<u64>) -> Value {
    if version.is_modern() {
        result.insert("resultType".into(), json!("complete"));
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
    Value::Object(result)
}

fn insert(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.into(), value);
    }
}
