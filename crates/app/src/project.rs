//! Use cases: projects.

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::{Action, Activity},
    event::Change,
    project::{Project, ProjectForm, create as new_project},
};
use chorus_ids::{GroupId, ProjectId};
use chorus_store::{Outcome, Page, PageRequest, ProjectSummary, Reads, Result, Tx};
use chorus_visibility::{ChildAccess, GroupAccess, group_access};
use serde_json::json;

use crate::Call;

pub mod manage;
pub mod place;
pub mod visibility;

/// One project with its counts.
///
/// # Errors
/// Not found outside the caller's scope.
pub async fn get(call: &Call, reads: &mut dyn Reads, id: ProjectId) -> Result<ProjectSummary> {
    let found = reads.project(&call.scope, id).await?;
    found.ok_or_else(|| Refusal::not_found(Kind::Project).into())
}

/// A page of the projects that the caller sees, latest updated first.
///
/// # Errors
/// What the store reports.
pub async fn list(call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<ProjectSummary>> {
    reads.projects(&call.scope, page).await
}

/// A page of a project's activity stream, newest first.
///
/// # Errors
/// What the store reports.
pub async fn activities(
    call: &Call,
    reads: &mut dyn Reads,
    project: ProjectId,
    page: &PageRequest,
) -> Result<Page<Activity>> {
    reads.activities(&call.scope, project, page).await
}

/// Makes a project, perhaps in a group. The caller's owner becomes its first administrator (visibility specification
/// §6.1).
///
/// # Errors
/// Not found for a group that the caller does not see; see [`new_project`].
pub async fn create(
    call: &Call,
    tx: &mut dyn Tx,
    form: ProjectForm,
    group: Option<GroupId>,
) -> Result<Outcome<Project>> {
    let group = match group {
        None => None,
        Some(group) => Some(access_to(call, tx, group).await?),
    };
    let (project, admin) = new_project(form, &call.caller, group.as_ref(), call.new_id(), call.now)?;
    let (id, uuid) = (project.id, project.id.uuid());
    let value = json!({ "visibility": project.visibility.as_str() });
    let batch = Batch {
        writes: [Write::NewProject(project.clone())].into_iter().chain(admin.map(Write::PutProjectMember)).collect(),
        activities: vec![call.activity(id, (Kind::Project, uuid, &project.name), Action::Created, Some(value))],
        events: vec![call.event(id, Kind::Project, uuid, Change::Created)],
        notices: Vec::new(),
    };
    Ok(Outcome { batch, answer: project })
}

async fn access_to(call: &Call, tx: &mut dyn Tx, group: GroupId) -> Result<GroupAccess> {
    let principal = &call.caller.principal;
    let found = tx.directory().group(principal, group).await?;
    let group = found.ok_or_else(|| Refusal::not_found(Kind::Group))?;
    let children = if group.sees_child { ChildAccess::Some } else { ChildAccess::None };
    Ok(group_access(principal, principal.company, &group.facts, children))
}
