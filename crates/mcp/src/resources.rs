//! Resources and templates of them, before they are rendered for a revision.

use serde_json::{Map, Value, json};

use crate::Version;
use crate::prompts::Role;
use crate::render::insert;

/// A resource as `resources/list` shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// What it is read by.
    pub uri: String,
    /// Its name for programs.
    pub name: String,
    /// Its name for people; from 2025-06-18 on.
    pub title: Option<String>,
    /// What it is about, for the model that chooses it.
    pub description: Option<String>,
    /// The media type of its contents.
    pub mime_type: Option<String>,
    /// The bytes of its contents, before any encoding.
    pub size: Option<u64>,
    /// Hints for the client.
    pub annotations: ResourceAnnotations,
    /// Metadata of the definition; from 2025-06-18 on.
    pub meta: Option<Map<String, Value>>,
}

/// A family of resources whose URIs follow a pattern, as `resources/templates/list` shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTemplate {
    /// The pattern of the URIs (RFC 6570).
    pub uri_template: String,
    /// Its name for programs.
    pub name: String,
    /// Its name for people; from 2025-06-18 on.
    pub title: Option<String>,
    /// What the family is about, for the model that chooses it.
    pub description: Option<String>,
    /// The media type that all its members share.
    pub mime_type: Option<String>,
    /// Hints for the client.
    pub annotations: ResourceAnnotations,
    /// Metadata of the definition; from 2025-06-18 on.
    pub meta: Option<Map<String, Value>>,
}

/// Hints about a resource; what is not set is not sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceAnnotations {
    /// Whom it is for; empty for nobody in particular.
    pub audience: Vec<Role>,
    /// How much it matters, 0 to 1; another number is not sent.
    pub priority: Option<f64>,
    /// When it changed last, in ISO 8601; from 2025-06-18 on.
    pub last_modified: Option<String>,
}

impl Resource {
    /// A resource with a name and nothing else.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    pub(crate) fn render(&self, version: Version) -> Value {
        Value::Object(self.members(version))
    }

    /// The definition, for a list or a link.
    pub(crate) fn members(&self, version: Version) -> Map<String, Value> {
        let mut resource = Map::new();
        resource.insert("uri".into(), json!(self.uri));
        resource.insert("name".into(), json!(self.name));
        insert(&mut resource, "title", self.title.as_ref().filter(|_| version.has_titles()).map(|title| json!(title)));
        insert(&mut resource, "description", self.description.as_ref().map(|description| json!(description)));
        insert(&mut resource, "mimeType", self.mime_type.as_ref().map(|mime_type| json!(mime_type)));
        insert(&mut resource, "size", self.size.map(|size| json!(size)));
        insert(&mut resource, "annotations", self.annotations.render(version));
        insert(&mut resource, "_meta", self.meta.clone().filter(|_| version.has_titles()).map(Value::Object));
        resource
    }
}

impl ResourceTemplate {
    /// A template with a name and nothing else.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri_template: uri_template.into(), name: name.into(), ..Self::default() }
    }

    pub(crate) fn render(&self, version: Version) -> Value {
        let mut template = Map::new();
        template.insert("uriTemplate".into(), json!(self.uri_template));
        template.insert("name".into(), json!(self.name));
        insert(&mut template, "title", self.title.as_ref().filter(|_| version.has_titles()).map(|title| json!(title)));
        insert(&mut template, "description", self.description.as_ref().map(|description| json!(description)));
        insert(&mut template, "mimeType", self.mime_type.as_ref().map(|mime_type| json!(mime_type)));
        insert(&mut template, "annotations", self.annotations.render(version));
        insert(&mut template, "_meta", self.meta.clone().filter(|_| version.has_titles()).map(Value::Object));
        Value::Object(template)
    }
}

impl ResourceAnnotations {
    fn render(&self, version: Version) -> Option<Value> {
        let mut hints = Map::new();
        if !self.audience.is_empty() {
            hints.insert("audience".into(), self.audience.iter().map(|role| json!(role.as_str())).collect());
        }
        insert(
            &mut hints,
            "priority",
            self.priority.filter(|priority| (0.0..=1.0).contains(priority)).map(|priority| json!(priority)),
        );
        let modified = self.last_modified.as_ref().filter(|_| version.has_titles());
        insert(&mut hints, "lastModified", modified.map(|at| json!(at)));
        (!hints.is_empty()).then_some(Value::Object(hints))
    }
}
