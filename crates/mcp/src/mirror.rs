//! `Mcp-Param-*`: headers that mirror arguments of a tool (protocol checklist §2.6).

use serde_json::{Map, Number, Value};

use crate::base64::header_text;
use crate::head::Line;
use crate::{Head, RpcError};

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
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            check_param(head, header, argument)?;
        }
        // Annotations are looked for along `properties` alone: no other keyword ties a value to one place.
        let nothing = Map::new();
        check_params(head, property, argument.and_then(Value::as_object).unwrap_or(&nothing))?;
    }
    Ok(())
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
