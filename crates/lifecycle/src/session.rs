//! Sessions of agents and their check-ins to tasks (lifecycle specification
//! §8). They have nothing to do with sessions of a transport.

use crate::{Lifecycle, names::names};

names! {
    /// Whether a session is in use.
    pub enum SessionStatus("session status") {
        /// It can check in to tasks.
        Active = "active",
        /// Put away, until it is reopened.
        Closed = "closed",
    }

    /// What happens to a session.
    pub enum SessionEvent("session event") {
        /// It checks in to a task.
        CheckIn = "check_in",
        /// It is put away and leaves its tasks.
        Close = "close",
        /// It is taken up again; earlier check-ins stay ended.
        Reopen = "reopen",
    }

    /// Whether a session is at a task it once checked in to.
    pub enum CheckinStatus("check-in status") {
        /// It is there.
        CheckedIn = "checked_in",
        /// It has left.
        CheckedOut = "checked_out",
    }

    /// What happens to a check-in.
    pub enum CheckinEvent("check-in event") {
        /// The session comes to the task, again perhaps.
        CheckIn = "check_in",
        /// The session leaves the task, or is closed.
        CheckOut = "check_out",
    }
}

/// Every legal move of a session. Closing a closed one changes nothing;
/// reopening an active one is an error.
#[rustfmt::skip]
pub const SESSION: Lifecycle<SessionStatus, SessionEvent> = Lifecycle {
    name: "session",
    initial: SessionStatus::Active,
    moves: &[
        (SessionStatus::Active, SessionEvent::CheckIn, SessionStatus::Active),
        (SessionStatus::Active, SessionEvent::Close,   SessionStatus::Closed),
        (SessionStatus::Closed, SessionEvent::Close,   SessionStatus::Closed),
        (SessionStatus::Closed, SessionEvent::Reopen,  SessionStatus::Active),
    ],
};

/// Every legal move of a check-in. There is one per session and task, written
/// again at each arrival.
#[rustfmt::skip]
pub const CHECKIN: Lifecycle<CheckinStatus, CheckinEvent> = Lifecycle {
    name: "check-in",
    initial: CheckinStatus::CheckedIn,
    moves: &[
        (CheckinStatus::CheckedIn,  CheckinEvent::CheckIn,  CheckinStatus::CheckedIn),
        (CheckinStatus::CheckedIn,  CheckinEvent::CheckOut, CheckinStatus::CheckedOut),
        (CheckinStatus::CheckedOut, CheckinEvent::CheckIn,  CheckinStatus::CheckedIn),
        (CheckinStatus::CheckedOut, CheckinEvent::CheckOut, CheckinStatus::CheckedOut),
    ],
};

impl SessionStatus {
    /// Whether using the session counts as activity: a closed one is never
    /// refreshed.
    pub const fn is_refreshed_by_use(self) -> bool {
        match self {
            Self::Active => true,
            Self::Closed => false,
        }
    }
}

/// How long a session counts as fresh after it was last active: one hour, in
/// microseconds.
pub const FRESH_MICROS: i64 = 3_600_000_000;

/// Whether live displays show a session that was last active at `last_active`.
/// Both times are microseconds since the same moment.
pub const fn is_fresh(status: SessionStatus, last_active: i64, now: i64) -> bool {
    match status {
        SessionStatus::Active => now.saturating_sub(last_active) < FRESH_MICROS,
        SessionStatus::Closed => false,
    }
}
