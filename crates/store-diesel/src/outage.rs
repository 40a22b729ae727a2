//! Times in which a database can't be reached.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

/// Whether connections can be opened, and since when not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outage(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    since: Mutex<Option<(Instant, String)>>,
    failed: Notify,
}

/// The database can't be reached.
#[derive(Debug)]
pub(crate) struct Unreachable {
    /// For how long it has not been.
    pub(crate) lasts: Duration,
    cause: String,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for Unreachable {}

impl Outage {
    /// A connection could not be opened. The log is told once.
    pub(crate) fn goes_on(&self, error: &impl fmt::Display) {
        let mut since = self.since();
        if since.is_none() {
            tracing::warn!(%error, "the database can't be reached");
            *since = Some((Instant::now(), error.to_string()));
        }
        drop(since);
        self.0.failed.notify_waiters();
    }

    /// A connection was opened.
    pub(crate) fn ends(&self) {
        if let Some((since, _)) = self.since().take() {
            tracing::info!(seconds = since.elapsed().as_secs_f32(), "the database can be reached again");
        }
    }

    /// Waits until a connection can't be opened from now on, and says why.
    pub(crate) async fn told(&self) -> Unreachable {
        loop {
            self.0.failed.notified().await;
            if let Some((since, cause)) = self.since().as_ref() {
                return Unreachable { lasts: since.elapsed(), cause: cause.clone() };
            }
        }
    }

    fn since(&self) -> MutexGuard<'_, Option<(Instant, String)>> {
        self.0.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn who_waits_is_told_of_each_failure_and_how_long_it_has_been_so() {
        let outage = Outage::default();
        let silent = timeout(Duration::from_millis(20), outage.told()).await;
        assert!(silent.is_err(), "nothing has failed");
        for cause in ["first", "second"] {
            let told = tokio::spawn({
                let outage = outage.clone();
                async move { outage.told().await.to_string() }
            });
            tokio::time::sleep(Duration::from_millis(20)).await;
            outage.goes_on(&cause);
            assert_eq!(told.await.ok().as_deref(), Some("first"), "what began it");
        }
        outage.ends();
        outage.goes_on(&"third");
        let after = outage.since().as_ref().map(|(_, cause)| cause.clone());
        assert_eq!(after.as_deref(), Some("third"), "another one");
    }
}
