//! Why there is no page.

use chorus_auth::accounts::AccountError;
use chorus_domain::{Code, Refusal};
use chorus_store::{BoxError, Error};
use http::StatusCode;

/// Why a request is not answered as it was meant.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nobody is signed in.
    SignedOut,
    /// A form that was not made for this session, or is older than it.
    Stale,
    /// There is nothing here, as far as the person may know.
    Missing,
    /// More was sent than is taken at once, which is so many bytes.
    TooLarge(usize),
    /// It was refused.
    Refused(Refusal),
    /// The database can't be reached, or it is our fault.
    Failed(Error),
}

impl Fault {
    /// Our fault; the text is for the log.
    pub(crate) fn internal(text: impl Into<BoxError>) -> Self {
        Self::Failed(Error::Internal(text.into()))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Again(_) | Error::Unavailable(_) | Error::Internal(_) => Self::Failed(error),
        }
    }
}

impl From<AccountError> for Fault {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::SignedOut => Self::SignedOut,
            AccountError::Refused(refusal) => refusal.into(),
            AccountError::Failed(error) => Self::Failed(error),
            AccountError::TooMany { .. } => Refusal::new(Code::RateLimited, error.to_string()).into(),
            AccountError::Wrong | AccountError::Suspended | AccountError::Link(_) => {
                Self::Refused(Refusal::new(Code::Forbidden, error.to_string()))
            }
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        if refusal.code == Code::NotFound { Self::Missing } else { Self::Refused(refusal) }
    }
}

/// The status with which a refusal is told.
pub(crate) const fn status(code: Code) -> StatusCode {
    match code {
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Forbidden | Code::AssigneeNoAccess | Code::NotAssignee => StatusCode::FORBIDDEN,
        Code::AlreadyClaimed
        | Code::NotClaimed
        | Code::InvalidState
        | Code::InvalidTransition
        | Code::BlockedByDependencies
        | Code::PreconditionFailed
        | Code::AmbiguousRound
        | Code::StaleConfirmation
        | Code::AlreadyMember
        | Code::LastAdmin
        | Code::Cycle
        | Code::IdempotencyKeyReused => StatusCode::CONFLICT,
        Code::InvalidArguments => StatusCode::UNPROCESSABLE_ENTITY,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
