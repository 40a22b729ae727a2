//! PgBouncer between the server and its database.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Stdio, time::Duration};

use chorus_testkit::{Backend, Database, EventStream, Launch, World, chorus, run};
use chorus_visibility::{Role, Visibility};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
    time::sleep,
};

use crate::{
    crash::{check_log, free_address},
    faults::refused,
    load::{self, Load},
    scale::{random, seed, times},
};

/// A pooler before a database.
struct Pooler {
    url: String,
    _child: Child,
    _folder: TempDir,
}

impl Pooler {
    async fn before(database: &Database, mode: &str, more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        // It does not run as root, and then has to find its settings.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let address = free_address();
        let (host, port) = address.split_once(':').unwrap();
        let there = database.url().split('@').nth(1).unwrap();
        let (there_host, there_port) = there.split('/').next().unwrap().split_once(':').unwrap();
        let settings = format!(
            "[databases]\n* = host={there_host} port={there_port} user=postgres\n\
             [pgbouncer]\nlisten_addr = {host}\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = {mode}\ndefault_pool_size = 40\nmax_client_conn = 200\n{more}\n"
        );
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).unwrap();
        let mut child = Self::command(&file).spawn().unwrap_or_else(|error| panic!("is PgBouncer installed? {error}"));
        while TcpStream::connect(&address).await.is_err() {
            assert_eq!(child.try_wait().unwrap(), None, "PgBouncer has ended");
            sleep(Duration::from_millis(20)).await;
        }
        let url = database.url().replacen(there.split('/').next().unwrap(), &address, 1);
        Self { url, _child: child, _folder: folder }
    }

    fn command(settings: &Path) -> Command {
        // Debian has it where only administrators look.
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].into_iter().find(|path| Path::new(path).exists());
        let mut command = Command::new(program.unwrap_or("pgbouncer"));
        if rustix::process::geteuid().is_root() {
            command.args(["-u", "postgres"]);
        }
        command.arg(settings).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        command
    }
}

/// A session is then whichever is free: what is set in it, prepared in it and locked by it would be somebody else's.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_shared_are_refused_before_anything_is_done() {
    let database = Database::untouched(Backend::Postgres).await;
    for (mode, more) in [("transaction", ""), ("statement", ""), ("transaction", "server_round_robin = 1")] {
        let pooler = Pooler::before(&database, mode, more).await;
        let mut commands = vec![Launch::on(&pooler.url).command()];
        for words in [&["db", "migrate"][..], &["db", "check"], &["agent", "list"]] {
            let mut command = chorus();
            command.args(words).args(["--database-url", &pooler.url]);
            commands.push(command);
        }
        for command in commands {
            let line = refused(command).await;
            assert!(line.contains("pool_mode") && line.contains("session mode"), "{line}");
        }
    }
    let checked = run(chorus().args(["db", "check", "--json", "--database-url", database.url()])).await;
    let checked: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(checked["pending"][0], "0001_init", "nothing was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_session_mode_is_as_good_as_none() {
    let seed = seed("PgBouncer");
    let database = Database::fresh(Backend::Postgres).await;
    let world = World::new(database.services().await).await;
    let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
    let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
    let pooler = Pooler::before(&database, "session", "").await;
    let server = Launch::on(&pooler.url).start().await;
    let client = server.client(&key);
    let idea = client.call("chorus_pm_create_idea", json!({ "projectUuid": project, "title": "watched" })).await.ok();
    let id = idea["uuid"].as_str().unwrap();
    let uri = format!("chorus://projects/{project}/ideas/{id}");
    let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
    let mut stream = EventStream::of(client.modern("subscriptions/listen", wanted).await);
    stream.message().await;
    client.call("chorus_edit_idea", json!({ "ideaUuid": id, "title": "changed" })).await.ok();
    assert_eq!(stream.message().await["params"]["uri"], json!(uri));
    let load = Load::begin(&client, &project, 4, seed).await;
    sleep(Duration::from_secs(times(2, 30) as u64)).await;
    let noted = load.end().await;
    assert_eq!(load::repeated(&noted), 0);
    // The idea that is watched is nobody's.
    load::check(&client, &project, &noted, &mut random(seed, 0)).await;
    check_log(&server.kill().await);
}
