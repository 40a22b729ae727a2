//! Requests whose checks have passed.

use serde_json::{Map, Value};

use crate::jsonrpc::Params;
use crate::negotiate::{DISCOVER, INITIALIZE};
use crate::{Id, RpcError, Version};

/// A request that the caller of this crate has to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The client's id, to be logged; the answer gets it by itself.
    pub id: Id,
    /// The revision that the request is served under.
    pub version: Version,
    /// What is asked for.
    pub work: Work,
}

/// What this crate cannot answer by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// `tools/list`.
    ListTools {
        /// Where to go on, opaque here; [`RpcError::invalid_cursor`] answers one that is not the caller's own.
        cursor: Option<String>,
    },
    /// `tools/call`.
    CallTool {
        /// The tool; [`RpcError::unknown_tool`] answers a name that stands for none.
        name: String,
        /// The arguments, empty if the client sent none or null.
        arguments: Map<String, Value>,
        /// The `_meta` of the request, empty if the client sent none.
        meta: Map<String, Value>,
    },
}

/// The methods that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Ping,
    Discover,
    ListTools,
    CallTool,
}

impl Method {
    /// The method of this name under this revision. `initialize` is not among them: it is told apart before there is a
    /// revision.
    pub(crate) fn find(version: Version, name: &str) -> Option<Self> {
        match name {
            "tools/list" => Some(Self::ListTools),
            "tools/call" => Some(Self::CallTool),
            "ping" => (!version.is_modern()).then_some(Self::Ping),
            DISCOVER => version.is_modern().then_some(Self::Discover),
            _ => None,
        }
    }
}

/// Whether this method opens a handshake.
pub(crate) fn is_handshake(method: &str) -> bool {
    method == INITIALIZE
}

/// # Errors
/// The parameters or the cursor have the wrong type.
pub(crate) fn list_tools(params: Params) -> Result<Work, RpcError> {
    let cursor = match params.into_object()?.remove("cursor") {
        None | Some(Value::Null) => None,
        Some(Value::String(cursor)) => Some(cursor),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            return Err(RpcError::invalid_params("`cursor` must be a string"));
        }
    };
    Ok(Work::ListTools { cursor })
}

/// # Errors
/// The parameters are no object, the name is missing, or the arguments are something other than an object.
pub(crate) fn call_tool(params: Params) -> Result<Work, RpcError> {
    let mut params = params.into_object()?;
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(RpcError::invalid_params("`name` must be a string: the tool to call"));
    };
    let arguments = object(params.remove("arguments"), "arguments")?;
    let meta = object(params.remove("_meta"), "_meta")?;
    Ok(Work::CallTool { name, arguments, meta })
}

/// An object that may be missing or null.
fn object(value: Option<Value>, name: &str) -> Result<Map<String, Value>, RpcError> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(RpcError::invalid_params(format!("`{name}` must be an object")))
        }
    }
}
