//! The whole run in its shortest form. What it finds is no figure: the programs are those of the tests.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::{fs, process::Command};

use serde_json::Value;

#[test]
fn a_short_run_measures_the_product_and_its_floor() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    let marks = "<!-- measured: what follows is written by `just bench --write-docs` -->\n<!-- measured: end -->\n";
    fs::write(&page, marks).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_chorus-bench"))
        .args(["--backends", "sqlite", "--sizes", "200", "--warm-up", "0", "--measure", "1", "--connections", "4"])
        .args(["--operations", "ping;get_task;add_comment;claim_task"])
        .arg("--write-docs")
        .arg(&page)
        .arg("--folder")
        .arg(folder.path())
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");

    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let year = |path: &std::path::Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("20"));
    let result = files.into_iter().find(|path| year(path)).unwrap();
    let result: Value = serde_json::from_slice(&fs::read(result).unwrap()).unwrap();
    let rows = result["blocks"][0]["rows"].as_array().unwrap();
    let named = |row: &Value, name: &str| row["operation"] == name;
    for (name, statements) in [("ping", 1.0), ("get_task", 2.0), ("add_comment", 5.0), ("claim_task", 5.0)] {
        let row = rows.iter().find(|row| named(row, name)).unwrap();
        assert!(row["product"]["requests"].as_u64() > Some(0) && row["floor"]["requests"].as_u64() > Some(0), "{row}");
        assert!(row["statements"].as_f64().unwrap() >= statements, "{row}");
    }
    let process = &result["processes"][0];
    assert!(process["start_millis"].as_f64().unwrap() > 0.0 && process["idle"].as_u64() > Some(1_000_000), "{process}");
    let tables = fs::read_to_string(&page).unwrap();
    assert!(tables.contains("### SQLite, 200 tasks") && tables.contains("| ping"), "{tables}");
    assert!(said.contains("Targets"), "{said}");
}
