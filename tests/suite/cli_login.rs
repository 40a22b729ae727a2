//! Keeping keys: `chorus login` and `logout`, and which key a client command takes.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use chorus_testkit::{Backend, Ran, Site, WorldAgent, chorus, run, run_with_input};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A person with a home directory.
struct Person(TempDir);

impl Person {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[]).await
    }

    async fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        run(chorus().args(arguments).env("HOME", self.0.path()).envs(variables.iter().copied())).await
    }

    fn file(&self) -> PathBuf {
        self.0.path().join(".chorus/daemon.json")
    }

    fn kept(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.file()).unwrap()).unwrap()
    }

    fn keep(&self, document: &str) {
        fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        fs::write(self.file(), document).unwrap();
    }

    /// Whom a client command acts as, without its line break.
    async fn who(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.run_with(&[&["mcp", "whoami"][..], arguments].concat(), variables).await
    }
}

fn whoami(agent: &WorldAgent) -> String {
    format!("{}\n", agent.id)
}

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_works_is_kept_for_its_owner_and_used_without_flags() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let base = site.server.base();
    let login = ["login", "--url", base, "--api-key", &site.admin.key];
    let answer = person.run(&[&login[..], &["--json"]].concat()).await.json();
    let id = site.admin.id.to_string();
    let file = person.file().display().to_string();
    assert_eq!(answer, json!({ "agentUuid": id, "agentName": "admin", "url": base, "file": file }));
    let entry = json!({ "apiKey": site.admin.key, "url": base, "agentUuid": id, "agentName": "admin" });
    assert_eq!(person.kept(), json!({ "agents": [entry] }));
    assert_eq!((mode(&person.file()), mode(person.file().parent().unwrap())), (0o600, 0o700));
    assert_eq!(fs::read_dir(person.file().parent().unwrap()).unwrap().count(), 1, "nothing else is left");
    assert_eq!(person.who(&[], &[]).await.ok(), whoami(&site.admin));
    let listed = person.run(&["mcp", "list"]).await.ok();
    assert!(listed.contains("chorus_checkin — "), "{listed}");
    // Again is no harm, and what a person reads holds no key.
    let said = person.run(&login).await.ok();
    assert!(said.contains("admin") && said.contains(base) && !said.contains(&site.admin.key), "{said}");
    assert_eq!(person.kept()["agents"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_can_say_all_of_it() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let variables = [("CHORUS_URL", site.server.base()), ("CHORUS_API_KEY", site.admin.key.as_str())];
    person.run_with(&["login"], &variables).await.ok();
    assert_eq!(person.who(&[], &[]).await.ok(), whoami(&site.admin));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_keep_in_the_file_stays() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let (base, id) = (site.server.base(), site.admin.id.to_string());
    let kept = json!({
        "permissionMode": "chorus-only",
        "daemon": { "cwds": ["/work"], "n": 1.5 },
        "agents": [
            { "apiKey": "cho_old", "url": format!("{base}/"), "agentUuid": id, "agentName": "old name", "cwds": ["/a"],
              "maxConcurrency": 7, "unknown": { "deep": [null] } },
            { "apiKey": "cho_elsewhere", "url": "https://elsewhere.example", "agentUuid": id, "agentName": "same id" },
        ],
    });
    person.keep(&kept.to_string());
    person.run(&["login", "--url", base, "--api-key", &site.admin.key]).await.ok();
    let mut expected = kept;
    let entry = expected["agents"][0].as_object_mut().unwrap();
    for (field, value) in [("apiKey", site.admin.key.as_str()), ("url", base), ("agentName", "admin")] {
        entry.insert(field.to_owned(), json!(value));
    }
    assert_eq!(person.kept(), expected);
    assert_eq!(mode(&person.file()), 0o600, "also if it was readable before");
    person.run(&["logout", "--url", base]).await.ok();
    expected["agents"].as_array_mut().unwrap().remove(0);
    assert_eq!(person.kept(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_agents_one_is_selected_and_never_guessed() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let base = site.server.base();
    let other = site.world.agent("other", None, &[], &[]).await;
    for agent in [&site.admin, &other] {
        person.run(&["login", "--url", base, "--api-key", &agent.key]).await.ok();
    }
    let line = person.who(&[], &[]).await.failed(2);
    for part in ["admin", "other", &site.admin.id.to_string(), "--agent", "CHORUS_AGENT_PROFILE"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!line.contains("cho_"), "{line}");
    let other_id = other.id.to_string();
    let profile = |name| [("CHORUS_AGENT_PROFILE", name)];
    assert_eq!(person.who(&["--agent", "other"], &[]).await.ok(), whoami(&other));
    assert_eq!(person.who(&["--agent", &other_id], &[]).await.ok(), whoami(&other));
    assert_eq!(person.who(&[], &profile("other")).await.ok(), whoami(&other));
    assert_eq!(person.who(&["--agent", "admin"], &profile("other")).await.ok(), whoami(&site.admin));
    let line = person.who(&["--agent", "nobody"], &[]).await.failed(2);
    assert!(line.contains("`nobody`") && line.contains("chorus login"), "{line}");
    // Flags and variables beat the file.
    let variables = [("CHORUS_URL", base), ("CHORUS_API_KEY", other.key.as_str())];
    assert_eq!(person.who(&[], &variables).await.ok(), whoami(&other));
    assert_eq!(person.who(&["--api-key", &site.admin.key], &variables).await.ok(), whoami(&site.admin));
    assert_eq!(person.who(&["--agent", "admin"], &variables).await.ok(), whoami(&site.admin));

    let line = person.run(&["logout"]).await.failed(2);
    assert!(line.contains("admin") && line.contains("other"), "{line}");
    let gone = person.run(&["logout", "--agent", "admin", "--json"]).await.json();
    assert_eq!(gone["loggedOut"][0]["agentName"], "admin");
    assert_eq!(person.who(&[], &[]).await.ok(), whoami(&other), "the only one need not be named");
    person.run(&["logout"]).await.ok();
    assert_eq!(person.kept(), json!({ "agents": [] }));
    let line = person.run(&["logout"]).await.failed(1);
    assert!(line.contains("nobody is logged in"), "{line}");
    let line = person.who(&[], &[]).await.failed(2);
    assert!(line.contains("chorus login") && line.contains("--api-key") && line.contains("CHORUS_API_KEY"), "{line}");
    // Logging out ends no key.
    assert_eq!(person.who(&["--url", base, "--api-key", &other.key], &[]).await.ok(), whoami(&other));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_are_forgotten_at_once() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let top =
        json!({ "apiKey": "cho_top", "url": "https://top.example", "other": 1, "agents": [{ "apiKey": "cho_x" }] });
    person.keep(&top.to_string());
    person.run(&["login", "--url", site.server.base(), "--api-key", &site.admin.key]).await.ok();
    let gone = person.run(&["logout", "--all", "--json"]).await.json();
    assert_eq!(gone["loggedOut"].as_array().unwrap().len(), 3, "{gone}");
    assert_eq!(person.kept(), json!({ "url": "https://top.example", "other": 1, "agents": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_only_sent_where_it_belongs() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    person.run(&["login", "--url", site.server.base(), "--api-key", &site.admin.key]).await.ok();
    let other = Site::new(Backend::Sqlite).await;
    let base = other.server.base();
    for ran in [person.who(&["--url", base], &[]).await, person.who(&[], &[("CHORUS_URL", base)]).await] {
        let line = ran.failed(2);
        assert!(line.contains(base) && line.contains("chorus login"), "{line}");
    }
    // The same server under the URL of its endpoint.
    let endpoint = format!("{}/api/mcp", site.server.base());
    assert_eq!(person.who(&["--url", &endpoint], &[]).await.ok(), whoami(&site.admin));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_unless_the_key_works() {
    let site = Site::new(Backend::Sqlite).await;
    let base = site.server.base();
    let unknown = "cho_0123456789012345678901234567890123456789012";
    for kept in [None, Some("{\"agents\": [{\"apiKey\": \"cho_kept\"}]}\n")] {
        let person = Person::new();
        if let Some(kept) = kept {
            person.keep(kept);
        }
        for (arguments, named) in [
            (&["--url", base, "--api-key", unknown][..], "unknown"),
            (&["--url", base, "--api-key", "nonsense"], "malformed"),
            (&["--url", "http://127.0.0.1:1", "--api-key", unknown], "127.0.0.1:1"),
            (&["--url", "nonsense", "--api-key", unknown], "nonsense"),
            (&["--url", base], "--api-key"),
        ] {
            let line = person.run(&[&["login"][..], arguments].concat()).await.failed(2);
            assert!(line.contains(named) && !line.contains(unknown), "{line}");
        }
        match kept {
            None => assert!(!person.file().parent().unwrap().exists()),
            Some(kept) => assert_eq!(fs::read_to_string(person.file()).unwrap(), kept),
        }
    }
    // A file that can't be understood is left alone, and said to be so.
    for broken in ["{", "[]", "{\"agents\": 7}"] {
        let person = Person::new();
        person.keep(broken);
        let line = person.run(&["login", "--url", base, "--api-key", &site.admin.key]).await.failed(2);
        assert!(line.contains("daemon.json"), "{line}");
        assert_eq!(fs::read_to_string(person.file()).unwrap(), broken);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_log_in_at_once_are_all_kept() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let mut agents = Vec::new();
    for n in 0..4 {
        agents.push(site.world.agent(&format!("agent {n}"), None, &[], &[]).await);
    }
    let running: Vec<_> = agents
        .iter()
        .map(|agent| {
            let mut command = chorus();
            command.args(["login", "--url", site.server.base(), "--api-key", &agent.key]).env("HOME", person.0.path());
            tokio::spawn(async move { run(&mut command).await })
        })
        .collect();
    for ran in running {
        ran.await.unwrap().ok();
    }
    assert_eq!(person.kept()["agents"].as_array().unwrap().len(), agents.len(), "{}", person.kept());
}

/// `script` gives the command a terminal of its own, and types what stands on standard input.
#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_the_key_is_asked_for_and_not_shown() {
    let site = Site::new(Backend::Sqlite).await;
    let person = Person::new();
    let mut script = tokio::process::Command::new("script");
    let line = format!("{} login --url {}", chorus_testkit::chorus_binary().display(), site.server.base());
    script.args(["--quiet", "--return", "--echo", "never", "--command", &line, "/dev/null"]);
    script.env_remove("CHORUS_API_KEY").env("HOME", person.0.path());
    let ran = run_with_input(&mut script, &format!("{}\n", site.admin.key)).await;
    assert!(ran.code == Some(0) && ran.out.contains("API key: ") && !ran.out.contains(&site.admin.key), "{ran:?}");
    assert_eq!(person.who(&[], &[]).await.ok(), whoami(&site.admin));
}
