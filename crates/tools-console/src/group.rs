//! The end of a group, confirmed by its name.

use async_trait::async_trait;
use chorus_app::{
    Call,
    group::{
        Roster,
        delete::{Projects, delete},
        read,
    },
};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::Code;
use chorus_ids::{GroupId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::project::typed_again;

/// Deletes a group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteGroup {
    /// The group.
    #[schemars(with = "Uuid")]
    group_uuid: GroupId,
    /// Also delete its projects with everything in them.
    delete_projects: Option<bool>,
    /// What the group is called, typed again: there is no way back.
    confirm_name: String,
}

/// What went with a group, and what stayed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Gone {
    /// The group.
    #[schemars(with = "Uuid")]
    uuid: GroupId,
    /// How many of its projects stay, in no group.
    kept_projects: usize,
    /// How many went with it.
    deleted_projects: usize,
}

#[async_trait]
impl WriteTool for DeleteGroup {
    type Output = Gone;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Gone>> {
        let group = read(call, tx, self.group_uuid, Roster::Omitted).await?.group;
        typed_again(&group.name, &self.confirm_name)?;
        let fate = if self.delete_projects == Some(true) { Projects::Deleted } else { Projects::Kept };
        Ok(delete(call, tx, self.group_uuid, fate).await?.map(|gone| Gone {
            uuid: gone.group,
            kept_projects: gone.kept.len(),
            deleted_projects: gone.removed.projects.len(),
        }))
    }
}

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[Tool {
    name: "console_delete_group",
    family: "group",
    title: "Delete a project group",
    description: "Delete a group for good; its projects stay, in no group, or go with everything in them. The group's name \
                  is typed again.",
    requirement: Requirement::PUBLIC,
    access: Access::company(
        "the group decides before its projects do, so that a refusal tells nothing of hidden ones",
        &[At::Group("groupUuid"), At::Via { path: "groupUuid", expand: Expand::RemovedGroup }],
    ),
    hints: Hints::ENDS,
    refuses: &[
        (Code::Forbidden, "the caller does not administer the group, or may not manage one of its projects"),
        (Code::NotFound, "the group does not exist or is hidden"),
        (Code::LastAdmin, "a project that stays would have no administrator"),
    ],
    example: r#"{
        "groupUuid": "0192f3a0-7d4c-7b1e-9a55-000000000002",
        "deleteProjects": false,
        "confirmName": "Platform"
    }"#,
    run: write::<DeleteGroup>(),
}];
