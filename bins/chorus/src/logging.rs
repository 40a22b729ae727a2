//! The log: to standard error, structured, without keys and bodies.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt::format::FmtSpan};

use crate::{config::LogFormat, failure::Failure};

/// Starts logging what `level` lets through, such as `info` or `info,chorus_http=debug`; with `spans` also the end of each
/// part of a request, with how long it was busy and how long it waited.
///
/// # Errors
/// The level is none.
pub(crate) fn start(format: LogFormat, level: &str, spans: bool) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::usage(format_args!("`{level}` is no log level: {error}")))?;
    let events = if spans { FmtSpan::CLOSE } else { FmtSpan::NONE };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_span_events(events);
    match format {
        LogFormat::Text => builder.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
