//! Searching: which words a text has, which of them a query asks for, and what of a match is shown.
//!
//! The same function cuts stored texts and queries into words, so that nothing else has to know about scripts.

mod query;
mod score;
mod snippet;
mod words;

pub use query::{MAX_QUERY, MAX_TERMS, Query, Reach, Term};
pub use score::{Score, behind};
pub use snippet::{MAX_SNIPPET, snippet};
pub use words::{Entry, WORDS_VERSION};

use crate::Kind;

/// What can be found, in the order of an answer's counts.
pub const SEARCHED: [Kind; 6] = [Kind::Task, Kind::Idea, Kind::Proposal, Kind::Document, Kind::Project, Kind::Group];
