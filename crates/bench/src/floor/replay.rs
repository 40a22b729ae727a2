//! A request of the plan, ready to be run again and again.

use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Result, bail};
use bytes::Bytes;
use rand::Rng as _;
use uuid::Uuid;

use crate::{
    plan::{Part, Sample},
    statement::{Statement, Value},
};

/// What is done for one request.
pub(super) struct Replay {
    pub(super) answer: Bytes,
    parts: Vec<Part>,
    ids: usize,
    /// How often it was run.
    runs: AtomicI64,
}

/// A statement with what it binds this time.
pub(super) struct Bound<'r> {
    pub(super) sql: &'r str,
    pub(super) values: Vec<Value>,
}

/// Statements that go together, with what they bind this time.
pub(super) enum Turn<'r> {
    Read(Vec<Bound<'r>>),
    Write(Vec<Bound<'r>>),
}

impl Replay {
    pub(super) fn new(sample: Sample) -> Self {
        let Sample { answer, parts, ids } = sample;
        Self { answer: answer.into(), parts, ids, runs: AtomicI64::new(0) }
    }

    /// What is to be run now.
    pub(super) fn turns(&self) -> Vec<Turn<'_>> {
        let nth = self.runs.fetch_add(1, Ordering::Relaxed);
        let ids: Vec<Uuid> = (0..self.ids).map(|_| new_id()).collect();
        let bound = |statement| bound(statement, nth, &ids);
        let turn = |part: &Part| match part {
            Part::Read(_) => Turn::Read as fn(_) -> _,
            Part::Write(_) => Turn::Write,
        };
        self.parts.iter().map(|part| turn(part)(part.statements().iter().map(bound).collect())).collect()
    }
}

fn bound<'r>(statement: &'r Statement, nth: i64, ids: &[Uuid]) -> Bound<'r> {
    Bound { sql: &statement.sql, values: statement.binds.iter().map(|bind| bind.value(nth, ids)).collect() }
}

/// An id of now, as the product makes them.
fn new_id() -> Uuid {
    let millis = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    let chance = rand::rng().random();
    uuid::Builder::from_unix_timestamp_millis(u64::try_from(millis).unwrap_or_default(), &chance).into_uuid()
}

/// Whether a statement changes rows that must be there.
pub(super) fn changes(sql: &str) -> bool {
    sql.starts_with("UPDATE `task`") || sql.starts_with("UPDATE \"task\"")
}

/// Passes if a statement wrote what it should: one that finds its row no more has cost less than the product's.
///
/// # Errors
/// It wrote nothing.
pub(super) fn check_written(sql: &str, rows: u64) -> Result<()> {
    if rows == 0 && changes(sql) {
        bail!("a replay changes nothing: {}", start(sql));
    }
    Ok(())
}

/// The beginning of a statement, for who reads an error.
pub(super) fn start(sql: &str) -> String {
    sql.chars().take(200).collect()
}
