//! What a server does now and then without being asked.

use std::time::Duration;

use chorus_app::Services;
use chorus_dispatch::stages::RETENTION_MICROS;
use chorus_store::Result;

/// How often.
const INTERVAL: Duration = Duration::from_secs(600);
/// How many rows go at a time, so that nobody waits long for a lock.
const BATCH: u32 = 500;

/// Forgets remembered answers whose time is over, until the runtime ends. Several servers on one database do no harm.
pub(crate) fn start(services: Services) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            ticks.tick().await;
            match forget_answers(&services).await {
                Ok(0) => {}
                Ok(count) => tracing::debug!(count, "remembered answers were forgotten"),
                Err(error) => tracing::warn!(%error, "remembered answers could not be forgotten"),
            }
        }
    });
}

async fn forget_answers(services: &Services) -> Result<u64> {
    let before = services.clock.now().plus_micros(-RETENTION_MICROS);
    let mut forgotten = 0;
    loop {
        let mut tx = services.store.begin().await?;
        let count = tx.operator().forget_answers(before, BATCH).await?;
        tx.commit().await?;
        forgotten += count;
        if count < u64::from(BATCH) {
            return Ok(forgotten);
        }
    }
}
