//! Completion of arguments while they are typed.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::render::insert;

/// The most values that one answer may hold.
pub const MAX_COMPLETIONS: usize = 100;

/// `completion/complete`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteRequest {
    /// Whose argument is being typed; [`crate::RpcError::unknown_reference`] answers one that stands for nothing.
    pub reference: Reference,
    /// The argument: its name, and what has been typed of its value.
    pub argument: (String, String),
    /// The arguments that are known already, empty before 2025-06-18.
    pub context: BTreeMap<String, String>,
}

/// What the argument belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A prompt.
    Prompt {
        /// Its name.
        name: String,
    },
    /// A resource or a template.
    Resource {
        /// Its URI or the pattern of its URIs.
        uri: String,
    },
}

/// Values that complete an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The values, best first. What is beyond [`MAX_COMPLETIONS`] is not sent, and the client told that there is more.
    pub values: Vec<String>,
    /// How many there are in all, if known.
    pub total: Option<u64>,
    /// Whether there are more than these.
    pub has_more: bool,
}

impl Completion {
    pub(crate) fn render(mut self) -> Map<String, Value> {
        let has_more = self.has_more || self.values.len() > MAX_COMPLETIONS;
        self.values.truncate(MAX_COMPLETIONS);
        let mut completion = Map::new();
        completion.insert("values".into(), json!(self.values));
        insert(&mut completion, "total", self.total.map(|total| json!(total)));
        completion.insert("hasMore".into(), json!(has_more));
        Map::from_iter([("completion".to_owned(), Value::Object(completion))])
    }
}
