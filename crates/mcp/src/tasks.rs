//! The Tasks extension: calls that go on after their answer (2026-07-28).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::render::{self, insert};
use crate::{CallResult, InputRequest, RpcError, ServerInfo, Version, inputs};

/// The name of the extension.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A call that goes on by itself. Whoever answers with one has stored it first: the client may ask at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What it is asked for by; not to be guessed, and bound to whoever started it.
    pub id: String,
    /// How far it is.
    pub state: TaskState,
    /// One sentence on how far it is.
    pub status_message: Option<String>,
    /// When it was started, in ISO 8601.
    pub created_at: String,
    /// When its state last changed, in ISO 8601.
    pub last_updated_at: String,
    /// For how many milliseconds from its start it can be asked for; `None` for ever.
    pub ttl_ms: Option<u64>,
    /// How many milliseconds a client should wait before it asks again.
    pub poll_interval_ms: Option<u64>,
}

/// How far a task is.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskState {
    /// It runs.
    Working,
    /// It waits for these answers, which come by `tasks/update`. No key is used twice in one task.
    InputRequired(BTreeMap<String, InputRequest>),
    /// The tool came to this, be it a failure of the tool.
    Completed(CallResult),
    /// The protocol broke it off.
    Failed(RpcError),
    /// The client gave it up.
    Cancelled,
}

impl TaskState {
    /// The status on the wire.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired(_) => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Task {
    /// The task without what it came to, as the call that started it is answered.
    pub(crate) fn started(&self) -> Map<String, Value> {
        let mut task = Map::new();
        task.insert("taskId".into(), json!(self.id));
        task.insert("status".into(), json!(self.state.status()));
        insert(&mut task, "statusMessage", self.status_message.as_ref().map(|message| json!(message)));
        task.insert("createdAt".into(), json!(self.created_at));
        task.insert("lastUpdatedAt".into(), json!(self.last_updated_at));
        task.insert("ttlMs".into(), json!(self.ttl_ms));
        insert(&mut task, "pollIntervalMs", self.poll_interval_ms.map(|interval| json!(interval)));
        task
    }

    /// The task with what it came to or what it waits for.
    pub(crate) fn detail(self, server: &ServerInfo, version: Version) -> Map<String, Value> {
        let mut task = self.started();
        match self.state {
            TaskState::Working | TaskState::Cancelled => {}
            TaskState::InputRequired(requests) => {
                task.insert("inputRequests".into(), inputs::render(&requests));
            }
            TaskState::Completed(result) => {
                task.insert("result".into(), json!(render::call_result(server, version, result)));
            }
            TaskState::Failed(error) => {
                task.insert("error".into(), json!(error.under(version)));
            }
        }
        task
    }
}
