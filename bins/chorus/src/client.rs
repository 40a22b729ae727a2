//! `chorus mcp`, `login` and `logout`: what is done at a running server (surface specification §6.2).

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::{config::environment, failure::Failure, output};

mod arguments;
mod credentials;
mod endpoint;
pub(crate) mod login;
mod profiles;

use arguments::{Base, Overrides, Sources};
use credentials::{ConnectArgs, Credentials};
use endpoint::Endpoint;

/// Where a server is unless told otherwise.
const URL: &str = "http://127.0.0.1:8637";
/// Most pages of a list of tools that are fetched: a server that hands out more goes round in circles.
const MAX_PAGES: usize = 100;

/// Flags and commands of `chorus mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tools that the key may call
    List,
    /// Print the UUID of the agent that the key belongs to, by checking in
    Whoami,
    /// Call a tool and print the text of its result
    ///
    /// Arguments come from the JSON object or --args-file, then from --arg and --arg-file in the order given; the later
    /// wins.
    #[command(after_help = "Example:\n  chorus mcp call chorus_get_task --arg taskUuid=UUID\n  chorus mcp call \
        chorus_report_work --arg taskUuid=UUID --arg-file report=report.md")]
    Call {
        /// The tool
        tool: String,
        /// Its arguments, a JSON object
        #[arg(value_name = "JSON", conflicts_with = "args_file")]
        json: Option<String>,
        /// File that holds the arguments as a JSON object; `-` is standard input
        #[arg(long, value_name = "PATH")]
        args_file: Option<PathBuf>,
        #[command(flatten)]
        overrides: Overrides,
    },
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let endpoint = Credentials::resolve(&args.connect, &environment)?.endpoint()?;
    match args.command {
        Command::List => list(&endpoint).await,
        Command::Whoami => whoami(&endpoint).await,
        Command::Call { tool, json, args_file, overrides } => {
            let base = match (json, args_file) {
                (Some(text), _) => Base::Text(text),
                (None, Some(path)) => Base::File(path),
                (None, None) => Base::Nothing,
            };
            let arguments = arguments::build(base, &overrides, &mut Sources::default())?;
            print_result(&call(&endpoint, &tool, arguments).await?)
        }
    }
}

async fn list(endpoint: &Endpoint) -> Result<(), Failure> {
    let mut cursor: Option<String> = None;
    let mut lines = String::new();
    for _ in 0..MAX_PAGES {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let page = endpoint.request("tools/list", params).await?;
        for tool in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let text = |member: &str| tool.get(member).and_then(Value::as_str).unwrap_or_default();
            let description: Vec<&str> = text("description").split_whitespace().collect();
            lines.push_str(&format!("{} — {}\n", text("name"), description.join(" ")));
        }
        cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if cursor.is_none() {
            return output::write(&lines);
        }
    }
    Err(Failure::usage("the server's list of tools has no end"))
}

async fn whoami(endpoint: &Endpoint) -> Result<(), Failure> {
    let result = call(endpoint, "chorus_checkin", Map::new()).await?;
    let text = text(&result);
    if is_error(&result) {
        return Err(Failure::Tool(text));
    }
    let answer: Option<Value> = result.get("structuredContent").cloned().or_else(|| serde_json::from_str(&text).ok());
    let uuid = answer.as_ref().and_then(|answer| answer.pointer("/agent/uuid")).and_then(Value::as_str);
    output::line(uuid.ok_or_else(|| Failure::usage("the server did not say who this is; is it a Chorus server?"))?)
}

async fn call(endpoint: &Endpoint, tool: &str, arguments: Map<String, Value>) -> Result<Value, Failure> {
    endpoint.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// The text as it is; a terminal gets a line break after it.
fn print_result(result: &Value) -> Result<(), Failure> {
    let text = text(result);
    if is_error(result) {
        return Err(Failure::Tool(text));
    }
    output::write(&text)?;
    if output::is_terminal() && !text.ends_with('\n') { output::write("\n") } else { Ok(()) }
}

fn is_error(result: &Value) -> bool {
    result.get("isError").and_then(Value::as_bool).unwrap_or(false)
}

/// The text blocks of a result, one a line if there are several.
fn text(result: &Value) -> String {
    let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
    texts.join("\n")
}
