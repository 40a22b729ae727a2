//! Tools and the results of calling them, before they are rendered for a revision.

use serde_json::{Map, Value};

/// A tool as `tools/list` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDef {
    /// What it is called by: 1 to 128 characters of `A-Z a-z 0-9 _ - .`, unique.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, for the model that chooses it.
    pub description: String,
    /// JSON Schema of the arguments, an object at its root; sent as it is.
    pub input_schema: Value,
    /// JSON Schema of the structured content of a success, an object at its root; sent as it is.
    pub output_schema: Option<Value>,
    /// Hints about its effects.
    pub annotations: Annotations,
    /// Metadata of the definition.
    pub meta: Option<Map<String, Value>>,
}

/// Hints about the effects of a tool. All four are always sent: what a client assumes in their absence differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// What it changes may be lost.
    pub destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond the server.
    pub open_world: bool,
}

/// The result of a tool, whether it succeeded or failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResult {
    /// The one content block, which every revision can show.
    pub text: String,
    /// The same as a value. Not sent with an error, to revisions that have no structured content, or to those that
    /// want an object here and it is none.
    pub structured: Option<Value>,
    /// Whether the tool failed, in a way that the model should read.
    pub is_error: bool,
    /// Metadata of the result.
    pub meta: Option<Map<String, Value>>,
}
