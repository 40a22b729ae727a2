#![doc = include_str!("../README.md")]

mod cli;
mod client;
mod config;
mod database;
mod descriptors;
mod failure;
mod housekeeping;
mod listening;
mod logging;
mod metering;
mod operator;
mod output;
mod secret;
mod serve;
mod setup;
mod shell;
mod signals;
mod welcome;

fn main() -> std::process::ExitCode {
    cli::run()
}
