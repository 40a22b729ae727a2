//! Tools that give tasks to somebody, and delete them.

use async_trait::async_trait;
use chorus_app::{
    Call,
    task::{assign, delete::delete},
};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, Party};
use chorus_ids::{AgentId, TaskId, Uuid};
use chorus_permissions::{PROPOSAL_WRITE, TASK_ADMIN};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tools::{
    deleted::DeletedView,
    task_work::{ClaimedTask, Holding},
};

/// Gives a task to an agent.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AssignTask {
    /// The task to hand over; it must be `open` or `assigned`.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// The agent that is to do it.
    #[schemars(with = "Uuid")]
    agent_uuid: AgentId,
}

#[async_trait]
impl WriteTool for AssignTask {
    type Output = ClaimedTask;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ClaimedTask>> {
        let outcome = assign::assign(call, tx, self.task_uuid, Party::Agent(self.agent_uuid)).await?;
        let own = call.caller.subject.uuid() == self.agent_uuid.uuid();
        ClaimedTask::answer(call, tx, outcome, if own { Holding::You } else { Holding::Another }).await
    }
}

/// Deletes a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteTask {
    /// The task to delete.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl WriteTool for DeleteTask {
    type Output = DeletedView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DeletedView>> {
        Ok(delete(call, tx, self.task_uuid).await?.map(DeletedView::of))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_assign_task",
        family: "task",
        title: "Assign a task",
        description: "Give an `open` or `assigned` task to an agent, in place of whoever holds it; work that has begun \
                      stays where it is. The agent needs task:write, its owner must be able to edit the project. It is \
                      told once.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own),
            At::Part { path: "agentUuid", reason: "agents are looked up in the project's company" },
        ]),
        hints: Hints::SETS,
        refuses: &[
            (Code::InvalidState, "the task is neither open nor assigned"),
            (Code::NotFound, "the agent does not exist"),
            (Code::AssigneeNoAccess, "the agent's owner may not edit the project, or it lacks `task:write`"),
        ],
        example: r#"{
            "taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006",
            "agentUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d"
        }"#,
        run: write::<AssignTask>(),
    },
    Tool {
        name: "chorus_admin_delete_task",
        family: "task",
        title: "Delete a task",
        description: "Delete one task for good, in any status, with its criteria, comments and dependencies; the answer \
                      counts them. Its holder is told, and who waited for it if it was not finished. To keep it on \
                      record, use chorus_admin_close_task.",
        requirement: Requirement::bit(TASK_ADMIN),
        access: Access::resource(&[
            At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Remove).owning_project(),
            At::Via { path: "taskUuid", expand: Expand::Dependants },
        ]),
        hints: Hints::ENDS,
        refuses: &[],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: write::<DeleteTask>(),
    },
];
