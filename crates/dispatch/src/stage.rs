//! Stages: the steps of a call's way from its name to its answer.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_app::{Call, Context, Narrowing, Services};
use chorus_domain::{Caller, Kind, Refusal, access::Granted};
use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Error, Key, Outcome, Reads, Result, Tx};
use serde_json::{Map, Value};

use crate::{Registered, Selection, Surface, arguments::Ignored};

/// Why a call got no answer.
#[derive(Debug)]
pub enum Halt {
    /// There is no such tool for this caller: a matter of the protocol, not a tool's answer.
    UnknownTool,
    /// Refused, or failed.
    Error(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Self::Error(refusal.into())
    }
}

/// How a stage ends, if it does not refuse.
#[derive(Debug)]
pub enum Flow {
    /// The next stage goes on.
    Next,
    /// This is the answer; no later stage runs, and nothing is written.
    Answer(Value),
}

/// One stage of a surface.
#[derive(Clone)]
pub enum Stage {
    /// Runs before a connection is taken.
    Gate(Arc<dyn Gate>),
    /// Runs in the unit of work (or, for a reader, on its connection); again if the unit runs again.
    Step(Arc<dyn Step>),
}

impl Stage {
    /// The span that it runs in.
    pub(crate) fn span(&self) -> tracing::Span {
        tracing::debug_span!("stage", name = self.name())
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Gate(gate) => gate.name(),
            Self::Step(step) => step.name(),
        }
    }
}

/// The name of a type without where it stands.
fn own_name<T: ?Sized>() -> &'static str {
    let path = std::any::type_name::<T>();
    path.rsplit("::").next().unwrap_or(path)
}

/// A stage that needs no database.
pub trait Gate: Send + Sync {
    /// Its name in the log.
    fn name(&self) -> &'static str {
        own_name::<Self>()
    }

    /// Passes, answers or refuses.
    ///
    /// # Errors
    /// [`Halt`] ends the call.
    fn pass(&self, job: &mut Job) -> Result<Flow, Halt>;
}

/// A stage inside the unit of work.
#[async_trait]
pub trait Step: Send + Sync {
    /// Its name in the log.
    fn name(&self) -> &'static str {
        own_name::<Self>()
    }

    /// Passes, answers or refuses.
    ///
    /// # Errors
    /// Ends the call, and the unit with it.
    async fn take(&self, job: &mut Job, line: &mut Line<'_>) -> Result<Flow>;
}

/// The connection that a step works on.
pub enum Line<'t> {
    /// For a reader.
    Read(&'t mut dyn Reads),
    /// For a writer: the open transaction.
    Write(&'t mut dyn Tx),
}

impl Line<'_> {
    /// What can be read, whichever it is.
    pub fn reads(&mut self) -> &mut dyn Reads {
        match self {
            Line::Read(reads) => *reads,
            Line::Write(tx) => *tx,
        }
    }
}

/// A call on its way. Gates and steps fill it in.
#[derive(Clone)]
pub struct Job {
    /// Where it runs.
    pub surface: Arc<Surface>,
    /// What it may use.
    pub services: Services,
    /// Who calls.
    pub caller: Caller,
    /// What the client asked to be restricted to.
    pub narrowing: Narrowing,
    /// Which tools the client asked for.
    pub selection: Selection,
    /// Progress, cancellation, asking.
    pub context: Context,
    /// The name that was called.
    pub name: String,
    /// The tool of that name, once found.
    pub tool: Option<Arc<Registered>>,
    /// The arguments, coerced once they were.
    pub arguments: Map<String, Value>,
    /// Keys of the arguments that were passed over.
    pub ignored: Vec<Ignored>,
    /// The idempotency key, if the call has one.
    pub key: Option<Key>,
    /// When it came.
    pub now: Timestamp,
    /// What it names, once located.
    pub things: Vec<(Kind, Uuid)>,
    /// What it is authorised for, once it is.
    pub granted: Option<Granted>,
    /// What the handler wants written and answered, once it ran.
    pub outcome: Option<Outcome<Value>>,
    /// Whether the answer was given before.
    pub replayed: bool,
}

impl Job {
    /// The tool.
    ///
    /// # Errors
    /// `Internal` before it was found: the surface's stages are in the wrong order.
    pub fn tool(&self) -> Result<Arc<Registered>> {
        self.tool.clone().ok_or_else(|| Error::internal("a stage ran before the tool was found"))
    }

    /// The call, as a handler sees it.
    ///
    /// # Errors
    /// `Internal` before it was authorised.
    pub fn call(&self) -> Result<Call> {
        let granted = self.granted.clone().ok_or_else(|| Error::internal("a stage ran before authorisation"))?;
        Ok(Call::new(
            self.caller.clone(),
            granted,
            self.narrowing.clone(),
            self.now,
            self.context.clone(),
            self.services.ids.clone(),
        ))
    }
}
