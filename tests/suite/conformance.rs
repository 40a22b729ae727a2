//! The official conformance suite, both published lines of it, against the fixture server and against the product.
//!
//! The suite exits well when it skips, and when it does not know a scenario: so everything is counted here.

use std::{collections::BTreeMap, env, fs, path::Path, process::Stdio};

use chorus_testkit::{Backend, Bearer, Site};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::clients::program::{installed, node};

/// The scenarios of 2025-11-25 that need a stream which outlives its request, on which a server asks its client back.
const NEED_A_SESSION: [&str; 4] =
    ["elicitation-sep1034-defaults", "elicitation-sep1330-enums", "tools-call-elicitation", "tools-call-sampling"];

/// The checks of `server-stateless` that call tools of a fixture, which a product does not have.
const NEED_A_FIXTURE: [&str; 4] = [
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-missing-capability-http-400",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-server-rejects-undeclared-capability",
];

/// The published lines, as `tests/clients/package.json` calls them.
const FIRST_LINE: &str = "conformance-0-1";
const SECOND_LINE: &str = "conformance-0-2";

/// The fixture server, which ends with this.
struct Fixture {
    url: String,
    _child: Child,
}

impl Fixture {
    async fn start() -> Self {
        let tests = env::current_exe().unwrap();
        let binary = tests.parent().and_then(Path::parent).unwrap().join("chorus-mcp-fixture");
        assert!(binary.exists(), "{} is missing: run the tests through `bash tests/run`", binary.display());
        let mut child = Command::new(binary).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().unwrap();
        Self { url: line.strip_prefix("listening on ").unwrap().to_owned(), _child: child }
    }
}

/// What one run of the suite came to.
struct Outcome {
    code: Option<i32>,
    output: String,
    /// Each scenario that ran, with its checks: name and status.
    scenarios: BTreeMap<String, Vec<(String, String)>>,
}

/// Runs scenarios of a line of the suite. It is not told what may fail: its own comparison takes warnings for failures.
async fn run(line: &str, url: &str, choice: &[&str]) -> Outcome {
    let folder = TempDir::new().unwrap();
    let results = folder.path().join("results");
    let mut command = Command::new(node());
    command.arg(installed(&format!("node_modules/{line}/dist/index.js"))).args(["server", "--url", url]).args(choice);
    command.arg("--output-dir").arg(&results).env("HOME", folder.path()).current_dir(folder.path());
    let output = command.kill_on_drop(true).output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut scenarios = BTreeMap::new();
    for entry in fs::read_dir(&results).unwrap_or_else(|error| panic!("{error}: {output:?}")) {
        let entry = entry.unwrap();
        let checks: Value = serde_json::from_slice(&fs::read(entry.path().join("checks.json")).unwrap()).unwrap();
        let part = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
        let checks = checks.as_array().unwrap().iter().map(|check| (part(check, "id"), part(check, "status")));
        let scenario = scenario(&entry.file_name().into_string().unwrap());
        assert_eq!(scenarios.insert(scenario, checks.collect()), None, "a scenario ran twice");
    }
    Outcome { code: output.status.code(), output: text(&output.stdout) + &text(&output.stderr), scenarios }
}

/// The scenario of a folder of results: `server-NAME-2026-12-01T01-34-41-375Z`.
fn scenario(folder: &str) -> String {
    let name = folder.strip_prefix("server-").unwrap();
    let time = name.len() - "-2026-12-01T01-34-41-375Z".len();
    assert!(name[time..].starts_with("-2") && name.ends_with('Z'), "{folder}");
    name[..time].to_owned()
}

impl Outcome {
    /// How many checks have this status, and in how many scenarios.
    fn count(&self, status: &str) -> (usize, usize) {
        let counts: Vec<usize> = self
            .scenarios
            .values()
            .map(|checks| checks.iter().filter(|(_, found)| found == status).count())
            .filter(|count| *count > 0)
            .collect();
        (counts.iter().sum(), counts.len())
    }

    /// The checks that failed, as `scenario:check`.
    fn failed(&self) -> Vec<String> {
        let failed = self.scenarios.iter().flat_map(|(scenario, checks)| {
            checks.iter().filter(|(_, status)| status == "FAILURE").map(move |(id, _)| format!("{scenario}:{id}"))
        });
        failed.collect()
    }

    /// The scenarios in which nothing was found good, for better or worse.
    fn idle(&self) -> Vec<&str> {
        let idle = self.scenarios.iter().filter(|(_, checks)| checks.iter().all(|(_, status)| status != "SUCCESS"));
        idle.map(|(scenario, _)| scenario.as_str()).collect()
    }

    /// Exactly these checks failed, and the suite says so too.
    #[track_caller]
    fn check_failures(&self, expected: &[String]) {
        let mut failed = self.failed();
        failed.sort_unstable();
        assert_eq!(failed, expected, "{}", self.output);
        assert_eq!(self.code, Some(i32::from(!expected.is_empty())), "{}", self.output);
    }

    /// `total` scenarios ran; those of `failing` failed, in one check each; those of `idle` had nothing to find good; in
    /// all, `good` checks were found good.
    #[track_caller]
    fn check(&self, total: usize, failing: &[&str], idle: &[&str], good: usize) {
        assert_eq!(self.scenarios.len(), total, "{:?}", self.scenarios.keys());
        let failed: Vec<_> = self.failed().iter().map(|check| check.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(failed, failing, "{}", self.output);
        assert_eq!(self.code, Some(i32::from(!failing.is_empty())), "{}", self.output);
        let seldom: Vec<_> = self.idle().into_iter().filter(|scenario| !failing.contains(scenario)).collect();
        assert_eq!(seldom, idle, "{}", self.output);
        assert_eq!(self.count("SUCCESS").0, good, "{}", self.output);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_line_finds_26_of_30_scenarios_good_on_the_fixture() {
    let fixture = Fixture::start().await;
    let outcome = run(FIRST_LINE, &fixture.url, &["--suite", "active"]).await;
    // Of the 26, one checks streams of a session, and says so where there is none.
    outcome.check(30, &NEED_A_SESSION, &["server-sse-multiple-streams"], 26);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_line_finds_26_of_30_scenarios_of_2025_11_25_good_on_the_fixture() {
    let fixture = Fixture::start().await;
    let choice = ["--requirements", "2025-11-25"];
    let outcome = run(SECOND_LINE, &fixture.url, &choice).await;
    // Three more are not scored; two of those, and one that is, are about sessions.
    let sessions = ["server-session-lifecycle", "server-sse-multiple-streams", "server-sse-polling"];
    outcome.check(33, &NEED_A_SESSION, &sessions, 63);
    assert_eq!(outcome.count("SKIPPED"), (0, 0), "{}", outcome.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_line_finds_all_of_2026_07_28_good_on_the_fixture() {
    let fixture = Fixture::start().await;
    let outcome = run(SECOND_LINE, &fixture.url, &["--requirements", "2026-07-28"]).await;
    // 37 are required. Of the 13 more, ten are about tasks, and one of those the suite never runs.
    outcome.check(50, &[], &["tasks-status-notifications"], 196);
    assert_eq!(outcome.count("WARNING"), (0, 0), "{}", outcome.output);
    assert_eq!(outcome.count("SKIPPED"), (1, 1), "{}", outcome.output);
    for unscored in ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"] {
        assert!(outcome.scenarios.contains_key(unscored), "{unscored}");
    }
    let tasks = outcome.scenarios.keys().filter(|scenario| scenario.starts_with("tasks-"));
    assert_eq!(tasks.count(), 10);
}

/// What applies to the product: scenario, revision, and how many of its checks are found good at least. What else the
/// product offers adds to them.
const OF_THE_PRODUCT: &[(&str, &str, usize)] = &[
    ("server-initialize", "2025-11-25", 2),
    ("ping", "2025-11-25", 2),
    ("tools-list", "2025-11-25", 3),
    ("tools-list", "2026-07-28", 4),
    ("server-stateless", "2026-07-28", 21),
    ("caching", "2026-07-28", 8),
    ("dns-rebinding-protection", "2025-11-25", 2),
    ("dns-rebinding-protection", "2026-07-28", 2),
    ("http-header-validation", "2026-07-28", 14),
    ("sep-2164-resource-not-found", "2026-07-28", 2),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_second_line_finds_the_product_good_with_its_own_tools() {
    let site = Site::new(Backend::Sqlite).await;
    let proxy = Bearer::before(site.server.base(), &site.admin.key).await;
    let url = format!("{}/api/mcp", proxy.base());
    for (scenario, revision, least) in OF_THE_PRODUCT {
        let missing = if *scenario == "server-stateless" { NEED_A_FIXTURE.as_slice() } else { &[] };
        let outcome = run(SECOND_LINE, &url, &["--scenario", scenario, "--spec-version", revision]).await;
        assert_eq!(outcome.scenarios.keys().collect::<Vec<_>>(), [scenario]);
        outcome.check_failures(&missing.iter().map(|check| format!("{scenario}:{check}")).collect::<Vec<_>>());
        let good = outcome.count("SUCCESS").0;
        assert!(good >= *least, "{scenario} of {revision}: {good} checks are good, not {least}\n{}", outcome.output);
    }
}
