//! Comparing answers with expectations that leave open what a test can't know.

use chorus_ids::{Timestamp, Uuid};
use serde_json::Value;

/// Passes if the value is what is expected, with exactly the same keys everywhere. These texts stand for any value of
/// their kind: `<uuid>`, `<time>`, `<text>` (not empty), `<number>`, `<any>`.
///
/// # Panics
/// If it is not.
#[track_caller]
pub(super) fn assert_like(actual: &Value, expected: &Value) {
    if let Some(difference) = difference("answer", actual, expected) {
        panic!("{difference}\nin {actual:#}");
    }
}

fn difference(place: &str, actual: &Value, expected: &Value) -> Option<String> {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            let missing = expected.keys().find(|key| !actual.contains_key(*key));
            let surplus = actual.keys().find(|key| !expected.contains_key(*key));
            if let Some(key) = missing {
                return Some(format!("{place}.{key} is missing"));
            }
            if let Some(key) = surplus {
                return Some(format!("{place}.{key} was not expected"));
            }
            expected.iter().find_map(|(key, value)| difference(&format!("{place}.{key}"), &actual[key], value))
        }
        (Value::Array(actual), Value::Array(expected)) => {
            if actual.len() != expected.len() {
                return Some(format!("{place} has {} items instead of {}", actual.len(), expected.len()));
            }
            let mut pairs = actual.iter().zip(expected).enumerate();
            pairs.find_map(|(index, (actual, expected))| difference(&format!("{place}[{index}]"), actual, expected))
        }
        (actual, Value::String(kind)) if is_kind(kind, actual) => None,
        (actual, expected) if actual == expected => None,
        (actual, expected) => Some(format!("{place} is {actual} instead of {expected}")),
    }
}

fn is_kind(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        ("<uuid>", Value::String(text)) => text.parse::<Uuid>().is_ok_and(|id| id.to_string() == *text),
        ("<time>", Value::String(text)) => text.parse::<Timestamp>().is_ok_and(|at| at.to_string() == *text),
        ("<text>", Value::String(text)) => !text.is_empty(),
        ("<number>", Value::Number(_)) | ("<any>", _) => true,
        _ => false,
    }
}
