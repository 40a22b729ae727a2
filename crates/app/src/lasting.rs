//! Work that comes to its end also if nobody waits for it any more.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tracing::Instrument as _;

/// Work that is done where it is awaited. If whoever awaits it is gone before its end, as when a client hangs up, the runtime
/// goes on with it: that costs a task of its own only where it has to.
///
/// ```
/// # tokio_test_block_on(async {
/// assert_eq!(chorus_app::lasting(async { 6 * 7 }).await, 42);
/// # });
/// # fn tokio_test_block_on(work: impl Future<Output = ()>) {
/// #     tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work);
/// # }
/// ```
#[must_use = "it begins when it is awaited"]
pub fn lasting<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Lasting<T> {
    Lasting { work: Some(Box::pin(work.in_current_span())), begun: false }
}

/// See [`lasting`].
pub struct Lasting<T: Send + 'static> {
    /// INVARIANT: there until it is done; one that panicked is done too.
    work: Option<BoxFuture<'static, T>>,
    begun: bool,
}

impl<T: Send + 'static> Future for Lasting<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut work = self.work.take().expect("what is done is not awaited again");
        self.begun = true;
        let polled = work.as_mut().poll(cx);
        if polled.is_pending() {
            self.work = Some(work);
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Lasting<T> {
    fn drop(&mut self) {
        if let (true, Some(work), Ok(runtime)) = (self.begun, self.work.take(), Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use std::{panic::AssertUnwindSafe, time::Duration};

    use futures_util::FutureExt as _;
    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    /// Work that waits until it may go on and says when it is done.
    fn work() -> (Lasting<u8>, oneshot::Sender<()>, oneshot::Receiver<()>) {
        let (go_on, go) = oneshot::channel::<()>();
        let (end, ended) = oneshot::channel();
        let work = lasting(async move {
            go.await.ok();
            end.send(()).ok();
            7
        });
        (work, go_on, ended)
    }

    #[tokio::test]
    async fn it_is_awaited_like_any_other() {
        let (work, go_on, ended) = work();
        go_on.send(()).unwrap();
        assert_eq!(work.await, 7);
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn it_goes_on_when_nobody_waits_any_more() {
        let (work, go_on, ended) = work();
        drop(timeout(Duration::ZERO, work).await);
        go_on.send(()).unwrap();
        timeout(SOON, ended).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_nobody_has_awaited_never_begins() {
        let (work, go_on, ended) = work();
        drop(work);
        assert!(go_on.send(()).is_err() && ended.await.is_err());
    }

    #[tokio::test]
    async fn a_panic_ends_it() {
        let mut work = Box::pin(AssertUnwindSafe(lasting(async { panic!("of the work") })).catch_unwind());
        let ended: std::thread::Result<()> = work.as_mut().await;
        assert!(ended.is_err());
        drop(work);
    }
}
