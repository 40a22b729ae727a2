//! What the server hands to everything: the store, the time and new ids.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use chorus_ids::{Timestamp, Uuid, v7};
use chorus_store::Store;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Makes ids.
pub trait Ids: Send + Sync {
    /// A new UUID of version 7 for this moment.
    fn uuid(&self, now: Timestamp) -> Uuid;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        Timestamp::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    }
}

/// Random ids.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn uuid(&self, now: Timestamp) -> Uuid {
        v7(now, rand::random())
    }
}

/// The store, the time and new ids.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
}

impl Services {
    /// A store with the machine's clock and random ids.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, clock: Arc::new(SystemClock), ids: Arc::new(RandomIds) }
    }
}
