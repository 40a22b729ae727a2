//! Accounts of people: sessions of their browsers, and links that let them in once.

use chorus_ids::{BrowserSessionId, CompanyId, LinkId, Timestamp, UserId};

use crate::Subject;

/// Microseconds in a minute.
const MINUTE: i64 = 60 * 1_000_000;
/// Microseconds in an hour.
const HOUR: i64 = 60 * MINUTE;
/// Microseconds in a day.
const DAY: i64 = 24 * HOUR;

/// Microseconds within which a second use of a session is not noted.
pub const USE_NOTED_EVERY: i64 = MINUTE;

/// Longest excerpt of what a browser calls itself, in characters.
pub const MAX_CLIENT: usize = 200;

/// How long a session lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lasting {
    /// An hour since it was last used. The browser forgets it when it is closed.
    #[default]
    Brief,
    /// Seven days since it was last used; the browser keeps it.
    Remembered,
}

impl Lasting {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Brief, Self::Remembered];

    /// How long it lasts unused, in microseconds.
    pub const fn idle_micros(self) -> i64 {
        match self {
            Self::Brief => HOUR,
            Self::Remembered => 7 * DAY,
        }
    }
}

/// How long a session lasts however busy it is, in microseconds.
pub const SESSION_MICROS: i64 = 30 * DAY;

/// A session of a person's browser. Its token is not stored, only the token's hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// Its id.
    pub id: BrowserSessionId,
    /// Whose it is.
    pub user: UserId,
    /// Lower-case hexadecimal SHA-256 of the token.
    pub token_hash: String,
    /// How long it lasts.
    pub lasting: Lasting,
    /// What the browser calls itself, at most [`MAX_CLIENT`] characters; empty if it does not say.
    pub client: String,
    /// When the person signed in.
    pub created_at: Timestamp,
    /// When it was last used, to the minute.
    pub last_seen_at: Timestamp,
}

impl BrowserSession {
    /// From when on it is over unless it is used before.
    pub fn ends_at(&self) -> Timestamp {
        let idle = self.last_seen_at.plus_micros(self.lasting.idle_micros());
        idle.min(self.created_at.plus_micros(SESSION_MICROS))
    }

    /// Whether it is over.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.ends_at() <= now
    }

    /// Whether its use at this moment is worth noting.
    pub fn is_use_due(&self, now: Timestamp) -> bool {
        self.last_seen_at.plus_micros(USE_NOTED_EVERY) <= now
    }
}

/// Which sessions of a person end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This one.
    One(BrowserSessionId),
    /// All but this one.
    AllBut(BrowserSessionId),
    /// All.
    All,
}

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// Lets somebody in who has a right to be there: the first user, or one who chooses among companies.
    SignIn,
    /// Lets somebody new choose a password.
    Invitation,
    /// Lets somebody choose another password.
    Reset,
}

impl LinkKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::SignIn, Self::Invitation, Self::Reset];

    /// The name in rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Invitation => "invitation",
            Self::Reset => "reset",
        }
    }

    /// The kind of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The first part of its path on the web: `/join/<token>`.
    pub const fn path(self) -> &'static str {
        match self {
            Self::SignIn => "enter",
            Self::Invitation => "join",
            Self::Reset => "reset",
        }
    }

    /// How long it works, in microseconds.
    pub const fn lasts_micros(self) -> i64 {
        match self {
            Self::SignIn | Self::Reset => DAY,
            Self::Invitation => 7 * DAY,
        }
    }
}

/// A link that works once. Its token is not stored, only the token's hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneTimeLink {
    /// Its id.
    pub id: LinkId,
    /// The tenant.
    pub company: CompanyId,
    /// Whom it lets in.
    pub user: UserId,
    /// What it is for.
    pub kind: LinkKind,
    /// Lower-case hexadecimal SHA-256 of the token.
    pub token_hash: String,
    /// Who made it.
    pub made_by: Subject,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it no longer works.
    pub expires_at: Timestamp,
    /// When it was used.
    pub used_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

    fn session(lasting: Lasting, last_seen: i64) -> BrowserSession {
        BrowserSession {
            id: BrowserSessionId::from_u128(1),
            user: UserId::from_u128(2),
            token_hash: String::new(),
            lasting,
            client: String::new(),
            created_at: START,
            last_seen_at: START.plus_micros(last_seen),
        }
    }

    fn over(lasting: Lasting, last_seen: i64, after: i64) -> bool {
        session(lasting, last_seen).is_over(START.plus_micros(last_seen + after))
    }

    #[test]
    fn a_session_is_over_an_hour_or_seven_days_after_its_last_use() {
        for (lasting, idle) in [(Lasting::Brief, HOUR), (Lasting::Remembered, 7 * DAY)] {
            for last_seen in [0, HOUR, 3 * DAY] {
                assert!(!over(lasting, last_seen, 0) && !over(lasting, last_seen, idle - 1), "{lasting:?}");
                assert!(over(lasting, last_seen, idle) && over(lasting, last_seen, idle + DAY), "{lasting:?}");
            }
        }
    }

    #[test]
    fn no_session_lasts_longer_than_thirty_days() {
        for lasting in Lasting::ALL {
            let last_seen = 30 * DAY - MINUTE;
            assert!(!over(lasting, last_seen, MINUTE - 1), "{lasting:?}");
            assert!(over(lasting, last_seen, MINUTE), "{lasting:?}");
        }
    }

    #[test]
    fn use_is_noted_once_a_minute() {
        let due = |after| session(Lasting::Brief, 0).is_use_due(START.plus_micros(after));
        assert_eq!([0, MINUTE - 1, MINUTE, HOUR].map(due), [false, false, true, true]);
    }

    #[test]
    fn kinds_of_links_are_read_as_they_are_written_and_have_paths_of_their_own() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(LinkKind::parse("Reset"), None);
        assert_eq!(LinkKind::ALL.map(LinkKind::path), ["enter", "join", "reset"]);
    }
}
