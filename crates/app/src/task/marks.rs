//! Marks on acceptance criteria.

use chorus_domain::{
    Batch, Kind, Write,
    event::Change,
    task::{
        Judgement,
        criteria::{Opinion, Side, judge, marked, take_back},
        work::require_assignee,
    },
};
use chorus_ids::{CriterionId, TaskId};
use chorus_store::{Outcome, Result, TaskDetail, Tx};

use super::{get, other_holder};
use crate::Call;

/// The assignee's own judgement of some criteria. It counts for nothing in verification.
///
/// # Errors
/// `not_assignee`; see [`judge`].
pub async fn self_check(call: &Call, tx: &mut dyn Tx, id: TaskId, opinions: &[Opinion]) -> Result<Outcome<TaskDetail>> {
    let detail = get(call, tx, id).await?;
    let holder = other_holder(call, tx, &detail.task).await?;
    require_assignee(&detail.task, holder.as_ref(), &call.caller, "check its criteria")?;
    mark(call, detail, opinions, Side::SelfCheck)
}

/// A reviewer's verdict on some criteria.
///
/// # Errors
/// See [`judge`].
pub async fn verdict(call: &Call, tx: &mut dyn Tx, id: TaskId, opinions: &[Opinion]) -> Result<Outcome<TaskDetail>> {
    let detail = get(call, tx, id).await?;
    mark(call, detail, opinions, Side::Verdict)
}

/// A person takes the verdict on a criterion back. The self-check stays (lifecycle specification §7).
///
/// # Errors
/// See [`take_back`].
pub async fn unmark(call: &Call, tx: &mut dyn Tx, id: TaskId, criterion: CriterionId) -> Result<Outcome<TaskDetail>> {
    let detail = get(call, tx, id).await?;
    let judgements: Vec<_> = take_back(&detail.criteria, criterion)?.into_iter().collect();
    Ok(set(call, detail, judgements, Side::Verdict))
}

/// Marks are kept apart from the task: its version counts what others edit, and stays.
fn mark(call: &Call, detail: TaskDetail, opinions: &[Opinion], side: Side) -> Result<Outcome<TaskDetail>> {
    let judgements = judge(&detail.criteria, opinions, side, call.party()?, call.now)?;
    Ok(set(call, detail, judgements, side))
}

fn set(call: &Call, detail: TaskDetail, judgements: Vec<(CriterionId, Judgement)>, side: Side) -> Outcome<TaskDetail> {
    let mut batch = Batch::default();
    let criteria = marked(detail.criteria, &judgements, side);
    if !judgements.is_empty() {
        batch.writes.push(match side {
            Side::SelfCheck => Write::SetDevMarks(judgements),
            Side::Verdict => Write::SetVerdicts(judgements),
        });
        let task = &detail.task;
        batch.events.push(call.event(task.project, Kind::Task, task.id.uuid(), Change::Updated));
    }
    Outcome { batch, answer: TaskDetail { criteria, ..detail } }
}
