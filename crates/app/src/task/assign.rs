//! Giving a task to somebody.

use chorus_domain::{
    Batch, Party,
    activity::Action,
    notification::{Topic, quoted},
    task::assigning,
};
use chorus_ids::TaskId;
use chorus_permissions::TASK_WRITE;
use chorus_store::{Outcome, Result, TaskDetail, Tx};
use serde_json::json;

use super::{assignee, get, moved, notice};
use crate::{Call, assignee::check};

/// Gives a task to a person or an agent, whoever held it before. Giving it to its holder writes nothing.
///
/// # Errors
/// See [`chorus_domain::assignee::require`] and [`assigning::assign`].
pub async fn assign(call: &Call, tx: &mut dyn Tx, id: TaskId, to: Party) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let by = call.party()?;
    check(call, tx, before.task.project, (to, TASK_WRITE)).await?;
    let Some(after) = assigning::assign(&before.task, to, by, call.now)? else {
        return Ok(Outcome { batch: Batch::default(), answer: before });
    };
    let mut value = json!({ "assigneeType": to.kind(), "assigneeUuid": to.uuid(), "assignedBy": by.uuid() });
    if let (Party::Agent(agent), Some(value)) = (to, value.as_object_mut()) {
        value.insert("agentUuid".into(), json!(agent));
    }
    let (mut batch, answer) = moved(call, before, after, Action::Assigned, Some(value));
    let task = &answer.task;
    let message = format!("{} assigned {} to you", call.caller.name, quoted(&task.title));
    batch.notices.push(notice(task, Topic::TaskAssigned, assignee(task), message));
    Ok(Outcome { batch, answer })
}
