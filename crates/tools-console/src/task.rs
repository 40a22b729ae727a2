//! What only people do with tasks: begin blocked work all the same, give tasks to people, take verdicts back.

use async_trait::async_trait;
use chorus_app::{
    Call,
    task::{
        assign, marks,
        work::{self, Gate},
    },
};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, Party, Refusal, task::Task};
use chorus_ids::{CriterionId, TaskId, Uuid};
use chorus_store::{Hold, Outcome, Result, TaskDetail, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Begins work on a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StartTask {
    /// The task.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// True to pass over unfinished prerequisites, which is recorded.
    force: Option<bool>,
}

/// A task as it stands now.
#[derive(Serialize, JsonSchema)]
struct Moved {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: TaskId,
    /// Where it stands.
    status: &'static str,
    /// How often it was changed.
    version: i32,
}

impl Moved {
    fn of(detail: TaskDetail) -> Self {
        let Task { id, status, version, .. } = detail.task;
        Self { uuid: id, status: status.as_str(), version }
    }
}

#[async_trait]
impl WriteTool for StartTask {
    type Output = Moved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Moved>> {
        let gate = if self.force == Some(true) { Gate::Forced } else { Gate::Heeded };
        Ok(work::start(call, tx, self.task_uuid, gate).await?.map(Moved::of))
    }
}

/// Gives a task to somebody.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AssignTask {
    /// The task; it must be `open` or `assigned`.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// Who is to do it: `user:` or `agent:` with their id.
    assignee: String,
}

impl AssignTask {
    fn assignee(&self) -> Result<Party, Refusal> {
        let party = self.assignee.split_once(':').and_then(|(kind, id)| Party::read(kind, id.parse().ok()?));
        party.ok_or_else(|| Refusal::invalid("assignee", "must be `user:` or `agent:` with an id"))
    }
}

#[async_trait]
impl WriteTool for AssignTask {
    type Output = Moved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Moved>> {
        let to = self.assignee()?;
        Ok(assign::assign(call, tx, self.task_uuid, to).await?.map(Moved::of))
    }
}

/// Takes a verdict back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResetCriterion {
    /// The task.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// The criterion whose verdict is taken back.
    #[schemars(with = "Uuid")]
    criterion_uuid: CriterionId,
}

#[async_trait]
impl WriteTool for ResetCriterion {
    type Output = Moved;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Moved>> {
        Ok(marks::unmark(call, tx, self.task_uuid, self.criterion_uuid).await?.map(Moved::of))
    }
}

/// A task that is changed.
const TASK: At = At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own);

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_start_task",
        family: "task",
        title: "Begin a task",
        description: "Move a task to in progress, past unfinished prerequisites if that is forced, which is recorded.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[TASK]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::InvalidTransition, "the status can't follow the present one"),
            (Code::BlockedByDependencies, "a prerequisite is not finished and `force` is not given"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006", "force": true}"#,
        run: write::<StartTask>(),
    },
    Tool {
        name: "console_assign_task",
        family: "task",
        title: "Give a task to somebody",
        description: "Give a task that nobody has begun to a person or an agent, in place of whoever holds it.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[TASK]),
        hints: Hints::SETS,
        refuses: &[
            (Code::InvalidState, "the task is neither open nor assigned"),
            (Code::NotFound, "there is nobody of this id"),
            (Code::AssigneeNoAccess, "they may not edit the project, or the agent lacks `task:write`"),
        ],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "assignee": "user:0192f3a0-7d4c-7b1e-9a55-00000000000e"
        }"#,
        run: write::<AssignTask>(),
    },
    Tool {
        name: "console_reset_criterion",
        family: "task",
        title: "Take a verdict back",
        description: "Take the verdict on an acceptance criterion back. The assignee's own judgement stays.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            TASK,
            At::Part { path: "criterionUuid", reason: "criteria are looked up among those of the task" },
        ]),
        hints: Hints::CLEARS,
        refuses: &[],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "criterionUuid": "0192f3a0-7d4c-7b1e-9a55-000000000008"
        }"#,
        run: write::<ResetCriterion>(),
    },
];
