//! Reading arguments: what a client mangled is put right by the declared type, then everything is checked, and every
//! problem is named (README decision 13).

use chorus_domain::{
    Refusal,
    refusal::{Problem, Reason},
};
use chorus_ids::TaskId;
use serde_json::{Map, Number, Value};

use crate::{
    schema::{IDEMPOTENCY_KEY, NULLABLE},
    tool::Effect,
};

/// A key that the tool does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Where it stood.
    pub path: String,
    /// The known key that looks most like it.
    pub nearest: Option<String>,
}

/// Arguments that fit their schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The arguments, coerced; unknown keys are gone, and so are nulls where they say no more than leaving out.
    pub arguments: Map<String, Value>,
    /// Keys that were passed over.
    pub ignored: Vec<Ignored>,
}

/// Keys that change what a call does. Passing over a misspelt one would do what the caller did not mean.
const CONTROLS: [&str; 3] = [IDEMPOTENCY_KEY, "preview", "confirmationToken"];

/// Coerces and validates arguments against a tool's working schema.
///
/// # Errors
/// `invalid_arguments` with every problem, each with its path.
pub fn read(schema: &Value, arguments: Map<String, Value>, effect: Effect) -> Result<Read, Refusal> {
    let mut reader = Reader { problems: Vec::new(), ignored: Vec::new() };
    let arguments = reader.object(schema, arguments, "");
    if effect != Effect::Read {
        reader.refuse_misspelt_controls();
    }
    if reader.problems.is_empty() {
        Ok(Read { arguments, ignored: reader.ignored })
    } else {
        Err(Refusal::problems(reader.problems))
    }
}

struct Reader {
    problems: Vec<Problem>,
    ignored: Vec<Ignored>,
}

impl Reader {
    fn problem(&mut self, path: &str, message: impl std::fmt::Display) {
        self.problems.push(Problem::new(path, message));
    }

    fn object(&mut self, schema: &Value, given: Map<String, Value>, path: &str) -> Map<String, Value> {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut kept = Map::new();
        for (name, value) in given {
            let place = join(path, &name);
            match properties.get(&name) {
                Some(property) if value.is_null() => {
                    if property.get(NULLABLE).is_some_and(|nullable| nullable == true) {
                        kept.insert(name, Value::Null);
                    } // else it counts as absent
                }
                Some(property) => {
                    let value = self.value(property, value, &place);
                    kept.insert(name, value);
                }
                None => self.ignored.push(Ignored { path: place, nearest: nearest(&name, properties) }),
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !kept.contains_key(name) {
                let kind = properties.get(name).map_or("value", |property| noun(property));
                self.problems.push(Problem::missing(join(path, name), kind));
            }
        }
        kept
    }

    fn value(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        let Some(kind) = schema.get("type").and_then(Value::as_str) else { return value };
        let value = coerce(schema, kind, value);
        match (kind, value) {
            ("object", Value::Object(object)) => Value::Object(if schema.get("properties").is_some() {
                self.object(schema, object, path)
            } else {
                object
            }),
            ("array", Value::Array(items)) => {
                self.between(schema, "minItems", "maxItems", items.len(), path, "items");
                let item_schema = schema.get("items").cloned().unwrap_or(Value::Null);
                Value::Array(
                    items
                        .into_iter()
                        .enumerate()
                        .map(|(index, item)| self.value(&item_schema, item, &format!("{path}[{index}]")))
                        .collect(),
                )
            }
            ("string", Value::String(text)) => {
                self.string(schema, &text, path);
                Value::String(text)
            }
            ("integer" | "number", Value::Number(number)) => {
                self.number(schema, &number, path);
                Value::Number(number)
            }
            ("boolean", Value::Bool(flag)) => Value::Bool(flag),
            (_, other) => {
                self.problem(path, format_args!("must be {}, not {}", noun(schema), described(&other)));
                other
            }
        }
    }

    fn string(&mut self, schema: &Value, text: &str, path: &str) {
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            if !words.iter().any(|word| word == text) {
                let words: Vec<String> = words.iter().filter_map(Value::as_str).map(|w| format!("`{w}`")).collect();
                self.problem(path, format_args!("must be one of {}", words.join(", ")));
            }
            return;
        }
        if text.contains('\0') {
            self.problems.push(Problem::unstorable(path));
            return;
        }
        if schema.get("format").is_some_and(|format| format == "uuid") && text.parse::<TaskId>().is_err() {
            self.problem(path, "must be a UUID such as `0192f3a0-7d4c-7b1e-9a55-3f0c2b6d8e11`");
            return;
        }
        self.between(schema, "minLength", "maxLength", text.chars().count(), path, "characters");
    }

    fn number(&mut self, schema: &Value, number: &Number, path: &str) {
        let value = number.as_f64().unwrap_or(f64::NAN);
        let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
        let below = limit("minimum").is_some_and(|minimum| value < minimum);
        let above = limit("maximum").is_some_and(|maximum| value > maximum);
        if below || above || !value.is_finite() {
            let range = match (schema.get("minimum"), schema.get("maximum")) {
                (Some(low), Some(high)) => format!("from {low} to {high}"),
                (Some(low), None) => format!("{low} or more"),
                (None, Some(high)) => format!("at most {high}"),
                (None, None) => "finite".to_owned(),
            };
            let outside = Problem::new(path, format_args!("must be {range}"));
            self.problems.push(outside.because(Reason::OutOfRange));
        }
    }

    fn between(&mut self, schema: &Value, least: &str, most: &str, size: usize, path: &str, unit: &str) {
        let limit = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        match (limit(least), limit(most)) {
            (Some(low), _) if size < low => {
                self.problem(path, format_args!("has {size} {unit}; at least {low} are needed"));
            }
            (_, Some(high)) if size > high => {
                self.problems.push(Problem::too_long(path, size, unit, high));
            }
            _ => {}
        }
    }

    fn refuse_misspelt_controls(&mut self) {
        for ignored in &self.ignored {
            let Some(control) = CONTROLS.into_iter().find(|control| is_near(&ignored.path, control)) else { continue };
            if ignored.nearest.as_deref().is_some_and(|nearest| nearest != control && is_near(&ignored.path, nearest)) {
                continue;
            }
            let message = if ignored.nearest.as_deref() == Some(control) {
                format!("is no argument of this tool; did you mean `{control}`?")
            } else {
                format!("looks like `{control}`, which this tool does not take; leave it out")
            };
            self.problems.push(Problem::new(ignored.path.clone(), message));
        }
    }
}

/// Puts right what a client mangled, by the declared type; what can't be put right stays as it is.
fn coerce(schema: &Value, kind: &str, value: Value) -> Value {
    match (kind, value) {
        ("integer", Value::Number(number)) => whole(number),
        ("string", value) => value,
        (_, Value::String(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(Value::Number(number)) if kind == "integer" => whole(number),
            Ok(inside) if fits(kind, &inside) => inside,
            _ if kind == "array" && item_kind(schema) == Some("string") => Value::Array(vec![Value::String(text)]),
            _ => Value::String(text),
        },
        (_, value) => value,
    }
}

/// `3.0` is a whole number; `3.5` stays what it is and is refused as one.
fn whole(number: Number) -> Value {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked in the guard")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
            Value::Number(Number::from(float as i64))
        }
        Some(_) if number.is_f64() => Value::String(number.to_string()), // a fraction: no integer
        _ => Value::Number(number),
    }
}

fn fits(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

fn item_kind(schema: &Value) -> Option<&str> {
    schema.get("items")?.get("type")?.as_str()
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn noun(schema: &Value) -> &'static str {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => "an object",
        Some("array") => "an array",
        Some("string") => "a string",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        _ => "a value",
    }
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The letters and digits of a name, in lower case: `idempotency_key` and `IdempotencyKey` are the same.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether two names differ only in spelling: in case and separators, or in at most two letters.
fn is_near(name: &str, known: &str) -> bool {
    let (name, known) = (folded(name), folded(known));
    name == known || (known.len() > 4 && strsim::damerau_levenshtein(&name, &known) <= 2)
}

fn nearest(name: &str, properties: &Map<String, Value>) -> Option<String> {
    let folded_name = folded(name);
    properties
        .keys()
        .map(|known| (strsim::damerau_levenshtein(&folded_name, &folded(known)), known))
        .filter(|(distance, known)| *distance <= 2.max(known.len() / 3))
        .min()
        .map(|(_, known)| known.clone())
}

/// The arguments in one canonical text, keys sorted: equal arguments give equal texts.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (index, (name, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "taskUuid": { "type": "string", "format": "uuid" },
                "title": { "type": "string", "maxLength": 5 },
                "priority": { "type": "string", "enum": ["low", "high"] },
                "points": { "type": "number", "minimum": 0, "maximum": 1000 },
                "page": { "type": "integer", "minimum": 1 },
                "force": { "type": "boolean" },
                "uuids": { "type": "array", "items": { "type": "string" } },
                "tasks": {
                    "type": "array", "maxItems": 2,
                    "items": {
                        "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"]
                    }
                },
                "parentUuid": { "type": "string", "format": "uuid", "nullable": true },
                "idempotencyKey": { "type": "string" }
            },
            "required": []
        })
    }

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other} is no object"),
        }
    }

    fn check(given: Value, expected: Result<Value, &str>) {
        match (read(&schema(), object(given.clone()), Effect::Write), expected) {
            (Ok(read), Ok(expected)) => assert_eq!(Value::Object(read.arguments), expected, "{given}"),
            (Err(refusal), Err(expected)) => assert!(refusal.text.contains(expected), "{given}: {refusal}"),
            (got, expected) => panic!("{given}: {got:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn values_mangled_by_a_client_are_put_right_by_the_declared_type() {
        check(json!({"page": "3"}), Ok(json!({"page": 3})));
        check(json!({"page": 3.0}), Ok(json!({"page": 3})));
        check(json!({"points": "2.5"}), Ok(json!({"points": 2.5})));
        check(json!({"force": "true"}), Ok(json!({"force": true})));
        check(json!({"uuids": "[\"a\",\"b\"]"}), Ok(json!({"uuids": ["a", "b"]})));
        check(json!({"uuids": "a"}), Ok(json!({"uuids": ["a"]})));
        check(json!({"tasks": "[{\"title\":\"x\"}]"}), Ok(json!({"tasks": [{"title": "x"}]})));
        check(json!({"tasks": ["{\"title\":\"x\"}"]}), Ok(json!({"tasks": [{"title": "x"}]})));
        // A string that looks like JSON stays a string where a string is declared.
        check(json!({"title": "[1]"}), Ok(json!({"title": "[1]"})));
    }

    #[test]
    fn a_null_counts_as_absent() {
        check(json!({"page": null, "tasks": [{"title": "x"}]}), Ok(json!({"tasks": [{"title": "x"}]})));
        // Unless it means that something shall be taken away.
        check(json!({"parentUuid": null}), Ok(json!({"parentUuid": null})));
        check(json!({"tasks": [{"title": null}]}), Err("`tasks[0].title` is required; give a string"));
    }

    #[test]
    fn each_problem_names_its_place_and_what_would_be_right() {
        check(json!({"page": 0}), Err("`page` must be 1 or more"));
        check(json!({"page": 1.5}), Err("`page` must be a whole number"));
        check(json!({"points": -1e300}), Err("`points` must be from 0 to 1000"));
        check(json!({"priority": "urgent"}), Err("`priority` must be one of `low`, `high`"));
        check(json!({"title": "123456"}), Err("`title` has 6 characters; at most 5 are allowed"));
        check(json!({"title": "a\0"}), Err("NUL"));
        check(json!({"taskUuid": "x"}), Err("`taskUuid` must be a UUID"));
        check(json!({"tasks": [{}, {}, {}]}), Err("(and 3 more"));
        check(json!({"force": "maybe"}), Err("`force` must be true or false, not a string"));
    }

    #[test]
    fn unknown_keys_are_passed_over_and_named_with_their_nearest() {
        let given = object(json!({"taskUUID": "x", "colour": 1, "tasks": [{"title": "x", "titel": "y"}]}));
        let read = read(&schema(), given, Effect::Write).unwrap_or_else(|refusal| panic!("{refusal}"));
        let mut ignored: Vec<_> = read.ignored.iter().map(|i| (i.path.as_str(), i.nearest.as_deref())).collect();
        ignored.sort_unstable();
        assert_eq!(ignored, [("colour", None), ("taskUUID", Some("taskUuid")), ("tasks[0].titel", Some("title"))]);
    }

    #[test]
    fn a_misspelt_control_is_refused_by_a_writer_only() {
        for key in ["idempotency_key", "idempotencykey", "idempotentcyKey", "IdempotencyKey"] {
            check(json!({ key: "k" }), Err("did you mean `idempotencyKey`?"));
        }
        check(json!({"preview": true}), Err("which this tool does not take"));
        check(json!({"confirmation_token": "x"}), Err("which this tool does not take"));
        let given = object(json!({"preview": true}));
        assert!(super::read(&schema(), given, Effect::Read).is_ok());
    }

    #[test]
    fn equal_arguments_have_one_canonical_text() {
        let text = |json: &str| serde_json::from_str::<Value>(json).map(|value| canonical(&value)).ok();
        assert_eq!(text(r#"{"b":[1,{"y":2,"x":null}],"a":"\n"}"#), text(r#"{"a":"\n","b":[1,{"x":null,"y":2}]}"#));
        assert_ne!(text(r#"{"a":[1,2]}"#), text(r#"{"a":[2,1]}"#));
    }
}
