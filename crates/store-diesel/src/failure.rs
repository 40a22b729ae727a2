//! What went wrong in a statement, in words that do not depend on the backend.

use std::fmt;

use chorus_store::Error;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind as Kind, Error as Sql};

/// How a backend reads its own errors.
pub(crate) struct Reading {
    /// Whether running the whole unit again may help.
    pub(crate) again: fn(&Kind, &dyn DatabaseErrorInformation) -> bool,
    /// Whether the database can't do this for now, whatever is tried again: it is full, or may only be read.
    pub(crate) unable: fn(&Kind, &dyn DatabaseErrorInformation) -> bool,
    /// The name of the violated constraint.
    pub(crate) constraint: fn(&dyn DatabaseErrorInformation) -> Option<String>,
}

/// A constraint that refused a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The kind of constraint.
    pub(crate) rule: Rule,
    /// Its name, the same on both backends; SQLite names no foreign keys.
    pub(crate) constraint: Option<String>,
}

/// The kinds of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Unique,
    ForeignKey,
    NotNull,
    Check,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} constraint `{}` violated", self.rule, self.constraint.as_deref().unwrap_or("?"))
    }
}

impl std::error::Error for Violation {}

/// A failed statement.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A constraint refused it; a caller may have caused that.
    Violation(Violation),
    /// Lost a race or the connection.
    Again(Sql),
    /// The database can't do this for now.
    Unable(Sql),
    /// A fault of ours.
    Fault(Sql),
}

impl Failure {
    /// Classifies an error of Diesel.
    pub(crate) fn of(error: Sql, reading: &Reading) -> Self {
        match &error {
            Sql::DatabaseError(kind, info) => {
                let rule = match kind {
                    Kind::UniqueViolation | Kind::ExclusionViolation => Some(Rule::Unique),
                    Kind::ForeignKeyViolation | Kind::RestrictViolation => Some(Rule::ForeignKey),
                    Kind::NotNullViolation => Some(Rule::NotNull),
                    Kind::CheckViolation => Some(Rule::Check),
                    _ => None,
                };
                match rule {
                    Some(rule) => Self::Violation(Violation { rule, constraint: (reading.constraint)(info.as_ref()) }),
                    None if (reading.unable)(kind, info.as_ref()) => Self::Unable(error),
                    None if (reading.again)(kind, info.as_ref()) => Self::Again(error),
                    None => Self::Fault(error),
                }
            }
            // Set when the connection died inside BEGIN, COMMIT or ROLLBACK.
            Sql::BrokenTransactionManager => Self::Again(error),
            _ => Self::Fault(error),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Violation(violation) => Self::Internal(Box::new(violation)),
            Failure::Again(error) => Self::Again(Box::new(error)),
            Failure::Unable(error) => Self::Unavailable(Box::new(error)),
            Failure::Fault(error) => Self::Internal(Box::new(error)),
        }
    }
}
