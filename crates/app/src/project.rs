//! Use cases: projects.

use std::collections::BTreeSet;

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::{Action, Activity},
    event::Change,
    project::{Project, ProjectForm, create as new_project},
};
use chorus_ids::{GroupId, ProjectId};
use chorus_store::{Outcome, Page, PageRequest, ProjectSummary, Reads, Result, Tx};
use chorus_visibility::{ChildAccess, GroupAccess, group_access};
use serde_json::{Value, json};

use crate::Call;

pub mod at_hand;
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
    let mut page = reads.activities(&call.scope, project, page).await?;
    redact(call, reads, &mut page).await?;
    Ok(page)
}

/// Where an idea came from or went to is told to those who see that project; to others, only that it moved.
async fn redact(call: &Call, reads: &mut dyn Reads, page: &mut Page<Activity>) -> Result<()> {
    const SIDES: [(&str, &str); 2] = [("fromProjectUuid", "fromProjectName"), ("toProjectUuid", "toProjectName")];
    let moves = || page.rows.iter().filter(|row| row.item.action == Action::Moved);
    let named = moves()
        .filter_map(|row| row.item.value.as_ref())
        .flat_map(|value| SIDES.iter().filter_map(|(uuid, _)| value.get(*uuid)?.as_str()?.parse::<ProjectId>().ok()));
    let named: BTreeSet<ProjectId> = named.collect();
    if named.is_empty() {
        return Ok(());
    }
    let named: Vec<ProjectId> = named.into_iter().collect();
    let seen: BTreeSet<String> =
        reads.visible_projects(&call.scope, &named).await?.iter().map(ProjectId::to_string).collect();
    for row in page.rows.iter_mut().filter(|row| row.item.action == Action::Moved) {
        let Some(Value::Object(value)) = &mut row.item.value else { continue };
        for (uuid, name) in SIDES {
            if value.get(uuid).and_then(Value::as_str).is_some_and(|id| !seen.contains(id)) {
                value.remove(uuid);
                value.remove(name);
            }
        }
    }
    Ok(())
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
