//! Messages of the server, held against the schema of the revision that they are sent under.
//!
//! Schemas are published with open objects. Here they are closed, so that a member that a revision does not have is found
//! (protocol checklist §19).

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{Reply, official};

/// Every revision, oldest first.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

const MODERN: &str = "2026-07-28";
/// What a request is taken for that does not say.
const ASSUMED: &str = "2025-03-26";
const VERSION_HEADER: &str = "mcp-protocol-version";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Parts that stay open: metadata, and the schemas of tools.
const OPEN: [&str; 6] = [
    "MetaObject",
    "ResultMetaObject",
    "NotificationMetaObject",
    "SubscriptionsListenResultMeta",
    "inputSchema",
    "outputSchema",
];

/// What is known about a request whose answer is to be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The revision that it is served under.
    pub revision: String,
    /// Its method.
    pub method: String,
    /// Its id.
    pub id: Value,
}

/// Holds the answer of an MCP endpoint to a POST against the schema of each request's revision.
///
/// # Panics
/// If a message in it breaks its schema, or answers nothing that was asked.
#[track_caller]
pub fn check_reply(headers: &[(String, String)], body: &[u8], reply: &Reply) {
    if reply.text.is_empty() {
        return;
    }
    let asked = asked(headers, body);
    let whole = read(body);
    let revision = revision(headers, whole.as_ref().unwrap_or(&Value::Null));
    let messages = match reply.header("content-type") {
        Some("text/event-stream") => events(&reply.text),
        _ => match reply.json() {
            Value::Array(messages) => messages,
            message if message.get("jsonrpc").is_some() => vec![message],
            refusal => {
                // Refused before the protocol had a say.
                assert!(refusal["error"].is_string() && reply.status >= 400, "{reply:?}");
                return;
            }
        },
    };
    for message in &messages {
        assert!(reply.status == 200 || message.get("error").is_some(), "{reply:?}");
        if whole.is_some() {
            check_message(&asked, &revision, message);
        } else {
            // An id may have been read in what is no JSON as a whole.
            check_error(&revision, message["error"]["code"].as_i64().unwrap_or_default(), message);
        }
    }
}

/// Holds one message of the server against its schema; `revision` is the one of a message that answers no request.
///
/// # Panics
/// If it breaks it, or answers nothing that was asked.
#[track_caller]
pub fn check_message(asked: &[Asked], revision: &str, message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let request = asked.iter().find(|request| message.get("id") == Some(&request.id));
    match (message.get("method").and_then(Value::as_str), message.get("result"), message.get("error")) {
        (Some(method), None, None) => check_notification(revision, method, message),
        (None, Some(result), None) => {
            let request = request.unwrap_or_else(|| panic!("nobody asked for {message}; asked was {asked:?}"));
            check_result(request, result);
            check(&request.revision, response(&request.revision), message);
        }
        (None, None, Some(error)) => {
            let revision = request.map_or(revision, |request| &request.revision);
            assert!(request.is_some() || message.get("id").is_none(), "nobody asked for {message}");
            check_error(revision, error["code"].as_i64().unwrap_or_default(), message);
        }
        _ => panic!("neither a notification nor a response: {message}"),
    }
}

#[track_caller]
fn check_result(request: &Asked, result: &Value) {
    let Asked { revision, method, .. } = request;
    let modern = revision == MODERN;
    // The handshake settles on a revision by its answer.
    let revision = result["protocolVersion"].as_str().filter(|_| method == "initialize").unwrap_or(revision);
    let kind = result["resultType"].as_str();
    assert_eq!(kind.is_some(), modern, "{method} under {revision}: {result}");
    assert!(!modern || result["_meta"][SERVER_KEY].is_object(), "{method}: {result}");
    let definition = match (kind, method.as_str()) {
        (Some("input_required"), "tools/call" | "prompts/get" | "resources/read") => "InputRequiredResult",
        (None | Some("complete"), method) => result_of(method).unwrap_or_else(|| panic!("{method} was answered")),
        (Some(kind), method) => panic!("{method} was answered with {kind}"),
    };
    check(revision, definition, result);
}

/// The definition of what answers this method.
fn result_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" => "InitializeResult",
        "server/discover" => "DiscoverResult",
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => "EmptyResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        _ => return None,
    })
}

#[track_caller]
fn check_notification(revision: &str, method: &str, message: &Value) {
    let definition = match method {
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        other => panic!("no server sends {other}"),
    };
    let mut message = message.clone();
    if revision < "2025-11-25" {
        // The older ones define notifications without their envelope.
        message.as_object_mut().unwrap().remove("jsonrpc");
    }
    check(revision, definition, &message);
}

/// Which codes there are under which revision, and what has to stand beside them (protocol checklist §5.1).
#[track_caller]
fn check_error(revision: &str, code: i64, message: &Value) {
    let definition = match (code, revision) {
        (-32020, MODERN) => "HeaderMismatchError",
        (-32021, MODERN) => "MissingRequiredClientCapabilityError",
        (-32022, MODERN) => "UnsupportedProtocolVersionError",
        (-32700 | -32603..=-32600, MODERN) => "JSONRPCErrorResponse",
        (-32700 | -32603..=-32600 | -32002, "2025-11-25") => "JSONRPCErrorResponse",
        (-32700 | -32603..=-32600 | -32002, legacy) if legacy != MODERN => "JSONRPCError",
        _ => panic!("{code} does not exist under {revision}: {message}"),
    };
    let mut message = message.clone();
    if message.get("id").is_none() && definition == "JSONRPCError" {
        // Older schemas want an id where there is none to be had; leaving it out is what newer ones say.
        message["id"] = json!(0);
    }
    check(revision, definition, &message);
}

fn response(revision: &str) -> &'static str {
    if revision < "2025-11-25" { "JSONRPCResponse" } else { "JSONRPCResultResponse" }
}

/// The requests of a body, if there are any, with the revisions that they are served under (protocol checklist §1.1).
pub fn asked(headers: &[(String, String)], body: &[u8]) -> Vec<Asked> {
    let one = |message: &Value| {
        let id = message.get("id").filter(|id| id.is_string() || id.is_number())?.clone();
        // What names no method can't be answered, but it can be refused by its id.
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        Some(Asked { revision: revision(headers, message), method, id })
    };
    match read(body) {
        Some(Value::Array(messages)) => messages.iter().filter_map(one).collect(),
        Some(message) => one(&message).into_iter().collect(),
        None => Vec::new(),
    }
}

/// A body as JSON. Halves of surrogate pairs, which make a message unreadable but not its id, are read as something else.
fn read(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = || {
        let mut parts = text.split("\\u");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(
            first,
            |text, part| if part.starts_with(['d', 'D']) { text + "\\u0" + &part[1..] } else { text + "\\u" + part },
        )
    };
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&whole())).ok()
}

/// The revision that a message is served or refused under. What names its version itself, or a date that is later than
/// those of the legacy era in its headers, is of the modern era; whoever names no revision is refused in words that all
/// have.
fn revision(headers: &[(String, String)], message: &Value) -> String {
    let lines = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(VERSION_HEADER));
    let named: Vec<&str> = lines.map(|(_, value)| value.trim()).collect();
    let described = message["params"]["_meta"].get(VERSION_KEY).is_some() || message["method"] == "server/discover";
    if described || named.iter().any(|value| *value > "2025-11-25" && value.starts_with('2')) {
        return MODERN.to_owned();
    }
    named.first().filter(|value| REVISIONS.contains(value)).unwrap_or(&ASSUMED).to_string()
}

/// The messages of an event stream; comments are passed over.
fn events(text: &str) -> Vec<Value> {
    let blocks = text.split("\n\n").map(|block| {
        let data = block.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim_start);
        data.collect::<Vec<_>>().join("\n")
    });
    blocks.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(&data).unwrap()).collect()
}

static SCHEMAS: LazyLock<BTreeMap<&'static str, Value>> =
    LazyLock::new(|| REVISIONS.iter().filter_map(|revision| Some((*revision, schema(revision)?))).collect());
static VALIDATORS: Mutex<BTreeMap<(String, String), Arc<Validator>>> = Mutex::new(BTreeMap::new());

#[track_caller]
fn check(revision: &str, definition: &str, value: &Value) {
    // Where the published schemas are not installed, one test says so for all.
    let Some(schema) = SCHEMAS.get(revision) else { return };
    let mut known = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (revision.to_owned(), definition.to_owned());
    let validator = known.entry(key).or_insert_with(|| Arc::new(build(schema, definition))).clone();
    drop(known);
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    assert!(errors.is_empty(), "not a {definition} of {revision}: {errors:?} in {value}");
}

/// The revisions whose schemas are at hand: one is with these tests, the others are where `CHORUS_TEST_CLIENTS` says.
pub fn revisions_with_schemas() -> Vec<&'static str> {
    SCHEMAS.keys().copied().collect()
}

fn build(schema: &Value, definition: &str) -> Validator {
    let holder = holder(schema);
    assert!(schema[holder].get(definition).is_some(), "{definition} is not defined");
    let mut root = schema.clone();
    root["$ref"] = json!(format!("#/{holder}/{definition}"));
    jsonschema::validator_for(&root).unwrap()
}

/// Under what name a schema keeps its definitions.
fn holder(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() { "$defs" } else { "definitions" }
}

fn schema(revision: &str) -> Option<Value> {
    let mut schema = if revision == "2024-11-05" {
        serde_json::from_str(include_str!("../schemas/2024-11-05.json")).unwrap()
    } else {
        official::schema(&PathBuf::from(std::env::var_os("CHORUS_TEST_CLIENTS")?), revision)?
    };
    let holder = holder(&schema);
    let definitions = schema[holder].as_object_mut().unwrap();
    for (_, definition) in definitions.iter_mut().filter(|(name, _)| !OPEN.contains(&name.as_str())) {
        close(definition);
    }
    // A result that says nothing is defined as any result.
    let mut empty = definitions["Result"].clone();
    empty["additionalProperties"] = json!(false);
    definitions.insert("EmptyResult".into(), empty);
    Some(schema)
}

/// Objects whose members are listed have no others.
fn close(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    let lists = object.get("properties").and_then(Value::as_object).is_some_and(|listed| !listed.is_empty());
    if lists && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".into(), json!(false));
    }
    for (keyword, inner) in object.iter_mut() {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(parts)) => {
                parts.iter_mut().filter(|(name, _)| !OPEN.contains(&name.as_str())).for_each(|(_, part)| close(part));
            }
            ("items" | "additionalProperties", inner) => close(inner),
            ("anyOf", Value::Array(parts)) => parts.iter_mut().for_each(close),
            // The parts of an `allOf` list members together.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(version: &str) -> Vec<(String, String)> {
        vec![("MCP-Protocol-Version".to_owned(), version.to_owned())]
    }

    fn reply(body: &Value) -> Reply {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Reply { status: 200, headers, text: body.to_string() }
    }

    fn passes(version: &str, method: &str, result: &Value) -> bool {
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": method }).to_string();
        let answer = reply(&json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
        std::panic::catch_unwind(|| check_reply(&headers(version), asked.as_bytes(), &answer)).is_ok()
    }

    #[test]
    fn members_that_the_oldest_revision_does_not_have_are_found() {
        let tool = |name: &str| {
            let mut tool = json!({ "name": "t", "inputSchema": { "type": "object", "properties": {} } });
            tool[name] = json!("x");
            json!({ "tools": [tool] })
        };
        assert!(passes("2024-11-05", "tools/list", &tool("description")));
        for newer in ["annotations", "title", "outputSchema", "_meta", "icons"] {
            assert!(!passes("2024-11-05", "tools/list", &tool(newer)), "{newer}");
        }
        assert!(passes("2024-11-05", "ping", &json!({})));
        assert!(!passes("2024-11-05", "ping", &json!({ "resultType": "complete" })));
        assert!(!passes("2024-11-05", "ping", &json!({ "pong": true })));
        assert!(passes("2024-11-05", "tools/call", &json!({ "content": [{ "type": "text", "text": "" }] })));
        assert!(!passes("2024-11-05", "tools/call", &json!({ "content": [], "structuredContent": {} })));
        assert!(!passes("2024-11-05", "tools/call", &json!({ "content": [{ "type": "audio", "data": "" }] })));
    }

    #[test]
    fn an_answer_that_nobody_asked_for_is_found() {
        let answers = [
            json!({ "jsonrpc": "2.0", "id": 2, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": "1", "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32020, "message": "of another era" } }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": {}, "error": { "code": -32600, "message": "both" } }),
        ];
        let asked = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for answer in answers {
            let answer = reply(&answer);
            let checked = std::panic::catch_unwind(|| check_reply(&headers("2024-11-05"), asked, &answer));
            assert!(checked.is_err(), "{answer:?}");
        }
    }

    #[test]
    fn requests_are_read_with_their_revisions() {
        let revisions = |headers: &[(String, String)], body: &str| {
            asked(headers, body.as_bytes()).into_iter().map(|asked| asked.revision).collect::<Vec<_>>()
        };
        let ping = r#"{"id":1,"method":"ping"}"#;
        assert_eq!(revisions(&[], ping), [ASSUMED]);
        assert_eq!(revisions(&headers(" 2025-06-18"), ping), ["2025-06-18"]);
        assert_eq!(revisions(&headers("2027-01-01"), ping), [MODERN]);
        assert_eq!(revisions(&[], r#"{"id":1,"method":"server/discover"}"#), [MODERN]);
        assert_eq!(revisions(&[], &format!("[{ping},7,{{\"method\":\"x\"}}]")), [ASSUMED]);
        assert_eq!(asked(&[], br#"{"id":"\ud800","method":7}"#)[0].method, "");
        assert_eq!(revisions(&[], "{"), [""; 0]);
    }
}
