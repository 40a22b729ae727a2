//! Tools that give ideas to somebody, move them, and delete them.

use async_trait::async_trait;
use chorus_app::{
    Call,
    idea::{
        assign,
        delete::delete,
        relocate::{self, Moved},
    },
};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, Party, Refusal, idea::Idea};
use chorus_ids::{IdeaId, ProjectId, Uuid};
use chorus_permissions::{IDEA_ADMIN, IDEA_WRITE};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{tools::deleted::DeletedView, view::ProjectRef, words};

/// Gives an idea to somebody.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AssignIdea {
    /// The idea to hand over.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// What `assigneeUuid` is.
    #[schemars(schema_with = "words::assignee_type")]
    assignee_type: String,
    /// Who is to hold it.
    assignee_uuid: Uuid,
}

/// An idea with its new holder. Nobody is woken: agents learn of it from their notifications.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AssignedIdea {
    uuid: Uuid,
    status: &'static str,
    assignee: Option<HolderView>,
    wake_requested: bool,
    target: Option<Map<String, Value>>,
    version: i32,
}

#[derive(Serialize, JsonSchema)]
struct HolderView {
    #[serde(rename = "type")]
    kind: &'static str,
    uuid: Uuid,
}

impl AssignedIdea {
    fn of(idea: &Idea) -> Self {
        Self {
            uuid: idea.id.uuid(),
            status: idea.status.as_str(),
            assignee: idea.assignee.map(|held| HolderView { kind: held.to.kind(), uuid: held.to.uuid() }),
            wake_requested: false,
            target: None,
            version: idea.version,
        }
    }
}

#[async_trait]
impl WriteTool for AssignIdea {
    type Output = AssignedIdea;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<AssignedIdea>> {
        let to = Party::read(&self.assignee_type, self.assignee_uuid)
            .ok_or_else(|| Refusal::invalid("assigneeType", "must be `agent` or `user`"))?;
        Ok(assign::assign(call, tx, self.idea_uuid, to).await?.map(|idea| AssignedIdea::of(&idea)))
    }
}

/// Moves an idea to another project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MoveIdea {
    /// The idea to move.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// The project it moves to.
    #[schemars(with = "Uuid")]
    target_project_uuid: ProjectId,
}

/// An idea in its new project.
#[derive(Serialize, JsonSchema)]
struct MovedIdea {
    uuid: Uuid,
    project: ProjectRef,
    moved: MovedCounts,
    version: i32,
}

/// How much moved.
#[derive(Serialize, JsonSchema)]
struct MovedCounts {
    ideas: u64,
    proposals: u64,
    documents: u64,
    tasks: u64,
    activities: u64,
}

#[async_trait]
impl WriteTool for MoveIdea {
    type Output = MovedIdea;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<MovedIdea>> {
        let Outcome { batch, answer } = relocate::relocate(call, tx, self.idea_uuid, self.target_project_uuid).await?;
        let Moved { idea, following } = answer;
        let answer = MovedIdea {
            uuid: idea.id.uuid(),
            project: ProjectRef { uuid: idea.project, name: call.project(idea.project)?.name.clone() },
            moved: MovedCounts {
                ideas: following.ideas,
                proposals: following.proposals,
                documents: following.documents,
                tasks: following.tasks,
                activities: following.activities,
            },
            version: idea.version,
        };
        Ok(Outcome { batch, answer })
    }
}

/// Deletes an idea.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteIdea {
    /// The idea to delete.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

#[async_trait]
impl WriteTool for DeleteIdea {
    type Output = DeletedView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DeletedView>> {
        Ok(delete(call, tx, self.idea_uuid).await?.map(DeletedView::of))
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_assign_idea",
        family: "idea",
        title: "Assign an idea",
        description: "Give an idea to an agent or person, in place of whoever holds it. They must be able to edit the \
                      project; an agent needs idea:write. An open idea becomes `elaborating`. Both they and its maker \
                      are told.",
        requirement: Requirement::bit(IDEA_ADMIN),
        access: Access::resource(&[
            At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own),
            At::Part { path: "assigneeUuid", reason: "users and agents are looked up in the project's company" },
        ]),
        hints: Hints::SETS,
        refuses: &[
            (Code::NotFound, "the assignee does not exist"),
            (Code::AssigneeNoAccess, "the assignee may not edit the project, or is an agent without `idea:write`"),
        ],
        example: r#"{
            "ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003",
            "assigneeType": "agent",
            "assigneeUuid": "0192f3a0-7d4c-7b1e-9a55-00000000000d"
        }"#,
        run: write::<AssignIdea>(),
    },
    Tool {
        name: "chorus_move_idea",
        family: "idea",
        title: "Move an idea",
        description: "Move an idea to another project that you may edit, with every idea below it and the proposals, \
                      documents and tasks that came of them. It leaves its parent. The answer counts what moved.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[
            At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own).owning_project(),
            At::id("targetProjectUuid", Kind::Project, Need::Editor),
        ]),
        hints: Hints::MOVES,
        refuses: &[],
        example: r#"{
            "ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003",
            "targetProjectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"
        }"#,
        run: write::<MoveIdea>(),
    },
    Tool {
        name: "chorus_admin_delete_idea",
        family: "idea",
        title: "Delete an idea",
        description: "Delete an idea for good, with its comments, questions and references. Ideas below it become \
                      top-level; proposals made from it stay. The answer counts both. Its holder is told.",
        requirement: Requirement::bit(IDEA_ADMIN),
        access: Access::resource(&[At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Remove).owning_project()]),
        hints: Hints::ENDS,
        refuses: &[],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: write::<DeleteIdea>(),
    },
];
