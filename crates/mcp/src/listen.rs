//! News: what a client can listen to, and what there is to tell.

use serde_json::{Map, Value, json};

use crate::{Offer, Task, Version};

/// What a client of `subscriptions/listen` wants to hear of, or what of it is granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The list of tools.
    pub tools_list_changed: bool,
    /// The list of prompts.
    pub prompts_list_changed: bool,
    /// The list of resources.
    pub resources_list_changed: bool,
    /// These resources.
    pub resource_subscriptions: Vec<String>,
    /// These tasks.
    pub tasks: Vec<String>,
}

/// Something that has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource with this URI.
    Resource(String),
    /// This task, as it is now; 2026-07-28 only.
    Task(Task),
}

impl Filter {
    /// What of the filter a server with this offer can tell of.
    #[must_use]
    pub fn within(mut self, offer: &Offer) -> Self {
        self.tools_list_changed &= offer.tools && offer.tools_list_changed;
        self.prompts_list_changed &= offer.prompts && offer.prompts_list_changed;
        self.resources_list_changed &= offer.resources && offer.resources_list_changed;
        if !(offer.resources && offer.resources_subscribe) {
            self.resource_subscriptions.clear();
        }
        if !offer.tasks {
            self.tasks.clear();
        }
        self
    }

    /// Whether somebody who listens to this is to be told.
    #[must_use]
    pub fn covers(&self, changed: &Changed) -> bool {
        match changed {
            Changed::Tools => self.tools_list_changed,
            Changed::Prompts => self.prompts_list_changed,
            Changed::Resources => self.resources_list_changed,
            Changed::Resource(uri) => self.resource_subscriptions.contains(uri),
            Changed::Task(task) => self.tasks.contains(&task.id),
        }
    }

    /// What the acknowledgement says; what is not granted is absent.
    pub(crate) fn render(&self) -> Value {
        let mut filter = Map::new();
        for (name, granted) in [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ] {
            if granted {
                filter.insert(name.into(), json!(true));
            }
        }
        for (name, granted) in [("resourceSubscriptions", &self.resource_subscriptions), ("taskIds", &self.tasks)] {
            if !granted.is_empty() {
                filter.insert(name.into(), json!(granted));
            }
        }
        Value::Object(filter)
    }
}

impl Changed {
    /// The method of the notification.
    pub(crate) const fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
            Self::Task(_) => "notifications/tasks",
        }
    }

    /// Whether the notification exists in this revision.
    pub(crate) const fn exists_in(&self, version: Version) -> bool {
        match self {
            Self::Tools | Self::Prompts | Self::Resources | Self::Resource(_) => true,
            Self::Task(_) => version.is_modern(),
        }
    }
}
