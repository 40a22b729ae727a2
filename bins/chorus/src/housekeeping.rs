//! What a server does now and then without being asked.

use std::{sync::Arc, time::Duration};

use chorus_app::{
    Services,
    unit::{End, Replay, Work, unit},
};
use chorus_dispatch::stages::RETENTION_MICROS;
use chorus_ids::Timestamp;
use chorus_store::{Result, Tx};

/// How often.
const INTERVAL: Duration = Duration::from_secs(600);
/// How many rows go at a time, so that nobody waits long for a lock.
const BATCH: u32 = 500;
/// How long a link is kept after its time, in microseconds: it says that it has expired, and who had invited somebody.
const LINK_MICROS: i64 = 30 * 24 * 3_600 * 1_000_000;

/// What is forgotten.
#[derive(Clone, Copy, Debug)]
enum Past {
    Answers,
    Sessions,
    Links,
}

impl Past {
    const ALL: [Self; 3] = [Self::Answers, Self::Sessions, Self::Links];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Answers => "remembered answers",
            Self::Sessions => "sessions of browsers",
            Self::Links => "one-time links",
        }
    }

    /// Forgets some of them; says how many.
    async fn forget(self, tx: &mut dyn Tx, now: Timestamp) -> Result<u64> {
        match self {
            Self::Answers => tx.operator().forget_answers(now.plus_micros(-RETENTION_MICROS), BATCH).await,
            Self::Sessions => tx.accounts().forget_browser_sessions(now, BATCH).await,
            Self::Links => tx.accounts().forget_links(now.plus_micros(-LINK_MICROS), BATCH).await,
        }
    }
}

/// Forgets what is past, until the runtime ends. Several servers on one database forget each row once.
pub(crate) fn start(services: Services) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            ticks.tick().await;
            for past in Past::ALL {
                match forget(&services, past).await {
                    Ok(0) => {}
                    Ok(count) => tracing::debug!(count, "{} were forgotten", past.as_str()),
                    Err(error) => tracing::warn!(%error, "{} could not be forgotten", past.as_str()),
                }
            }
        }
    });
}

async fn forget(services: &Services, past: Past) -> Result<u64> {
    let now = services.clock.now();
    let work: Arc<Work<u64>> =
        Arc::new(move |tx, _run| Box::pin(async move { past.forget(tx, now).await.map(End::Commit) }));
    let mut forgotten = 0;
    loop {
        // What is gone already is not counted again: that can be repeated.
        let count = unit(Arc::clone(&services.store), Replay::Exact, Arc::clone(&work)).await?;
        forgotten += count;
        if count < u64::from(BATCH) {
            return Ok(forgotten);
        }
    }
}
