//! Sessions of agents.

use async_trait::async_trait;
use chorus_domain::{
    session::{Checkin, Session, Worker},
    task::TaskRef,
};
use chorus_ids::{AgentId, ProjectId, SessionId, TaskId, Timestamp};
use chorus_lifecycle::session::SessionStatus;
use chorus_visibility::Scope;

use crate::{Page, PageRequest, Result};

/// Sessions of agents of the scope's company, and where they are.
#[async_trait]
pub trait Sessions: Send {
    /// A session of this agent, whatever its status. Nothing for somebody else's.
    async fn session(&mut self, scope: &Scope, agent: AgentId, id: SessionId) -> Result<Option<Session>>;

    /// The sessions of this agent, newest first.
    async fn sessions(
        &mut self,
        scope: &Scope,
        agent: AgentId,
        status: Option<SessionStatus>,
        page: &PageRequest,
    ) -> Result<Page<Session>>;

    /// The tasks of the scope at which a session is, longest there first.
    async fn checkins(&mut self, scope: &Scope, session: SessionId) -> Result<Vec<Checkin>>;

    /// Who is at these tasks, as far as the scope sees them: active sessions that did something since, the latest
    /// arrival first.
    async fn workers(&mut self, scope: &Scope, tasks: &[TaskId], since: Timestamp) -> Result<Vec<Worker>>;

    /// Who is at the tasks of a project, if the scope sees it: active sessions that did something since, those that were
    /// last active first, each once for every task it is at; at most `limit`, in one statement.
    async fn at_work(&mut self, scope: &Scope, project: ProjectId, since: Timestamp, limit: u32)
    -> Result<Vec<AtWork>>;
}

/// A session at a task of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtWork {
    /// The session.
    pub session: Session,
    /// The task.
    pub task: TaskRef,
    /// Since when it is there.
    pub since: Timestamp,
}
