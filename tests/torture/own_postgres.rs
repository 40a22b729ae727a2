//! A PostgreSQL server that a test may do anything to.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use tokio::process::Command;

/// A server of one test, which keeps what it has acknowledged when it is stopped. Dropping it stops it for good.
pub(crate) struct OwnPostgres {
    folder: PathBuf,
    url: String,
}

impl OwnPostgres {
    pub(crate) async fn start() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        // Not in a folder of this user's alone: the server runs as another one.
        let name = format!("chorus-torture-pg-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let mut server = Self { folder: std::env::temp_dir().join(name), url: String::new() };
        server.url = server.script(&["start"]).await;
        server
    }

    /// The URL of its superuser.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The folder of its data.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Stops it in this way, `fast` or `immediate`.
    pub(crate) async fn halt(&self, way: &str) {
        self.script(&["halt", way]).await;
    }

    /// Starts it again, and waits until it takes connections.
    pub(crate) async fn resume(&self) {
        self.script(&["resume"]).await;
    }

    async fn script(&self, arguments: &[&str]) -> String {
        let ran = Command::from(script(&self.folder, arguments)).output().await.unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        // What can't be stopped now is nothing that a test could mend.
        let _ = script(&self.folder, &["stop"]).output();
    }
}

fn script(folder: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("bash");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/postgres")).args(arguments);
    command.env("CHORUS_TEST_PG_DIR", folder).env("CHORUS_TEST_PG_OPTIONS", "-c synchronous_commit=on");
    command.stdin(std::process::Stdio::null());
    command
}
