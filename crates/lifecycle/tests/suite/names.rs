//! Names on the wire.

use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

use chorus_lifecycle::{
    UnknownName,
    criterion::{AcceptanceStatus, Mark},
    document::DocumentType,
    elaboration::{Category, RoundStatus},
    idea::{BadgeHint, Depth, DerivedStatus, ElaborationStatus, IdeaStatus},
    proposal::{InputType, Level, ProposalStatus},
    reference::ReferenceType,
    session::SessionStatus,
    task::{Priority, TaskStatus},
};

fn check<T>(all: &[T], expected: &[&str])
where
    T: Copy + PartialEq + Debug + Display + FromStr<Err = UnknownName>,
{
    assert_eq!(all.iter().map(T::to_string).collect::<Vec<_>>(), expected);
    for value in all {
        assert_eq!(value.to_string().parse(), Ok(*value));
    }
    for wrong in ["", "Open", " open", "open ", "OPEN", "draft?", "to-verify"] {
        let error = wrong.parse::<T>().unwrap_err();
        assert_eq!((error.name.as_str(), error.expected), (wrong, expected));
    }
}

#[test]
fn statuses_have_the_names_of_the_contract() {
    check(&TaskStatus::ALL, &["open", "assigned", "in_progress", "to_verify", "done", "closed"]);
    check(&IdeaStatus::ALL, &["open", "elaborating", "elaborated"]);
    check(&ElaborationStatus::ALL, &["pending_answers", "validating", "resolved"]);
    check(&RoundStatus::ALL, &["pending_answers", "answered"]);
    check(&ProposalStatus::ALL, &["draft", "pending", "approved", "closed"]);
    check(&SessionStatus::ALL, &["active", "closed"]);
    check(&Mark::ALL, &["pending", "passed", "failed"]);
    check(&AcceptanceStatus::ALL, &["not_started", "in_progress", "passed", "failed"]);
    check(&DerivedStatus::ALL, &["todo", "in_progress", "human_conduct_required", "done"]);
    check(
        &BadgeHint::ALL,
        &["open", "answer_questions", "researching", "review_proposal", "verify_work", "done", "building", "planning"],
    );
}

#[test]
fn kinds_have_the_names_of_the_contract() {
    check(&Depth::ALL, &["minimal", "standard", "comprehensive"]);
    check(&Priority::ALL, &["low", "medium", "high"]);
    check(&InputType::ALL, &["idea", "document"]);
    check(&Level::ALL, &["error", "warning", "info"]);
    check(&ReferenceType::ALL, &["docs", "repo", "issue_pr", "paper_blog"]);
    check(&DocumentType::ALL, &["prd", "tech_design", "adr", "spec", "guide", "report"]);
    check(
        &Category::ALL,
        &["functional", "non_functional", "business_context", "technical_context", "user_scenario", "scope"],
    );
}

#[test]
fn an_unknown_name_is_shown_with_what_would_be_right() {
    let error = "blocked".parse::<TaskStatus>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`blocked` is not a known task status: write one of open, assigned, in_progress, to_verify, done, closed"
    );
}

#[test]
fn old_names_of_ideas_are_read_and_never_written() {
    for (old, meant) in [
        ("assigned", IdeaStatus::Elaborating),
        ("in_progress", IdeaStatus::Elaborating),
        ("proposal_created", IdeaStatus::Elaborated),
        ("completed", IdeaStatus::Elaborated),
        ("closed", IdeaStatus::Elaborated),
        ("pending_review", IdeaStatus::Elaborated),
    ] {
        assert_eq!(IdeaStatus::read(old), Some(meant));
        assert!(old.parse::<IdeaStatus>().is_err() && !IdeaStatus::NAMES.contains(&old));
    }
    for status in IdeaStatus::ALL {
        assert_eq!(IdeaStatus::read(status.as_str()), Some(status));
    }
    assert_eq!(IdeaStatus::read("archived"), None);
}

#[test]
fn old_names_of_rounds_are_read_as_answered() {
    for old in ["validated", "needs_followup"] {
        assert_eq!(RoundStatus::read(old), Some(RoundStatus::Answered));
        assert!(old.parse::<RoundStatus>().is_err());
    }
    for status in RoundStatus::ALL {
        assert_eq!(RoundStatus::read(status.as_str()), Some(status));
    }
    assert_eq!(RoundStatus::read("done"), None);
}

#[test]
fn defaults_are_those_of_the_contract() {
    assert_eq!(Priority::default(), Priority::Medium);
    assert_eq!(DocumentType::default(), DocumentType::Prd);
    assert_eq!(Mark::default(), Mark::Pending);
}

#[cfg(feature = "serde")]
#[test]
fn names_are_what_is_serialized() {
    use serde_json::{from_value, json, to_value};
    for status in TaskStatus::ALL {
        assert_eq!(to_value(status).unwrap(), json!(status.as_str()));
        assert_eq!(from_value::<TaskStatus>(json!(status.as_str())).unwrap(), status);
    }
    let refused = from_value::<Priority>(json!("urgent")).unwrap_err();
    assert!(refused.to_string().starts_with("`urgent` is not a known priority"), "{refused}");
}
