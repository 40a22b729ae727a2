//! Parameters of requests, read into [`Work`].

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::jsonrpc::Params;
use crate::{
    Capability, ClientCapabilities, CompleteRequest, Filter, Inputs, LogLevel, Offer, Reference, RpcError, Version,
    Work,
};

/// The parameters of one request. Members that nobody asks for are ignored.
pub(crate) struct Reader(Map<String, Value>);

impl Reader {
    /// # Errors
    /// The parameters, or their metadata, are something other than an object.
    pub(crate) fn new(params: Params) -> Result<Self, RpcError> {
        params.into_object().map(Self)
    }

    /// # Errors
    /// The cursor is no string.
    pub(crate) fn cursor(&mut self) -> Result<Option<String>, RpcError> {
        optional_text(self.0.remove("cursor"), "cursor")
    }

    /// # Errors
    /// The name is missing or no string, the arguments are something other than an object, or the inputs are malformed.
    pub(crate) fn call_tool(mut self, version: Version) -> Result<Work, RpcError> {
        Ok(Work::CallTool {
            name: self.text("name", "the tool to call")?,
            arguments: object(self.0.remove("arguments"), "arguments")?,
            inputs: self.inputs(version)?,
        })
    }

    /// # Errors
    /// The URI is missing or no string, or the inputs are malformed.
    pub(crate) fn read_resource(mut self, version: Version) -> Result<Work, RpcError> {
        Ok(Work::ReadResource { uri: self.uri()?, inputs: self.inputs(version)? })
    }

    /// # Errors
    /// The URI is missing or no string.
    pub(crate) fn uri(&mut self) -> Result<String, RpcError> {
        self.text("uri", "the resource")
    }

    /// # Errors
    /// The name is missing or no string, an argument is no string, or the inputs are malformed.
    pub(crate) fn get_prompt(mut self, version: Version) -> Result<Work, RpcError> {
        Ok(Work::GetPrompt {
            name: self.text("name", "the prompt to get")?,
            arguments: texts(self.0.remove("arguments"), "arguments")?,
            inputs: self.inputs(version)?,
        })
    }

    /// # Errors
    /// The reference or the argument is malformed.
    pub(crate) fn complete(mut self) -> Result<Work, RpcError> {
        let mut reference = Self(object(self.0.remove("ref"), "ref")?);
        let kind = reference.text("type", "`ref/prompt` or `ref/resource`, in `ref`")?;
        let reference = match kind.as_str() {
            "ref/prompt" => Reference::Prompt { name: reference.text("name", "the prompt, in `ref`")? },
            "ref/resource" => Reference::Resource { uri: reference.text("uri", "the resource, in `ref`")? },
            _ => return Err(RpcError::invalid_params("`ref.type` must be `ref/prompt` or `ref/resource`")),
        };
        let mut argument = Self(object(self.0.remove("argument"), "argument")?);
        let mut context = object(self.0.remove("context"), "context")?;
        Ok(Work::Complete(CompleteRequest {
            reference,
            argument: (
                argument.text("name", "what to complete, in `argument`")?,
                argument.text("value", "what is typed so far, in `argument`")?,
            ),
            context: texts(context.remove("arguments"), "context.arguments")?,
        }))
    }

    /// # Errors
    /// The filter is missing or malformed.
    pub(crate) fn listen(mut self, offer: &Offer, client: &ClientCapabilities) -> Result<Work, RpcError> {
        let Some(Value::Object(mut filter)) = self.0.remove("notifications") else {
            return Err(RpcError::invalid_params("`notifications` must be an object: what to listen to"));
        };
        let mut filter = Filter {
            tools_list_changed: flag(filter.remove("toolsListChanged"), "toolsListChanged")?,
            prompts_list_changed: flag(filter.remove("promptsListChanged"), "promptsListChanged")?,
            resources_list_changed: flag(filter.remove("resourcesListChanged"), "resourcesListChanged")?,
            resource_subscriptions: list(filter.remove("resourceSubscriptions"), "resourceSubscriptions")?,
            tasks: list(filter.remove("taskIds"), "taskIds")?,
        };
        // Of tasks only a client that knows the extension is told.
        if !client.declares(Capability::Tasks) {
            filter.tasks.clear();
        }
        Ok(Work::Listen(filter.within(offer)))
    }

    /// # Errors
    /// The id is missing or no string.
    pub(crate) fn task(&mut self) -> Result<String, RpcError> {
        self.text("taskId", "the task")
    }

    /// # Errors
    /// The id is missing or no string, or the answers are no object.
    pub(crate) fn update_task(mut self) -> Result<Work, RpcError> {
        let id = self.task()?;
        match self.0.remove("inputResponses") {
            Some(Value::Object(responses)) => Ok(Work::UpdateTask { id, responses }),
            Some(_) | None => {
                Err(RpcError::invalid_params("`inputResponses` must be an object: answers by their keys"))
            }
        }
    }

    /// # Errors
    /// There is no such level.
    pub(crate) fn level(mut self) -> Result<LogLevel, RpcError> {
        let level = self.text("level", "the least severe messages to send")?;
        LogLevel::parse(&level).ok_or_else(|| unknown_level("level"))
    }

    /// What an earlier round asked for. The handshake revisions have no rounds, and what they send is not looked at.
    fn inputs(&mut self, version: Version) -> Result<Inputs, RpcError> {
        if !version.is_modern() {
            return Ok(Inputs::default());
        }
        Ok(Inputs {
            responses: object(self.0.remove("inputResponses"), "inputResponses")?,
            state: optional_text(self.0.remove("requestState"), "requestState")?,
        })
    }

    fn text(&mut self, name: &str, what: &str) -> Result<String, RpcError> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            Some(_) | None => Err(RpcError::invalid_params(format!("`{name}` must be a string: {what}"))),
        }
    }
}

/// The error for a level that is none of the eight.
pub(crate) fn unknown_level(name: &str) -> RpcError {
    let known = LogLevel::ALL.map(LogLevel::as_str).join(", ");
    RpcError::invalid_params(format!("`{name}` must be one of {known}"))
}

/// A string that may be missing or null.
fn optional_text(value: Option<Value>, name: &str) -> Result<Option<String>, RpcError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(RpcError::invalid_params(format!("`{name}` must be a string")))
        }
    }
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

/// An object of strings that may be missing or null.
fn texts(value: Option<Value>, name: &str) -> Result<BTreeMap<String, String>, RpcError> {
    let members = object(value, name)?.into_iter();
    members
        .map(|(key, value)| match value {
            Value::String(text) => Ok((key, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(RpcError::invalid_params(format!("every value in `{name}` must be a string")))
            }
        })
        .collect()
}

/// A boolean that may be missing or null.
fn flag(value: Option<Value>, name: &str) -> Result<bool, RpcError> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_)) => {
            Err(RpcError::invalid_params(format!("`notifications.{name}` must be true or false")))
        }
    }
}

/// An array of strings that may be missing or null.
fn list(value: Option<Value>, name: &str) -> Result<Vec<String>, RpcError> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value) => serde_json::from_value(value)
            .map_err(|_| RpcError::invalid_params(format!("`notifications.{name}` must be an array of strings"))),
    }
}
