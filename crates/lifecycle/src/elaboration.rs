//! Elaboration: rounds of questions about an idea (lifecycle specification §3).

mod format;

use std::{error::Error, fmt, ops::RangeInclusive};

pub use format::{
    AnswerForm, AnswerProblem, Asked, OptionForm, QuestionForm, QuestionProblem, check_answers, check_questions,
};

use crate::{Lifecycle, names::names};

names! {
    /// Where a round is.
    pub enum RoundStatus("round status") {
        /// Required questions wait for answers.
        PendingAnswers = "pending_answers",
        /// Every required question was answered. Terminal.
        Answered = "answered",
    }

    /// What happens to a round.
    pub enum RoundEvent("round event") {
        /// Answers were given, and a required question is still open.
        Answer = "answer",
        /// Answers were given, and no required question is open any more.
        AnswerLast = "answer_last",
    }

    /// What a question is about.
    pub enum Category("question category") {
        /// What it shall do.
        Functional = "functional",
        /// How well it shall do it.
        NonFunctional = "non_functional",
        /// Why it is wanted.
        BusinessContext = "business_context",
        /// What it has to fit in with.
        TechnicalContext = "technical_context",
        /// Who does what with it.
        UserScenario = "user_scenario",
        /// What belongs to it and what does not.
        Scope = "scope",
    }
}

use RoundEvent as E;
use RoundStatus as S;

/// Every legal move of a round (lifecycle specification §3.1).
#[rustfmt::skip]
pub const ROUND: Lifecycle<RoundStatus, RoundEvent> = Lifecycle {
    name: "elaboration round",
    initial: S::PendingAnswers,
    moves: &[
        (S::PendingAnswers, E::Answer,     S::PendingAnswers),
        (S::PendingAnswers, E::AnswerLast, S::Answered),
    ],
};

/// How many rounds an idea may have over its life.
pub const MAX_ROUNDS: usize = 10;

/// How many questions a round may have.
pub const QUESTIONS: RangeInclusive<usize> = 1..=15;

/// How many options a question may offer.
pub const OPTIONS: RangeInclusive<usize> = 2..=5;

impl RoundStatus {
    /// The status that a stored name means, old names included; `None` for a
    /// name that never was one.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "validated" | "needs_followup" => Some(Self::Answered),
            _ => name.parse().ok(),
        }
    }
}

/// Whether a round is complete after a call that answered something: each pair
/// says of a question whether it is required and whether it has an answer.
///
/// A round of optional questions is complete with the first such call.
pub fn is_complete(questions: impl IntoIterator<Item = (bool, bool)>) -> bool {
    questions.into_iter().all(|(required, answered)| answered || !required)
}

/// The round that an answer means which names none: the only one that is
/// pending.
///
/// # Errors
/// None is pending, or more than one.
pub const fn pick_round<Id: Copy>(pending: &[Id]) -> Result<Id, PickError> {
    match pending {
        [] => Err(PickError::None),
        [only] => Ok(*only),
        [_, _, ..] => Err(PickError::Ambiguous),
    }
}

/// Why a round has to be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickError {
    /// No round waits for answers.
    None,
    /// More than one round waits for answers.
    Ambiguous,
}

impl fmt::Display for PickError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no round is waiting for answers",
            Self::Ambiguous => "more than one round is waiting for answers: name the one that is meant",
        })
    }
}

impl Error for PickError {}

/// A round as the sum sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundCounts {
    /// Its number within the idea, from 1.
    pub number: i32,
    /// Where it is.
    pub status: RoundStatus,
    /// How many questions it has.
    pub questions: u32,
    /// How many of them have an answer.
    pub answered: u32,
}

/// The elaboration of an idea in numbers (lifecycle specification §3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Questions of all rounds.
    pub total_questions: u32,
    /// Those with an answer.
    pub answered_questions: u32,
    /// Rounds that wait for nothing any more.
    pub validated_rounds: u32,
    /// The number of the first round that waits for answers.
    pub pending_round: Option<i32>,
}

/// Sums up the rounds of an idea, in whatever order.
pub fn summarize(rounds: impl IntoIterator<Item = RoundCounts>) -> Summary {
    rounds.into_iter().fold(Summary::default(), |sum, round| {
        let (validated, pending) = match round.status {
            RoundStatus::Answered => (1, None),
            RoundStatus::PendingAnswers => (0, Some(round.number)),
        };
        Summary {
            total_questions: sum.total_questions.saturating_add(round.questions),
            answered_questions: sum.answered_questions.saturating_add(round.answered),
            validated_rounds: sum.validated_rounds.saturating_add(validated),
            pending_round: [sum.pending_round, pending].into_iter().flatten().min(),
        }
    })
}
