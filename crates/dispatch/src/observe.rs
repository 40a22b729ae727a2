//! Watching calls: what they came to, how long they took, and what they asked of the database.

use std::{
    fmt,
    time::{Duration, Instant},
};

use chorus_domain::{Caller, Code};
use chorus_store::{Error, Metric, MetricKind as Kind, Spent};

use metrics::{Counter, Histogram};

use crate::{Halt, Registered, Reply};

/// What this crate counts and measures.
pub const METRICS: &[Metric] = &[CALLS, SECONDS, STATEMENTS];

const CALLS: Metric = Metric {
    name: "chorus_calls_total",
    kind: Kind::Counter,
    labels: &["surface", "tool", "outcome"],
    says: "Calls of tools by what they came to: `answered`, `replayed` (the remembered answer of an earlier call), the code \
           of a refusal, `unknown_tool`, or `given_up` (it took too long, or its client went away)",
};
const SECONDS: Metric = Metric {
    name: "chorus_call_seconds",
    kind: Kind::Seconds,
    labels: &["surface", "tool"],
    says: "How long calls of tools took",
};
const STATEMENTS: Metric = Metric {
    name: "chorus_call_statements_total",
    kind: Kind::Counter,
    labels: &["surface", "tool"],
    says: "Statements that calls of tools ran on the database",
};

/// The name under which calls of what does not exist are counted: what clients make up is no label.
const NO_TOOL: &str = "";

/// Where what is counted of a tool goes, which is looked up by name: once for each tool.
#[derive(Clone)]
pub(crate) struct Meters {
    seconds: Histogram,
    statements: Counter,
    answered: Counter,
}

impl Meters {
    /// Of a tool that has been called, whose figures are there from then on.
    pub(crate) fn of(surface: &'static str, tool: &'static str) -> Self {
        Self {
            seconds: metrics::histogram!(SECONDS.name, "surface" => surface, "tool" => tool),
            statements: metrics::counter!(STATEMENTS.name, "surface" => surface, "tool" => tool),
            answered: calls(surface, tool, ANSWERED),
        }
    }
}

impl fmt::Debug for Meters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meters")
    }
}

fn calls(surface: &'static str, tool: &'static str, outcome: &'static str) -> Counter {
    metrics::counter!(CALLS.name, "surface" => surface, "tool" => tool, "outcome" => outcome)
}

/// What most calls come to.
const ANSWERED: &str = "answered";

/// A call that is running. It is recorded when it ends, also if that is because nobody waits for it any more.
pub(crate) struct Observed {
    surface: &'static str,
    tool: &'static str,
    subject: &'static str,
    since: Instant,
    slow: Duration,
    outcome: &'static str,
    meters: Meters,
    /// What it asks of the database.
    pub(crate) spent: Spent,
}

impl Observed {
    /// A call of `tool` begins; one that takes longer than `slow` is told to the log.
    pub(crate) fn new(surface: &'static str, tool: Option<&Registered>, caller: &Caller, slow: Duration) -> Self {
        Self {
            surface,
            tool: tool.map_or(NO_TOOL, |tool| tool.row.name),
            meters: tool.map_or_else(|| Meters::of(surface, NO_TOOL), |tool| tool.meters(surface)),
            subject: caller.subject.kind(),
            since: Instant::now(),
            slow,
            outcome: "given_up",
            spent: Spent::default(),
        }
    }

    /// It came to this.
    pub(crate) fn ended(mut self, came_to: &Result<Reply, Halt>) {
        self.outcome = outcome(came_to);
    }
}

fn outcome(came_to: &Result<Reply, Halt>) -> &'static str {
    match came_to {
        Ok(Reply { replayed: false, .. }) => ANSWERED,
        Ok(Reply { replayed: true, .. }) => "replayed",
        Err(Halt::UnknownTool) => "unknown_tool",
        Err(Halt::Error(Error::Refused(refusal))) => refusal.code.as_str(),
        Err(Halt::Error(Error::Again(_) | Error::Unavailable(_))) => Code::Unavailable.as_str(),
        Err(Halt::Error(Error::Internal(_))) => Code::Internal.as_str(),
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        let Self { surface, tool, subject, outcome, ref meters, .. } = *self;
        let (took, statements) = (self.since.elapsed(), self.spent.statements());
        if outcome == ANSWERED {
            meters.answered.increment(1)
        } else {
            calls(surface, tool, outcome).increment(1)
        }
        meters.seconds.record(took);
        meters.statements.increment(statements.into());
        let (millis, database_millis) = (took.as_millis(), self.spent.time().as_millis());
        tracing::info!(surface, tool, outcome, subject, millis, statements, "tool call");
        if took >= self.slow {
            tracing::warn!(surface, tool, outcome, millis, statements, database_millis, "a slow call");
        }
    }
}
