//! Acceptance criteria: marks, their sum, and the gate before `done`
//! (lifecycle specification §7).

use crate::{Lifecycle, names::names};

names! {
    /// One of the two marks of a criterion: the assignee's self-check or the
    /// verifier's verdict. Both move alike and independently.
    #[derive(Default)]
    pub enum Mark("mark") {
        /// Not judged.
        #[default]
        Pending = "pending",
        /// Found to hold.
        Passed = "passed",
        /// Found not to hold.
        Failed = "failed",
    }

    /// What happens to a mark.
    pub enum MarkEvent("mark event") {
        /// The criterion is found to hold.
        Pass = "pass",
        /// The criterion is found not to hold.
        Fail = "fail",
        /// The judgement is taken back: by a person, or because the task left
        /// `to_verify` for anything but `done`.
        Reset = "reset",
    }

    /// What the verdicts on a task's criteria amount to.
    pub enum AcceptanceStatus("acceptance status") {
        /// No criterion has a verdict, or there is none.
        NotStarted = "not_started",
        /// Some have one, and no required one failed.
        InProgress = "in_progress",
        /// Every required one passed, and there is one.
        Passed = "passed",
        /// A required one failed.
        Failed = "failed",
    }
}

use Mark as S;
use MarkEvent as E;

/// Every legal move of a mark: any judgement may follow any other.
#[rustfmt::skip]
pub const MARK: Lifecycle<Mark, MarkEvent> = Lifecycle {
    name: "criterion mark",
    initial: S::Pending,
    moves: &[
        (S::Pending, E::Pass,  S::Passed),
        (S::Pending, E::Fail,  S::Failed),
        (S::Pending, E::Reset, S::Pending),
        (S::Passed,  E::Pass,  S::Passed),
        (S::Passed,  E::Fail,  S::Failed),
        (S::Passed,  E::Reset, S::Pending),
        (S::Failed,  E::Pass,  S::Passed),
        (S::Failed,  E::Fail,  S::Failed),
        (S::Failed,  E::Reset, S::Pending),
    ],
};

/// A criterion as the sum sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Whether the task cannot be done without it.
    pub required: bool,
    /// The verdict. The self-check is informative and counts for nothing here.
    pub mark: Mark,
}

/// How many criteria of a task stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All of them.
    pub total: u32,
    /// The required ones.
    pub required: u32,
    /// Those that passed.
    pub passed: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those without a verdict.
    pub pending: u32,
    /// The required ones that passed.
    pub required_passed: u32,
    /// The required ones that failed.
    pub required_failed: u32,
    /// The required ones without a verdict.
    pub required_pending: u32,
}

impl FromIterator<Item> for Summary {
    fn from_iter<I: IntoIterator<Item = Item>>(items: I) -> Self {
        let mut sum = Self::default();
        for Item { required, mark } in items {
            let required = u32::from(required);
            let (all, needed) = match mark {
                Mark::Pending => (&mut sum.pending, &mut sum.required_pending),
                Mark::Passed => (&mut sum.passed, &mut sum.required_passed),
                Mark::Failed => (&mut sum.failed, &mut sum.required_failed),
            };
            *all += 1;
            *needed += required;
            sum.total += 1;
            sum.required += required;
        }
        sum
    }
}

impl Summary {
    /// What the counts amount to.
    ///
    /// A set of optional criteria only never reads `passed`, although
    /// [`verify_gate`] lets it through.
    pub const fn status(self) -> AcceptanceStatus {
        if self.required_failed > 0 {
            AcceptanceStatus::Failed
        } else if self.required > 0 && self.required_passed == self.required {
            AcceptanceStatus::Passed
        } else if self.passed + self.failed > 0 {
            AcceptanceStatus::InProgress
        } else {
            AcceptanceStatus::NotStarted
        }
    }
}

/// What the criteria of a task amount to, and the counts behind it.
pub fn roll_up(items: impl IntoIterator<Item = Item>) -> (AcceptanceStatus, Summary) {
    let summary: Summary = items.into_iter().collect();
    (summary.status(), summary)
}

/// Whether a task with these criteria may be verified: every required one
/// passed. No criteria, or optional ones only, pass.
///
/// # Errors
/// The counts, if a required criterion failed or has no verdict.
pub fn verify_gate(items: impl IntoIterator<Item = Item>) -> Result<(), Summary> {
    let summary: Summary = items.into_iter().collect();
    if summary.required_passed == summary.required { Ok(()) } else { Err(summary) }
}
