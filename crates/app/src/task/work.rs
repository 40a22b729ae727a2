//! Moves of a task: taking it, giving it back, working on it, judging it, ending it.

use chorus_domain::{
    Batch, Kind, Write,
    activity::{Action, Activity},
    comment::{self, Comment},
    event::Change,
    mention::readable,
    notification::{Recipient, Topic, quoted},
    refusal::{Problem, Refusal},
    task::{
        Task,
        blocked::Blocked,
        ending::Ending,
        work::{self, require_assignee},
    },
    text,
};
use chorus_ids::{CommentId, TaskId};
use chorus_lifecycle::task::TaskStatus;
use chorus_store::{Outcome, Result, TaskDetail, Tx};
use chorus_visibility::Level;
use serde_json::json;

use super::{assignee, ending, get, holder, involved, moved, named, notice, other_holder, require_unblocked, saved};
use crate::{
    Call,
    agent::require_present,
    mention::{self, Text},
};

/// Longest note inside a message, in characters.
const NOTE_IN_MESSAGE: usize = 160;

/// The caller takes an open task.
///
/// # Errors
/// See [`work::claim`].
pub async fn claim(call: &Call, tx: &mut dyn Tx, id: TaskId) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let holder = holder(call, tx, &before.task).await?;
    let by = call.party()?;
    let after = work::claim(&before.task, holder.as_ref(), by, call.now)?;
    require_present(call, tx, by).await?;
    let value = json!({ "assigneeType": by.kind(), "assigneeUuid": by.uuid() });
    // Nobody is told: the new assignee is the one who acts.
    let (batch, answer) = moved(call, before, after, Action::Assigned, Some(value));
    Ok(Outcome { batch, answer })
}

/// The assignee gives a task back before work on it has begun.
///
/// # Errors
/// See [`work::release`].
pub async fn release(call: &Call, tx: &mut dyn Tx, id: TaskId) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let holder = other_holder(call, tx, &before.task).await?;
    let after = work::release(&before.task, holder.as_ref(), &call.caller, call.now)?;
    let (batch, answer) = moved(call, before, after, Action::Released, None);
    Ok(Outcome { batch, answer })
}

/// The assignee asks for verification, perhaps saying what was done.
///
/// # Errors
/// See [`work::submit`].
pub async fn submit(call: &Call, tx: &mut dyn Tx, id: TaskId, summary: Option<String>) -> Result<Outcome<TaskDetail>> {
    let summary = text::present(summary);
    check_body("summary", summary.as_deref())?;
    let before = get(call, tx, id).await?;
    let holder = other_holder(call, tx, &before.task).await?;
    let after = work::submit(&before.task, holder.as_ref(), &call.caller, call.now)?;
    let value = summary.as_deref().map(|summary| json!({ "summary": text::excerpt(summary) }));
    let (mut batch, answer) = moved(call, before, after, Action::Submitted, value);
    let task = &answer.task;
    let message = with_note(
        format!("{} submitted {} for verification", call.caller.name, quoted(&task.title)),
        summary.as_deref(),
    );
    let to = vec![Recipient::OwnerOf(call.party()?), Recipient::Party(task.created_by)];
    batch.notices.push(notice(task, Topic::TaskSubmittedForVerify, to, message));
    Ok(Outcome { batch, answer })
}

/// What came of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The task as it is now.
    pub task: Task,
    /// The comment that holds the report.
    pub comment: CommentId,
    /// The status that the report set, if it set one.
    pub moved_to: Option<TaskStatus>,
}

/// The assignee reports on a task, perhaps moving it. A move that is not possible refuses the whole report
/// (README decision 6).
///
/// # Errors
/// `not_assignee`; see [`work::proceed`] and [`chorus_domain::task::blocked`] for the move.
pub async fn report(
    call: &Call,
    tx: &mut dyn Tx,
    id: TaskId,
    report: &str,
    status: Option<TaskStatus>,
) -> Result<Outcome<Reported>> {
    let content = comment::content("report", report)?;
    let before = get(call, tx, id).await?;
    let holder = other_holder(call, tx, &before.task).await?;
    require_assignee(&before.task, holder.as_ref(), &call.caller, "report on it")?;
    let mut batch = Batch::default();
    let task = match status {
        None => before.task,
        Some(status) => {
            let after = work::proceed(&before.task, holder.as_ref(), &call.caller, status, call.now)?;
            let prerequisites = &before.depends_on;
            let blocked = Blocked::of_edit(
                before.task.status,
                after.status,
                &prerequisites.visible,
                prerequisites.hidden_open,
                &[],
            );
            require_unblocked(call, tx, &blocked).await?;
            saved(&mut batch, before, after).task
        }
    };
    let comment = Comment {
        id: call.new_id(),
        company: task.company,
        target: Kind::Task,
        target_id: id.uuid(),
        content,
        author: call.party()?,
        created_at: call.now,
    };
    batch.writes.push(Write::NewComment(comment.clone()));
    let mut value = json!({ "commentUuid": comment.id, "report": text::excerpt(&comment.content) });
    if let (Some(status), Some(value)) = (status, value.as_object_mut()) {
        value.insert("statusUpdated".into(), json!(status.as_str()));
    }
    batch.activities.push(call.activity(task.project, named(&task), Action::CommentAdded, Some(value)));
    batch.events.push(call.event(task.project, Kind::Task, id.uuid(), Change::Updated));
    let note = readable(&comment.content);
    let message = with_note(format!("{} reported on {}", call.caller.name, quoted(&task.title)), Some(&note));
    batch.notices.push(notice(&task, Topic::CommentAdded, involved(&task), message));
    let mentions = Text {
        source: (Kind::Comment, comment.id.uuid()),
        entity: named(&task),
        before: None,
        after: Some(&comment.content),
        argument: Some("report".to_owned()),
    };
    mention::tell(call, tx, task.project, &[mentions], &mut batch).await?;
    let answer = Reported { task, comment: comment.id, moved_to: status };
    Ok(Outcome { batch, answer })
}

/// Work begins, or begins again. A person may pass over unfinished prerequisites, which is recorded where there are any
/// (README decision 5).
///
/// # Errors
/// See [`work::proceed`]; `blocked_by_dependencies` unless the gate is forced.
pub async fn start(call: &Call, tx: &mut dyn Tx, id: TaskId, gate: Gate) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let holder = other_holder(call, tx, &before.task).await?;
    let after = work::proceed(&before.task, holder.as_ref(), &call.caller, TaskStatus::InProgress, call.now)?;
    let prerequisites = before.depends_on.clone();
    let blocked = Blocked::by(&prerequisites.visible, prerequisites.hidden_open);
    match gate {
        Gate::Heeded => require_unblocked(call, tx, &blocked).await?,
        Gate::Forced => {}
    }
    let value = json!({ "status": after.status.as_str() });
    let (mut batch, answer) = moved(call, before, after, Action::StatusChanged, Some(value));
    let task = &answer.task;
    if !blocked.is_empty() {
        batch.activities.push(forced(call, task));
    }
    let message = format!("{} moved {} to {}", call.caller.name, quoted(&task.title), task.status);
    batch.notices.push(notice(task, Topic::TaskStatusChanged, involved(task), message));
    Ok(Outcome { batch, answer })
}

/// That a status was forced past unfinished prerequisites.
fn forced(call: &Call, task: &Task) -> Activity {
    let value = json!({ "status": task.status.as_str(), "force": true });
    call.activity(task.project, named(task), Action::ForceStatusChange, Some(value))
}

/// Submitted work is accepted. Whoever waited for nothing else is told (README decision 5).
///
/// # Errors
/// See [`work::verify`].
pub async fn verify(call: &Call, tx: &mut dyn Tx, id: TaskId) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let after = work::verify(&before.task, &before.criteria, call.now)?;
    let (mut batch, answer) = moved(call, before, after, Action::Verified, None);
    let task = &answer.task;
    let message = format!("{} verified {}", call.caller.name, quoted(&task.title));
    batch.notices.push(notice(task, Topic::TaskVerified, assignee(task), message));
    ending::tell(call, tx, Ending::Done, &[task], &mut batch).await?;
    Ok(Outcome { batch, answer })
}

/// Whether unfinished prerequisites stand in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// They do.
    Heeded,
    /// They are passed over, which is recorded.
    Forced,
}

/// Submitted work is sent back to its assignee; if that one was removed, is suspended or can't edit the project any more, it
/// is free for others.
///
/// # Errors
/// See [`work::reopen`]; `blocked_by_dependencies` unless the gate is forced.
pub async fn reopen(call: &Call, tx: &mut dyn Tx, id: TaskId, gate: Gate) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let worker = before.task.assignee.map(|assignment| assignment.to);
    let vacant = match worker {
        Some(worker) => {
            let level = tx.directory().level_of(before.task.project, worker).await?;
            level < Some(Level::Editor) || !tx.keep(&[worker]).await?.contains(&worker)
        }
        None => false,
    };
    let after =
        if vacant { work::reopen_vacant(&before.task, call.now)? } else { work::reopen(&before.task, call.now)? };
    match gate {
        // Nobody starts what is free again.
        Gate::Heeded if vacant => {}
        Gate::Heeded => {
            let prerequisites = &before.depends_on;
            let blocked = Blocked::by(&prerequisites.visible, prerequisites.hidden_open);
            require_unblocked(call, tx, &blocked).await?;
        }
        Gate::Forced => {}
    }
    let (mut batch, answer) = moved(call, before, after, Action::Reopened, None);
    let task = &answer.task;
    match gate {
        Gate::Heeded => {}
        Gate::Forced => {
            batch.activities.push(forced(call, task));
        }
    }
    let message = format!("{} reopened {}", call.caller.name, quoted(&task.title));
    batch.notices.push(notice(task, Topic::TaskReopened, assignee(task), message));
    Ok(Outcome { batch, answer })
}

/// The task ends. If it was not done, everybody who waits for it is told (README decision 5).
///
/// # Errors
/// See [`work::close`].
pub async fn close(call: &Call, tx: &mut dyn Tx, id: TaskId) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let was = before.task.status;
    let after = work::close(&before.task, call.now)?;
    let value = json!({ "from": was.as_str() });
    let (mut batch, answer) = moved(call, before, after, Action::Closed, Some(value));
    if was != TaskStatus::Done {
        ending::tell(call, tx, Ending::GivenUp, &[&answer.task], &mut batch).await?;
    }
    Ok(Outcome { batch, answer })
}

fn check_body(field: &str, given: Option<&str>) -> Result<(), Refusal> {
    let problem: Option<Problem> = given.and_then(|given| text::check(field, given, text::Use::Body).err());
    problem.map_or(Ok(()), |problem| Err(Refusal::problems(vec![problem])))
}

fn with_note(sentence: String, note: Option<&str>) -> String {
    match note {
        Some(note) => format!("{sentence}: {}", text::shorten(note.trim(), NOTE_IN_MESSAGE)),
        None => sentence,
    }
}
