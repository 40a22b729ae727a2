//! Sessions of agents.

use async_trait::async_trait;
use chorus_domain::session::{Checkin, Session, Worker};
use chorus_ids::{AgentId, SessionId, TaskId, Timestamp};
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
}
