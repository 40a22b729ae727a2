//! What was measured.

use serde::{Deserialize, Serialize};

use crate::{database::Backend, load::Outcome};

/// Everything of one run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    /// When and on what.
    pub(crate) conditions: Conditions,
    pub(crate) blocks: Vec<Block>,
    pub(crate) processes: Vec<Process>,
    pub(crate) growing: Vec<Growing>,
    /// What could not be measured, and why.
    pub(crate) missing: Vec<String>,
    /// What there was no time for.
    pub(crate) skipped: Vec<String>,
}

/// When and on what something was measured.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Conditions {
    pub(crate) date: String,
    pub(crate) machine: String,
    pub(crate) versions: Vec<String>,
    pub(crate) connections: u32,
    pub(crate) seconds: f64,
    pub(crate) seed: u64,
}

/// One database of one size.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) backend: Backend,
    pub(crate) tasks: u32,
    pub(crate) rows: Vec<Row>,
}

/// One operation: the product and its floor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) operation: String,
    /// Statements that a call takes on average.
    pub(crate) statements: f64,
    pub(crate) product: Figure,
    pub(crate) floor: Figure,
}

/// A load and what it cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Figure {
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
    /// Microseconds of processor time that the server spent on a request.
    pub(crate) cpu_server: f64,
    /// The same of the database's processes, where it has some on this machine.
    pub(crate) cpu_database: Option<f64>,
    /// Memory of the server afterwards, in bytes.
    pub(crate) resident: u64,
}

impl Figure {
    /// Microseconds of processor time of a request altogether.
    pub(crate) fn cpu(&self) -> f64 {
        self.cpu_server + self.cpu_database.unwrap_or_default()
    }
}

impl Row {
    /// How much of the floor's requests in a second the product reaches.
    pub(crate) fn ratio(&self) -> f64 {
        ratio(self.product.outcome.rate(), self.floor.outcome.rate())
    }
}

/// One number as a part of another; nothing is no part of nothing.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// What is asked of a process as a whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) backend: Backend,
    pub(crate) tasks: u32,
    /// From its start to its first answer, on a database that is there, in milliseconds.
    pub(crate) start_millis: f64,
    /// Memory after that, in bytes.
    pub(crate) idle: u64,
    /// The most memory while 256 connections load it.
    pub(crate) at_256: u64,
    /// Comments in a second over one connection, where every commit stands alone.
    pub(crate) alone: f64,
}

/// One process and two on the same PostgreSQL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Growing {
    pub(crate) operation: String,
    pub(crate) one: Figure,
    pub(crate) two: Figure,
}

impl Report {
    /// The row of an operation.
    pub(crate) fn row(&self, backend: Backend, tasks: u32, operation: &str) -> Option<&Row> {
        let block = self.blocks.iter().find(|block| block.backend == backend && block.tasks == tasks)?;
        block.rows.iter().find(|row| row.operation == operation)
    }

    /// The smallest and the largest size that was measured of a kind of database, if those are two.
    pub(crate) fn span(&self, backend: Backend) -> Option<(u32, u32)> {
        let sizes = || self.blocks.iter().filter(|block| block.backend == backend).map(|block| block.tasks);
        let (least, most) = (sizes().min()?, sizes().max()?);
        (least < most).then_some((least, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_nothing_is_nothing() {
        assert!((ratio(1.0, 4.0) - 0.25).abs() < 1e-12 && ratio(1.0, 0.0).abs() < 1e-12);
    }
}
