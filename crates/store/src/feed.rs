//! What was committed, for whoever keeps something open: streams to clients, pages that show what is going on.

use std::sync::Arc;

use async_trait::async_trait;
use chorus_domain::event::Event;

/// What a listener is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// These changes were committed. Those of one unit come together or one after the other, in their order.
    Changes(Arc<[Event]>),
    /// Some changes may have gone by unheard: whatever the listener knows may be old, and has to be looked at again.
    Missed,
}

/// One listener's way to hear of committed changes: those of this process and of all others on the same database, each
/// once, and never one that was rolled back. Nothing is queued without bound: who listens too slowly is told
/// [`Heard::Missed`] instead.
#[async_trait]
pub trait Feed: Send + Sync {
    /// Waits for what comes next; `None` once the store is closed. Nothing is lost when the wait is given up.
    async fn next(&mut self) -> Option<Heard>;
}
