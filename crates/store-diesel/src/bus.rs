//! Telling listeners in this process what was committed, here or elsewhere.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use chorus_domain::event::Event;
use chorus_store::{Feed, Heard, Result};
use tokio::{
    sync::{Notify, broadcast, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::meter;

/// How much a listener may leave unheard before it has missed something: in messages, of at most
/// [`LOOK`](crate::bus::LOOK) changes each.
const BACKLOG: usize = 256;
/// Most changes that are read from the table in one look.
pub(crate) const LOOK: i64 = 500;
/// How long a new listener waits until the teller hears the database.
const READY: Duration = Duration::from_secs(5);
/// How long a table is not looked at after that failed.
const BREATHER: Duration = Duration::from_secs(1);

/// Rung by each commit of this process.
#[derive(Clone, Default)]
pub(crate) struct Bell(Arc<Notify>);

impl Bell {
    /// Says that something was committed.
    pub(crate) fn ring(&self) {
        self.0.notify_one();
    }

    /// Waits for a commit since the last wait.
    pub(crate) async fn rung(&self) {
        self.0.notified().await;
    }
}

/// The listeners of a store, and the one task that tells them. It begins with the first of them and ends with the store.
pub(crate) struct Bus {
    heard: broadcast::Sender<Heard>,
    teller: OnceLock<Teller>,
}

struct Teller {
    task: JoinHandle<()>,
    ready: watch::Receiver<bool>,
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Bus {
    pub(crate) fn new() -> Self {
        Self { heard: broadcast::Sender::new(BACKLOG), teller: OnceLock::new() }
    }

    /// Another listener; `tell` makes the teller if there is none.
    pub(crate) async fn feed<F>(&self, tell: impl FnOnce(Voice) -> F) -> Box<dyn Feed>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let teller = self.teller.get_or_init(|| {
            let (ready, wait) = watch::channel(false);
            let voice = Voice { heard: self.heard.clone(), ready };
            Teller { task: tokio::spawn(tell(voice)), ready: wait }
        });
        let mut ready = teller.ready.clone();
        // Who is let go unready is told that it missed something once the teller hears.
        if !matches!(timeout(READY, ready.wait_for(|ready| *ready)).await, Ok(Ok(_))) {
            tracing::warn!("changes are not heard yet; listeners are told to look again when they are");
        }
        Box::new(Listener(self.heard.subscribe()))
    }
}

/// What a teller speaks with.
pub(crate) struct Voice {
    heard: broadcast::Sender<Heard>,
    ready: watch::Sender<bool>,
}

impl Voice {
    /// From now on every commit is heard; before, some may have gone by.
    pub(crate) fn connected(&self) {
        self.missed();
        self.ready.send_replace(true);
    }

    /// These changes were committed.
    pub(crate) fn changed(&self, events: Vec<Event>) {
        if !events.is_empty() {
            meter::heard(events.len());
            self.say(Heard::Changes(events.into()));
        }
    }

    /// Something was committed that can't be told.
    pub(crate) fn missed(&self) {
        meter::missed();
        self.say(Heard::Missed);
    }

    fn say(&self, heard: Heard) {
        // An error means that nobody listens.
        let _ = self.heard.send(heard);
    }
}

/// Does for ever what looks at a table for ever, again if it fails.
pub(crate) async fn persist<F>(look: impl Fn() -> F + Send)
where
    F: Future<Output = Result<Infallible>> + Send,
{
    loop {
        let Err(error) = look().await;
        tracing::warn!(%error, cause = ?std::error::Error::source(&error), "changes can't be read; trying again");
        sleep(BREATHER).await;
    }
}

struct Listener(broadcast::Receiver<Heard>);

#[async_trait]
impl Feed for Listener {
    async fn next(&mut self) -> Option<Heard> {
        match self.0.recv().await {
            Ok(heard) => Some(heard),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Heard::Missed),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_listens_too_slowly_has_missed_something_and_goes_on() {
        let bus = Bus::new();
        let (go, mut wait) = tokio::sync::mpsc::channel::<()>(1);
        let (said, mut done) = tokio::sync::mpsc::channel::<()>(1);
        let mut feed = bus
            .feed(async move |voice| {
                voice.connected();
                wait.recv().await;
                (0..BACKLOG * 3).for_each(|_| voice.missed());
                said.send(()).await.ok();
                wait.recv().await;
            })
            .await;
        assert!(go.send(()).await.is_ok());
        done.recv().await;
        let mut heard = 0;
        while timeout(Duration::from_millis(50), feed.next()).await.is_ok() {
            heard += 1;
        }
        assert_eq!(heard, BACKLOG + 1, "what was dropped counts as one");
    }

    #[tokio::test]
    async fn a_closed_store_has_nothing_more_to_tell() {
        let bus = Bus::new();
        let mut feed = bus
            .feed(async |voice| {
                voice.connected();
                std::future::pending().await
            })
            .await;
        drop(bus);
        assert_eq!(timeout(Duration::from_secs(5), feed.next()).await, Ok(None));
    }
}
