//! Ideas: moves that matter, derived progress, lineage.

use std::collections::{BTreeMap, BTreeSet};

use chorus_lifecycle::{
    idea::{
        BadgeHint, ChildProgress, Derived, DerivedInput, DerivedStatus, ElaborationStatus, IDEA, IdeaEvent as E,
        IdeaState, IdeaStatus, Node, ParentError, RolledUp, TaskCounts, check_parent, derive, roll_up,
    },
    task::TaskStatus,
};
use proptest::{collection::vec, prelude::*};

const ELABORATED: IdeaState = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Resolved));

fn after(events: &[E]) -> IdeaState {
    events.iter().try_fold(IDEA.initial, |state, event| IDEA.apply(state, *event)).unwrap()
}

#[test]
fn an_idea_goes_from_open_to_elaborated() {
    assert_eq!(after(&[E::Claim, E::StartRound, E::AnswerLast, E::StartRound, E::AnswerLast, E::Resolve]), ELABORATED);
    assert_eq!(after(&[E::Assign, E::Skip]), ELABORATED);
}

#[test]
fn an_appended_round_never_blocks_a_proposal_again() {
    assert_eq!(after(&[E::Claim, E::Skip, E::StartRound]), ELABORATED);
    assert_eq!(after(&[E::Claim, E::Skip, E::StartRound, E::AnswerLast, E::Resolve]), ELABORATED);
}

#[test]
fn a_release_forgets_the_elaboration_but_not_what_is_resolved() {
    assert_eq!(after(&[E::Claim, E::StartRound, E::Release]), IDEA.initial);
    assert_eq!(after(&[E::Claim, E::Skip, E::Release]), ELABORATED);
}

#[test]
fn questions_need_a_claim_first() {
    let refused = IDEA.apply(IDEA.initial, E::StartRound).unwrap_err();
    assert_eq!(refused.to_string(), "`start_round` is not possible from `open`");
}

#[test]
fn an_elaborated_idea_is_neither_claimed_nor_skipped() {
    assert_eq!(
        IDEA.apply(ELABORATED, E::Claim).unwrap_err().to_string(),
        "`claim` is not possible from `elaborated, resolved`"
    );
    assert!(IDEA.apply(ELABORATED, E::Skip).is_err());
}

// Derived status, row by row of the specification.

const FRESH: DerivedInput =
    DerivedInput { status: IdeaStatus::Open, elaboration: None, has_pending_proposal: false, approved: None };
const READY: DerivedInput = DerivedInput {
    status: IdeaStatus::Elaborated,
    elaboration: Some(ElaborationStatus::Resolved),
    has_pending_proposal: false,
    approved: None,
};

const fn shown(status: DerivedStatus, badge: BadgeHint) -> Derived {
    Derived { status, badge }
}

const TODO: Derived = shown(DerivedStatus::Todo, BadgeHint::Open);
const BUILDING: Derived = shown(DerivedStatus::InProgress, BadgeHint::Building);
const PLANNING: Derived = shown(DerivedStatus::InProgress, BadgeHint::Planning);
const DONE: Derived = shown(DerivedStatus::Done, BadgeHint::Done);
const VERIFY: Derived = shown(DerivedStatus::HumanConductRequired, BadgeHint::VerifyWork);
const REVIEW: Derived = shown(DerivedStatus::HumanConductRequired, BadgeHint::ReviewProposal);

fn with_tasks(statuses: &[TaskStatus]) -> DerivedInput {
    DerivedInput { approved: Some(statuses.iter().copied().collect()), ..READY }
}

#[test]
fn an_open_idea_is_to_do_whatever_else_is_known() {
    assert_eq!(derive(&FRESH), TODO);
    let odd = DerivedInput { status: IdeaStatus::Open, has_pending_proposal: true, ..with_tasks(&[TaskStatus::Done]) };
    assert_eq!(derive(&odd), TODO);
}

#[test]
fn an_idea_in_elaboration_waits_for_answers_or_is_researched() {
    let elaborating = DerivedInput { status: IdeaStatus::Elaborating, has_pending_proposal: true, ..FRESH };
    let researching = shown(DerivedStatus::InProgress, BadgeHint::Researching);
    for (elaboration, expected) in [
        (None, researching),
        (
            Some(ElaborationStatus::PendingAnswers),
            shown(DerivedStatus::HumanConductRequired, BadgeHint::AnswerQuestions),
        ),
        (Some(ElaborationStatus::Validating), researching),
        (Some(ElaborationStatus::Resolved), researching),
    ] {
        assert_eq!(derive(&DerivedInput { elaboration, ..elaborating }), expected);
    }
}

#[test]
fn a_pending_proposal_comes_before_the_tasks_of_an_approved_one() {
    assert_eq!(derive(&DerivedInput { has_pending_proposal: true, ..READY }), REVIEW);
    let both = DerivedInput { has_pending_proposal: true, ..with_tasks(&[TaskStatus::ToVerify]) };
    assert_eq!(derive(&both), REVIEW);
}

#[test]
fn any_task_to_verify_waits_for_a_person() {
    assert_eq!(derive(&with_tasks(&[TaskStatus::Open, TaskStatus::ToVerify, TaskStatus::Done])), VERIFY);
}

#[test]
fn an_idea_is_done_when_there_are_tasks_and_all_are_finished() {
    assert_eq!(derive(&with_tasks(&[TaskStatus::Done, TaskStatus::Closed])), DONE);
    assert_eq!(derive(&with_tasks(&[TaskStatus::Closed])), DONE);
    assert_eq!(derive(&with_tasks(&[TaskStatus::Done, TaskStatus::InProgress])), BUILDING);
    assert_eq!(derive(&with_tasks(&[])), BUILDING);
}

#[test]
fn an_elaborated_idea_without_proposals_is_being_planned() {
    assert_eq!(derive(&READY), PLANNING);
    assert_eq!(derive(&DerivedInput { elaboration: None, ..READY }), PLANNING);
}

#[test]
fn tasks_are_counted_by_what_they_wait_for() {
    let counts: TaskCounts = TaskStatus::ALL.into_iter().collect();
    assert_eq!(counts, TaskCounts { total: 6, to_verify: 1, finished: 2 });
}

// Lineage.

#[test]
fn an_idea_is_neither_its_own_parent_nor_below_its_descendants() {
    assert_eq!(check_parent(1, 1, []), Err(ParentError::Itself));
    assert_eq!(check_parent(1, 3, [2, 1, 0]), Err(ParentError::Descendant));
    assert_eq!(check_parent(1, 3, [2, 0]), Ok(()));
    assert_ne!(ParentError::Itself.to_string(), ParentError::Descendant.to_string());
}

const fn theme(id: u16, parent: Option<u16>, own: Derived) -> Node<u16> {
    Node { id, parent, is_theme: true, own }
}

const fn plain(id: u16, parent: Option<u16>, own: Derived) -> Node<u16> {
    Node { id, parent, is_theme: false, own }
}

fn check(ideas: &[Node<u16>], id: u16, derived: Derived, done: u32, total: u32) {
    let expected = RolledUp { derived, children: ChildProgress { done, total } };
    assert_eq!(roll_up(ideas).get(&id), Some(&expected), "{ideas:?}");
}

#[test]
fn a_theme_takes_its_progress_from_its_children() {
    let of = |children: [Derived; 2]| {
        let [a, b] = children;
        [theme(1, None, PLANNING), plain(2, Some(1), a), plain(3, Some(1), b)]
    };
    check(&of([DONE, DONE]), 1, DONE, 2, 2);
    check(&of([DONE, TODO]), 1, BUILDING, 1, 2);
    check(&of([VERIFY, TODO]), 1, BUILDING, 0, 2);
    check(&of([TODO, TODO]), 1, TODO, 0, 2);
}

#[test]
fn a_childless_theme_and_a_plain_parent_keep_their_own() {
    check(&[theme(1, None, VERIFY)], 1, VERIFY, 0, 0);
    check(&[plain(1, None, PLANNING), plain(2, Some(1), DONE)], 1, PLANNING, 1, 1);
}

#[test]
fn nested_themes_are_resolved_from_the_leaves_up() {
    let ideas = [
        theme(1, None, TODO),
        theme(2, Some(1), TODO),
        theme(3, Some(2), TODO),
        plain(4, Some(3), DONE),
        plain(5, Some(9), DONE),
    ];
    for id in 1..=3 {
        check(&ideas, id, DONE, 1, 1);
    }
    // A parent that is not among them counts as none.
    check(&ideas, 5, DONE, 0, 0);
    assert_eq!(roll_up(&ideas).len(), 5);
}

#[test]
fn members_of_a_cycle_keep_their_own_and_their_children_are_counted() {
    let ideas = [theme(1, Some(2), DONE), theme(2, Some(1), TODO), theme(3, Some(2), TODO), plain(4, Some(3), DONE)];
    check(&ideas, 1, DONE, 0, 1);
    check(&ideas, 2, TODO, 2, 2);
    check(&ideas, 3, DONE, 1, 1);
    check(&[theme(1, Some(1), VERIFY)], 1, VERIFY, 0, 1);
}

#[test]
fn ten_thousand_nested_themes_are_no_problem() {
    let mut ideas: Vec<_> = (0..10_000).map(|id| theme(id, id.checked_sub(1), TODO)).collect();
    ideas.push(plain(10_000, Some(9_999), DONE));
    check(&ideas, 0, DONE, 1, 1);
}

/// Parents anywhere: cycles, missing ones and itself included.
fn lineage() -> impl Strategy<Value = Vec<Node<u16>>> {
    let own = prop::sample::select(vec![TODO, BUILDING, PLANNING, DONE, VERIFY, REVIEW]);
    vec((prop::option::of(0u16..12), any::<bool>(), own), 0..10).prop_map(|nodes| {
        let node = |(id, (parent, is_theme, own))| Node { id, parent, is_theme, own };
        (0..).zip(nodes).map(node).collect()
    })
}

/// The rules by recursion, once for each idea.
fn naive(ideas: &BTreeMap<u16, Node<u16>>, node: &Node<u16>) -> Derived {
    let mut above = BTreeSet::new();
    let mut next = node.parent;
    while let Some(parent) = next.and_then(|id| ideas.get(&id)) {
        if parent.id == node.id {
            return node.own;
        }
        next = if above.insert(parent.id) { parent.parent } else { None };
    }
    let children: Vec<DerivedStatus> =
        ideas.values().filter(|child| child.parent == Some(node.id)).map(|child| naive(ideas, child).status).collect();
    if !node.is_theme || children.is_empty() {
        node.own
    } else if children.iter().all(|status| *status == DerivedStatus::Done) {
        DONE
    } else if children.iter().any(|status| *status != DerivedStatus::Todo) {
        BUILDING
    } else {
        TODO
    }
}

proptest! {
    #[test]
    fn rolling_up_does_not_depend_on_order(
        (ideas, shuffled) in lineage().prop_flat_map(|ideas| (Just(ideas.clone()), Just(ideas).prop_shuffle()))
    ) {
        prop_assert_eq!(roll_up(&ideas), roll_up(&shuffled));
    }

    #[test]
    fn rolling_up_agrees_with_the_rules_read_one_by_one(ideas in lineage()) {
        let by_id: BTreeMap<u16, Node<u16>> = ideas.iter().map(|node| (node.id, *node)).collect();
        let rolled_up = roll_up(&ideas);
        prop_assert_eq!(rolled_up.len(), ideas.len());
        for (id, found) in rolled_up {
            prop_assert_eq!(found.derived, naive(&by_id, by_id.get(&id).unwrap()));
            let children: Vec<_> = ideas.iter().filter(|child| child.parent == Some(id)).collect();
            let done = children.iter().filter(|child| naive(&by_id, child).status == DerivedStatus::Done).count();
            prop_assert_eq!((found.children.done as usize, found.children.total as usize), (done, children.len()));
        }
    }
}
