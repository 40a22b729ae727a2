//! Sessions of agents and their check-ins to tasks.

use chorus_ids::{AgentId, CompanyId, SessionId, Timestamp};
use chorus_lifecycle::session::SessionStatus;

/// A named worker of one agent; unrelated to the transport, which has no sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its tenant.
    pub company: CompanyId,
    /// Whose it is.
    pub agent: AgentId,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Active or closed.
    pub status: SessionStatus,
    /// When it last did something.
    pub last_active_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
}
