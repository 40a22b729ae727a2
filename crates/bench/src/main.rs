//! `chorus-bench`: see README.md.

mod capture;
mod cli;
mod conditions;
mod database;
mod docs;
mod floor;
mod load;
mod measure;
mod ops;
mod plan;
mod process;
mod report;
mod run;
mod seed;
mod statement;
mod table;
mod targets;

use std::{
    fs,
    io::{self, Write as _},
    process::ExitCode,
    thread,
};

use anyhow::{Context as _, Result};
use clap::Parser as _;

use crate::{
    cli::{Cli, Command, Options},
    table::{Style, tables},
};

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { options, command } = Cli::parse();
    let done = match command {
        Some(Command::Floor { plan }) => {
            thread::spawn(end_with_input);
            floor::serve(&plan, |address| out(&format!("listening on http://{address}"))).await
        }
        None => bench(&options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("chorus-bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures, prints and keeps what was measured. A target that is not met is no failure; what can't be measured is one.
async fn bench(options: &Options) -> Result<()> {
    let report = run::run(options).await?;
    out(&tables(&report, Style::Terminal))?;
    let file = run::result_file(options, &report.conditions.date);
    let json = serde_json::to_string_pretty(&report).context("the result can't be written as JSON")?;
    fs::write(&file, json).with_context(|| format!("can't write {}", file.display()))?;
    say(&format!("The result is in {}.", file.display()));
    if let Some(page) = &options.write_docs {
        docs::write(page, &tables(&report, Style::Markdown))?;
    }
    anyhow::ensure!(report.missing.is_empty(), "not everything could be measured");
    Ok(())
}

/// Ends the process when standard input does: whoever started it is gone, however that came.
fn end_with_input() {
    // An input that can't be read has ended.
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    std::process::exit(0);
}

/// Writes to standard output.
fn out(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).context("can't write to standard output")
}

/// Tells how far it is. If nobody listens, there is nobody to tell.
fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
