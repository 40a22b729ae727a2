//! All rows as lines of JSON, and back: the way from one kind of database to the other, and out of the product. What lets
//! people in at this one, sessions of browsers and one-time links, is left out.
//!
//! The first line says what the file is, each further one is a row, the last one counts the rows of every table, so that a
//! file that was cut off is known as such. Ids are UUIDs in their usual form, times whole microseconds since 1970 (UTC).
//! The index for search is not carried; it is made anew.

mod dialect;
mod export;
mod import;
mod link;

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

pub use export::export;
pub use import::{ImportError, import};

/// What the first line calls the format.
const FORMAT: &str = "chorus-export";

/// The version of the format, which rises when a reader of the old one would misread it.
const VERSION: u32 = 1;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Line<R> {
    /// The first.
    Header(Header),
    /// One row of a table.
    Row(R),
    /// The last: how many rows each table has.
    End(BTreeMap<String, u64>),
}

/// What the file is.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    /// The names of the migrations that made the schema, oldest first.
    schema: Vec<String>,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The table at work.
    pub table: &'static str,
    /// Rows of all tables so far.
    pub rows: u64,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Rows by table, those without any included.
    pub rows: BTreeMap<String, u64>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Rows by table, those without any included.
    pub rows: BTreeMap<String, u64>,
    /// Things in the new index for search.
    pub indexed: u64,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} rows in all", self.table, self.rows)
    }
}
