//! The answer to one request, whichever way it came in.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chorus_app::{Context, Services};
use chorus_dispatch::{CallRequest, Halt, Library, Surface, Visitor, render};
use chorus_domain::Caller;
use chorus_mcp::{Answer as Answered, Exchange, Head, Request, RpcError, Version, Work, check_params};
use chorus_store::Error;
use futures_util::FutureExt as _;
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::{Limits, library, narrowing::Asked};

/// Where requests are worked on.
pub(crate) struct Desk {
    pub(crate) services: Services,
    pub(crate) surface: Arc<Surface>,
    pub(crate) library: Option<Arc<dyn Library>>,
    pub(crate) limits: Limits,
    pub(crate) caller: Caller,
    pub(crate) asked: Asked,
    pub(crate) head: Head,
}

impl Desk {
    /// The answers to what asks for nothing but the tools that there are.
    pub(crate) fn listings(&self, exchange: &Exchange) -> Option<Vec<Answered>> {
        let listing = |request: &Request| {
            let Work::ListTools { cursor } = &request.work else { return None };
            Some(self.list(cursor.as_deref(), request.version))
        };
        exchange.requests().iter().map(listing).collect()
    }

    /// The answer to one request. A handler that panics is a fault of ours like any other.
    pub(crate) async fn answer(&self, request: &Request, context: &Context) -> Answered {
        let answered = match &request.work {
            Work::ListTools { cursor } => return self.list(cursor.as_deref(), request.version),
            Work::CallTool { name, arguments, .. } => {
                if request.version.is_modern()
                    && let Some(tool) = self.surface.visible(&self.caller, &self.asked.selection, name)
                    && let Err(error) = check_params(&self.head, &tool.definition.input_schema, arguments)
                {
                    return Answered::Error(error);
                }
                AssertUnwindSafe(self.call(name, arguments.clone(), context)).catch_unwind().await
            }
            Work::ListResources { .. }
            | Work::ListTemplates { .. }
            | Work::ReadResource { .. }
            | Work::ListPrompts { .. }
            | Work::GetPrompt { .. }
            | Work::Complete(_) => {
                let answering =
                    library::answer(self.library.as_deref(), self.visitor(), &request.work, self.limits.call_time);
                AssertUnwindSafe(answering).catch_unwind().await
            }
            // Not offered, or answered before they come here.
            Work::Subscribe { .. }
            | Work::Unsubscribe { .. }
            | Work::Listen(_)
            | Work::GetTask { .. }
            | Work::UpdateTask { .. }
            | Work::CancelTask { .. } => return Answered::Error(RpcError::internal()),
        };
        answered.unwrap_or_else(|_| {
            tracing::error!("a tool panicked");
            Answered::Error(RpcError::internal())
        })
    }

    fn visitor(&self) -> Visitor {
        Visitor {
            services: self.services.clone(),
            caller: self.caller.clone(),
            narrowing: self.asked.narrowing.clone(),
            selection: self.asked.selection.clone(),
        }
    }

    /// All tools in one page, since some clients read only the first; no cursor is ever handed out.
    fn list(&self, cursor: Option<&str>, version: Version) -> Answered {
        if cursor.is_some_and(|cursor| !cursor.is_empty()) {
            return Answered::Error(RpcError::invalid_cursor());
        }
        Answered::ToolList(self.surface.listing(&self.caller, &self.asked.selection, version))
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, context: &Context) -> Answered {
        let request = CallRequest {
            caller: self.caller.clone(),
            narrowing: self.asked.narrowing.clone(),
            selection: self.asked.selection.clone(),
            tool: name.to_owned(),
            arguments,
            context: context.clone(),
        };
        let result = match timeout(self.limits.call_time, self.surface.call(&self.services, request)).await {
            Ok(result) => result,
            Err(late) => {
                context.cancellation.cancel();
                Err(Halt::Error(Error::Unavailable(Box::new(late))))
            }
        };
        match result {
            Ok(reply) => Answered::Call(render::reply(reply)),
            // The same for a name that stands for nothing and one that is not for this caller (README decision 15).
            Err(Halt::UnknownTool) => Answered::Error(RpcError::unknown_tool(name)),
            Err(Halt::Error(error)) => Answered::Call(render::refusal(&render::failure(&error))),
        }
    }
}
