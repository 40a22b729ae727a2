//! The structure of the workspace: which crate may know which, and what may stand where.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The crate graph: package, and the packages of the workspace that it may use. Edges are transitive; all others fail.
/// `docs/architecture.md` draws it.
const GRAPH: &[(&str, &[&str])] = &[
    ("chorus-ids", &[]),
    ("chorus-permissions", &[]),
    ("chorus-lifecycle", &[]),
    ("chorus-visibility", &["chorus-ids"]),
    ("chorus-mcp", &[]),
    ("chorus-mcp-fixture", &["chorus-mcp"]),
    ("chorus-domain", &["chorus-ids", "chorus-permissions", "chorus-lifecycle", "chorus-visibility"]),
    ("chorus-store", &["chorus-domain"]),
    ("chorus-store-diesel", &["chorus-store"]),
    ("chorus-app", &["chorus-store"]),
    ("chorus-auth", &["chorus-app"]),
    ("chorus-dispatch", &["chorus-app", "chorus-mcp"]),
    ("chorus-tools", &["chorus-dispatch"]),
    ("chorus-library", &["chorus-dispatch"]),
    ("chorus-http", &["chorus-dispatch", "chorus-auth"]),
    ("chorus-tools-console", &["chorus-tools", "chorus-auth"]),
    ("chorus-console", &["chorus-http"]),
    (
        "chorus-server",
        &[
            "chorus-console",
            "chorus-http",
            "chorus-tools",
            "chorus-tools-console",
            "chorus-library",
            "chorus-store-diesel",
        ],
    ),
    ("chorus-testkit", &["chorus-auth", "chorus-tools", "chorus-store-diesel"]),
    ("chorus-bench", &["chorus-http", "chorus-tools", "chorus-library", "chorus-store-diesel"]),
    ("chorus-tests", &["chorus-testkit", "chorus-http", "chorus-console", "chorus-tools-console", "chorus-library"]),
];

/// Packages from outside that only one of ours may use directly.
const RESERVED: &[(&str, &[&str])] = &[
    ("diesel", &["chorus-store-diesel"]),
    ("diesel-async", &["chorus-store-diesel"]),
    ("bb8", &["chorus-store-diesel"]),
    ("hyper", &["chorus-http", "chorus-server", "chorus-mcp-fixture", "chorus-testkit", "chorus-bench"]),
    ("argon2", &["chorus-auth"]),
    ("governor", &["chorus-auth"]),
    ("clap", &["chorus-server", "chorus-bench"]),
    ("anyhow", &["chorus-server", "chorus-bench"]),
];

/// Policy crates: pure, and all that they may use from outside.
const PURE: &[(&str, &[&str])] = &[
    ("chorus-ids", &["serde", "time", "uuid"]),
    ("chorus-permissions", &["serde"]),
    ("chorus-lifecycle", &["serde"]),
    ("chorus-visibility", &["serde"]),
    ("chorus-mcp", &["base64", "hmac", "serde", "serde_json", "sha2"]),
    ("chorus-domain", &["serde", "serde_json", "unicode-normalization", "unicode-segmentation"]),
];

/// What stands at the top of the repository.
const TOP: &[&str] = &[
    ".ci",
    ".git",
    ".gitignore",
    ".rustfmt.toml",
    ".config",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "bins",
    "crates",
    "docs",
    "justfile",
    "migrations",
    "target",
    "tests",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn metadata() -> cargo_metadata::Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap()
}

/// Direct dependencies of each package, those of tests apart.
fn dependencies(kinds: &[DependencyKind]) -> BTreeMap<String, BTreeSet<String>> {
    metadata()
        .packages
        .iter()
        .map(|package| {
            let names = package.dependencies.iter().filter(|dep| kinds.contains(&dep.kind)).map(|dep| dep.name.clone());
            (package.name.to_string(), names.collect())
        })
        .collect()
}

/// Everything reachable from a package in [`GRAPH`].
fn reachable(package: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let mut todo = vec![package];
    while let Some(next) = todo.pop() {
        let (_, edges) =
            GRAPH.iter().find(|(name, _)| *name == next).unwrap_or_else(|| panic!("{next} is not in GRAPH"));
        for edge in *edges {
            if found.insert(*edge) {
                todo.push(edge);
            }
        }
    }
    found
}

#[test]
fn every_edge_between_crates_is_in_the_graph() {
    let ours: BTreeSet<&str> = GRAPH.iter().map(|(name, _)| *name).collect();
    let found = dependencies(&[DependencyKind::Normal, DependencyKind::Build]);
    assert_eq!(found.keys().map(String::as_str).collect::<BTreeSet<_>>(), ours, "GRAPH lists other packages");
    for (package, edges) in &found {
        let allowed = reachable(package);
        let extra: Vec<_> =
            edges.iter().filter(|e| ours.contains(e.as_str()) && !allowed.contains(e.as_str())).collect();
        assert!(extra.is_empty(), "{package} must not use {extra:?}");
    }
}

#[test]
fn the_graph_has_no_edge_that_nothing_uses() {
    let found = dependencies(&[DependencyKind::Normal, DependencyKind::Build, DependencyKind::Development]);
    for (package, edges) in GRAPH {
        let unused: Vec<_> = edges.iter().filter(|edge| !found[*package].contains(**edge)).collect();
        assert!(unused.is_empty(), "{package} does not use {unused:?}");
    }
}

#[test]
fn the_database_and_http_are_known_to_one_crate_each() {
    for (package, edges) in dependencies(&[DependencyKind::Normal, DependencyKind::Build]) {
        for (reserved, holders) in RESERVED {
            assert!(
                !edges.contains(*reserved) || holders.contains(&package.as_str()),
                "{package} must not use {reserved}"
            );
        }
    }
}

/// Dependencies that are there for what they switch on, not to be called.
const SWITCHES: &[&str] = &["libsqlite3-sys"];

#[test]
fn every_dependency_is_used() {
    for package in metadata().packages {
        let folder = package.manifest_path.parent().unwrap().as_std_path().to_owned();
        let mut text: String = rust_files(&folder).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        text.push_str(&fs::read_to_string(folder.join("README.md")).unwrap_or_default());
        for dependency in &package.dependencies {
            let name = dependency.name.replace('-', "_");
            let used = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
            assert!(used || SWITCHES.contains(&dependency.name.as_str()), "{} does not use {name}", package.name);
        }
    }
}

/// Packages hold all that they are built from, migrations included; `cargo package --workspace` also builds them.
#[test]
fn every_package_can_be_packed() {
    let target = tempfile::tempdir().unwrap();
    let packed = std::process::Command::new(env!("CARGO"))
        .args(["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--locked", "--target-dir"])
        .arg(target.path())
        .current_dir(root())
        .output()
        .unwrap();
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    let listed = std::process::Command::new(env!("CARGO"))
        .args(["package", "--package", "chorus-store-diesel", "--list", "--allow-dirty", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for migration in ["migrations/sqlite/0001_init/up.sql", "migrations/postgres/0001_init/up.sql"] {
        assert!(listed.lines().any(|line| line == migration), "{migration} is missing in:\n{listed}");
    }
}

#[test]
fn policy_crates_are_pure() {
    let found = dependencies(&[DependencyKind::Normal, DependencyKind::Build]);
    for (package, allowed) in PURE {
        let outside: Vec<_> = found[*package].iter().filter(|dep| !dep.starts_with("chorus-")).collect();
        let extra: Vec<_> = outside.iter().filter(|dep| !allowed.contains(&dep.as_str())).collect();
        assert!(extra.is_empty(), "{package} must not use {extra:?}");
        for file in rust_files(&root().join("crates").join(package.trim_start_matches("chorus-")).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            for impure in
                ["std::fs", "std::net", "std::env", "std::process", "SystemTime::now", "Instant::now", "async fn"]
            {
                assert!(!text.contains(impure), "{} uses {impure}", file.display());
            }
        }
    }
}

#[test]
fn unscoped_facts_are_asked_for_by_name_in_few_places() {
    let holders = [
        ("directory()", &["app", "auth", "console", "dispatch", "store", "store-diesel", "testkit"][..]),
        ("operator()", &["auth", "store", "store-diesel", "testkit", "http"][..]),
        ("accounts()", &["auth", "store", "store-diesel", "testkit"][..]),
    ];
    for file in rust_files(&root().join("crates")) {
        let place = file.strip_prefix(root().join("crates")).unwrap().to_string_lossy().into_owned();
        let folder = place.split('/').next().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        for (call, allowed) in &holders {
            let used = text.contains(&format!(".{call}"));
            assert!(!used || allowed.contains(&folder.as_str()), "{place} must not call {call}");
        }
    }
}

#[test]
fn the_top_level_holds_what_it_should() {
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(TOP.contains(&name.as_str()), "{name} does not belong at the top level");
    }
}

#[test]
fn every_library_readme_is_its_crate_documentation() {
    for package in metadata().packages {
        let Some(library) = package.targets.iter().find(|target| target.is_lib()) else { continue };
        if *package.name == "chorus-tests" {
            continue;
        }
        let text = fs::read_to_string(&library.src_path).unwrap();
        assert!(text.starts_with("#![doc = include_str!(\"../README.md\")]"), "{}", package.name);
        let readme = package.manifest_path.parent().unwrap().join("README.md");
        assert!(fs::read_to_string(readme).unwrap().lines().count() > 4, "{}'s README says nothing", package.name);
    }
}

#[test]
fn crates_that_others_embed_show_an_example_that_compiles() {
    for name in ["permissions", "lifecycle", "visibility", "mcp", "store", "http"] {
        let readme = fs::read_to_string(root().join("crates").join(name).join("README.md")).unwrap();
        assert!(readme.contains("```rust"), "{name}'s README has no example");
        assert!(
            !readme.contains("```rust,ignore") && !readme.contains("```ignore"),
            "{name}'s example is not compiled"
        );
    }
}

#[test]
fn no_test_file_is_forgotten() {
    for folder in ["crates", "bins"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let tests = entry.unwrap().path().join("tests");
            let binaries: Vec<_> = rust_files(&tests)
                .into_iter()
                .filter(|file| file.parent() == Some(&tests) || file.ends_with("main.rs"))
                .collect();
            assert!(binaries.len() <= 1, "one integration binary per crate, not {binaries:?}");
            for binary in binaries {
                check_modules(&binary);
            }
        }
    }
    check_modules(&root().join("tests/suite/main.rs"));
    check_modules(&root().join("tests/torture/main.rs"));
}

/// Every file beside or below a test binary's root is declared as a module somewhere in it.
fn check_modules(main: &Path) {
    let folder = main.parent().unwrap();
    let files = rust_files(folder);
    let all: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for file in files.iter().filter(|file| *file != main) {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let module = if stem == "mod" {
            file.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned()
        } else {
            stem
        };
        assert!(all.contains(&format!("mod {module};")), "{} is not part of its test binary", file.display());
    }
}

#[test]
fn sources_are_free_of_loose_ends() {
    let places = ["crates", "bins", "tests"];
    let words = ["todo!(", "unimplemented!(", "FIXME", "XXX", "#[ignore"];
    for file in places.iter().flat_map(|place| rust_files(&root().join(place))) {
        if file.ends_with("tests/suite/tidy.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for word in words {
            assert!(!text.contains(word), "{} contains {word}", file.display());
        }
        let lines = text.lines().count();
        assert!(lines <= 1_000, "{} has {lines} lines; split it by entity", file.display());
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
