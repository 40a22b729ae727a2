//! JSON-RPC 2.0: bodies into messages, responses into JSON (protocol checklist §1.2 steps 4 to 6, §5.2).

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{Id, RpcError, render::Rendered};

/// The most messages that one batch may hold.
pub const MAX_BATCH: usize = 50;

/// The body of a POST. Its syntax has been checked to the end, its messages have not been looked at.
pub(crate) enum Body<'a> {
    /// One message, or at least one JSON value that is no array.
    One(&'a str),
    /// The values of an array, at most one more than [`MAX_BATCH`].
    Many(Vec<&'a RawValue>),
}

impl<'a> Body<'a> {
    /// # Errors
    /// The body is not UTF-8 or not JSON.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, RpcError> {
        let text = std::str::from_utf8(bytes).map_err(RpcError::parse_error)?;
        // Some programs on Windows begin every text with this mark; a reader may pass over it (RFC 8259 §8.1).
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('[') {
            serde_json::from_str::<Elements<'a>>(text).map(|elements| Self::Many(elements.0))
        } else {
            serde_json::from_str::<IgnoredAny>(text).map(|_| Self::One(text))
        }
        .map_err(RpcError::parse_error)
    }
}

/// One JSON-RPC message.
pub(crate) enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification(Call),
    /// Answers something that was never asked: a server without state sends no requests.
    Response,
}

/// A request, before its method is looked at.
pub(crate) struct Request {
    pub(crate) id: Id,
    pub(crate) call: Call,
}

/// A method and its parameters.
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) params: Params,
}

/// The parameters of a message as they came: absent and null are the same.
pub(crate) struct Params(Value);

impl Params {
    /// A member of the parameters; `None` if it is absent or null, or if the parameters are no object.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// The metadata; `None` if it is absent or no object.
    pub(crate) fn meta(&self) -> Option<&Map<String, Value>> {
        self.get("_meta")?.as_object()
    }

    /// The parameters as an object, empty if absent.
    ///
    /// # Errors
    /// They, or their `_meta`, are something else.
    pub(crate) fn into_object(self) -> Result<Map<String, Value>, RpcError> {
        if self.get("_meta").is_some_and(|meta| !meta.is_object()) {
            return Err(RpcError::invalid_params("`_meta` must be an object"));
        }
        match self.0 {
            Value::Null => Ok(Map::new()),
            Value::Object(object) => Ok(object),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(RpcError::invalid_params("`params` must be an object"))
            }
        }
    }
}

impl Message {
    /// Reads `text`, one JSON value.
    ///
    /// # Errors
    /// It is no JSON-RPC message; the response says why, with the id if that much could be read.
    pub(crate) fn read(text: &str) -> Result<Self, Response> {
        let refuse = |id: Option<Id>, error| Response { id, outcome: Err(error) };
        if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{') {
            return Err(refuse(None, RpcError::invalid_request("a message must be a JSON object")));
        }
        let envelope: Envelope<'_> =
            serde_json::from_str(text).map_err(|error| refuse(None, RpcError::parse_error(error)))?;
        let id = envelope.id.and_then(Id::read);
        let invalid = |message: &str| refuse(id.clone(), RpcError::invalid_request(message));

        // Read before the shape is judged: a value that is nested too deeply or holds half a surrogate pair makes the
        // body unreadable, though its syntax was found good.
        let params = match envelope.params {
            Some(raw) => {
                serde_json::from_str(raw.get()).map_err(|error| refuse(id.clone(), RpcError::parse_error(error)))?
            }
            None => Value::Null,
        };
        if envelope.jsonrpc.and_then(string).as_deref() != Some("2.0") {
            return Err(invalid("`jsonrpc` must be \"2.0\""));
        }
        let Some(method) = envelope.method else {
            return match (envelope.result, envelope.error, &id) {
                (Some(_), None, Some(_)) | (None, Some(_), _) => Ok(Self::Response),
                (Some(_), None, None) | (Some(_), Some(_), _) | (None, None, _) => Err(invalid("`method` is missing")),
            };
        };
        let Some(method) = string(method) else { return Err(invalid("`method` must be a string")) };
        let call = Call { method, params: Params(params) };
        match (envelope.id, id) {
            (None, _) => Ok(Self::Notification(call)),
            (Some(_), Some(id)) => Ok(Self::Request(Request { id, call })),
            (Some(_), None) => {
                Err(refuse(None, RpcError::invalid_request("`id` must be a string or an integer, never null")))
            }
        }
    }
}

/// A JSON string; `None` for every other value.
fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// The members of a message, unread. Of duplicate members the last wins, as it does inside them.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(name) = map.next_key::<String>()? {
                    let member = match name.as_str() {
                        "jsonrpc" => &mut envelope.jsonrpc,
                        "id" => &mut envelope.id,
                        "method" => &mut envelope.method,
                        "params" => &mut envelope.params,
                        "result" => &mut envelope.result,
                        "error" => &mut envelope.error,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *member = Some(map.next_value()?);
                }
                Ok(envelope)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The values of an array, unread. No more are kept than are needed to see that there are too many.
struct Elements<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values;

        impl<'de> Visitor<'de> for Values {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Elements<'de>, A::Error> {
                let mut values = Vec::new();
                while values.len() <= MAX_BATCH {
                    match seq.next_element()? {
                        Some(value) => values.push(value),
                        None => return Ok(Elements(values)),
                    }
                }
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Elements(values))
            }
        }

        deserializer.deserialize_seq(Values)
    }
}

/// One JSON-RPC response. There is no `id` member when the id is not known: null fails the newer schemas and strictly
/// typed clients (protocol checklist §2.2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) id: Option<Id>,
    pub(crate) outcome: Result<Rendered, RpcError>,
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut response = serializer.serialize_struct("Response", 3)?;
        response.serialize_field("jsonrpc", "2.0")?;
        match &self.id {
            Some(id) => response.serialize_field("id", id)?,
            None => response.skip_field("id")?,
        }
        match &self.outcome {
            Ok(result) => response.serialize_field("result", result)?,
            Err(error) => response.serialize_field("error", error)?,
        }
        response.end()
    }
}
