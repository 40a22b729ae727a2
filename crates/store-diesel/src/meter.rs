//! How long statements take, and what else a database is watched by.

use std::time::{Duration, Instant};

use chorus_store::{Metric, MetricKind as Kind, Spent};
use diesel::connection::{DebugQuery, Instrumentation, InstrumentationEvent};
use metrics::{Counter, Gauge, Histogram};
use tracing::Span;

use crate::watch::Watch;

/// What this crate counts and measures.
pub const METRICS: &[Metric] = &[STATEMENTS, FAILED, WAITS, CONNECTIONS, GROUPS, LOST_GROUPS, EVENTS, MISSED];

const STATEMENTS: Metric = Metric {
    name: "chorus_database_statement_seconds",
    kind: Kind::Seconds,
    labels: &[],
    says: "How long statements took, those that open and end transactions among them",
};
const FAILED: Metric = Metric {
    name: "chorus_database_statements_failed_total",
    kind: Kind::Counter,
    labels: &[],
    says: "Statements that failed; a violated constraint or a lost race is one, and a caller need not notice",
};
const WAITS: Metric = Metric {
    name: "chorus_database_wait_seconds",
    kind: Kind::Seconds,
    labels: &["pool"],
    says: "How long callers waited for a connection",
};
const CONNECTIONS: Metric = Metric {
    name: "chorus_database_connections",
    kind: Kind::Gauge,
    labels: &["pool", "state"],
    says: "Connections to the database that are in use (busy) or open and free (idle)",
};
const GROUPS: Metric = Metric {
    name: "chorus_database_commit_units",
    kind: Kind::Sizes,
    labels: &[],
    says: "How many units of work shared a commit (SQLite)",
};
const LOST_GROUPS: Metric = Metric {
    name: "chorus_database_commits_failed_total",
    kind: Kind::Counter,
    labels: &[],
    says: "Shared commits that failed (SQLite)",
};
const EVENTS: Metric = Metric {
    name: "chorus_events_heard_total",
    kind: Kind::Counter,
    labels: &[],
    says: "Changes, made by any process, that listeners of this one were told of",
};
const MISSED: Metric = Metric {
    name: "chorus_events_missed_total",
    kind: Kind::Counter,
    labels: &[],
    says: "How often listeners were told to look at everything again, as after a lost connection",
};

/// A pool of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pool {
    /// Reads and units share it.
    All,
    /// Connections that read.
    Readers,
    /// The one that writes.
    Writer,
}

impl Pool {
    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Readers => "readers",
            Self::Writer => "writer",
        }
    }

    /// Where waits for it are recorded.
    pub(crate) fn waits(self) -> Histogram {
        metrics::histogram!(WAITS.name, "pool" => self.name())
    }

    /// Says how many of its connections are in use and how many are not.
    pub(crate) fn stands(self, busy: usize, idle: usize) {
        let gauge = |state: &'static str| -> Gauge {
            metrics::gauge!(CONNECTIONS.name, "pool" => self.name(), "state" => state)
        };
        gauge("busy").set(figure(busy));
        gauge("idle").set(figure(idle));
    }
}

/// So many units shared a commit.
pub(crate) fn committed(units: usize) {
    metrics::histogram!(GROUPS.name).record(figure(units));
}

/// A shared commit failed.
pub(crate) fn commit_failed() {
    metrics::counter!(LOST_GROUPS.name).increment(1);
}

/// Listeners were told of so many changes.
pub(crate) fn heard(changes: usize) {
    metrics::counter!(EVENTS.name).increment(changes as u64);
}

/// Listeners were told that they missed something.
pub(crate) fn missed() {
    metrics::counter!(MISSED.name).increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a recorder takes nothing else, and nobody reads the last digit")]
const fn figure(count: usize) -> f64 {
    count as f64
}

/// Watches the statements of a connection: one runs at a time.
#[derive(Clone)]
pub(crate) struct Meter {
    seconds: Histogram,
    failed: Counter,
    slow: Duration,
    watch: Option<Watch>,
    running: Option<Running>,
}

/// A statement that has been started. Its span, which is never entered, ends with it.
#[derive(Clone)]
struct Running {
    since: Instant,
    _span: Span,
}

impl Meter {
    /// Statements that take longer than `slow` are told to the log.
    pub(crate) fn new(slow: Duration, watch: Option<&Watch>) -> Self {
        Self {
            seconds: metrics::histogram!(STATEMENTS.name),
            failed: metrics::counter!(FAILED.name),
            slow,
            watch: watch.cloned(),
            running: None,
        }
    }

    fn finish(&mut self, query: &dyn DebugQuery, failed: bool) {
        let Some(Running { since, .. }) = self.running.take() else { return };
        let took = since.elapsed();
        self.seconds.record(took);
        Spent::add(took);
        if failed {
            self.failed.increment(1);
        }
        if took >= self.slow {
            tracing::warn!(millis = took.as_millis(), sql = text(&query.to_string()), "a slow statement");
        }
    }
}

impl Instrumentation for Meter {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                if let Some(watch) = &self.watch {
                    watch.note(query.to_string());
                }
                let span = tracing::trace_span!("statement", sql = tracing::field::Empty);
                if !span.is_disabled() {
                    span.record("sql", text(&query.to_string()));
                }
                self.running = Some(Running { since: Instant::now(), _span: span });
            }
            InstrumentationEvent::FinishQuery { query, error, .. } => self.finish(query, error.is_some()),
            _ => {}
        }
    }
}

/// The text of a statement without what it binds, which belongs in no log.
fn text(statement: &str) -> &str {
    statement.split_once(" -- binds:").map_or(statement, |(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_out_of_the_log() {
        assert_eq!(text("SELECT 1"), "SELECT 1");
        assert_eq!(text("SELECT ? -- binds: [\"secret\"]"), "SELECT ?");
        assert_eq!(text("SELECT ? -- binds: [\" -- binds: \"]"), "SELECT ?");
    }
}
