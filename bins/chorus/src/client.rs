//! `chorus mcp`, `login` and `logout`: what is done at a running server (surface specification §6.2).

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::{config::environment, failure::Failure, output};

mod arguments;
mod credentials;
mod describe;
mod endpoint;
mod library;
pub(crate) mod login;
mod profiles;

use arguments::{Base, Overrides, Sources};
use credentials::{ConnectArgs, Credentials};
use endpoint::Endpoint;

/// Where a server is unless told otherwise.
const URL: &str = "http://127.0.0.1:8637";

/// Flags and commands of `chorus mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    asked: AskArgs,
    #[command(subcommand)]
    command: Command,
}

/// Flags that say what the server is asked to offer.
#[derive(Clone, Debug, Default, clap::Args)]
struct AskArgs {
    /// Ask for tools that only read; the server then notes nothing of the calls, neither marks nor times
    #[arg(long, global = true)]
    readonly: bool,
    /// Ask for these tools only: names or families with commas between them, such as task,chorus_checkin
    #[arg(long, global = true, value_name = "LIST")]
    tools: Option<String>,
}

impl AskArgs {
    /// The endpoint as these flags ask for it.
    ///
    /// # Errors
    /// The list names nothing, or can't be sent.
    fn ask(self, mut endpoint: Endpoint) -> Result<Endpoint, Failure> {
        if self.readonly {
            endpoint = endpoint.reading();
        }
        let Some(tools) = self.tools else { return Ok(endpoint) };
        if tools.split(',').all(|word| word.trim().is_empty()) {
            return Err(Failure::usage("--tools names no tool: give names or families, such as task,chorus_checkin"));
        }
        let list = tools.parse().map_err(|_| Failure::usage("--tools has characters that no name of a tool has"))?;
        Ok(endpoint.asking("x-chorus-tools", list))
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tools that the key may call
    List,
    /// Print the UUID of the agent that the key belongs to, without checking it in
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
    /// Explain a tool: what it does, its arguments with their limits, its answer, and a call to begin with
    #[command(after_help = "Example:\n  chorus mcp describe chorus_create_tasks\n  chorus mcp describe chorus_search \
        --json")]
    Describe(describe::Args),
    /// List what can be read by its address: who you are, your work, your projects
    ///
    /// What is not listed is reached by a template, whose variables `chorus mcp complete` fills in.
    #[command(after_help = "Example:\n  chorus mcp resources\n  chorus mcp resources --templates")]
    Resources(library::ResourcesArgs),
    /// Print what stands at an address; documents are Markdown, everything else is JSON
    #[command(after_help = "Example:\n  chorus mcp read chorus://context\n  chorus mcp read \
        chorus://projects/UUID/documents/UUID > document.md")]
    Read {
        /// The address, from `chorus mcp resources` or made of a template
        uri: String,
    },
    /// List the prompts that the key can follow, with their arguments
    #[command(after_help = "Example:\n  chorus mcp prompts")]
    Prompts(library::PromptsArgs),
    /// Print a prompt with what it is about, to be given to a model
    #[command(after_help = "Example:\n  chorus mcp prompt start_work --arg taskUuid=UUID")]
    Prompt(library::PromptArgs),
    /// Print ids that complete an argument of a prompt or a variable of a template
    ///
    /// They begin as you wrote, or belong to things whose titles have words that begin so. `--arg projectUuid=UUID` narrows
    /// them to what is in a project.
    #[command(
        after_help = "Example:\n  chorus mcp complete --prompt start_work taskUuid login\n  chorus mcp complete \
        --template chorus://projects/{projectUuid} projectUuid\n  chorus mcp complete --prompt plan_idea ideaUuid \
        --arg projectUuid=UUID"
    )]
    Complete(library::CompleteArgs),
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let endpoint = Credentials::resolve(&args.connect, &environment)?.endpoint()?;
    let endpoint = args.asked.ask(endpoint)?;
    match args.command {
        Command::List => list(&endpoint).await,
        Command::Whoami => whoami(&endpoint.reading()).await,
        Command::Call { tool, json, args_file, overrides } => {
            let base = match (json, args_file) {
                (Some(text), _) => Base::Text(text),
                (None, Some(path)) => Base::File(path),
                (None, None) => Base::Nothing,
            };
            let arguments = arguments::build(base, &overrides, &mut Sources::default())?;
            print_result(&call(&endpoint, &tool, arguments).await?)
        }
        Command::Describe(args) => describe::run(&endpoint, &args).await,
        Command::Resources(args) => library::resources(&endpoint, &args).await,
        Command::Read { uri } => library::read(&endpoint, &uri).await,
        Command::Prompts(args) => library::prompts(&endpoint, &args).await,
        Command::Prompt(args) => library::prompt(&endpoint, &args).await,
        Command::Complete(args) => library::complete(&endpoint, &args).await,
    }
}

async fn list(endpoint: &Endpoint) -> Result<(), Failure> {
    let tools = endpoint.all("tools/list", "tools").await?;
    let lines: Vec<String> = tools
        .iter()
        .map(|tool| format!("{} — {}\n", member(tool, "name"), on_one_line(member(tool, "description"))))
        .collect();
    output::write(&lines.concat())
}

/// A text in a JSON object, blank if it is not there.
fn member<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
    print_text(&text)
}

fn print_text(text: &str) -> Result<(), Failure> {
    output::write(text)?;
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
