//! `Mcp-Param-*`: headers that mirror arguments of a tool (protocol checklist §2.6).

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use crate::head::Line;
use crate::header_text::header_text;
use crate::{Head, RpcError};

/// The annotation of a property that is mirrored.
const ANNOTATION: &str = "x-mcp-header";

/// Compares the `Mcp-Param-*` headers of a modern `tools/call` with the arguments whose properties in `schema`, the
/// tool's input schema, carry an `x-mcp-header` annotation. Headers that no property names are ignored.
///
/// Only requests of the modern era have such headers: do not call this for others.
///
/// # Errors
/// A header is missing, repeated, differs from its argument, or has none (-32020).
pub fn check_params(head: &Head, schema: &Value, arguments: &Map<String, Value>) -> Result<(), RpcError> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for (name, property) in properties {
        let argument = arguments.get(name).filter(|argument| !argument.is_null());
        if let Some(header) = property.get(ANNOTATION).and_then(Value::as_str) {
            check_param(head, header, argument)?;
        }
        // Annotations are looked for along `properties` alone: no other keyword ties a value to one place.
        let nothing = Map::new();
        check_params(head, property, argument.and_then(Value::as_object).unwrap_or(&nothing))?;
    }
    Ok(())
}

/// Judges the `x-mcp-header` annotations in `schema`, the input schema of a tool: clients leave out a tool whose
/// annotations are wrong (protocol checklist §6).
///
/// # Errors
/// A sentence on the first that is wrong: it stands on something other than a string, an integer or a boolean, where
/// `properties` alone do not lead, names no header, or names one twice.
pub fn check_annotations(schema: &Value) -> Result<(), String> {
    let mut names = BTreeSet::new();
    annotated(schema, Place::Reached, &mut names)
}

/// Whether a part of a schema stands for one place in the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the root, or reached from it through `properties` alone.
    Reached,
    /// Another keyword lies between.
    Elsewhere,
}

fn annotated(schema: &Value, place: Place, names: &mut BTreeSet<String>) -> Result<(), String> {
    match schema {
        Value::Object(keywords) => {
            if let Some(annotation) = keywords.get(ANNOTATION) {
                let name = annotation.as_str().filter(|name| is_token(name));
                let name = name.ok_or_else(|| format!("`{ANNOTATION}` must be a header name, not {annotation}"))?;
                let kind = keywords.get("type").and_then(Value::as_str);
                if !matches!(kind, Some("string" | "integer" | "boolean")) {
                    return Err(format!("`{ANNOTATION}: {name}` must stand on a string, an integer or a boolean"));
                }
                if place == Place::Elsewhere {
                    return Err(format!("`{ANNOTATION}: {name}` must be reached through `properties` alone"));
                }
                if !names.insert(name.to_ascii_lowercase()) {
                    return Err(format!("`{ANNOTATION}: {name}` stands twice"));
                }
            }
            keywords.iter().try_for_each(|(keyword, value)| match value {
                Value::Object(properties) if keyword == "properties" => {
                    properties.values().try_for_each(|property| annotated(property, place, names))
                }
                value => annotated(value, Place::Elsewhere, names),
            })
        }
        Value::Array(schemas) => schemas.iter().try_for_each(|schema| annotated(schema, Place::Elsewhere, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Whether this can be a part of a header's name (RFC 9110 §5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn check_param(head: &Head, header: &str, argument: Option<&Value>) -> Result<(), RpcError> {
    let mismatch = |what: &str| Err(RpcError::header_mismatch(format!("`Mcp-Param-{header}` {what}")));
    let lines = head.params.iter().filter(|(name, _)| name.eq_ignore_ascii_case(header)).map(|(_, value)| value);
    match (Line::of(lines), argument) {
        (Line::Absent, None) => Ok(()),
        (Line::Absent, Some(_)) => mismatch("is missing"),
        (Line::Repeated, _) => mismatch("is sent more than once"),
        (Line::One(_), None) => mismatch("mirrors an argument that is not there"),
        (Line::One(value), Some(argument)) => match header_text(value) {
            None => mismatch("is not valid Base64"),
            Some(text) if says(&text, argument) => Ok(()),
            Some(_) => mismatch("differs from its argument"),
        },
    }
}

/// Whether the text of a header stands for this argument. No text stands for an array or an object.
fn says(text: &str, argument: &Value) -> bool {
    match argument {
        Value::String(argument) => text == argument,
        Value::Bool(argument) => text == if *argument { "true" } else { "false" },
        Value::Number(argument) => serde_json::from_str(text).is_ok_and(|number| same_number(&number, argument)),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Numeric equality: exact between integers, so that large ones do not blur, and by value if either has a fraction.
fn same_number(a: &Number, b: &Number) -> bool {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a == b,
        (_, _) => a.as_f64() == b.as_f64(),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}
