//! MCP Inspector on the command line.

use chorus_testkit::{Backend, CallResult, Recorder, Site};
use serde_json::{Value, json};
use tokio::process::Command;

use super::{
    driver::{Driver, read},
    program::{Program, Said, Server, Transport, installed, node},
};

/// The Inspector, which runs anew for everything it does.
pub(super) struct Inspector {
    program: Program,
    era: &'static str,
    server: Server,
}

impl Inspector {
    /// One that speaks `legacy`, `modern` or `auto`.
    pub(super) fn new(era: &'static str, server: &Server) -> Self {
        Self { program: Program::new(), era, server: server.clone() }
    }

    /// A command for this method.
    pub(super) fn command(&self, method: &str) -> Command {
        let mut command = self.program.command(&node());
        command.arg(installed("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
        let Server { url, transport, .. } = &self.server;
        command.args(["--cli", "--server-url", url, "--transport", transport.name(), "--protocol-era", self.era]);
        command.args(["--method", method, "--format", "json", "--stored-auth-only"]);
        if !self.server.key.is_empty() {
            command.arg("--header").arg(format!("Authorization: Bearer {}", self.server.key));
        }
        command
    }

    /// Runs a command to its end.
    pub(super) async fn run(&mut self, command: &mut Command) -> Said {
        self.program.run(command).await
    }
}

/// The first line of its output.
#[track_caller]
fn result(said: &Said) -> Value {
    let line = said.out.lines().next().unwrap_or_else(|| panic!("{said:?}"));
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    value["result"].clone()
}

impl Driver for Inspector {
    const BLIND: bool = false;
    const STAYS: bool = false;
    const SHOWS_CODES: bool = true;

    async fn tools(&mut self) -> Vec<String> {
        let said = self.run(&mut self.command("tools/list")).await;
        assert_eq!(said.code, Some(0), "{said:?}");
        let tools = result(&said)["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    async fn call(&mut self, tool: &'static str, arguments: Value) -> CallResult {
        let mut command = self.command("tools/call");
        command.args(["--tool-name", tool, "--tool-args-json", &arguments.to_string()]);
        let said = self.run(&mut command).await;
        let read = read(&result(&said));
        let code = if matches!(read, CallResult::Answer(_)) { 0 } else { 5 };
        assert_eq!(said.code, Some(code), "{said:?}");
        read
    }

    async fn end(self) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_finds_no_schema_that_some_vendor_would_refuse() {
    let site = Site::new(Backend::Sqlite).await;
    let server = Server::at(site.server.base(), Transport::Http, &site.admin.key);
    let mut inspector = Inspector::new("legacy", &server);
    let said = inspector.run(inspector.command("tools/list").arg("--strict")).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("0 errors"), "{said:?}");
}

/// Its run is one command: the server goes and comes back between the list of tools that it asks for and its call.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_within_one_command_of_the_inspector_goes_unnoticed() {
    for era in ["legacy", "modern"] {
        let mut site = Site::new(Backend::Sqlite).await;
        let recorder = Recorder::before(site.server.base()).await;
        let server = Server::at(recorder.base(), Transport::Http, &site.admin.key);
        let mut inspector = Inspector::new(era, &server);
        let mut held = recorder.hold("tools/call");
        let restart = async {
            held.reached().await;
            site.server.crash_and_restart_in_place().await;
            held.release();
        };
        let (answer, ()) = tokio::join!(inspector.call("chorus_checkin", json!({})), restart);
        assert_eq!(answer.ok()["agent"]["uuid"], site.admin.id.to_string(), "{era}");
        let opening = if era == "legacy" { "initialize" } else { "server/discover" };
        let opened = recorder.exchanges().iter().filter(|exchange| exchange.rpc() == opening).count();
        assert_eq!(opened, 1, "{era}: it has connected once");
    }
}
