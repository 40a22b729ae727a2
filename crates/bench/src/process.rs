//! Processes that are measured: starting them, and what the kernel says of them.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// How long a program may take until it listens.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that serves HTTP; it ends with this value, and so does its standard input, which it can take as a sign.
pub(crate) struct Server {
    _child: Child,
    /// Its process.
    pub(crate) id: u32,
    /// Where it listens: `127.0.0.1:PORT`.
    pub(crate) address: String,
    /// How long it took from its start until it said where it listens.
    pub(crate) ready: Duration,
}

impl Server {
    /// Starts a program that says on a line of standard output, at its end, the URL at which it listens. What it writes to
    /// standard error goes into a file.
    ///
    /// # Errors
    /// It can't be started, or ends before it is ready.
    pub(crate) async fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let began = Instant::now();
        let errors = File::create(log).with_context(|| format!("can't write {}", log.display()))?;
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).kill_on_drop(true).spawn();
        let mut child = started.with_context(|| format!("can't start {program}"))?;
        let (Some(id), Some(out)) = (child.id(), child.stdout.take()) else { bail!("{program} ended at once") };
        let mut lines = BufReader::new(out).lines();
        let listening = async {
            while let Some(line) = lines.next_line().await? {
                if let Some((_, address)) = line.split_once("listening on http://") {
                    return anyhow::Ok(address.trim().to_owned());
                }
            }
            bail!("{program} ended before it listened; its log is {}", log.display())
        };
        let address = timeout(PATIENCE, listening).await.with_context(|| format!("{program} does not get ready"))??;
        let ready = began.elapsed();
        // It may go on writing, and must not stop for nobody reading it.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { _child: child, id, address, ready })
    }

    /// The product, on a database.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub(crate) async fn product(binary: &Path, database: &str, log: &Path) -> Result<Self> {
        let mut command = product(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "warn", "--database-url", database]);
        Self::start(command.env("CHORUS_SETUP", "off"), log).await
    }
}

/// A command of the product without anything that the caller has configured.
pub(crate) fn product(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CHORUS_") || name == "DATABASE_URL" || name == "LOG_LEVEL" {
            command.env_remove(name);
        }
    }
    command
}

/// The time that processes have spent on a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cpu(Duration);

impl Cpu {
    /// How much more it is than before.
    pub(crate) fn since(self, before: Self) -> Duration {
        self.0.saturating_sub(before.0)
    }
}

impl std::iter::Sum for Cpu {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Self(all.map(|one| one.0).sum())
    }
}

/// Ticks of the kernel's clock in a second, as every Linux counts them for programs.
const TICKS: u64 = 100;

/// The processor time of a process and of those of its children that have ended, user and system.
pub(crate) fn cpu(id: u32) -> Result<Cpu> {
    let path = format!("/proc/{id}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("can't read {path}"))?;
    ticks(&text)
        .map(|ticks| Cpu(Duration::from_millis(ticks * 1_000 / TICKS)))
        .with_context(|| format!("{path} is odd"))
}

/// Fields 14 to 17 of `/proc/PID/stat`. The name in the second may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum()
}

/// The same of a process and of all below it.
pub(crate) fn cpu_of_tree(root: u32) -> Result<Cpu> {
    let mut sum = cpu(root)?.0;
    for child in children(root) {
        // It may have ended meanwhile, and counts with its parent then.
        if let Ok(Cpu(time)) = cpu_of_tree(child) {
            sum += time;
        }
    }
    Ok(Cpu(sum))
}

fn children(id: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Bytes of memory that a process occupies now.
pub(crate) fn resident(id: u32) -> Result<u64> {
    let path = format!("/proc/{id}/status");
    let text = fs::read_to_string(&path).with_context(|| format!("can't read {path}"))?;
    let kib =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024).with_context(|| format!("{path} has no VmRSS"))
}

/// The binary beside this one, where Cargo builds both.
///
/// # Errors
/// It is not there.
pub(crate) fn beside(name: &str) -> Result<PathBuf> {
    let here = std::env::current_exe().context("can't find this program")?;
    let path = here.with_file_name(name);
    if path.exists() { Ok(path) } else { bail!("{} is missing: build it, or name it with --chorus", path.display()) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_time_of_a_process_is_read_behind_its_name() {
        let stat = "12 (a) b) c) S 1 12 12 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 9 0 5 6 7 8";
        assert_eq!(ticks(stat), Some(100));
        assert_eq!(ticks("12 (a) S 1"), None);
    }

    #[test]
    fn this_process_has_time_and_memory() {
        let id = std::process::id();
        assert!(cpu_of_tree(id).unwrap() >= cpu(id).unwrap());
        assert!(resident(id).unwrap() > 1_000_000);
    }
}
