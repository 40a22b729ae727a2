//! What surrounds the server fails it: disk, rights, locks, the file itself, the schema, the clock.

mod clock;
mod corrupt;
mod disk;
mod lock;
mod postgres;
mod rights;
mod schema;

use std::{path::PathBuf, time::Duration};

use chorus_testkit::{Backend, Database, Launch, World, chorus};
use chorus_visibility::{Role, Visibility};
use serde_json::json;
use tokio::time::timeout;

use crate::crash::check_log;

/// A database with something in it, and nobody who has it open.
pub(crate) struct Furnished {
    pub(crate) database: Database,
    /// The key of an agent that may do everything.
    pub(crate) key: String,
    pub(crate) project: String,
}

impl Furnished {
    pub(crate) async fn new(backend: Backend) -> Self {
        Self::on(Database::fresh(backend).await).await
    }

    /// The same on this database, which is migrated.
    pub(crate) async fn on(database: Database) -> Self {
        let world = World::new(database.services().await).await;
        let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
        let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
        drop(world);
        let server = Launch::on(database.url()).start().await;
        for number in 0..60 {
            let text = format!("{number} ").repeat(400);
            let idea = json!({ "projectUuid": project, "title": format!("idea {number}"), "content": text });
            server.client(&key).call("chorus_pm_create_idea", idea).await.ok();
        }
        assert_eq!(server.stop().await, Some(0));
        Self { database, key, project }
    }

    /// The file of a SQLite database.
    pub(crate) fn file(&self) -> PathBuf {
        self.database.url().strip_prefix("sqlite:").unwrap().into()
    }
}

/// The program with these words, on this database.
pub(crate) fn command(url: &str, words: &[&str]) -> tokio::process::Command {
    let mut command = chorus();
    command.args(words).args(["--database-url", url]);
    command
}

/// Runs a command that has to end with 1 within half a minute, with one line that says why and nothing else wrong; gives
/// that line.
pub(crate) async fn refused(mut command: tokio::process::Command) -> String {
    let output = timeout(Duration::from_secs(30), command.output()).await.expect("it does not end").unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    check_log(&errors);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{errors}");
    let mut lines = errors.lines().filter(|line| line.starts_with("chorus: "));
    let line = lines.next().unwrap_or_else(|| panic!("nothing says why: {errors}")).to_owned();
    assert_eq!(lines.next(), None, "{errors}");
    line
}
