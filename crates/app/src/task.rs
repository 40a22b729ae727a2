//! Use cases: tasks.

use std::collections::BTreeMap;

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    event::Change,
    notification::{Notice, Recipient, Topic},
    session::fresh_since,
    task::{Holder, Task, TaskRef, blocked::Blocked, criteria, work::resets_marks},
};
use chorus_ids::{ProjectId, TaskId, Uuid};
use chorus_store::{Page, PageRequest, Reads, Result, TaskDetail, TaskFilter};
use serde_json::Value;

use crate::Call;

pub mod assign;
pub mod create;
pub mod delete;
pub mod ending;
pub mod marks;
pub mod update;
pub mod work;

/// One task with its criteria and what stands around it.
///
/// # Errors
/// Not found outside the caller's scope.
pub async fn get(call: &Call, reads: &mut dyn Reads, id: TaskId) -> Result<TaskDetail> {
    let found = reads.task_detail(&call.scope, id).await?;
    found.ok_or_else(|| Refusal::not_found(Kind::Task).into())
}

/// A page of a project's tasks: high, medium, low; newest first.
///
/// # Errors
/// What the store reports.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    project: ProjectId,
    filter: &TaskFilter,
    page: &PageRequest,
) -> Result<Page<Task>> {
    reads.tasks(&call.scope, project, filter, page).await
}

/// Whoever holds something unfinished in a project that the call may touch, by name.
///
/// # Errors
/// Not found for a project that the call was not authorised for.
pub async fn holders_of(call: &Call, reads: &mut dyn Reads, project: ProjectId) -> Result<Vec<Holder>> {
    call.project(project)?;
    let parties = reads.directory().holders_in(&[project]).await?;
    let found = holders(call, reads, parties.into_iter().map(|(_, party, _)| party)).await?;
    let mut found: Vec<Holder> = found.into_values().collect();
    found.sort_by(|a, b| a.name.cmp(&b.name).then(a.party.cmp(&b.party)));
    Ok(found)
}

/// The task as activities and events name it.
fn named(task: &Task) -> (Kind, Uuid, &str) {
    (Kind::Task, task.id.uuid(), &task.title)
}

/// Whoever holds the task, with a name.
async fn holder(call: &Call, reads: &mut dyn Reads, task: &Task) -> Result<Option<Holder>> {
    let Some(assignment) = task.assignee else { return Ok(None) };
    Ok(holders(call, reads, [assignment.to]).await?.remove(&assignment.to))
}

/// Whoever holds the task, if that is not the caller: only a refusal needs to know.
async fn other_holder(call: &Call, reads: &mut dyn Reads, task: &Task) -> Result<Option<Holder>> {
    if call.caller.holds(task.assignee.map(|assignment| assignment.to)) {
        return Ok(None);
    }
    holder(call, reads, task).await
}

async fn holders(
    call: &Call,
    reads: &mut dyn Reads,
    parties: impl IntoIterator<Item = Party>,
) -> Result<BTreeMap<Party, Holder>> {
    // Who is gone keeps what they held; there is no name for them any more.
    let unknown = |party| (party, Holder { party, name: "Unknown".to_owned() });
    let mut holders: BTreeMap<Party, Holder> = parties.into_iter().map(unknown).collect();
    if holders.is_empty() {
        return Ok(holders);
    }
    let parties: Vec<Party> = holders.keys().copied().collect();
    for named in reads.names(&call.scope, &parties).await? {
        holders.insert(named.party, Holder { party: named.party, name: named.name });
    }
    Ok(holders)
}

/// Passes if nothing blocks.
async fn require_unblocked(call: &Call, reads: &mut dyn Reads, blocked: &Blocked<'_>) -> Result<()> {
    if blocked.is_empty() {
        return Ok(());
    }
    let holders = holders(call, reads, blocked.named.iter().filter_map(|task| task.assignee)).await?;
    let holder = |task: &TaskRef| task.assignee.and_then(|party| holders.get(&party).cloned());
    let named: Vec<TaskId> = blocked.named.iter().map(|task| task.id).collect();
    let workers = reads.workers(&call.scope, &named, fresh_since(call.now)).await?;
    let worker = |task: &TaskRef| workers.iter().find(|worker| worker.task == task.id);
    Err(blocked.refusal(holder, worker).into())
}

/// What every move writes: the task as it is now, its marks taken back where the move asks for that, an activity and
/// an event. With it the task as it is to be shown.
fn moved(call: &Call, before: TaskDetail, after: Task, action: Action, value: Option<Value>) -> (Batch, TaskDetail) {
    let mut batch = Batch::default();
    let shown = saved(&mut batch, before, after);
    let task = &shown.task;
    batch.activities.push(call.activity(task.project, named(task), action, value));
    batch.events.push(call.event(task.project, Kind::Task, task.id.uuid(), Change::Updated));
    (batch, shown)
}

/// Saves the task as it is now, and takes its marks back where the change of status asks for that.
fn saved(batch: &mut Batch, before: TaskDetail, after: Task) -> TaskDetail {
    let reset = resets_marks(&before.task, &after);
    batch.writes.push(Write::SaveTask(after.clone()));
    let criteria = if reset {
        batch.writes.push(Write::ResetMarks(after.id));
        criteria::reset(before.criteria)
    } else {
        before.criteria
    };
    TaskDetail { task: after, criteria, ..before }
}

fn notice(task: &Task, topic: Topic, to: Vec<Recipient>, message: String) -> Notice {
    Notice {
        to,
        topic,
        project: task.project,
        entity: Kind::Task,
        entity_id: task.id.uuid(),
        entity_title: task.title.clone(),
        message,
    }
}

/// The assignee and the creator.
fn involved(task: &Task) -> Vec<Recipient> {
    assignee(task).into_iter().chain([Recipient::Party(task.created_by)]).collect()
}

fn assignee(task: &Task) -> Vec<Recipient> {
    task.assignee.map(|assignment| Recipient::Party(assignment.to)).into_iter().collect()
}
