//! Surfaces: named tool tables with their own stages.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use chorus_app::{
    Books, Context, Narrowing, Services, caller,
    unit::{End, Replay, Work, unit},
};
use chorus_domain::Caller;
use chorus_mcp::{Annotations, ToolDef, Version, Written};
use chorus_store::{Result, SLOW, Tx};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tracing::Instrument as _;

use crate::{
    arguments::Ignored,
    listing::{Listings, Seen},
    observe::{Meters, Observed},
    schema,
    selection::{Effects, Selection},
    settle::settle,
    stage::{Flow, Halt, Job, Line, Stage},
    tool::{Destructive, Idempotent, Invoke, Tool},
};

/// A named tool table with a listing policy and its own ordered list of stages.
pub struct Surface {
    /// Its name in keys and in the audit log.
    pub name: &'static str,
    tools: Vec<Arc<Registered>>,
    by_name: BTreeMap<&'static str, usize>,
    stages: Vec<Stage>,
    listings: Listings,
    slow: Duration,
}

/// A row of the table with its schemas made.
#[derive(Debug)]
pub struct Registered {
    /// The row.
    pub row: Tool,
    /// The working schema that arguments are checked against.
    pub input: Value,
    /// The definition that is advertised.
    pub definition: ToolDef,
    meters: OnceLock<Meters>,
}

/// Why a table can't be served. All of it is found when the surface is made, at start-up or in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// Two tools have this name.
    DuplicateName(&'static str),
    /// A gate stands behind a step, when a connection is taken already.
    GateAfterStep,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateName(name) => write!(f, "two tools are called `{name}`"),
            Self::GateAfterStep => f.write_str("a gate stands behind a step"),
        }
    }
}

impl std::error::Error for TableError {}

/// Nobody waits for the call any more.
#[derive(Clone, Copy, Debug)]
struct GivenUp;

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call was given up before anything was written")
    }
}

impl std::error::Error for GivenUp {}

/// A call: who, which tool, with what. Nothing of how it came in, so that it can be kept and run later.
#[derive(Clone)]
pub struct CallRequest {
    /// Who calls.
    pub caller: Caller,
    /// What the client asked to be restricted to.
    pub narrowing: Narrowing,
    /// Which tools the client asked for; any other does not exist for it.
    pub selection: Selection,
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Progress, cancellation, asking.
    pub context: Context,
}

/// The answer of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer, a JSON object.
    pub answer: Value,
    /// Keys of the arguments that were passed over.
    pub ignored: Vec<Ignored>,
    /// Whether it is the remembered answer of an earlier call.
    pub replayed: bool,
}

impl Surface {
    /// A surface with this table and these stages.
    ///
    /// # Errors
    /// [`TableError`] for a table or an order of stages that can't work.
    pub fn new(name: &'static str, table: Vec<Tool>, stages: Vec<Stage>) -> Result<Self, TableError> {
        let mut by_name = BTreeMap::new();
        let mut tools = Vec::with_capacity(table.len());
        for (index, row) in table.into_iter().enumerate() {
            if by_name.insert(row.name, index).is_some() {
                return Err(TableError::DuplicateName(row.name));
            }
            tools.push(Arc::new(Registered::new(row)));
        }
        let first_step = stages.iter().position(|stage| matches!(stage, Stage::Step(_))).unwrap_or(stages.len());
        if stages.iter().skip(first_step).any(|stage| matches!(stage, Stage::Gate(_))) {
            return Err(TableError::GateAfterStep);
        }
        Ok(Self { name, tools, by_name, stages, listings: Listings::default(), slow: SLOW })
    }

    /// The same, which tells the log of calls that take longer than `slow` ([`SLOW`] otherwise).
    #[must_use]
    pub fn with_slow(self, slow: Duration) -> Self {
        Self { slow, ..self }
    }

    /// Every tool of the table, in its order.
    pub fn tools(&self) -> &[Arc<Registered>] {
        &self.tools
    }

    /// The tools that exist for this caller and were asked for, in the table's order.
    pub fn listed<'s>(&'s self, caller: &'s Caller, selection: &'s Selection) -> impl Iterator<Item = &'s Registered> {
        self.tools.iter().map(Arc::as_ref).filter(move |tool| exists(tool, caller, selection))
    }

    /// The same as an array of their definitions, as they are shown under a revision.
    pub fn listing(&self, caller: &Caller, selection: &Selection, version: Version) -> Written {
        let seen = Seen { permissions: caller.permissions, selection: selection.clone(), version };
        self.listings.get(seen, |seen| {
            let shown = self.listed(caller, &seen.selection).map(|tool| tool.definition.render(version));
            Written::from(&shown.collect::<Value>())
        })
    }

    /// The tool of this name, if it exists for the caller and was asked for.
    pub fn visible(&self, caller: &Caller, selection: &Selection, name: &str) -> Option<Arc<Registered>> {
        let tool = self.by_name.get(name).and_then(|index| self.tools.get(*index))?;
        exists(tool, caller, selection).then(|| tool.clone())
    }

    /// Runs a call through the stages.
    ///
    /// # Errors
    /// [`Halt`]: the tool is unknown to this caller, or the call was refused or failed.
    pub async fn call(self: &Arc<Self>, services: &Services, request: CallRequest) -> Result<Reply, Halt> {
        let tool = self.visible(&request.caller, &request.selection, &request.tool);
        let observed = Observed::new(self.name, tool.as_deref(), &request.caller, self.slow);
        let span = tracing::debug_span!("call", surface = self.name, tool = tool.map(|tool| tool.row.name));
        // Boxed, since it is large: what is wrapped around a future holds all of it, and so does who awaits it.
        let running = Box::pin(self.run(services, request));
        let came_to = observed.spent.track(running).instrument(span).await;
        observed.ended(&came_to);
        came_to
    }

    async fn run(self: &Arc<Self>, services: &Services, request: CallRequest) -> Result<Reply, Halt> {
        let mut context = request.context;
        if request.selection.effects() == Effects::ReadOnly {
            context.books = Books::Shut;
        }
        let mut job = Job {
            surface: self.clone(),
            services: services.clone(),
            caller: request.caller,
            narrowing: request.narrowing,
            selection: request.selection,
            context,
            name: request.tool,
            tool: None,
            arguments: request.arguments,
            ignored: Vec::new(),
            key: None,
            now: services.clock.now(),
            things: Vec::new(),
            granted: None,
            outcome: None,
            replayed: false,
        };
        for stage in &self.stages {
            if let Stage::Gate(gate) = stage
                && let Flow::Answer(answer) = stage.span().in_scope(|| gate.pass(&mut job))?
            {
                return Ok(Reply { answer, ignored: job.ignored, replayed: false });
            }
        }
        let writes = matches!(job.tool()?.row.run.invoke, Invoke::Write(_));
        let ignored = job.ignored.clone();
        let (answer, replayed) = if writes { self.write(services, job).await? } else { self.read(job).await? };
        Ok(Reply { answer, ignored, replayed })
    }

    async fn read(&self, job: Job) -> Result<(Value, bool)> {
        let job = &job;
        chorus_app::unit::read(|_run| self.read_once(job.clone())).await
    }

    async fn read_once(&self, mut job: Job) -> Result<(Value, bool)> {
        let mut reads = job.services.store.read().await?;
        match self.steps(&mut job, Line::Read(reads.as_mut())).await? {
            Flow::Answer(answer) => Ok((answer, job.replayed)),
            Flow::Next => Err(chorus_store::Error::internal("no stage of the surface answered")),
        }
    }

    async fn write(self: &Arc<Self>, services: &Services, job: Job) -> Result<(Value, bool)> {
        let replay = if job.key.is_some() { Replay::Exact } else { Replay::Unknown };
        let surface = self.clone();
        let job = Arc::new(job);
        let work: Arc<Work<(Value, bool)>> = Arc::new(move |tx: &mut dyn Tx, run: u32| -> BoxFuture<'_, _> {
            let (surface, mut job) = (surface.clone(), Job::clone(&job));
            Box::pin(async move {
                if run > 0 {
                    // Time has passed: the caller may be gone or have lost a permission.
                    job.caller = caller::reload(as_reads(tx), &job.caller).await?;
                    job.tool = surface.visible(&job.caller, &job.selection, &job.name);
                }
                match surface.steps(&mut job, Line::Write(tx)).await? {
                    Flow::Answer(answer) => Ok(End::Rollback((answer, job.replayed))),
                    // Whoever gave up, or was told that it took too long, must not find it done all the same.
                    Flow::Next if job.context.cancellation.is_cancelled() => {
                        Err(chorus_store::Error::Unavailable(Box::new(GivenUp)))
                    }
                    Flow::Next => Ok(End::Commit((
                        settle(&job, tx).instrument(tracing::debug_span!("stage", name = "settle")).await?,
                        false,
                    ))),
                }
            })
        });
        unit(services.store.clone(), replay, work).await
    }

    async fn steps(&self, job: &mut Job, mut line: Line<'_>) -> Result<Flow> {
        for stage in &self.stages {
            if let Stage::Step(step) = stage
                && let Flow::Answer(answer) = step.take(job, &mut line).instrument(stage.span()).await?
            {
                return Ok(Flow::Answer(answer));
            }
        }
        Ok(Flow::Next)
    }
}

fn exists(tool: &Registered, caller: &Caller, selection: &Selection) -> bool {
    tool.row.requirement.met_by(caller.permissions) && selection.admits(&tool.row)
}

fn as_reads<'t>(tx: &'t mut (dyn Tx + 't)) -> &'t mut (dyn chorus_store::Reads + 't) {
    tx
}

impl Registered {
    fn new(row: Tool) -> Self {
        let input = (row.run.input)();
        let definition = ToolDef {
            name: row.name.to_owned(),
            title: Some(row.title.to_owned()),
            description: row.description.to_owned(),
            input_schema: schema::portable(&input),
            output_schema: Some((row.run.output)()),
            annotations: Annotations {
                read_only: row.run.effect.is_read_only(),
                destructive: row.hints.destructive == Destructive::Yes,
                idempotent: row.hints.idempotent == Idempotent::Yes,
                open_world: false,
            },
            meta: row.run.list.map(|_| Map::from_iter([("chorus/collection".to_owned(), Value::Bool(true))])),
        };
        Self { row, input, definition, meters: OnceLock::new() }
    }

    /// Where what is counted of it goes.
    pub(crate) fn meters(&self, surface: &'static str) -> Meters {
        self.meters.get_or_init(|| Meters::of(surface, self.row.name)).clone()
    }
}
