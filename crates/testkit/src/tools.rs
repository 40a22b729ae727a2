//! The tool surface in this process.

use std::sync::Arc;

use chorus_app::{Context, Narrowing, Services};
use chorus_dispatch::{CallRequest, Effects, Halt, Selection, Surface, render};
use chorus_domain::Caller;
use serde_json::{Value, json};

use crate::CallResult;

/// The Chorus tools over a store, for any caller.
#[derive(Clone)]
pub struct Tools {
    /// The surface.
    pub surface: Arc<Surface>,
    /// What it works on.
    pub services: Services,
}

impl Tools {
    /// The Chorus tools over these services.
    ///
    /// # Panics
    /// If the table can't be served.
    pub fn new(services: Services) -> Self {
        Self { surface: Arc::new(chorus_tools::surface().unwrap()), services }
    }

    /// Calls a tool as this caller.
    ///
    /// # Panics
    /// If `arguments` is no object.
    pub async fn call(&self, caller: &Caller, tool: &str, arguments: Value) -> CallResult {
        self.call_narrowed(caller, Narrowing::Nothing, tool, arguments).await
    }

    /// The same with a restriction that the client asked for.
    ///
    /// # Panics
    /// If `arguments` is no object.
    pub async fn call_narrowed(
        &self,
        caller: &Caller,
        narrowing: Narrowing,
        tool: &str,
        arguments: Value,
    ) -> CallResult {
        self.call_selected(caller, narrowing, Selection::default(), tool, arguments).await
    }

    /// The same for a client that asked for tools that only read.
    ///
    /// # Panics
    /// If `arguments` is no object.
    pub async fn call_reading(&self, caller: &Caller, tool: &str, arguments: Value) -> CallResult {
        let reading = Selection::default().with(Effects::ReadOnly);
        self.call_selected(caller, Narrowing::Nothing, reading, tool, arguments).await
    }

    async fn call_selected(
        &self,
        caller: &Caller,
        narrowing: Narrowing,
        selection: Selection,
        tool: &str,
        arguments: Value,
    ) -> CallResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
        let caller = caller.clone();
        let context = Context::default();
        let request = CallRequest { caller, narrowing, selection, tool: tool.to_owned(), arguments, context };
        match self.surface.call(&self.services, request).await {
            Ok(reply) => CallResult::Answer(reply.answer),
            Err(Halt::UnknownTool) => CallResult::Protocol(json!({ "code": -32602 })),
            Err(Halt::Error(error)) => {
                let rendered = render::refusal(&render::failure(&error));
                let error = rendered.meta.unwrap_or_default().remove("chorus/error").unwrap_or_default();
                CallResult::Refused(rendered.text, error)
            }
        }
    }

    /// The names of the tools that exist for this caller.
    pub fn listed(&self, caller: &Caller) -> Vec<&'static str> {
        self.surface.listed(caller, &Selection::default()).map(|tool| tool.row.name).collect()
    }
}
