//! When and on what something is measured.

use std::{fs, path::Path};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::process::Command;

use crate::{cli::Options, database::connect, process, report::Conditions};

/// Those of now and here.
pub(crate) async fn conditions(options: &Options, product: &Path) -> Conditions {
    let now = OffsetDateTime::now_utc();
    let now = now.replace_nanosecond(0).unwrap_or(now);
    let mut versions = vec![first_line(process::product(product).arg("--version")).await];
    versions.push(format!("SQLite {}", rusqlite::version()));
    if let Some(admin) = &options.postgres {
        versions.push(postgres(admin).await.unwrap_or_else(|| "PostgreSQL of an unknown version".to_owned()));
    }
    versions.push(first_line(Command::new("wrk").arg("-v")).await);
    Conditions {
        date: now.format(&Rfc3339).unwrap_or_default(),
        machine: machine(),
        versions: versions.into_iter().filter(|version| !version.is_empty()).collect(),
        connections: options.connections,
        seconds: options.measure.as_secs_f64(),
        seed: options.seed,
    }
}

async fn postgres(admin: &str) -> Option<String> {
    let row = connect(admin).await.ok()?.query_one("SHOW server_version", &[]).await.ok()?;
    Some(format!("PostgreSQL {}", row.get::<_, String>(0)))
}

async fn first_line(command: &mut Command) -> String {
    let Ok(ran) = command.output().await else { return String::new() };
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let line = said.lines().next().unwrap_or_default();
    // `wrk` goes on with its author.
    line.split(" [").next().unwrap_or_default().trim().to_owned()
}

/// Processors, their number, and memory.
fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let values = |key: &str| {
        let lines = cpus.lines().filter(|line| line.split(':').next().is_some_and(|name| name.trim() == key));
        lines.filter_map(|line| line.split_once(": ")).map(|(_, value)| value.to_owned()).collect::<Vec<_>>()
    };
    let models = values("model name");
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let model = models.first().map_or("unknown processor", String::as_str);
    format!("{} × {model}, {} GiB", models.len().max(1), kib.unwrap_or_default() / (1024 * 1024))
}
