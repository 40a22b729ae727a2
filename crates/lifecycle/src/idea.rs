//! Ideas: from a thought to something that can be proposed, and on to the
//! progress that follows from proposals and tasks.

mod derived;
mod lineage;

use std::fmt;

pub use derived::{
    BadgeHint, ChildProgress, Derived, DerivedInput, DerivedStatus, Node, RolledUp, TaskCounts, derive, roll_up,
};
pub use lineage::{ParentError, check_parent};

use crate::{Lifecycle, names::names};

names! {
    /// The stored part of an idea's progress; the rest is derived ([`derive()`]).
    pub enum IdeaStatus("idea status") {
        /// Nobody has taken it up.
        Open = "open",
        /// Somebody finds out what is meant.
        Elaborating = "elaborating",
        /// It is clear what is meant; it can be proposed from.
        Elaborated = "elaborated",
    }

    /// How far the questions about an idea are; none were asked if absent.
    pub enum ElaborationStatus("elaboration status") {
        /// A round of questions waits for answers.
        PendingAnswers = "pending_answers",
        /// A round was answered; somebody has to find the answers sufficient.
        Validating = "validating",
        /// The answers were found sufficient, or no questions were needed.
        Resolved = "resolved",
    }

    /// How thoroughly an idea is asked about.
    pub enum Depth("elaboration depth") {
        /// A few questions, or none.
        Minimal = "minimal",
        /// What is usual.
        Standard = "standard",
        /// Everything that can be asked beforehand.
        Comprehensive = "comprehensive",
    }

    /// What happens to an idea's state.
    pub enum IdeaEvent("idea event") {
        /// Somebody takes it for themselves.
        Claim = "claim",
        /// It is given to somebody, whoever had it before.
        Assign = "assign",
        /// Its assignee asks a round of questions.
        StartRound = "start_round",
        /// The last required answer of a round was given.
        AnswerLast = "answer_last",
        /// It is declared clear without answers.
        Skip = "skip",
        /// The answers are found sufficient.
        Resolve = "resolve",
        /// Its assignee gives it back.
        Release = "release",
    }
}

impl IdeaStatus {
    /// The status that a stored name means, old names included (lifecycle
    /// specification §2.1). `None` for a name that never was one: such an idea
    /// counts as open.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "assigned" | "in_progress" => Some(Self::Elaborating),
            "proposal_created" | "completed" | "closed" | "pending_review" => Some(Self::Elaborated),
            _ => name.parse().ok(),
        }
    }
}

/// The two statuses that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdeaState {
    /// How far the idea is.
    pub status: IdeaStatus,
    /// How far the questions about it are.
    pub elaboration: Option<ElaborationStatus>,
}

impl IdeaState {
    /// Every pair, also those that only imported rows can be in.
    pub const ALL: [Self; 12] = [O, OP, OV, OR, W, WP, WV, WR, D, DP, DV, DR];

    /// The pair of `status` and `elaboration`.
    pub const fn new(status: IdeaStatus, elaboration: Option<ElaborationStatus>) -> Self {
        Self { status, elaboration }
    }
}

/// The status, and the elaboration status after a comma.
impl fmt::Display for IdeaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.elaboration {
            None => write!(f, "{}", self.status),
            Some(elaboration) => write!(f, "{}, {elaboration}", self.status),
        }
    }
}

use IdeaEvent as E;

// The states of the table: open, at work or done with elaborating; then nothing,
// pending answers, validating or resolved.
const O: IdeaState = IdeaState::new(IdeaStatus::Open, None);
const OP: IdeaState = IdeaState::new(IdeaStatus::Open, Some(ElaborationStatus::PendingAnswers));
const OV: IdeaState = IdeaState::new(IdeaStatus::Open, Some(ElaborationStatus::Validating));
const OR: IdeaState = IdeaState::new(IdeaStatus::Open, Some(ElaborationStatus::Resolved));
const W: IdeaState = IdeaState::new(IdeaStatus::Elaborating, None);
const WP: IdeaState = IdeaState::new(IdeaStatus::Elaborating, Some(ElaborationStatus::PendingAnswers));
const WV: IdeaState = IdeaState::new(IdeaStatus::Elaborating, Some(ElaborationStatus::Validating));
const WR: IdeaState = IdeaState::new(IdeaStatus::Elaborating, Some(ElaborationStatus::Resolved));
const D: IdeaState = IdeaState::new(IdeaStatus::Elaborated, None);
const DP: IdeaState = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::PendingAnswers));
const DV: IdeaState = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Validating));
const DR: IdeaState = IdeaState::new(IdeaStatus::Elaborated, Some(ElaborationStatus::Resolved));

/// Every legal move of an idea, over both statuses (lifecycle specification
/// §2.2, §3.1).
///
/// Rows written by older versions may be in any of the twelve states, so each
/// has its moves. What touches neither status is no move: editing, moving,
/// reparenting, the theme flag, a partial answer, deleting. An elaborated idea
/// can be released too, which clears its assignee only.
#[rustfmt::skip]
pub const IDEA: Lifecycle<IdeaState, IdeaEvent> = Lifecycle {
    name: "idea",
    initial: O,
    moves: &[
        // Anything that is not elaborated can be claimed. Its rounds, if it was
        // released with some, say how far the questions are.
        (O, E::Claim, W),       (OP, E::Claim, WP),       (OV, E::Claim, WV),       (OR, E::Claim, WR),
        (W, E::Claim, W),       (WP, E::Claim, WP),       (WV, E::Claim, WV),       (WR, E::Claim, WR),

        (O, E::Assign, W),      (OP, E::Assign, WP),      (OV, E::Assign, WV),      (OR, E::Assign, WR),
        (W, E::Assign, W),      (WP, E::Assign, WP),      (WV, E::Assign, WV),      (WR, E::Assign, WR),
        (D, E::Assign, D),      (DP, E::Assign, DP),      (DV, E::Assign, DV),      (DR, E::Assign, DR),

        // A round appended to an elaborated idea never blocks its proposals again.
        (W, E::StartRound, WP), (WP, E::StartRound, WP),  (WV, E::StartRound, WP),  (WR, E::StartRound, WP),
        (D, E::StartRound, D),  (DP, E::StartRound, DP),  (DV, E::StartRound, DV),  (DR, E::StartRound, DR),

        // Rounds outlive a release, so an open idea's can still be answered.
        (O, E::AnswerLast, OV), (OP, E::AnswerLast, OV),  (OV, E::AnswerLast, OV),  (OR, E::AnswerLast, OR),
        (W, E::AnswerLast, WV), (WP, E::AnswerLast, WV),  (WV, E::AnswerLast, WV),  (WR, E::AnswerLast, WR),
        (D, E::AnswerLast, DV), (DP, E::AnswerLast, DV),  (DV, E::AnswerLast, DV),  (DR, E::AnswerLast, DR),

        (W, E::Skip, DR),       (WP, E::Skip, DR),        (WV, E::Skip, DR),        (WR, E::Skip, DR),

        (O, E::Resolve, DR),    (OP, E::Resolve, DR),     (OV, E::Resolve, DR),     (OR, E::Resolve, DR),
        (W, E::Resolve, DR),    (WP, E::Resolve, DR),     (WV, E::Resolve, DR),     (WR, E::Resolve, DR),
        (D, E::Resolve, DR),    (DP, E::Resolve, DR),     (DV, E::Resolve, DR),     (DR, E::Resolve, DR),

        (O, E::Release, O),     (OP, E::Release, O),      (OV, E::Release, O),      (OR, E::Release, O),
        (W, E::Release, O),     (WP, E::Release, O),      (WV, E::Release, O),      (WR, E::Release, O),
        (D, E::Release, D),     (DP, E::Release, DP),     (DV, E::Release, DV),     (DR, E::Release, DR),
    ],
};
