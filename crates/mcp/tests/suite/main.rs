//! The protocol, used as an HTTP layer would.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod accept;
mod batch;
mod content;
mod corpus;
mod emission;
mod exchange;
mod ids;
mod listening;
mod messages;
mod mirror;
mod modern;
mod negotiation;
mod offers;
mod order;
mod pages;
mod prompts;
mod properties;
mod resources;
mod rounds;
mod sessions;
mod streaming;
mod tasks;
mod tick_lists;
mod tools;
mod wire;

/// A file that is not a module of this binary would be a test that never runs.
#[test]
fn every_file_of_the_suite_is_compiled() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || main.contains(&format!("\nmod {module};\n")), "{name} is not compiled");
    }
}
