//! When keys were last used.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use chorus_domain::identity::ApiKey;
use chorus_ids::{KeyId, Timestamp};
use chorus_store::{Result, Store};

/// Microseconds within which a second use of a key is not noted.
const INTERVAL_MICROS: i64 = 60 * 1_000_000;

/// From how many remembered keys on old ones are forgotten.
const MAX_REMEMBERED: usize = 1_024;

/// The keys whose use was noted a short while ago, so that a busy key does not write with every request.
#[derive(Debug, Default)]
pub(crate) struct Usage(Mutex<BTreeMap<KeyId, Timestamp>>);

impl Usage {
    /// Notes that a key was used, in a task of its own: the request does not wait for it and can't fail with it.
    pub(crate) fn note(&self, store: &Arc<dyn Store>, key: &ApiKey, now: Timestamp) {
        if !self.is_due(key, now) {
            return;
        }
        let (store, id) = (Arc::clone(store), key.id);
        tokio::spawn(async move {
            if let Err(error) = write(store.as_ref(), id, now).await {
                tracing::debug!(%error, "the use of a key could not be noted");
            }
        });
    }

    /// Whether this use is worth noting: neither this process nor, as far as is stored, another one has noted one within
    /// the minute before.
    fn is_due(&self, key: &ApiKey, now: Timestamp) -> bool {
        let recent = |noted: Timestamp| now < noted.plus_micros(INTERVAL_MICROS);
        if key.last_used.is_some_and(recent) {
            return false;
        }
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(&key.id).copied().is_some_and(recent) {
            return false;
        }
        if noted.len() >= MAX_REMEMBERED {
            noted.retain(|_, at| recent(*at));
        }
        noted.insert(key.id, now);
        true
    }
}

async fn write(store: &dyn Store, key: KeyId, at: Timestamp) -> Result<()> {
    let mut tx = store.begin().await?;
    tx.operator().note_key_use(key, at).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use chorus_ids::{AgentId, CompanyId};

    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

    fn key(id: u128, last_used: Option<Timestamp>) -> ApiKey {
        ApiKey {
            id: KeyId::from_u128(id),
            company: CompanyId::from_u128(1),
            agent: AgentId::from_u128(1),
            hash: String::new(),
            prefix: String::new(),
            name: None,
            last_used,
            expires_at: None,
            revoked_at: None,
            created_at: START,
        }
    }

    #[test]
    fn a_key_is_due_once_a_minute() {
        let usage = Usage::default();
        let due = |seconds: i64| usage.is_due(&key(1, None), START.plus_micros(seconds * 1_000_000));
        assert_eq!([0, 1, 59, 60, 61, 119, 120].map(due), [true, false, false, true, false, false, true]);
        assert!(usage.is_due(&key(2, None), START), "another key");
    }

    #[test]
    fn what_another_process_has_noted_counts_too() {
        let usage = Usage::default();
        assert!(!usage.is_due(&key(1, Some(START)), START.plus_micros(59_000_000)));
        assert!(usage.is_due(&key(1, Some(START)), START.plus_micros(60_000_000)));
    }

    #[test]
    fn what_is_remembered_does_not_grow_for_ever() {
        let usage = Usage::default();
        let remembered = || usage.0.lock().map(|noted| noted.len()).unwrap_or_default();
        for id in 0..MAX_REMEMBERED as u128 {
            assert!(usage.is_due(&key(id, None), START));
        }
        assert_eq!(remembered(), MAX_REMEMBERED);
        assert!(usage.is_due(&key(u128::MAX, None), START.plus_micros(INTERVAL_MICROS)));
        assert_eq!(remembered(), 1);
    }
}
