//! A row of a tool table.

use async_trait::async_trait;
use chorus_app::Call;
use chorus_domain::{Code, Kind, Refusal};
use chorus_permissions::{Permission, PermissionSet};
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Tx};
use chorus_visibility::Need;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{cursor::Binding, list, schema};

/// A tool: one row of a surface's table. Every field has to be said; nothing is a default.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name on the wire.
    pub name: &'static str,
    /// One word for the tools that it belongs with, mostly the kind of thing that they are about. A client can ask for
    /// all of them by it.
    pub family: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// For a model that has never seen the product: when to use it, what must be true before, what to call next.
    pub description: &'static str,
    /// What a caller must hold for the tool to exist.
    pub requirement: Requirement,
    /// Where ids stand in its arguments, and what the caller needs there.
    pub access: Access,
    /// What a client may assume about repeating or undoing it.
    pub hints: Hints,
    /// With what it refuses, and when, beside what follows from the rest of the row: `not_found` and `forbidden` for ids
    /// that are checked, `invalid_arguments`, and what any call can meet. Documentation is made of it; tests see to it
    /// that nothing is missing.
    pub refuses: &'static [(Code, &'static str)],
    /// Arguments as a caller may write them, a JSON object. For documentation.
    pub example: &'static str,
    /// Its handler.
    pub run: Run,
}

/// What a caller must hold for a tool to exist. Today one permission bit or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The bit.
    pub bit: Option<Permission>,
}

impl Requirement {
    /// Everybody may call it.
    pub const PUBLIC: Self = Self { bit: None };

    /// This bit.
    pub const fn bit(bit: Permission) -> Self {
        Self { bit: Some(bit) }
    }

    /// Whether these permissions meet it.
    pub fn met_by(self, permissions: PermissionSet) -> bool {
        self.bit.is_none_or(|bit| permissions.contains(bit))
    }
}

/// How a tool's access to projects is controlled, and where ids stand in its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Who checks.
    pub policy: Policy,
    /// Where ids stand.
    pub ids: &'static [At],
}

impl Access {
    /// Every id is checked before the handler runs; a call that names none is not found.
    pub const fn resource(ids: &'static [At]) -> Self {
        Self { policy: Policy::Resource, ids }
    }

    /// The handler's reads see only what the caller may see; `reason` says why that suffices.
    pub const fn filtered(reason: &'static str, ids: &'static [At]) -> Self {
        Self { policy: Policy::Filtered(reason), ids }
    }

    /// No project is concerned, or the handler checks by itself; `reason` says which.
    pub const fn company(reason: &'static str, ids: &'static [At]) -> Self {
        Self { policy: Policy::Company(reason), ids }
    }
}

/// Who controls access to projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The stage before the handler, for every id.
    Resource,
    /// The reads, by their scope.
    Filtered(&'static str),
    /// The handler, or nobody because no project is concerned.
    Company(&'static str),
}

/// One place in the arguments where ids stand. A path is made of keys and `[]`: `tasks[].dependsOnTaskUuids`; at its
/// end may stand one id or a list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Ids of one kind, checked and perhaps locked.
    Id {
        /// Where.
        path: &'static str,
        /// Of which kind.
        kind: Kind,
        /// The level needed in their projects.
        need: Need,
        /// How strongly a writer holds them.
        hold: Option<Hold>,
        /// How strongly a writer holds their projects.
        project: Hold,
        /// The key that names the project they must be in.
        inside: Option<&'static str>,
    },
    /// A kind in one key and an id in another.
    Pair {
        /// The key of the kind.
        kind: &'static str,
        /// The key of the id.
        id: &'static str,
        /// The level needed.
        need: Need,
        /// How strongly a writer holds it.
        hold: Option<Hold>,
    },
    /// Things that stored rows name, found through an id in the arguments.
    Via {
        /// The path of that id.
        path: &'static str,
        /// What it leads to.
        expand: Expand,
    },
    /// A kind in one key and ids of that kind in a list.
    Typed {
        /// The key of the kind.
        kind: &'static str,
        /// The path of the ids.
        ids: &'static str,
        /// The level needed.
        need: Need,
        /// How strongly a writer holds them.
        hold: Hold,
    },
    /// Things of the caller's own, such as a session: looked up by the handler under the caller's name, so that
    /// everybody else's are missing.
    Own {
        /// Where.
        path: &'static str,
        /// Of which kind.
        kind: Kind,
        /// How strongly a writer holds them.
        hold: Option<Hold>,
    },
    /// Ids that only filter: what is not visible matches nothing.
    Filter(&'static str),
    /// A group: locked for a writer, judged by the handler.
    Group(&'static str),
    /// Ids that stand for parts of something checked elsewhere, and are looked up inside it.
    Part {
        /// Where.
        path: &'static str,
        /// Of what, and why that suffices.
        reason: &'static str,
    },
}

impl At {
    /// Ids of one kind that are checked but not locked.
    pub const fn id(path: &'static str, kind: Kind, need: Need) -> Self {
        Self::Id { path, kind, need, hold: None, project: Hold::Share, inside: None }
    }

    /// Things of the caller's own.
    pub const fn own(path: &'static str, kind: Kind) -> Self {
        Self::Own { path, kind, hold: None }
    }

    /// The same, held by a writer.
    #[must_use]
    pub const fn held(self, as_strongly_as: Hold) -> Self {
        match self {
            Self::Id { path, kind, need, project, inside, .. } => {
                Self::Id { path, kind, need, hold: Some(as_strongly_as), project, inside }
            }
            Self::Pair { kind, id, need, .. } => Self::Pair { kind, id, need, hold: Some(as_strongly_as) },
            Self::Own { path, kind, .. } => Self::Own { path, kind, hold: Some(as_strongly_as) },
            Self::Via { .. } | Self::Typed { .. } | Self::Filter(_) | Self::Group(_) | Self::Part { .. } => self,
        }
    }

    /// The same; a writer that is given such an id owns the project, because it edits what the whole project must
    /// agree on, such as the graph of dependencies.
    #[must_use]
    pub const fn owning_project(self) -> Self {
        match self {
            Self::Id { path, kind, need, hold, inside, .. } => {
                Self::Id { path, kind, need, hold, project: Hold::Own, inside }
            }
            Self::Pair { .. }
            | Self::Via { .. }
            | Self::Typed { .. }
            | Self::Own { .. }
            | Self::Filter(_)
            | Self::Group(_)
            | Self::Part { .. } => self,
        }
    }

    /// The same; another project than the one named in `key` reads as not found.
    #[must_use]
    pub const fn inside(self, key: &'static str) -> Self {
        match self {
            Self::Id { path, kind, need, hold, project, .. } => {
                Self::Id { path, kind, need, hold, project, inside: Some(key) }
            }
            Self::Pair { .. }
            | Self::Via { .. }
            | Self::Typed { .. }
            | Self::Own { .. }
            | Self::Filter(_)
            | Self::Group(_)
            | Self::Part { .. } => self,
        }
    }

    /// The paths of ids in it.
    pub const fn path(&self) -> &'static str {
        match self {
            Self::Id { path, .. } | Self::Via { path, .. } | Self::Part { path, .. } | Self::Own { path, .. } => path,
            Self::Pair { id, .. } => id,
            Self::Typed { ids, .. } => ids,
            Self::Filter(path) | Self::Group(path) => path,
        }
    }
}

/// What an id leads to beside itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expand {
    /// A proposal's stored inputs: visible to the caller, or the call is refused; held against changes.
    StoredInputs,
    /// A proposal's stored inputs, held against changes as far as they still exist; the caller need not see them.
    HeldInputs,
    /// Tasks that wait for this one: owned, because they may become unblocked.
    Dependants,
    /// What a reference is attached to: owned, because it shows the reference.
    ReferenceTarget,
    /// A proposal's tasks and those that wait for them: owned, because they end with its approval.
    Results,
    /// A group that will be changed, with its projects: all are owned. Those that the caller sees are covered by the
    /// call; whether that is enough is for the handler to say.
    ChangedGroup,
    /// A group that will be deleted, perhaps with its projects: as [`Expand::ChangedGroup`], held for removal, and with
    /// them the tasks elsewhere that wait for theirs.
    RemovedGroup,
    /// A group that a project enters: owned, since its access version rises.
    EnteredGroup,
    /// The group that a project leaves: owned, since its access version rises.
    LeftGroup,
    /// The tasks at which a session of the caller is, with what the caller needs there.
    SessionTasks(Need),
    /// The same, owned, because the session leaves them; the caller need not see them.
    HeldSessionTasks,
    /// An agent of the caller that is removed, with what it holds: all of that is owned, because it is free again. Projects
    /// that the caller sees are covered by the call.
    RemovedAgent,
}

/// What a client may assume about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It may undo or remove what somebody made.
    pub destructive: Destructive,
    /// Repeating it with the same arguments changes nothing more.
    pub idempotent: Idempotent,
}

/// Whether a tool may undo or remove what somebody made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destructive {
    /// It only adds or changes.
    No,
    /// It may.
    Yes,
}

/// Whether repeating a call changes something again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idempotent {
    /// It does.
    No,
    /// It does not.
    Yes,
}

impl Hints {
    /// A read.
    pub const READ: Self = Self { destructive: Destructive::No, idempotent: Idempotent::Yes };
    /// Adds something with every call.
    pub const ADDS: Self = Self { destructive: Destructive::No, idempotent: Idempotent::No };
    /// Moves something to a state; a second time it finds it there.
    pub const MOVES: Self = Self { destructive: Destructive::No, idempotent: Idempotent::No };
    /// Sets something to a value; a second time nothing changes.
    pub const SETS: Self = Self { destructive: Destructive::No, idempotent: Idempotent::Yes };
    /// Sees to it that something is not there; a second time it is not.
    pub const CLEARS: Self = Self { destructive: Destructive::Yes, idempotent: Idempotent::Yes };
    /// Ends or removes something.
    pub const ENDS: Self = Self { destructive: Destructive::Yes, idempotent: Idempotent::No };
}

/// What a tool does to the store. Derived from its handler's trait, never declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Read,
    /// It writes, and takes an idempotency key.
    Write,
    /// It keeps books beside an answer (marks, times of last activity), and takes no key.
    Books,
    /// The same, but all it leaves is the time of its last use, which makes it a read to its caller.
    Trace,
}

impl Effect {
    /// Whether a client may take it for a read.
    pub const fn is_read_only(self) -> bool {
        match self {
            Self::Read | Self::Trace => true,
            Self::Write | Self::Books => false,
        }
    }
}

/// A handler, erased to functions over JSON.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What it does to the store.
    pub effect: Effect,
    /// How the table shows it: as a list or not.
    pub list: Option<ListShape>,
    pub(crate) invoke: Invoke,
    pub(crate) input: fn() -> Value,
    pub(crate) output: fn() -> Value,
    pub(crate) answer: fn() -> Value,
}

impl Run {
    /// The schema of a whole answer. What is advertised lists only the properties at its top.
    pub fn answer_schema(&self) -> Value {
        (self.answer)()
    }
}

type Answering<'a, T> = BoxFuture<'a, Result<T>>;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Invoke {
    Read(for<'a> fn(Invocation<'a>, &'a Call, &'a mut dyn Reads) -> Answering<'a, Value>),
    Write(for<'a> fn(Invocation<'a>, &'a Call, &'a mut dyn Tx) -> Answering<'a, Outcome<Value>>),
}

/// The arguments of a call, coerced and validated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invocation<'a> {
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'a Map<String, Value>,
}

/// A handler that only reads. The type is the input; its doc comments describe the arguments.
#[async_trait]
pub trait ReadTool: DeserializeOwned + JsonSchema + Send + 'static {
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// Reads and answers.
    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<Self::Output>;
}

/// A handler that writes. The type is the input.
#[async_trait]
pub trait WriteTool: DeserializeOwned + JsonSchema + Send + 'static {
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// Loads, decides, and says what to write and what to answer.
    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Self::Output>>;
}

/// A handler that reads a page of a list. The type is the filter; paging arguments are added by the table.
#[async_trait]
pub trait ListTool: DeserializeOwned + JsonSchema + Send + 'static {
    /// A row.
    type Row: Serialize + JsonSchema + Send;

    /// The key under which the rows stand.
    const COLLECTION: &'static str;

    /// Whether the list is paged or bounded.
    const SHAPE: ListShape = ListShape::Paged;

    /// Names of counts that stand beside the rows.
    const COUNTS: &'static [&'static str] = &[];

    /// Reads a page.
    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<Self::Row>>;

    /// The counts, in the order of their names.
    async fn counts(_call: &Call, _reads: &mut dyn Reads) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }
}

/// How a list comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListShape {
    /// In pages chosen by `page` and `pageSize`, or by `cursor`.
    Paged,
    /// At most this many rows; more only by `cursor`. Reports the page size that its clients expect.
    Bounded {
        /// Rows at most.
        rows: u32,
        /// The page size reported.
        reported: u32,
    },
}

/// A row's handler that reads.
pub const fn read<T: ReadTool>() -> Run {
    fn invoke<'a, T: ReadTool>(
        invocation: Invocation<'a>,
        call: &'a Call,
        reads: &'a mut dyn Reads,
    ) -> Answering<'a, Value> {
        Box::pin(async move {
            let input: T = parse(invocation)?;
            value(&input.run(call, reads).await?)
        })
    }
    Run {
        effect: Effect::Read,
        list: None,
        invoke: Invoke::Read(invoke::<T>),
        input: schema::input::<T>,
        output: schema::output::<T::Output>,
        answer: schema::answer::<T::Output>,
    }
}

/// A row's handler that reads a page of a list.
pub const fn list<T: ListTool>() -> Run {
    fn invoke<'a, T: ListTool>(
        invocation: Invocation<'a>,
        call: &'a Call,
        reads: &'a mut dyn Reads,
    ) -> Answering<'a, Value> {
        Box::pin(async move {
            let binding = Binding::new(invocation.tool, invocation.arguments);
            let paging = list::Paging::read(invocation.arguments, T::SHAPE, &binding)?;
            let input: T = parse(invocation)?;
            let page = input.run(call, reads, &paging.request).await?;
            let mut rows = Vec::with_capacity(page.rows.len());
            for row in page.rows {
                rows.push(chorus_store::Row { at: row.at, item: value(&row.item)? });
            }
            let page = Page { rows, total: page.total, more: page.more };
            let mut answer = list::answer(T::COLLECTION, page, &paging, &binding)?;
            let counts = T::counts(call, reads).await?;
            if let Some(answer) = answer.as_object_mut() {
                answer.extend(T::COUNTS.iter().zip(counts).map(|(name, count)| ((*name).to_owned(), count.into())));
            }
            Ok(answer)
        })
    }
    Run {
        effect: Effect::Read,
        list: Some(T::SHAPE),
        invoke: Invoke::Read(invoke::<T>),
        input: schema::list_input::<T>,
        output: schema::list_output::<T>,
        answer: schema::list_answer::<T>,
    }
}

/// A row's handler that writes.
pub const fn write<T: WriteTool>() -> Run {
    writer::<T>(Effect::Write)
}

/// A row's handler that keeps books beside its answer and takes no idempotency key.
pub const fn books<T: WriteTool>() -> Run {
    writer::<T>(Effect::Books)
}

/// A row's handler that leaves nothing but the time of its use, and takes no idempotency key.
pub const fn trace<T: WriteTool>() -> Run {
    writer::<T>(Effect::Trace)
}

/// A row's handler that keeps books about the rows of a list which it shows.
pub const fn books_of_list<T: WriteTool>() -> Run {
    Run { list: Some(ListShape::Paged), ..books::<T>() }
}

const fn writer<T: WriteTool>(effect: Effect) -> Run {
    fn invoke<'a, T: WriteTool>(
        invocation: Invocation<'a>,
        call: &'a Call,
        tx: &'a mut dyn Tx,
    ) -> Answering<'a, Outcome<Value>> {
        Box::pin(async move {
            let input: T = parse(invocation)?;
            let outcome = input.run(call, tx).await?;
            Ok(Outcome { batch: outcome.batch, answer: value(&outcome.answer)? })
        })
    }
    Run {
        effect,
        list: None,
        invoke: Invoke::Write(invoke::<T>),
        input: match effect {
            Effect::Read | Effect::Books | Effect::Trace => schema::input::<T>,
            Effect::Write => schema::write_input::<T>,
        },
        output: schema::output::<T::Output>,
        answer: schema::answer::<T::Output>,
    }
}

fn parse<T: DeserializeOwned>(invocation: Invocation<'_>) -> Result<T> {
    serde_json::from_value(Value::Object(invocation.arguments.clone())).map_err(|error| {
        // The schema has been checked already, so this is a gap between schema and type: ours, and worth a log line.
        tracing::warn!(tool = invocation.tool, %error, "validated arguments could not be read");
        Refusal::invalid("arguments", "could not be read; compare them with the tool's input schema").into()
    })
}

fn value(answer: &impl Serialize) -> Result<Value> {
    serde_json::to_value(answer).map_err(|error| chorus_store::Error::Internal(Box::new(error)))
}
