//! The load generator: `wrk`, and what it says.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::header;
use http_body_util::Full;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

/// What `wrk` is told to do, written in its own language.
const SCRIPT: &str = include_str!("load/calls.lua");

/// How many threads send, where there are connections for them.
const THREADS: u32 = 2;

/// A request to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Whose it is.
    pub(crate) key: String,
    pub(crate) body: String,
    /// What it asks for, whatever its id.
    pub(crate) about: String,
}

impl Request {
    /// It as HTTP says it, for this URL.
    ///
    /// # Errors
    /// The URL is none.
    pub(crate) fn for_server(&self, url: &str) -> Result<http::Request<Full<Bytes>>> {
        http::Request::post(url)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .body(Full::new(Bytes::from(self.body.clone())))
            .context("no request")
    }
}

/// Where requests go, and how many at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// `127.0.0.1:PORT`.
    pub(crate) address: &'a str,
    /// The path, with its slash.
    pub(crate) path: &'a str,
    pub(crate) connections: u32,
}

/// What came of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Requests that were answered.
    pub(crate) requests: u64,
    /// How long it took, in microseconds, as the times that follow.
    pub(crate) micros: u64,
    /// Bytes that came back.
    pub(crate) bytes: u64,
    /// The time within which half of the requests were answered.
    pub(crate) p50: u64,
    /// That of 99 in a hundred.
    pub(crate) p99: u64,
    /// That of the slowest.
    pub(crate) max: u64,
    /// What failed: connections, reads, writes, answers that say so, and those that came too late.
    pub(crate) connect: u64,
    pub(crate) read: u64,
    pub(crate) write: u64,
    pub(crate) status: u64,
    pub(crate) timeout: u64,
}

impl Outcome {
    /// Requests in a second.
    pub(crate) fn rate(&self) -> f64 {
        per_second(self.requests, self.micros)
    }

    /// What came of loads at the same time, as if they were one: the slower half of the two is what counts.
    pub(crate) fn of_all(all: &[Self]) -> Self {
        let sum = |of: fn(&Self) -> u64| all.iter().map(of).sum();
        let most = |of: fn(&Self) -> u64| all.iter().map(of).max().unwrap_or_default();
        Self {
            requests: sum(|one| one.requests),
            micros: most(|one| one.micros),
            bytes: sum(|one| one.bytes),
            p50: most(|one| one.p50),
            p99: most(|one| one.p99),
            max: most(|one| one.max),
            ..Self::default()
        }
    }

    /// What went wrong, if anything did.
    fn fault(&self) -> Option<String> {
        let faults = [
            (self.connect, "connections failed"),
            (self.read, "answers broke off"),
            (self.write, "requests could not be sent"),
            (self.status, "answers had another status than success"),
            (self.timeout, "answers came too late"),
        ];
        let said: Vec<_> = faults.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if self.requests == 0 { Some("nothing was answered".to_owned()) } else { None }
            .or_else(|| (!said.is_empty()).then(|| said.join(", ")))
    }
}

/// Things in a second, from things in some microseconds.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(crate) fn per_second(things: u64, micros: u64) -> f64 {
    if micros == 0 { 0.0 } else { things as f64 * 1e6 / micros as f64 }
}

/// The program with its script.
pub(crate) struct Wrk {
    script: PathBuf,
    folder: PathBuf,
}

impl Wrk {
    /// Puts the script into a folder, in which requests will be put too.
    ///
    /// # Errors
    /// The folder can't be written, or there is no `wrk`.
    pub(crate) async fn new(folder: &Path) -> Result<Self> {
        let script = folder.join("calls.lua");
        fs::write(&script, SCRIPT).with_context(|| format!("can't write {}", script.display()))?;
        let version = Command::new("wrk").arg("-v").output().await;
        version.context("wrk is missing: install it (Debian: apt-get install wrk)")?;
        Ok(Self { script, folder: folder.to_owned() })
    }

    /// Puts requests into a file of this name. A thread sends a half of them, each in its order.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn prepare(&self, name: &str, requests: &[Request]) -> Result<PathBuf> {
        let path = self.folder.join(format!("{name}.requests"));
        let lines: String = requests.iter().map(|request| format!("{}\t{}\n", request.key, request.body)).collect();
        fs::write(&path, lines).with_context(|| format!("can't write {}", path.display()))?;
        Ok(path)
    }

    /// Sends prepared requests for so long.
    ///
    /// # Errors
    /// `wrk` fails, or any request did.
    pub(crate) async fn send(&self, requests: &Path, target: Target<'_>, duration: Duration) -> Result<Outcome> {
        // It knows whole seconds only; less is not worth a look.
        let seconds = duration.as_secs_f64().round().max(1.0);
        let threads = THREADS.min(target.connections).to_string();
        let url = format!("http://{}{}", target.address, target.path);
        let mut command = Command::new("wrk");
        command.args(["--threads", &threads, "--connections", &target.connections.to_string()]);
        command.args(["--duration", &format!("{seconds}s"), "--timeout", "10s", "--script"]).arg(&self.script);
        command.arg(url).arg("--").arg(requests).arg(&threads).kill_on_drop(true);
        let ran = command.output().await.context("can't run wrk")?;
        let out = String::from_utf8_lossy(&ran.stdout);
        let Some(outcome) = parse(&out) else {
            bail!("wrk says nothing that can be read: {out}{}", String::from_utf8_lossy(&ran.stderr));
        };
        match outcome.fault() {
            Some(fault) => bail!("of {} requests {fault}", outcome.requests),
            None => Ok(outcome),
        }
    }
}

/// Reads the line that the script writes.
fn parse(out: &str) -> Option<Outcome> {
    out.lines().find_map(|line| serde_json::from_str(line.strip_prefix("RESULT ")?).ok())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SAID: &str = "Running 1s test @ http://127.0.0.1:1/\n  2 threads and 32 connections\n  Thread Stats   Avg\n\
         Requests/sec:   1000.00\nRESULT {\"requests\":2000,\"micros\":1000000,\"bytes\":5,\"p50\":900,\"p99\":1800,\
         \"max\":3000,\"connect\":0,\"read\":0,\"write\":0,\"status\":0,\"timeout\":0}\n";

    #[test]
    fn the_line_of_the_script_is_found_among_what_wrk_says() {
        let outcome = parse(SAID).unwrap();
        assert_eq!((outcome.requests, outcome.p50, outcome.p99, outcome.max), (2_000, 900, 1_800, 3_000));
        assert!((outcome.rate() - 2_000.0).abs() < 1e-9 && outcome.fault().is_none());
        assert_eq!(parse("unable to connect to 127.0.0.1:1 Connection refused\n"), None);
        assert_eq!(parse("RESULT {\"requests\":"), None);
    }

    #[test]
    fn a_load_with_faults_is_none() {
        let faulty = parse(&SAID.replace("\"status\":0", "\"status\":7")).unwrap();
        assert_eq!(faulty.fault().unwrap(), "7 answers had another status than success");
        assert_eq!(Outcome::default().fault().unwrap(), "nothing was answered");
    }
}
