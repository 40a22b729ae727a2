//! `chorus mcp describe`.

use serde_json::{Map, Value, json};

use super::{endpoint::Endpoint, member, on_one_line};
use crate::{failure::Failure, output, output::Format, shell::quote};

/// Flags of `chorus mcp describe`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The tool, from `chorus mcp list`
    tool: String,
    /// Print its definition as one JSON document
    #[arg(long)]
    json: bool,
}

/// The argument that every tool that writes takes; it needs no example.
const KEY: &str = "idempotencyKey";

pub(super) async fn run(endpoint: &Endpoint, args: &Args) -> Result<(), Failure> {
    let tools = endpoint.all("tools/list", "tools").await?;
    let tool = tools.iter().find(|tool| member(tool, "name") == args.tool).ok_or_else(|| {
        Failure::usage(format_args!(
            "there is no tool `{}` for this key with these flags; `chorus mcp list` shows those that there are",
            args.tool
        ))
    })?;
    let format = if args.json { Format::Json } else { Format::Text };
    output::answer(format, tool, || explained(tool))
}

/// All that there is to know about a tool, for people.
fn explained(tool: &Value) -> String {
    let name = member(tool, "name");
    let hint = |hint: &str| tool.pointer(&format!("/annotations/{hint}")).and_then(Value::as_bool) == Some(true);
    let effect = match (hint("readOnlyHint"), hint("destructiveHint")) {
        (true, _) => "It only reads.",
        (false, true) => "It writes, and may remove what somebody made.",
        (false, false) => "It writes.",
    };
    let mut text =
        format!("{name}: {}\n\n{} {effect}\n", member(tool, "title"), on_one_line(member(tool, "description")));
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    let mut rows = Vec::new();
    collect(schema, "", &mut rows);
    if rows.is_empty() {
        text.push_str("\nIt takes no arguments.\n");
    } else {
        text.push_str(&format!("\n{}", output::table(["ARGUMENT", "TYPE", "MEANING"], &rows)));
    }
    let mut fields = Vec::new();
    collect(tool.get("outputSchema").unwrap_or(&Value::Null), "", &mut fields);
    let fields: Vec<[String; 2]> = fields.into_iter().map(|[field, kind, _]| [field, kind]).collect();
    if !fields.is_empty() {
        text.push_str(&format!("\n{}", output::table(["ANSWER", "TYPE"], &fields)));
    }
    text.push_str(&format!("\nExample:\n  {}\n", example(name, schema)));
    text
}

/// The properties of a schema and what is inside them: `tasks[].title`, its type with limits, its meaning.
fn collect(schema: &Value, under: &str, rows: &mut Vec<[String; 3]>) {
    let required = required(schema);
    for (name, property) in properties(schema) {
        let path = if under.is_empty() { name.clone() } else { format!("{under}.{name}") };
        let mut kind = vec![kind(property)];
        if required.contains(&name.as_str()) {
            kind.push("required".to_owned());
        }
        kind.extend(limits(property));
        rows.push([path.clone(), kind.join(", "), on_one_line(member(property, "description"))]);
        collect(property, &path, rows);
        if let Some(items) = property.get("items") {
            collect(items, &format!("{path}[]"), rows);
        }
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The type of a property; words that it may be stand for it.
fn kind(property: &Value) -> String {
    let words: Vec<&str> =
        property.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if !words.is_empty() {
        return words.join("|");
    }
    let one = |name: &str| match property.pointer("/items/type").and_then(Value::as_str) {
        Some(of) if name == "array" => format!("array of {of}"),
        _ => name.to_owned(),
    };
    match property.get("type") {
        Some(Value::String(name)) => one(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}

/// What bounds a value, in words.
fn limits(property: &Value) -> Vec<String> {
    let number = |name: &str| property.get(name).filter(|value| value.is_number()).map(Value::to_string);
    let range = |low: &str, high: &str, unit: &str| match (number(low), number(high)) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}")),
        (Some(low), None) => Some(format!("at least {low}{unit}")),
        (None, Some(high)) => Some(format!("at most {high}{unit}")),
        (None, None) => None,
    };
    let default = property.get("default").map(|value| match value {
        Value::String(text) => format!("default {text}"),
        other => format!("default {other}"),
    });
    let ranges = [
        range("minimum", "maximum", ""),
        range("minLength", "maxLength", " characters"),
        range("minItems", "maxItems", " items"),
        default,
    ];
    ranges.into_iter().flatten().collect()
}

/// A call to begin with, for a shell: the one that the documentation shows, unless the server's tool is another one; then
/// one with everything that is required.
fn example(tool: &str, schema: &Value) -> String {
    let documented = chorus_tools::table().into_iter().find(|row| row.name == tool);
    let documented = documented.and_then(|row| serde_json::from_str::<Map<String, Value>>(row.example).ok());
    let fits = |arguments: &Map<String, Value>| {
        let known: Vec<&String> = properties(schema).map(|(name, _)| name).collect();
        arguments.keys().all(|name| known.contains(&name))
            && required(schema).into_iter().all(|name| arguments.contains_key(name))
    };
    let arguments = documented.filter(fits).unwrap_or_else(|| filled(schema));
    let flags: Option<Vec<String>> = arguments
        .iter()
        .map(|(name, value)| match value {
            // The command line reads what begins so as the name of a file.
            Value::String(text) if !text.starts_with('@') => {
                Some(format!(" --arg {}", quote(&format!("{name}={text}"))))
            }
            Value::Bool(_) | Value::Number(_) => Some(format!(" --arg {name}={value}")),
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        })
        .collect();
    match flags {
        Some(flags) => format!("chorus mcp call {tool}{}", flags.concat()),
        None => format!("chorus mcp call {tool} {}", quote(&Value::Object(arguments).to_string())),
    }
}

/// The required properties of a schema with values to be replaced.
fn filled(schema: &Value) -> Map<String, Value> {
    let required = required(schema);
    let wanted = properties(schema).filter(|(name, _)| required.contains(&name.as_str()) && *name != KEY);
    wanted.map(|(name, property)| (name.clone(), placeholder(name, property))).collect()
}

fn placeholder(name: &str, property: &Value) -> Value {
    if let Some(word) = property.pointer("/enum/0") {
        return word.clone();
    }
    match member(property, "type") {
        "boolean" => json!(true),
        "integer" | "number" => property.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "array" => {
            let item = property.get("items").map(|items| placeholder(name, items));
            Value::Array(item.into_iter().collect())
        }
        "object" => Value::Object(filled(property)),
        _ if name.ends_with("Uuid") || name.ends_with("Uuids") || name == "uuid" => json!("UUID"),
        _ => json!("TEXT"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(input: Value) -> Value {
        json!({
            "name": "do_it", "title": "Do it", "description": "Does\n it.", "inputSchema": input,
            "annotations": { "readOnlyHint": false, "destructiveHint": true },
            "outputSchema": { "type": "object", "properties": { "done": { "type": ["boolean", "null"] } } }
        })
    }

    #[test]
    fn arguments_are_explained_with_their_limits() {
        let schema = json!({ "type": "object", "required": ["rows", "taskUuid"], "properties": {
            "taskUuid": { "type": "string", "description": "The task." },
            "size": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "How many." },
            "rows": { "type": "array", "maxItems": 5, "description": "The rows.", "items": {
                "type": "object", "required": ["word"], "properties": {
                    "word": { "type": "string", "enum": ["a", "b"], "description": "Which." },
                    "note": { "type": "string", "maxLength": 9, "description": "Why." }
                } } }
        } });
        let expected = "\
do_it: Do it

Does it. It writes, and may remove what somebody made.

ARGUMENT     TYPE                                        MEANING
rows         array of object, required, at most 5 items  The rows.
rows[].note  string, at most 9 characters                Why.
rows[].word  a|b, required                               Which.
size         integer, 1 to 100, default 20               How many.
taskUuid     string, required                            The task.

ANSWER  TYPE
done    boolean or null

Example:
  chorus mcp call do_it '{\"rows\":[{\"word\":\"a\"}],\"taskUuid\":\"UUID\"}'
";
        assert_eq!(explained(&tool(schema)), expected);
    }

    #[test]
    fn an_example_takes_flags_where_they_suffice() {
        let schema = json!({ "type": "object", "required": ["taskUuid", "report", "count"], "properties": {
            "taskUuid": { "type": "string" }, "report": { "type": "string" }, "count": { "type": "integer" },
            "status": { "type": "string" }
        } });
        assert_eq!(example("t", &schema), "chorus mcp call t --arg count=1 --arg report=TEXT --arg taskUuid=UUID");
        assert_eq!(example("t", &json!({ "type": "object" })), "chorus mcp call t");
    }

    #[test]
    fn a_tool_without_arguments_says_so() {
        let text = explained(&tool(json!({ "type": "object", "properties": {} })));
        assert!(text.contains("\nIt takes no arguments.\n"), "{text}");
    }
}
