//! The progress of an idea as boards show it: computed on read, never stored
//! (lifecycle specification §2.7).

use std::collections::BTreeMap;

use super::{ElaborationStatus, IdeaStatus};
use crate::{names::names, task::TaskStatus};

names! {
    /// The column of the board that an idea belongs in.
    pub enum DerivedStatus("derived status") {
        /// Not begun.
        Todo = "todo",
        /// Somebody, or the work that came of it, is on the way.
        InProgress = "in_progress",
        /// It waits for a person.
        HumanConductRequired = "human_conduct_required",
        /// Everything that came of it is finished.
        Done = "done",
    }

    /// What is going on, in one word for a badge.
    pub enum BadgeHint("badge hint") {
        /// Nobody has taken it up.
        Open = "open",
        /// Questions wait for answers.
        AnswerQuestions = "answer_questions",
        /// Somebody finds out what is meant.
        Researching = "researching",
        /// A proposal waits for review.
        ReviewProposal = "review_proposal",
        /// A task waits for verification.
        VerifyWork = "verify_work",
        /// All work is finished.
        Done = "done",
        /// Tasks are on the way.
        Building = "building",
        /// It is clear; a proposal is still to come.
        Planning = "planning",
    }
}

/// The facts that an idea's progress follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivedInput {
    /// The stored status; open if the stored name is not known.
    pub status: IdeaStatus,
    /// The stored elaboration status.
    pub elaboration: Option<ElaborationStatus>,
    /// Whether a proposal of the idea's project that names the idea is pending.
    pub has_pending_proposal: bool,
    /// The tasks of the most recently created approved proposal that names the
    /// idea, or `None` if there is no such proposal.
    pub approved: Option<TaskCounts>,
}

/// How far the tasks of a proposal are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// All of them.
    pub total: u32,
    /// Those that wait for verification.
    pub to_verify: u32,
    /// Those that are done or closed.
    pub finished: u32,
}

impl FromIterator<TaskStatus> for TaskCounts {
    fn from_iter<I: IntoIterator<Item = TaskStatus>>(statuses: I) -> Self {
        statuses.into_iter().fold(Self::default(), |counts, status| Self {
            total: counts.total.saturating_add(1),
            to_verify: counts.to_verify.saturating_add(u32::from(status == TaskStatus::ToVerify)),
            finished: counts.finished.saturating_add(u32::from(status.is_finished())),
        })
    }
}

/// The progress of an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Derived {
    /// The column.
    pub status: DerivedStatus,
    /// The badge.
    pub badge: BadgeHint,
}

impl Derived {
    const fn new(status: DerivedStatus, badge: BadgeHint) -> Self {
        Self { status, badge }
    }
}

/// The progress of an idea by its own facts; see [`roll_up`] for themes.
pub fn derive(input: &DerivedInput) -> Derived {
    use BadgeHint as B;
    use DerivedStatus as D;
    match (input.status, input.elaboration) {
        (IdeaStatus::Open, _) => Derived::new(D::Todo, B::Open),
        (IdeaStatus::Elaborating, Some(ElaborationStatus::PendingAnswers)) => {
            Derived::new(D::HumanConductRequired, B::AnswerQuestions)
        }
        (IdeaStatus::Elaborating, _) => Derived::new(D::InProgress, B::Researching),
        (IdeaStatus::Elaborated, _) if input.has_pending_proposal => {
            Derived::new(D::HumanConductRequired, B::ReviewProposal)
        }
        (IdeaStatus::Elaborated, _) => match input.approved {
            Some(tasks) if tasks.to_verify > 0 => Derived::new(D::HumanConductRequired, B::VerifyWork),
            Some(tasks) if tasks.total > 0 && tasks.finished == tasks.total => Derived::new(D::Done, B::Done),
            Some(_) => Derived::new(D::InProgress, B::Building),
            None => Derived::new(D::InProgress, B::Planning),
        },
    }
}

/// An idea in its lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<Id> {
    /// The idea.
    pub id: Id,
    /// The idea above it; one that is not among the nodes counts as none.
    pub parent: Option<Id>,
    /// Whether it groups its children, so that its progress is theirs.
    pub is_theme: bool,
    /// Its progress by its own facts, from [`derive()`].
    pub own: Derived,
}

/// How many of an idea's direct children are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChildProgress {
    /// Direct children whose derived status is `done`.
    pub done: u32,
    /// Direct children.
    pub total: u32,
}

/// An idea's progress with that of its children taken into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RolledUp {
    /// The idea's own progress, or its children's if it is a theme that has some.
    pub derived: Derived,
    /// Its direct children, whether it is a theme or not.
    pub children: ChildProgress,
}

/// The progress of ideas, with themes taking theirs from their children, from
/// the leaves up.
///
/// The ids are distinct; the order of the nodes does not matter. Should parents
/// form a cycle, each member of it keeps its own progress.
pub fn roll_up<Id: Ord + Copy>(ideas: &[Node<Id>]) -> BTreeMap<Id, RolledUp> {
    let mut tallies: BTreeMap<Id, Tally> = ideas.iter().map(|node| (node.id, Tally::default())).collect();
    for parent in ideas.iter().filter_map(|node| node.parent) {
        if let Some(tally) = tallies.get_mut(&parent) {
            tally.waiting_for += 1;
        }
    }
    let nodes: BTreeMap<Id, &Node<Id>> = ideas.iter().map(|node| (node.id, node)).collect();
    let mut resolved = BTreeMap::new();

    // A node is ready when all its children are resolved. Members of a cycle
    // never are, and nothing stands above a cycle, since each idea has one parent.
    let mut ready: Vec<Id> = tallies.iter().filter(|(_, tally)| tally.waiting_for == 0).map(|(id, _)| *id).collect();
    while let Some(id) = ready.pop() {
        let (Some(node), Some(tally)) = (nodes.get(&id), tallies.get(&id)) else { continue };
        let derived = if node.is_theme { tally.derived().unwrap_or(node.own) } else { node.own };
        resolved.insert(id, derived);
        if let Some((parent, tally)) = node.parent.and_then(|parent| Some((parent, tallies.get_mut(&parent)?))) {
            tally.add(derived);
            tally.waiting_for -= 1;
            if tally.waiting_for == 0 {
                ready.push(parent);
            }
        }
    }

    for node in ideas.iter().filter(|node| !resolved.contains_key(&node.id)) {
        if let Some(tally) = node.parent.and_then(|parent| tallies.get_mut(&parent)) {
            tally.add(node.own);
        }
    }
    let rolled_up = |(id, node): (Id, &Node<Id>)| {
        let derived = resolved.get(&id).copied().unwrap_or(node.own);
        let children = tallies.get(&id).map_or(ChildProgress::default(), |tally| tally.children);
        (id, RolledUp { derived, children })
    };
    nodes.into_iter().map(rolled_up).collect()
}

/// The children of one idea that are resolved so far.
#[derive(Default)]
struct Tally {
    children: ChildProgress,
    begun: u32,
    waiting_for: u32,
}

impl Tally {
    fn add(&mut self, child: Derived) {
        self.children.total += 1;
        self.children.done += u32::from(child.status == DerivedStatus::Done);
        self.begun += u32::from(child.status != DerivedStatus::Todo);
    }

    /// The progress of a theme with these children; none without children.
    fn derived(&self) -> Option<Derived> {
        let ChildProgress { done, total } = self.children;
        if total == 0 {
            None
        } else if done == total {
            Some(Derived::new(DerivedStatus::Done, BadgeHint::Done))
        } else if self.begun > 0 {
            Some(Derived::new(DerivedStatus::InProgress, BadgeHint::Building))
        } else {
            Some(Derived::new(DerivedStatus::Todo, BadgeHint::Open))
        }
    }
}
