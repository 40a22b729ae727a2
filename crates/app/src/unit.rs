//! Running a unit of work, again if it lost a race.

use std::{sync::Arc, time::Duration};

use chorus_store::{Error, Metric, MetricKind, Result, Spent, Store, Tx};
use futures_util::future::BoxFuture;
use tokio::time::Instant;
use tracing::Instrument as _;

/// What this crate counts.
pub const METRICS: &[Metric] = &[RERUNS];

const RERUNS: Metric = Metric {
    name: "chorus_reruns_total",
    kind: MetricKind::Counter,
    labels: &[],
    says: "How often a read or a unit of work ran again, after a lost race or a lost connection",
};

/// How often a unit runs at most.
pub const MAX_RUNS: u32 = 7;

/// How long after its beginning a unit is run again: whoever waits for it has a patience of its own, and a run can take as
/// long as a database lets it wait for a lock.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Whether a re-run can tell what a commit of unknown outcome did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// An idempotency key guards the unit: run it again, it finds out.
    Exact,
    /// Nothing guards it: after a commit of unknown outcome the caller has to look.
    Unknown,
}

/// What a unit does with its transaction once its work is done.
#[derive(Debug)]
pub enum End<T> {
    /// Keep what was written.
    Commit(T),
    /// Keep nothing; the answer stands all the same.
    Rollback(T),
}

/// The work of a unit. It gets the number of the run, from 0.
pub type Work<T> = dyn for<'t> Fn(&'t mut dyn Tx, u32) -> BoxFuture<'t, Result<End<T>>> + Send + Sync;

/// Runs `work` in a transaction of its own, in a task of its own: a client that hangs up can't fall between the commit and
/// what follows it, and whoever waits goes on hearing, of a client that hangs up or of the time, where a statement keeps a
/// thread busy until another process lets go of a lock.
///
/// # Errors
/// What the work refuses; `Unavailable` when it lost too many races or its outcome is unknown; `Internal` when it panicked.
pub async fn unit<T: Send + 'static>(store: Arc<dyn Store>, replay: Replay, work: Arc<Work<T>>) -> Result<T> {
    let spent = Spent::current().unwrap_or_default();
    let running = async move {
        let (store, work) = (store.as_ref(), work.as_ref());
        spent.track(again(|run| once(store, replay, work, run))).await
    };
    tokio::spawn(running.in_current_span()).await.unwrap_or_else(|panic| Err(Error::Internal(Box::new(panic))))
}

/// Runs what only reads, again if the connection it read on was lost. It gets the number of the run, from 0.
///
/// # Errors
/// What it refuses; `Unavailable` when it lost too many connections.
pub async fn read<T, F>(once: impl FnMut(u32) -> F + Send) -> Result<T>
where
    F: Future<Output = Result<T>> + Send,
{
    again(once).await
}

async fn again<T, F>(mut once: impl FnMut(u32) -> F + Send) -> Result<T>
where
    F: Future<Output = Result<T>> + Send,
{
    let (began, mut run) = (Instant::now(), 0);
    loop {
        match once(run).await {
            Err(Error::Again(cause)) if run + 1 == MAX_RUNS || began.elapsed() >= MAX_TIME => {
                return Err(Error::Unavailable(cause));
            }
            Err(Error::Again(cause)) => {
                tracing::debug!(run, error = %cause, "a unit of work runs again");
                metrics::counter!(RERUNS.name).increment(1);
                tokio::time::sleep(Duration::from_millis(5 << run).mul_f32(rand::random())).await;
            }
            done => return done,
        }
        run += 1;
    }
}

async fn once<T>(store: &dyn Store, replay: Replay, work: &Work<T>, run: u32) -> Result<T> {
    let mut tx = store.begin().await?;
    match work(tx.as_mut(), run).await {
        Ok(End::Commit(answer)) => match (tx.commit().await, replay) {
            (Ok(()), _) => Ok(answer),
            (Err(Error::Again(cause)), Replay::Unknown) => Err(Error::Unavailable(cause)),
            (Err(error), _) => Err(error),
        },
        Ok(End::Rollback(answer)) => rollback(tx).await.map(|()| answer),
        // Refusals are frequent. Rolled back, the connection goes back to the pool whole.
        Err(error) => rollback(tx).await.and(Err(error)),
    }
}

/// Keeps nothing. Fails if the unit has to run again, whatever it came to.
async fn rollback(tx: Box<dyn Tx>) -> Result<()> {
    match tx.rollback().await {
        Err(Error::Again(cause)) => Err(Error::Again(cause)),
        Err(error) => {
            tracing::warn!(%error, "rolling back failed");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}
