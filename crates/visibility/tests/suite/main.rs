//! The policy as a stranger would use it, judged by a second implementation (`oracle`) and by lists written by hand.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod authority;
mod canonical;
mod changes;
mod creation;
mod golden;
mod groups;
mod levels;
mod members;
mod moves;
mod oracle;
mod page;
mod scopes;
mod world;

/// A file that is not declared above would never run.
#[test]
fn every_file_of_the_suite_is_declared() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");
    let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || main.contains(&format!("\nmod {module};\n")), "{name} is not declared in main.rs");
    }
}

/// Compares a committed file with what it should hold, or rewrites it with `UPDATE=1`.
fn assert_committed(path: &str, rendered: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, rendered).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == rendered, "{path} is stale: run the test again with UPDATE=1 and read the difference");
}
