//! What a server offers, and how it says so.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{TASKS_EXTENSION, Version};

/// What is advertised and served. A method that belongs to nothing offered does not exist.
///
/// What can be offered may differ between two ways of reaching the same server: news reach a client of the handshake
/// revisions only where a stream outlives the request, see [`Offer::session_stream`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// `tools/list` and `tools/call`.
    pub tools: bool,
    /// News of a changed list of tools.
    pub tools_list_changed: bool,
    /// `resources/list`, `resources/templates/list` and `resources/read`.
    pub resources: bool,
    /// News of a changed list of resources.
    pub resources_list_changed: bool,
    /// News of a changed resource.
    pub resources_subscribe: bool,
    /// `prompts/list` and `prompts/get`.
    pub prompts: bool,
    /// News of a changed list of prompts.
    pub prompts_list_changed: bool,
    /// `completion/complete`.
    pub completions: bool,
    /// Log messages: `logging/setLevel` for the handshake revisions, the level in the metadata for 2026-07-28.
    pub logging: bool,
    /// The Tasks extension; known to 2026-07-28 only.
    pub tasks: bool,
    /// Further extensions by name, each with its settings; advertised to 2026-07-28 only.
    pub extensions: BTreeMap<String, Map<String, Value>>,
    /// Whether a client of the handshake revisions has a stream that outlives its requests. Without one neither
    /// `listChanged` nor `resources.subscribe` is offered to it: nothing could bring the news. 2026-07-28 opens its own
    /// stream and does not depend on this.
    pub session_stream: bool,
}

impl Offer {
    /// Tools whose list never changes, and nothing else.
    #[must_use]
    pub fn tools_only() -> Self {
        Self { tools: true, ..Self::default() }
    }

    /// Whether news can reach a client of this revision at all.
    const fn has_news(&self, version: Version) -> bool {
        version.is_modern() || self.session_stream
    }

    /// Whether a client of this revision may subscribe to resources.
    pub(crate) const fn subscribes(&self, version: Version) -> bool {
        self.resources && self.resources_subscribe && self.has_news(version)
    }

    /// Whether there is anything to listen to.
    pub(crate) const fn listens(&self) -> bool {
        self.tasks
            || self.tools && self.tools_list_changed
            || self.prompts && self.prompts_list_changed
            || self.resources && (self.resources_list_changed || self.resources_subscribe)
    }

    /// The capabilities as `version` names them.
    pub(crate) fn render(&self, version: Version) -> Value {
        let news = self.has_news(version);
        let mut capabilities = Map::new();
        let mut offer = |offered: bool, name: &str, settings: &[(&str, bool)]| {
            if offered {
                let settings = settings.iter().filter(|(_, set)| *set);
                let settings = settings.map(|(name, _)| ((*name).to_owned(), json!(true))).collect::<Map<_, _>>();
                capabilities.insert(name.to_owned(), Value::Object(settings));
            }
        };
        offer(self.tools, "tools", &[("listChanged", self.tools_list_changed && news)]);
        offer(
            self.resources,
            "resources",
            &[("listChanged", self.resources_list_changed && news), ("subscribe", self.subscribes(version))],
        );
        offer(self.prompts, "prompts", &[("listChanged", self.prompts_list_changed && news)]);
        offer(self.completions && version.has_completions(), "completions", &[]);
        offer(self.logging, "logging", &[]);

        let mut extensions: Map<String, Value> =
            self.extensions.iter().map(|(name, settings)| (name.clone(), Value::Object(settings.clone()))).collect();
        if self.tasks {
            extensions.insert(TASKS_EXTENSION.to_owned(), json!({}));
        }
        if version.is_modern() && !extensions.is_empty() {
            capabilities.insert("extensions".to_owned(), Value::Object(extensions));
        }
        Value::Object(capabilities)
    }
}
