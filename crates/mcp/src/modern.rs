//! The checks that only the modern era knows: metadata and headers mirror the body (protocol checklist §1.2 step 8,
//! §2.6).

use crate::head::Line;
use crate::header_text::header_text;
use crate::jsonrpc::{Call, Params};
use crate::negotiate::VERSION_KEY;
use crate::{ClientCapabilities, Head, RpcError, Version};

/// The `_meta` key with what the client can do; an object that may be empty.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The `_meta` key with the least severe log messages that the client wants.
pub(crate) const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// What the client of a request that passed the checks can do.
pub(crate) fn client(call: &Call) -> ClientCapabilities {
    let declared = call.params.meta().and_then(|meta| meta.get(CAPABILITIES_KEY)?.as_object());
    ClientCapabilities::new(declared.cloned().unwrap_or_default())
}

/// Steps a to f, in order: the revision under which the request is served.
///
/// # Errors
/// A step fails; 400.
pub(crate) fn check_request(head: &Head, call: &Call) -> Result<Version, RpcError> {
    let header = version_header(head)?;
    let named = call.params.meta().and_then(|meta| meta.get(VERSION_KEY));
    match (named, header) {
        (Some(_), None) => return Err(RpcError::header_mismatch("`MCP-Protocol-Version` is missing")),
        (named, Some(header)) => same_version(named.and_then(|named| named.as_str()), header)?,
        (None, None) => {}
    }
    let version = required_version(&call.params)?;
    let version = supported(version)?;
    match Line::of(&head.mcp_method) {
        Line::Absent => return Err(RpcError::header_mismatch("`Mcp-Method` is missing")),
        line => same_method(line, call)?,
    }
    check_name(head, call)?;
    Ok(version)
}

/// What is left of the checks for a notification: no revision says which headers it needs, so that all may be absent,
/// but one that is there has to be true.
///
/// # Errors
/// A header is repeated or differs from the body, or the revision is not served; 400.
pub(crate) fn check_notification(head: &Head, call: &Call) -> Result<(), RpcError> {
    let header = version_header(head)?;
    let named = call.params.meta().and_then(|meta| meta.get(VERSION_KEY)).and_then(|named| named.as_str());
    if let Some(header) = header {
        same_version(named, header)?;
    }
    if let Some(version) = named.or(header) {
        supported(version)?;
    }
    same_method(Line::of(&head.mcp_method), call)
}

fn version_header(head: &Head) -> Result<Option<&str>, RpcError> {
    match Line::of(&head.protocol_version) {
        Line::Absent => Ok(None),
        Line::One(value) => Ok(Some(value)),
        Line::Repeated => Err(RpcError::header_mismatch("`MCP-Protocol-Version` is sent more than once")),
    }
}

fn same_version(named: Option<&str>, header: &str) -> Result<(), RpcError> {
    match named {
        Some(named) if named != header => {
            Err(RpcError::header_mismatch(format!("`MCP-Protocol-Version` differs from `_meta[\"{VERSION_KEY}\"]`")))
        }
        Some(_) | None => Ok(()),
    }
}

/// The revision that the metadata names; the client's capabilities have to stand beside it, its name need not.
fn required_version(params: &Params) -> Result<&str, RpcError> {
    let missing = |key: &str, what: &str| RpcError::invalid_params(format!("`_meta[\"{key}\"]` must be {what}"));
    let meta = params.meta();
    let version = meta.and_then(|meta| meta.get(VERSION_KEY)?.as_str());
    let version = version.ok_or_else(|| missing(VERSION_KEY, "a string"))?;
    let capabilities = meta.and_then(|meta| meta.get(CAPABILITIES_KEY)?.as_object());
    capabilities.map(|_| version).ok_or_else(|| missing(CAPABILITIES_KEY, "an object"))
}

fn supported(version: &str) -> Result<Version, RpcError> {
    Version::parse(version).filter(|version| version.is_modern()).ok_or_else(|| RpcError::unsupported_version(version))
}

fn same_method(line: Line<'_>, call: &Call) -> Result<(), RpcError> {
    match line {
        Line::Repeated => Err(RpcError::header_mismatch("`Mcp-Method` is sent more than once")),
        Line::One(value) if value != call.method => {
            Err(RpcError::header_mismatch("`Mcp-Method` differs from `method`"))
        }
        Line::One(_) | Line::Absent => Ok(()),
    }
}

/// The parameter that `Mcp-Name` mirrors, for the methods that have one.
fn named_parameter(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

fn check_name(head: &Head, call: &Call) -> Result<(), RpcError> {
    let Some(parameter) = named_parameter(&call.method) else { return Ok(()) };
    let named = call.params.get(parameter).and_then(|value| value.as_str());
    match (Line::of(&head.mcp_name), named) {
        (Line::Repeated, _) => Err(RpcError::header_mismatch("`Mcp-Name` is sent more than once")),
        (Line::Absent, Some(_)) => Err(RpcError::header_mismatch("`Mcp-Name` is missing")),
        // There is nothing to mirror; what is wrong is the parameter, and the method says so.
        (Line::Absent, None) => Ok(()),
        (Line::One(value), named) => match header_text(value) {
            None => Err(RpcError::header_mismatch("`Mcp-Name` is not valid Base64")),
            Some(text) if Some(text.as_str()) == named => Ok(()),
            Some(_) => Err(RpcError::header_mismatch(format!("`Mcp-Name` differs from `params.{parameter}`"))),
        },
    }
}
