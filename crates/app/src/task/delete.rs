//! Deleting a task.

use std::collections::BTreeSet;

use chorus_domain::{Batch, Kind, Write, event::Change, task::ending::Ending};
use chorus_ids::{TaskId, Uuid};
use chorus_store::{Hanging, Outcome, Reads, Result, TaskDetail, Tx};

use super::{ending, get};
use crate::{
    Call,
    deletion::{self, Deleted, Kept},
};

/// A task and what would go with it.
///
/// # Errors
/// Not found.
pub async fn preview(call: &Call, reads: &mut dyn Reads, id: TaskId) -> Result<(TaskDetail, Hanging)> {
    let detail = get(call, reads, id).await?;
    let hanging = reads.directory().hanging(Kind::Task, id.uuid()).await?;
    Ok((detail, hanging))
}

/// Deletes a task with what hangs on it. Its holder is told, and so is everybody who waits for it, unless it was finished
/// (README decision 5, lifecycle specification §6.5).
///
/// # Errors
/// Not found.
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: TaskId) -> Result<Outcome<Deleted>> {
    let detail = get(call, tx, id).await?;
    let (task, uuid) = (detail.task, id.uuid());
    let hanging = tx.directory().hanging(Kind::Task, uuid).await?;
    let holder = task.assignee.map(|held| held.to);
    let mut batch = Batch {
        writes: vec![Write::DropTask(id), Write::ArchiveAbout(Kind::Task, vec![uuid], call.now)],
        events: vec![call.event(task.project, Kind::Task, uuid, Change::Deleted)],
        notices: deletion::notice(call, task.project, holder, (Kind::Task, &task.title))?.into_iter().collect(),
        ..Batch::default()
    };
    if !task.status.is_finished() {
        ending::tell(call, tx, Ending::GivenUp, &[&task], &mut batch).await?;
    }
    // A dependency shows on both of its tasks.
    let told: BTreeSet<Uuid> = batch.events.iter().map(|event| event.entity_id).collect();
    let beside = detail.depends_on.visible.iter().chain(&detail.depended_by.visible);
    let beside: Vec<TaskId> = beside.map(|task| task.id).filter(|id| !told.contains(&id.uuid())).collect();
    for (other, project) in tx.task_refs(&call.scope, &beside).await? {
        batch.events.push(call.event(project, Kind::Task, other.id.uuid(), Change::Updated));
    }
    let kept = Kept { dependants: detail.depended_by.visible.len(), ..Kept::default() };
    Ok(Outcome { batch, answer: Deleted { kind: Kind::Task, id: uuid, title: task.title, hanging, kept } })
}
