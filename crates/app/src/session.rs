//! Use cases: an agent's sessions (lifecycle specification §8). They are its own: for everybody else they don't exist.

use chorus_domain::{
    Batch, Code, Kind, Refusal, Subject, Write,
    event::Change,
    session::{self, Checkin, Session, SessionForm},
};
use chorus_ids::{AgentId, ProjectId, SessionId, TaskId};
use chorus_lifecycle::session::SessionStatus;
use chorus_store::{Outcome, Page, PageRequest, Reads, Result, Tx};

use crate::Call;

pub mod owned;

/// A session with where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDetail {
    /// The session.
    pub session: Session,
    /// The tasks it is at, longest there first.
    pub checkins: Vec<Checkin>,
}

fn agent(call: &Call) -> Result<AgentId, Refusal> {
    match call.caller.subject {
        Subject::Agent(agent) => Ok(agent),
        Subject::User(_) | Subject::Operator => {
            Err(Refusal::new(Code::Forbidden, "Only agents have sessions. Call this with an agent's key."))
        }
    }
}

async fn own(call: &Call, reads: &mut dyn Reads, id: SessionId) -> Result<Session> {
    let found = reads.session(&call.scope, agent(call)?, id).await?;
    found.ok_or_else(|| Refusal::not_found(Kind::Session).into())
}

fn writing(writes: Vec<Write>) -> Batch {
    Batch { writes, ..Batch::default() }
}

/// A page of the caller's sessions, newest first.
///
/// # Errors
/// `forbidden` for a person.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    status: Option<SessionStatus>,
    page: &PageRequest,
) -> Result<Page<Session>> {
    reads.sessions(&call.scope, agent(call)?, status, page).await
}

/// One of the caller's sessions, which counts as use of it.
///
/// # Errors
/// Not found.
pub async fn get(call: &Call, tx: &mut dyn Tx, id: SessionId) -> Result<Outcome<SessionDetail>> {
    let session = own(call, tx, id).await?;
    let checkins = tx.checkins(&call.scope, id).await?;
    if !call.keeps_books() {
        return Ok(Outcome { batch: Batch::default(), answer: SessionDetail { session, checkins } });
    }
    let session = session::used(&session, call.now);
    let batch = writing(vec![Write::TouchSession(id, call.now)]);
    Ok(Outcome { batch, answer: SessionDetail { session, checkins } })
}

/// A new session of the caller.
///
/// # Errors
/// `forbidden` for a person; see [`session::create`].
pub fn create(call: &Call, form: SessionForm) -> Result<Outcome<Session>> {
    let session = session::create(call.new_id(), form, (call.caller.company, agent(call)?), call.now)?;
    Ok(Outcome { batch: writing(vec![Write::NewSession(session.clone())]), answer: session })
}

/// Puts a session away: it leaves all its tasks, also those that it may no longer see, since an agent has to be able to
/// end what is its own. A closed one stays as it is.
///
/// # Errors
/// Not found.
pub async fn close(call: &Call, tx: &mut dyn Tx, id: SessionId) -> Result<Outcome<Session>> {
    let session = own(call, tx, id).await?;
    let tasks = tx.directory().tasks_of_session(session.agent, id).await?;
    Ok(put_away(call, &session, tasks))
}

fn put_away(call: &Call, session: &Session, tasks: Vec<(TaskId, ProjectId)>) -> Outcome<Session> {
    let id = session.id;
    let closed = session::close(session, call.now);
    let mut batch = Batch::default();
    if closed != *session {
        batch.writes.push(Write::SetSessionStatus(id, closed.status, call.now));
    }
    if !tasks.is_empty() {
        batch.writes.push(Write::EndCheckins(id, call.now));
    }
    for (task, project) in tasks {
        batch.events.push(call.event(project, Kind::Task, task.uuid(), Change::Updated));
    }
    Outcome { batch, answer: closed }
}

/// Takes up a closed session again. It is at no task.
///
/// # Errors
/// Not found; see [`session::reopen`].
pub async fn reopen(call: &Call, tx: &mut dyn Tx, id: SessionId) -> Result<Outcome<Session>> {
    let reopened = session::reopen(&own(call, tx, id).await?, call.now)?;
    let batch = writing(vec![Write::SetSessionStatus(id, reopened.status, call.now)]);
    Ok(Outcome { batch, answer: reopened })
}

/// A session that came to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The check-in.
    pub checkin: Checkin,
    /// Whether the agent took the task with it.
    pub claimed: bool,
}

/// A session comes to a task. An open one that nobody holds is the agent's from then on.
///
/// # Errors
/// Not found; see [`session::check_in`].
pub async fn check_in(call: &Call, tx: &mut dyn Tx, id: SessionId, task: TaskId) -> Result<Outcome<Arrival>> {
    let session = own(call, tx, id).await?;
    session::check_in(&session)?;
    let found = tx.task(&call.scope, task).await?.ok_or_else(|| Refusal::not_found(Kind::Task))?;
    let checkin = Checkin { id: call.new_id(), session: id, task, at: call.now };
    let taken = session::takes(&found, session.agent, call.now);
    let claimed = taken.is_some();
    let mut batch = writing(taken.map(Write::SaveTask).into_iter().collect());
    batch.writes.extend([Write::PutCheckin(checkin), Write::TouchSession(id, call.now)]);
    batch.events.push(call.event(found.project, Kind::Task, task.uuid(), Change::Updated));
    Ok(Outcome { batch, answer: Arrival { checkin, claimed } })
}

/// A session leaves a task; where it is not at it, only its use is noted.
///
/// # Errors
/// Not found.
pub async fn check_out(call: &Call, tx: &mut dyn Tx, id: SessionId, task: TaskId) -> Result<Outcome<Session>> {
    let session = own(call, tx, id).await?;
    let there = tx.checkins(&call.scope, id).await?.iter().any(|checkin| checkin.task == task);
    let mut batch = writing(vec![Write::TouchSession(id, call.now)]);
    if there {
        batch.writes.push(Write::EndCheckin(id, task, call.now));
        let project = call.project_of(Kind::Task, task.uuid())?;
        batch.events.push(call.event(project, Kind::Task, task.uuid(), Change::Updated));
    }
    Ok(Outcome { batch, answer: session::used(&session, call.now) })
}

/// A session says that it is still there, which a closed one can't.
///
/// # Errors
/// Not found.
pub async fn heartbeat(call: &Call, tx: &mut dyn Tx, id: SessionId) -> Result<Outcome<Session>> {
    let session = session::used(&own(call, tx, id).await?, call.now);
    Ok(Outcome { batch: writing(vec![Write::TouchSession(id, call.now)]), answer: session })
}

/// The session in whose name a call works, if it names one: it has to be the caller's own.
///
/// # Errors
/// Not found.
pub async fn working(call: &Call, reads: &mut dyn Reads, id: Option<SessionId>) -> Result<Option<Session>> {
    match id {
        None => Ok(None),
        Some(id) => own(call, reads, id).await.map(Some),
    }
}

/// What was done was done in this session: it stands on every activity, and that is use of it.
pub fn stamp(call: &Call, batch: &mut Batch, session: &Session) {
    for activity in &mut batch.activities {
        activity.session = Some((session.id, session.name.clone()));
    }
    batch.writes.push(Write::TouchSession(session.id, call.now));
}
