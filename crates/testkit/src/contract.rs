//! Answers against what their tools declare.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex},
};

use chorus_dispatch::Surface;
use jsonschema::Validator;
use serde_json::{Value, json};

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

fn declared(tool: &str) -> Arc<Declared> {
    let mut known = DECLARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(found) = known.get(tool) {
        return found.clone();
    }
    let registered = SURFACE.tools().iter().find(|registered| registered.row.name == tool);
    let registered = registered.unwrap_or_else(|| panic!("there is no tool {tool}"));
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
