//! `docs/tools.md`, rendered from the table.

use std::{collections::BTreeSet, env, fmt::Write, fs, path::Path};

use chorus_dispatch::{At, Effect, Policy, Registered, Surface};
use chorus_domain::Code;
use chorus_visibility::Need;
use serde_json::Value;

use crate::examples::parsed;

#[test]
fn the_page_is_current() {
    let surface = chorus_tools::surface().unwrap();
    let mut page = String::from(
        "<!-- Generated from crates/tools-chorus by its tests; rewrite with UPDATE=1. -->\n# Tools\n\n\
         Every tool of the MCP endpoint. A caller sees and can call a tool if it holds the permission named, or if none \
         is named; to anybody\nelse the tool does not exist. Beside that, the caller's owner needs the level named in the \
         project of every id in the arguments; what\nis hidden reads as not found.\n\n\
         A tool that writes also takes `idempotencyKey`: any name of 1 to 255 visible characters. Repeated with the same \
         key and arguments within\n24 hours it does nothing twice and answers as the first time; with other arguments it \
         refuses with `idempotency_key_reused`. Lists take\n`cursor`, the `nextCursor` of the answer before.\n\n\
         A refusal is a result with `isError`, a sentence that says what to do next, and `_meta[\"chorus/error\"]` with \
         `code`, `retryable` and,\noften, `details`. Any tool may refuse with `invalid_arguments`, which names each field \
         that is wrong; any may fail with `unavailable` (try\nagain) or `internal`.\n\n\
         A client can ask for some of the tools: those that only read with the header `X-Chorus-Readonly: true`, some by \
         name or by family with\n`X-Chorus-Tools`, a list with commas; or with `?readonly=true` and `?tools=` behind the \
         URL. Others don't exist for it then. These are the\nfamilies:\n\n",
    );
    for (family, tools) in families(&surface) {
        writeln!(page, "* `{family}`: {}", tools.join(", ")).unwrap();
    }
    page.push('\n');
    page += "| tool | permission | does |\n| --- | --- | --- |\n";
    for tool in surface.tools() {
        let name = tool.row.name;
        let bit = tool.row.requirement.bit.map_or_else(|| "-".to_owned(), |bit| format!("`{bit}`"));
        writeln!(page, "| [{name}](#{name}) | {bit} | {} |", tool.row.title).unwrap();
    }
    for tool in surface.tools() {
        render(&mut page, tool);
    }
    compare("../../docs/tools.md", &page);
}

/// The families with their tools, in the order in which they first appear.
fn families(surface: &Surface) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for tool in surface.tools() {
        let (family, name) = (tool.row.family, tool.row.name);
        match found.iter_mut().find(|(known, _)| *known == family) {
            Some((_, tools)) => tools.push(name),
            None => found.push((family, vec![name])),
        }
    }
    found
}

fn render(page: &mut String, tool: &Registered) {
    let row = &tool.row;
    write!(page, "\n## {}\n\n{}\n\n", row.name, row.description).unwrap();
    let gate = row.requirement.bit.map_or_else(|| "none".to_owned(), |bit| format!("`{bit}`"));
    let effect = match row.run.effect {
        Effect::Read => "reads",
        Effect::Write => "writes",
        Effect::Books => "reads, and notes that it was read",
        Effect::Trace => "leaves nothing but the time of its use",
    };
    writeln!(page, "Permission: {gate}. Access: {}. It {effect}.\n", access(tool)).unwrap();
    let inputs = flat(&tool.input);
    if inputs.is_empty() {
        page.push_str("It takes no arguments.\n");
    } else {
        page.push_str("| argument | type | meaning |\n| --- | --- | --- |\n");
        for line in inputs.iter().filter(|line| line.path != "idempotencyKey" && line.path != "cursor") {
            let required = if line.required { ", required" } else { "" };
            writeln!(page, "| `{}` | {}{required} | {} |", line.path, line.kind, line.says).unwrap();
        }
    }
    page.push_str("\nAnswer:\n\n| field | type | meaning |\n| --- | --- | --- |\n");
    for line in flat(&row.run.answer_schema()) {
        let absent = if line.required { "" } else { ", may be absent" };
        writeln!(page, "| `{}` | {}{absent} | {} |", line.path, line.kind, line.says).unwrap();
    }
    let refusals = refusals(tool);
    if !refusals.is_empty() {
        page.push_str("\nRefuses with:\n\n");
        for (code, when) in refusals {
            writeln!(page, "* `{}`: {when}", code.as_str()).unwrap();
        }
    }
    let example = Value::Object(parsed(row.name, row.example));
    write!(page, "\n```json\n{{\"name\":\"{}\",\"arguments\":{example}}}\n```\n", row.name).unwrap();
}

fn access(tool: &Registered) -> String {
    let level = |need: Need| match need {
        Need::Viewer => "viewer",
        Need::Editor => "editor",
        Need::Manage => "manager",
        Need::Admin => "admin",
    };
    let mut parts = Vec::new();
    for at in tool.row.access.ids {
        match *at {
            At::Id { path, need, .. } => parts.push(format!("{} where `{path}` is", level(need))),
            At::Pair { id, need, .. } => parts.push(format!("{} where `{id}` is", level(need))),
            At::Typed { ids, need, .. } => parts.push(format!("{} where `{ids}` are", level(need))),
            At::Own { path, .. } => parts.push(format!("the caller's own `{path}`")),
            At::Via { .. } | At::Filter(_) | At::Group(_) | At::Part { .. } => {}
        }
    }
    match tool.row.access.policy {
        _ if !parts.is_empty() => parts.join(", "),
        Policy::Resource => "none".to_owned(),
        Policy::Filtered(reason) | Policy::Company(reason) => reason.to_owned(),
    }
}

/// The refusals that follow from the row, and those that it declares.
fn refusals(tool: &Registered) -> Vec<(Code, &'static str)> {
    let mut found: Vec<(Code, &'static str)> = Vec::new();
    let declared: BTreeSet<&str> = tool.row.refuses.iter().map(|(code, _)| code.as_str()).collect();
    let (mut located, mut above) = (false, false);
    for at in tool.row.access.ids {
        let need = match *at {
            At::Id { need, .. } | At::Pair { need, .. } | At::Typed { need, .. } => need,
            At::Own { .. } => Need::Viewer,
            At::Via { .. } | At::Filter(_) | At::Group(_) | At::Part { .. } => continue,
        };
        located = true;
        above |= need != Need::Viewer;
    }
    if located && !declared.contains(Code::NotFound.as_str()) {
        found.push((Code::NotFound, "something named does not exist or is hidden"));
    }
    if above && !declared.contains(Code::Forbidden.as_str()) {
        found.push((Code::Forbidden, "the level in the project is too low"));
    }
    found.extend(tool.row.refuses);
    found
}

/// A property of a schema, on one line.
struct Line {
    path: String,
    kind: String,
    says: String,
    required: bool,
}

/// The properties of a schema and what is inside them: `tasks[].title`.
fn flat(schema: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    collect(schema, "", &mut lines);
    lines
}

fn collect(schema: &Value, under: &str, lines: &mut Vec<Line>) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if under.is_empty() { name.clone() } else { format!("{under}.{name}") };
        let says: Vec<&str> = property["description"].as_str().unwrap_or_default().split_whitespace().collect();
        lines.push(Line {
            kind: kind(property),
            says: says.join(" ").replace('|', "\\|"),
            required: required.contains(&name.as_str()),
            path: path.clone(),
        });
        collect(property, &path, lines);
        collect(&property["items"], &format!("{path}[]"), lines);
        collect(&property["additionalProperties"], &format!("{path}.*"), lines);
    }
}

fn kind(property: &Value) -> String {
    let words = property["enum"].as_array();
    let one = |name: &str| match (name, words) {
        ("array", _) => match property["items"]["type"].as_str() {
            Some(of) => format!("array of {of}"),
            None => "array".to_owned(),
        },
        ("string", Some(words)) => {
            words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        }
        (name, _) => name.to_owned(),
    };
    match &property["type"] {
        Value::String(name) => one(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}

/// Fails when the committed file differs from `rendered`; `UPDATE=1` rewrites it.
fn compare(file: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, rendered).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, rendered, "{file} is stale; run the tests with UPDATE=1 and review the difference");
}
