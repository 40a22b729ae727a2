//! Clients that hang up.

use chorus_app::call::Cancellation;
use tokio::task::{AbortHandle, JoinError, JoinHandle};

/// What it means that a client no longer waits (protocol checklist §2.4).
pub(crate) enum HangUp {
    /// It has lost its connection, not its interest: the work goes on.
    MeansNothing,
    /// It cancels the work.
    Cancels(Cancellation),
}

/// Waits for the work. If whoever waits here is dropped, since the connection is gone, the work is told what that means.
pub(crate) async fn wait<T>(work: JoinHandle<T>, hang_up: HangUp) -> Result<T, JoinError> {
    let mut guard = match hang_up {
        HangUp::MeansNothing => Guard(None),
        HangUp::Cancels(cancellation) => Guard(Some((cancellation, work.abort_handle()))),
    };
    let done = work.await;
    guard.0 = None;
    done
}

struct Guard(Option<(Cancellation, AbortHandle)>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some((cancellation, work)) = self.0.take() {
            // A unit of work that has begun ends by itself, whole or not at all; what waits for it is let go.
            cancellation.cancel();
            work.abort();
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

    /// Work that says when it began and whether it came to its end.
    fn work() -> (JoinHandle<u8>, oneshot::Receiver<()>, oneshot::Sender<()>, oneshot::Receiver<()>) {
        let (begin, begun) = oneshot::channel();
        let (go_on, go) = oneshot::channel::<()>();
        let (end, ended) = oneshot::channel();
        let task = tokio::spawn(async move {
            begin.send(()).ok();
            go.await.ok();
            end.send(()).ok();
            7
        });
        (task, begun, go_on, ended)
    }

    #[tokio::test]
    async fn work_that_is_waited_for_is_not_cancelled() {
        let cancellation = Cancellation::default();
        let (task, _, go_on, _ended) = work();
        go_on.send(()).unwrap();
        assert_eq!(wait(task, HangUp::Cancels(cancellation.clone())).await.unwrap(), 7);
        assert!(!cancellation.is_cancelled());
    }

    #[tokio::test]
    async fn hanging_up_cancels_where_it_means_that() {
        let cancellation = Cancellation::default();
        let (task, begun, _go_on, ended) = work();
        begun.await.unwrap();
        drop(timeout(Duration::ZERO, wait(task, HangUp::Cancels(cancellation.clone()))).await);
        assert!(cancellation.is_cancelled());
        assert!(timeout(SOON, ended).await.unwrap().is_err(), "the work was let go");
    }

    #[tokio::test]
    async fn otherwise_the_work_goes_on() {
        let (task, begun, go_on, ended) = work();
        begun.await.unwrap();
        drop(timeout(Duration::ZERO, wait(task, HangUp::MeansNothing)).await);
        go_on.send(()).unwrap();
        timeout(SOON, ended).await.unwrap().unwrap();
    }
}
