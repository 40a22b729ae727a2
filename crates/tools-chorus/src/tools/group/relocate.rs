//! Moving a project into a group, or out of one.

use async_trait::async_trait;
use chorus_app::{
    Call,
    project::place::{MovePreview, Moved, relocate},
};
use chorus_dispatch::WriteTool;
use chorus_domain::{Refusal, membership::Step, project::Project};
use chorus_ids::{GroupId, ProjectId, Uuid};
use chorus_store::{Outcome, Result, Tx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::access::{ChangeLine, ReleasedView, SummaryView, changes};
use crate::{
    nullable,
    view::{Room, row_title},
};

/// Moves a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MoveProjectToGroup {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// The group to be in, or null for none. Always give it.
    #[serde(default, deserialize_with = "nullable::given")]
    #[schemars(with = "Option<Uuid>", extend("nullable" = true))]
    group_uuid: Option<Option<GroupId>>,
    /// True: only tell what the move would do.
    preview: Option<bool>,
    /// From your own preview of the same move.
    confirmation_token: Option<String>,
}

/// What came of it: the project, or a preview.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Relocated {
    /// As it is now.
    Project(ProjectView),
    /// What would become of it.
    Preview(PreviewView),
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProjectView {
    uuid: Uuid,
    name: String,
    group_uuid: Option<Uuid>,
    visibility: &'static str,
}

impl From<Project> for ProjectView {
    fn from(project: Project) -> Self {
        Self {
            uuid: project.id.uuid(),
            name: project.name,
            group_uuid: project.group.map(GroupId::uuid),
            visibility: project.visibility.as_str(),
        }
    }
}

/// What a move would do.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewView {
    project_uuid: Uuid,
    name: String,
    source_group_uuid: Option<Uuid>,
    group_uuid: Option<Uuid>,
    from_visibility: &'static str,
    visibility: &'static str,
    company_access: &'static str,
    changes: Vec<ChangeLine>,
    summary: SummaryView,
    released: ReleasedView,
    requires_confirmation: bool,
    confirmation_token: String,
}

impl From<MovePreview> for PreviewView {
    fn from(preview: MovePreview) -> Self {
        let (plan, impact) = (&preview.plan, &preview.plan.project.impact);
        Self {
            project_uuid: impact.project.uuid(),
            name: row_title(&preview.name),
            source_group_uuid: plan.source.map(GroupId::uuid),
            group_uuid: plan.target.map(GroupId::uuid),
            from_visibility: impact.from.as_str(),
            visibility: impact.to.as_str(),
            company_access: impact.company_access().as_str(),
            changes: changes(impact, preview.people.as_ref(), &mut Room::of_answer()),
            summary: impact.summary().into(),
            released: preview.released.into(),
            requires_confirmation: plan.requires_confirmation(),
            confirmation_token: preview.token,
        }
    }
}

#[async_trait]
impl WriteTool for MoveProjectToGroup {
    type Output = Relocated;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Relocated>> {
        let target = self.group_uuid.ok_or_else(|| {
            Refusal::invalid(
                "groupUuid",
                "is required; give a group's UUID, or null to take the project out of its group",
            )
        })?;
        let step = Step::of(self.preview, self.confirmation_token)?;
        let outcome = relocate(call, tx, self.project_uuid, target, step).await?;
        Ok(outcome.map(|moved| match moved {
            Moved::Project(project) => Relocated::Project(project.into()),
            Moved::Preview(preview) => Relocated::Preview(preview.into()),
        }))
    }
}
