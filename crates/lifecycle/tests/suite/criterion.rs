//! Sums of verdicts and the gate before done.

use chorus_lifecycle::criterion::{AcceptanceStatus, Item, Mark, Summary, roll_up, verify_gate};

use AcceptanceStatus::{Failed, InProgress, NotStarted, Passed};

const PASSED: Item = Item { required: true, mark: Mark::Passed };
const FAILED: Item = Item { required: true, mark: Mark::Failed };
const PENDING: Item = Item { required: true, mark: Mark::Pending };

const fn optional(item: Item) -> Item {
    Item { required: false, ..item }
}

fn check(items: &[Item], status: AcceptanceStatus, passes: Gate) {
    let (found, summary) = roll_up(items.iter().copied());
    assert_eq!(found, status, "{items:?}");
    let gate = match passes {
        Gate::Open => Ok(()),
        Gate::Shut => Err(summary),
    };
    assert_eq!(verify_gate(items.iter().copied()), gate, "{items:?}");
}

enum Gate {
    Open,
    Shut,
}

#[test]
fn no_criteria_are_not_started_and_let_the_task_through() {
    check(&[], NotStarted, Gate::Open);
}

#[test]
fn a_required_failure_fails_whatever_else_there_is() {
    check(&[PASSED, FAILED, PENDING], Failed, Gate::Shut);
    check(&[FAILED, optional(PASSED)], Failed, Gate::Shut);
}

#[test]
fn all_required_ones_passed_is_passed() {
    check(&[PASSED], Passed, Gate::Open);
    check(&[PASSED, optional(FAILED), optional(PENDING)], Passed, Gate::Open);
}

#[test]
fn some_verdict_is_in_progress() {
    check(&[PASSED, PENDING], InProgress, Gate::Shut);
    check(&[PENDING, optional(FAILED)], InProgress, Gate::Shut);
}

#[test]
fn no_verdict_is_not_started() {
    check(&[PENDING, optional(PENDING)], NotStarted, Gate::Shut);
    check(&[optional(PENDING)], NotStarted, Gate::Open);
}

#[test]
fn optional_ones_alone_never_read_passed_but_let_the_task_through() {
    check(&[optional(PASSED)], InProgress, Gate::Open);
    check(&[optional(FAILED)], InProgress, Gate::Open);
}

#[test]
fn the_summary_counts_all_and_the_required_ones() {
    let items = [PASSED, PASSED, FAILED, PENDING, optional(PASSED), optional(FAILED), optional(PENDING)];
    let expected = Summary {
        total: 7,
        required: 4,
        passed: 3,
        failed: 2,
        pending: 2,
        required_passed: 2,
        required_failed: 1,
        required_pending: 1,
    };
    assert_eq!(items.into_iter().collect::<Summary>(), expected);
    assert_eq!(verify_gate(items), Err(expected));
}
