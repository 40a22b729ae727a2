//! What the floor has to do for each request: written down by the capture, read by the floor's process.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::{database::Backend, statement::Statement};

/// Connections that the product keeps to a database, and the floor too.
pub(crate) const CONNECTIONS: usize = 8;

/// Everything that the floor knows.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) backend: Backend,
    /// The file of the database, or the URL.
    pub(crate) database: String,
    /// By the name in the path: what is done for each request, by its id.
    pub(crate) operations: BTreeMap<String, Vec<Sample>>,
}

/// What is done for one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// What the product answered.
    pub(crate) answer: String,
    pub(crate) parts: Vec<Part>,
    /// How many ids each replay makes.
    pub(crate) ids: usize,
}

/// Statements that go together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Part {
    /// Each for itself.
    Read(Vec<Statement>),
    /// In one transaction.
    Write(Vec<Statement>),
}

impl Part {
    pub(crate) fn statements(&self) -> &[Statement] {
        match self {
            Self::Read(statements) | Self::Write(statements) => statements,
        }
    }
}

impl Plan {
    /// Reads one.
    ///
    /// # Errors
    /// The file can't be read, or is none.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path).with_context(|| format!("can't read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is no plan", path.display()))
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(self).context("a plan can't be written as JSON")?;
        fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
    }
}
