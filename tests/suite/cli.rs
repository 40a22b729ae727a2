//! The command line of the real binary: operator commands on the database, client commands over HTTP.

use std::{fs, path::Path};

use chorus_domain::identity::User;
use chorus_ids::Uuid;
use chorus_testkit::{Backend, Database, Launch, Ran, Site, World, chorus, operator, run, run_with_input};
use chorus_visibility::Visibility;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::backends;

/// Runs a command on a database.
async fn on(database: &Database, arguments: &[&str]) -> Ran {
    run(chorus().args(arguments).args(["--database-url", database.url()])).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

#[track_caller]
fn assert_keys(value: &Value, expected: &[&str]) {
    let (mut found, mut expected): (Vec<_>, _) = (value.as_object().unwrap().keys().collect(), expected.to_vec());
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{value}");
}

#[track_caller]
fn assert_key(key: &Value) {
    let random = text(key).strip_prefix("cho_").unwrap();
    assert!(random.len() == 43 && random.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{key}");
}

// Operator commands.

async fn a_person_is_added_to_a_database_that_nothing_was_done_to(backend: Backend) {
    let database = Database::untouched(backend).await;
    let made = on(&database, &["user", "create", "--email", "Ada@Example.com", "--name", "Ada 阿达", "--json"]).await;
    let made = made.json();
    assert_keys(&made, &["userUuid", "email", "name"]);
    assert!(text(&made["userUuid"]).parse::<Uuid>().is_ok());
    assert_eq!((&made["email"], &made["name"]), (&json!("Ada@Example.com"), &json!("Ada 阿达")));
    // For people.
    let other = on(&database, &["user", "create", "--email", "bo@example.com", "--name", "Bo"]).await.ok();
    assert!(other.contains("Bo <bo@example.com>"), "{other}");

    // One workspace was made, and its users have no password.
    let services = database.services().await;
    let mut reads = services.store.read().await.unwrap();
    let companies = reads.operator().companies().await.unwrap();
    assert_eq!(companies.len(), 1);
    let users: Vec<User> = reads.operator().users(companies[0].id).await.unwrap();
    assert_eq!(users.iter().map(|user| user.name.as_deref()).collect::<Vec<_>>(), [Some("Ada 阿达"), Some("Bo")]);
    assert!(users.iter().all(|user| user.password_hash.is_none()));
}

async fn an_address_is_one_persons_whatever_its_case(backend: Backend) {
    let database = Database::untouched(backend).await;
    let create = async |email: &str| on(&database, &["user", "create", "--email", email, "--name", "x"]).await;
    create("ada@example.com").await.ok();
    for email in ["ada@example.com", "ADA@Example.COM"] {
        let line = create(email).await.failed(1);
        assert!(line.contains(email) && line.contains("already"), "{line}");
    }
    for (email, name) in [("nobody", "x"), ("", "x"), ("a@b", " ")] {
        let line = on(&database, &["user", "create", "--email", email, "--name", name]).await.failed(2);
        assert!(line.contains(if name == " " { "name" } else { "email" }), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_read_from_standard_input_and_kept_as_a_hash() {
    let database = Database::untouched(Backend::Sqlite).await;
    let create = async |email: &str, password: &str| {
        let mut command = chorus();
        command.args(["user", "create", "--email", email, "--name", "x", "--password-stdin"]);
        run_with_input(command.args(["--database-url", database.url()]), password).await
    };
    create("a@b", "correct horse 密码\n").await.ok();
    let services = database.services().await;
    let mut reads = services.store.read().await.unwrap();
    let company = reads.operator().companies().await.unwrap()[0].id;
    let user = reads.operator().user_by_email(company, "A@B").await.unwrap().unwrap();
    let hash = user.password_hash.unwrap();
    assert!(hash.starts_with("$argon2id$") && !hash.contains("horse"), "{hash}");
    for password in ["", "\n", "  \n"] {
        let line = create("c@d", password).await.failed(2);
        assert!(line.contains("password"), "{line}");
    }
    let unused = reads.operator().user_by_email(company, "c@d").await.unwrap();
    assert_eq!(unused, None);
}

async fn an_agent_is_added_with_what_it_may_do(backend: Backend) {
    let database = Database::untouched(backend).await;
    let nobody_yet = on(&database, &["agent", "create", "--name", "x"]).await.failed(1);
    assert!(nobody_yet.contains("chorus serve") && nobody_yet.contains("chorus user create"), "{nobody_yet}");
    operator(database.url(), &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;

    let create = ["agent", "create", "--name", "Bot 봇", "--json"];
    let with = async |more: &[&str]| on(&database, &[&create[..], more].concat()).await;
    let owned = ["--owner", "ADA@example.com"];
    let ran = with(&[&owned[..], &["--preset", "developer_agent", "--permission", "idea:admin"]].concat()).await;
    assert_eq!(ran.err, "", "nothing to remark");
    let made = ran.json();
    assert_keys(&made, &["agentUuid", "name", "apiKey", "permissions"]);
    assert_eq!(made["name"], "Bot 봇");
    assert!(text(&made["agentUuid"]).parse::<Uuid>().is_ok());
    assert_key(&made["apiKey"]);
    assert_eq!(
        names(&made["permissions"]),
        ["document:read", "idea:admin", "idea:read", "project:read", "proposal:read", "task:read", "task:write",]
    );
    let two = with(&[&owned[..], &["--preset", "pm_agent", "--preset", "developer_agent"]].concat()).await.json();
    assert_eq!(names(&two["permissions"]).len(), 10, "{two}");

    // No preset and no bit is a valid agent, and so is one without an owner; that is said.
    let ran = with(&[]).await;
    assert!(ran.err.contains("--owner") && ran.err.contains("public"), "{ran:?}");
    assert_eq!(ran.json()["permissions"], json!([]));

    for (arguments, named) in [
        (["--preset", "developer"], "developer_agent, pm_agent"),
        (["--preset", "Admin_agent"], "admin_agent"),
        (["--permission", "task:delete"], "task:delete"),
        (["--permission", "task"], "task"),
    ] {
        let line = with(&arguments).await.failed(2);
        assert!(line.contains(arguments[1]) && line.contains(named), "{line}");
    }
    let line = with(&["--owner", "nobody@example.com"]).await.failed(1);
    assert!(line.contains("nobody@example.com"), "{line}");

    let listed = on(&database, &["agent", "list", "--json"]).await.json();
    let agents = listed["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 3, "what was refused is not there: {listed}");
    let first = &agents[0];
    assert_eq!((&first["agentUuid"], &first["name"]), (&made["agentUuid"], &made["name"]));
    assert_eq!((&first["owner"], &first["permissions"]), (&json!("ada@example.com"), &made["permissions"]));
    assert_eq!(agents[2]["owner"], Value::Null);
    let table = on(&database, &["agent", "list"]).await.ok();
    assert!(table.contains(text(&made["agentUuid"])) && table.contains("ada@example.com"), "{table}");
    assert!(!table.contains("cho_") && !listed.to_string().contains("cho_"), "keys are shown once");
}

fn names(list: &Value) -> Vec<String> {
    let mut names: Vec<String> = list.as_array().unwrap().iter().map(|name| text(name).to_owned()).collect();
    names.sort_unstable();
    names
}

async fn keys_work_and_stop_working_at_once_while_the_server_runs(backend: Backend) {
    let site = Site::new(backend).await;
    let database = &site.database;
    let status = async |key: &Value| {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        site.server.client(text(key)).send(&ping).await.unwrap().status().as_u16()
    };
    let made = on(database, &["key", "create", "--agent", "admin", "--name", "laptop", "--json"]).await.json();
    assert_keys(&made, &["keyUuid", "agentUuid", "apiKey", "name", "expiresAt"]);
    assert_eq!((&made["agentUuid"], &made["name"]), (&json!(site.admin.id.to_string()), &json!("laptop")));
    assert_key(&made["apiKey"]);
    assert_eq!(status(&made["apiKey"]).await, 200);
    let id = site.admin.id.to_string();
    let brief = on(database, &["key", "create", "--agent", &id, "--expires-at", "2999-01-31", "--json"]).await.json();
    assert_eq!(brief["expiresAt"], "2999-01-31T00:00:00.000Z");
    assert_eq!(status(&brief["apiKey"]).await, 200);

    let listed = on(database, &["key", "list", "--json"]).await.json();
    let find = |listed: &Value, key: &Value| {
        listed["keys"].as_array().unwrap().iter().find(|row| row["keyUuid"] == key["keyUuid"]).cloned()
    };
    let row = find(&listed, &made).unwrap();
    let shown = text(&made["apiKey"]);
    assert_eq!(row["prefix"], format!("{}...{}", &shown[..8], &shown[43..]));
    assert_eq!((&row["agentName"], &row["name"]), (&json!("admin"), &json!("laptop")));
    assert!(!listed.to_string().contains(shown));

    let revoked = on(database, &["key", "revoke", text(&made["keyUuid"]), "--json"]).await.json();
    assert_eq!(revoked["keyUuid"], made["keyUuid"]);
    assert_eq!(status(&made["apiKey"]).await, 401);
    assert_eq!(status(&brief["apiKey"]).await, 200, "the agent and its other keys stay");
    let line = on(database, &["key", "revoke", text(&made["keyUuid"])]).await.failed(1);
    assert!(line.contains("revoked"), "{line}");
    let listed = on(database, &["key", "list", "--agent", "admin", "--json"]).await.json();
    assert_eq!((find(&listed, &made), find(&listed, &brief).is_some()), (None, true));

    // The operator's acts have an actor too.
    let acts: Vec<String> = database.audit().await.into_iter().filter(|line| line.starts_with("operator")).collect();
    assert_eq!(
        acts,
        ["operator command_line key create", "operator command_line key create", "operator command_line key revoke",]
    );

    let missing = "00000000-0000-7000-8000-000000000000";
    for (arguments, code) in [
        (&["key", "revoke", missing][..], 1),
        (&["key", "create", "--agent", "nobody"], 1),
        (&["key", "list", "--agent", "nobody"], 1),
        (&["key", "create", "--agent", "admin", "--name", " "], 2),
    ] {
        on(database, arguments).await.failed(code);
    }
    assert_eq!(on(database, &["key", "revoke", "laptop"]).await.code, Some(2));
    assert_eq!(on(database, &["key", "create", "--agent", "admin", "--expires-at", "soon"]).await.code, Some(2));
}

async fn a_database_is_checked_without_a_change_and_migrated_once(backend: Backend) {
    let database = Database::untouched(backend).await;
    let check = async || on(&database, &["db", "check", "--json"]).await;
    let before = check().await;
    assert_eq!(before.code, Some(1), "{before:?}");
    assert_eq!(on(&database, &["db", "reindex"]).await.code, Some(1));
    assert_eq!(check().await, before, "looking changes nothing");
    let migrated = on(&database, &["db", "migrate", "--json"]).await.json();
    assert!(!migrated["applied"].as_array().unwrap().is_empty(), "{migrated}");
    let after = check().await.json();
    assert_eq!((&after["upToDate"], &after["pending"]), (&json!(true), &json!([])));
    assert_eq!(on(&database, &["db", "migrate", "--json"]).await.json()["applied"], json!([]));
    assert!(on(&database, &["db", "check"]).await.ok().contains("up to date"));
    World::new(database.services().await).await.project("Found", Visibility::Public, &[]).await;
    assert_eq!(on(&database, &["db", "reindex", "--json"]).await.json()["indexed"], json!(1));
    assert!(on(&database, &["db", "reindex"]).await.ok().contains("entries: 1"));
    if backend == Backend::Postgres {
        assert!(!after.to_string().contains('@'), "no credentials: {after}");
    }
}

/// Several processes at once on one database that nothing was done to.
async fn operators_do_not_get_in_each_others_way(backend: Backend) {
    let database = Database::untouched(backend).await;
    let create = |turn: usize| {
        let mut command = chorus();
        command.args(["user", "create", "--name", "x", "--email", &format!("user{turn}@example.com")]);
        command.args(["--json", "--database-url", database.url()]);
        async move { run(&mut command).await }
    };
    let running: Vec<_> = (0..4).map(|turn| tokio::spawn(create(turn))).collect();
    for ran in running {
        ran.await.unwrap().json();
    }
    let services = database.services().await;
    let mut reads = services.store.read().await.unwrap();
    let companies = reads.operator().companies().await.unwrap();
    assert_eq!(companies.len(), 1);
    assert_eq!(reads.operator().users(companies[0].id).await.unwrap().len(), 4);
}

// Settings and failures.

#[tokio::test(flavor = "multi_thread")]
async fn flags_beat_the_environment_and_that_beats_the_configuration_file() {
    let folder = TempDir::new().unwrap();
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let config = folder.path().join("chorus.toml");
    fs::write(&config, format!("database-url = \"{}\"\nlisten = \"127.0.0.1:0\"\nsetup = \"off\"\n", url("file")))
        .unwrap();
    let migrate = || {
        let mut command = chorus();
        command.args(["db", "migrate", "--json"]);
        command
    };
    let database = async |command: &mut tokio::process::Command| run(command).await.json()["database"].clone();
    let by_file = || {
        let mut command = migrate();
        command.env("CHORUS_CONFIG", &config);
        command
    };
    assert_eq!(database(&mut by_file()).await, url("file"));
    assert_eq!(database(migrate().arg("--config").arg(&config)).await, url("file"));
    assert_eq!(database(by_file().env("DATABASE_URL", url("env"))).await, url("env"));
    let flagged =
        async |command: &mut tokio::process::Command| database(command.args(["--database-url", &url("flag")])).await;
    assert_eq!(flagged(by_file().env("DATABASE_URL", url("env"))).await, url("flag"));
    // A folder has a database in it.
    let data = folder.path().join("data");
    let named = database(migrate().arg("--data-dir").arg(&data)).await;
    assert_eq!(named, format!("sqlite:{}", data.join("chorus.db").display()));
    let by_env = folder.path().join("by env");
    let named = database(migrate().env("CHORUS_DATA_DIR", &by_env)).await;
    assert_eq!(named, format!("sqlite:{}", by_env.join("chorus.db").display()));

    // The server reads the same: with the file alone it starts on a free port and sets nothing up.
    let launch = Launch::at_home(folder.path()).env("CHORUS_LISTEN", "").env("CHORUS_CONFIG", &config);
    assert_eq!(launch.start().await.printed().lines().count(), 1);

    fs::write(&config, "lisen = \"x\"\n").unwrap();
    let line = run(&mut by_file()).await.failed(2);
    assert!(line.contains("lisen") && line.contains("chorus.toml"), "{line}");
    let line = run(migrate().args(["--config", "/nowhere/chorus.toml"])).await.failed(2);
    assert!(line.contains("/nowhere/chorus.toml"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_can_not_be_used_is_one_line_without_credentials() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "this is no database, and it is long enough to be read as one").unwrap();
    let below_a_file = format!("sqlite:{}", file.join("chorus.db").display());
    let no_database = format!("sqlite:{}", file.display());
    for (url, code) in [
        ("postgres://sesame:open-sesame@127.0.0.1:1/treasure", 1),
        (below_a_file.as_str(), 1),
        (no_database.as_str(), 1),
        ("mysql://sesame:open-sesame@127.0.0.1/treasure", 2),
        ("postgres://sesame:open-sesame@127.0.0.1:port/treasure", 2),
        ("postgres://sesame:open-sesame@127.0.0.1/treasure?sslmode=open-sesame", 2),
    ] {
        for arguments in
            [&["serve", "--listen", "127.0.0.1:0"][..], &["agent", "list"], &["db", "check"], &["db", "migrate"]]
        {
            let ran = run(chorus().args(arguments).args(["--database-url", url]).env("LOG_LEVEL", "off")).await;
            let line = ran.failed(code);
            assert!(line.starts_with("chorus: ") && !line.contains("sesame"), "{arguments:?} {line}");
        }
    }
    let database = Database::untouched(Backend::Postgres).await;
    let (scheme, rest) = database.url().split_once("://").unwrap();
    let stranger = format!("{scheme}://sesame:open-sesame@{}", rest.split_once('@').unwrap().1);
    let line = run(chorus().args(["db", "check", "--database-url", &stranger])).await.failed(1);
    assert!(!line.contains("sesame"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_can_not_start_says_why_in_one_line() {
    let site = Site::new(Backend::Sqlite).await;
    let taken = site.server.base().trim_start_matches("http://");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below_a_file = file.join("data").display().to_string();
    let below_a_file = below_a_file.as_str();
    for (arguments, code, named) in [
        (&["--listen", taken][..], 1, taken),
        (&["--listen", "256.0.0.1:1"], 1, "256.0.0.1:1"),
        (&["--listen", "nonsense"], 1, "nonsense"),
        (&["--listen", "127.0.0.1:0", "--data-dir", below_a_file], 1, below_a_file),
        (&["--listen", "127.0.0.1:0", "--public-url", "chorus.example.com"], 2, "chorus.example.com"),
        (&["--listen", "127.0.0.1:0", "--allow-origin", "*"], 2, "`*`"),
    ] {
        let mut command = chorus();
        command.arg("serve").args(arguments).env("HOME", folder.path()).env("LOG_LEVEL", "off");
        let line = run(command.env("XDG_DATA_HOME", folder.path().join("x"))).await.failed(code);
        assert!(line.starts_with("chorus: ") && line.contains(named), "{arguments:?} {line}");
    }
    for (name, value) in [("CHORUS_SETUP", "perhaps"), ("LOG_LEVEL", "chorus=loud"), ("CHORUS_LOG_FORMAT", "xml")] {
        let line = run(chorus().arg("serve").env(name, value).env("HOME", folder.path())).await.failed(2);
        assert!(line.starts_with("chorus: ") && line.contains(value), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_usage_ends_with_two() {
    for line in [
        "nonsense",
        "serve --nonsense",
        "serve --log-format xml",
        "user",
        "user create --name x",
        "agent create",
        "agent create --name",
        "key create",
        "key revoke",
        "db",
        "mcp",
        "mcp call",
        "mcp call t {} --args-file x",
        "--listen 127.0.0.1:0 agent list",
    ] {
        let ran = run(chorus().args(line.split(' '))).await;
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_names_every_flag_and_its_variable() {
    let place = ["--config", "CHORUS_CONFIG", "--database-url", "DATABASE_URL", "--data-dir", "CHORUS_DATA_DIR"];
    let serve = [
        "--listen",
        "CHORUS_LISTEN",
        "127.0.0.1:8637",
        "--public-url",
        "CHORUS_PUBLIC_URL",
        "--allow-origin",
        "CHORUS_ALLOW_ORIGINS",
        "--log-format",
        "CHORUS_LOG_FORMAT",
    ];
    let client = ["--url", "CHORUS_URL", "--api-key", "CHORUS_API_KEY"];
    let call = ["--arg ", "--arg-file", "--args-file", "JSON", "@PATH", "@@"];
    for (command, flags) in [
        ("", [&place[..], &serve, &["serve", "user", "agent", "key", "db", "mcp", "--version"]].concat()),
        ("serve", [&place[..], &serve].concat()),
        ("user create", [&place[..], &["--email", "--name", "--password-stdin", "--json"]].concat()),
        (
            "agent create",
            [&place[..], &["--name", "--owner", "--preset", "pm_agent", "--permission", "--json"]].concat(),
        ),
        ("agent list", [&place[..], &["--json"]].concat()),
        ("key create", [&place[..], &["--agent", "--name", "--expires-at", "--json"]].concat()),
        ("key list", [&place[..], &["--agent", "--json"]].concat()),
        ("key revoke", [&place[..], &["--json"]].concat()),
        ("db migrate", [&place[..], &["--json"]].concat()),
        ("db check", [&place[..], &["--json"]].concat()),
        ("mcp list", client.to_vec()),
        ("mcp whoami", client.to_vec()),
        ("mcp call", [&client[..], &call].concat()),
    ] {
        let help = run(chorus().args(command.split_whitespace()).arg("--help")).await.ok();
        for flag in flags {
            assert!(help.contains(flag), "`chorus {command} --help` does not mention {flag}:\n{help}");
        }
    }
    assert_eq!(run(chorus().arg("--version")).await.ok(), format!("chorus {}\n", env!("CARGO_PKG_VERSION")));
}

// Client commands.

/// A client command for the agent of a site.
fn mcp(site: &Site, arguments: &[&str]) -> tokio::process::Command {
    let mut command = chorus();
    command.arg("mcp").args(arguments).env("CHORUS_URL", site.server.base());
    command.env("CHORUS_API_KEY", &site.admin.key);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_one_a_line_and_the_agent_is_named() {
    let site = Site::new(Backend::Sqlite).await;
    let list = run(&mut mcp(&site, &["list"])).await.ok();
    let listed: Vec<(&str, &str)> = list.lines().map(|line| line.split_once(" — ").unwrap()).collect();
    let expected = site.client().tools().await;
    assert_eq!(listed.iter().map(|(name, _)| *name).collect::<Vec<_>>(), expected);
    assert!(listed.iter().all(|(_, description)| !description.trim().is_empty()));

    let id = format!("{}\n", site.admin.id);
    assert_eq!(run(&mut mcp(&site, &["whoami"])).await.ok(), id);
    // Flags beat the environment, wherever they stand, and the URL may be that of the endpoint.
    let other = site.world.agent("other", None, &[], &[]).await;
    let flags = ["--api-key", &other.key, "--url", &format!("{}/api/mcp/", site.server.base())];
    for arguments in [[&["whoami"][..], &flags].concat(), [&flags[..], &["whoami"]].concat()] {
        let mut command = mcp(&site, &arguments);
        let who = run(command.env("CHORUS_URL", "http://127.0.0.1:1")).await.ok();
        assert_eq!(who, format!("{}\n", other.id));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_prints_the_text_of_its_result_or_ends_with_one() {
    let site = Site::new(Backend::Sqlite).await;
    let made = run(&mut mcp(&site, &["call", "chorus_admin_create_project", r#"{"name":"p"}"#])).await.ok();
    assert!(!made.ends_with('\n'), "the text and nothing else: {made:?}");
    let made: Value = serde_json::from_str(&made).unwrap();
    let project = text(&made["uuid"]);
    let get = format!("projectUuid={project}");
    let found = run(&mut mcp(&site, &["call", "chorus_get_project", "--arg", &get])).await.json();
    assert_eq!(found["name"], "p");

    let missing = "projectUuid=00000000-0000-7000-8000-000000000000";
    for (arguments, named) in [
        (&["call", "chorus_get_project", "--arg", missing][..], "not found"),
        (&["call", "chorus_get_project"], "projectUuid"),
    ] {
        let line = run(&mut mcp(&site, arguments)).await.failed(1);
        assert!(line.contains(named), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_client_from_calling_ends_with_two() {
    let site = Site::new(Backend::Sqlite).await;
    let folder = TempDir::new().unwrap();
    let binary = folder.path().join("binary");
    fs::write(&binary, b"\xff\xfe").unwrap();
    let binary = format!("k={}", binary.display());
    for (arguments, named) in [
        (&["call", "chorus_list_projects", "{"][..], "JSON"),
        (&["call", "chorus_list_projects", "[]"], "JSON"),
        (&["call", "chorus_list_projects", "--arg", "x"], "`x`"),
        (&["call", "chorus_list_projects", "--args-file", "/nowhere"], "/nowhere"),
        (&["call", "chorus_list_projects", "--arg-file", "k=/nowhere"], "/nowhere"),
        (&["call", "chorus_list_projects", "--arg", "k=@/nowhere"], "/nowhere"),
        (&["call", "chorus_list_projects", "--arg-file", &binary], "UTF-8"),
        (&["call", "chorus_nothing"], "unknown tool `chorus_nothing`"),
        (&["list", "--url", "http://127.0.0.1:1"], "127.0.0.1:1"),
        (&["list", "--url", "nonsense"], "nonsense"),
        (&["list", "--api-key", "x"], "malformed"),
        (&["whoami", "--api-key", "cho_0123456789012345678901234567890123456789012"], "unknown"),
    ] {
        let line = run(&mut mcp(&site, arguments)).await.failed(2);
        assert!(line.contains(named), "{arguments:?}: {line}");
        assert!(!line.contains("cho_0") && !line.contains(&site.admin.key), "{line}");
    }
    let mut without = mcp(&site, &["list"]);
    let line = run(without.env_remove("CHORUS_API_KEY").env("HOME", folder.path())).await.failed(2);
    assert!(line.contains("--api-key") && line.contains("CHORUS_API_KEY"), "{line}");
}

/// Report 18.
#[tokio::test(flavor = "multi_thread")]
async fn files_arrive_to_the_byte() {
    let site = Site::new(Backend::Sqlite).await;
    let project = site.client().call("chorus_admin_create_project", json!({ "name": "p" })).await.ok();
    let project = text(&project["uuid"]).to_owned();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a file=with @ and spaces.md");
    let path = path.to_str().unwrap();
    let content = async |command: &mut tokio::process::Command, input: &str| {
        let made = run_with_input(command, input).await.json();
        let found = site.client().call("chorus_get_idea", json!({ "ideaUuid": made["uuid"] })).await.ok();
        text(&found["content"]).to_owned()
    };
    let base = json!({ "projectUuid": project, "title": "t", "content": "replaced" }).to_string();
    let create = |more: &[&str]| mcp(&site, &[&["call", "chorus_pm_create_idea", base.as_str()][..], more].concat());
    for text in [
        "no line break at the end",
        "one\n",
        "three\n\n\n",
        "\n\n  before\tand after \t \n",
        "carriage\r\nreturns\rtoo\r\n",
        "\"quotes\" 'and' `ticks` \\ \\n \\u0041 $HOME $(x) %s {} [] <&>",
        "\u{feff}Đồng bộ · 离线 · 오프라인 · 🚇 · e\u{301} · \u{202e}\u{200b}\u{2028}",
        "@not a file",
        "- nor this",
        "{\"json\": true}",
        "true",
        "42",
    ] {
        fs::write(path, text).unwrap();
        let file = format!("content={path}");
        let at_file = format!("content=@{path}");
        assert_eq!(content(&mut create(&["--arg-file", &file]), "").await, text);
        assert_eq!(content(&mut create(&["--arg", &at_file]), "").await, text);
        assert_eq!(content(&mut create(&["--arg-file", "content=-"]), text).await, text);
        assert_eq!(content(&mut create(&["--arg", "content=@-"]), text).await, text);
        let escaped = text.strip_prefix('@').map_or_else(|| text.to_owned(), |rest| format!("@@{rest}"));
        assert_eq!(content(&mut create(&["--arg", &format!("content={escaped}")]), "").await, text);
        let whole = json!({ "projectUuid": project, "title": "t", "content": text }).to_string();
        let from_input = &["call", "chorus_pm_create_idea", "--args-file", "-"];
        assert_eq!(content(&mut mcp(&site, from_input), &whole).await, text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn later_arguments_win_over_earlier_ones() {
    let site = Site::new(Backend::Sqlite).await;
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let base = write("base.json", "{\"name\": \"base\", \"description\": \"kept\"}\n");
    let file = format!("name={}", write("name", "from a file"));
    let name = async |more: &[&str]| {
        let arguments = [&["call", "chorus_admin_create_project", "--args-file", base.as_str()][..], more].concat();
        let made = run(&mut mcp(&site, &arguments)).await.json();
        let found = site.client().call("chorus_get_project", json!({ "projectUuid": made["uuid"] })).await.ok();
        assert_eq!(found["description"], "kept");
        text(&found["name"]).to_owned()
    };
    assert_eq!(name(&[]).await, "base");
    assert_eq!(name(&["--arg", "name=first", "--arg", "name=a=b"]).await, "a=b");
    assert_eq!(name(&["--arg", "name=first", "--arg-file", &file]).await, "from a file");
    assert_eq!(name(&["--arg-file", &file, "--arg", "name=last"]).await, "last");
}

/// Commands find nothing of another user's, and make nothing where they should only look.
#[tokio::test(flavor = "multi_thread")]
async fn looking_for_a_database_does_not_make_one() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    for arguments in [&["db", "check"][..], &["agent", "list"], &["key", "list"]] {
        run(chorus().args(arguments).arg("--data-dir").arg(&data)).await.failed(1);
        assert!(!Path::new(&data).exists(), "{arguments:?}");
    }
}

backends!(
    a_person_is_added_to_a_database_that_nothing_was_done_to,
    an_address_is_one_persons_whatever_its_case,
    an_agent_is_added_with_what_it_may_do,
    keys_work_and_stop_working_at_once_while_the_server_runs,
    a_database_is_checked_without_a_change_and_migrated_once,
    operators_do_not_get_in_each_others_way,
);
