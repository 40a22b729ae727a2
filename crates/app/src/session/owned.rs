//! Use cases: sessions as people see them. Who is at work in a project is seen by everybody who sees the project; a session
//! itself is its agent's owner's, who can put it away.

use std::collections::BTreeSet;

use chorus_domain::{
    Kind, Refusal, Write,
    event::Change,
    session::{self, Session, fresh_since},
};
use chorus_ids::{AgentId, ProjectId, SessionId, TaskId};
use chorus_store::{AtWork, Error, Hold, Outcome, Page, PageRequest, Reads, Result, Roots, Tx};

use super::{put_away, writing};
use crate::{Call, agent::manage};

/// Who works on what in a project now: active sessions of the last hour, those that were last active first, at most
/// `limit`.
///
/// # Errors
/// What the store reports.
pub async fn at_work(call: &Call, reads: &mut dyn Reads, project: ProjectId, limit: u32) -> Result<Vec<AtWork>> {
    reads.at_work(&call.scope, project, fresh_since(call.now), limit).await
}

/// A page of the sessions of one of the caller's agents, newest first.
///
/// # Errors
/// Not found for an agent that is not the caller's.
pub async fn list(call: &Call, reads: &mut dyn Reads, agent: AgentId, page: &PageRequest) -> Result<Page<Session>> {
    manage::own(call, reads, agent).await?;
    reads.sessions(&call.scope, agent, None, page).await
}

/// Puts a session of one of the caller's agents away: it leaves all its tasks.
///
/// # Errors
/// Not found for an agent that is not the caller's, or a session that is not the agent's.
pub async fn close(call: &Call, tx: &mut dyn Tx, agent: AgentId, id: SessionId) -> Result<Outcome<Session>> {
    manage::own(call, tx, agent).await?;
    let tasks = tx.directory().tasks_of_session(agent, id).await?;
    let held: BTreeSet<TaskId> = tasks.iter().map(|(task, _)| *task).collect();
    hold(tx, agent, id, &held).await?;
    let session = own(call, tx, agent, id).await?;
    let tasks = tx.directory().tasks_of_session(agent, id).await?;
    if tasks.iter().any(|(task, _)| !held.contains(task)) {
        return Err(Error::Again("the session came to another task while it was waited for".into()));
    }
    let mut outcome = put_away(call, &session, tasks);
    if !outcome.batch.is_empty() {
        outcome.batch.events.push(call.company_event(Kind::Agent, agent.uuid(), Change::Updated));
    }
    Ok(outcome)
}

/// Takes up a closed session of one of the caller's agents again. It is at no task.
///
/// # Errors
/// As [`close`]; see [`session::reopen`].
pub async fn reopen(call: &Call, tx: &mut dyn Tx, agent: AgentId, id: SessionId) -> Result<Outcome<Session>> {
    manage::own(call, tx, agent).await?;
    hold(tx, agent, id, &BTreeSet::new()).await?;
    let reopened = session::reopen(&own(call, tx, agent, id).await?, call.now)?;
    let mut batch = writing(vec![Write::SetSessionStatus(id, reopened.status, call.now)]);
    batch.events.push(call.company_event(Kind::Agent, agent.uuid(), Change::Updated));
    Ok(Outcome { batch, answer: reopened })
}

/// All at once, in the order in which everybody locks.
async fn hold(tx: &mut dyn Tx, agent: AgentId, session: SessionId, tasks: &BTreeSet<TaskId>) -> Result<()> {
    let mut roots = Roots::default();
    tasks.iter().for_each(|task| roots.add(Kind::Task, task.uuid(), Hold::Own));
    roots.add(Kind::Agent, agent.uuid(), Hold::Share);
    roots.add(Kind::Session, session.uuid(), Hold::Own);
    tx.lock(&roots).await.map(drop)
}

async fn own(call: &Call, reads: &mut dyn Reads, agent: AgentId, id: SessionId) -> Result<Session> {
    manage::own(call, reads, agent).await?;
    let found = reads.session(&call.scope, agent, id).await?;
    found.ok_or_else(|| Refusal::not_found(Kind::Session).into())
}
