//! The real binary as a server.

use std::{
    ffi::OsString,
    io::Write as _,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::{Client, Database, chorus, chorus_under, terminal::Terminal};

/// How long a server may take until it is ready or gone; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a server is started: on any free port, and quiet unless asked to tell more.
#[derive(Clone, Debug)]
pub struct Launch {
    under: Vec<OsString>,
    arguments: Vec<OsString>,
    environment: Vec<(String, OsString)>,
    _folder: Option<Arc<TempDir>>,
}

impl Launch {
    /// `chorus` without a command, a configuration or a home but this folder: an empty one is set up.
    pub fn at_home(home: &Path) -> Self {
        let bare = Self { under: Vec::new(), arguments: Vec::new(), environment: Vec::new(), _folder: None };
        let listen = bare.env("CHORUS_LISTEN", "127.0.0.1:0").env("LOG_LEVEL", "warn").env("HOME", home);
        listen.env("XDG_DATA_HOME", home.join("data"))
    }

    /// `chorus serve` on the database of this URL; nothing is set up in it.
    ///
    /// # Panics
    /// If no folder can be made for its files.
    pub fn on(url: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let mut launch = Self::at_home(folder.path()).env("CHORUS_SETUP", "off").flag("--database-url", url);
        launch.arguments.insert(0, "serve".into());
        launch._folder = Some(Arc::new(folder));
        launch
    }

    /// The same with another flag.
    #[must_use]
    pub fn flag(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.arguments.extend([name.into(), value.into()]);
        self
    }

    /// The same with a variable set.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.to_owned(), value.into()));
        self
    }

    /// The same, run by another program, such as one that takes rights away: these words, and the binary's path behind
    /// them.
    #[must_use]
    pub fn under(mut self, words: &[&str]) -> Self {
        self.under = words.iter().map(OsString::from).collect();
        self
    }

    /// The command.
    pub fn command(&self) -> Command {
        let mut command = if self.under.is_empty() { chorus() } else { chorus_under(&self.under) };
        command.args(&self.arguments).envs(self.environment.iter().cloned());
        command
    }

    /// Starts the server and waits until it is ready.
    ///
    /// # Panics
    /// If it does not get ready.
    pub async fn start(self) -> Server {
        Server::launch(self, Output::Pipe).await
    }

    /// The same with a terminal as its standard output.
    ///
    /// # Panics
    /// If it does not get ready, or there is no terminal to be had.
    pub async fn start_at_terminal(self) -> Server {
        Server::launch(self, Output::Terminal).await
    }
}

#[derive(Clone, Copy)]
enum Output {
    Pipe,
    Terminal,
}

/// A running server.
pub struct Server {
    launch: Launch,
    running: Running,
}

struct Running {
    child: Child,
    base: String,
    printed: Text,
    log: Text,
    log_reader: JoinHandle<()>,
}

impl Server {
    /// Starts a server on this database, which has to be migrated; nothing is set up in it.
    ///
    /// # Panics
    /// If it does not get ready.
    pub async fn start(database: &Database) -> Self {
        Self::on(database.url()).await
    }

    /// Starts a server on the database of this URL.
    ///
    /// # Panics
    /// If it does not get ready.
    pub async fn on(url: &str) -> Self {
        Launch::on(url).start().await
    }

    async fn launch(launch: Launch, output: Output) -> Self {
        let running = Running::start(&launch, output).await;
        Self { launch, running }
    }

    /// Its address without a path: `http://127.0.0.1:PORT`.
    pub fn base(&self) -> &str {
        &self.running.base
    }

    /// A client with this key.
    pub fn client(&self, key: &str) -> Client {
        Client::new(self.base(), key)
    }

    /// What it has printed to standard output so far.
    pub fn printed(&self) -> String {
        self.running.printed.read()
    }

    /// What it has logged so far; all of it once it has [ended](Self::ended).
    pub fn log(&self) -> String {
        self.running.log.read()
    }

    /// Kills it at once, as a crash would, and starts it again on the same database.
    ///
    /// # Panics
    /// If it does not get ready again.
    pub async fn crash_and_restart(&mut self) {
        self.running.child.kill().await.unwrap(); // SIGKILL
        self.running = Running::start(&self.launch, Output::Pipe).await;
    }

    /// The same, and at the same address.
    ///
    /// # Panics
    /// As [`Server::crash_and_restart`].
    pub async fn crash_and_restart_in_place(&mut self) {
        self.running.child.kill().await.unwrap();
        let address = self.base().trim_start_matches("http://").to_owned();
        let launch = self.launch.clone().env("CHORUS_LISTEN", address);
        self.running = Running::start(&launch, Output::Pipe).await;
    }

    /// The id of its process.
    ///
    /// # Panics
    /// If it has ended.
    pub fn process_id(&self) -> u32 {
        self.running.child.id().unwrap()
    }

    /// Kills it at once, as a crash would, and gives what it has logged.
    ///
    /// # Panics
    /// If it can't be killed.
    pub async fn kill(mut self) -> String {
        self.running.child.kill().await.unwrap();
        timeout(PATIENCE, &mut self.running.log_reader).await.unwrap().unwrap();
        self.log()
    }

    /// Asks it to stop, as whatever supervises it does (SIGTERM), and does not wait.
    ///
    /// # Panics
    /// If it can't be asked.
    pub async fn terminate(&self) {
        self.signal("TERM").await;
    }

    /// Asks it to stop, as a person at the terminal does (SIGINT), and does not wait.
    ///
    /// # Panics
    /// If it can't be asked.
    pub async fn interrupt(&self) {
        self.signal("INT").await;
    }

    async fn signal(&self, name: &str) {
        let id = self.running.child.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().await.unwrap();
        assert!(sent.success());
    }

    /// Waits for its end; gives its exit code.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn ended(&mut self) -> Option<i32> {
        let status = timeout(PATIENCE, self.running.child.wait()).await.unwrap().unwrap();
        timeout(PATIENCE, &mut self.running.log_reader).await.unwrap().unwrap();
        status.code()
    }

    /// Asks it to stop and waits for its end; gives its exit code.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn stop(mut self) -> Option<i32> {
        self.terminate().await;
        self.ended().await
    }
}

/// The log of a server is shown where its test fails.
impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr().lock(), "the log of the server at {}:\n{}", self.base, self.log.read());
        }
    }
}

impl Running {
    async fn start(launch: &Launch, output: Output) -> Self {
        let (printed, log) = (Text::default(), Text::default());
        let mut command = launch.command();
        command.stderr(Stdio::piped());
        let mut child = match output {
            Output::Pipe => {
                let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
                tokio::spawn(printed.clone().collect(child.stdout.take().unwrap()));
                child
            }
            Output::Terminal => {
                let terminal = Terminal::open();
                let child = command.stdout(terminal.side_of_the_program()).spawn().unwrap();
                // The command holds the program's side open as well, and without it the terminal has no end.
                drop(command);
                terminal.collect(printed.clone());
                child
            }
        };
        let log_reader = tokio::spawn(log.clone().collect(child.stderr.take().unwrap()));
        let ready = async {
            loop {
                let text = printed.read();
                if let Some(line) = text.lines().find_map(|line| line.strip_prefix("chorus is listening on ")) {
                    // The line may have come in part.
                    if text.ends_with('\n') {
                        return line.trim().to_owned();
                    }
                }
                if let Some(status) = child.try_wait().unwrap() {
                    sleep(Duration::from_millis(100)).await;
                    panic!("the server ended before it was ready ({status}):\n{text}\n{}", log.read());
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        let Ok(base) = timeout(PATIENCE, ready).await else { panic!("the server is not ready:\n{}", log.read()) };
        Self { child, base, printed, log, log_reader }
    }
}

/// A text that grows.
#[derive(Clone, Default)]
pub(crate) struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    fn read(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    pub(crate) fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    /// Adds what comes out of a stream, to its end.
    async fn collect(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            self.add(buffer.get(..count).unwrap_or_default());
        }
    }
}
