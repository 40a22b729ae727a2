//! What a use case knows about its call.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU16, Ordering},
};

use async_trait::async_trait;
use chorus_domain::{
    Caller, Kind, Party, Refusal,
    access::{Granted, GrantedProject},
    activity::{Action, Activity},
    event::{Change, Event},
    origin::Origin,
};
use chorus_ids::{GroupId, Id, IdSource, ProjectId, Timestamp, Uuid};
use chorus_store::{Error, Result};
use chorus_visibility::{Restriction, Scope, scope};
use serde_json::Value;

use crate::Ids;

/// A restriction that the client itself asked for, with its headers (visibility specification §8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Narrowing {
    /// None.
    #[default]
    Nothing,
    /// To these projects; what does not exist or is hidden contributes nothing.
    Projects(Vec<ProjectId>),
    /// To the visible projects of this group; nothing if there is no such group.
    Group(GroupId),
}

/// Whether a call keeps books beside its answer: marks, times of last activity (README decision 29).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Books {
    /// It does.
    #[default]
    Kept,
    /// It does not: the client asked for tools that only read.
    Shut,
}

/// One call, authorised, as a use case sees it.
pub struct Call {
    /// Who calls.
    pub caller: Caller,
    /// What the caller sees.
    pub scope: Scope,
    /// Proof of authorisation, and where the things named in the call are.
    pub granted: Granted,
    /// What the client asked to be restricted to; only trackers heed it.
    pub narrowing: Narrowing,
    /// The time of the call; all its rows bear it.
    pub now: Timestamp,
    /// Progress, cancellation and asking a person.
    pub context: Context,
    ids: Arc<dyn Ids>,
    made: AtomicU16,
}

impl Call {
    /// A call of this caller, authorised for what `granted` says.
    pub fn new(
        caller: Caller,
        granted: Granted,
        narrowing: Narrowing,
        now: Timestamp,
        context: Context,
        ids: Arc<dyn Ids>,
    ) -> Self {
        let scope = scope(&caller.principal, Restriction::Everything);
        Self { caller, scope, granted, narrowing, now, context, ids, made: AtomicU16::new(0) }
    }

    /// A new id. The ids of one call rise in the order in which they were made (up to 4,096 of them), so that rows of
    /// one moment keep their order in lists.
    pub fn new_id<T: Id>(&self) -> T {
        T::from_uuid(self.new_uuid())
    }

    fn new_uuid(&self) -> Uuid {
        let nth = self.made.fetch_add(1, Ordering::Relaxed).min(0x0fff);
        let random = self.ids.uuid(self.now).as_u128();
        // The 12 bits behind the version are free for a counter (RFC 9562 §6.2, method 1).
        Uuid::from_u128((random & !(0x0fff << 64)) | (u128::from(nth) << 64))
    }

    /// New ids for a decision.
    pub fn ids(&self) -> impl IdSource + '_ {
        CallIds(self)
    }

    /// Whether marks and times of last activity are written.
    pub fn keeps_books(&self) -> bool {
        self.context.books == Books::Kept
    }

    /// The caller as somebody who can hold, create or be told something.
    ///
    /// # Errors
    /// `Internal` for the operator: its commands never come here.
    pub fn party(&self) -> Result<Party> {
        self.caller.subject.party().ok_or_else(|| Error::internal("the operator is no party"))
    }

    /// What a new entity of `project` bears: made by the caller, now.
    ///
    /// # Errors
    /// `Internal` for the operator.
    pub fn origin(&self, project: ProjectId) -> Result<Origin> {
        Ok(Origin { company: self.caller.company, project, by: self.party()?, now: self.now })
    }

    /// The project of something that the call named.
    ///
    /// # Errors
    /// Not found if authorisation has not located it.
    pub fn project_of(&self, kind: Kind, id: Uuid) -> Result<ProjectId> {
        self.granted.project_of(kind, id).ok_or_else(|| Refusal::not_found(kind).into())
    }

    /// What is known of a project that the call touches.
    ///
    /// # Errors
    /// Not found if authorisation has not located it.
    pub fn project(&self, id: ProjectId) -> Result<&GrantedProject> {
        self.granted.project(id).ok_or_else(|| Refusal::not_found(Kind::Project).into())
    }

    /// An entry for the activity stream of `project`, by the caller, now.
    pub fn activity(
        &self,
        project: ProjectId,
        (target, target_id, title): (Kind, Uuid, &str),
        action: Action,
        value: Option<Value>,
    ) -> Activity {
        Activity {
            id: self.new_id(),
            company: self.caller.company,
            project,
            target,
            target_id,
            target_title: title.to_owned(),
            actor: self.caller.subject,
            action,
            value,
            session: None,
            created_at: self.now,
        }
    }

    /// A change event, by the caller, now.
    pub fn event(&self, project: ProjectId, entity: Kind, entity_id: Uuid, change: Change) -> Event {
        Event {
            id: self.new_id(),
            company: self.caller.company,
            project: Some(project),
            entity,
            entity_id,
            change,
            actor: self.caller.subject,
            created_at: self.now,
        }
    }

    /// A change event of a group, by the caller, now.
    pub fn group_event(&self, group: GroupId, change: Change) -> Event {
        self.company_event(Kind::Group, group.uuid(), change)
    }

    /// A change event of something that is in no project, by the caller, now.
    pub fn company_event(&self, entity: Kind, entity_id: Uuid, change: Change) -> Event {
        Event {
            id: self.new_id(),
            company: self.caller.company,
            project: None,
            entity,
            entity_id,
            change,
            actor: self.caller.subject,
            created_at: self.now,
        }
    }
}

struct CallIds<'a>(&'a Call);

/// For what makes rows of identity, which asks by time.
impl Ids for Call {
    fn uuid(&self, _now: Timestamp) -> Uuid {
        self.new_uuid()
    }
}

impl IdSource for CallIds<'_> {
    fn next_uuid(&mut self) -> Uuid {
        self.0.new_uuid()
    }
}

/// What a long call can do beside answering: tell how far it is, notice that nobody waits any more, ask a person.
#[derive(Clone)]
pub struct Context {
    /// Where progress goes.
    pub progress: Arc<dyn Progress>,
    /// Whether the caller still waits.
    pub cancellation: Cancellation,
    /// Whom to ask.
    pub ask: Arc<dyn Ask>,
    /// Whether books are kept.
    pub books: Books,
}

impl Default for Context {
    /// Nobody watches, nobody cancels, nobody can be asked; books are kept.
    fn default() -> Self {
        Self {
            progress: Arc::new(Nobody),
            cancellation: Cancellation::default(),
            ask: Arc::new(Nobody),
            books: Books::Kept,
        }
    }
}

/// Takes reports of progress.
pub trait Progress: Send + Sync {
    /// `done` of `total` units are done; `done` rises from report to report.
    fn report(&self, done: u64, total: Option<u64>, message: &str);
}

/// Says whether the caller has given up.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// The caller gives up. Work already committed stays.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the caller has given up.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Puts a question to the person behind the client.
#[async_trait]
pub trait Ask: Send + Sync {
    /// The person's answer, or `None` where nobody can be asked or they declined.
    async fn ask(&self, question: &str) -> Option<Value>;
}

struct Nobody;

impl Progress for Nobody {
    fn report(&self, _done: u64, _total: Option<u64>, _message: &str) {}
}

#[async_trait]
impl Ask for Nobody {
    async fn ask(&self, _question: &str) -> Option<Value> {
        None
    }
}
