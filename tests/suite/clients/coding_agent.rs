//! Coding agents, driven through the API of a model whose part the test plays.

use std::{collections::BTreeSet, fs, path::PathBuf};

use chorus_testkit::{Backend, CallResult, Model, Offered, Site, ToolOutput, Turn};
use serde_json::{Value, json};
use tokio::{process::Command, task::JoinHandle};

use super::{
    driver::Driver,
    program::{Program, Said, Server, Transport, installed},
};

/// What the agents call the server.
pub(super) const SERVER: &str = "chorus";

const LAST_WORDS: &str = "All of it is done.";

/// A kind of coding agent.
pub(super) trait Make {
    /// A command that does what its model says, with the server's tools and leave to use them.
    fn command(program: &Program, server: &Server, model: &Model) -> Command;

    /// Reads the result of a tool as the model is given it.
    fn read(output: &ToolOutput) -> CallResult;
}

/// A coding agent at work. Its model has the turn.
pub(super) struct CodingAgent {
    model: Model,
    /// Taken only while it is over.
    turn: Option<Turn>,
    running: JoinHandle<Said>,
    read: fn(&ToolOutput) -> CallResult,
}

impl CodingAgent {
    /// Starts one; it has connected, and its model has the first turn.
    pub(super) async fn start<M: Make>(server: &Server) -> Self {
        let mut model = Model::new(SERVER).await;
        let mut program = Program::new();
        let mut command = M::command(&program, server, &model);
        program.start(&mut command);
        let mut running = tokio::spawn(async move { program.ended().await });
        let turn = next(&mut model, &mut running).await;
        check_schemas(&turn.offered);
        Self { model, turn: Some(turn), running, read: M::read }
    }
}

async fn next(model: &mut Model, running: &mut JoinHandle<Said>) -> Turn {
    tokio::select! {
        turn = model.turn() => turn,
        said = running => panic!("it has ended: {:?}", said.unwrap()),
    }
}

/// What the model is told of each tool's arguments names all that the tool takes.
fn check_schemas(offered: &[Offered]) {
    let surface = chorus_tools::surface().unwrap();
    for tool in offered {
        let registered = surface.tools().iter().find(|registered| registered.row.name == tool.name).unwrap();
        let schema = &registered.definition.input_schema;
        assert_eq!(names(&tool.schema), names(schema), "{}", tool.name);
        for (name, property) in tool.schema["properties"].as_object().into_iter().flatten() {
            let ours = &schema["properties"][name];
            assert_eq!(property["description"], ours["description"], "{} {name}", tool.name);
            assert_eq!(names(&property["items"]), names(&ours["items"]), "{} {name}", tool.name);
        }
    }
}

fn names(schema: &Value) -> BTreeSet<&str> {
    schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

impl Driver for CodingAgent {
    const BLIND: bool = false;
    const STAYS: bool = true;
    const SHOWS_CODES: bool = false;

    async fn tools(&mut self) -> Vec<String> {
        let turn = self.turn.as_ref().unwrap();
        turn.offered.iter().map(|tool| tool.name.clone()).collect()
    }

    async fn call(&mut self, tool: &'static str, arguments: Value) -> CallResult {
        self.turn.take().unwrap().call(tool, arguments);
        let turn = self.turn.insert(next(&mut self.model, &mut self.running).await);
        (self.read)(turn.result.as_ref().expect("the model is told what the tool gave"))
    }

    async fn end(self) {
        self.turn.unwrap().say(LAST_WORDS);
        let said = self.running.await.unwrap();
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains(LAST_WORDS), "{said:?}");
    }
}

/// Claude Code.
pub(super) struct ClaudeCode;

impl ClaudeCode {
    /// A command of it.
    pub(super) fn quiet(program: &Program) -> Command {
        let mut command = program.command(&installed("node_modules/@anthropic-ai/claude-code-linux-x64/claude"));
        command.env("DISABLE_AUTOUPDATER", "1").env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        command
    }
}

impl Make for ClaudeCode {
    fn command(program: &Program, server: &Server, model: &Model) -> Command {
        let mut entry = json!({ "type": server.transport.name(), "url": server.url });
        if !server.key.is_empty() {
            entry["headers"] = json!({ "Authorization": format!("Bearer {}", server.key) });
        }
        let servers = program.home.path().join("mcp.json");
        fs::write(&servers, json!({ "mcpServers": { SERVER: entry } }).to_string()).unwrap();
        let mut command = Self::quiet(program);
        command.env("ANTHROPIC_BASE_URL", model.base()).env("ANTHROPIC_API_KEY", "none");
        // On a busy machine the server may be slow, and the model's first turn has to wait for it.
        command
            .env("MCP_CONNECTION_NONBLOCKING", "false")
            .env("MCP_CONNECT_TIMEOUT_MS", "60000")
            .env("MCP_TIMEOUT", "60000");
        // Else the model has to search for tools before it is offered them.
        command.env("ENABLE_TOOL_SEARCH", "false");
        command.args(["-p", "Do what has to be done.", "--strict-mcp-config", "--allowedTools", "mcp__chorus"]);
        command.arg("--mcp-config").arg(servers);
        command
    }

    fn read(output: &ToolOutput) -> CallResult {
        if output.failed == Some(true) {
            return CallResult::Refused(output.text.clone(), Value::Null);
        }
        let answer = serde_json::from_str(&output.text).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        CallResult::Answer(answer)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claude_code_says_that_it_has_connected() {
    let site = Site::new(Backend::Sqlite).await;
    let header = format!("Authorization: Bearer {}", site.admin.key);
    for transport in [Transport::Http, Transport::Sse] {
        let Server { url, .. } = Server::at(site.server.base(), transport, &site.admin.key);
        let mut program = Program::new();
        let mut add = ClaudeCode::quiet(&program);
        add.args(["mcp", "add", "--transport", transport.name(), SERVER, &url, "--header", &header]);
        assert_eq!(program.run(&mut add).await.code, Some(0));
        let mut list = ClaudeCode::quiet(&program);
        let said = program.run(list.args(["mcp", "list"])).await;
        let line = format!("{SERVER}: {url} ({}) - ✔ Connected", transport.name().to_uppercase());
        assert!(said.out.lines().any(|said| said == line), "{said:?}");
    }
}

/// Codex.
pub(super) struct Codex;

impl Codex {
    fn program() -> PathBuf {
        installed("node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
    }
}

impl Make for Codex {
    fn command(program: &Program, server: &Server, model: &Model) -> Command {
        let folder = program.home.path().join(".codex");
        fs::create_dir_all(&folder).unwrap();
        let key = if server.key.is_empty() { "" } else { "bearer_token_env_var = \"CHORUS_API_KEY\"" };
        let settings = format!(
            r#"
            model = "stub"
            model_provider = "stub"
            approval_policy = "never"
            check_for_update_on_startup = false
            [analytics]
            enabled = false
            [model_providers.stub]
            name = "stub"
            base_url = "{}/v1"
            wire_api = "responses"
            env_key = "MODEL_KEY"
            [mcp_servers.{SERVER}]
            url = "{}"
            {key}
            default_tools_approval_mode = "approve"
            "#,
            model.base(),
            server.url
        );
        fs::write(folder.join("config.toml"), settings).unwrap();
        let mut command = program.command(&Self::program());
        command.env("MODEL_KEY", "none").env("CHORUS_API_KEY", &server.key);
        command.args(["exec", "--skip-git-repo-check", "Do what has to be done."]);
        command
    }

    fn read(output: &ToolOutput) -> CallResult {
        // How long it took stands before it.
        let (_, text) = output.text.split_once("Output:\n").unwrap_or_else(|| panic!("{output:?}"));
        match serde_json::from_str(text) {
            Ok(answer) => CallResult::Answer(answer),
            Err(_) => CallResult::Refused(text.to_owned(), Value::Null),
        }
    }
}
