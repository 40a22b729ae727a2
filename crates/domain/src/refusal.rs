//! Why an operation was refused, in terms that its caller can act on.

use std::fmt;

use serde_json::Value;

use crate::Kind;

mod problem;

pub use problem::{Problem, Reason};

/// The machine-readable reason of a refusal. Clients match on it, never on the text; the list is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// Absent, or outside the caller's scope: the two look the same.
    NotFound,
    /// Visible, but the caller's level or capability is too low.
    Forbidden,
    /// Who would become the assignee cannot edit the project.
    AssigneeNoAccess,
    /// Only the assignee may do this.
    NotAssignee,
    /// Somebody else holds it.
    AlreadyClaimed,
    /// Nobody holds it.
    NotClaimed,
    /// The current state does not allow the operation.
    InvalidState,
    /// The lifecycle has no such move.
    InvalidTransition,
    /// Unfinished prerequisites.
    BlockedByDependencies,
    /// Something that must hold first does not, such as an expected version.
    PreconditionFailed,
    /// More than one elaboration round is open and none was named.
    AmbiguousRound,
    /// The arguments are wrong in themselves.
    InvalidArguments,
    /// A confirmation token that no longer matches what it confirms.
    StaleConfirmation,
    /// Already a member.
    AlreadyMember,
    /// Would leave nobody in charge.
    LastAdmin,
    /// Would close a circle of dependencies.
    Cycle,
    /// Too large to store or to answer.
    TooLarge,
    /// The idempotency key stands for other arguments.
    IdempotencyKeyReused,
    /// Too many calls.
    RateLimited,
    /// Try again later.
    Unavailable,
    /// Our fault.
    Internal,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::NotFound,
        Self::Forbidden,
        Self::AssigneeNoAccess,
        Self::NotAssignee,
        Self::AlreadyClaimed,
        Self::NotClaimed,
        Self::InvalidState,
        Self::InvalidTransition,
        Self::BlockedByDependencies,
        Self::PreconditionFailed,
        Self::AmbiguousRound,
        Self::InvalidArguments,
        Self::StaleConfirmation,
        Self::AlreadyMember,
        Self::LastAdmin,
        Self::Cycle,
        Self::TooLarge,
        Self::IdempotencyKeyReused,
        Self::RateLimited,
        Self::Unavailable,
        Self::Internal,
    ];

    /// The code as it goes over the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
            Self::AssigneeNoAccess => "assignee_no_access",
            Self::NotAssignee => "not_assignee",
            Self::AlreadyClaimed => "already_claimed",
            Self::NotClaimed => "not_claimed",
            Self::InvalidState => "invalid_state",
            Self::InvalidTransition => "invalid_transition",
            Self::BlockedByDependencies => "blocked_by_dependencies",
            Self::PreconditionFailed => "precondition_failed",
            Self::AmbiguousRound => "ambiguous_round",
            Self::InvalidArguments => "invalid_arguments",
            Self::StaleConfirmation => "stale_confirmation",
            Self::AlreadyMember => "already_member",
            Self::LastAdmin => "last_admin",
            Self::Cycle => "cycle",
            Self::TooLarge => "too_large",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// Whether the same call may succeed later without any change of its arguments.
    pub const fn retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::Unavailable)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: one type for all layers, rendered once per surface.
///
/// The text is one or more sentences for whoever called: what is wrong and what to do next. It never holds text of
/// the database, a type name or a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The machine-readable reason.
    pub code: Code,
    /// What is wrong and what to do next.
    pub text: String,
    /// More for machines: the holder, the blockers, the problems by index.
    pub details: Option<Value>,
}

impl Refusal {
    /// A refusal without details.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), details: None }
    }

    /// The same with details, a JSON object.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// `Task not found`, and what lists tasks: the one answer for missing, foreign and hidden.
    pub fn not_found(kind: Kind) -> Self {
        Self::new(Code::NotFound, format!("{} not found; {}.", kind.noun(), kind.found_with()))
    }

    /// The caller sees the project, but its level there is too low.
    pub fn forbidden_level() -> Self {
        Self::new(
            Code::Forbidden,
            "Your access to this project is not sufficient for this operation. Ask an administrator of the project \
             for a higher role; repeating the call does not help.",
        )
    }

    /// One argument is wrong.
    pub fn invalid(field: &str, detail: impl fmt::Display) -> Self {
        Self::problems(vec![Problem::new(field, detail)])
    }

    /// Several arguments are wrong; the details list every problem.
    ///
    /// An empty list still is a refusal, of nothing in particular; callers ask first whether there are any.
    pub fn problems(problems: Vec<Problem>) -> Self {
        let text = match problems.as_slice() {
            [] => "Invalid arguments.".to_owned(),
            [only] => format!("Invalid arguments: {only}."),
            [first, rest @ ..] => {
                format!("Invalid arguments: {first} (and {} more; see the error's details).", rest.len())
            }
        };
        let list: Vec<Value> = problems.iter().map(Problem::json).collect();
        Self::new(Code::InvalidArguments, text).with(serde_json::json!({ "problems": list }))
    }

    /// All is well if there are no problems; otherwise a refusal that lists them.
    ///
    /// # Errors
    /// `invalid_arguments` with every problem.
    pub fn unless_fine(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::problems(problems)) }
    }

    /// Whether the same call may succeed later as it is.
    pub const fn retryable(&self) -> bool {
        self.code.retryable()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_only_passing_troubles_are_retryable() {
        let mut names: Vec<_> = Code::ALL.map(Code::as_str).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        let retryable: Vec<_> = Code::ALL.into_iter().filter(|code| code.retryable()).collect();
        assert_eq!(retryable, [Code::RateLimited, Code::Unavailable]);
    }

    #[test]
    fn whatever_is_not_found_has_a_tool_that_shows_what_there_is() {
        assert_eq!(
            Refusal::not_found(Kind::Task).text,
            "Task not found; chorus_list_tasks lists the tasks of a project."
        );
        for kind in Kind::ALL {
            assert!(Refusal::not_found(kind).text.contains("chorus_"), "{kind}");
        }
    }

    #[test]
    fn every_problem_is_in_the_details_and_the_first_in_the_text() {
        let refusal = Refusal::problems(vec![Problem::new("a", "is blank"), Problem::new("b[2].c", "is too long")]);
        assert_eq!(refusal.text, "Invalid arguments: `a` is blank (and 1 more; see the error's details).");
        assert_eq!(
            refusal.details,
            Some(serde_json::json!({"problems": [
                {"field": "a", "message": "is blank"}, {"field": "b[2].c", "message": "is too long"}
            ]}))
        );
    }
}
