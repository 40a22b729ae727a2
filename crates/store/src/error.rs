//! Why a storage operation failed.

use std::fmt;

use chorus_domain::Refusal;

/// The cause of a failure that is not the caller's doing; goes to the log, never to a client.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A result of storage.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on the store, or around it, failed.
#[derive(Debug)]
pub enum Error {
    /// A domain answer, final.
    Refused(Refusal),
    /// The unit lost a race or its connection: run all of it again.
    Again(BoxError),
    /// The database can't be reached, or the outcome of a commit is unknown.
    Unavailable(BoxError),
    /// Our fault.
    Internal(BoxError),
}

impl Error {
    /// A fault of ours, told in words for the log.
    pub fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into().into())
    }

    /// The refusal in it, if it is one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Again(_) | Self::Unavailable(_) | Self::Internal(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Again(_) => f.write_str("the unit of work has to run again"),
            Self::Unavailable(_) => f.write_str("the database is not available"),
            Self::Internal(_) => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Again(source) | Self::Unavailable(source) | Self::Internal(source) => Some(source.as_ref()),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
