//! Watching which statements run.

use std::sync::{Arc, Mutex, PoisonError};

/// The statements that the connections of a store have run, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<Vec<String>>>);

impl Watch {
    /// Those since the last look, each with what it binds.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another one.
    pub(crate) fn note(&self, statement: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(statement);
    }
}
