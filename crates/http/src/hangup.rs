//! Clients that hang up.

use chorus_app::{call::Cancellation, lasting};

/// What it means that a client no longer waits (protocol checklist §2.4).
pub(crate) enum HangUp {
    /// It has lost its connection, not its interest: the work goes on.
    MeansNothing,
    /// It cancels the work.
    Cancels(Cancellation),
}

/// Does the work. If whoever waits here is dropped, since the connection is gone, the work is told what that means.
pub(crate) async fn wait<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static, hang_up: HangUp) -> T {
    match hang_up {
        HangUp::MeansNothing => lasting(work).await,
        HangUp::Cancels(cancellation) => {
            let mut guard = Guard(Some(cancellation));
            let done = Box::pin(work).await;
            guard.0 = None;
            done
        }
    }
}

struct Guard(Option<Cancellation>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(cancellation) = self.0.take() {
            // A unit of work that has begun ends by itself, whole or not at all; what waits for it is let go.
            cancellation.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::time::Duration;

    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    /// Work that waits until it may go on and says whether it came to its end.
    fn work() -> (impl Future<Output = u8> + Send + 'static, oneshot::Sender<()>, oneshot::Receiver<()>) {
        let (go_on, go) = oneshot::channel::<()>();
        let (end, ended) = oneshot::channel();
        let work = async move {
            go.await.ok();
            end.send(()).ok();
            7
        };
        (work, go_on, ended)
    }

    #[tokio::test]
    async fn work_that_is_waited_for_is_not_cancelled() {
        let cancellation = Cancellation::default();
        let (work, go_on, _ended) = work();
        go_on.send(()).unwrap();
        assert_eq!(wait(work, HangUp::Cancels(cancellation.clone())).await, 7);
        assert!(!cancellation.is_cancelled());
    }

    #[tokio::test]
    async fn hanging_up_cancels_where_it_means_that() {
        let cancellation = Cancellation::default();
        let (work, _go_on, ended) = work();
        drop(timeout(Duration::ZERO, wait(work, HangUp::Cancels(cancellation.clone()))).await);
        assert!(cancellation.is_cancelled());
        assert!(timeout(SOON, ended).await.unwrap().is_err(), "the work was let go");
    }

    #[tokio::test]
    async fn otherwise_the_work_goes_on() {
        let (work, go_on, ended) = work();
        drop(timeout(Duration::ZERO, wait(work, HangUp::MeansNothing)).await);
        go_on.send(()).unwrap();
        timeout(SOON, ended).await.unwrap().unwrap();
    }
}
