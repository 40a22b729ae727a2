//! Why somebody was not let in, or an account was not changed.

use std::{fmt, time::Duration};

use chorus_domain::{Refusal, refusal::Problem};
use chorus_store::Error;

/// Why somebody was not let in, or an account was not changed.
#[derive(Debug)]
pub enum AccountError {
    /// The address or the password is wrong, or nobody has them, or there is no password: the three look the same.
    Wrong,
    /// The password is right, but the person is suspended.
    Suspended,
    /// Too many attempts from this client. Nobody else has to wait.
    TooMany {
        /// How long this client has to wait.
        retry_after: Duration,
    },
    /// The link was not made here, has been used, was taken back or has expired.
    Link(LinkFault),
    /// The session that acts is over.
    SignedOut,
    /// What was given can't be taken; problems name their fields.
    Refused(Refusal),
    /// Nobody could be asked, or a fault of ours.
    Failed(Error),
}

/// What is the matter with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFault {
    /// There is none, or not any more.
    Unknown,
    /// It has been used.
    Used,
    /// Its time is over.
    Expired,
    /// Whom it would let in is suspended.
    Suspended,
}

impl AccountError {
    /// A problem with one field.
    pub(crate) fn field(problem: Problem) -> Self {
        Self::Refused(Refusal::problems(vec![problem]))
    }

    /// How long to wait before another attempt, in whole seconds for `Retry-After`; `None` where waiting changes
    /// nothing.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        match self {
            Self::TooMany { retry_after } => Some(retry_after.as_secs_f64().ceil().max(1.0) as u64),
            Self::Wrong | Self::Suspended | Self::Link(_) | Self::SignedOut | Self::Refused(_) | Self::Failed(_) => {
                None
            }
        }
    }
}

/// Sentences for the person: what is wrong and what to do next.
impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrong => "The e-mail address or the password is wrong.",
            Self::Suspended => "Your account is suspended. Ask whoever runs this server to let you in again.",
            Self::TooMany { .. } => {
                let seconds = self.retry_after_seconds().unwrap_or(1);
                return write!(f, "Too many attempts. Wait {seconds} seconds and try again.");
            }
            Self::Link(LinkFault::Unknown) => {
                "This link does not work. Check that it is complete, or ask whoever gave it to you for another one."
            }
            Self::Link(LinkFault::Used) => {
                "This link has been used, and works only once. Sign in, or ask for another one."
            }
            Self::Link(LinkFault::Expired) => "This link has expired. Ask whoever gave it to you for another one.",
            Self::Link(LinkFault::Suspended) => {
                "The account of this link is suspended. Ask whoever runs this server to let you in again."
            }
            Self::SignedOut => "You are signed out. Sign in again.",
            Self::Refused(refusal) => return refusal.fmt(f),
            Self::Failed(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for AccountError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Failed(error) => Some(error),
            Self::Wrong | Self::Suspended | Self::TooMany { .. } | Self::Link(_) | Self::SignedOut => None,
        }
    }
}

impl From<Error> for AccountError {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => Self::Refused(refusal),
            error @ (Error::Again(_) | Error::Unavailable(_) | Error::Internal(_)) => Self::Failed(error),
        }
    }
}

impl From<Refusal> for AccountError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_told_in_whole_seconds() {
        for (wait, seconds) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (29_500, 30)] {
            let error = AccountError::TooMany { retry_after: Duration::from_millis(wait) };
            assert_eq!(error.retry_after_seconds(), Some(seconds));
            assert!(error.to_string().contains(&format!(" {seconds} ")), "{error}");
        }
        assert_eq!(AccountError::Wrong.retry_after_seconds(), None);
    }

    #[test]
    fn what_failed_inside_is_not_told() {
        let error = AccountError::from(Error::Unavailable("connection refused by db.internal".into()));
        assert!(!error.to_string().contains("db.internal"));
    }
}
