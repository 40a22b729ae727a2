//! SDKs, used by the scripts in `tests/clients/`.

use std::path::{Path, PathBuf};

use chorus_testkit::CallResult;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::{
    driver::{Driver, read},
    program::{PATIENCE, Program, Said, Server, installed, node},
};

/// A script that does what it is told, line by line.
pub(super) struct Script {
    program: Program,
    told: ChildStdin,
    says: Lines<BufReader<ChildStdout>>,
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(name)
}

impl Script {
    /// A script for Node that has connected: its name and arguments.
    pub(super) async fn node(arguments: &[&str], server: &Server) -> Self {
        Self::open(&node(), arguments, server).await.unwrap()
    }

    /// A script for one of the Python environments that has connected: its name and arguments.
    pub(super) async fn python(number: u8, arguments: &[&str], server: &Server) -> Self {
        Self::open(&python(number), arguments, server).await.unwrap()
    }

    /// Starts a script; an error is why it could not connect.
    pub(super) async fn open(interpreter: &Path, arguments: &[&str], server: &Server) -> Result<Self, String> {
        let mut program = Program::new();
        let mut command: Command = program.command(interpreter);
        let [name, arguments @ ..] = arguments else { panic!("no script") };
        command.arg(script(name)).args(arguments).arg(&server.url).env("KEY", &server.key);
        // Its words about what goes wrong are shown with the test's own.
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::inherit());
        let child = program.start(&mut command);
        let told = child.stdin.take().unwrap();
        let says = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut script = Self { program, told, says };
        let first = script.says().await;
        match first["failed"].as_str() {
            None => Ok(script),
            Some(reason) => {
                assert_eq!(script.ended().await.code, Some(1));
                Err(reason.to_owned())
            }
        }
    }

    async fn says(&mut self) -> Value {
        let line = timeout(PATIENCE, self.says.next_line()).await.expect("the client says nothing").unwrap();
        let line = line.expect("the client has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Tells it that nothing will follow, and waits for its end.
    async fn ended(mut self) -> Said {
        drop(self.told);
        timeout(PATIENCE, self.program.ended()).await.expect("the client does not end")
    }

    /// Tells it to do something; gives its answer.
    pub(super) async fn tell(&mut self, command: &Value) -> Value {
        self.told.write_all(format!("{command}\n").as_bytes()).await.unwrap();
        self.says().await
    }
}

/// The interpreter of one of the Python environments.
pub(super) fn python(number: u8) -> PathBuf {
    installed(&format!("python-{number}/bin/python"))
}

impl Driver for Script {
    const BLIND: bool = true;
    const STAYS: bool = true;
    const SHOWS_CODES: bool = true;

    async fn tools(&mut self) -> Vec<String> {
        let listed = self.tell(&json!({ "list": true })).await;
        serde_json::from_value(listed["tools"].clone()).unwrap_or_else(|error| panic!("{error}: {listed}"))
    }

    async fn call(&mut self, tool: &'static str, arguments: Value) -> CallResult {
        let said = self.tell(&json!({ "call": tool, "arguments": arguments })).await;
        match said.get("result") {
            Some(result) => read(result),
            None => CallResult::Protocol(said["error"].clone()),
        }
    }

    async fn end(self) {
        let said = self.ended().await;
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}
