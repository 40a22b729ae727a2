//! Reports of progress, on their way from a tool to a stream.

use std::{future::pending, sync::Arc, time::Duration};

use chorus_app::call::Progress;
use chorus_mcp::Stream;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// A call that ends within this reports nothing: the answer is there before a report would help anybody.
const FAST: Duration = Duration::from_millis(300);
/// How long nothing is reported after a report.
const PACE: Duration = Duration::from_millis(200);

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    done: u64,
    total: Option<u64>,
    message: String,
}

impl Step {
    /// The notification of it; `None` if this client must not get it.
    pub(crate) fn render(&self, stream: &mut Stream) -> Option<Vec<u8>> {
        let number = |value: u64| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
        stream.progress(number(self.done), self.total.map(number), Some(&self.message))
    }
}

/// Where a tool reports to. Only the latest report is kept.
struct Reporter(watch::Sender<Option<Step>>);

impl Progress for Reporter {
    fn report(&self, done: u64, total: Option<u64>, message: &str) {
        self.0.send_replace(Some(Step { done, total, message: message.to_owned() }));
    }
}

/// The reports of one call, at a pace that a client can follow.
pub(crate) struct Reports {
    latest: watch::Receiver<Option<Step>>,
    next: Instant,
}

/// A way for reports of a call that begins now.
pub(crate) fn channel() -> (Arc<dyn Progress>, Reports) {
    let (reporter, latest) = watch::channel(None);
    (Arc::new(Reporter(reporter)), Reports { latest, next: Instant::now() + FAST })
}

impl Reports {
    /// Waits for the next report; for ever once there can be none. Nothing is lost when the wait is given up.
    pub(crate) async fn next(&mut self) -> Step {
        sleep_until(self.next).await;
        loop {
            if self.latest.changed().await.is_err() {
                pending::<()>().await;
            }
            if let Some(step) = self.latest.borrow_and_update().clone() {
                self.next = Instant::now() + PACE;
                return step;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    fn step(done: u64) -> Step {
        Step { done, total: None, message: String::new() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_fast_call_reports_nothing_and_a_slow_one_the_latest() {
        let (progress, mut reports) = channel();
        (1..=9).for_each(|done| progress.report(done, None, ""));
        assert!(timeout(FAST - Duration::from_millis(1), reports.next()).await.is_err());
        assert_eq!(reports.next().await, step(9));
        progress.report(10, None, "");
        assert!(timeout(PACE - Duration::from_millis(1), reports.next()).await.is_err());
        assert_eq!(reports.next().await, step(10));
        drop(progress);
        assert!(timeout(Duration::from_secs(60), reports.next()).await.is_err());
    }
}
