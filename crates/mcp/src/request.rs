//! Requests whose checks have passed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::negotiate::{DISCOVER, INITIALIZE};
use crate::{ClientCapabilities, CompleteRequest, Filter, Id, Inputs, LogLevel, Offer, Version};

/// A request that the caller of this crate has to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The client's id, to be logged; the answer gets it by itself.
    pub id: Id,
    /// The revision that the request is served under.
    pub version: Version,
    /// What the client can do, as far as this request says.
    pub client: ClientCapabilities,
    /// The `_meta` of the request, empty if the client sent none.
    pub meta: Map<String, Value>,
    /// The least severe log messages that may be sent while this is worked on; `None` if none may.
    pub log_level: Option<LogLevel>,
    /// What is asked for.
    pub work: Work,
}

/// What this crate cannot answer by itself.
///
/// A cursor says where a list goes on and is opaque here; [`crate::RpcError::invalid_cursor`] answers one that is not
/// the caller's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// `tools/list`.
    ListTools {
        /// Where to go on.
        cursor: Option<String>,
    },
    /// `tools/call`.
    CallTool {
        /// The tool; [`crate::RpcError::unknown_tool`] answers a name that stands for none.
        name: String,
        /// The arguments, empty if the client sent none or null.
        arguments: Map<String, Value>,
        /// What the client brings back from an earlier round.
        inputs: Inputs,
    },
    /// `resources/list`.
    ListResources {
        /// Where to go on.
        cursor: Option<String>,
    },
    /// `resources/templates/list`.
    ListTemplates {
        /// Where to go on.
        cursor: Option<String>,
    },
    /// `resources/read`.
    ReadResource {
        /// The resource; [`crate::RpcError::resource_not_found`] answers a URI that stands for none.
        uri: String,
        /// What the client brings back from an earlier round.
        inputs: Inputs,
    },
    /// `resources/subscribe`: tell this session when the resource changes. Handshake revisions only.
    Subscribe {
        /// The resource.
        uri: String,
    },
    /// `resources/unsubscribe`. Handshake revisions only.
    Unsubscribe {
        /// The resource.
        uri: String,
    },
    /// `prompts/list`.
    ListPrompts {
        /// Where to go on.
        cursor: Option<String>,
    },
    /// `prompts/get`.
    GetPrompt {
        /// The prompt; [`crate::RpcError::unknown_prompt`] answers a name that stands for none.
        name: String,
        /// The arguments, empty if the client sent none.
        arguments: BTreeMap<String, String>,
        /// What the client brings back from an earlier round.
        inputs: Inputs,
    },
    /// `completion/complete`.
    Complete(CompleteRequest),
    /// `subscriptions/listen`, limited to what the server offers. Its stream stays open until the client or the server
    /// ends it; 2026-07-28 only.
    Listen(Filter),
    /// `tasks/get`. Those of the Tasks extension reach only clients that declare it.
    GetTask {
        /// The task; [`crate::RpcError::unknown_task`] answers an id that stands for none.
        id: String,
    },
    /// `tasks/update`.
    UpdateTask {
        /// The task.
        id: String,
        /// Answers to what the task waits for, by its keys; others are to be ignored.
        responses: Map<String, Value>,
    },
    /// `tasks/cancel`.
    CancelTask {
        /// The task.
        id: String,
    },
}

/// The methods that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Ping,
    Discover,
    SetLevel,
    ListTools,
    CallTool,
    ListResources,
    ListTemplates,
    ReadResource,
    Subscribe,
    Unsubscribe,
    ListPrompts,
    GetPrompt,
    Complete,
    Listen,
    GetTask,
    UpdateTask,
    CancelTask,
}

impl Method {
    /// The method of this name under this revision, if it is offered. `initialize` is not among them: it is told apart
    /// before there is a revision.
    pub(crate) fn find(offer: &Offer, version: Version, name: &str) -> Option<Self> {
        let modern = version.is_modern();
        let (method, served) = match name {
            "ping" => (Self::Ping, !modern),
            DISCOVER => (Self::Discover, modern),
            "logging/setLevel" => (Self::SetLevel, offer.logging && !modern),
            "tools/list" => (Self::ListTools, offer.tools),
            "tools/call" => (Self::CallTool, offer.tools),
            "resources/list" => (Self::ListResources, offer.resources),
            "resources/templates/list" => (Self::ListTemplates, offer.resources),
            "resources/read" => (Self::ReadResource, offer.resources),
            "resources/subscribe" => (Self::Subscribe, offer.subscribes(version) && !modern),
            "resources/unsubscribe" => (Self::Unsubscribe, offer.subscribes(version) && !modern),
            "prompts/list" => (Self::ListPrompts, offer.prompts),
            "prompts/get" => (Self::GetPrompt, offer.prompts),
            "completion/complete" => (Self::Complete, offer.completions),
            "subscriptions/listen" => (Self::Listen, offer.listens() && modern),
            "tasks/get" => (Self::GetTask, offer.tasks && modern),
            "tasks/update" => (Self::UpdateTask, offer.tasks && modern),
            "tasks/cancel" => (Self::CancelTask, offer.tasks && modern),
            _ => return None,
        };
        served.then_some(method)
    }

    /// Whether the method belongs to the Tasks extension.
    pub(crate) const fn is_of_tasks(self) -> bool {
        matches!(self, Self::GetTask | Self::UpdateTask | Self::CancelTask)
    }
}

/// Whether this method opens a handshake.
pub(crate) fn is_handshake(method: &str) -> bool {
    method == INITIALIZE
}
