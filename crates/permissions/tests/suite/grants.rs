//! Stored grants: tolerant to read, strict to write.

use chorus_permissions::*;

const NONE: [&str; 0] = [];

fn read(roles: &[&str], custom: &[&str]) -> PermissionSet {
    effective(roles.iter().copied(), custom.iter().copied())
}

fn set(permissions: &[Permission]) -> PermissionSet {
    permissions.iter().copied().collect()
}

#[test]
fn a_grant_is_the_union_of_its_presets_and_its_own_bits() {
    let mut expected = Preset::Developer.permissions().union(Preset::Pm.permissions()).with(TASK_ADMIN);
    assert_eq!(read(&["developer_agent", "pm_agent"], &["task:admin"]), expected);
    assert_eq!(read(&["pm_agent", "developer_agent", "pm_agent"], &["task:admin", "task:admin"]), expected);
    expected = set(&[IDEA_READ, TASK_ADMIN]);
    assert_eq!(read(&[], &["task:admin", "idea:read"]), expected);
}

#[test]
fn an_empty_grant_is_the_empty_set() {
    assert_eq!(read(&[], &[]), PermissionSet::EMPTY);
}

#[test]
fn unknown_names_contribute_nothing_when_read() {
    assert_eq!(read(&["owner", "", "_agent", "developer_agent_agent", "PM"], &["task:*", "*", "Task:Write"]), set(&[]));
    assert_eq!(read(&["owner"], &["task:*", "task:read"]), set(&[TASK_READ]));
}

#[test]
fn legacy_roles_are_read_but_not_written() {
    for (legacy, preset) in [("developer", Preset::Developer), ("pm", Preset::Pm), ("admin", Preset::Admin)] {
        assert_eq!(Preset::read(legacy), Some(preset));
        assert_eq!(Preset::read(preset.name()), Some(preset));
        assert_eq!(read(&[legacy], &[]), preset.permissions());
        assert_eq!(validate(&[legacy], &NONE), Err(InvalidGrant::UnknownRole(legacy.to_owned())));
    }
}

#[test]
fn a_written_grant_keeps_the_order_of_its_presets_and_collapses_repetition() {
    assert_eq!(
        validate(&["pm_agent", "developer_agent", "pm_agent"], &["task:admin", "idea:read", "task:admin"]),
        Ok((vec![Preset::Pm, Preset::Developer], set(&[IDEA_READ, TASK_ADMIN])))
    );
}

#[test]
fn a_written_grant_may_be_empty_or_of_one_kind_only() {
    assert_eq!(validate(&NONE, &NONE), Ok((vec![], PermissionSet::EMPTY)));
    assert_eq!(validate(&NONE, &["task:read"]), Ok((vec![], set(&[TASK_READ]))));
    assert_eq!(validate(&["admin_agent"], &NONE), Ok((vec![Preset::Admin], PermissionSet::EMPTY)));
}

#[test]
fn an_unknown_name_is_refused_when_written() {
    let refused = validate(&["admin_agent"], &["task:read".to_owned(), "Task:Write".to_owned()]).unwrap_err();
    assert_eq!(refused, InvalidGrant::UnknownPermission("Task:Write".to_owned()));
    assert!(refused.to_string().starts_with("`Task:Write` is not a permission: write `resource:action`"), "{refused}");

    let refused = validate(&["owner"], &["*"]).unwrap_err();
    assert_eq!(refused, InvalidGrant::UnknownRole("owner".to_owned()));
    assert!(refused.to_string().ends_with("write one of developer_agent, pm_agent, admin_agent"), "{refused}");
}
