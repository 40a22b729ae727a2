//! What the first run makes, says and keeps to itself.

use std::{
    fs,
    net::Ipv4Addr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use chorus_auth::{
    Accounts,
    accounts::{Client, LinkKind},
};
use chorus_testkit::{Backend, Database, Launch, Ran, Server, chorus, operator, run};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::backends;

/// What stands in a database.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    companies: usize,
    users: Vec<Option<String>>,
    agents: Vec<String>,
    keys: usize,
}

async fn found(database: &Database) -> Found {
    let services = database.services().await;
    let mut reads = services.store.read().await.unwrap();
    let companies = reads.operator().companies().await.unwrap();
    let mut found = Found { companies: companies.len(), users: vec![], agents: vec![], keys: 0 };
    for company in companies {
        let users = reads.operator().users(company.id).await.unwrap();
        found.users.extend(users.into_iter().map(|user| user.email));
        let agents = reads.operator().agents(company.id).await.unwrap();
        found.agents.extend(agents.into_iter().map(|(agent, _)| agent.name));
        found.keys += reads.operator().keys(company.id, None).await.unwrap().len();
    }
    found
}

fn of_one_first_run(email: &str) -> Found {
    Found { companies: 1, users: vec![Some(email.to_owned())], agents: vec!["admin".to_owned()], keys: 1 }
}

/// Everything in a text that looks like a key.
fn keys(text: &str) -> Vec<&str> {
    let keys = text.match_indices("cho_").map(|(at, _)| text[at..].get(..47).unwrap_or(&text[at..]));
    let mut keys: Vec<&str> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The one line with this in it, without what indents it.
#[track_caller]
fn line<'a>(text: &'a str, part: &str) -> &'a str {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(part)).collect();
    let [line] = lines.as_slice() else { panic!("{} lines with `{part}` in\n{text}", lines.len()) };
    line.trim()
}

/// Whom a link for signing in lets in.
async fn who(database: &Database, token: &str) -> Option<String> {
    let client = Client { address: Ipv4Addr::LOCALHOST.into(), agent: "" };
    let presented = Accounts::new(database.services().await).present(client, token).await.ok()?;
    assert_eq!(presented.kind, LinkKind::SignIn);
    presented.email
}

/// What a person would do with lines that were printed.
async fn paste(lines: &[&str], home: &Path) -> Ran {
    let mut shell = Command::new("sh");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CHORUS_") || name == "DATABASE_URL" {
            shell.env_remove(name);
        }
    }
    shell.env("HOME", home).env("XDG_DATA_HOME", home.join("data"));
    run(shell.arg("-c").arg(lines.join("\n"))).await
}

/// The JSON document for `.mcp.json`.
#[track_caller]
fn configuration(text: &str) -> Value {
    let start = text.find("  {\n").unwrap();
    let end = start + text[start..].find("\n  }\n").unwrap();
    serde_json::from_str(&text[start..end + 4]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_everything_needed_is_printed_once_and_works_as_printed() {
    let home = TempDir::new().unwrap();
    let server = Launch::at_home(home.path()).start_at_terminal().await;
    let text = server.printed();
    let (block, ready) = text.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(ready, format!("chorus is listening on {}", server.base()));

    // The key is the same wherever it stands.
    let found = keys(block);
    let [key] = found.as_slice() else { panic!("{found:?} in\n{block}") };
    assert_eq!(key.len(), 47);
    let entry = &configuration(block)["mcpServers"]["chorus"];
    assert_eq!((&entry["type"], &entry["url"]), (&json!("http"), &json!(format!("{}/api/mcp", server.base()))));
    assert_eq!(entry["headers"]["Authorization"], format!("Bearer {key}"));
    let claude = line(block, "claude mcp add");
    assert!(claude.contains(&format!("{}/api/mcp", server.base())) && claude.contains(&format!("Bearer {key}")));
    let codex = line(block, "codex mcp add");
    assert!(codex.contains(&format!("{}/api/mcp", server.base())), "{codex}");
    let database = line(block, "database  sqlite:").rsplit_once("sqlite:").unwrap().1;
    assert!(Path::new(database).starts_with(home.path()) && Path::new(database).exists(), "{database}");
    assert_eq!(fs::metadata(Path::new(database).parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(block.contains("owner@localhost") && block.contains("admin"));
    assert_eq!(server.log().matches("cho_").count(), 0);

    // The command that lists the tools, and the one that makes more agents.
    let list = line(block, "mcp list");
    assert!(list.contains(chorus_testkit::chorus_binary().canonicalize().unwrap().to_str().unwrap()), "{list}");
    let listed = paste(&[list], home.path()).await.ok();
    assert!(listed.lines().count() >= 45 && listed.contains("chorus_admin_verify_task — "), "{listed}");
    let more = line(block, "agent create").replace("NAME", "second");
    assert!(paste(&[&more], home.path()).await.ok().contains("second"));
    // The key is that of an agent with every permission, whose owner is the first user.
    let me = server.client(key).call("chorus_checkin", json!({})).await.ok();
    assert_eq!((&me["agent"]["name"], &me["agent"]["owner"]["email"]), (&json!("admin"), &json!("owner@localhost")));
    assert_eq!(me["agent"]["permissions"].as_object().unwrap().len(), 5, "{me}");

    // The link lets the first user in.
    let link = line(block, "sign in ").split_whitespace().nth(2).unwrap();
    let token = link.strip_prefix(&format!("{}/enter/", server.base())).unwrap();
    assert_eq!(token.len(), 43);
    // And there are people to add.
    let invite = line(block, "user invite").replace("ADDRESS", "ada@example.com").replace("NAME", "Ada");
    assert!(paste(&[&invite], home.path()).await.ok().contains(&format!("{}/join/", server.base())));

    // The second run has nothing to say.
    assert_eq!(server.stop().await, Some(0));
    let server = Launch::at_home(home.path()).start_at_terminal().await;
    assert_eq!(server.printed(), format!("chorus is listening on {}\n", server.base()));
    server.client(key).call("chorus_checkin", json!({})).await.ok();
}

/// The file that the text names.
#[track_caller]
fn key_file(text: &str) -> PathBuf {
    line(text, "in the file").rsplit_once("in the file ").unwrap().1.into()
}

async fn elsewhere_the_key_is_in_a_file_and_nowhere_else(backend: Backend) {
    let database = Database::untouched(backend).await;
    let home = TempDir::new().unwrap();
    let data = home.path().join("my data");
    let launch = || {
        let launch = Launch::at_home(home.path()).flag("--database-url", database.url()).flag("--data-dir", &data);
        launch.env("CHORUS_SETUP_EMAIL", "Lan@Example.com").env("LOG_LEVEL", "debug")
    };
    let mut server = launch().start().await;
    let text = server.printed();
    let path = key_file(&text);
    assert!(path.is_absolute() && path.starts_with(&data), "{}", path.display());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let key = fs::read_to_string(&path).unwrap();
    let key = key.trim_end();
    assert_eq!((keys(key), key.len()), (vec![key], 47));
    assert_eq!(keys(&text), Vec::<&str>::new(), "{text}");
    assert!(!text.contains("postgres@") && !text.contains(&key[4..]), "{text}");

    // The printed lines find the key there.
    let lines = [line(&text, "export CHORUS_API_KEY"), line(&text, "mcp list")];
    assert!(paste(&lines, home.path()).await.ok().contains("chorus_checkin — "));
    let me = server.client(key).call("chorus_checkin", json!({})).await.ok();
    assert_eq!(me["agent"]["owner"]["email"], "Lan@Example.com");
    let entry = &configuration(&text)["mcpServers"]["chorus"];
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${CHORUS_API_KEY}");
    assert_eq!(found(&database).await, of_one_first_run("Lan@Example.com"));
    let mut files: Vec<_> = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    let link_file = data.join("sign-in.link");
    assert_eq!(files, [path.as_path(), &link_file], "nothing else is left there");
    // So is the link that lets the first user in, and the text says where.
    assert_eq!(fs::metadata(&link_file).unwrap().permissions().mode() & 0o777, 0o600);
    let link = fs::read_to_string(&link_file).unwrap();
    let token = link.trim_end().strip_prefix(&format!("{}/enter/", server.base())).unwrap();
    assert_eq!(token.len(), 43);
    assert!(line(&text, "sign in ").contains(link_file.to_str().unwrap()) && !text.contains(token), "{text}");
    assert_eq!(who(&database, token).await.as_deref(), Some("Lan@Example.com"));

    server.terminate().await;
    assert_eq!(server.ended().await, Some(0));
    let log = server.log();
    assert!(!log.contains("cho_") && !log.contains(&key[4..]) && !log.contains(token), "{log}");
    let server = launch().start().await;
    assert_eq!(server.printed(), format!("chorus is listening on {}\n", server.base()));
    assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), key, "the file stays as it was");
    assert_eq!(found(&database).await, of_one_first_run("Lan@Example.com"));
}

async fn nothing_is_made_where_that_is_switched_off(backend: Backend) {
    let database = Database::untouched(backend).await;
    let home = TempDir::new().unwrap();
    let launch = || Launch::at_home(home.path()).flag("--database-url", database.url());
    let server = launch().env("CHORUS_SETUP", "off").start().await;
    assert_eq!(server.printed(), format!("chorus is listening on {}\n", server.base()));
    assert_eq!(found(&database).await, Found { companies: 0, users: vec![], agents: vec![], keys: 0 });
    // It can be made by hand, while the server runs.
    operator(database.url(), &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;
    let made = operator(database.url(), &["agent", "create", "--name", "bot", "--owner", "ada@example.com"]).await;
    let me = server.client(made["apiKey"].as_str().unwrap()).call("chorus_checkin", json!({})).await.ok();
    assert_eq!(me["agent"]["uuid"], made["agentUuid"]);
    server.stop().await;
    // What has a workspace is not empty any more.
    let server = launch().start().await;
    assert_eq!(server.printed(), format!("chorus is listening on {}\n", server.base()));
    assert_eq!(found(&database).await.agents, ["bot"]);
}

/// Several servers that start at once on one database that nothing was done to: one of them sets it up.
async fn of_servers_that_start_at_once_one_sets_up(backend: Backend) {
    for folders in [Folders::OneEach, Folders::Shared] {
        let database = Database::untouched(backend).await;
        let home = TempDir::new().unwrap();
        let starting: Vec<_> = (0..3)
            .map(|turn| {
                let data = match folders {
                    Folders::OneEach => home.path().join(format!("data {turn}")),
                    Folders::Shared => home.path().join("data"),
                };
                let launch = Launch::at_home(home.path()).flag("--database-url", database.url());
                tokio::spawn(launch.flag("--data-dir", data).start())
            })
            .collect();
        let mut servers: Vec<Server> = Vec::new();
        for server in starting {
            servers.push(server.await.unwrap());
        }
        assert_eq!(found(&database).await, of_one_first_run("owner@localhost"));
        let printed: Vec<String> = servers.iter().map(Server::printed).collect();
        let told: Vec<&String> = printed.iter().filter(|text| text.lines().count() > 1).collect();
        let [told] = told.as_slice() else { panic!("{} were told: {printed:?}", told.len()) };
        // The key of the one works at all of them.
        let key = fs::read_to_string(key_file(told)).unwrap();
        for server in &servers {
            let me = server.client(key.trim_end()).call("chorus_checkin", json!({})).await.ok();
            assert_eq!(me["agent"]["name"], "admin");
        }
        let files = walk(home.path()).into_iter().filter(|path| path.extension().is_some_and(|kind| kind != "db"));
        let files: Vec<PathBuf> =
            files.filter(|path| fs::read_to_string(path).is_ok_and(|t| t.contains("cho_"))).collect();
        assert_eq!(files, [key_file(told)], "{folders:?}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Folders {
    OneEach,
    Shared,
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_printed_names_the_public_url() {
    let home = TempDir::new().unwrap();
    let launch = Launch::at_home(home.path()).flag("--public-url", "https://chorus.example.com/base/");
    let server = launch.start().await;
    let text = server.printed();
    let endpoint = "https://chorus.example.com/base/api/mcp";
    assert_eq!(configuration(&text)["mcpServers"]["chorus"]["url"], endpoint);
    for part in ["claude mcp add", "codex mcp add"] {
        assert!(line(&text, part).contains(endpoint), "{text}");
    }
    assert!(line(&text, "mcp list").contains("--url https://chorus.example.com/base "), "{text}");
    // Where it listens is another matter.
    assert!(server.base().starts_with("http://127.0.0.1:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_can_not_listen_or_keep_the_key_makes_nothing() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken_address = taken.local_addr().unwrap().to_string();
    let database = Database::fresh(Backend::Sqlite).await;
    let home = TempDir::new().unwrap();
    let data = home.path().join("data");
    let base = || {
        let mut command = chorus();
        command.args(["--database-url", database.url(), "--data-dir"]).arg(&data).env("LOG_LEVEL", "off");
        command
    };
    run(base().args(["--listen", &taken_address])).await.failed(1);
    let nothing = Found { companies: 0, users: vec![], agents: vec![], keys: 0 };
    assert_eq!(found(&database).await, nothing);

    // A folder where the file should be.
    fs::create_dir_all(data.join("admin.key")).unwrap();
    let line = run(base().args(["--listen", "127.0.0.1:0"])).await.failed(1);
    assert!(line.contains("admin.key"), "{line}");
    assert_eq!(found(&database).await, nothing);
    assert_eq!(walk(&data), Vec::<PathBuf>::new(), "no key is left behind");
    run(base().args(["--listen", "127.0.0.1:0"]).env("CHORUS_SETUP_EMAIL", "nobody")).await.failed(2);
    assert_eq!(found(&database).await, nothing);
}

backends!(
    elsewhere_the_key_is_in_a_file_and_nowhere_else,
    nothing_is_made_where_that_is_switched_off,
    of_servers_that_start_at_once_one_sets_up,
);
