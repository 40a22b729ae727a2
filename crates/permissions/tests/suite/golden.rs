//! Who holds what, as a grid that a change of policy has to change.

use std::{env, fmt::Write, fs, path::Path};

use chorus_permissions::*;

#[test]
fn presets_hold_what_the_specification_says() {
    // By hand, so that the rendered grids are not the only word on it.
    let reads = [IDEA_READ, PROPOSAL_READ, DOCUMENT_READ, TASK_READ, PROJECT_READ];
    let writes = [IDEA_WRITE, PROPOSAL_WRITE, DOCUMENT_WRITE, TASK_WRITE, PROJECT_WRITE];
    let admins = [IDEA_ADMIN, PROPOSAL_ADMIN, DOCUMENT_ADMIN, TASK_ADMIN, PROJECT_ADMIN];
    check(Preset::Developer, &[&reads, &[TASK_WRITE]], 6);
    check(Preset::Pm, &[&reads, &writes], 10);
    check(Preset::Admin, &[&reads, &writes, &admins], 15);
}

fn check(preset: Preset, expected: &[&[Permission]], count: usize) {
    let held = preset.permissions();
    assert_eq!(held, expected.iter().copied().flatten().copied().collect(), "{preset}");
    assert_eq!(held.len(), count, "{preset}");
}

#[test]
fn the_preset_grid_is_the_committed_one() {
    let mut grid = format!("{:<16}", "");
    let row = |cells: [&str; 3]| cells.map(|cell| format!("{cell:<16}")).concat().trim_end().to_owned() + "\n";
    grid += &row(Preset::ALL.map(Preset::name));
    for permission in Permission::ALL {
        write!(grid, "{:<16}", permission.to_string()).unwrap();
        grid += &row(Preset::ALL.map(|p| if p.permissions().contains(permission) { "yes" } else { "-" }));
    }
    compare("tests/golden/presets.txt", &grid);
}

#[test]
fn the_documentation_page_is_current() {
    let mut page = String::from(
        "<!-- Generated from crates/permissions by its tests; rewrite with UPDATE=1. -->\n# Permissions\n\n\
         An agent may do what its permissions say, in the projects that it can reach. A permission is written \
         `resource:action`. None implies another,\nnames match exactly, and there is no wildcard. An agent holds the \
         union of its presets and of the permissions it was given one by one.\n",
    );
    for preset in Preset::ALL {
        let held = preset.permissions();
        write!(page, "\n`{preset}` holds {} permissions:\n\n", held.len()).unwrap();
        page += "| resource | read | write | admin |\n| --- | --- | --- | --- |\n";
        for resource in Resource::ALL {
            let cell = |action| if held.contains(Permission::new(resource, action)) { "yes" } else { "" };
            let [read, write, admin] = Action::ALL.map(cell);
            writeln!(page, "| {resource} | {read} | {write} | {admin} |").unwrap();
        }
    }
    compare("../../docs/permissions.md", &page);
}

/// Fails when the committed file differs from `rendered`; `UPDATE=1` rewrites it.
fn compare(file: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, rendered).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, rendered, "{file} is stale; run the tests with UPDATE=1 and review the difference");
}
