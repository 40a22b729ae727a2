//! Requests that take several rounds: what the server asks back, and what the client brings (2026-07-28).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::Capability;

/// What a client brings back to a request that was answered with [`InputRequired`]; empty on the first round and under
/// the handshake revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The answers, by the keys under which they were asked for. Keys that nobody asked for are to be ignored; what is
    /// missing or of the wrong type is to be asked for again.
    pub responses: Map<String, Value>,
    /// The state as the client sent it, which may be anything: [`crate::StateSeal::open`] says what it really holds.
    pub state: Option<String>,
}

/// The answer to a request that can go on only with more from the client. At least one of the two is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequired {
    /// What is asked, by keys of the server's choice.
    pub requests: BTreeMap<String, InputRequest>,
    /// What the server wants to be given back, sealed by [`crate::StateSeal::seal`].
    pub state: Option<String>,
}

/// Something that only the client can find out.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRequest {
    /// Let the user fill in a form.
    Elicit {
        /// What the user is told.
        message: String,
        /// JSON Schema of the form: an object with flat properties.
        schema: Value,
    },
    /// Send the user to a page.
    ElicitUrl {
        /// What the user is told.
        message: String,
        /// The page.
        url: String,
    },
    /// Ask the model; the parameters of `sampling/createMessage`.
    Sample(Map<String, Value>),
    /// Name the folders that the client works in.
    Roots,
}

impl InputRequest {
    /// What the client must have declared for this to be asked of it.
    #[must_use]
    pub fn needs(&self) -> Capability {
        match self {
            Self::Elicit { .. } => Capability::ElicitationForm,
            Self::ElicitUrl { .. } => Capability::ElicitationUrl,
            Self::Sample(params) if params.contains_key("tools") => Capability::SamplingTools,
            Self::Sample(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    fn render(&self) -> Value {
        match self {
            Self::Elicit { message, schema } => json!({
                "method": "elicitation/create",
                "params": { "mode": "form", "message": message, "requestedSchema": schema },
            }),
            Self::ElicitUrl { message, url } => json!({
                "method": "elicitation/create",
                "params": { "mode": "url", "message": message, "url": url },
            }),
            Self::Sample(params) => json!({ "method": "sampling/createMessage", "params": params }),
            Self::Roots => json!({ "method": "roots/list" }),
        }
    }
}

/// The requests as a member of a result.
pub(crate) fn render(requests: &BTreeMap<String, InputRequest>) -> Value {
    Value::Object(requests.iter().map(|(key, request)| (key.clone(), request.render())).collect())
}
