//! What a call asks of the database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

/// How long a call, a page or a statement may take until the log is told of it, unless something else is said.
pub const SLOW: Duration = Duration::from_secs(1);

tokio::task_local! {
    static CURRENT: Spent;
}

/// How many statements were run on behalf of something, and how long they took. Clones share it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use chorus_store::Spent;
///
/// let spent = Spent::default();
/// // A store adds each statement that it has run.
/// spent.track(async { Spent::add(Duration::from_millis(3)) }).await;
/// assert_eq!((spent.statements(), spent.time()), (1, Duration::from_millis(3)));
/// # });
/// ```
#[derive(Clone, Debug, Default)]
pub struct Spent(Arc<Sums>);

#[derive(Debug, Default)]
struct Sums {
    statements: AtomicU32,
    nanoseconds: AtomicU64,
}

impl Spent {
    /// Runs `work`, whose statements are added here; those of tasks that it spawns only if they are tracked themselves.
    pub async fn track<T>(&self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self.clone(), work).await
    }

    /// What the running task's statements are added to.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Adds a statement that took so long, if anything is tracked.
    pub fn add(time: Duration) {
        // An error means that nothing is.
        let _ = CURRENT.try_with(|Self(sums)| {
            sums.statements.fetch_add(1, Ordering::Relaxed);
            sums.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        });
    }

    /// How many statements there were.
    pub fn statements(&self) -> u32 {
        self.0.statements.load(Ordering::Relaxed)
    }

    /// How long they took, all together.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.0.nanoseconds.load(Ordering::Relaxed))
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[tokio::test]
    async fn what_is_spent_elsewhere_is_not_added() {
        let (one, other) = (Spent::default(), Spent::default());
        Spent::add(Duration::from_secs(1));
        one.track(async {
            Spent::add(Duration::from_millis(1));
            other.track(async { Spent::add(Duration::from_millis(5)) }).await;
            let current = Spent::current().unwrap();
            tokio::spawn(async { Spent::add(Duration::from_secs(1)) }).await.unwrap();
            tokio::spawn(async move { current.track(async { Spent::add(Duration::from_millis(2)) }).await })
                .await
                .unwrap();
        })
        .await;
        assert!(Spent::current().is_none());
        assert_eq!((one.statements(), one.time()), (2, Duration::from_millis(3)));
        assert_eq!((other.statements(), other.time()), (1, Duration::from_millis(5)));
    }
}
