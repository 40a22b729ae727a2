//! `chorus mcp resources`, `read`, `prompts`, `prompt` and `complete`.

use serde_json::{Map, Value, json};

use super::{
    arguments::{self, Base, Overrides, Sources},
    endpoint::Endpoint,
    member, on_one_line, print_text,
};
use crate::{failure::Failure, output, output::Format};

/// Flags of `chorus mcp resources`.
#[derive(Debug, clap::Args)]
pub(super) struct ResourcesArgs {
    /// The forms of addresses instead, for everything that can be read
    #[arg(long)]
    templates: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Flags of `chorus mcp prompts`.
#[derive(Debug, clap::Args)]
pub(super) struct PromptsArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Flags of `chorus mcp prompt`.
#[derive(Debug, clap::Args)]
pub(super) struct PromptArgs {
    /// The prompt
    name: String,
    #[command(flatten)]
    overrides: Overrides,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Flags of `chorus mcp complete`.
#[derive(Debug, clap::Args)]
pub(super) struct CompleteArgs {
    #[command(flatten)]
    of: Of,
    /// The argument or variable, such as taskUuid
    argument: String,
    /// The beginning of an id, or words of a title; without it the latest are printed
    #[arg(default_value = "", hide_default_value = true)]
    written: String,
    #[command(flatten)]
    overrides: Overrides,
}

/// Whose argument is completed.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Of {
    /// A prompt, from `chorus mcp prompts`
    #[arg(long, value_name = "NAME")]
    prompt: Option<String>,
    /// A template, from `chorus mcp resources --templates`
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
}

const fn format(json: bool) -> Format {
    if json { Format::Json } else { Format::Text }
}

/// Lists resources, or the forms of their addresses.
pub(super) async fn resources(endpoint: &Endpoint, args: &ResourcesArgs) -> Result<(), Failure> {
    let (method, rows, address) = if args.templates {
        ("resources/templates/list", "resourceTemplates", "uriTemplate")
    } else {
        ("resources/list", "resources", "uri")
    };
    let listed = endpoint.all(method, rows).await?;
    let line = |row: &Value| {
        let title = row.get("title").and_then(Value::as_str).unwrap_or_else(|| member(row, "name"));
        format!("{} — {}: {}\n", member(row, address), on_one_line(title), on_one_line(member(row, "description")))
    };
    output::answer(format(args.json), &json!({ rows: listed }), || listed.iter().map(line).collect())
}

/// Prints what a resource holds, as it is.
pub(super) async fn read(endpoint: &Endpoint, uri: &str) -> Result<(), Failure> {
    let result = endpoint.request("resources/read", json!({ "uri": uri })).await?;
    let contents = result.get("contents").and_then(Value::as_array).into_iter().flatten();
    let texts: Option<Vec<&str>> = contents.map(|part| part.get("text").and_then(Value::as_str)).collect();
    match texts {
        Some(texts) => print_text(&texts.join("\n")),
        None => Err(Failure::refused(format_args!("`{uri}` holds bytes and no text, which can't be printed"))),
    }
}

/// Lists prompts.
pub(super) async fn prompts(endpoint: &Endpoint, args: &PromptsArgs) -> Result<(), Failure> {
    let listed = endpoint.all("prompts/list", "prompts").await?;
    let line = |prompt: &Value| {
        let arguments = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let arguments: Vec<String> =
            arguments.map(|argument| format!(" --arg {}=…", member(argument, "name"))).collect();
        format!("{}{} — {}\n", member(prompt, "name"), arguments.concat(), on_one_line(member(prompt, "description")))
    };
    output::answer(format(args.json), &json!({ "prompts": listed }), || {
        if listed.is_empty() {
            return "There are no prompts for this key with these flags: each needs permissions for its tools."
                .to_owned();
        }
        listed.iter().map(line).collect()
    })
}

/// Prints the messages of a prompt.
pub(super) async fn prompt(endpoint: &Endpoint, args: &PromptArgs) -> Result<(), Failure> {
    let arguments = arguments::build(Base::Nothing, &args.overrides, &mut Sources::default())?;
    let result = endpoint.request("prompts/get", json!({ "name": args.name, "arguments": arguments })).await?;
    let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<String> = messages.filter_map(|message| message.get("content")).map(said).collect();
    output::answer(format(args.json), &result, || texts.join("\n\n"))
}

/// A block of a message, as text.
fn said(content: &Value) -> String {
    match content.get("resource") {
        Some(resource) => format!("{}\n{}", member(resource, "uri"), member(resource, "text")),
        None => member(content, "text").to_owned(),
    }
}

/// Prints ids, one a line.
pub(super) async fn complete(endpoint: &Endpoint, args: &CompleteArgs) -> Result<(), Failure> {
    let reference = match (&args.of.prompt, &args.of.template) {
        (Some(name), _) => json!({ "type": "ref/prompt", "name": name }),
        (None, template) => json!({ "type": "ref/resource", "uri": template }),
    };
    let known: Map<String, Value> = arguments::build(Base::Nothing, &args.overrides, &mut Sources::default())?;
    let params = json!({
        "ref": reference,
        "argument": { "name": args.argument, "value": args.written },
        "context": { "arguments": known },
    });
    let result = endpoint.request("completion/complete", params).await?;
    let values = result.pointer("/completion/values").and_then(Value::as_array).into_iter().flatten();
    let lines: Vec<String> = values.filter_map(Value::as_str).map(|value| format!("{value}\n")).collect();
    output::write(&lines.concat())?;
    if result.pointer("/completion/hasMore").and_then(Value::as_bool) == Some(true) {
        output::note("chorus: there are more; write more of the id or of the title, or give --arg projectUuid=UUID");
    }
    Ok(())
}
