//! Names in JSON.

use std::collections::BTreeMap;

use chorus_permissions::*;
use serde_json::{from_value, json, to_value};

#[test]
fn sets_are_lists_of_names_in_canonical_order() {
    let set = PermissionSet::EMPTY.with(TASK_WRITE).with(IDEA_READ);
    assert_eq!(to_value(set).unwrap(), json!(["idea:read", "task:write"]));
    assert_eq!(from_value::<PermissionSet>(json!(["task:write", "idea:read", "task:write"])).unwrap(), set);
}

#[test]
fn every_name_survives_the_round_trip() {
    for permission in Permission::ALL {
        assert_eq!(to_value(permission).unwrap(), json!(permission.to_string()));
        assert_eq!(from_value::<Permission>(to_value(permission).unwrap()).unwrap(), permission);
    }
    for preset in Preset::ALL {
        assert_eq!(to_value(preset).unwrap(), json!(preset.name()));
        assert_eq!(from_value::<Preset>(to_value(preset).unwrap()).unwrap(), preset);
    }
}

#[test]
fn the_grouped_form_is_an_object_of_lists() {
    let grouped: BTreeMap<Resource, Vec<Action>> = Preset::Developer.permissions().grouped().into_iter().collect();
    let expected = json!({
        "idea": ["read"], "proposal": ["read"], "document": ["read"], "task": ["read", "write"], "project": ["read"],
    });
    assert_eq!(to_value(&grouped).unwrap(), expected);
    assert_eq!(from_value::<BTreeMap<Resource, Vec<Action>>>(expected).unwrap(), grouped);
}

#[test]
fn an_unknown_name_is_an_error_and_named() {
    let refused = from_value::<PermissionSet>(json!(["task:read", "task:*"])).unwrap_err();
    assert!(refused.to_string().contains("`task:*`"), "{refused}");
    assert!(from_value::<Preset>(json!("pm")).is_err());
    assert!(from_value::<Permission>(json!(3)).is_err());
}
