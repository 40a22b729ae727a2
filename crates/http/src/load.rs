//! How much is done at a time, and what is said when that is too much.

use std::{sync::Arc, time::Duration};

use http::StatusCode;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    Answer, Limits, answer,
    meter::{self, Counted, Limit},
};

/// What is being worked on, counted.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    turns: Arc<Semaphore>,
    patience: Duration,
    room: Arc<Semaphore>,
    most_room: usize,
}

/// The right to work on one request. Whoever goes on talking to the client without working, as a stream of news does,
/// drops it.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
    _counted: Counted,
}

impl Load {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(limits.requests)),
            patience: limits.turn_time,
            room: Arc::new(Semaphore::new(limits.bodies_bytes)),
            most_room: limits.bodies_bytes,
        }
    }

    /// Waits for a turn, behind all who have waited longer; `None` if too many are before it.
    pub(crate) async fn turn(&self) -> Option<Turn> {
        let turns = Arc::clone(&self.turns);
        let permit = match Arc::clone(&turns).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => {
                let _waiting = Counted::waiting();
                timeout(self.patience, turns.acquire_owned()).await.ok().and_then(Result::ok)
            }
        };
        if permit.is_none() {
            meter::refused(Limit::Turns);
        }
        Some(Turn { _permit: permit?, _counted: Counted::running() })
    }

    /// Room for `bytes` more of a body; `None` if there is none.
    pub(crate) fn room(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let room =
            u32::try_from(bytes).ok().and_then(|bytes| Arc::clone(&self.room).try_acquire_many_owned(bytes).ok());
        if room.is_none() {
            meter::refused(Limit::Bodies);
        }
        room
    }

    /// Says how much room is taken.
    pub(crate) fn observe(&self) {
        meter::held(self.most_room.saturating_sub(self.room.available_permits()));
    }
}

/// The answer to whoever comes when there is too much to do.
pub(crate) fn busy() -> Answer {
    answer::retrying(answer::error(StatusCode::SERVICE_UNAVAILABLE, "The server is busy. Try again in a few seconds."))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn load(requests: usize) -> Load {
        Load::new(&Limits { requests, bodies_bytes: 10, ..Limits::default() })
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_for_a_turn_is_told() {
        let load = load(1);
        let turn = load.turn().await;
        assert!(turn.is_some() && load.turn().await.is_none());
        drop(turn);
        assert!(load.turn().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn turns_are_given_in_the_order_in_which_they_were_asked_for() {
        let load = load(1);
        let first = load.turn().await.unwrap();
        let (sender, mut order) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..20 {
            let (load, sender) = (load.clone(), sender.clone());
            tokio::spawn(async move {
                let _turn = load.turn().await.unwrap();
                sender.send(number).unwrap();
            });
            tokio::task::yield_now().await;
        }
        drop((first, sender));
        for number in 0..20 {
            assert_eq!(order.recv().await, Some(number));
        }
    }

    #[test]
    fn room_is_taken_and_given_back() {
        let load = load(1);
        let most = load.room(10);
        assert!(most.is_some() && load.room(1).is_none());
        drop(most);
        assert!(load.room(10).is_some() && load.room(11).is_none() && load.room(usize::MAX).is_none());
    }
}
