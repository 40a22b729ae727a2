//! Making, renaming and deleting projects.

use async_trait::async_trait;
use chorus_app::{
    Call,
    project::{
        create as create_project,
        manage::{Removed, delete as delete_project, rename as rename_project},
    },
};
use chorus_domain::{
    Batch,
    group::Settings,
    project::{Project, ProjectForm},
};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_tools::view::ContentsView;
use serde::Serialize;

use super::{Shown, Which, find, hold::hold};
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        company::CompanyArgs,
        use_case::{UseCase, carry_out},
    },
    output::{self, Format},
};

/// A project to be made.
pub(super) struct Create {
    pub(super) company: CompanyArgs,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) visibility: Shown,
    pub(super) admin: Option<String>,
}

#[async_trait]
impl UseCase for Create {
    type Answer = Project;

    fn name(&self) -> &'static str {
        "project create"
    }

    fn stands_for(&self) -> Option<&str> {
        self.admin.as_deref()
    }

    fn company(&self) -> &CompanyArgs {
        &self.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Project>> {
        let form = ProjectForm {
            name: self.name.clone(),
            description: self.description.clone(),
            visibility: Some(self.visibility.into()),
        };
        create_project(call, tx, form, None).await
    }
}

/// A project as commands tell of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Told {
    project_uuid: String,
    name: String,
    description: Option<String>,
    visibility: &'static str,
    group_uuid: Option<String>,
}

impl From<Project> for Told {
    fn from(project: Project) -> Self {
        Self {
            project_uuid: project.id.to_string(),
            name: project.name,
            description: project.description,
            visibility: project.visibility.as_str(),
            group_uuid: project.group.map(|group| group.to_string()),
        }
    }
}

pub(super) async fn create(place: &Place, create: Create, format: Format) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let ownerless = create.admin.is_none();
    let made = Told::from(carry_out(&services, create).await?);
    output::answer(format, &made, || {
        format!("Made the {} project {}, {}.", made.visibility, made.name, made.project_uuid)
    })?;
    if ownerless {
        output::note(
            "Without --admin it has no administrator of its own; the first user of the workspace stands in. \
             `chorus project member add` makes one.",
        );
    }
    Ok(())
}

struct Rename {
    which: Which,
    settings: Settings,
}

#[async_trait]
impl UseCase for Rename {
    type Answer = Project;

    fn name(&self) -> &'static str {
        "project rename"
    }

    fn company(&self) -> &CompanyArgs {
        &self.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Project>> {
        let id = find(tx, call.caller.company, &self.which.project).await?.id;
        hold(call, tx, id, (Hold::Own, None)).await?;
        rename_project(call, tx, id, self.settings.clone()).await
    }
}

pub(super) async fn rename(place: &Place, which: Which, settings: Settings, format: Format) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let now = Told::from(carry_out(&services, Rename { which, settings }).await?);
    output::answer(format, &now, || format!("The project {} is called {} now.", now.project_uuid, now.name))
}

struct Delete {
    which: Which,
    yes: bool,
}

#[async_trait]
impl UseCase for Delete {
    type Answer = (Project, Removed);

    fn name(&self) -> &'static str {
        "project delete"
    }

    fn company(&self) -> &CompanyArgs {
        &self.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<(Project, Removed)>> {
        let project = find(tx, call.caller.company, &self.which.project).await?;
        hold(call, tx, project.id, (Hold::Remove, None)).await?;
        let outcome = delete_project(call, tx, project.id).await?.map(|removed| (project, removed));
        Ok(if self.yes { outcome } else { Outcome { batch: Batch::default(), ..outcome } })
    }
}

/// What goes with a project.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Gone {
    project_uuid: String,
    name: String,
    deleted: bool,
    #[serde(flatten)]
    contents: ContentsView,
}

pub(super) async fn delete(place: &Place, which: Which, yes: bool, format: Format) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let (project, removed) = carry_out(&services, Delete { which, yes }).await?;
    let (contents, waiting) = (removed.contents, removed.left_waiting);
    let gone =
        Gone { project_uuid: project.id.to_string(), name: project.name, deleted: yes, contents: (&removed).into() };
    output::answer(format, &gone, || {
        let mut text = format!(
            "{} {}, {}: {} ideas, {} proposals, {} documents, {} tasks, {} comments, {} references, {} notifications.",
            if yes { "Deleted" } else { "This would delete" },
            gone.name,
            gone.project_uuid,
            contents.ideas,
            contents.proposals,
            contents.documents,
            contents.tasks,
            contents.comments,
            contents.references,
            contents.notifications
        );
        if contents.claims > 0 {
            text.push_str(&format!("\nSomebody holds {} of the unfinished ones.", contents.claims));
        }
        if waiting > 0 {
            text.push_str(&format!("\n{waiting} tasks of other projects wait for some of it."));
        }
        if !yes {
            text.push_str("\nNothing was changed. Repeat the command with --yes to do it.");
        }
        text
    })
}
