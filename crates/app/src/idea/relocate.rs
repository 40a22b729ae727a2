//! Moving an idea to another project, with all that follows it.

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    idea::{self as decide, Following, Idea},
};
use chorus_ids::{IdeaId, PageSize, ProjectId, Uuid};
use chorus_store::{Outcome, PageRequest, Reads, Result, Tx};
use chorus_visibility::{Level, level};
use serde_json::json;

use super::{load, target};
use crate::Call;

/// An idea in its new project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The idea.
    pub idea: Idea,
    /// How much moved.
    pub following: Following,
}

/// How much would move with an idea from the project in which it is.
///
/// # Errors
/// Not found.
pub async fn following(call: &Call, reads: &mut dyn Reads, id: IdeaId) -> Result<Following> {
    let idea = reads.idea(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Idea))?;
    reads.directory().following(id, idea.project).await
}

/// The projects that something in this one may be moved to by the caller: those where they may write, by name. At most
/// a hundred, latest updated first, are looked at.
///
/// # Errors
/// What the store reports.
pub async fn destinations(call: &Call, reads: &mut dyn Reads, from: ProjectId) -> Result<Vec<(ProjectId, String)>> {
    let seen = reads.projects(&call.scope, &PageRequest::first(PageSize::MAX)).await?;
    let things: Vec<(Kind, Uuid)> = seen.rows.iter().map(|row| (Kind::Project, row.item.project.id.uuid())).collect();
    let located = reads.directory().locate(&call.caller.principal, &things).await?;
    let mut open: Vec<(ProjectId, String)> = located
        .into_iter()
        .filter(|found| found.facts.project != from && level(&call.caller.principal, &found.facts) >= Level::Editor)
        .map(|found| (found.facts.project, found.project_name))
        .collect();
    open.sort_by_cached_key(|(id, name)| (name.to_lowercase(), *id));
    Ok(open)
}

/// Moves an idea to another project (lifecycle specification §2.5). With it go the ideas below it, and of the proposals
/// of its old project those that start from one of them, with their documents and tasks. A proposal elsewhere that names
/// the idea stays: whoever moves the idea need not even see it.
///
/// # Errors
/// See [`decide::relocate`].
pub async fn relocate(call: &Call, tx: &mut dyn Tx, id: IdeaId, to: ProjectId) -> Result<Outcome<Moved>> {
    let before = load(call, tx, id).await?;
    let from = before.project;
    let idea = decide::relocate(&before, to, call.now)?;
    let following = tx.directory().following(id, from).await?;
    let value = json!({
        "fromProjectUuid": from, "fromProjectName": call.project(from)?.name,
        "toProjectUuid": to, "toProjectName": call.project(to)?.name,
        "moved": {
            "ideas": following.ideas, "proposals": following.proposals, "documents": following.documents,
            "tasks": following.tasks, "activities": following.activities
        }
    });
    let changed = |project, id: IdeaId| call.event(project, Kind::Idea, id.uuid(), Change::Updated);
    let batch = Batch {
        writes: vec![Write::SaveIdea(idea.clone()), Write::MoveAlong(id, from, to, call.now)],
        activities: vec![call.activity(to, target(&idea), Action::Moved, Some(value))],
        // Both projects show it; the parent that stays behind shows one child less.
        events: [changed(from, id), changed(to, id)]
            .into_iter()
            .chain(before.parent.map(|parent| changed(from, parent)))
            .collect(),
        notices: Vec::new(),
    };
    Ok(Outcome { batch, answer: Moved { idea, following } })
}
