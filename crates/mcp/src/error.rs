//! Errors of the protocol itself. A tool that fails is not one of them: it answers with a result that says so.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Version;

/// The codes that this crate emits (protocol checklist §5.1).
pub mod code {
    /// The body is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// JSON, but not a request; also every refusal of the transport that has no code of its own.
    pub const INVALID_REQUEST: i64 = -32600;
    /// No such method, or one that is not offered.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters of the request are wrong: unknown tool, bad cursor, malformed call.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Our fault.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// No such resource, in the handshake revisions; 2026-07-28 has no code for it but [`INVALID_PARAMS`].
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// A header is missing, repeated, or differs from the body that it mirrors.
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client did not declare a capability that the request needs.
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The request names a revision that is not served.
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RpcError {
    /// What kind of error this is, see [`code`].
    pub code: i64,
    /// One sentence for the reader of the client's log.
    pub message: String,
    /// Details for the client's code, where the protocol defines some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    fn plain(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The body cannot be read as JSON; `detail` says where.
    pub fn parse_error(detail: impl fmt::Display) -> Self {
        Self::plain(code::PARSE_ERROR, format!("not readable as JSON: {detail}"))
    }

    /// Not a JSON-RPC request, or one that the transport refuses.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::plain(code::INVALID_REQUEST, message)
    }

    /// No such method, or one that is not offered.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::plain(code::METHOD_NOT_FOUND, format!("method `{}` is not offered", clip(method)))
    }

    /// The parameters are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::plain(code::INVALID_PARAMS, message)
    }

    /// No such tool, as far as the caller may know.
    #[must_use]
    pub fn unknown_tool(name: &str) -> Self {
        Self::invalid_params(format!("unknown tool `{}`", clip(name)))
    }

    /// No such resource, as far as the caller may know. The code is the one of the revision that is answered.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        let data = Some(json!({ "uri": uri }));
        Self { code: code::RESOURCE_NOT_FOUND, message: format!("resource `{}` not found", clip(uri)), data }
    }

    /// No such prompt, as far as the caller may know.
    #[must_use]
    pub fn unknown_prompt(name: &str) -> Self {
        Self::invalid_params(format!("unknown prompt `{}`", clip(name)))
    }

    /// The prompt cannot do without this argument.
    #[must_use]
    pub fn missing_argument(name: &str) -> Self {
        Self::invalid_params(format!("argument `{}` is required", clip(name)))
    }

    /// What is to be completed does not exist, as far as the caller may know.
    #[must_use]
    pub fn unknown_reference() -> Self {
        Self::invalid_params("`ref` names no prompt or resource template that completes this argument")
    }

    /// No such task, as far as the caller may know.
    #[must_use]
    pub fn unknown_task(id: &str) -> Self {
        Self::invalid_params(format!("unknown task `{}`", clip(id)))
    }

    /// What came back as state was not sealed for this request.
    #[must_use]
    pub fn invalid_state() -> Self {
        Self::invalid_params("`requestState` is not valid for this request or has expired; start again without it")
    }

    /// The cursor was not handed out by this server, or for another list.
    #[must_use]
    pub fn invalid_cursor() -> Self {
        Self::invalid_params("`cursor` is not valid for this list; start again without one")
    }

    /// Our fault. The text is fixed, so that it carries no secret; the cause belongs in the log.
    #[must_use]
    pub fn internal() -> Self {
        Self::plain(code::INTERNAL_ERROR, "internal error")
    }

    /// A header is missing, repeated, or differs from the body.
    pub fn header_mismatch(message: impl Into<String>) -> Self {
        Self::plain(code::HEADER_MISMATCH, message)
    }

    /// The client has to declare `required`, an object shaped like its capabilities, for this request to be served.
    #[must_use]
    pub fn missing_capability(required: Map<String, Value>) -> Self {
        let names = required.iter().flat_map(|(name, settings)| {
            let members: Vec<_> = settings.as_object().into_iter().flat_map(Map::keys).collect();
            let whole = members.is_empty().then(|| name.clone());
            whole.into_iter().chain(members.into_iter().map(move |member| format!("{name}.{member}")))
        });
        let names = names.collect::<Vec<_>>().join(", ");
        Self {
            code: code::MISSING_CAPABILITY,
            message: format!("the client must declare these capabilities: {names}"),
            data: Some(json!({ "requiredCapabilities": required })),
        }
    }

    /// The request needs an answer from the client, and its revision has no way to ask.
    pub(crate) fn no_rounds(version: Version) -> Self {
        let message =
            format!("this needs an answer from the client, which protocol version {version} cannot ask for here");
        Self::plain(code::MISSING_CAPABILITY, message)
    }

    /// The request names `requested`, which is not served.
    #[must_use]
    pub fn unsupported_version(requested: &str) -> Self {
        let supported = Version::supported_modern();
        Self {
            code: code::UNSUPPORTED_VERSION,
            message: format!(
                "protocol version `{}` is not supported; supported: {}",
                clip(requested),
                supported.join(", ")
            ),
            data: Some(json!({ "supported": supported, "requested": requested })),
        }
    }

    /// The error with the code that `version` has for it.
    pub(crate) fn under(mut self, version: Version) -> Self {
        self.code = match self.code {
            code::RESOURCE_NOT_FOUND if version.is_modern() => code::INVALID_PARAMS,
            code::MISSING_CAPABILITY if !version.is_modern() => code::INVALID_PARAMS,
            code => code,
        };
        self
    }

    /// The HTTP status under which this error answers a request of `version` (protocol checklist §2.2).
    ///
    /// The handshake revisions know no other status than 200 for an answered request. 2026-07-28 gives three codes of
    /// its own and the unknown method a status that intermediaries can see.
    pub(crate) fn status(&self, version: Version) -> u16 {
        match self.code {
            code::METHOD_NOT_FOUND if version.is_modern() => 404,
            code::HEADER_MISMATCH | code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION if version.is_modern() => 400,
            _ => 200,
        }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

/// The beginning of a client's text, short enough to be quoted back.
pub(crate) fn clip(text: &str) -> &str {
    const LONGEST: usize = 128;
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
