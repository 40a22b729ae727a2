//! What a model is shown: text, pictures, sound, resources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::render::insert;
use crate::{Resource, Version};

/// One block of content, in a tool's result or a prompt's message. A revision that lacks the kind is sent text in its
/// place, which says what is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture.
    Image {
        /// The bytes of the file.
        data: Vec<u8>,
        /// Their media type, such as `image/png`.
        mime_type: String,
    },
    /// Sound; from 2025-03-26 on.
    Audio {
        /// The bytes of the file.
        data: Vec<u8>,
        /// Their media type, such as `audio/wav`.
        mime_type: String,
    },
    /// A resource itself.
    Resource(ResourceContents),
    /// Where a resource is to be found; from 2025-06-18 on.
    Link(Resource),
}

/// What a resource holds, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContents {
    /// Where it comes from.
    pub uri: String,
    /// Its media type, if known.
    pub mime_type: Option<String>,
    /// The contents.
    pub body: ResourceBody,
    /// Metadata of the contents; from 2025-06-18 on.
    pub meta: Option<Map<String, Value>>,
}

/// The contents of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes, sent as Base64.
    Blob(Vec<u8>),
}

impl ResourceContents {
    /// Text without metadata.
    pub fn text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: Some(mime_type.into()), body: ResourceBody::Text(text.into()), meta: None }
    }

    /// Bytes without metadata.
    pub fn blob(uri: impl Into<String>, mime_type: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { uri: uri.into(), mime_type: Some(mime_type.into()), body: ResourceBody::Blob(bytes.into()), meta: None }
    }

    pub(crate) fn render(&self, version: Version) -> Value {
        let mut contents = Map::new();
        contents.insert("uri".into(), json!(self.uri));
        insert(&mut contents, "mimeType", self.mime_type.as_ref().map(|mime_type| json!(mime_type)));
        match &self.body {
            ResourceBody::Text(text) => contents.insert("text".into(), json!(text)),
            ResourceBody::Blob(bytes) => contents.insert("blob".into(), json!(STANDARD.encode(bytes))),
        };
        insert(&mut contents, "_meta", self.meta.clone().filter(|_| version.has_titles()).map(Value::Object));
        Value::Object(contents)
    }
}

impl Content {
    pub(crate) fn render(&self, version: Version) -> Value {
        match self {
            Self::Text(text) => block(text),
            Self::Image { data, mime_type } => media("image", data, mime_type),
            Self::Audio { data, mime_type } if version.has_audio() => media("audio", data, mime_type),
            Self::Audio { data, mime_type } => {
                block(&format!("[{} bytes of {mime_type}, which this protocol version cannot carry]", data.len()))
            }
            Self::Resource(contents) => json!({ "type": "resource", "resource": contents.render(version) }),
            Self::Link(resource) if version.has_links() => {
                let mut link = resource.members(version);
                link.insert("type".into(), json!("resource_link"));
                Value::Object(link)
            }
            Self::Link(resource) => {
                let name = resource.title.as_ref().unwrap_or(&resource.name);
                block(&format!("{name}: {}", resource.uri))
            }
        }
    }
}

/// A block of text.
pub(crate) fn block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn media(kind: &str, data: &[u8], mime_type: &str) -> Value {
    json!({ "type": kind, "data": STANDARD.encode(data), "mimeType": mime_type })
}
