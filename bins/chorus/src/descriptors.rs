//! How many files and connections the process may have open.

use chorus_http::Limits;

/// The limits as they are: what may be open is not limited for each process.
#[cfg(not(unix))]
pub(crate) const fn fit(limits: Limits) -> Limits {
    limits
}

/// What is open beside connections of clients: the database's, the log, the listener.
#[cfg(unix)]
const OTHERS: usize = 128;

/// The limits, with no more connections than the operating system lets the process have. As many as it lets every
/// process have are asked for first; most systems begin with far fewer.
#[cfg(unix)]
pub(crate) fn fit(limits: Limits) -> Limits {
    let wanted = limits.connections + limits.refusals + OTHERS;
    match rlimit::increase_nofile_limit(u64::try_from(wanted).unwrap_or(u64::MAX)) {
        Ok(granted) => {
            let fitting = fitting(limits, usize::try_from(granted).unwrap_or(usize::MAX));
            if fitting.connections < limits.connections {
                tracing::warn!(
                    connections = fitting.connections,
                    open_files = granted,
                    "fewer connections than configured are served: the process may not open more files (ulimit -n)"
                );
            }
            fitting
        }
        Err(error) => {
            tracing::warn!(%error, "how many files may be open is not known");
            limits
        }
    }
}

/// The limits for a process that may have `granted` files open.
#[cfg(unix)]
fn fitting(limits: Limits, granted: usize) -> Limits {
    // Of what is left for clients, at least one is served and one can be told that the server is full.
    let left = granted.saturating_sub(OTHERS).max(2);
    let refusals = limits.refusals.min(left / 4).max(1);
    Limits { refusals, connections: limits.connections.min(left - refusals), ..limits }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn check(granted: usize, connections: usize, refusals: usize) {
        let fitting = fitting(Limits { connections: 1_024, refusals: 256, ..Limits::default() }, granted);
        assert_eq!((fitting.connections, fitting.refusals), (connections, refusals), "{granted}");
    }

    #[test]
    fn connections_fit_into_what_may_be_open() {
        check(1_048_576, 1_024, 256);
        check(1_024 + 256 + OTHERS, 1_024, 256);
        check(1_024, 672, 224);
        check(256, 96, 32);
        check(10, 1, 1);
    }
}
