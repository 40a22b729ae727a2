//! Names, order and sets of permissions.

use chorus_permissions::*;

/// The fifteen names in canonical order, by hand.
const NAMES: [&str; 15] = [
    "idea:read",
    "idea:write",
    "idea:admin",
    "proposal:read",
    "proposal:write",
    "proposal:admin",
    "document:read",
    "document:write",
    "document:admin",
    "task:read",
    "task:write",
    "task:admin",
    "project:read",
    "project:write",
    "project:admin",
];

#[test]
fn the_fifteen_permissions_have_these_names_in_this_order() {
    assert_eq!(Permission::ALL.map(|p| p.to_string()), NAMES);
    assert!(Permission::ALL.is_sorted());
}

#[test]
fn names_parse_back() {
    for permission in Permission::ALL {
        assert_eq!(permission.to_string().parse(), Ok(permission));
        assert_eq!(permission.resource().as_str().parse(), Ok(permission.resource()));
        assert_eq!(permission.action().as_str().parse(), Ok(permission.action()));
    }
    for preset in Preset::ALL {
        assert_eq!(preset.to_string().parse(), Ok(preset));
    }
}

#[test]
fn near_misses_are_not_permissions() {
    for name in
        ["", ":", "task", "task:", ":write", "Task:Write", " task:write", "task:write ", "task:*", "*:read", "*"]
    {
        assert_eq!(name.parse::<Permission>(), Err(UnknownPermission(name.to_owned())));
    }
    for name in ["task:write:write", "task::write", "task.write", "tasks:write", "task:delete"] {
        assert_eq!(name.parse::<Permission>(), Err(UnknownPermission(name.to_owned())));
    }
    assert_eq!("Task".parse::<Resource>(), Err(UnknownResource("Task".to_owned())));
    assert_eq!("delete".parse::<Action>(), Err(UnknownAction("delete".to_owned())));
}

#[test]
fn errors_name_the_offender_and_what_would_be_right() {
    assert_eq!(
        UnknownPermission("task:*".to_owned()).to_string(),
        "`task:*` is not a permission: write `resource:action`, with resource one of idea, proposal, document, task, \
         project and action one of read, write, admin"
    );
    assert_eq!(
        UnknownResource("plan".to_owned()).to_string(),
        "`plan` is not known: resource one of idea, proposal, document, task, project"
    );
    assert_eq!(
        UnknownAction("delete".to_owned()).to_string(),
        "`delete` is not known: action one of read, write, admin"
    );
    assert_eq!(
        UnknownPreset("pm".to_owned()).to_string(),
        "`pm` is not a preset: write one of developer_agent, pm_agent, admin_agent"
    );
}

#[test]
fn a_set_of_one_contains_that_one_only() {
    for held in Permission::ALL {
        let set = PermissionSet::EMPTY.with(held);
        assert_eq!(set.len(), 1);
        for asked in Permission::ALL {
            assert_eq!(set.contains(asked), held == asked, "{held} against {asked}");
        }
    }
}

#[test]
fn admin_implies_neither_read_nor_write() {
    let set = PermissionSet::every(Action::Admin);
    assert_eq!(set.len(), 5);
    assert!(set.contains(TASK_ADMIN) && !set.contains(TASK_WRITE) && !set.contains(TASK_READ));
}

#[test]
fn sets_iterate_in_canonical_order_and_collapse_repetition() {
    let set: PermissionSet = [TASK_WRITE, IDEA_READ, TASK_WRITE].into_iter().collect();
    assert_eq!(set.iter().collect::<Vec<_>>(), [IDEA_READ, TASK_WRITE]);
    assert_eq!(PermissionSet::ALL.iter().collect::<Vec<_>>(), Permission::ALL);
    assert!(PermissionSet::EMPTY.is_empty() && !set.is_empty());
    assert_eq!(PermissionSet::default(), PermissionSet::EMPTY);
    assert_eq!(format!("{set:?}"), r#"{"idea:read", "task:write"}"#);
}

#[test]
fn grouped_form_names_only_resources_with_an_action() {
    use Action::{Read, Write};
    assert_eq!(
        Preset::Developer.permissions().grouped(),
        [
            (Resource::Idea, vec![Read]),
            (Resource::Proposal, vec![Read]),
            (Resource::Document, vec![Read]),
            (Resource::Task, vec![Read, Write]),
            (Resource::Project, vec![Read]),
        ]
    );
    assert_eq!(PermissionSet::EMPTY.with(TASK_WRITE).grouped(), [(Resource::Task, vec![Write])]);
    assert_eq!(PermissionSet::EMPTY.grouped(), []);
}
