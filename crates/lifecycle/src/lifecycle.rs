//! A table of moves and what can be asked of it.

use std::{error::Error, fmt};

/// Every legal move of one entity; a pair that is absent is illegal.
///
/// INVARIANT (one target): no (status, event) pair occurs twice.
#[derive(Clone, Copy, Debug)]
pub struct Lifecycle<S: 'static, E: 'static> {
    /// What has this lifecycle, in lower case.
    pub name: &'static str,
    /// The status it is created in.
    pub initial: S,
    /// The moves: from which status, by which event, to which status.
    pub moves: &'static [(S, E, S)],
}

impl<S: Copy + PartialEq, E: Copy + PartialEq> Lifecycle<S, E> {
    /// The status after `event`.
    ///
    /// # Errors
    /// `event` cannot happen in the status `from`.
    pub fn apply(&self, from: S, event: E) -> Result<S, IllegalMove<S, E>> {
        self.moves
            .iter()
            .find(|&&(s, e, _)| s == from && e == event)
            .map(|&(_, _, to)| to)
            .ok_or(IllegalMove { from, event })
    }

    /// What can happen in `status`, in table order.
    pub fn events_from(&self, status: S) -> impl Iterator<Item = E> + use<S, E> {
        self.moves.iter().filter(move |&&(from, _, _)| from == status).map(|&(_, event, _)| event)
    }

    /// Where `status` can lead in one move, each status once, in table order.
    ///
    /// `status` itself is among them if some event leaves it as it is.
    pub fn next_statuses(&self, status: S) -> Vec<S> {
        let mut next = Vec::new();
        for &(from, _, to) in self.moves {
            if from == status && !next.contains(&to) {
                next.push(to);
            }
        }
        next
    }
}

/// An event that cannot happen in the status that the entity is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove<S, E> {
    /// The status that the entity is in.
    pub from: S,
    /// What was attempted.
    pub event: E,
}

impl<S: fmt::Display, E: fmt::Display> fmt::Display for IllegalMove<S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not possible from `{}`", self.event, self.from)
    }
}

impl<S: fmt::Debug + fmt::Display, E: fmt::Debug + fmt::Display> Error for IllegalMove<S, E> {}
