//! Prompts, before they are rendered for a revision.

use serde_json::{Map, Value, json};

use crate::render::insert;
use crate::{Content, Version};

/// A prompt as `prompts/list` shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptDef {
    /// What it is fetched by; unique.
    pub name: String,
    /// Its name for people; from 2025-06-18 on.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What fills it in, in the order in which people are asked.
    pub arguments: Vec<PromptArgument>,
    /// Metadata of the definition; from 2025-06-18 on.
    pub meta: Option<Map<String, Value>>,
}

/// An argument of a prompt; its value is text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name, unique in its prompt.
    pub name: String,
    /// Its name for people; from 2025-06-18 on.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Whether the prompt cannot do without it.
    pub required: bool,
}

/// A prompt that has been filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptResult {
    /// What it is for.
    pub description: Option<String>,
    /// The messages, in the order of the conversation.
    pub messages: Vec<PromptMessage>,
    /// Metadata of the result.
    pub meta: Option<Map<String, Value>>,
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said: one block.
    pub content: Content,
}

/// A side of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

impl PromptMessage {
    /// Text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: Content::Text(text.into()) }
    }

    fn render(&self, version: Version) -> Value {
        json!({ "role": self.role.as_str(), "content": self.content.render(version) })
    }
}

impl PromptDef {
    pub(crate) fn render(&self, version: Version) -> Value {
        let mut prompt = Map::new();
        prompt.insert("name".into(), json!(self.name));
        insert(&mut prompt, "title", self.title.as_ref().filter(|_| version.has_titles()).map(|title| json!(title)));
        insert(&mut prompt, "description", self.description.as_ref().map(|description| json!(description)));
        prompt.insert("arguments".into(), self.arguments.iter().map(|argument| argument.render(version)).collect());
        insert(&mut prompt, "_meta", self.meta.clone().filter(|_| version.has_titles()).map(Value::Object));
        Value::Object(prompt)
    }
}

impl PromptArgument {
    fn render(&self, version: Version) -> Value {
        let mut argument = Map::new();
        argument.insert("name".into(), json!(self.name));
        insert(&mut argument, "title", self.title.as_ref().filter(|_| version.has_titles()).map(|title| json!(title)));
        insert(&mut argument, "description", self.description.as_ref().map(|description| json!(description)));
        argument.insert("required".into(), json!(self.required));
        Value::Object(argument)
    }
}

impl PromptResult {
    pub(crate) fn render(self, version: Version) -> Map<String, Value> {
        let mut result = Map::new();
        insert(&mut result, "description", self.description.map(Value::String));
        result.insert("messages".into(), self.messages.iter().map(|message| message.render(version)).collect());
        insert(&mut result, "_meta", self.meta.map(Value::Object));
        result
    }
}
