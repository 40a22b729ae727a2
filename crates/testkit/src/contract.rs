//! Answers against what their tools declare.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex},
};

use chorus_dispatch::{At, Effect, Expand, Registered, Surface};
use chorus_visibility::Need;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::refusal::check_sentence;

/// The two schemas of one tool's answers.
struct Declared {
    /// As advertised.
    output: Validator,
    /// With all that is inside, and nothing else allowed.
    answer: Validator,
}

static SURFACE: LazyLock<Surface> = LazyLock::new(|| chorus_tools::surface().unwrap());
static DECLARED: Mutex<BTreeMap<String, Arc<Declared>>> = Mutex::new(BTreeMap::new());

/// Holds an answer against the output schema that its tool advertises, and against the whole schema of its type.
///
/// # Panics
/// If the answer breaks one of them, or there is no such tool.
#[track_caller]
pub fn check_answer(tool: &str, answer: &Value) {
    let declared = declared(tool);
    for (which, schema) in [("advertised", &declared.output), ("whole", &declared.answer)] {
        let errors: Vec<String> =
            schema.iter_errors(answer).map(|error| format!("{} at {}", error, error.instance_path())).collect();
        assert!(errors.is_empty(), "{tool} breaks its {which} schema: {errors:?} in {answer}");
    }
}

/// Holds a refusal, its sentence and `_meta["chorus/error"]`, against what the tool's row declares and what follows from
/// it, and against what its code promises to say.
///
/// # Panics
/// If its code is not among them, or something is not said.
#[track_caller]
pub fn check_refusal(tool: &str, text: &str, error: &Value) {
    check_sentence(tool, text, error);
    let code = error["code"].as_str().unwrap_or_default();
    let row = &registered(tool).row;
    let follows = match code {
        "invalid_arguments" | "unavailable" | "internal" => true,
        "idempotency_key_reused" => row.run.effect == Effect::Write,
        "not_found" => row.access.ids.iter().any(|at| needs(at).is_some()),
        "forbidden" => row.access.ids.iter().filter_map(needs).any(|need| need != Need::Viewer),
        _ => false,
    };
    let declared = row.refuses.iter().any(|(known, _)| known.as_str() == code);
    assert!(follows || declared, "{tool} does not declare that it refuses with {code}");
}

/// What the caller needs where this id is, if it is checked before the handler runs.
fn needs(at: &At) -> Option<Need> {
    match *at {
        At::Id { need, .. } | At::Pair { need, .. } | At::Typed { need, .. } => Some(need),
        At::Own { .. } => Some(Need::Viewer),
        At::Via { expand: Expand::SessionTasks(need), .. } => Some(need),
        At::Via { .. } | At::Filter(_) | At::Group(_) | At::Part { .. } => None,
    }
}

fn registered(tool: &str) -> &'static Registered {
    let found = SURFACE.tools().iter().find(|registered| registered.row.name == tool);
    found.unwrap_or_else(|| panic!("there is no tool {tool}"))
}

fn declared(tool: &str) -> Arc<Declared> {
    let mut known = DECLARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(found) = known.get(tool) {
        return found.clone();
    }
    let registered = registered(tool);
    let output = registered.definition.output_schema.clone().unwrap();
    let mut answer = registered.row.run.answer_schema();
    close(&mut answer);
    let declared = Arc::new(Declared {
        output: jsonschema::validator_for(&output).unwrap(),
        answer: jsonschema::options().should_validate_formats(true).build(&answer).unwrap(),
    });
    known.insert(tool.to_owned(), declared.clone());
    declared
}

/// Objects whose properties are listed have no others.
fn close(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("properties") && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".into(), json!(false));
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(close);
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(inner) {
            close(inner);
        }
    }
}
