//! Commands of the real binary.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Output, Stdio},
};

use serde_json::Value;
use tokio::{io::AsyncWriteExt as _, process::Command};

/// Where the binary is: `CHORUS_BIN`, else beside the test binaries, where Cargo builds it for the tests of its package.
///
/// # Panics
/// If it is not there.
pub fn chorus_binary() -> PathBuf {
    if let Some(path) = std::env::var_os("CHORUS_BIN") {
        return path.into();
    }
    let tests = std::env::current_exe().unwrap();
    let path = tests.parent().and_then(|deps| deps.parent()).unwrap().join("chorus");
    assert!(path.exists(), "{} is missing: run the tests through `bash tests/run`", path.display());
    path
}

/// A command of the binary, with none of the caller's own configuration.
pub fn chorus() -> Command {
    without_settings(Command::new(chorus_binary()))
}

/// The same, run by another program: these words, and the binary's path behind them.
///
/// # Panics
/// If there is no word.
pub fn chorus_under(words: &[OsString]) -> Command {
    let (program, rest) = words.split_first().unwrap();
    let mut command = Command::new(program);
    command.args(rest).arg(chorus_binary());
    without_settings(command)
}

fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CHORUS_") || name == "DATABASE_URL" || name == "LOG_LEVEL" {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// What a command that ended said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// What it printed, if it ended well.
    ///
    /// # Panics
    /// If it did not.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// The JSON document that it printed, if it ended well.
    ///
    /// # Panics
    /// If it did not, or printed something else.
    #[track_caller]
    pub fn json(self) -> Value {
        let out = self.ok();
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// The one line on standard error of a command that ended with this code and printed nothing.
    ///
    /// # Panics
    /// If it did anything else.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{self:?}");
        let line = self.err.strip_suffix('\n').unwrap_or(&self.err);
        assert!(!line.is_empty() && !line.contains('\n'), "{self:?}");
        line.to_owned()
    }
}

/// Runs a command to its end.
///
/// # Panics
/// If it can't be run, or prints something that is no text.
pub async fn run(command: &mut Command) -> Ran {
    Ran::of(command.output().await.unwrap())
}

/// The same with this text on its standard input.
///
/// # Panics
/// As [`run`].
pub async fn run_with_input(command: &mut Command, input: &str) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A command that does not read its input closes it, which is its own business.
    let writing = tokio::spawn(async move { stdin.write_all(input.as_bytes()).await });
    let ran = Ran::of(child.wait_with_output().await.unwrap());
    let _ = writing.await;
    ran
}

/// Runs an operator's command on a database and reads its `--json` output.
///
/// # Panics
/// If it fails.
pub async fn operator(url: &str, arguments: &[&str]) -> Value {
    run(chorus().args(arguments).args(["--json", "--database-url", url])).await.json()
}
