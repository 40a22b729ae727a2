//! Schemas of tools, made from the types of their handlers (README decisions 10 and 12).
//!
//! A working schema is what arguments are checked against; [`portable`] makes of it what every model vendor accepts.

use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};

use crate::{list, tool::ListTool};

/// Keywords of an advertised input schema. Everything else is dropped.
pub const PORTABLE: [&str; 12] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "description",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
];
const ALSO_PORTABLE: &str = "maxItems";

/// The key of the idempotency key among a writer's arguments.
pub const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// The keyword of a working schema that marks an argument whose null means something else than its absence: the field
/// bears `#[schemars(extend("nullable" = true))]`. It is not advertised.
pub const NULLABLE: &str = "nullable";

/// The working schema of an input type.
pub fn input<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(Contract::Deserialize);
    settle(&mut schema, Null::Dropped);
    if let Some(object) = schema.as_object_mut() {
        object.insert("type".into(), json!("object"));
        object.entry("properties").or_insert_with(|| json!({}));
        object.remove("description"); // it describes the type; the tool has a description of its own
    }
    schema
}

/// The working schema of a writer's input: it takes an idempotency key.
pub fn write_input<T: JsonSchema>() -> Value {
    let mut schema = input::<T>();
    add(
        &mut schema,
        IDEMPOTENCY_KEY,
        json!({
            "type": "string", "minLength": 1, "maxLength": 255,
            "description": "Names this call: done once within 24 hours."
        }),
    );
    schema
}

/// The working schema of a list's input: it takes paging arguments.
pub fn list_input<T: ListTool>() -> Value {
    let mut schema = input::<T>();
    list::add_paging(T::SHAPE, |name, property| add(&mut schema, name, property));
    schema
}

/// The schema of a whole answer, whatever is inside it too: for documentation and tests.
pub fn answer<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(Contract::Serialize);
    settle(&mut schema, Null::Kept);
    schema
}

/// The same of a list's answer.
pub fn list_answer<T: ListTool>() -> Value {
    let mut schema = list_output::<T>();
    if let Some(items) = schema.pointer_mut(&format!("/properties/{}/items", T::COLLECTION)) {
        *items = answer::<T::Row>();
    }
    if let Some(object) = schema.as_object_mut() {
        object.insert("required".into(), json!([T::COLLECTION, "returned", "page", "pageSize", "total"]));
    }
    schema
}

/// The advertised schema of an answer: an object whose properties are listed, without what is inside them and without
/// saying which are always there, since every word of it is paid for by each client.
pub fn output<T: JsonSchema>() -> Value {
    shallow(&answer::<T>())
}

/// The advertised schema of a list's answer.
pub fn list_output<T: ListTool>() -> Value {
    let mut properties = Map::new();
    properties.insert(T::COLLECTION.into(), json!({ "type": "array", "items": { "type": "object" } }));
    for count in ["returned", "page", "pageSize", "total"].iter().chain(T::COUNTS) {
        properties.insert((*count).to_owned(), json!({ "type": "integer" }));
    }
    properties.insert("nextCursor".into(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": properties })
}

/// What is advertised of a working schema: only the keywords that every model vendor accepts.
pub fn portable(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else { return json!({ "type": "object" }) };
    let mut kept = Map::new();
    for (keyword, value) in object {
        let value = match keyword.as_str() {
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                Value::Object(properties.map(|(name, property)| (name.clone(), portable(property))).collect())
            }
            "items" => portable(value),
            known if PORTABLE.contains(&known) || known == ALSO_PORTABLE => value.clone(),
            _ => continue,
        };
        kept.insert(keyword.clone(), value);
    }
    Value::Object(kept)
}

fn add(schema: &mut Value, name: &str, property: Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.into(), property);
    }
}

fn generate<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.contract = contract;
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Whether `null` stays in the schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// A null argument counts as absent, so the plain type is enough.
    Dropped,
    /// An answer may hold null.
    Kept,
}

/// Brings a generated schema to the few forms that the rest of this crate knows: no combinators, and type lists only
/// for null.
fn settle(schema: &mut Value, null: Null) {
    let Some(object) = schema.as_object_mut() else {
        *schema = json!({});
        return;
    };
    object.remove("title");
    for combinator in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(mut branches)) = object.remove(combinator) else { continue };
        let nullable = branches.iter().any(is_null);
        branches.retain(|branch| !is_null(branch));
        merge(object, branches);
        if nullable && null == Null::Kept {
            make_nullable(object);
        }
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let plain: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        if null == Null::Dropped
            && let [only] = plain.as_slice()
        {
            let only = only.clone();
            object.insert("type".into(), only);
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for property in properties.values_mut() {
            settle(property, null);
        }
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(items @ Value::Object(_)) = object.get_mut(inner) {
            settle(items, null);
        }
    }
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|name| name == "null")
}

/// Takes in what the branches of a combinator say: one branch as it is, several constants as an enumeration, other
/// branches as what fits any of them.
fn merge(object: &mut Map<String, Value>, branches: Vec<Value>) {
    let constants: Vec<Value> = branches
        .iter()
        .flat_map(|branch| match (branch.get("const"), branch.get("enum")) {
            (Some(constant), _) => vec![constant.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => Vec::new(),
        })
        .collect();
    if !constants.is_empty() {
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), Value::Array(constants));
        return;
    }
    let branches = branches.into_iter().filter_map(|branch| match branch {
        Value::Object(branch) => Some(branch),
        _ => None,
    });
    if let Some(united) = branches.reduce(unite) {
        for (keyword, value) in united {
            if keyword == "description" && object.contains_key("description") {
                continue; // the field's own words beat those of its type
            }
            object.insert(keyword, value);
        }
    }
}

/// One schema for what fits either of two: what both require is required, and a property that both have may be as in
/// either.
fn unite(one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    let mut united = one;
    if !other.contains_key("required") || !united.contains_key("required") {
        united.insert("required".into(), json!([]));
    }
    for (keyword, value) in other {
        let known = united.remove(&keyword);
        let value = match (keyword.as_str(), known, value) {
            (_, None, value) => value,
            ("type", Some(known), value) if known != value => {
                let names = |value: Value| match value {
                    Value::Array(names) => names,
                    name => vec![name],
                };
                let mut both = names(known);
                both.extend(names(value).into_iter().filter(|name| !both.contains(name)).collect::<Vec<_>>());
                Value::Array(both)
            }
            ("required", Some(Value::Array(known)), Value::Array(names)) => {
                Value::Array(known.into_iter().filter(|name| names.contains(name)).collect())
            }
            ("properties", Some(Value::Object(mut known)), Value::Object(properties)) => {
                for (name, property) in properties {
                    let property = match (known.remove(&name), property) {
                        (Some(Value::Object(known)), Value::Object(property)) => Value::Object(unite(known, property)),
                        (_, property) => property,
                    };
                    known.insert(name, property);
                }
                Value::Object(known)
            }
            ("items", Some(Value::Object(known)), Value::Object(items)) => Value::Object(unite(known, items)),
            (_, Some(known), _) => known,
        };
        united.insert(keyword, value);
    }
    united
}

fn make_nullable(object: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = object.get("type").cloned() {
        object.insert("type".into(), json!([name, "null"]));
    }
}

/// The root's properties with their types alone.
fn shallow(schema: &Value) -> Value {
    let properties: Map<String, Value> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let mut kept = Map::new();
            if let Some(kind) = property.get("type") {
                kept.insert("type".into(), kind.clone());
            }
            if let Some(kind) = property.get("items").and_then(|items| items.get("type")) {
                kept.insert("items".into(), json!({ "type": kind }));
            }
            (name.clone(), Value::Object(kept))
        })
        .collect();
    json!({ "type": "object", "properties": properties })
}

/// The schema of a word of a closed list, for fields whose type comes from a policy crate:
/// `#[schemars(schema_with = "…")]` names a function that calls this. An optional field needs `#[serde(default)]` too,
/// since the schema alone no longer tells that it is one.
pub fn words(words: impl IntoIterator<Item = &'static str>) -> schemars::Schema {
    let words: Vec<&str> = words.into_iter().collect();
    schemars::json_schema!({ "type": "string", "enum": words })
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "the types only describe themselves")]
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::Uuid;

    use super::*;

    #[derive(JsonSchema)]
    struct Item {
        /// What must hold.
        description: String,
        /// Whether it counts.
        required: Option<bool>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Example {
        /// Which one.
        #[schemars(with = "Uuid")]
        task_uuid: String,
        /// How urgent.
        #[serde(default)]
        #[schemars(schema_with = "level")]
        priority: Option<String>,
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        count: Option<u32>,
        /// The items.
        items: Option<Vec<Item>>,
    }

    fn level(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        words(["low", "high"])
    }

    #[test]
    fn an_input_is_an_object_of_plain_types_with_descriptions() {
        let schema = input::<Example>();
        assert_eq!(
            portable(&schema),
            json!({
                "type": "object",
                "properties": {
                    "taskUuid": { "type": "string", "description": "Which one." },
                    "priority": { "type": "string", "enum": ["low", "high"], "description": "How urgent." },
                    "count": { "type": "integer", "minimum": 1, "maximum": 9, "description": "How many." },
                    "items": {
                        "type": "array", "description": "The items.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "description": { "type": "string", "description": "What must hold." },
                                "required": { "type": "boolean", "description": "Whether it counts." }
                            },
                            "required": ["description"]
                        }
                    }
                },
                "required": ["taskUuid"]
            })
        );
        // The working schema still knows which strings are ids.
        assert_eq!(schema["properties"]["taskUuid"]["format"], "uuid");
    }

    #[test]
    fn an_output_lists_its_properties_and_says_what_may_be_null() {
        assert_eq!(
            output::<Example>(),
            json!({
                "type": "object",
                "properties": {
                    "taskUuid": { "type": "string" },
                    "priority": { "type": "string" },
                    "count": { "type": ["integer", "null"] },
                    "items": { "type": ["array", "null"], "items": { "type": "object" } }
                }
            })
        );
    }
}
