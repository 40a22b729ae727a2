//! Notifications: read, archived, never taken back (lifecycle specification
//! §9).

use crate::{Lifecycle, names::names};

names! {
    /// What a recipient has done with a notification. It is stored as two times,
    /// not as a status.
    pub enum NotificationState("notification state") {
        /// Neither read nor archived; the only state that is counted.
        Unread = "unread",
        /// Seen.
        Read = "read",
        /// Put away, read or not.
        Archived = "archived",
    }

    /// What happens to a notification.
    pub enum NotificationEvent("notification event") {
        /// The same happened again: it is brought up to date instead of being
        /// joined by another.
        Refresh = "refresh",
        /// Its recipient sees it, by whatever way.
        MarkRead = "mark_read",
        /// Its recipient puts it away.
        Archive = "archive",
    }
}

use NotificationEvent as E;
use NotificationState as S;

/// Every legal move of a notification. Where `refresh` is illegal, another
/// notification is written.
#[rustfmt::skip]
pub const NOTIFICATION: Lifecycle<NotificationState, NotificationEvent> = Lifecycle {
    name: "notification",
    initial: S::Unread,
    moves: &[
        (S::Unread,   E::Refresh,  S::Unread),
        (S::Unread,   E::MarkRead, S::Read),
        (S::Unread,   E::Archive,  S::Archived),
        (S::Read,     E::MarkRead, S::Read),
        (S::Read,     E::Archive,  S::Archived),
        (S::Archived, E::MarkRead, S::Archived),
        (S::Archived, E::Archive,  S::Archived),
    ],
};

impl NotificationState {
    /// The state that the two stored times amount to.
    pub const fn of<T: Copy>(read_at: Option<T>, archived_at: Option<T>) -> Self {
        match (read_at, archived_at) {
            (_, Some(_)) => Self::Archived,
            (Some(_), None) => Self::Read,
            (None, None) => Self::Unread,
        }
    }
}
