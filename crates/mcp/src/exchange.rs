//! Work that is waiting for its answers.

use crate::jsonrpc::Response;
use crate::reply::{Encoding, Reply};
use crate::{CallResult, Request, RpcError, ServerInfo, ToolDef, render};

/// What answers a [`Request`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// One page of the tools that the caller may see, in an order that does not change.
    Tools {
        /// The tools.
        tools: Vec<ToolDef>,
        /// Where the next page begins; `None` on the last.
        next_cursor: Option<String>,
    },
    /// What a tool came to.
    Call(CallResult),
    /// The request is refused by the protocol.
    Error(RpcError),
}

/// A POST that needs answers from the caller: one request, or what a batch holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    server: ServerInfo,
    encoding: Encoding,
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
    pub(crate) fn single(server: &ServerInfo, encoding: Encoding, request: Request) -> Self {
        Self { server: server.clone(), encoding, shape: Shape::Single, requests: vec![request] }
    }

    pub(crate) fn batch(
        server: &ServerInfo,
        encoding: Encoding,
        slots: Vec<Option<Response>>,
        requests: Vec<Request>,
    ) -> Self {
        Self { server: server.clone(), encoding, shape: Shape::Batch(slots), requests }
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

    /// The reply that carries `answers`, one for each of [`Exchange::requests`] in the same order. A request whose
    /// answer is missing or of the wrong kind gets an internal error; surplus answers are ignored.
    #[must_use]
    pub fn finish(self, answers: Vec<Answer>) -> Reply {
        let Self { server, encoding, shape, requests } = self;
        let mut answers = answers.into_iter();
        let mut answered = requests.into_iter().map(|request| {
            let outcome = render::answer(&server, request.version, &request.work, answers.next());
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
