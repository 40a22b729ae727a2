//! Renaming, describing and deleting projects.

use std::collections::BTreeSet;

use chorus_domain::{
    Batch, Kind, Party, Write,
    event::Change,
    group::Settings,
    membership::project_denied,
    notification::{Notice, Recipient, Topic, quoted},
    project::Project,
    task::{Task, ending::Ending},
};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Contents, Outcome, Reads, Result, Tx};
use chorus_visibility::{Need, level, permits};

use crate::{Call, access::Placed, task::ending};

/// Changes name and description of a project. No activity tells of it (visibility specification §6.7).
///
/// # Errors
/// Texts that can't be stored; not found, `forbidden` for who may not manage the project.
pub async fn rename(call: &Call, tx: &mut dyn Tx, id: ProjectId, settings: Settings) -> Result<Outcome<Project>> {
    settings.check()?;
    let placed = Placed::load(call, tx, id, None).await?;
    require_manage(call, &placed)?;
    if settings.is_empty() {
        return Ok(Outcome { batch: Batch::default(), answer: placed.project });
    }
    let project = settings.of_project(&placed.project, call.now);
    let batch = Batch {
        writes: vec![Write::SaveProject(project.clone())],
        events: vec![call.event(id, Kind::Project, id.uuid(), Change::Updated)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer: project })
}

/// What went with projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The projects.
    pub projects: Vec<ProjectId>,
    /// What was in them.
    pub contents: Contents,
    /// Tasks of other projects that waited for one of theirs, and stay.
    pub left_waiting: u64,
}

/// What would go with a project; nothing is changed.
///
/// # Errors
/// As [`delete`].
pub async fn contents(call: &Call, reads: &mut dyn Reads, id: ProjectId) -> Result<Contents> {
    let placed = Placed::load(call, reads, id, None).await?;
    require_manage(call, &placed)?;
    reads.directory().contents(&[id]).await
}

/// Deletes a project with everything in it, its notifications too (README decision 25). Those who held something
/// unfinished in it are told, and so are those who wait elsewhere for a task of it.
///
/// # Errors
/// Not found, `forbidden` for who may not manage the project.
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: ProjectId) -> Result<Outcome<Removed>> {
    let placed = Placed::load(call, tx, id, None).await?;
    require_manage(call, &placed)?;
    let (batch, answer) = remove(call, tx, &[placed.project]).await?;
    Ok(Outcome { batch, answer })
}

fn require_manage(call: &Call, placed: &Placed) -> Result<()> {
    if call.caller.subject == chorus_domain::Subject::Operator {
        return Ok(());
    }
    let facts = &placed.snapshot.facts;
    let access = permits(level(&call.caller.principal, facts), facts.visibility, Need::Manage);
    Ok(access.granted().map_err(project_denied)?)
}

/// Tells a holder that the project of what they held is gone.
fn lost(call: &Call, project: &Project, holder: Party, held: u64) -> Notice {
    let things = if held == 1 { "one unfinished thing".to_owned() } else { format!("{held} unfinished things") };
    Notice {
        to: vec![Recipient::Party(holder)],
        topic: Topic::Deleted,
        project: project.id,
        entity: Kind::Project,
        entity_id: project.id.uuid(),
        entity_title: project.name.clone(),
        message: format!(
            "{} deleted the project {}, in which you held {things}",
            call.caller.name,
            quoted(&project.name)
        ),
    }
}

/// What deleting these projects writes, and what goes with them.
pub(crate) async fn remove(call: &Call, tx: &mut dyn Tx, projects: &[Project]) -> Result<(Batch, Removed)> {
    let ids: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
    if ids.is_empty() {
        return Ok((Batch::default(), Removed::default()));
    }
    let contents = tx.directory().contents(&ids).await?;
    let awaited = tx.directory().awaited_elsewhere(&ids).await?;
    let mut batch = Batch { writes: vec![Write::DeleteProjects(ids.clone())], ..Batch::default() };
    for (project, holder, held) in tx.directory().holders_in(&ids).await? {
        batch
            .notices
            .extend(projects.iter().find(|gone| gone.id == project).map(|gone| lost(call, gone, holder, held)));
    }
    if !awaited.is_empty() {
        let ended: Vec<&Task> = awaited.iter().collect();
        let mut told = Batch::default();
        ending::tell(call, tx, Ending::GivenUp, &ended, &mut told).await?;
        // Who waits inside goes too.
        told.activities.retain(|activity| !ids.contains(&activity.project));
        told.events.retain(|event| event.project.is_none_or(|project| !ids.contains(&project)));
        told.notices.retain(|notice| !ids.contains(&notice.project));
        batch.extend(told);
    }
    let waiting: BTreeSet<Uuid> = batch.activities.iter().map(|activity| activity.target_id).collect();
    let removed = Removed { projects: ids.clone(), contents, left_waiting: waiting.len() as u64 };
    batch.events.extend(ids.iter().map(|id| call.event(*id, Kind::Project, id.uuid(), Change::Deleted)));
    Ok((batch, removed))
}
