//! What the client of a request says that it can do.

use serde_json::{Map, Value, json};

use crate::{RpcError, TASKS_EXTENSION};

/// The capabilities that one request declares. Requests of the handshake revisions declare none: they named them once,
/// to whichever process answered then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities(Map<String, Value>);

/// Something that a server may need a client for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// It asks its user to fill in a form.
    ElicitationForm,
    /// It sends its user to a page.
    ElicitationUrl,
    /// It asks its model.
    Sampling,
    /// It lets its model use tools while it answers.
    SamplingTools,
    /// It names the folders that it works in.
    Roots,
    /// It polls tasks.
    Tasks,
}

impl ClientCapabilities {
    pub(crate) const fn new(declared: Map<String, Value>) -> Self {
        Self(declared)
    }

    /// The capabilities as the client wrote them.
    #[must_use]
    pub const fn declared(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether the client declares `capability`. An empty `elicitation` means forms alone.
    #[must_use]
    pub fn declares(&self, capability: Capability) -> bool {
        let within = |name: &str, member: &str| self.object(name).is_some_and(|object| object.contains_key(member));
        match capability {
            Capability::ElicitationForm => {
                self.object("elicitation").is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
            }
            Capability::ElicitationUrl => within("elicitation", "url"),
            Capability::Sampling => self.object("sampling").is_some(),
            Capability::SamplingTools => within("sampling", "tools"),
            Capability::Roots => self.object("roots").is_some(),
            Capability::Tasks => within("extensions", TASKS_EXTENSION),
        }
    }

    /// # Errors
    /// The client does not declare all of `needed` (-32021); the error names what is missing.
    pub fn require(&self, needed: impl IntoIterator<Item = Capability>) -> Result<(), RpcError> {
        let mut required = Map::new();
        for capability in needed.into_iter().filter(|capability| !self.declares(*capability)) {
            let (name, member) = capability.place();
            let object = required.entry(name).or_insert_with(|| json!({}));
            if let (Some(object), Some(member)) = (object.as_object_mut(), member) {
                object.insert(member.to_owned(), json!({}));
            }
        }
        if required.is_empty() { Ok(()) } else { Err(RpcError::missing_capability(required)) }
    }

    fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name).and_then(Value::as_object)
    }
}

impl Capability {
    /// Where the capability stands in a declaration: the member, and what has to be in it.
    const fn place(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::ElicitationForm => ("elicitation", Some("form")),
            Self::ElicitationUrl => ("elicitation", Some("url")),
            Self::Sampling => ("sampling", None),
            Self::SamplingTools => ("sampling", Some("tools")),
            Self::Roots => ("roots", None),
            Self::Tasks => ("extensions", Some(TASKS_EXTENSION)),
        }
    }
}
