//! Proposals: moves that matter and what validation finds.

use chorus_lifecycle::{
    document::DocumentType,
    idea::ElaborationStatus,
    proposal::{
        DocumentFacts, IdeaInput, InputType, Level, PROPOSAL, ProposalEvent as E, ProposalFacts, ProposalStatus as S,
        TaskFacts, is_valid, validate,
    },
    task::Priority,
};

#[test]
fn a_proposal_comes_back_by_rejection_and_by_revocation() {
    let path = [E::Edit, E::Submit, E::Reject, E::Edit, E::Submit, E::Approve, E::Revoke, E::Edit];
    let end = path.into_iter().try_fold(S::Draft, |status, event| PROPOSAL.apply(status, event));
    assert_eq!(end, Ok(S::Draft));
}

#[test]
fn only_a_draft_is_edited_and_only_a_pending_one_decided() {
    for status in S::ALL {
        assert_eq!(PROPOSAL.apply(status, E::Edit).is_ok(), status == S::Draft, "{status}");
        for event in [E::Approve, E::Reject, E::Close] {
            assert_eq!(PROPOSAL.apply(status, event).is_ok(), status == S::Pending, "{event} from {status}");
        }
    }
}

#[test]
fn drafts_and_closed_ones_can_be_deleted() {
    assert_eq!(S::ALL.map(S::is_deletable), [true, false, false, true]);
}

fn text(chars: usize) -> String {
    "ä".repeat(chars)
}

fn task<'a>(id: u8, title: &'a str, depends_on: &[u8]) -> TaskFacts<'a, u8> {
    TaskFacts {
        id,
        title,
        description: Some("what is to be done"),
        priority: Some(Priority::High),
        story_points: Some(0.0),
        criteria: 1,
        depends_on: depends_on.to_vec(),
    }
}

/// Lacks nothing.
fn complete(content: &str) -> ProposalFacts<'_, u8> {
    ProposalFacts {
        description: Some("what for"),
        input_type: InputType::Idea,
        inputs: 1,
        ideas: vec![IdeaInput { title: "idea", elaboration: Some(ElaborationStatus::Resolved) }],
        documents: vec![DocumentFacts { title: "design", kind: DocumentType::TechDesign, content }],
        tasks: vec![task(1, "first", &[]), task(2, "second", &[1])],
    }
}

/// Applies `change` to a complete proposal and compares the rules that object,
/// each with the level and the field.
fn check(change: impl FnOnce(&mut ProposalFacts<'_, u8>), expected: &[(&str, Level, Option<&str>)]) {
    let content = text(100);
    let mut facts = complete(&content);
    change(&mut facts);
    let issues = validate(&facts);
    let found: Vec<_> = issues.iter().map(|issue| (issue.id, issue.level, issue.field.as_deref())).collect();
    assert_eq!(found, expected);
    assert_eq!(is_valid(&issues), expected.iter().all(|(_, level, _)| *level != Level::Error));
}

use Level::{Error, Info, Warning};

#[test]
fn a_complete_proposal_lacks_nothing() {
    check(|_| {}, &[]);
}

#[test]
fn documents_are_needed() {
    check(|p| p.documents.clear(), &[("E1", Error, None), ("W1", Warning, None)]);
}

#[test]
fn a_document_needs_a_hundred_characters_whatever_their_bytes() {
    let (short, long) = (text(99), text(100));
    let document = |title, content| DocumentFacts { title, kind: DocumentType::Prd, content };
    let mut facts = complete(&long);
    facts.documents.extend([document("long", &long), document("short", &short), document("empty", "")]);
    let issues = validate(&facts);
    assert_eq!(
        issues.iter().map(|issue| issue.to_string()).collect::<Vec<_>>(),
        [
            "[error] E2: document draft `short` has 99 characters of content and needs at least 100",
            "[error] E2: document draft `empty` has 0 characters of content and needs at least 100",
        ]
    );
    assert!(!is_valid(&issues));
}

#[test]
fn tasks_and_inputs_are_needed() {
    check(|p| p.tasks.clear(), &[("E3", Error, None)]);
    check(|p| p.inputs = 0, &[("E4", Error, None)]);
}

#[test]
fn input_ideas_have_to_be_resolved() {
    let ideas = |p: &mut ProposalFacts<'_, u8>| {
        p.ideas = vec![
            IdeaInput { title: "untouched", elaboration: None },
            IdeaInput { title: "asked", elaboration: Some(ElaborationStatus::PendingAnswers) },
            IdeaInput { title: "clear", elaboration: Some(ElaborationStatus::Resolved) },
            IdeaInput { title: "answered", elaboration: Some(ElaborationStatus::Validating) },
        ];
    };
    check(ideas, &["untouched", "asked", "answered"].map(|title| ("E5", Error, Some(title))));
    // Ideas that are gone are not held against it, and documents have no elaboration.
    check(|p| p.ideas.clear(), &[]);
    check(
        |p| {
            ideas(p);
            p.input_type = InputType::Document;
        },
        &[],
    );
}

#[test]
fn a_technical_design_is_missed() {
    let plain = |p: &mut ProposalFacts<'_, u8>| p.documents.iter_mut().for_each(|d| d.kind = DocumentType::Spec);
    check(plain, &[("W1", Warning, None)]);
}

#[test]
fn each_task_draft_is_looked_at() {
    let each =
        |change: fn(&mut TaskFacts<'_, u8>)| move |p: &mut ProposalFacts<'_, u8>| p.tasks.iter_mut().for_each(change);
    let both = |id, level| ["first", "second"].map(|title| (id, level, Some(title)));
    check(each(|draft| draft.description = None), &both("W2", Warning));
    check(each(|draft| draft.description = Some(" \n")), &both("W2", Warning));
    check(each(|draft| draft.criteria = 0), &both("E-AC", Error));
    check(each(|draft| draft.priority = None), &both("I1", Info));
    check(each(|draft| draft.story_points = None), &both("I2", Info));
}

#[test]
fn two_tasks_without_any_dependency_are_noticed() {
    check(|p| p.tasks = vec![task(1, "a", &[]), task(2, "b", &[])], &[("W4", Warning, None)]);
    check(|p| p.tasks = vec![task(1, "a", &[])], &[]);
}

#[test]
fn a_blank_description_is_noticed() {
    check(|p| p.description = None, &[("W5", Warning, None)]);
    check(|p| p.description = Some("  "), &[("W5", Warning, None)]);
}

#[test]
fn unknown_drafts_and_cycles_are_errors() {
    check(|p| p.tasks = vec![task(1, "a", &[7, 8])], &[("E-DEP", Error, Some("a")), ("E-DEP", Error, Some("a"))]);

    let content = text(100);
    let mut facts = complete(&content);
    facts.tasks = vec![
        task(1, "one", &[2]),
        task(2, "two", &[3]),
        task(3, "three", &[1]),
        task(4, "four", &[4, 1]),
        task(5, "five", &[9, 1]),
    ];
    assert_eq!(
        validate(&facts).iter().map(|issue| issue.message.clone()).collect::<Vec<_>>(),
        [
            "task draft `five` depends on `9`, which is no task draft here",
            "task drafts wait for each other: `one` -> `two` -> `three` -> `one`",
            "task draft `four` depends on itself",
        ]
    );
}

#[test]
fn issues_come_rule_by_rule() {
    let bare = |id, title, depends_on: &[u8]| TaskFacts {
        description: None,
        priority: None,
        story_points: None,
        criteria: 0,
        ..task(id, title, depends_on)
    };
    let (a, b) = (Some("a"), Some("b"));
    check(
        |p| {
            p.description = None;
            p.inputs = 0;
            p.ideas = vec![IdeaInput { title: "idea", elaboration: None }];
            p.documents = vec![DocumentFacts { title: "doc", kind: DocumentType::Prd, content: "" }];
            p.tasks = vec![bare(1, "a", &[2]), bare(2, "b", &[1])];
        },
        &[
            ("E2", Error, Some("doc")),
            ("E4", Error, None),
            ("E5", Error, Some("idea")),
            ("W1", Warning, None),
            ("W2", Warning, a),
            ("W2", Warning, b),
            ("E-AC", Error, a),
            ("E-AC", Error, b),
            ("E-DEP", Error, a),
            ("W5", Warning, None),
            ("I1", Info, a),
            ("I1", Info, b),
            ("I2", Info, a),
            ("I2", Info, b),
        ],
    );
    check(
        |p| {
            *p = ProposalFacts {
                description: None,
                input_type: InputType::Idea,
                inputs: 0,
                ideas: vec![],
                documents: vec![],
                tasks: vec![],
            };
        },
        &[("E1", Error, None), ("E3", Error, None), ("E4", Error, None), ("W1", Warning, None), ("W5", Warning, None)],
    );
}
