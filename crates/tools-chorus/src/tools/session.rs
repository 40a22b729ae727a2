//! Tools: an agent's sessions.

use async_trait::async_trait;
use chorus_app::{
    Call,
    session::{self, SessionDetail},
};
use chorus_dispatch::{
    Access, At, Expand, Hints, ListTool, Requirement, Tool, WriteTool,
    tool::{list, trace, write},
};
use chorus_domain::{
    Code, Kind,
    session::{Checkin, Session, SessionForm},
};
use chorus_ids::{SessionId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::session::SessionStatus;
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Row, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{view::row_title, words};

/// Lists the caller's sessions.
#[derive(Deserialize, JsonSchema)]
struct ListSessions {
    /// Only sessions in this status.
    #[serde(default)]
    #[schemars(schema_with = "words::session_status")]
    status: Option<SessionStatus>,
}

#[async_trait]
impl ListTool for ListSessions {
    type Row = SessionRow;

    const COLLECTION: &'static str = "sessions";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<SessionRow>> {
        let page = session::list(call, reads, self.status, page).await?;
        let rows = page.rows.into_iter().map(|row| Row { at: row.at, item: SessionRow::of(row.item) }).collect();
        Ok(Page { rows, total: page.total, more: page.more })
    }
}

/// A session in a list.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SessionRow {
    uuid: Uuid,
    name: String,
    status: &'static str,
    agent_uuid: Uuid,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    last_active_at: Timestamp,
}

impl SessionRow {
    fn of(session: Session) -> Self {
        Self {
            uuid: session.id.uuid(),
            name: row_title(&session.name),
            status: session.status.as_str(),
            agent_uuid: session.agent.uuid(),
            created_at: session.created_at,
            last_active_at: session.last_active_at,
        }
    }
}

/// Reads one session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetSession {
    /// Your session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

#[async_trait]
impl WriteTool for GetSession {
    type Output = SessionView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<SessionView>> {
        Ok(session::get(call, tx, self.session_uuid).await?.map(SessionView::of))
    }
}

/// A session with the tasks it is at.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SessionView {
    uuid: Uuid,
    agent_uuid: Uuid,
    name: String,
    description: Option<String>,
    status: &'static str,
    #[schemars(with = "String")]
    last_active_at: Timestamp,
    #[schemars(with = "String")]
    created_at: Timestamp,
    #[schemars(with = "String")]
    updated_at: Timestamp,
    checkins: Vec<CheckinView>,
}

impl SessionView {
    fn of(SessionDetail { session, checkins }: SessionDetail) -> Self {
        Self {
            uuid: session.id.uuid(),
            agent_uuid: session.agent.uuid(),
            name: session.name,
            description: session.description,
            status: session.status.as_str(),
            last_active_at: session.last_active_at,
            created_at: session.created_at,
            updated_at: session.updated_at,
            checkins: checkins.into_iter().map(CheckinView::of).collect(),
        }
    }
}

/// A task at which a session is.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckinView {
    task_uuid: Uuid,
    #[schemars(with = "String")]
    checkin_at: Timestamp,
    /// Always null: those that ended are not shown.
    #[schemars(with = "Option<String>")]
    checkout_at: Option<Timestamp>,
}

impl CheckinView {
    fn of(checkin: Checkin) -> Self {
        Self { task_uuid: checkin.task.uuid(), checkin_at: checkin.at, checkout_at: None }
    }
}

/// Opens a session.
#[derive(Deserialize, JsonSchema)]
struct CreateSession {
    /// What this worker is called, such as its role. Need not be unique.
    name: String,
    /// What it is for.
    description: Option<String>,
}

#[async_trait]
impl WriteTool for CreateSession {
    type Output = NewSession;

    async fn run(self, call: &Call, _tx: &mut dyn Tx) -> Result<Outcome<NewSession>> {
        let form = SessionForm { name: self.name, description: self.description };
        Ok(session::create(call, form)?.map(|session| NewSession {
            uuid: session.id.uuid(),
            name: session.name,
            status: session.status.as_str(),
        }))
    }
}

/// A session that was opened.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct NewSession {
    uuid: Uuid,
    name: String,
    status: &'static str,
}

/// Closes a session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloseSession {
    /// Your session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

#[async_trait]
impl WriteTool for CloseSession {
    type Output = MovedSession;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<MovedSession>> {
        Ok(session::close(call, tx, self.session_uuid).await?.map(MovedSession::of))
    }
}

/// Reopens a session.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReopenSession {
    /// Your closed session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

#[async_trait]
impl WriteTool for ReopenSession {
    type Output = MovedSession;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<MovedSession>> {
        Ok(session::reopen(call, tx, self.session_uuid).await?.map(MovedSession::of))
    }
}

/// A session in its status.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct MovedSession {
    uuid: Uuid,
    status: &'static str,
}

impl MovedSession {
    fn of(session: Session) -> Self {
        Self { uuid: session.id.uuid(), status: session.status.as_str() }
    }
}

/// Comes to a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckinTask {
    /// Your active session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
    /// The task it works on.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for CheckinTask {
    type Output = ArrivalView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ArrivalView>> {
        let outcome = session::check_in(call, tx, self.session_uuid, self.task_uuid).await?;
        Ok(outcome.map(|arrival| ArrivalView {
            session_uuid: arrival.checkin.session.uuid(),
            task_uuid: arrival.checkin.task.uuid(),
            checked_in_at: arrival.checkin.at,
            claimed: arrival.claimed,
        }))
    }
}

/// A session that came to a task.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ArrivalView {
    session_uuid: Uuid,
    task_uuid: Uuid,
    #[schemars(with = "String")]
    checked_in_at: Timestamp,
    claimed: bool,
}

/// Leaves a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckoutTask {
    /// Your session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
    /// The task that it leaves.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for CheckoutTask {
    type Output = Said;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Said>> {
        let outcome = session::check_out(call, tx, self.session_uuid, self.task_uuid).await?;
        let task = self.task_uuid;
        Ok(outcome
            .map(|session| Said { message: format!("Session `{}` is not at task {task} any more.", session.name) }))
    }
}

/// Keeps a session fresh.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Heartbeat {
    /// Your session.
    #[schemars(with = "Uuid")]
    session_uuid: SessionId,
}

#[async_trait]
impl WriteTool for Heartbeat {
    type Output = Said;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Said>> {
        let outcome = session::heartbeat(call, tx, self.session_uuid).await?;
        Ok(outcome.map(|session| Said { message: heard(&session, call.now) }))
    }
}

fn heard(session: &Session, now: Timestamp) -> String {
    if session.status.is_refreshed_by_use() {
        format!("Session `{}` is alive at {now}.", session.name)
    } else {
        format!(
            "Session `{}` is closed, so it is not refreshed at {now}. Reopen it with chorus_reopen_session to work in \
             it.",
            session.name
        )
    }
}

/// A sentence.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Said {
    message: String,
}

/// Why sessions are not located in projects.
const OWN: &str = "sessions are their agent's own, and belong to no project";

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_list_sessions",
        family: "session",
        title: "List my sessions",
        description: "Page through your own work sessions, newest first, closed and idle ones too. Rows are short: \
                      chorus_get_session shows where one is.",
        requirement: Requirement::PUBLIC,
        access: Access::company(OWN, &[]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"status": "active"}"#,
        run: list::<ListSessions>(),
    },
    Tool {
        name: "chorus_get_session",
        family: "session",
        title: "Read my session",
        description: "Read one of your sessions with the tasks it is checked in to. An active one counts as used now.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "sessions are their agent's own; the tasks it is at are checked",
            &[
                At::own("sessionUuid", Kind::Session),
                At::Via { path: "sessionUuid", expand: Expand::SessionTasks(Need::Viewer) },
            ],
        ),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"}"#,
        run: trace::<GetSession>(),
    },
    Tool {
        name: "chorus_create_session",
        family: "session",
        title: "Open a session",
        description: "Open a work session, one for each of your workers (sub-agents), so that people see who is at \
                      what. Next: chorus_session_checkin_task; pass `sessionUuid` to chorus_update_task and \
                      chorus_report_work.",
        requirement: Requirement::PUBLIC,
        access: Access::company(OWN, &[]),
        hints: Hints::ADDS,
        refuses: &[],
        example: r#"{"name": "parser-worker"}"#,
        run: write::<CreateSession>(),
    },
    Tool {
        name: "chorus_close_session",
        family: "session",
        title: "Close a session",
        description: "Close your session when its worker is done: it leaves all its tasks, whose status stays as it \
                      is. chorus_reopen_session takes it up again.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "sessions are their agent's own; it can end one even at tasks that it no longer sees",
            &[
                At::own("sessionUuid", Kind::Session).held(Hold::Own),
                At::Via { path: "sessionUuid", expand: Expand::HeldSessionTasks },
            ],
        ),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"}"#,
        run: write::<CloseSession>(),
    },
    Tool {
        name: "chorus_reopen_session",
        family: "session",
        title: "Reopen a session",
        description: "Make your closed session active again. It is at no task: check in anew with \
                      chorus_session_checkin_task.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "sessions are their agent's own; a closed one is at no task",
            &[
                At::own("sessionUuid", Kind::Session).held(Hold::Own),
                At::Via { path: "sessionUuid", expand: Expand::SessionTasks(Need::Editor) },
            ],
        ),
        hints: Hints::MOVES,
        refuses: &[(Code::InvalidState, "the session is not closed")],
        example: r#"{"sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"}"#,
        run: write::<ReopenSession>(),
    },
    Tool {
        name: "chorus_session_checkin_task",
        family: "session",
        title: "Check in to a task",
        description: "Say that your active session works on a task. An open task that nobody holds becomes yours. \
                      Next: chorus_update_task with status `in_progress` and this `sessionUuid`.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own),
            At::own("sessionUuid", Kind::Session).held(Hold::Own),
        ]),
        hints: Hints::SETS,
        refuses: &[(Code::InvalidState, "the session is closed")],
        example: r#"{
            "sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b",
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"
        }"#,
        run: write::<CheckinTask>(),
    },
    Tool {
        name: "chorus_session_checkout_task",
        family: "session",
        title: "Check out of a task",
        description: "Say that your session no longer works on a task. The task keeps its status and assignee; nothing \
                      happens if the session is not there.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own),
            At::own("sessionUuid", Kind::Session).held(Hold::Own),
        ]),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{
            "sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b",
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"
        }"#,
        run: write::<CheckoutTask>(),
    },
    Tool {
        name: "chorus_session_heartbeat",
        family: "session",
        title: "Keep a session fresh",
        description: "Keep your session fresh during long work: after an hour without use it is no longer shown to \
                      others. Every other session call does the same.",
        requirement: Requirement::PUBLIC,
        access: Access::company(
            "sessions are their agent's own; the tasks it is at are checked",
            &[
                At::own("sessionUuid", Kind::Session),
                At::Via { path: "sessionUuid", expand: Expand::SessionTasks(Need::Editor) },
            ],
        ),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"sessionUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000b"}"#,
        run: write::<Heartbeat>(),
    },
];

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, CheckinId, CompanyId};
    use serde_json::json;

    use super::*;

    fn session(status: SessionStatus) -> Session {
        let at = Timestamp::from_micros(0);
        Session {
            id: SessionId::from_u128(1),
            company: CompanyId::from_u128(2),
            agent: AgentId::from_u128(3),
            name: "builder".into(),
            description: None,
            status,
            last_active_at: at,
            created_at: at,
            updated_at: at,
        }
    }

    #[test]
    fn a_session_is_shown_with_the_tasks_it_is_at() {
        let at = "1970-01-01T00:00:00.000Z";
        let checkin = Checkin {
            id: CheckinId::from_u128(4),
            session: SessionId::from_u128(1),
            task: TaskId::from_u128(5),
            at: Timestamp::from_micros(0),
        };
        let detail = SessionDetail { session: session(SessionStatus::Active), checkins: vec![checkin] };
        assert_eq!(
            serde_json::to_value(SessionView::of(detail)).unwrap_or_default(),
            json!({
                "uuid": Uuid::from_u128(1), "agentUuid": Uuid::from_u128(3), "name": "builder", "description": null,
                "status": "active", "lastActiveAt": at, "createdAt": at, "updatedAt": at,
                "checkins": [{ "taskUuid": Uuid::from_u128(5), "checkinAt": at, "checkoutAt": null }]
            })
        );
    }

    #[test]
    fn a_heartbeat_tells_the_time_and_whether_it_was_heard() {
        let now = Timestamp::from_micros(0);
        let alive = heard(&session(SessionStatus::Active), now);
        assert_eq!(alive, "Session `builder` is alive at 1970-01-01T00:00:00.000Z.");
        let closed = heard(&session(SessionStatus::Closed), now);
        assert!(closed.contains("closed") && closed.contains("chorus_reopen_session"), "{closed}");
    }
}
