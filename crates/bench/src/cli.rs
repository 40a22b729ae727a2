//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};

use crate::{database::Backend, ops::OPERATIONS};

/// Measures Chorus against what the same machine can do without it.
#[derive(Debug, Parser)]
#[command(name = "chorus-bench", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve what a plan says, as a process to be measured
    #[command(hide = true)]
    Floor {
        /// The plan
        plan: PathBuf,
    },
}

/// What is measured, and for how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Databases to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Backend::Sqlite, Backend::Postgres])]
    pub(crate) backends: Vec<Backend>,
    /// Sizes to measure, in tasks; growth is told from the first to the largest
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 100_000, 10_000])]
    pub(crate) sizes: Vec<u32>,
    /// Measure a million tasks as well, which takes longer than the budget
    #[arg(long)]
    pub(crate) million: bool,
    /// Operations to measure, by their names in the table [default: all]
    #[arg(long, value_delimiter = ';', value_parser = operation)]
    pub(crate) operations: Vec<String>,
    /// Seconds for which each operation is measured
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) measure: Duration,
    /// Seconds of warming up before that
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    pub(crate) warm_up: Duration,
    /// Seconds after which nothing new is begun; what is left out is named
    #[arg(long, value_name = "SECONDS", default_value = "540", value_parser = seconds)]
    pub(crate) budget: Duration,
    /// Connections that send at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 32)]
    pub(crate) connections: u32,
    /// From which number the chance begins that makes up the databases
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The product [default: `chorus` beside this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) chorus: Option<PathBuf>,
    /// URL of a superuser of a PostgreSQL server that logs as JSON
    #[arg(long, value_name = "URL", env = "CHORUS_BENCH_POSTGRES_URL", hide_env_values = true)]
    pub(crate) postgres: Option<String>,
    /// Folder for databases and for what was measured
    #[arg(long, value_name = "PATH", default_value = "target/bench")]
    pub(crate) folder: PathBuf,
    /// Rewrite the tables between the marks of this page
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "docs/performance.md")]
    pub(crate) write_docs: Option<PathBuf>,
}

impl Options {
    /// The sizes to measure, a million among them if that was asked for.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        let mut sizes = self.sizes.clone();
        sizes.extend(self.million.then_some(1_000_000));
        sizes
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn operation(text: &str) -> Result<String, String> {
    let names = || OPERATIONS.iter().map(|operation| operation.name);
    if names().any(|name| name == text) {
        return Ok(text.to_owned());
    }
    Err(format!("there is none of this name, but: {}", names().collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
