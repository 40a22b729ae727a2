//! Name, description and end of a project, and whether somebody has it at hand.

use async_trait::async_trait;
use chorus_app::{
    Call,
    project::{
        at_hand::pin,
        manage::{delete, rename},
    },
};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{
    Kind, Refusal,
    group::Settings,
    refusal::{Problem, Reason},
};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Renames and describes a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RenameProject {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Its new name.
    name: Option<String>,
    /// What it is about from now on; empty for nothing.
    description: Option<String>,
}

/// A project that was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Project {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: ProjectId,
    /// What it is called.
    name: String,
}

#[async_trait]
impl WriteTool for RenameProject {
    type Output = Project;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Project>> {
        let settings = Settings { name: self.name, description: self.description };
        let renamed = rename(call, tx, self.project_uuid, settings).await?;
        Ok(renamed.map(|project| Project { uuid: project.id, name: project.name }))
    }
}

/// Pins a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PinProject {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Whether it is to be pinned from now on.
    pinned: bool,
}

/// Whether a project is pinned.
#[derive(Serialize, JsonSchema)]
struct Pinned {
    /// The project.
    #[schemars(with = "Uuid")]
    uuid: ProjectId,
    /// Whether the caller has pinned it.
    pinned: bool,
}

#[async_trait]
impl WriteTool for PinProject {
    type Output = Pinned;

    async fn run(self, call: &Call, _tx: &mut dyn Tx) -> Result<Outcome<Pinned>> {
        let Self { project_uuid: uuid, pinned } = self;
        Ok(pin(call, uuid, pinned)?.map(|()| Pinned { uuid, pinned }))
    }
}

/// Deletes a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteProject {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// What it is called, typed again: there is no way back.
    confirm_name: String,
}

/// What went with a project.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Gone {
    /// The project.
    #[schemars(with = "Uuid")]
    uuid: ProjectId,
    /// How many tasks of other projects waited for one of its tasks.
    left_waiting: u64,
}

#[async_trait]
impl WriteTool for DeleteProject {
    type Output = Gone;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Gone>> {
        let uuid = self.project_uuid;
        typed_again(&call.project(uuid)?.name, &self.confirm_name)?;
        Ok(delete(call, tx, uuid).await?.map(|removed| Gone { uuid, left_waiting: removed.left_waiting }))
    }
}

/// Passes if a name was typed as it stands, blanks around it aside.
pub(crate) fn typed_again(name: &str, typed: &str) -> Result<(), Refusal> {
    if typed.trim() == name.trim() {
        return Ok(());
    }
    let other = Problem::new("confirmName", "is not the name; type it as it is written to delete this for good");
    Err(Refusal::problems(vec![other.because(Reason::NotTheName)]))
}

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_rename_project",
        family: "project",
        title: "Rename a project",
        description: "Change the name and the description of a project.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Manage).held(Hold::Own)]),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "name": "Billing"}"#,
        run: write::<RenameProject>(),
    },
    Tool {
        name: "console_pin_project",
        family: "project",
        title: "Pin a project",
        description: "Keep a project at hand on your own pages, or no longer.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
        hints: Hints::SETS,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "pinned": true}"#,
        run: write::<PinProject>(),
    },
    Tool {
        name: "console_delete_project",
        family: "project",
        title: "Delete a project",
        description: "Delete a project for good, with everything in it. Its name is typed again.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Manage).held(Hold::Remove)]),
        hints: Hints::ENDS,
        refuses: &[],
        example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001", "confirmName": "Billing"}"#,
        run: write::<DeleteProject>(),
    },
];
