//! The moves of tasks that matter most, and what statuses mean.

use chorus_lifecycle::{
    document::{FIRST_VERSION, next_version},
    task::{Priority, TASK, TaskEvent as E, TaskStatus as S},
};

#[test]
fn a_task_goes_from_open_to_done() {
    let path = [E::Claim, E::Start, E::Submit, E::Reopen, E::Submit, E::Resume, E::Submit, E::Verify, E::Close];
    let end = path.into_iter().try_fold(S::Open, |status, event| TASK.apply(status, event));
    assert_eq!(end, Ok(S::Closed));
}

#[test]
fn only_an_open_task_can_be_claimed() {
    for status in S::ALL {
        assert_eq!(TASK.apply(status, E::Claim).is_ok(), status == S::Open, "{status}");
    }
}

#[test]
fn work_in_progress_is_neither_released_nor_reassigned() {
    assert!(TASK.apply(S::InProgress, E::Release).is_err());
    assert!(TASK.apply(S::InProgress, E::Assign).is_err());
}

#[test]
fn done_is_never_reopened() {
    assert!(TASK.apply(S::Done, E::Reopen).is_err());
    assert!(TASK.apply(S::Done, E::Resume).is_err());
    assert_eq!(TASK.next_statuses(S::Done), [S::Closed]);
}

#[test]
fn an_unstarted_task_is_not_submitted() {
    let refused = TASK.apply(S::Assigned, E::Submit).unwrap_err();
    assert_eq!(refused.to_string(), "`submit` is not possible from `assigned`");
}

#[test]
fn finished_means_done_or_closed_and_releases_dependants() {
    let finished = [S::Done, S::Closed];
    for status in S::ALL {
        assert_eq!(status.is_finished(), finished.contains(&status), "{status}");
        assert_eq!(status.resolves_dependency(), finished.contains(&status), "{status}");
    }
}

#[test]
fn criteria_are_reset_by_leaving_verification_for_anything_but_done() {
    for (from, event, to) in TASK.moves {
        let expected = matches!((from, event), (S::ToVerify, E::Resume | E::Reopen | E::Close | E::Revoke | E::Vacate));
        assert_eq!(E::resets_criteria(*from, *to), expected, "{from} --{event}--> {to}");
    }
    assert!(!E::resets_criteria(S::ToVerify, S::ToVerify));
}

#[test]
fn high_priorities_sort_first() {
    let mut priorities = Priority::ALL;
    priorities.sort_by_key(|priority| priority.rank());
    assert_eq!(priorities, [Priority::High, Priority::Medium, Priority::Low]);
}

#[test]
fn every_update_of_a_document_raises_its_version_by_one() {
    assert_eq!(next_version(FIRST_VERSION), 2);
    assert_eq!(next_version(41), 42);
    assert_eq!(next_version(i32::MAX), i32::MAX);
}
