//! What a server says it does: `/metrics`, the log of what is slow, and the pages about them.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
    time::Duration,
};

use chorus_store::{Metric, MetricKind};
use chorus_testkit::{Backend, Launch, Server, Site, exchange, http};
use serde_json::{Value, json};

const BEGIN: &str = "<!-- From the tables METRICS of the crates; rewrite with UPDATE=1. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

fn metrics() -> Vec<&'static Metric> {
    let tables =
        [chorus_dispatch::METRICS, chorus_http::METRICS, chorus_app::unit::METRICS, chorus_store_diesel::METRICS];
    tables.into_iter().flatten().collect()
}

/// What a server says: its series with their figures, and the names that it describes.
struct Said {
    series: BTreeMap<String, f64>,
    described: BTreeSet<String>,
}

impl Said {
    async fn by(server: &Server) -> Self {
        let reply = exchange(http().get(format!("{}/metrics", server.base()))).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(reply.header("content-type").unwrap().starts_with("text/plain"));
        let mut said = Self { series: BTreeMap::new(), described: BTreeSet::new() };
        for line in reply.text.lines().filter(|line| !line.is_empty()) {
            if let Some(help) = line.strip_prefix("# HELP ") {
                said.described.insert(help.split(' ').next().unwrap().to_owned());
            } else if !line.starts_with('#') {
                let (series, figure) = line.rsplit_once(' ').unwrap();
                said.series.insert(series.to_owned(), figure.parse().unwrap());
            }
        }
        said
    }

    /// The figure of a series; nothing that never happened has one.
    fn figure(&self, series: &str) -> f64 {
        self.series.get(series).copied().unwrap_or_default()
    }
}

async fn calls_are_counted_by_tool_and_outcome(backend: Backend) {
    let site = Site::new(backend).await;
    let client = site.client();
    let key = json!({ "name": "Measured", "idempotencyKey": "0123456789abcdef" });
    for _ in 0..2 {
        client.call("chorus_admin_create_project", key.clone()).await.ok();
    }
    client.call("chorus_admin_create_project", json!({ "name": "" })).await;
    client.call("no_such_tool", json!({})).await;
    for _ in 0..3 {
        client.call("chorus_list_projects", json!({})).await.ok();
    }
    let said = Said::by(&site.server).await;
    let calls = |tool: &str, outcome: &str| {
        said.figure(&format!("chorus_calls_total{{surface=\"chorus\",tool=\"{tool}\",outcome=\"{outcome}\"}}"))
    };
    for (tool, outcome, expected) in [
        ("chorus_admin_create_project", "answered", 1.0),
        ("chorus_admin_create_project", "replayed", 1.0),
        ("chorus_admin_create_project", "invalid_arguments", 1.0),
        ("chorus_list_projects", "answered", 3.0),
        ("", "unknown_tool", 1.0),
    ] {
        assert!((calls(tool, outcome) - expected).abs() < 0.5, "{tool} {outcome}: {:?}", said.series);
    }
    let tool = "{surface=\"chorus\",tool=\"chorus_list_projects\"}";
    assert!((said.figure(&format!("chorus_call_seconds_count{tool}")) - 3.0).abs() < 0.5);
    let statements = said.figure(&format!("chorus_call_statements_total{tool}")) / 3.0;
    assert!((1.0..10.0).contains(&statements), "{statements} for each call");
    assert!(said.figure("chorus_http_requests_total{route=\"message\",status=\"200\"}") >= 7.0, "{:?}", said.series);
    assert!(said.figure("chorus_database_statement_seconds_count") >= 3.0 * statements);
    assert!(said.figure("chorus_http_connections") >= 1.0);
    assert!(said.figure("process_resident_memory_bytes") > 1e6);
    let known: BTreeSet<_> = metrics().iter().map(|metric| metric.name).collect();
    let ours = said.described.iter().filter(|name| name.starts_with("chorus_"));
    let others: Vec<_> = ours.filter(|name| !known.contains(name.as_str())).collect();
    assert!(others.is_empty(), "in no table: {others:?}");
    // What stands in labels is made up by no caller.
    let all = said.series.keys().cloned().collect::<String>();
    for word in ["Measured", "no_such_tool", "0123456789abcdef"] {
        assert!(!all.contains(word), "{word}");
    }
}

/// A stage that waits shows which call it was, and what it waited for.
async fn what_is_slow_is_told_to_the_log(backend: Backend) {
    let site = Site::new(backend).await;
    let launch = Launch::on(site.database.url()).flag("--slow-call", "1").env("LOG_LEVEL", "warn");
    let mut server = launch.start().await;
    let client = server.client(&site.admin.key);
    let secret = "nobody's business";
    // Whatever it takes, one of a hundred is not done within a millisecond.
    for _ in 0..100 {
        client.call("chorus_admin_create_project", json!({ "name": secret })).await.ok();
    }
    server.terminate().await;
    assert_eq!(server.ended().await, Some(0));
    let log = server.log();
    let slow = log.lines().find(|line| line.contains("a slow call")).unwrap_or_else(|| panic!("{log}"));
    for part in [
        "tool=\"chorus_admin_create_project\"",
        "outcome=\"answered\"",
        "millis=",
        "statements=",
        "database_millis=",
        "id=",
    ] {
        assert!(slow.contains(part), "{part}: {slow}");
    }
    assert!(!log.contains(secret), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_statement_is_told_to_the_log_without_its_values() {
    let site = Site::new(Backend::Postgres).await;
    let mut server = Launch::on(site.database.url()).flag("--slow-call", "200").env("LOG_LEVEL", "warn").start().await;
    let client = server.client(&site.admin.key);
    let secret = "nobody's business";
    let held = site.database.hold("project", Duration::from_millis(600)).await;
    client.call("chorus_admin_create_project", json!({ "name": secret })).await.ok();
    held.await.unwrap();
    server.terminate().await;
    assert_eq!(server.ended().await, Some(0));
    let log = server.log();
    let slow = log.lines().find(|line| line.contains("a slow statement")).unwrap_or_else(|| panic!("{log}"));
    assert!(slow.contains("INSERT INTO") && slow.contains("project") && slow.contains("id="), "{slow}");
    assert!(log.contains("a slow call"), "{log}");
    assert!(!log.contains(secret), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_tell_how_long_each_stage_took() {
    let site = Site::new(Backend::Sqlite).await;
    let launch = Launch::on(site.database.url()).env("CHORUS_LOG_SPANS", "true").env("LOG_LEVEL", "trace");
    let mut server = launch.start().await;
    server.client(&site.admin.key).call("chorus_list_projects", json!({})).await.ok();
    server.terminate().await;
    assert_eq!(server.ended().await, Some(0));
    let log = server.log();
    for stage in ["FindTool", "ReadArguments", "ProjectAccess", "Handle"] {
        let line =
            log.lines().find(|line| line.contains(&format!("stage{{name=\"{stage}\"}}: ")) && line.contains("close"));
        assert!(
            line.is_some_and(|line| line.contains("time.busy=") && line.contains("chorus_list_projects")),
            "{stage}: {log}"
        );
    }
    assert!(log.lines().any(|line| line.contains("statement{sql=\"SELECT") && line.contains("close")), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_there_for_those_who_may_read_them() {
    let site = Site::new(Backend::Sqlite).await;
    for (who, here, through_a_proxy) in [(None, 200, 404), (Some("all"), 200, 200), (Some("off"), 404, 404)] {
        let mut launch = Launch::on(site.database.url());
        if let Some(who) = who {
            launch = launch.flag("--metrics", who);
        }
        let server = launch.start().await;
        let url = format!("{}/metrics", server.base());
        let nothing = exchange(http().get(format!("{}/nothing-here", server.base()))).await;
        for (forwarded, status) in [(None, here), (Some("192.0.2.1"), through_a_proxy)] {
            let mut request = http().get(&url);
            if let Some(from) = forwarded {
                request = request.header("x-forwarded-for", from);
            }
            let reply = exchange(request).await;
            assert_eq!(reply.status, status, "{who:?} {forwarded:?}: {reply:?}");
            assert!(status == 200 || reply.text == nothing.text, "{who:?} {forwarded:?}: {reply:?}");
        }
        server.stop().await;
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_page_lists_every_metric() {
    let page = text("docs/metrics.md");
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let mut table = "\n| metric | kind | labels | says |\n| --- | --- | --- | --- |\n".to_owned();
    for Metric { name, kind, labels, says } in metrics() {
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Seconds | MetricKind::Sizes => "histogram",
        };
        let labels: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
        table.push_str(&format!("| `{name}` | {kind} | {} | {says} |\n", labels.join(", ")));
    }
    let rendered = [before, BEGIN, &table, "\n", END, after].concat();
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(root().join("docs/metrics.md"), &rendered).unwrap();
    }
    assert!(
        text("docs/metrics.md") == rendered,
        "docs/metrics.md is stale: run this with UPDATE=1 and review the change"
    );
}

#[test]
fn names_of_metrics_follow_the_conventions() {
    let all = metrics();
    let names: BTreeSet<_> = all.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), all.len());
    for Metric { name, kind, says, .. } in all {
        assert!(name.starts_with("chorus_"), "{name}");
        assert_eq!(name.ends_with("_total"), *kind == MetricKind::Counter, "{name}");
        assert_eq!(name.ends_with("_seconds"), *kind == MetricKind::Seconds, "{name}");
        // The classes into which they are sorted are chosen by these endings.
        assert_eq!(name.ends_with("_units"), *kind == MetricKind::Sizes, "{name}");
        assert!(!says.is_empty() && !says.ends_with('.'), "{name}");
    }
}

/// Every name of a metric in a text.
fn named(text: &str) -> BTreeSet<&str> {
    let is_part = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
    text.split(|character| !is_part(character)).filter(|word| word.starts_with("chorus_")).collect()
}

#[test]
fn the_dashboard_and_the_alarms_ask_for_what_there_is() {
    let dashboard: Value = serde_json::from_str(&text("docs/deploy/grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let expressions: String = targets.map(|target| format!("{}\n", target["expr"].as_str().unwrap())).collect();
    let alarms = text("docs/deploy/prometheus.yml");
    let (asked, alarmed) = (named(&expressions), named(&alarms));
    assert!(asked.len() > 10 && alarmed.len() >= 3);
    let series = |metric: &Metric| match metric.kind {
        MetricKind::Counter | MetricKind::Gauge => vec![metric.name.to_owned()],
        MetricKind::Seconds | MetricKind::Sizes => {
            ["_bucket", "_sum", "_count"].iter().map(|part| format!("{}{part}", metric.name)).collect()
        }
    };
    let known: Vec<_> = metrics().into_iter().map(series).collect();
    for name in asked.union(&alarmed) {
        assert!(known.iter().flatten().any(|series| series == name), "{name}");
    }
    for series in &known {
        assert!(series.iter().any(|name| asked.contains(name.as_str())), "no panel shows {}", series[0]);
    }
}

super::backends!(calls_are_counted_by_tool_and_outcome, what_is_slow_is_told_to_the_log);
