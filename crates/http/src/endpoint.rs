//! A POST to an MCP endpoint: credential, body, protocol, and the surface's answers.

use std::{panic::AssertUnwindSafe, sync::Arc};

use chorus_app::{Context, Services, call::Cancellation};
use chorus_auth::{AuthError, Authenticator};
use chorus_dispatch::{CallRequest, Halt, Library, Surface, Visitor, render};
use chorus_domain::{Caller, Subject};
use chorus_mcp::{Answer as Answered, Head, Received, Request, RpcError, Work, check_params};
use chorus_store::Error;
use futures_util::FutureExt as _;
use http::{HeaderName, HeaderValue, StatusCode, header, request::Parts};
use hyper::body::Body;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::{
    Answer, Limits, Mount, answer,
    body::{self, Lost, Rest},
    hangup::{self, HangUp},
    library,
    narrowing::{self, Asked},
};

/// Seconds after which a client may try again when the database is away.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("2");

/// Answers a POST. A bad credential is refused whatever else the request holds (README decision 21).
pub(crate) async fn post<B>(
    services: &Services,
    authenticator: &Authenticator,
    mount: &Mount,
    limits: &Limits,
    request: &Parts,
    body: B,
) -> Answer
where
    B: Body<Data: Send> + Send + 'static,
{
    let headers = &request.headers;
    let lines = headers.get_all(header::AUTHORIZATION).iter().map(HeaderValue::as_bytes);
    let caller = match authenticator.authenticate(lines).await {
        Ok((caller, key)) => {
            tracing::debug!(subject = caller.subject.kind(), id = %caller.subject.uuid(), %key, "authenticated");
            caller
        }
        Err(error) => {
            let rest = body::discard(body, headers, limits).await;
            return ending(unauthenticated(&error), rest);
        }
    };
    let body = match body::read(body, headers, limits).await {
        Ok(body) => body,
        Err(Lost::TooLarge(rest)) => {
            return ending(answer::reply(chorus_mcp::payload_too_large(limits.body_bytes)), rest);
        }
        Err(Lost::TooSlow) => {
            let reply = chorus_mcp::Reply::rejected(408, "the body took too long to arrive");
            return answer::closing(answer::reply(reply));
        }
        Err(Lost::Broken) => {
            let reply = chorus_mcp::Reply::rejected(400, "the body broke off");
            return answer::closing(answer::reply(reply));
        }
    };
    let head = Head::from_lines(headers.iter().map(|(name, value)| (HeaderName::as_str(name), value.as_bytes())));
    let exchange = match chorus_mcp::receive(&mount.info, &head, &body) {
        Received::Reply(reply) => return answer::reply(reply),
        Received::Work(exchange) => exchange,
    };
    let desk = Desk {
        services: services.clone(),
        surface: Arc::clone(&mount.surface),
        library: mount.library.clone(),
        limits: *limits,
        caller,
        asked: narrowing::read(headers, request.uri.query()),
        head,
        cancellation: Cancellation::default(),
    };
    let hang_up = if exchange.requests().iter().any(|request| request.version.is_modern()) {
        HangUp::Cancels(desk.cancellation.clone())
    } else {
        HangUp::MeansNothing
    };
    // In a task of its own, so that hanging up ends it only where that means something.
    let work = async move {
        let mut answers = Vec::with_capacity(exchange.requests().len());
        for request in exchange.requests() {
            answers.push(desk.answer(request).await);
        }
        exchange.finish(answers)
    };
    match hangup::wait(tokio::spawn(work.in_current_span()), hang_up).await {
        Ok(reply) => answer::reply(reply),
        Err(error) => {
            tracing::error!(%error, "a request was given up");
            answer::internal()
        }
    }
}

/// The answer, as the last of its connection if the client may not have finished sending.
pub(crate) fn ending(answer: Answer, rest: Rest) -> Answer {
    match rest {
        Rest::Gone => answer,
        Rest::Coming => answer::closing(answer),
    }
}

fn unauthenticated(error: &AuthError) -> Answer {
    if let Some(challenge) = error.challenge() {
        tracing::debug!(%error, "not authenticated");
        let mut refused = answer::error(StatusCode::UNAUTHORIZED, error.description());
        // INVARIANT: challenges are made of visible ASCII.
        let challenge = HeaderValue::try_from(challenge).expect("a challenge is a header value");
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        return refused;
    }
    let cause = std::error::Error::source(error).and_then(std::error::Error::source).map(ToString::to_string);
    tracing::warn!(cause, "a credential could not be checked");
    let mut unavailable = answer::error(StatusCode::SERVICE_UNAVAILABLE, error.description());
    unavailable.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    unavailable
}

/// Where the requests of one POST are worked on.
struct Desk {
    services: Services,
    surface: Arc<Surface>,
    library: Option<Arc<dyn Library>>,
    limits: Limits,
    caller: Caller,
    asked: Asked,
    head: Head,
    cancellation: Cancellation,
}

impl Desk {
    /// The answer to one request. A handler that panics is a fault of ours like any other.
    async fn answer(&self, request: &Request) -> Answered {
        let answered = match &request.work {
            Work::ListTools { cursor } => return self.list(cursor.as_deref()),
            Work::CallTool { name, arguments, .. } => {
                if request.version.is_modern()
                    && let Some(tool) = self.surface.visible(&self.caller, &self.asked.selection, name)
                    && let Err(error) = check_params(&self.head, &tool.definition.input_schema, arguments)
                {
                    return Answered::Error(error);
                }
                // Only a request that stands alone can be cancelled; those of a batch must not end each other.
                let cancellation =
                    if request.version.is_modern() { self.cancellation.clone() } else { Cancellation::default() };
                AssertUnwindSafe(self.call(name, arguments.clone(), cancellation)).catch_unwind().await
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
            // Not offered, so that the protocol has refused them already.
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
    fn list(&self, cursor: Option<&str>) -> Answered {
        if cursor.is_some_and(|cursor| !cursor.is_empty()) {
            return Answered::Error(RpcError::invalid_cursor());
        }
        let tools =
            self.surface.listed(&self.caller, &self.asked.selection).map(|tool| tool.definition.clone()).collect();
        Answered::Tools { tools, next_cursor: None }
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, cancellation: Cancellation) -> Answered {
        let request = CallRequest {
            caller: self.caller.clone(),
            narrowing: self.asked.narrowing.clone(),
            selection: self.asked.selection.clone(),
            tool: name.to_owned(),
            arguments,
            context: Context { cancellation: cancellation.clone(), ..Context::default() },
        };
        let known = self.surface.visible(&self.caller, &self.asked.selection, name).map(|tool| tool.row.name);
        let result = match timeout(self.limits.call_time, self.surface.call(&self.services, request)).await {
            Ok(result) => result,
            Err(late) => {
                cancellation.cancel();
                Err(Halt::Error(Error::Unavailable(Box::new(late))))
            }
        };
        match result {
            Ok(reply) => {
                tracing::info!(tool = known, outcome = "answered", replayed = reply.replayed, "tool call");
                Answered::Call(render::reply(reply))
            }
            // The same for a name that stands for nothing and one that is not for this caller (README decision 15).
            Err(Halt::UnknownTool) => {
                tracing::info!(outcome = "unknown_tool", "tool call");
                Answered::Error(RpcError::unknown_tool(name))
            }
            Err(Halt::Error(error)) => {
                let refusal = render::failure(&error);
                tracing::info!(
                    tool = known,
                    outcome = refusal.code.as_str(),
                    subject = subject(&self.caller),
                    "tool call"
                );
                Answered::Call(render::refusal(&refusal))
            }
        }
    }
}

fn subject(caller: &Caller) -> &'static str {
    Subject::kind(caller.subject)
}
