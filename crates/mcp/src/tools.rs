//! Tools and the results of calling them, before they are rendered for a revision.

use serde_json::{Map, Value, json};

use crate::render::insert;
use crate::{Content, Version, Written};

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

impl ToolDef {
    /// The definition as `tools/list` shows it under `version`.
    #[must_use]
    pub fn render(&self, version: Version) -> Value {
        let mut tool = Map::new();
        tool.insert("name".into(), json!(self.name));
        tool.insert("description".into(), json!(self.description));
        tool.insert("inputSchema".into(), self.input_schema.clone());
        if version.has_annotations() {
            // Where the definition has no title of its own, this is the place for it.
            let title = self.title.as_ref().filter(|_| !version.has_titles());
            tool.insert("annotations".into(), self.annotations.render(title));
        }
        if version.has_titles() {
            insert(&mut tool, "title", self.title.as_ref().map(|title| json!(title)));
            insert(&mut tool, "outputSchema", self.output_schema.clone());
            insert(&mut tool, "_meta", self.meta.clone().map(Value::Object));
        }
        Value::Object(tool)
    }
}

impl Annotations {
    fn render(self, title: Option<&String>) -> Value {
        let mut hints = Map::new();
        insert(&mut hints, "title", title.map(|title| json!(title)));
        hints.insert("readOnlyHint".into(), json!(self.read_only));
        hints.insert("destructiveHint".into(), json!(self.destructive));
        hints.insert("idempotentHint".into(), json!(self.idempotent));
        hints.insert("openWorldHint".into(), json!(self.open_world));
        Value::Object(hints)
    }
}

/// The result of a tool, whether it succeeded or failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResult {
    /// The first content block, which every revision can show. Left out if it is empty and another block is there.
    pub text: String,
    /// Further blocks, in order.
    pub content: Vec<Content>,
    /// The text as a value. Not sent with an error, to revisions that have no structured content, or to those that
    /// want an object here and it is none.
    pub structured: Option<Written>,
    /// Whether the tool failed, in a way that the model should read.
    pub is_error: bool,
    /// Metadata of the result.
    pub meta: Option<Map<String, Value>>,
}

impl CallResult {
    /// A success that is text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A success that is a value: as text and, the same, as structured content.
    #[must_use]
    pub fn value(value: Written) -> Self {
        Self { text: value.as_str().to_owned(), structured: Some(value), ..Self::default() }
    }

    /// A success that is one or several blocks.
    #[must_use]
    pub fn blocks(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// A failure, explained to the model.
    pub fn failure(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true, ..Self::default() }
    }
}
