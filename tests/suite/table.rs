//! Invariants over the whole table of tools.

use std::collections::{BTreeMap, BTreeSet};

use chorus_dispatch::{At, Effect, Policy, Registered, Surface, schema};
use chorus_permissions::{PermissionSet, Preset};
use serde_json::Value;

fn surface() -> Surface {
    chorus_tools::surface().unwrap()
}

/// Every property of a schema with its path, nested ones too: `tasks[].title`.
fn properties(schema: &Value) -> BTreeMap<String, Value> {
    fn walk(schema: &Value, path: &str, found: &mut BTreeMap<String, Value>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            found.insert(place.clone(), property.clone());
            walk(property, &place, found);
            walk(&property["items"], &format!("{place}[]"), found);
        }
    }
    let mut found = BTreeMap::new();
    walk(schema, "", &mut found);
    found
}

fn each(check: impl Fn(&Registered)) {
    for tool in surface().tools() {
        check(tool);
    }
}

/// Texts whose name looks like an id's, but which are none.
const NO_IDS: &[&str] = &["tasks[].draftUuid", "tasks[].dependsOnDraftUuids"];

#[test]
fn every_id_in_the_arguments_is_covered_once() {
    each(|tool| {
        let covered: Vec<&str> =
            tool.row.access.ids.iter().filter(|at| !matches!(at, At::Via { .. })).map(At::path).collect();
        let distinct: BTreeSet<&str> = covered.iter().copied().collect();
        assert_eq!(distinct.len(), covered.len(), "{}: an id is covered twice", tool.row.name);
        let ids: BTreeSet<String> = properties(&tool.input)
            .into_keys()
            .filter(|path| {
                (path.ends_with("Uuid") || path.ends_with("Uuids") || path.ends_with("uuid"))
                    && !NO_IDS.contains(&path.as_str())
            })
            .collect();
        for id in &ids {
            assert!(distinct.contains(id.as_str()), "{}: no access policy covers `{id}`", tool.row.name);
        }
        for path in distinct {
            let last = path.split('.').next_back().unwrap();
            assert!(
                properties(&tool.input).contains_key(path),
                "{}: there is no argument `{path}` ({last})",
                tool.row.name
            );
        }
    });
}

#[test]
fn a_policy_with_its_own_checks_says_why() {
    each(|tool| match tool.row.access.policy {
        Policy::Resource => assert!(!tool.row.access.ids.is_empty(), "{} names nothing", tool.row.name),
        Policy::Filtered(reason) | Policy::Company(reason) => assert!(reason.len() > 20, "{}: {reason}", tool.row.name),
    });
}

#[test]
fn input_schemas_hold_only_what_every_model_vendor_accepts() {
    fn check(tool: &str, schema: &Value, path: &str) {
        let object = schema.as_object().unwrap();
        for keyword in object.keys() {
            assert!(
                schema::PORTABLE.contains(&keyword.as_str()) || keyword == "maxItems",
                "{tool}: `{path}` has the keyword {keyword}"
            );
        }
        assert!(schema["type"].is_string(), "{tool}: `{path}` has no plain type");
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{path}.{name}");
            let description = property["description"].as_str().unwrap_or_default();
            assert!(description.len() > 5, "{tool}: `{place}` is not described");
            check(tool, property, &place);
        }
        if let Some(items) = schema.get("items") {
            check(tool, items, &format!("{path}[]"));
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(
                !schema["properties"][required.as_str().unwrap()].is_null(),
                "{tool}: `{path}` requires {required}"
            );
        }
    }
    each(|tool| {
        let schema = &tool.definition.input_schema;
        assert_eq!(schema["type"], "object", "{}", tool.row.name);
        check(tool.row.name, schema, "");
    });
}

#[test]
fn output_schemas_are_objects_with_their_properties() {
    each(|tool| {
        let schema = tool.definition.output_schema.as_ref().unwrap();
        assert_eq!(schema["type"], "object", "{}", tool.row.name);
        let properties = schema["properties"].as_object().unwrap();
        assert!(!properties.is_empty(), "{}: the answer lists nothing", tool.row.name);
        for (name, property) in properties {
            assert!(!property["type"].is_null(), "{}: `{name}` has no type", tool.row.name);
        }
    });
}

#[test]
fn writers_and_only_writers_take_an_idempotency_key() {
    each(|tool| {
        let takes = tool.input["properties"].get(schema::IDEMPOTENCY_KEY).is_some();
        assert_eq!(takes, tool.row.run.effect == Effect::Write, "{}", tool.row.name);
        let reads = [Effect::Read, Effect::Trace].contains(&tool.row.run.effect);
        assert_eq!(tool.definition.annotations.read_only, reads, "{}", tool.row.name);
    });
}

#[test]
fn those_that_keep_books_are_known() {
    // README decision 29: the third leaves nothing but the time of its use.
    let surface = surface();
    let of = |effect: Effect| -> Vec<&str> {
        surface.tools().iter().filter(|tool| tool.row.run.effect == effect).map(|tool| tool.row.name).collect()
    };
    assert_eq!(of(Effect::Books), ["chorus_checkin", "chorus_get_notifications"]);
    assert_eq!(of(Effect::Trace), ["chorus_get_session"]);
}

#[test]
fn lists_take_a_cursor() {
    each(|tool| {
        let takes = tool.input["properties"].get("cursor").is_some();
        let is_list = tool.row.run.list.is_some() || tool.row.name == "chorus_get_my_assignments";
        assert_eq!(takes, is_list, "{}", tool.row.name);
    });
}

/// The tools that these permissions show, with what a client pays for each: name, description and input schema.
fn shown(permissions: PermissionSet) -> (usize, usize) {
    let surface = surface();
    let shown = surface.tools().iter().filter(|tool| tool.row.requirement.met_by(permissions));
    shown.fold((0, 0), |(count, bytes), tool| {
        let definition = &tool.definition;
        let size = definition.name.len() + definition.description.len() + definition.input_schema.to_string().len();
        (count + 1, bytes + size)
    })
}

#[test]
fn each_preset_shows_its_number_of_tools_within_its_budget() {
    let most = usize::MAX;
    for (permissions, count, budget) in [
        (PermissionSet::EMPTY, 37, most),
        (Preset::Developer.permissions(), 42, 30_000),
        (Preset::Pm.permissions(), 72, most),
        (Preset::Admin.permissions(), 83, 60_000),
    ] {
        let (found, bytes) = shown(permissions);
        assert_eq!(found, count, "{permissions:?}");
        assert!(bytes < budget, "{bytes} bytes, {budget} allowed");
    }
}

#[test]
fn outputs_keep_their_budget() {
    let surface = surface();
    let outputs = surface.tools().iter().filter_map(|tool| tool.definition.output_schema.as_ref());
    let bytes: usize = outputs.map(|schema| schema.to_string().len()).sum();
    assert!(bytes < 40_000, "{bytes} bytes");
}

#[test]
fn names_and_descriptions_are_fit_for_models() {
    each(|tool| {
        let name = tool.row.name;
        assert!(name.len() <= 40 && name.starts_with("chorus_"), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(tool.row.description.len() > 60, "{name}: {}", tool.row.description);
        assert!(tool.row.description.is_ascii(), "{name}: only plain characters");
    });
}
