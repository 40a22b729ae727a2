//! What ends a command early, and the exit code for it.

use std::{fmt, process::ExitCode};

use chorus_domain::{Code, Refusal};
use chorus_store::Error;
use chorus_store_diesel::OpenError;
use serde_json::Value;

/// Why a command did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the configuration are wrong, or a client command reached no server that accepts it.
    Usage(String),
    /// It was refused, or something it needs failed.
    Refused(String),
    /// A tool answered with an error: its text as it is.
    Tool(String),
}

impl Failure {
    pub(crate) fn usage(text: impl fmt::Display) -> Self {
        Self::Usage(text.to_string())
    }

    pub(crate) fn refused(text: impl fmt::Display) -> Self {
        Self::Refused(text.to_string())
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Refused(_) | Self::Tool(_) => ExitCode::from(1),
            Self::Usage(_) => ExitCode::from(2),
        }
    }
}

/// One line, whatever a database had to say; a tool's text is not ours to change.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Refused(text) => {
                write!(f, "chorus: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Self::Tool(text) => f.write_str(text),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal.code {
            Code::InvalidArguments => Self::Usage(problems(&refusal).unwrap_or_else(|| refusal.to_string())),
            Code::NotFound
            | Code::Forbidden
            | Code::AssigneeNoAccess
            | Code::NotAssignee
            | Code::AlreadyClaimed
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
            | Code::TooLarge
            | Code::IdempotencyKeyReused
            | Code::RateLimited
            | Code::Unavailable
            | Code::Internal => Self::refused(refusal),
        }
    }
}

/// Everything that is wrong, where the details list more than the text has room for.
fn problems(refusal: &Refusal) -> Option<String> {
    let list = refusal.details.as_ref()?.get("problems")?.as_array()?;
    let text = |problem: &Value, member| Some(problem.get(member)?.as_str()?.to_owned());
    let texts: Vec<String> = list
        .iter()
        .filter_map(|problem| Some(format!("`{}` {}", text(problem, "field")?, text(problem, "message")?)))
        .collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Whoever runs these commands runs the database too, and may know causes.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Again(cause) | Error::Unavailable(cause) => {
                Self::Refused(format!("the database is not available: {cause}"))
            }
            Error::Internal(cause) => Self::Refused(format!("internal error: {cause}")),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::refused(error)
    }
}

#[cfg(test)]
mod tests {
    use chorus_domain::refusal::Problem;

    use super::*;

    #[test]
    fn wrong_arguments_are_usage_and_all_else_is_refused() {
        let code = |failure: Failure| format!("{:?}", failure.exit_code());
        let (one, two) = (format!("{:?}", ExitCode::from(1)), format!("{:?}", ExitCode::from(2)));
        assert_eq!(code(Refusal::invalid("email", "is blank").into()), two);
        assert_eq!(code(Refusal::new(Code::NotFound, "no such agent").into()), one);
        assert_eq!(code(Error::internal("x").into()), one);
        assert_eq!(code(Failure::Tool("x".into())), one);
    }

    #[test]
    fn every_problem_is_named() {
        let problems = vec![Problem::new("email", "is none"), Problem::new("name", "is blank")];
        let failure = Failure::from(Refusal::problems(problems));
        assert_eq!(failure.to_string(), "chorus: `email` is none; `name` is blank");
    }

    #[test]
    fn a_failure_is_one_line() {
        let failure = Failure::refused("could not connect:\n  is it\trunning?\n");
        assert_eq!(failure.to_string(), "chorus: could not connect: is it running?");
    }
}
