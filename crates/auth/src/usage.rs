//! When keys and sessions of browsers were last used, and projects opened.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use chorus_domain::{account::BrowserSession, identity::ApiKey};
use chorus_ids::{BrowserSessionId, KeyId, ProjectId, Timestamp, UserId};
use chorus_store::{Result, Store, Tx};

/// Microseconds within which a second use of the same is not noted.
const INTERVAL_MICROS: i64 = 60 * 1_000_000;

/// From how many remembered uses on old ones are forgotten.
const MAX_REMEMBERED: usize = 1_024;

/// What was used a short while ago and noted then, so that what is busy does not write with every request.
#[derive(Debug)]
pub(crate) struct Usage<K>(Mutex<BTreeMap<K, Timestamp>>);

impl<K> Default for Usage<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// What has a time of its last use.
#[async_trait]
pub(crate) trait Used: Copy + Ord + Send + 'static {
    /// Writes the time down.
    async fn write(self, tx: &mut dyn Tx, at: Timestamp) -> Result<()>;
}

#[async_trait]
impl Used for KeyId {
    async fn write(self, tx: &mut dyn Tx, at: Timestamp) -> Result<()> {
        tx.operator().note_key_use(self, at).await
    }
}

#[async_trait]
impl Used for BrowserSessionId {
    async fn write(self, tx: &mut dyn Tx, at: Timestamp) -> Result<()> {
        tx.accounts().note_visit(self, at).await
    }
}

#[async_trait]
impl Used for (UserId, ProjectId) {
    async fn write(self, tx: &mut dyn Tx, at: Timestamp) -> Result<()> {
        let (user, project) = self;
        tx.note_project_visit(user, project, at).await
    }
}

impl Usage<(UserId, ProjectId)> {
    /// Notes that somebody opened a project.
    pub(crate) fn note_project(&self, store: &Arc<dyn Store>, visit: (UserId, ProjectId), now: Timestamp) {
        self.note(store, (visit, None), now);
    }
}

impl Usage<KeyId> {
    /// Notes that a key was used.
    pub(crate) fn note_key(&self, store: &Arc<dyn Store>, key: &ApiKey, now: Timestamp) {
        self.note(store, (key.id, key.last_used), now);
    }
}

impl Usage<BrowserSessionId> {
    /// Notes that a session was used.
    pub(crate) fn note_visit(&self, store: &Arc<dyn Store>, session: &BrowserSession, now: Timestamp) {
        self.note(store, (session.id, Some(session.last_seen_at)), now);
    }
}

impl<K: Used> Usage<K> {
    /// Notes a use in a task of its own: the request does not wait for it and can't fail with it.
    fn note(&self, store: &Arc<dyn Store>, (id, last_used): (K, Option<Timestamp>), now: Timestamp) {
        if !self.is_due((id, last_used), now) {
            return;
        }
        let store = Arc::clone(store);
        tokio::spawn(async move {
            if let Err(error) = write(store.as_ref(), id, now).await {
                tracing::debug!(%error, "a use could not be noted");
            }
        });
    }

    /// Whether this use is worth noting: neither this process nor, as far as is stored, another one has noted one within
    /// the minute before.
    fn is_due(&self, (id, last_used): (K, Option<Timestamp>), now: Timestamp) -> bool {
        let recent = |noted: Timestamp| now < noted.plus_micros(INTERVAL_MICROS);
        if last_used.is_some_and(recent) {
            return false;
        }
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(&id).copied().is_some_and(recent) {
            return false;
        }
        if noted.len() >= MAX_REMEMBERED {
            noted.retain(|_, at| recent(*at));
        }
        noted.insert(id, now);
        true
    }
}

async fn write(store: &dyn Store, used: impl Used, at: Timestamp) -> Result<()> {
    let mut tx = store.begin().await?;
    used.write(tx.as_mut(), at).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

    fn key(id: u128, last_used: Option<Timestamp>) -> (KeyId, Option<Timestamp>) {
        (KeyId::from_u128(id), last_used)
    }

    #[test]
    fn a_key_is_due_once_a_minute() {
        let usage = Usage::default();
        let due = |seconds: i64| usage.is_due(key(1, None), START.plus_micros(seconds * 1_000_000));
        assert_eq!([0, 1, 59, 60, 61, 119, 120].map(due), [true, false, false, true, false, false, true]);
        assert!(usage.is_due(key(2, None), START), "another key");
    }

    #[test]
    fn what_another_process_has_noted_counts_too() {
        let usage = Usage::default();
        assert!(!usage.is_due(key(1, Some(START)), START.plus_micros(59_000_000)));
        assert!(usage.is_due(key(1, Some(START)), START.plus_micros(60_000_000)));
    }

    #[test]
    fn what_is_remembered_does_not_grow_for_ever() {
        let usage = Usage::default();
        let remembered = || usage.0.lock().map(|noted| noted.len()).unwrap_or_default();
        for id in 0..MAX_REMEMBERED as u128 {
            assert!(usage.is_due(key(id, None), START));
        }
        assert_eq!(remembered(), MAX_REMEMBERED);
        assert!(usage.is_due(key(u128::MAX, None), START.plus_micros(INTERVAL_MICROS)));
        assert_eq!(remembered(), 1);
    }
}
