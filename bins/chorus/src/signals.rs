//! Being told to end.

use std::io;

/// Installs the handlers now, so that no signal is lost after this, and returns what waits for the first of them.
///
/// # Errors
/// The operating system does not allow it.
#[cfg(unix)]
pub(crate) fn shutdown() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Returns what waits for Ctrl-C.
///
/// # Errors
/// The operating system does not allow it.
#[cfg(not(unix))]
pub(crate) fn shutdown() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
