//! Watching which statements run.

use std::sync::{Arc, Mutex, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent};

/// The statements that the connections of a store have run, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<Vec<String>>>);

impl Watch {
    /// Those since the last look, each with what it binds.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Instrumentation for Watch {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(query.to_string());
        }
    }
}
