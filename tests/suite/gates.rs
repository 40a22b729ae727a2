//! Which tools exist for whom: tool by permission, for listing and for calling.

use std::{fmt::Write as _, fs, path::Path};

use chorus_domain::Caller;
use chorus_permissions::{Permission, Preset};
use chorus_testkit::{Backend, CallResult, Database, Tools, World};
use serde_json::json;

use crate::backends;

/// The gate of each tool, written by hand from the permissions specification §6. The table is compared with it.
const GATES: &[(&str, &str)] = &[
    ("chorus_checkin", ""),
    ("chorus_get_my_assignments", ""),
    ("chorus_list_projects", ""),
    ("chorus_get_project", ""),
    ("chorus_admin_create_project", "project:write"),
    ("chorus_get_project_groups", ""),
    ("chorus_get_project_group", ""),
    ("chorus_get_group_dashboard", ""),
    ("chorus_admin_create_project_group", "project:write"),
    ("chorus_admin_update_project_group", "project:write"),
    ("chorus_admin_delete_project_group", "project:write"),
    ("chorus_admin_move_project_to_group", "project:write"),
    ("chorus_pm_create_idea", "idea:write"),
    ("chorus_claim_idea", "idea:write"),
    ("chorus_release_idea", "idea:write"),
    ("chorus_get_idea", ""),
    ("chorus_get_ideas", ""),
    ("chorus_pm_start_elaboration", "idea:write"),
    ("chorus_answer_elaboration", ""),
    ("chorus_get_elaboration", ""),
    ("chorus_pm_validate_elaboration", "idea:admin"),
    ("chorus_pm_skip_elaboration", "idea:write"),
    ("chorus_pm_create_proposal", "proposal:write"),
    ("chorus_pm_add_document_draft", "proposal:write"),
    ("chorus_pm_add_task_draft", "proposal:write"),
    ("chorus_pm_validate_proposal", "proposal:write"),
    ("chorus_pm_submit_proposal", "proposal:write"),
    ("chorus_admin_approve_proposal", "proposal:admin"),
    ("chorus_pm_reject_proposal", "proposal:write"),
    ("chorus_get_proposal", ""),
    ("chorus_get_proposals", ""),
    ("chorus_get_documents", ""),
    ("chorus_get_document", ""),
    ("chorus_create_report", "document:write"),
    ("chorus_create_tasks", ""),
    ("chorus_update_task", ""),
    ("chorus_list_tasks", ""),
    ("chorus_get_task", ""),
    ("chorus_get_available_tasks", ""),
    ("chorus_get_unblocked_tasks", ""),
    ("chorus_claim_task", "task:write"),
    ("chorus_release_task", "task:write"),
    ("chorus_report_work", "task:write"),
    ("chorus_report_criteria_self_check", "task:write"),
    ("chorus_submit_for_verify", "task:write"),
    ("chorus_mark_acceptance_criteria", "task:admin"),
    ("chorus_admin_verify_task", "task:admin"),
    ("chorus_admin_reopen_task", "task:admin"),
    ("chorus_admin_close_task", "task:admin"),
    ("chorus_add_comment", ""),
    ("chorus_get_comments", ""),
    ("chorus_get_activity", ""),
];

/// Which bits a preset has, written by hand from the permissions specification §2.
fn preset_has(preset: Preset, gate: &str) -> bool {
    match preset {
        Preset::Developer => gate.ends_with(":read") || gate == "task:write",
        Preset::Pm => gate.ends_with(":read") || gate.ends_with(":write"),
        Preset::Admin => true,
    }
}

#[test]
fn every_tool_has_the_gate_that_the_specification_gives_it() {
    let surface = chorus_tools::surface().unwrap();
    let found: Vec<(&str, String)> = surface
        .tools()
        .iter()
        .map(|tool| (tool.row.name, tool.row.requirement.bit.map(|bit| bit.to_string()).unwrap_or_default()))
        .collect();
    for (name, gate) in &found {
        assert!(GATES.contains(&(name, gate)), "{name} is gated by `{gate}`");
    }
    assert_eq!(found.len(), GATES.len());
}

/// Who is tried: the name of the column, presets, single bits, and whether it should have a gate's bit.
fn columns() -> Vec<(String, Vec<&'static str>, Vec<String>)> {
    let mut columns = vec![("no bits".to_owned(), vec![], vec![])];
    columns.extend(Preset::ALL.into_iter().map(|preset| (preset.name().to_owned(), vec![preset.name()], vec![])));
    columns.extend(Permission::ALL.into_iter().map(|bit| (bit.to_string(), vec![], vec![bit.to_string()])));
    columns
}

fn expected(column: &str, gate: &str) -> bool {
    gate.is_empty()
        || column == gate
        || Preset::ALL.into_iter().any(|preset| preset.name() == column && preset_has(preset, gate))
}

/// Whether the tool exists for the caller when it is called: an unknown tool is a protocol error, anything else an
/// answer or a refusal of the tool.
async fn exists(tools: &Tools, caller: &Caller, name: &str) -> bool {
    match tools.call(caller, name, json!({})).await {
        CallResult::Protocol(error) => {
            assert_eq!(error["code"], -32602);
            false
        }
        CallResult::Answer(_) | CallResult::Refused(..) => true,
    }
}

async fn a_tool_is_listed_and_callable_exactly_for_those_who_hold_its_bit(backend: Backend) {
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let tools = Tools::new(world.services.clone());
    let mut grid = format!("{:<36}", "# rendered by a test; expectations stand in tests/suite/gates.rs");
    let mut rows: Vec<String> = GATES.iter().map(|(name, _)| format!("{name:<36}")).collect();
    for (column, presets, bits) in columns() {
        let bits: Vec<&str> = bits.iter().map(String::as_str).collect();
        let caller = world.new_caller(&column, Some(world.first_user), &presets, &bits).await;
        let listed = tools.listed(&caller);
        write!(grid, " {column}").unwrap();
        for ((name, gate), row) in GATES.iter().zip(&mut rows) {
            let should = expected(&column, gate);
            assert_eq!(listed.contains(name), should, "{name} is listed for {column}");
            assert_eq!(exists(&tools, &caller, name).await, should, "{name} can be called by {column}");
            write!(row, " {:^width$}", if should { "x" } else { "." }, width = column.len()).unwrap();
        }
    }
    compare_with_file("gates.txt", &format!("{grid}\n{}\n", rows.join("\n")));
}

/// Compares with a committed file; `UPDATE=1` writes it instead.
fn compare_with_file(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "tests/golden/{name} is stale: run `just golden` and read the difference");
}

backends!(a_tool_is_listed_and_callable_exactly_for_those_who_hold_its_bit);
