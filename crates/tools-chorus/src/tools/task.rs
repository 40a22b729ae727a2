//! Tools: reading, creating and editing tasks.

use async_trait::async_trait;
use chorus_app::{
    Call, session,
    task::{self, create::Created},
};
use chorus_dispatch::{
    Access, At, Hints, ListShape, ListTool, ReadTool, Requirement, Tool, WriteTool,
    tool::{list, read, write},
};
use chorus_domain::{
    Code, Kind,
    proposal::CriterionDraft,
    task::{Task, create::Form, edit::Edit},
};
use chorus_ids::{ProjectId, ProposalId, SessionId, TaskId, Uuid};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_store::{Hold, Outcome, Page, PageRequest, Reads, Result, Row, TaskFilter, Tx, Unblocked};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    tools::reference::{ReferenceError, ReferenceInput, forms},
    view::row_title,
    words,
};

pub mod handing;
pub(crate) mod show;

use show::{AvailableRow, Description, TaskRow, TaskView};

/// Reads one task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetTask {
    /// The task.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
}

#[async_trait]
impl ReadTool for GetTask {
    type Output = TaskView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<TaskView> {
        let detail = task::get(call, reads, self.task_uuid).await?;
        TaskView::load(call, reads, detail, Description::Shown).await
    }
}

/// Lists a project's tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListTasks {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only tasks in this status.
    #[serde(default)]
    #[schemars(schema_with = "words::task_status")]
    status: Option<TaskStatus>,
    /// Only tasks of this priority.
    #[serde(default)]
    #[schemars(schema_with = "words::priority")]
    priority: Option<Priority>,
    /// Only tasks of one of these proposals. An empty list means any.
    #[schemars(with = "Option<Vec<Uuid>>")]
    proposal_uuids: Option<Vec<ProposalId>>,
}

#[async_trait]
impl ListTool for ListTasks {
    type Row = TaskRow;

    const COLLECTION: &'static str = "tasks";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<TaskRow>> {
        let filter = TaskFilter {
            statuses: self.status.into_iter().collect(),
            priority: self.priority,
            proposals: self.proposal_uuids.unwrap_or_default(),
            ..TaskFilter::default()
        };
        Ok(rows(task::list(call, reads, self.project_uuid, &filter, page).await?, TaskRow::of))
    }
}

/// Lists open tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetAvailableTasks {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only tasks of one of these proposals. An empty list means any.
    #[schemars(with = "Option<Vec<Uuid>>")]
    proposal_uuids: Option<Vec<ProposalId>>,
}

#[async_trait]
impl ListTool for GetAvailableTasks {
    type Row = AvailableRow;

    const COLLECTION: &'static str = "tasks";
    const SHAPE: ListShape = ListShape::Bounded { rows: 50, reported: 100 };

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<AvailableRow>> {
        let filter = TaskFilter {
            statuses: vec![TaskStatus::Open],
            proposals: self.proposal_uuids.unwrap_or_default(),
            ..TaskFilter::default()
        };
        Ok(rows(task::list(call, reads, self.project_uuid, &filter, page).await?, AvailableRow::of))
    }
}

/// Lists tasks that can start.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetUnblockedTasks {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Only tasks of one of these proposals. An empty list means any.
    #[schemars(with = "Option<Vec<Uuid>>")]
    proposal_uuids: Option<Vec<ProposalId>>,
}

#[async_trait]
impl ListTool for GetUnblockedTasks {
    type Row = TaskRow;

    const COLLECTION: &'static str = "tasks";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<TaskRow>> {
        let filter = TaskFilter {
            statuses: vec![TaskStatus::Open, TaskStatus::Assigned],
            proposals: self.proposal_uuids.unwrap_or_default(),
            unblocked: Some(Unblocked),
            ..TaskFilter::default()
        };
        Ok(rows(task::list(call, reads, self.project_uuid, &filter, page).await?, TaskRow::of))
    }
}

/// Creates tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreateTasks {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// An approved proposal of the project that the tasks belong to. Leave out for quick tasks.
    #[schemars(with = "Option<Uuid>")]
    proposal_uuid: Option<ProposalId>,
    /// The tasks, all of which are created or none.
    #[schemars(length(max = 200))]
    tasks: Vec<NewTask>,
}

/// A task to create.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewTask {
    /// What it is called.
    title: String,
    /// What is to be done, in Markdown.
    description: Option<String>,
    /// How urgent it is; `medium` if left out.
    #[serde(default)]
    #[schemars(schema_with = "words::priority")]
    priority: Option<Priority>,
    /// Expected effort in agent hours.
    #[schemars(range(min = 0, max = 1000))]
    story_points: Option<f64>,
    /// When it counts as done: at least one criterion.
    acceptance_criteria_items: Option<Vec<CriterionInput>>,
    /// A label of your own, so that other tasks of this call can depend on this one.
    draft_uuid: Option<String>,
    /// Labels of tasks of this call that come first.
    depends_on_draft_uuids: Option<Vec<String>>,
    /// Tasks of the project that come first.
    #[schemars(with = "Option<Vec<Uuid>>")]
    depends_on_task_uuids: Option<Vec<TaskId>>,
    /// Links that back it.
    references: Option<Vec<ReferenceInput>>,
}

/// An acceptance criterion, as given.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CriterionInput {
    /// What must hold.
    description: String,
    /// Whether verification waits for it; true if left out.
    required: Option<bool>,
}

impl From<CriterionInput> for CriterionDraft {
    fn from(input: CriterionInput) -> Self {
        Self { description: input.description, required: input.required.unwrap_or(true) }
    }
}

fn drafts(inputs: Vec<CriterionInput>) -> Vec<CriterionDraft> {
    inputs.into_iter().map(CriterionDraft::from).collect()
}

impl From<NewTask> for task::create::NewTask {
    fn from(task: NewTask) -> Self {
        let form = Form {
            title: task.title,
            description: task.description,
            priority: task.priority,
            story_points: task.story_points,
            criteria: drafts(task.acceptance_criteria_items.unwrap_or_default()),
            label: task.draft_uuid,
            after_labels: task.depends_on_draft_uuids.unwrap_or_default(),
            after: task.depends_on_task_uuids.unwrap_or_default(),
        };
        Self { form, references: forms(task.references) }
    }
}

#[async_trait]
impl WriteTool for CreateTasks {
    type Output = CreatedTasks;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<CreatedTasks>> {
        let tasks = self.tasks.into_iter().map(task::create::NewTask::from).collect();
        let made = task::create::create(call, tx, self.project_uuid, self.proposal_uuid, tasks).await?;
        Ok(made.map(|Created { tasks, skipped }| CreatedTasks {
            tasks: tasks.into_iter().map(CreatedTask::of).collect(),
            reference_errors: skipped.into_iter().map(ReferenceError::of_task).collect(),
        }))
    }
}

/// The tasks that were created, in the order asked for.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreatedTasks {
    tasks: Vec<CreatedTask>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reference_errors: Vec<ReferenceError>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CreatedTask {
    uuid: Uuid,
    title: String,
    status: &'static str,
    priority: &'static str,
    version: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_uuid: Option<String>,
}

impl CreatedTask {
    fn of((task, label): (Task, Option<String>)) -> Self {
        Self {
            uuid: task.id.uuid(),
            title: row_title(&task.title),
            status: task.status.as_str(),
            priority: task.priority.as_str(),
            version: task.version,
            draft_uuid: label,
        }
    }
}

/// Edits a task.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UpdateTask {
    /// The task.
    #[schemars(with = "Uuid")]
    task_uuid: TaskId,
    /// Start or resume work, or hand it over for verification. Only for the assignee.
    #[serde(default)]
    #[schemars(schema_with = "words::working_status")]
    status: Option<TaskStatus>,
    /// Another title.
    title: Option<String>,
    /// Another description; an empty one clears it.
    description: Option<String>,
    /// Another priority.
    #[serde(default)]
    #[schemars(schema_with = "words::priority")]
    priority: Option<Priority>,
    /// Another expected effort in agent hours.
    #[schemars(range(min = 0, max = 1000))]
    story_points: Option<f64>,
    /// Criteria that replace all existing ones, whose marks are lost. At least one.
    acceptance_criteria_items: Option<Vec<CriterionInput>>,
    /// Tasks of the same project that must be finished before this one starts.
    #[schemars(with = "Option<Vec<Uuid>>")]
    add_depends_on: Option<Vec<TaskId>>,
    /// Tasks that this one shall no longer wait for.
    #[schemars(with = "Option<Vec<Uuid>>")]
    remove_depends_on: Option<Vec<TaskId>>,
    /// Your session in which you do this.
    #[schemars(with = "Option<Uuid>")]
    session_uuid: Option<SessionId>,
    /// The `version` you read: a newer task is not changed.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    expected_version: Option<i32>,
}

#[async_trait]
impl WriteTool for UpdateTask {
    type Output = TaskView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<TaskView>> {
        let edit = Edit {
            title: self.title,
            description: self.description,
            priority: self.priority,
            story_points: self.story_points,
            criteria: self.acceptance_criteria_items.map(drafts),
            status: self.status,
            add: self.add_depends_on.unwrap_or_default(),
            remove: self.remove_depends_on.unwrap_or_default(),
            expected_version: self.expected_version,
        };
        let session = session::working(call, tx, self.session_uuid).await?;
        let mut outcome = task::update::update(call, tx, self.task_uuid, edit).await?;
        if let Some(session) = &session {
            session::stamp(call, &mut outcome.batch, session);
        }
        TaskView::answer(call, tx, outcome, Description::Omitted).await
    }
}

fn rows<T, R>(page: Page<T>, show: impl Fn(T) -> R) -> Page<R> {
    let rows = page.rows.into_iter().map(|row| Row { at: row.at, item: show(row.item) }).collect();
    Page { rows, total: page.total, more: page.more }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_create_tasks",
        family: "task",
        title: "Create tasks",
        description: "Create up to 200 tasks at once, all or none: quick tasks, or further tasks of an approved \
                      proposal. Each needs a title and at least one acceptance criterion. Order them with \
                      `dependsOnDraftUuids` (labels of this call) and `dependsOnTaskUuids` (tasks of the project). \
                      Next: chorus_claim_task.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            At::id("projectUuid", Kind::Project, Need::Editor),
            At::id("proposalUuid", Kind::Proposal, Need::Editor).inside("projectUuid").held(Hold::Share),
            // Owned, not shared: the dependency is an event of the prerequisite too, numbered under its lock.
            At::id("tasks[].dependsOnTaskUuids", Kind::Task, Need::Viewer).held(Hold::Own),
        ]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::Cycle, "the dependencies go round in a circle"),
            (Code::InvalidState, "the proposal is not approved"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "tasks": [
                {"draftUuid": "log", "title": "Write-ahead log", "acceptanceCriteriaItems": [{"description": "Edits survive a crash"}]},
                {"title": "Merge", "acceptanceCriteriaItems": [{"description": "Two edits of one line are shown side by side"}], "dependsOnDraftUuids": ["log"]}]
        }"#,
        run: write::<CreateTasks>(),
    },
    Tool {
        name: "chorus_update_task",
        family: "task",
        title: "Change a task",
        description: "Change what you name of a task and nothing else: title, description, priority, effort, \
                      acceptance criteria, dependencies (any editor, any status) or status (its assignee only). \
                      `in_progress` starts or resumes work and needs every prerequisite finished; `to_verify` hands \
                      it over. All or nothing.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            At::id("taskUuid", Kind::Task, Need::Editor).held(Hold::Own),
            At::id("addDependsOn", Kind::Task, Need::Viewer).held(Hold::Share).owning_project(),
            At::id("removeDependsOn", Kind::Task, Need::Viewer).held(Hold::Share).owning_project(),
            At::own("sessionUuid", Kind::Session),
        ]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::NotAssignee, "a status is given and somebody else holds the task"),
            (Code::InvalidTransition, "the status can't follow the present one"),
            (Code::BlockedByDependencies, "a prerequisite is not finished; the details name it"),
            (Code::Cycle, "the new dependencies go round in a circle"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
            (Code::NotFound, "the session is not one of the caller's"),
        ],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006", "status": "in_progress"}"#,
        run: write::<UpdateTask>(),
    },
    Tool {
        name: "chorus_list_tasks",
        family: "task",
        title: "List tasks",
        description: "Page through a project's tasks, high priority first, then newest; filter by status, priority \
                      or proposal. Rows are short: read one with chorus_get_task.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer), At::Filter("proposalUuids")]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "status": "to_verify"}"#,
        run: list::<ListTasks>(),
    },
    Tool {
        name: "chorus_get_task",
        family: "task",
        title: "Read a task",
        description: "Read one task in full: description, acceptance criteria with both marks, assignee, \
                      dependencies in both directions, number of comments. Prerequisites in projects that you can't \
                      see are only counted.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("taskUuid", Kind::Task, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"taskUuid": "0192f3a0-7d4c-7b1e-9a55-000000000006"}"#,
        run: read::<GetTask>(),
    },
    Tool {
        name: "chorus_get_available_tasks",
        family: "task",
        title: "List open tasks",
        description: "List the open tasks of a project, at most 50, which nobody holds yet. Some may wait for others; \
                      chorus_get_unblocked_tasks leaves those out. Next: chorus_claim_task.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer), At::Filter("proposalUuids")]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"}"#,
        run: list::<GetAvailableTasks>(),
    },
    Tool {
        name: "chorus_get_unblocked_tasks",
        family: "task",
        title: "List tasks that can start",
        description: "Page through the open and assigned tasks of a project whose prerequisites are all finished: work \
                      that can start now. Next: chorus_claim_task, or chorus_update_task for one you hold.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer), At::Filter("proposalUuids")]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"}"#,
        run: list::<GetUnblockedTasks>(),
    },
];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_dispatch::schema;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_ids_are_required_of_an_edit_and_only_titles_of_new_tasks() {
        let edit = schema::portable(&schema::write_input::<UpdateTask>());
        assert_eq!(edit["required"], json!(["taskUuid"]));
        assert_eq!(edit["properties"]["status"]["enum"], json!(["in_progress", "to_verify"]));
        let create = schema::portable(&schema::write_input::<CreateTasks>());
        assert_eq!(create["required"], json!(["projectUuid", "tasks"]));
        let items = &create["properties"]["tasks"];
        assert_eq!((&items["maxItems"], &items["items"]["required"]), (&json!(200), &json!(["title"])));
        let criteria = &items["items"]["properties"]["acceptanceCriteriaItems"]["items"];
        assert_eq!(criteria["required"], json!(["description"]));
    }
}
