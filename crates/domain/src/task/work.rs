//! Moves of a task: who may make them, and from where (lifecycle specification §6.1 and §6.2).
//!
//! Each returns the task as it is afterwards, its version raised by one.

use chorus_ids::Timestamp;
use chorus_lifecycle::task::{TASK, TaskEvent, TaskStatus};
use serde_json::json;

use super::{Criterion, Holder, Task, criteria};
use crate::{Assignment, Caller, Code, Party, Refusal, Subject, next};

/// `by` takes an open task (README decision 4). `holder` is who has it now.
///
/// # Errors
/// `already_claimed` with the holder, or `invalid_state` where nobody holds it.
pub fn claim(task: &Task, holder: Option<&Holder>, by: Party, now: Timestamp) -> Result<Task, Refusal> {
    let claimed = match (apply(task, TaskEvent::Claim, now), holder) {
        (Ok(claimed), None) => claimed,
        (_, Some(holder)) => return Err(already_claimed(task, holder, by)),
        (Err(refusal), None) => return Err(refusal),
    };
    // Who takes something for themselves is not named as its giver, unless it is a person (lifecycle specification §1.4).
    let giver = match by {
        Party::User(_) => Some(by),
        Party::Agent(_) => None,
    };
    Ok(Task { assignee: Some(Assignment { to: by, at: now, by: giver }), ..claimed })
}

fn already_claimed(task: &Task, holder: &Holder, by: Party) -> Refusal {
    let text = if holder.party == by {
        format!("You hold this task already; it is `{}`. Go on: {}.", task.status, possible(task.status))
    } else {
        format!(
            "This task is `{}` and held by {holder}. Take another one (chorus_get_available_tasks): only an \
             open task can be claimed.",
            task.status
        )
    };
    Refusal::new(Code::AlreadyClaimed, text).with(json!({ "holder": holder.details(), "status": task.status.as_str() }))
}

/// The assignee gives an assigned task back; a person may do so for anybody.
///
/// # Errors
/// `not_claimed` if nobody holds it, `not_assignee`, `invalid_state` once work has begun.
pub fn release(task: &Task, holder: Option<&Holder>, caller: &Caller, now: Timestamp) -> Result<Task, Refusal> {
    if task.assignee.is_none() {
        return Err(Refusal::new(
            Code::NotClaimed,
            format!(
                "Nobody holds this task; it is `{}`. There is nothing to give back; \
                 chorus_get_available_tasks lists what can be claimed.",
                task.status
            ),
        )
        .with(json!({ "status": task.status.as_str() })));
    }
    require_assignee(task, holder, caller, "give it back")?;
    Ok(Task { assignee: None, ..apply(task, TaskEvent::Release, now)? })
}

/// The assignee asks for verification.
///
/// # Errors
/// `not_assignee`, `invalid_state` unless it is in progress.
pub fn submit(task: &Task, holder: Option<&Holder>, caller: &Caller, now: Timestamp) -> Result<Task, Refusal> {
    require_assignee(task, holder, caller, "submit it")?;
    apply(task, TaskEvent::Submit, now)
}

/// The assignee sets a status: `in_progress` or `to_verify`. Whether prerequisites block it is asked apart, see
/// [`super::blocked`].
///
/// # Errors
/// `not_assignee`, `invalid_transition` where the lifecycle has no such move.
pub fn proceed(
    task: &Task,
    holder: Option<&Holder>,
    caller: &Caller,
    to: TaskStatus,
    now: Timestamp,
) -> Result<Task, Refusal> {
    require_assignee(task, holder, caller, "set its status")?;
    let event = match (task.status, to) {
        (TaskStatus::ToVerify, TaskStatus::InProgress) => Some(TaskEvent::Resume),
        (_, TaskStatus::InProgress) => Some(TaskEvent::Start),
        (_, TaskStatus::ToVerify) => Some(TaskEvent::Submit),
        (_, TaskStatus::Open | TaskStatus::Assigned | TaskStatus::Done | TaskStatus::Closed) => None,
    };
    let status = event.and_then(|event| TASK.apply(task.status, event).ok());
    status.map(|status| after(task, status, now)).ok_or_else(|| {
        let next = next_statuses(task.status);
        Refusal::new(
            Code::InvalidTransition,
            format!(
                "A task can't go from `{}` to `{to}`. What is possible now: {}.",
                task.status,
                possible(task.status)
            ),
        )
        .with(json!({ "from": task.status.as_str(), "to": to.as_str(), "nextStatuses": next }))
    })
}

/// Work that waited for verification is accepted.
///
/// # Errors
/// `invalid_state` unless it waits for that, `precondition_failed` with the counts while a required criterion has not
/// passed.
pub fn verify(task: &Task, marks: &[Criterion], now: Timestamp) -> Result<Task, Refusal> {
    let done = apply(task, TaskEvent::Verify, now)?;
    criteria::require_passed(marks)?;
    Ok(done)
}

/// Work that waited for verification is sent back to its assignee.
///
/// # Errors
/// `invalid_state` unless it waits for that.
pub fn reopen(task: &Task, now: Timestamp) -> Result<Task, Refusal> {
    apply(task, TaskEvent::Reopen, now)
}

/// Submitted work whose worker was removed is found wanting: nobody is left to send it back to, so it is free for others.
///
/// # Errors
/// As [`reopen`].
pub fn reopen_vacant(task: &Task, now: Timestamp) -> Result<Task, Refusal> {
    reopen(task, now)?;
    vacate(task, now)
}

/// The assignee was removed; unfinished work is free for others.
///
/// # Errors
/// `invalid_state` if nobody holds it or it is finished.
pub fn vacate(task: &Task, now: Timestamp) -> Result<Task, Refusal> {
    Ok(Task { assignee: None, ..apply(task, TaskEvent::Vacate, now)? })
}

/// The task is given up, or closed after it was done. It keeps its assignee.
///
/// # Errors
/// `invalid_state` if it is closed already.
pub fn close(task: &Task, now: Timestamp) -> Result<Task, Refusal> {
    apply(task, TaskEvent::Close, now)
}

/// Whether the move clears all marks of all criteria.
pub fn resets_marks(before: &Task, after: &Task) -> bool {
    TaskEvent::resets_criteria(before.status, after.status)
}

/// Passes for the assignee (lifecycle specification §1.3) and for people, who may act on anybody's task.
///
/// # Errors
/// `not_assignee`, naming the holder if there is one.
pub fn require_assignee(task: &Task, holder: Option<&Holder>, caller: &Caller, act: &str) -> Result<(), Refusal> {
    let may = match caller.subject {
        Subject::User(_) => true,
        Subject::Agent(_) | Subject::Operator => caller.holds(task.assignee.map(|assignment| assignment.to)),
    };
    if may {
        return Ok(());
    }
    let text = match holder {
        Some(holder) => format!(
            "Only the assignee of this task may {act}, and that is {holder}. Ask there (chorus_add_comment), or have it \
             assigned to you (chorus_pm_assign_task)."
        ),
        None => format!(
            "Only the assignee of this task may {act}, and nobody holds it. Claim it first (chorus_claim_task)."
        ),
    };
    Err(Refusal::new(Code::NotAssignee, text)
        .with(json!({ "holder": holder.map(Holder::details), "status": task.status.as_str() })))
}

pub(super) fn apply(task: &Task, event: TaskEvent, now: Timestamp) -> Result<Task, Refusal> {
    TASK.apply(task.status, event).map(|status| after(task, status, now)).map_err(|_| refuse(task, event))
}

fn after(task: &Task, status: TaskStatus, now: Timestamp) -> Task {
    Task { status, version: task.version.saturating_add(1), updated_at: now, ..task.clone() }
}

fn refuse(task: &Task, event: TaskEvent) -> Refusal {
    let from: Vec<&str> = TASK.moves.iter().filter(|(_, e, _)| *e == event).map(|(from, _, _)| from.as_str()).collect();
    let needed: Vec<String> = from.iter().map(|status| format!("`{status}`")).collect();
    Refusal::new(
        Code::InvalidState,
        format!(
            "This task is `{}`, but to {event} it must be {}. What is possible now: {}.",
            task.status,
            needed.join(" or "),
            possible(task.status)
        ),
    )
    .with(json!({ "status": task.status.as_str(), "allowedFrom": from, "nextStatuses": next_statuses(task.status) }))
}

fn next_statuses(status: TaskStatus) -> Vec<&'static str> {
    let reached = |next: &TaskStatus| callable(status).any(|event| TASK.apply(status, event) == Ok(*next));
    TASK.next_statuses(status).into_iter().filter(reached).map(TaskStatus::as_str).collect()
}

/// What can be done to a task of this status: what happens to its proposal or to its assignee is left out.
fn callable(status: TaskStatus) -> impl Iterator<Item = TaskEvent> {
    TASK.events_from(status).filter(|event| next::task(*event).is_some())
}

/// What can be done to a task of this status, and with what. Revoking is left out: it is done to the proposal.
fn possible(status: TaskStatus) -> String {
    let ways: Vec<&str> = TASK.events_from(status).filter_map(next::task).collect();
    next::listed(&ways, "only make another one (chorus_create_tasks)")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_lifecycle::criterion::Mark;

    use super::{
        super::samples::{ME, NOW, OTHER, OWNER, criterion, holder, me, task},
        *,
    };

    const MINE: Option<Party> = Some(Party::Agent(ME));
    const THEIRS: Option<Party> = Some(Party::Agent(OTHER));

    fn code(result: Result<Task, Refusal>) -> Result<(TaskStatus, i32), Code> {
        result.map(|task| (task.status, task.version)).map_err(|refusal| refusal.code)
    }

    #[test]
    fn an_open_task_is_claimed_for_oneself_without_a_giver() {
        let claimed = claim(&task(TaskStatus::Open, None), None, Party::Agent(ME), NOW).unwrap();
        assert_eq!(claimed.assignee, Some(Assignment { to: Party::Agent(ME), at: NOW, by: None }));
        assert_eq!((claimed.status, claimed.version, claimed.updated_at), (TaskStatus::Assigned, 4, NOW));
        let by_a_person = claim(&task(TaskStatus::Open, None), None, Party::User(OWNER), NOW).unwrap();
        assert_eq!(by_a_person.assignee.unwrap().by, Some(Party::User(OWNER)));
    }

    #[test]
    fn a_task_that_is_not_open_is_refused_with_its_holder_or_its_state() {
        for status in TaskStatus::ALL.into_iter().filter(|status| *status != TaskStatus::Open) {
            let ann = holder(Party::Agent(OTHER));
            let held = claim(&task(status, THEIRS), Some(&ann), Party::Agent(ME), NOW).unwrap_err();
            assert_eq!(held.code, Code::AlreadyClaimed, "{status}");
            assert!(held.text.contains("agent `Ann`"), "{held}");
            let details = held.details.unwrap();
            assert_eq!(details["holder"], json!({"type": "agent", "uuid": OTHER.uuid(), "name": "Ann"}));
            let free = claim(&task(status, None), None, Party::Agent(ME), NOW).unwrap_err();
            assert_eq!(free.code, Code::InvalidState, "{status}");
        }
        let own = claim(&task(TaskStatus::Assigned, MINE), Some(&holder(Party::Agent(ME))), Party::Agent(ME), NOW);
        assert!(own.unwrap_err().text.starts_with("You hold this task already"));
    }

    #[test]
    fn release_asks_who_holds_it_before_asking_for_its_state() {
        let give = |status, assignee: Option<Party>| {
            code(release(&task(status, assignee), assignee.map(holder).as_ref(), &me(), NOW))
        };
        assert_eq!(give(TaskStatus::Assigned, MINE), Ok((TaskStatus::Open, 4)));
        assert_eq!(give(TaskStatus::Assigned, Some(Party::User(OWNER))), Ok((TaskStatus::Open, 4)), "owner rule");
        assert_eq!(give(TaskStatus::Open, None), Err(Code::NotClaimed));
        assert_eq!(give(TaskStatus::InProgress, THEIRS), Err(Code::NotAssignee));
        for status in [TaskStatus::InProgress, TaskStatus::ToVerify, TaskStatus::Done, TaskStatus::Closed] {
            assert_eq!(give(status, MINE), Err(Code::InvalidState), "{status}");
        }
        let released = release(&task(TaskStatus::Assigned, MINE), None, &me(), NOW).unwrap();
        assert_eq!(released.assignee, None);
    }

    #[test]
    fn people_may_act_on_anybodys_task_and_agents_only_on_their_own_or_their_owners() {
        let theirs = task(TaskStatus::Assigned, THEIRS);
        let person = super::super::samples::caller(Subject::User(OWNER));
        assert_eq!(require_assignee(&theirs, None, &person, "x"), Ok(()));
        let refused = require_assignee(&theirs, Some(&holder(Party::Agent(OTHER))), &me(), "report on it").unwrap_err();
        assert_eq!(
            refused.text,
            "Only the assignee of this task may report on it, and that is agent `Ann`. Ask there (chorus_add_comment), or \
             have it assigned to you (chorus_pm_assign_task)."
        );
        let nobody = require_assignee(&task(TaskStatus::Open, None), None, &me(), "report on it").unwrap_err();
        assert_eq!(nobody.details.unwrap()["holder"], json!(null));
    }

    #[test]
    fn submit_needs_work_in_progress() {
        for status in TaskStatus::ALL {
            let submitted = code(submit(&task(status, MINE), None, &me(), NOW));
            match status {
                TaskStatus::InProgress => assert_eq!(submitted, Ok((TaskStatus::ToVerify, 4))),
                TaskStatus::Open
                | TaskStatus::Assigned
                | TaskStatus::ToVerify
                | TaskStatus::Done
                | TaskStatus::Closed => assert_eq!(submitted, Err(Code::InvalidState), "{status}"),
            }
        }
        let theirs = submit(&task(TaskStatus::InProgress, THEIRS), None, &me(), NOW);
        assert_eq!(code(theirs), Err(Code::NotAssignee));
    }

    #[test]
    fn a_status_argument_makes_three_moves_and_no_other() {
        use TaskStatus as S;
        let legal = [(S::Assigned, S::InProgress), (S::ToVerify, S::InProgress), (S::InProgress, S::ToVerify)];
        for from in TaskStatus::ALL {
            for to in TaskStatus::ALL {
                let moved = proceed(&task(from, MINE), None, &me(), to, NOW);
                if legal.contains(&(from, to)) {
                    assert_eq!(code(moved), Ok((to, 4)), "{from} {to}");
                } else {
                    let refused = moved.unwrap_err();
                    assert_eq!(refused.code, Code::InvalidTransition, "{from} {to}");
                    let details = refused.details.unwrap();
                    assert_eq!((&details["from"], &details["to"]), (&json!(from.as_str()), &json!(to.as_str())));
                }
            }
        }
        let refused = proceed(&task(S::Open, MINE), None, &me(), S::ToVerify, NOW).unwrap_err();
        assert_eq!(refused.details.unwrap()["nextStatuses"], json!(["assigned", "closed"]));
        assert_eq!(
            refused.text,
            "A task can't go from `open` to `to_verify`. What is possible now: claim it (chorus_claim_task), assign it \
             (chorus_pm_assign_task) or close it (chorus_admin_close_task)."
        );
        let theirs = proceed(&task(S::Assigned, THEIRS), None, &me(), S::InProgress, NOW);
        assert_eq!(code(theirs), Err(Code::NotAssignee));
    }

    #[test]
    fn verification_needs_the_state_and_every_required_criterion() {
        let waiting = task(TaskStatus::ToVerify, THEIRS);
        assert_eq!(code(verify(&waiting, &[], NOW)), Ok((TaskStatus::Done, 4)));
        let marks = [criterion(1, true, Mark::Passed), criterion(2, false, Mark::Failed)];
        assert_eq!(code(verify(&waiting, &marks, NOW)), Ok((TaskStatus::Done, 4)));
        let failed = [criterion(1, true, Mark::Pending)];
        assert_eq!(code(verify(&waiting, &failed, NOW)), Err(Code::PreconditionFailed));
        // The state comes first: marks of work that is not submitted say nothing.
        assert_eq!(code(verify(&task(TaskStatus::InProgress, MINE), &failed, NOW)), Err(Code::InvalidState));
    }

    #[test]
    fn reopening_needs_submitted_work_and_keeps_the_assignee() {
        let reopened = reopen(&task(TaskStatus::ToVerify, THEIRS), NOW).unwrap();
        assert_eq!((reopened.status, reopened.assignee.unwrap().to), (TaskStatus::InProgress, Party::Agent(OTHER)));
        let done = reopen(&task(TaskStatus::Done, THEIRS), NOW).unwrap_err();
        assert_eq!(
            done.text,
            "This task is `done`, but to reopen it must be `to_verify`. What is possible now: close it \
             (chorus_admin_close_task)."
        );
    }

    #[test]
    fn reopened_work_of_somebody_who_is_gone_is_free_for_others() {
        let free = reopen_vacant(&task(TaskStatus::ToVerify, THEIRS), NOW).unwrap();
        assert_eq!((free.status, free.assignee, free.version), (TaskStatus::Open, None, 4));
        for status in TaskStatus::ALL.into_iter().filter(|status| *status != TaskStatus::ToVerify) {
            let refused = reopen_vacant(&task(status, THEIRS), NOW);
            assert_eq!(refused, reopen(&task(status, THEIRS), NOW), "{status}");
        }
    }

    #[test]
    fn refusals_offer_nothing_that_only_a_removal_does() {
        let refused = submit(&task(TaskStatus::ToVerify, MINE), None, &me(), NOW).unwrap_err();
        assert!(!refused.text.contains("vacate") && !refused.text.contains("revoke"), "{refused}");
        assert_eq!(refused.details.unwrap()["nextStatuses"], json!(["in_progress", "done", "closed"]));
    }

    #[test]
    fn everything_but_a_closed_task_can_be_closed() {
        for status in TaskStatus::ALL {
            let closed = code(close(&task(status, None), NOW));
            let expected =
                if status == TaskStatus::Closed { Err(Code::InvalidState) } else { Ok((TaskStatus::Closed, 4)) };
            assert_eq!(closed, expected, "{status}");
        }
        assert!(close(&task(TaskStatus::Closed, None), NOW).unwrap_err().text.contains("possible now: only make"));
    }

    #[test]
    fn marks_are_cleared_when_submitted_work_is_not_accepted() {
        let waiting = task(TaskStatus::ToVerify, MINE);
        for (after, cleared) in [
            (reopen(&waiting, NOW), true),
            (close(&waiting, NOW), true),
            (proceed(&waiting, None, &me(), TaskStatus::InProgress, NOW), true),
            (verify(&waiting, &[], NOW), false),
        ] {
            assert_eq!(resets_marks(&waiting, &after.unwrap()), cleared);
        }
    }
}
