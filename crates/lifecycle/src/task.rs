//! Tasks: from open to verified.

use crate::{Lifecycle, names::names};

names! {
    /// Where a task is.
    pub enum TaskStatus("task status") {
        /// Nobody works on it.
        Open = "open",
        /// Somebody has it and has not begun.
        Assigned = "assigned",
        /// Its assignee works on it.
        InProgress = "in_progress",
        /// Its assignee is finished; somebody else has to look.
        ToVerify = "to_verify",
        /// Verified. It is never reopened.
        Done = "done",
        /// Given up, or revoked with its proposal. Terminal.
        Closed = "closed",
    }

    /// What happens to a task.
    pub enum TaskEvent("task event") {
        /// Somebody takes it for themselves; a check-in of a session takes an
        /// unassigned task like this too.
        Claim = "claim",
        /// It is given to somebody, whoever had it before.
        Assign = "assign",
        /// Its assignee gives it back.
        Release = "release",
        /// Its assignee begins to work.
        Start = "start",
        /// Its assignee takes it back from verification to work on.
        Resume = "resume",
        /// Its assignee asks for verification.
        Submit = "submit",
        /// It is found to be done.
        Verify = "verify",
        /// It is found wanting and sent back to its assignee.
        Reopen = "reopen",
        /// It is given up, or closed after it was done.
        Close = "close",
        /// It goes with its proposal, whose approval was taken back.
        Revoke = "revoke",
        /// Its assignee was removed and can't go on with it: it is free for
        /// others. Submitted work stays submitted until it is found wanting.
        Vacate = "vacate",
    }

    /// How urgent a task is.
    #[derive(Default)]
    pub enum Priority("priority") {
        /// After the others.
        Low = "low",
        /// What a task gets that does not say.
        #[default]
        Medium = "medium",
        /// Before the others.
        High = "high",
    }
}

use TaskEvent as E;
use TaskStatus as S;

/// Every legal move of a task (lifecycle specification §6.1, §6.2; for
/// `revoke` §4.5).
///
/// Deleting and editing are possible in every status and so are no moves.
#[rustfmt::skip]
pub const TASK: Lifecycle<TaskStatus, TaskEvent> = Lifecycle {
    name: "task",
    initial: S::Open,
    moves: &[
        (S::Open,       E::Claim,   S::Assigned),
        (S::Open,       E::Assign,  S::Assigned),
        (S::Open,       E::Close,   S::Closed),
        (S::Open,       E::Revoke,  S::Closed),
        (S::Assigned,   E::Assign,  S::Assigned),
        (S::Assigned,   E::Release, S::Open),
        (S::Assigned,   E::Start,   S::InProgress),
        (S::Assigned,   E::Close,   S::Closed),
        (S::Assigned,   E::Revoke,  S::Closed),
        (S::Assigned,   E::Vacate,  S::Open),
        (S::InProgress, E::Submit,  S::ToVerify),
        (S::InProgress, E::Close,   S::Closed),
        (S::InProgress, E::Revoke,  S::Closed),
        (S::InProgress, E::Vacate,  S::Open),
        (S::ToVerify,   E::Resume,  S::InProgress),
        (S::ToVerify,   E::Verify,  S::Done),
        (S::ToVerify,   E::Reopen,  S::InProgress),
        (S::ToVerify,   E::Close,   S::Closed),
        (S::ToVerify,   E::Revoke,  S::Closed),
        (S::ToVerify,   E::Vacate,  S::Open),
        (S::Done,       E::Close,   S::Closed),
        (S::Done,       E::Revoke,  S::Closed),
    ],
};

impl TaskStatus {
    /// Whether nothing is left to do: `done` or `closed`.
    pub const fn is_finished(self) -> bool {
        match self {
            Self::Done | Self::Closed => true,
            Self::Open | Self::Assigned | Self::InProgress | Self::ToVerify => false,
        }
    }

    /// Whether tasks that depend on this one may start (lifecycle specification
    /// §6.4). Work that waits for verification does not count as finished.
    pub const fn resolves_dependency(self) -> bool {
        self.is_finished()
    }
}

impl TaskEvent {
    /// Whether a move clears both marks of every criterion: it leaves
    /// `to_verify` for anything but `done` (lifecycle specification §7).
    pub const fn resets_criteria(from: TaskStatus, to: TaskStatus) -> bool {
        matches!(from, S::ToVerify) && !matches!(to, S::ToVerify | S::Done)
    }
}

impl Priority {
    /// The place in a sorted list, 0 to 2: `high` is first.
    pub const fn rank(self) -> u8 {
        match self {
            Self::High => 0,
            Self::Medium => 1,
            Self::Low => 2,
        }
    }
}
