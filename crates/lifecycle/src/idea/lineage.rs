//! Parents of ideas.

use std::{error::Error, fmt};

/// Whether `parent` may become the parent of `idea` (lifecycle specification
/// §2.4). `ancestors_of_parent` is what stands above `parent`, in any order.
///
/// Whether the parent exists, in the same project, is for the caller to know.
///
/// # Errors
/// The two are the same idea, or `parent` descends from `idea`.
pub fn check_parent<Id: PartialEq>(
    idea: Id,
    parent: Id,
    ancestors_of_parent: impl IntoIterator<Item = Id>,
) -> Result<(), ParentError> {
    if idea == parent {
        Err(ParentError::Itself)
    } else if ancestors_of_parent.into_iter().any(|ancestor| ancestor == idea) {
        Err(ParentError::Descendant)
    } else {
        Ok(())
    }
}

/// Why an idea may not be the parent of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentError {
    /// It is the same idea.
    Itself,
    /// It stands below that idea already.
    Descendant,
}

impl fmt::Display for ParentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Itself => "an idea cannot be its own parent",
            Self::Descendant => "an idea cannot have one of its own descendants as its parent",
        })
    }
}

impl Error for ParentError {}
