//! Work that is waiting for its answers.

use crate::jsonrpc::Response;
use crate::reply::{Encoding, Reply};
use crate::{
    CallResult, Completion, InputRequired, PromptDef, PromptResult, Request, Resource, ResourceContents,
    ResourceTemplate, RpcError, ServerInfo, Stream, Task, ToolDef, Work, Written, render, stream::progress_token,
};

/// What answers a [`Request`].
///
/// Of a list it is one page of what the caller may see, in an order that does not change; the next page begins at
/// `next_cursor`, which is `None` on the last.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Of [`Work::ListTools`].
    Tools {
        /// The tools.
        tools: Vec<ToolDef>,
        /// Where the next page begins.
        next_cursor: Option<String>,
    },
    /// Of [`Work::ListTools`]: all of them, each as [`ToolDef::render`] shows it under the request's revision, in one
    /// array.
    ToolList(Written),
    /// Of [`Work::CallTool`]: what the tool came to.
    Call(CallResult),
    /// Of [`Work::CallTool`]: it goes on as a task, which is stored already.
    Started(Task),
    /// Of [`Work::ListResources`].
    Resources {
        /// The resources.
        resources: Vec<Resource>,
        /// Where the next page begins.
        next_cursor: Option<String>,
    },
    /// Of [`Work::ListTemplates`].
    Templates {
        /// The templates.
        templates: Vec<ResourceTemplate>,
        /// Where the next page begins.
        next_cursor: Option<String>,
    },
    /// Of [`Work::ReadResource`]: what the resource holds, at least one part.
    Contents(Vec<ResourceContents>),
    /// Of [`Work::ListPrompts`].
    Prompts {
        /// The prompts.
        prompts: Vec<PromptDef>,
        /// Where the next page begins.
        next_cursor: Option<String>,
    },
    /// Of [`Work::GetPrompt`].
    Prompt(PromptResult),
    /// Of [`Work::Complete`].
    Completion(Completion),
    /// Of [`Work::Subscribe`], [`Work::Unsubscribe`], [`Work::UpdateTask`] and [`Work::CancelTask`]: it is done, and
    /// there is nothing to say.
    Done,
    /// Of [`Work::CallTool`], [`Work::ReadResource`] and [`Work::GetPrompt`]: the client has to bring more. A client
    /// that did not declare what this needs is told so instead.
    InputRequired(InputRequired),
    /// Of [`Work::GetTask`].
    Task(Task),
    /// Of [`Work::Listen`]: the server ends the stream.
    Listening,
    /// The request is refused by the protocol.
    Error(RpcError),
}

/// A POST that needs answers from the caller: one request, or what a batch holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    server: ServerInfo,
    encoding: Encoding,
    streams: bool,
    shape: Shape,
    requests: Vec<Request>,
}

/// How the responses are put together.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Single,
    /// The responses of a batch in its order; `None` waits for the next request's answer.
    Batch(Vec<Option<Response>>), // INVARIANT: as many `None` as there are requests.
}

impl Exchange {
    /// `streams` says whether the client takes events, whatever the encoding of a plain reply.
    pub(crate) fn single(server: &ServerInfo, encoding: Encoding, streams: bool, request: Request) -> Self {
        Self { server: server.clone(), encoding, streams, shape: Shape::Single, requests: vec![request] }
    }

    pub(crate) fn batch(
        server: &ServerInfo,
        encoding: Encoding,
        slots: Vec<Option<Response>>,
        requests: Vec<Request>,
    ) -> Self {
        Self { server: server.clone(), encoding, streams: false, shape: Shape::Batch(slots), requests }
    }

    /// What has to be answered, at least one request. They may be worked on in any order.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// How the reply will be written, for a caller who keeps a slow stream open with [`crate::KEEP_ALIVE`].
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// What writes the answer as a stream of events, for a request that has something to say before it, or that
    /// listens. `None` for a batch, and for a client that does not take events.
    #[must_use]
    pub fn stream(&self) -> Option<Stream> {
        match (&self.shape, self.requests.as_slice()) {
            (Shape::Single, [request]) if self.streams => Some(Stream::new(&self.server, request)),
            (Shape::Single | Shape::Batch(_), _) => None,
        }
    }

    /// The same, if there may be something to say before the answer: the client asked for progress, or takes nothing but
    /// events.
    #[must_use]
    pub fn telling(&self) -> Option<Stream> {
        let told = |request: &Request| self.encoding == Encoding::Sse || progress_token(request).is_some();
        if self.requests.iter().any(told) { self.stream() } else { None }
    }

    /// The reply that carries `answers`, one for each of [`Exchange::requests`] in the same order. A request whose
    /// answer is missing or of the wrong kind gets an internal error; surplus answers are ignored.
    #[must_use]
    pub fn finish(self, answers: Vec<Answer>) -> Reply {
        if let ([Request { work: Work::Listen(_), .. }], [Answer::Listening]) =
            (self.requests.as_slice(), answers.as_slice())
            && let Some(stream) = self.stream()
        {
            return Reply::events(stream.finish(Answer::Listening));
        }
        let Self { server, encoding, streams: _, shape, requests } = self;
        let mut answers = answers.into_iter();
        let mut answered = requests.into_iter().map(|request| {
            let outcome = render::answer(&server, &request, answers.next());
            let status = outcome.as_ref().err().map_or(200, |error| error.status(request.version));
            (status, Response { id: Some(request.id), outcome })
        });
        match shape {
            Shape::Single => match answered.next() {
                Some((status, response)) => Reply::one(status, encoding, response),
                None => Reply::accepted(),
            },
            Shape::Batch(slots) => {
                let responses: Vec<Response> = slots
                    .into_iter()
                    .filter_map(|slot| slot.or_else(|| answered.next().map(|(_, response)| response)))
                    .collect();
                Reply::many(encoding, &responses)
            }
        }
    }
}
