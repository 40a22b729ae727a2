//! What is counted and measured while the program runs.

use metrics::Unit;

/// Something that is counted or measured. Each crate keeps a table of its own; whoever installs a recorder of the `metrics`
/// facade calls [`describe`](Self::describe) for each row. Without a recorder, measuring costs next to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, by the conventions of Prometheus.
    pub name: &'static str,
    /// How its figures are to be read.
    pub kind: Kind,
    /// The labels of its series.
    pub labels: &'static [&'static str],
    /// What it says, as one sentence without a full stop.
    pub says: &'static str,
}

/// How the figures of a metric are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How often something happened since the process began.
    Counter,
    /// How much of something there is now.
    Gauge,
    /// How long something took, in seconds, by how often.
    Seconds,
    /// How many of something there were, by how often.
    Sizes,
}

impl Metric {
    /// Tells the recorder what it is.
    pub fn describe(&self) {
        match self.kind {
            Kind::Counter => metrics::describe_counter!(self.name, Unit::Count, self.says),
            Kind::Gauge => metrics::describe_gauge!(self.name, Unit::Count, self.says),
            Kind::Seconds => metrics::describe_histogram!(self.name, Unit::Seconds, self.says),
            Kind::Sizes => metrics::describe_histogram!(self.name, Unit::Count, self.says),
        }
    }
}
