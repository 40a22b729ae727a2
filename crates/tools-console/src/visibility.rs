//! Who sees a project (visibility specification §6.4).

use async_trait::async_trait;
use chorus_app::{
    Call,
    project::visibility::{Shown, VisibilityPreview, set_visibility},
};
use chorus_dispatch::{
    Access, At, Hints, Requirement, Tool, WriteTool,
    tool::{Destructive, Idempotent, write},
};
use chorus_domain::{Code, Kind, group::Settings, membership::Step};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_tools::{
    tools::group::access::{ChangeLine, ReleasedView, SummaryView, changes},
    view::Room,
    words,
};
use chorus_visibility::{Need, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gives a project another visibility.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetVisibility {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Who shall see it.
    #[schemars(schema_with = "words::visibility")]
    visibility: Visibility,
    /// True: only tell what that would do.
    preview: Option<bool>,
    /// From your own preview of the same change.
    confirmation_token: Option<String>,
}

/// What came of it: the project, or a preview.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Applied {
    /// As it is now.
    Project {
        /// The project.
        uuid: Uuid,
        /// Who sees it now.
        visibility: &'static str,
    },
    /// What would become of it.
    Preview(PreviewView),
}

/// What the change would do.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PreviewView {
    project_uuid: Uuid,
    name: String,
    from_visibility: &'static str,
    visibility: &'static str,
    company_access: &'static str,
    changes: Vec<ChangeLine>,
    summary: SummaryView,
    released: ReleasedView,
    confirmation_token: String,
}

impl From<VisibilityPreview> for PreviewView {
    fn from(preview: VisibilityPreview) -> Self {
        let impact = &preview.plan.impact;
        Self {
            project_uuid: impact.project.uuid(),
            from_visibility: impact.from.as_str(),
            visibility: impact.to.as_str(),
            company_access: impact.company_access().as_str(),
            changes: changes(impact, preview.people.as_ref(), &mut Room::of_answer()),
            summary: impact.summary().into(),
            released: preview.released.into(),
            name: preview.name,
            confirmation_token: preview.token,
        }
    }
}

#[async_trait]
impl WriteTool for SetVisibility {
    type Output = Applied;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Applied>> {
        let step = Step::of(self.preview, self.confirmation_token)?;
        let outcome = set_visibility(call, tx, self.project_uuid, self.visibility, Settings::default(), step).await?;
        Ok(outcome.map(|shown| match shown {
            Shown::Project(project) => {
                Applied::Project { uuid: project.id.uuid(), visibility: project.visibility.as_str() }
            }
            Shown::Preview(preview) => Applied::Preview(preview.into()),
        }))
    }
}

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[Tool {
    name: "console_set_project_visibility",
    family: "project",
    title: "Change who sees a project",
    description: "Make a project public or private: first with `preview: true`, which changes nothing and tells the \
                  impact; then the same with its `confirmationToken`.",
    requirement: Requirement::PUBLIC,
    access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Admin).held(Hold::Own).owning_project()]),
    hints: Hints { destructive: Destructive::Yes, idempotent: Idempotent::Yes },
    refuses: &[
        (Code::InvalidState, "the project is in a private group, which holds private projects only"),
        (Code::StaleConfirmation, "the confirmation token is missing or no longer fits"),
    ],
    example: r#"{
        "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
        "visibility": "private",
        "preview": true
    }"#,
    run: write::<SetVisibility>(),
}];
