//! Sessions of a person's agents.

use async_trait::async_trait;
use chorus_app::{Call, session::owned};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, session::Session};
use chorus_ids::{AgentId, SessionId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Puts a session away.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloseSession {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// Its session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

/// Takes a session up again.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReopenSession {
    /// One of your agents.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
    /// Its closed session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

/// A session as it stands now.
#[derive(Serialize, JsonSchema)]
struct Moved {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: SessionId,
    /// Where it stands.
    status: &'static str,
}

impl Moved {
    fn of(session: Session) -> Self {
        Self { uuid: session.id, status: session.status.as_str() }
    }
}

#[async_trait]
impl WriteTool for CloseSession {
    type Output = Moved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Moved>> {
        Ok(owned::close(call, tx, self.agent_uuid, self.session_uuid).await?.map(Moved::of))
    }
}

#[async_trait]
impl WriteTool for ReopenSession {
    type Output = Moved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Moved>> {
        Ok(owned::reopen(call, tx, self.agent_uuid, self.session_uuid).await?.map(Moved::of))
    }
}

/// Who answers for a session. The handler locks it together with the tasks that it leaves.
const OWN: Access = Access::company(
    "sessions are their agent's own and so its owner's, who can end one even at tasks that they no longer see",
    &[At::own("agentUuid", Kind::Agent), At::own("sessionUuid", Kind::Session)],
);

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_close_session",
        family: "session",
        title: "Close a session",
        description: "Close a session of one of your agents: it leaves all its tasks, whose status stays as it is.",
        requirement: Requirement::PUBLIC,
        access: OWN,
        hints: Hints::SETS,
        refuses: &[(Code::NotFound, "the agent is not yours, or the session is not the agent's")],
        example: r#"{
            "agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d",
            "sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"
        }"#,
        run: write::<CloseSession>(),
    },
    Tool {
        name: "console_reopen_session",
        family: "session",
        title: "Reopen a session",
        description: "Make a closed session of one of your agents active again. It is at no task.",
        requirement: Requirement::PUBLIC,
        access: OWN,
        hints: Hints::MOVES,
        refuses: &[
            (Code::NotFound, "the agent is not yours, or the session is not the agent's"),
            (Code::InvalidState, "the session is not closed"),
        ],
        example: r#"{
            "agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d",
            "sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"
        }"#,
        run: write::<ReopenSession>(),
    },
];
