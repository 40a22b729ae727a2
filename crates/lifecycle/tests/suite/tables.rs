//! Every pair of every table against a second list, and what holds of all of
//! them.

use std::fmt::{Debug, Display};

use chorus_lifecycle::{
    Lifecycle,
    criterion::{MARK, Mark, MarkEvent},
    elaboration::{ROUND, RoundEvent, RoundStatus},
    idea::{ElaborationStatus, IDEA, IdeaEvent, IdeaState, IdeaStatus},
    notification::{NOTIFICATION, NotificationEvent, NotificationState},
    proposal::{PROPOSAL, ProposalEvent, ProposalStatus},
    session::{CHECKIN, CheckinEvent, CheckinStatus, SESSION, SessionEvent, SessionStatus},
    task::{TASK, TaskEvent, TaskStatus},
};

/// What a table has to be like, said a second time.
struct Expected<'a, S> {
    /// Statuses that no event leads out of.
    terminals: &'a [S],
    /// Statuses that only rows of older versions are in.
    imported: &'a [S],
}

/// Tries every pair of statuses and events and holds the table to its
/// invariants. `expected` is the answer of somebody who has not seen the table.
fn check<S, E>(
    table: &Lifecycle<S, E>,
    statuses: &[S],
    events: &[E],
    shape: &Expected<'_, S>,
    expected: impl Fn(S, E) -> Option<S>,
) where
    S: Copy + PartialEq + Debug + Display + 'static,
    E: Copy + PartialEq + Debug + Display + 'static,
{
    for &from in statuses {
        let mut possible = Vec::new();
        for &event in events {
            let moved = table.apply(from, event);
            assert_eq!(moved.ok(), expected(from, event), "{}: `{event}` from `{from}`", table.name);
            match moved {
                Ok(_) => possible.push(event),
                Err(refused) => assert_eq!((refused.from, refused.event), (from, event)),
            }
        }
        // The list for buttons says the same as the moves, each event once.
        let listed: Vec<E> = table.events_from(from).collect();
        assert_eq!(listed.len(), possible.len(), "{}: an event of `{from}` has two targets", table.name);
        assert!(possible.iter().all(|event| listed.contains(event)), "{}: events of `{from}`", table.name);

        let next = table.next_statuses(from);
        assert!(possible.iter().all(|&event| next.contains(&table.apply(from, event).unwrap())));
        assert!(next.iter().all(|to| possible.iter().any(|&event| table.apply(from, event) == Ok(*to))));
        let is_terminal = next.iter().all(|&to| to == from);
        assert_eq!(is_terminal, shape.terminals.contains(&from), "{}: exits of `{from}`", table.name);
    }
    assert!(statuses.contains(&table.initial), "{}: the initial status is a status", table.name);
    for &(from, event, to) in table.moves {
        assert!(statuses.contains(&from) && statuses.contains(&to) && events.contains(&event), "{}", table.name);
    }
    for event in events {
        assert!(table.moves.iter().any(|(_, e, _)| e == event), "{}: `{event}` never happens", table.name);
    }

    let mut reached = vec![table.initial];
    let mut at = 0;
    while let Some(&status) = reached.get(at) {
        at += 1;
        for to in table.next_statuses(status) {
            if !reached.contains(&to) {
                reached.push(to);
            }
        }
    }
    for status in statuses {
        assert_ne!(reached.contains(status), shape.imported.contains(status), "{}: reaching `{status}`", table.name);
    }
}

/// The list of moves by their names, as a rule.
fn listed<S: Copy + Display, E: Display>(statuses: &[S], moves: &[(&str, &str, &str)]) -> impl Fn(S, E) -> Option<S> {
    move |from, event| {
        let (from, event) = (from.to_string(), event.to_string());
        let &(_, _, to) = moves.iter().find(|(f, e, _)| *f == from && *e == event)?;
        Some(*statuses.iter().find(|status| status.to_string() == to).unwrap())
    }
}

#[test]
fn a_task_moves_as_listed() {
    let moves = [
        ("open", "claim", "assigned"),
        ("open", "assign", "assigned"),
        ("assigned", "assign", "assigned"),
        ("assigned", "release", "open"),
        ("assigned", "start", "in_progress"),
        ("in_progress", "submit", "to_verify"),
        ("to_verify", "resume", "in_progress"),
        ("to_verify", "reopen", "in_progress"),
        ("to_verify", "verify", "done"),
        ("open", "close", "closed"),
        ("assigned", "close", "closed"),
        ("in_progress", "close", "closed"),
        ("to_verify", "close", "closed"),
        ("done", "close", "closed"),
        ("open", "revoke", "closed"),
        ("assigned", "revoke", "closed"),
        ("in_progress", "revoke", "closed"),
        ("to_verify", "revoke", "closed"),
        ("done", "revoke", "closed"),
        ("assigned", "vacate", "open"),
        ("in_progress", "vacate", "open"),
        ("to_verify", "vacate", "open"),
    ];
    let shape = Expected { terminals: &[TaskStatus::Closed], imported: &[] };
    check(&TASK, &TaskStatus::ALL, &TaskEvent::ALL, &shape, listed(&TaskStatus::ALL, &moves));
}

#[test]
fn a_proposal_moves_as_listed() {
    let moves = [
        ("draft", "edit", "draft"),
        ("draft", "submit", "pending"),
        ("pending", "approve", "approved"),
        ("pending", "reject", "draft"),
        ("pending", "close", "closed"),
        ("approved", "revoke", "draft"),
    ];
    let shape = Expected { terminals: &[ProposalStatus::Closed], imported: &[] };
    check(&PROPOSAL, &ProposalStatus::ALL, &ProposalEvent::ALL, &shape, listed(&ProposalStatus::ALL, &moves));
}

#[test]
fn a_round_moves_as_listed() {
    let moves = [("pending_answers", "answer", "pending_answers"), ("pending_answers", "answer_last", "answered")];
    let shape = Expected { terminals: &[RoundStatus::Answered], imported: &[] };
    check(&ROUND, &RoundStatus::ALL, &RoundEvent::ALL, &shape, listed(&RoundStatus::ALL, &moves));
}

#[test]
fn a_mark_follows_any_other() {
    let shape = Expected { terminals: &[], imported: &[] };
    check(&MARK, &Mark::ALL, &MarkEvent::ALL, &shape, |_, event| {
        Some(match event {
            MarkEvent::Pass => Mark::Passed,
            MarkEvent::Fail => Mark::Failed,
            MarkEvent::Reset => Mark::Pending,
        })
    });
}

#[test]
fn a_session_moves_as_listed() {
    let moves = [
        ("active", "check_in", "active"),
        ("active", "close", "closed"),
        ("closed", "close", "closed"),
        ("closed", "reopen", "active"),
    ];
    let shape = Expected { terminals: &[], imported: &[] };
    check(&SESSION, &SessionStatus::ALL, &SessionEvent::ALL, &shape, listed(&SessionStatus::ALL, &moves));
}

#[test]
fn a_checkin_comes_and_goes_without_errors() {
    let shape = Expected { terminals: &[], imported: &[] };
    check(&CHECKIN, &CheckinStatus::ALL, &CheckinEvent::ALL, &shape, |_, event| {
        Some(match event {
            CheckinEvent::CheckIn => CheckinStatus::CheckedIn,
            CheckinEvent::CheckOut => CheckinStatus::CheckedOut,
        })
    });
}

#[test]
fn a_notification_moves_as_listed() {
    let moves = [
        ("unread", "refresh", "unread"),
        ("unread", "mark_read", "read"),
        ("read", "mark_read", "read"),
        ("archived", "mark_read", "archived"),
        ("unread", "archive", "archived"),
        ("read", "archive", "archived"),
        ("archived", "archive", "archived"),
    ];
    let shape = Expected { terminals: &[NotificationState::Archived], imported: &[] };
    let statuses = &NotificationState::ALL;
    check(&NOTIFICATION, statuses, &NotificationEvent::ALL, &shape, listed(statuses, &moves));
}

/// The rules for ideas as the specification words them, rather than by state.
#[test]
fn an_idea_moves_by_the_rules() {
    use ElaborationStatus::{PendingAnswers, Resolved, Validating};
    use IdeaStatus::{Elaborated, Elaborating, Open};

    // `open` and `elaborating` are never resolved, `open` never waits for
    // answers, and an elaborated idea is always resolved.
    let imported = [
        IdeaState::new(Open, Some(PendingAnswers)),
        IdeaState::new(Open, Some(Resolved)),
        IdeaState::new(Elaborating, Some(Resolved)),
        IdeaState::new(Elaborated, None),
        IdeaState::new(Elaborated, Some(PendingAnswers)),
        IdeaState::new(Elaborated, Some(Validating)),
    ];
    let end = [IdeaState::new(Elaborated, Some(Resolved))];
    let shape = Expected { terminals: &end, imported: &imported };
    check(&IDEA, &IdeaState::ALL, &IdeaEvent::ALL, &shape, |from, event| {
        let elaborated = from.status == Elaborated;
        match event {
            // Taking an idea up starts its elaboration; assigning works later, too.
            IdeaEvent::Claim if elaborated => None,
            IdeaEvent::Assign if elaborated => Some(from),
            IdeaEvent::Claim | IdeaEvent::Assign => Some(IdeaState { status: Elaborating, ..from }),
            // Questions wait for answers, unless they are appended.
            IdeaEvent::StartRound => match from.status {
                Open => None,
                Elaborating => Some(IdeaState::new(Elaborating, Some(PendingAnswers))),
                Elaborated => Some(from),
            },
            // Validating, unless already resolved.
            IdeaEvent::AnswerLast if from.elaboration == Some(Resolved) => Some(from),
            IdeaEvent::AnswerLast => Some(IdeaState { elaboration: Some(Validating), ..from }),
            // Only what is being elaborated can be skipped; anything can be resolved.
            IdeaEvent::Skip if from.status != Elaborating => None,
            IdeaEvent::Skip | IdeaEvent::Resolve => Some(IdeaState::new(Elaborated, Some(Resolved))),
            // Back to the start, unless elaborated.
            IdeaEvent::Release if elaborated => Some(from),
            IdeaEvent::Release => Some(IdeaState::new(Open, None)),
        }
    });
}
