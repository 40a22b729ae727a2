//! Streams that stay open: how many there may be, and when all of them end.

pub(crate) mod listen;
pub(crate) mod watcher;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chorus_ids::Uuid;
use http::StatusCode;
use tokio::sync::watch;

use crate::{
    Answer, answer,
    meter::{self, Counted, Limit},
};

/// Bounds on streams that stay open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Most streams at a time.
    pub in_all: usize,
    /// Most streams of one key, or of one person's session, at a time.
    pub per_key: usize,
    /// Most resources that one stream is told about; further ones are not granted.
    pub subscriptions: usize,
    /// How long a stream goes without looking whether its key still works and what it may see, if nothing says that this
    /// has changed.
    pub look_again: Duration,
    /// How long changes are gathered before they are told, so that many of one thing are told once.
    pub gather: Duration,
    /// How long a session of the transport of 2024-11-05 stays open without a message and a subscription.
    pub idle: Duration,
    /// Most requests that such a session works on at a time.
    pub requests: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            in_all: 512,
            per_key: 16,
            subscriptions: 256,
            look_again: Duration::from_secs(30),
            gather: Duration::from_millis(250),
            idle: Duration::from_secs(30 * 60),
            requests: 16,
        }
    }
}

/// The streams of an application.
pub(crate) struct Live {
    limits: StreamLimits,
    seats: Mutex<BTreeMap<Uuid, usize>>,
    end: watch::Sender<bool>,
}

/// Why there is no room for another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its owner, a key or a person's session, has as many as it may.
    Owner(usize),
    /// The server has.
    Server,
}

impl Full {
    /// What the client is told.
    pub(crate) fn answer(self) -> Answer {
        let (status, text) = match self {
            Self::Owner(most) => (
                StatusCode::TOO_MANY_REQUESTS.as_u16(),
                format!("this key has {most} streams open, which is the most; close one, then open another"),
            ),
            Self::Server => (
                StatusCode::SERVICE_UNAVAILABLE.as_u16(),
                "the server has as many streams open as it can serve; try again later".to_owned(),
            ),
        };
        answer::retrying(answer::reply(chorus_mcp::Reply::rejected(status, text)))
    }
}

impl Live {
    pub(crate) fn new(limits: StreamLimits) -> Arc<Self> {
        Arc::new(Self { limits, seats: Mutex::default(), end: watch::Sender::new(false) })
    }

    /// A place for another stream of this owner, a key or a person's session.
    pub(crate) fn admit(self: &Arc<Self>, owner: Uuid) -> Result<Seat, Full> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.values().sum::<usize>() >= self.limits.in_all {
            meter::refused(Limit::Streams);
            return Err(Full::Server);
        }
        let taken = seats.entry(owner).or_default();
        if *taken >= self.limits.per_key {
            meter::refused(Limit::Streams);
            return Err(Full::Owner(self.limits.per_key));
        }
        *taken += 1;
        Ok(Seat { live: Arc::clone(self), owner, _counted: Counted::stream() })
    }

    /// Ends all streams, and those that are opened after.
    pub(crate) fn close(&self) {
        self.end.send_replace(true);
    }

    /// Waits until streams have to end.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut end = self.end.subscribe();
        async move {
            // An error means that the application is gone.
            let _ = end.wait_for(|end| *end).await;
        }
    }
}

/// A stream's place. Dropped, it is free for another.
pub(crate) struct Seat {
    live: Arc<Live>,
    owner: Uuid,
    _counted: Counted,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.live.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = seats.get_mut(&self.owner) {
            *taken -= 1;
            if *taken == 0 {
                seats.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn seats_are_limited_by_key_and_in_all_and_come_free_again() {
        let live = Live::new(StreamLimits { in_all: 3, per_key: 2, ..StreamLimits::default() });
        let admit = |key| live.admit(Uuid::from_u128(key));
        let (one, two) = (admit(1).unwrap(), admit(1).unwrap());
        assert_eq!(admit(1).err(), Some(Full::Owner(2)));
        let _three = admit(2).unwrap();
        assert_eq!(admit(3).err(), Some(Full::Server));
        drop(one);
        let _four = admit(3).unwrap();
        assert_eq!(admit(1).err(), Some(Full::Server));
        drop(two);
        assert!(admit(1).is_ok());
        assert_eq!(live.seats.lock().unwrap().len(), 2);
    }
}
