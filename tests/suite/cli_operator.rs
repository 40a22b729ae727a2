//! Operator commands for companies, people and agents, and what they change for a server that runs meanwhile.

use std::collections::BTreeSet;

use chorus_app::{Call, Context, Narrowing, agent::require_present};
use chorus_domain::{
    Kind, Party, Write,
    access::Granted,
    identity::Agent,
    notification::{Notification, Topic},
};
use chorus_ids::{AgentId, ProjectId, UserId, Uuid};
use chorus_store::Error;
use chorus_testkit::{
    Backend, Client, Database, Launch, Ran, Server, Site, World, chorus, operator, run, run_with_input,
};
use chorus_visibility::{Principal, Restriction, Role, Visibility, scope};
use serde_json::{Value, json};

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
    let found: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, expected.iter().copied().collect(), "{value}");
}

fn column<'v>(list: &'v Value, rows: &str, field: &str) -> Vec<&'v str> {
    list[rows].as_array().unwrap().iter().map(|row| text(&row[field])).collect()
}

// Companies.

async fn where_there_are_several_companies_one_is_named(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    // The first one need not be named.
    operator(url, &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;
    let second = operator(url, &["company", "create", "--name", " Zweite Größe "]).await;
    assert_keys(&second, &["companyUuid", "name", "createdAt"]);
    assert_eq!(second["name"], "Zweite Größe");
    let listed = operator(url, &["company", "list"]).await;
    assert_eq!(column(&listed, "companies", "name"), ["Workspace", "Zweite Größe"]);
    let table = on(&database, &["company", "list"]).await.ok();
    assert!(table.contains(text(&second["companyUuid"])) && table.contains("Workspace"), "{table}");

    // From now on it has to be, and the refusal says which there are.
    for arguments in [
        &["user", "create", "--email", "bo@example.com", "--name", "Bo"][..],
        &["user", "list"],
        &["user", "password", "--email", "ada@example.com", "--password-stdin"],
        &["user", "invite", "--email", "bo@example.com", "--name", "Bo"],
        &["user", "reset", "ada@example.com"],
        &["user", "sessions", "ada@example.com"],
        &["user", "sign-out", "ada@example.com"],
        &["user", "suspend", "ada@example.com"],
        &["user", "resume", "ada@example.com"],
        &["user", "remove", "ada@example.com"],
        &["agent", "create", "--name", "bot"],
        &["agent", "list"],
        &["agent", "show", "bot"],
        &["agent", "update", "bot", "--name", "x"],
        &["agent", "delete", "bot"],
        &["key", "create", "--agent", "bot"],
        &["key", "list"],
        &["key", "revoke", "00000000-0000-7000-8000-000000000000"],
    ] {
        let mut command = chorus();
        let ran = run_with_input(command.args(arguments).args(["--database-url", url]), "a secret sentence\n").await;
        let line = ran.failed(2);
        assert!(line.contains("--company") && line.contains("Workspace") && line.contains("Zweite Größe"), "{line}");
    }

    // By name without case, or by UUID. The same address may be used in both.
    let uuid = text(&second["companyUuid"]);
    let create = ["user", "create", "--email", "ada@example.com", "--name", "Another", "--company", "zweite größe"];
    let other = operator(url, &create).await;
    let agent = ["agent", "create", "--name", "bot", "--owner", "ada@example.com", "--company", uuid];
    let agent = operator(url, &agent).await;
    let users = operator(url, &["user", "list", "--company", uuid]).await;
    assert_eq!(column(&users, "users", "userUuid"), [text(&other["userUuid"])]);
    let users = operator(url, &["user", "list", "--company", "workspace"]).await;
    assert_eq!(column(&users, "users", "name"), ["Ada"]);
    let agents = operator(url, &["agent", "list", "--company", uuid]).await;
    assert_eq!(column(&agents, "agents", "agentUuid"), [text(&agent["agentUuid"])]);
    assert_eq!(operator(url, &["agent", "list", "--company", "workspace"]).await["agents"], json!([]));
    // What belongs to another company is not there.
    for arguments in [&["agent", "show", text(&agent["agentUuid"])][..], &["agent", "delete", "bot"]] {
        on(&database, &[arguments, &["--company", "workspace"]].concat()).await.failed(1);
    }
    operator(url, &["agent", "show", "bot", "--company", uuid]).await;

    for (arguments, code) in [
        (&["company", "create", "--name", "ZWEITE GRÖSSE"][..], 0),
        (&["company", "create", "--name", "zweite größe"], 1),
        (&["company", "create", "--name", " "], 2),
        (&["user", "list", "--company", "third"], 1),
        (&["user", "create", "--email", "x@y", "--name", "x", "--company", "third"], 1),
    ] {
        assert_eq!(on(&database, arguments).await.code, Some(code), "{arguments:?}");
    }
    let acts = database.audit().await;
    assert_eq!(acts.iter().filter(|act| *act == "operator command_line company create").count(), 2, "{acts:?}");
}

async fn a_company_that_is_named_is_not_made_by_the_way(backend: Backend) {
    let database = Database::untouched(backend).await;
    let create = ["user", "create", "--email", "a@b", "--name", "x", "--company", "Workspace"];
    let line = on(&database, &create).await.failed(1);
    assert!(line.contains("`Workspace`") && line.contains("chorus company list"), "{line}");
    assert_eq!(operator(database.url(), &["company", "list"]).await["companies"], json!([]));
    let line = on(&database, &["user", "list"]).await.failed(1);
    assert!(line.contains("chorus serve") && line.contains("chorus user create"), "{line}");
}

// People.

async fn people_are_listed_and_get_passwords(backend: Backend) {
    let database = Database::untouched(backend).await;
    let url = database.url();
    let ada = operator(url, &["user", "create", "--email", "Ada@example.com", "--name", "Ada"]).await;
    operator(url, &["user", "create", "--email", "bo@example.com", "--name", "Bo"]).await;
    let set = async |email: &str, password: &str| {
        let mut command = chorus();
        command.args(["user", "password", "--email", email, "--password-stdin", "--json", "--database-url", url]);
        run_with_input(&mut command, password).await
    };
    let changed = set("ada@EXAMPLE.com", "correct horse\n").await.json();
    assert_eq!(changed, json!({ "userUuid": ada["userUuid"], "email": "Ada@example.com", "name": "Ada" }));
    let listed = operator(url, &["user", "list"]).await;
    assert_keys(&listed["users"][0], &["userUuid", "email", "name", "hasPassword", "suspendedAt", "createdAt"]);
    assert_eq!(column(&listed, "users", "name"), ["Ada", "Bo"]);
    assert_eq!((&listed["users"][0]["hasPassword"], &listed["users"][1]["hasPassword"]), (&json!(true), &json!(false)));
    assert!(!listed.to_string().contains("argon2"), "{listed}");

    let hash = async || {
        let services = database.services().await;
        let mut reads = services.store.read().await.unwrap();
        let company = reads.operator().companies().await.unwrap()[0].id;
        reads.operator().user_by_email(company, "ada@example.com").await.unwrap().unwrap().password_hash.unwrap()
    };
    let first = hash().await;
    assert!(first.starts_with("$argon2id$") && !first.contains("horse"), "{first}");
    set("ada@example.com", "another horse\r\n").await.json();
    let second = hash().await;
    assert_ne!(first, second);
    for (email, password, code, named) in [
        ("nobody@example.com", "correct horse", 1, "nobody@example.com"),
        ("ada@example.com", " \n", 2, "password"),
        ("ada@example.com", "too short", 2, "12 characters"),
        ("ada@example.com", "ADA@example.com", 2, "address"),
    ] {
        let line = set(email, password).await.failed(code);
        assert!(line.contains(named), "{line}");
    }
    // Without a terminal there is nobody to ask.
    let line = on(&database, &["user", "password", "--email", "ada@example.com"]).await.failed(2);
    assert!(line.contains("--password-stdin"), "{line}");
    assert_eq!(hash().await, second, "what was refused changed nothing");
    let acts = database.audit().await;
    assert_eq!(acts.iter().filter(|act| *act == "operator command_line user password").count(), 2, "{acts:?}");
}

/// `script` gives the command a terminal of its own, and types what stands on standard input.
#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_a_password_is_asked_for_twice_and_not_shown() {
    let database = Database::untouched(Backend::Sqlite).await;
    operator(database.url(), &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;
    let type_in = async |typed: &str| {
        let mut script = tokio::process::Command::new("script");
        let binary = chorus_testkit::chorus_binary();
        let line = format!("{} user password --email ada@example.com", binary.display());
        script.args(["--quiet", "--return", "--echo", "never", "--command", &line, "/dev/null"]);
        run_with_input(script.env("DATABASE_URL", database.url()), typed).await
    };
    let differ = type_in("sesame one\nsesame two\n").await;
    assert!(differ.code == Some(2) && differ.out.contains("differ"), "{differ:?}");
    let users = operator(database.url(), &["user", "list"]).await;
    assert_eq!(users["users"][0]["hasPassword"], false);
    let done = type_in("open sesame now\nopen sesame now\n").await;
    assert!(done.code == Some(0) && done.out.contains("New password: "), "{done:?}");
    assert!(!done.out.contains("sesame") && !differ.out.contains("sesame"), "{done:?} {differ:?}");
    assert_eq!(operator(database.url(), &["user", "list"]).await["users"][0]["hasPassword"], true);
}

// Agents.

async fn a_changed_agent_is_another_from_its_next_request_on(backend: Backend) {
    let database = Database::fresh(backend).await;
    let url = database.url();
    operator(url, &["user", "create", "--email", "ada@example.com", "--name", "Ada"]).await;
    operator(url, &["user", "create", "--email", "bo@example.com", "--name", "Bo"]).await;
    let create = ["agent", "create", "--name", "bot", "--owner", "ada@example.com", "--preset", "developer_agent"];
    let made = operator(url, &create).await;
    let server = Server::start(&database).await;
    let client = server.client(text(&made["apiKey"]));
    let can = async |tool: &str| client.tools().await.iter().any(|known| known == tool);
    assert!(can("chorus_claim_task").await && !can("chorus_admin_verify_task").await);

    let update = async |arguments: &[&str]| operator(url, &[&["agent", "update"][..], arguments].concat()).await;
    let updated = update(&["bot", "--no-presets", "--permission", "task:admin", "--persona", " Careful. "]).await;
    assert_keys(&updated, &["agentUuid", "name", "owner", "presets", "permissions", "persona", "released"]);
    assert_eq!((&updated["permissions"], &updated["persona"]), (&json!(["task:admin"]), &json!("Careful.")));
    assert_eq!((&updated["owner"], &updated["name"]), (&json!("ada@example.com"), &json!("bot")));
    assert!(!can("chorus_claim_task").await && can("chorus_admin_verify_task").await);
    assert_eq!(client.call("chorus_checkin", json!({})).await.ok()["agent"]["persona"], "Careful.");

    // What is not named stays.
    let renamed = update(&["bot", "--name", "bot 2", "--owner", "BO@example.com"]).await;
    assert_eq!((&renamed["name"], &renamed["owner"]), (&json!("bot 2"), &json!("bo@example.com")));
    assert_eq!((&renamed["permissions"], &renamed["persona"]), (&updated["permissions"], &updated["persona"]));
    let me = client.call("chorus_checkin", json!({})).await.ok();
    assert_eq!((&me["agent"]["name"], &me["agent"]["owner"]["email"]), (&json!("bot 2"), &json!("bo@example.com")));
    let bare = update(&["bot 2", "--no-owner", "--no-permissions", "--no-persona"]).await;
    assert_eq!((&bare["owner"], &bare["permissions"], &bare["persona"]), (&json!(null), &json!([]), &json!(null)));
    let presets = update(&["bot 2", "--preset", "pm_agent", "--preset", "developer_agent"]).await;
    let mut names: Vec<_> = presets["presets"].as_array().unwrap().iter().map(text).collect();
    names.sort_unstable();
    assert_eq!(names, ["developer_agent", "pm_agent"]);

    let shown = operator(url, &["agent", "show", text(&made["agentUuid"])]).await;
    assert_keys(
        &shown,
        &[
            "agentUuid",
            "name",
            "company",
            "owner",
            "presets",
            "singlePermissions",
            "permissions",
            "persona",
            "systemPrompt",
            "lastActiveAt",
            "createdAt",
            "keys",
            "holds",
        ],
    );
    assert_eq!((&shown["name"], &shown["permissions"]), (&json!("bot 2"), &presets["permissions"]));
    assert_eq!(shown["holds"], json!({ "unfinishedTasks": 0, "finishedTasks": 0, "ideas": 0 }));
    assert_eq!(shown["keys"].as_array().unwrap().len(), 1);
    assert!(!shown.to_string().contains(text(&made["apiKey"])), "{shown}");
    let told = on(&database, &["agent", "show", "bot 2"]).await.ok();
    assert!(told.contains("bot 2") && told.contains("public projects only") && told.contains("task:write"), "{told}");

    for (arguments, code, named) in [
        (&["bot 2", "--preset", "pm"][..], 2, "`pm`"),
        (&["bot 2", "--permission", "task:*"], 2, "`task:*`"),
        (&["bot 2", "--name", " "], 2, "name"),
        (&["bot 2", "--owner", "nobody@example.com"], 1, "nobody@example.com"),
        (&["bot", "--name", "x"], 1, "`bot`"),
    ] {
        let line = on(&database, &[&["agent", "update"][..], arguments].concat()).await.failed(code);
        assert!(line.contains(named), "{line}");
    }
    assert_eq!(on(&database, &["agent", "update", "bot 2"]).await.code, Some(2), "nothing to change");
    assert_eq!(operator(url, &["agent", "show", "bot 2"]).await["owner"], json!(null), "what was refused is not there");
    let acts = database.audit().await;
    assert_eq!(acts.iter().filter(|act| *act == "operator command_line agent update").count(), 4, "{acts:?}");
}

// Removing an agent (report 35).

/// A project with work in every state that an agent can leave behind.
struct Left {
    site: Site,
    project: ProjectId,
    owner: UserId,
    bot: AgentId,
    key: String,
    tasks: Vec<Uuid>,
    ideas: Vec<Uuid>,
}

/// New tasks with these titles that nothing keeps from being verified.
async fn make_tasks(client: &Client, project: ProjectId, titles: impl IntoIterator<Item = String>) -> Vec<Uuid> {
    let criteria = json!([{ "description": "It works", "required": false }]);
    let task = |title: String| json!({ "title": title, "acceptanceCriteriaItems": criteria });
    let tasks: Vec<Value> = titles.into_iter().map(task).collect();
    let made = client.call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await.ok();
    column(&made, "tasks", "uuid").into_iter().map(|uuid| uuid.parse().unwrap()).collect()
}

const STATES: [&str; 5] = ["assigned", "in progress", "submitted", "done", "closed"];

impl Left {
    async fn new(backend: Backend) -> Self {
        let site = Site::new(backend).await;
        let owner = site.world.user("dora").await;
        let project = site.world.project("p", Visibility::Public, &[(owner, Role::Editor)]).await;
        let bot = site.world.agent("bot 봇", Some(owner), &["pm_agent"], &[]).await;
        let (admin, client) = (site.client(), site.server.client(&bot.key));
        let tasks = make_tasks(&admin, project, STATES.map(str::to_owned)).await;
        for (task, state) in tasks.iter().zip(STATES) {
            let it = json!({ "taskUuid": task });
            client.call("chorus_claim_task", it.clone()).await.ok();
            if matches!(state, "in progress" | "submitted" | "done") {
                let report = json!({ "taskUuid": task, "report": "begun", "status": "in_progress" });
                client.call("chorus_report_work", report).await.ok();
            }
            if matches!(state, "submitted" | "done") {
                client.call("chorus_submit_for_verify", it.clone()).await.ok();
            }
            if state == "done" {
                admin.call("chorus_admin_verify_task", it.clone()).await.ok();
            }
            if state == "closed" {
                admin.call("chorus_admin_close_task", it).await.ok();
            }
        }
        let mut ideas = Vec::new();
        for title in ["elaborating", "elaborated"] {
            let new = json!({ "projectUuid": project, "title": title });
            let idea = client.call("chorus_pm_create_idea", new).await.ok()["uuid"].clone();
            client.call("chorus_claim_idea", json!({ "ideaUuid": idea })).await.ok();
            if title == "elaborated" {
                let skip = json!({ "ideaUuid": idea, "reason": "clear" });
                client.call("chorus_pm_skip_elaboration", skip).await.ok();
            }
            ideas.push(text(&idea).parse().unwrap());
        }
        Self { site, project, owner, bot: bot.id, key: bot.key, tasks, ideas }
    }

    async fn task(&self, index: usize) -> Value {
        self.site.client().call("chorus_get_task", json!({ "taskUuid": self.tasks[index] })).await.ok()
    }

    async fn told(&self, user: UserId) -> Vec<Notification> {
        let world = &self.site.world;
        let principal = Principal { company: world.company, user: Some(user), first_user: Some(world.first_user) };
        let scope = scope(&principal, Restriction::Everything);
        let mut reads = world.services.store.read().await.unwrap();
        let unread = reads.unread(&scope, Party::User(user), 100).await.unwrap().recent;
        unread.into_iter().filter(|one| one.topic == Topic::AgentRemoved).collect()
    }
}

fn item(kind: &str, uuid: Uuid, title: &str, was: &str) -> Value {
    json!({ "type": kind, "uuid": uuid, "title": title, "was": was })
}

async fn a_removed_agent_leaves_nothing_that_nobody_can_finish(backend: Backend) {
    let left = Left::new(backend).await;
    let (database, admin) = (&left.site.database, left.site.client());
    let events = database.events().await;
    let deleted = operator(database.url(), &["agent", "delete", "bot 봇"]).await;

    // The answer says what became of everything.
    let by = |list: &Value| {
        let mut items = list.as_array().unwrap().clone();
        items.sort_by_key(ToString::to_string);
        items
    };
    let mut freed = vec![
        item("task", left.tasks[0], "assigned", "assigned"),
        item("task", left.tasks[1], "in progress", "in_progress"),
        item("idea", left.ideas[0], "elaborating", "elaborating"),
        item("idea", left.ideas[1], "elaborated", "elaborated"),
    ];
    freed.sort_by_key(ToString::to_string);
    assert_eq!(by(&deleted["freed"]), freed);
    assert_eq!(deleted["awaitingVerification"], json!([item("task", left.tasks[2], "submitted", "to_verify")]));
    let counts = ["agentUuid", "name", "keysRevoked", "sessionsClosed", "finishedKept"].map(|key| deleted[key].clone());
    assert_eq!(counts, [json!(left.bot), json!("bot 봇"), json!(1), json!(0), json!(2)]);

    // And so it is.
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(left.site.server.client(&left.key).send(&ping).await.unwrap().status(), 401);
    let mut found = Vec::new();
    for index in 0..STATES.len() {
        let task = left.task(index).await;
        found.push((task["status"].clone(), task["assignee"]["name"].clone()));
    }
    let (nobody, bot) = (json!(null), json!("bot 봇"));
    assert_eq!(
        found,
        [
            (json!("open"), nobody.clone()),
            (json!("open"), nobody.clone()),
            (json!("to_verify"), bot.clone()),
            (json!("done"), bot.clone()),
            (json!("closed"), bot.clone()),
        ]
    );
    for (idea, status) in left.ideas.iter().zip(["open", "elaborated"]) {
        let idea = admin.call("chorus_get_idea", json!({ "ideaUuid": idea })).await.ok();
        assert_eq!((&idea["status"], &idea["assignee"]), (&json!(status), &nobody));
        assert_eq!(idea["createdBy"]["name"], bot, "who made it stays readable");
    }
    let comments = json!({ "targetType": "task", "targetUuid": left.tasks[3] });
    let comments = admin.call("chorus_get_comments", comments).await.ok();
    assert_eq!(comments["comments"][0]["author"]["name"], bot);

    // The stream and the events say it too.
    let stream = json!({ "projectUuid": left.project, "pageSize": 100 });
    let stream = admin.call("chorus_get_activity", stream).await.ok();
    let released: BTreeSet<String> = stream["activities"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["action"] == "released")
        .map(|row| {
            let value = json!({ "reason": "agent_removed", "agentUuid": left.bot, "agentName": "bot 봇" });
            assert_eq!((&row["actorName"], &row["value"]), (&json!("Operator"), &value));
            text(&row["targetTitle"]).to_owned()
        })
        .collect();
    let titles = ["assigned", "in progress", "elaborating", "elaborated"];
    assert_eq!(released, titles.map(str::to_owned).into());
    let news: Vec<_> = database.events().await.into_iter().filter(|event| !events.contains(event)).collect();
    let changed: BTreeSet<_> = news.iter().map(|event| (event.entity, event.id, event.change)).collect();
    let mut expected: BTreeSet<_> = [(Kind::Agent, left.bot.uuid(), "deleted")].into();
    expected.extend(left.tasks[..2].iter().map(|task| (Kind::Task, *task, "updated")));
    expected.extend(left.ideas.iter().map(|idea| (Kind::Idea, *idea, "updated")));
    assert_eq!((changed, news.len()), (expected, 5));
    let acts = database.audit().await;
    assert!(acts.contains(&"operator command_line agent delete".to_owned()), "{acts:?}");

    // One person is told, with a list.
    let told = left.told(left.owner).await;
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert!(told.message.contains("\"bot 봇\"") && titles.iter().all(|title| told.message.contains(title)), "{told:?}");
    assert!(!told.message.contains("submitted") && !told.message.contains("done"), "{told:?}");
    assert_eq!((told.project, told.project_name.as_str()), (Some(left.project), "p"));
    let opens = (told.entity, told.entity_id);
    assert!(opens == (Kind::Task, left.tasks[0]) || opens == (Kind::Task, left.tasks[1]), "{told:?}");
    assert_eq!(left.told(left.site.world.first_user).await, []);

    // Others take over.
    for task in &left.tasks[..2] {
        let claimed = admin.call("chorus_claim_task", json!({ "taskUuid": task })).await.ok();
        assert_eq!((&claimed["status"], &claimed["assignee"]["name"]), (&json!("assigned"), &json!("admin")));
    }
    admin.call("chorus_claim_idea", json!({ "ideaUuid": left.ideas[0] })).await.ok();
    // What waited for verification can be found wanting, and is free then.
    let reopen = json!({ "taskUuid": left.tasks[2] });
    let reopened = admin.call("chorus_admin_reopen_task", reopen.clone()).await.ok();
    assert_eq!((&reopened["status"], &reopened["assignee"]), (&json!("open"), &nobody));
    admin.call("chorus_claim_task", reopen).await.ok();
    // Twice is no harm.
    let line = on(database, &["agent", "delete", &left.bot.to_string()]).await.failed(1);
    assert!(line.contains("chorus agent list"), "{line}");
}

async fn an_owner_is_told_only_of_what_they_may_see(backend: Backend) {
    let left = Left::new(backend).await;
    let world = &left.site.world;
    // The agent gets work where its next owner has no access.
    let secret = world.project("secret", Visibility::Private, &[(left.owner, Role::Admin)]).await;
    let client = left.site.server.client(&left.key);
    let tasks = make_tasks(&client, secret, ["Treasure".to_owned()]).await;
    client.call("chorus_claim_task", json!({ "taskUuid": tasks[0] })).await.ok();
    let next = world.user("next").await;
    // Written past the commands, which would have made it let go of that.
    let mut reads = world.services.store.read().await.unwrap();
    let agent = reads.directory().agent_credential(left.bot).await.unwrap().unwrap().agent;
    drop(reads);
    world.write(vec![Write::SaveAgent(Agent { owner: Some(next), ..agent })]).await;
    let url = left.site.database.url();
    let deleted = operator(url, &["agent", "delete", "bot 봇"]).await;
    let titles: Vec<_> = deleted["freed"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    assert!(titles.contains(&"Treasure"), "the operator sees all: {titles:?}");
    let told = left.told(next).await;
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert!(told.message.contains("assigned") && !told.message.contains("Treasure"), "{told:?}");
    assert_eq!(told.project, Some(left.project));
}

async fn an_ownerless_agents_work_is_told_to_the_first_user(backend: Backend) {
    let left = Left::new(backend).await;
    let url = left.site.database.url();
    operator(url, &["agent", "update", "bot 봇", "--no-owner"]).await;
    let printed = on(&left.site.database, &["agent", "delete", "bot 봇"]).await.ok();
    for part in ["bot 봇", "Free for others", "(was in_progress)", "waiting for verification", "keep its name: 2"] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    assert_eq!((left.told(left.site.world.first_user).await.len(), left.told(left.owner).await.len()), (1, 0));
    // An agent that held nothing leaves nobody anything to hear of.
    operator(url, &["agent", "create", "--name", "idle"]).await;
    assert!(on(&left.site.database, &["agent", "delete", "idle"]).await.ok().contains("Nothing was held"));
    assert_eq!(left.told(left.site.world.first_user).await.len(), 1);
}

async fn giving_something_to_a_removed_agent_is_refused_clearly(backend: Backend) {
    let site = Site::new(backend).await;
    let world = &site.world;
    let (gone, here) = (world.agent("gone", None, &[], &[]).await, world.agent("here", None, &[], &[]).await);
    operator(site.database.url(), &["agent", "delete", "gone"]).await;
    let services = &world.services;
    let (caller, ids) = (world.caller(site.admin.id).await, services.ids.clone());
    let call = Call::new(caller, Granted::operator(), Narrowing::Nothing, world.now(), Context::default(), ids);
    let refused = async |party: Party| {
        let mut tx = services.store.begin().await.unwrap();
        let refused = require_present(&call, tx.as_mut(), party).await;
        tx.rollback().await.unwrap();
        match refused {
            Ok(()) => None,
            Err(Error::Refused(refusal)) => Some((refusal.code.as_str(), refusal.text)),
            Err(error) => panic!("{error:?}"),
        }
    };
    assert_eq!(refused(Party::Agent(here.id)).await, None);
    assert_eq!(refused(Party::User(world.first_user)).await, None);
    let (code, text) = refused(Party::Agent(gone.id)).await.unwrap();
    assert!(code == "assignee_no_access" && text.contains("`gone` was removed"), "{text}");
    let (code, text) = refused(Party::Agent(world.id())).await.unwrap();
    assert!(code == "assignee_no_access" && text.contains("no such agent"), "{text}");
}

/// An agent that claims while it is removed: whoever comes first, nothing open stays with it.
async fn no_claim_slips_through_a_removal(backend: Backend) {
    let site = Site::new(backend).await;
    let project = site.world.project("p", Visibility::Public, &[]).await;
    for trial in 0..6 {
        let name = format!("bot {trial}");
        let bot = site.world.agent(&name, Some(site.world.first_user), &["developer_agent"], &[]).await;
        let titles = (0..10).map(|n| format!("{trial}-{n}"));
        let claiming: Vec<_> = make_tasks(&site.client(), project, titles)
            .await
            .into_iter()
            .map(|task| {
                let client = site.server.client(&bot.key);
                tokio::spawn(async move {
                    let claim = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                        "params": { "name": "chorus_claim_task", "arguments": { "taskUuid": task } } });
                    client.send(&claim).await.unwrap().status()
                })
            })
            .collect();
        operator(site.database.url(), &["agent", "delete", &name]).await;
        for claim in claiming {
            let status = claim.await.unwrap();
            assert!(status == 200 || status == 401, "{status}");
        }
        let listed = json!({ "projectUuid": project, "pageSize": 100 });
        let listed = site.client().call("chorus_list_tasks", listed).await.ok();
        for task in listed["tasks"].as_array().unwrap() {
            assert_eq!((&task["status"], &task["assignee"]), (&json!("open"), &json!(null)), "trial {trial}");
        }
    }
}

// Agents without any permission.

async fn agents_without_any_permission_are_refused_where_that_is_asked_for(backend: Backend) {
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let bare = world.agent("bare", Some(world.first_user), &[], &[]).await;
    let scoped = world.agent("scoped", Some(world.first_user), &[], &["task:read"]).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let answer = async |server: &Server, key: &str| {
        let response = server.client(key).send(&ping).await.unwrap();
        let challenge = response.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), challenge, response.json::<Value>().await.unwrap())
    };
    // By default it has the public tools.
    let open = Server::start(&database).await;
    assert_eq!(answer(&open, &bare.key).await.0, 200);
    assert!(open.client(&bare.key).tools().await.contains(&"chorus_checkin".to_owned()));

    let by_variable = Launch::on(database.url()).env("CHORUS_REFUSE_UNSCOPED_AGENTS", "true").start().await;
    let by_flag = Launch::on(database.url()).flag("--refuse-unscoped-agents", "--log-level=warn").start().await;
    for server in [&by_variable, &by_flag] {
        let (status, challenge, body) = answer(server, &bare.key).await;
        assert_eq!(status, 401, "{body}");
        let challenge = challenge.unwrap();
        assert!(challenge.starts_with("Bearer realm=\"chorus\", error=\"invalid_token\", "), "{challenge}");
        let said = text(&body["error"]);
        assert!(challenge.contains(said) && said.contains("without any permission"), "{challenge} {body}");
        assert!(said.contains("chorus agent update"), "it says what to do: {said}");
        assert_eq!(answer(server, &scoped.key).await.0, 200);
        // A key that is none is told so first.
        let unknown = "cho_0123456789012345678901234567890123456789012";
        assert!(text(&answer(server, unknown).await.2["error"]).contains("unknown"));
    }
    // What the operator changes counts with the next request.
    operator(database.url(), &["agent", "update", "bare", "--permission", "idea:read"]).await;
    assert_eq!(answer(&by_flag, &bare.key).await.0, 200);
    operator(database.url(), &["agent", "update", "bare", "--no-permissions"]).await;
    assert_eq!(answer(&by_flag, &bare.key).await.0, 401);
}

// Help and completions.

#[tokio::test(flavor = "multi_thread")]
async fn help_of_every_command_teaches_it() {
    for (command, parts) in [
        ("company create", &["--name", "--json", "Example:"][..]),
        ("company list", &["--json"]),
        ("user create", &["--company", "--password-stdin", "Example:"]),
        ("user list", &["--company", "--json"]),
        ("user password", &["--email", "--password-stdin", "--company", "terminal", "Example:"]),
        (
            "user invite",
            &[
                "--email",
                "--name",
                "--public-url",
                "CHORUS_PUBLIC_URL",
                "--company",
                "--json",
                "seven days",
                "Example:",
            ],
        ),
        ("user reset", &["--public-url", "--company", "--json", "within a day", "Example:"]),
        ("user sessions", &["--company", "--json", "Example:"]),
        ("user sign-out", &["--company", "--json", "Example:"]),
        ("user suspend", &["--yes", "--company", "--json", "have not finished", "chorus user resume", "Example:"]),
        ("user resume", &["--company", "--json", "roles", "Example:"]),
        ("user remove", &["--yes", "--company", "--json", "another owner first", "Example:"]),
        ("agent create", &["--company", "Example:"]),
        ("agent show", &["--company", "--json", "Example:"]),
        (
            "agent update",
            &[
                "--name",
                "--owner",
                "--no-owner",
                "--preset",
                "--no-presets",
                "--permission",
                "--no-permissions",
                "--persona",
                "--no-persona",
                "--company",
                "next request",
                "Example:",
            ],
        ),
        ("agent delete", &["--company", "--json", "free for others", "Example:"]),
        ("key create", &["--company", "Example:"]),
        ("key revoke", &["--company"]),
        ("serve", &["--refuse-unscoped-agents", "CHORUS_REFUSE_UNSCOPED_AGENTS"]),
        ("backup", &["--force", "--json", "pg_dump", "Example:"]),
        ("login", &["--url", "--api-key", "CHORUS_API_KEY", "daemon.json", "Example:"]),
        ("logout", &["--agent", "--url", "--all", "--json"]),
        ("mcp list", &["--agent", "CHORUS_AGENT_PROFILE", "chorus login"]),
        ("completions", &["bash", "zsh", "fish", "Example:"]),
    ] {
        let help = run(chorus().args(command.split_whitespace()).arg("--help")).await.ok();
        for part in parts {
            assert!(help.contains(part), "`chorus {command} --help` does not mention {part}:\n{help}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shells_complete_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(chorus().args(["completions", shell])).await.ok();
        for word in ["backup", "login", "company", "refuse-unscoped-agents"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    assert_eq!(run(chorus().args(["completions", "tcsh"])).await.code, Some(2));
}

backends!(
    where_there_are_several_companies_one_is_named,
    a_company_that_is_named_is_not_made_by_the_way,
    people_are_listed_and_get_passwords,
    a_changed_agent_is_another_from_its_next_request_on,
    a_removed_agent_leaves_nothing_that_nobody_can_finish,
    an_owner_is_told_only_of_what_they_may_see,
    an_ownerless_agents_work_is_told_to_the_first_user,
    giving_something_to_a_removed_agent_is_refused_clearly,
    no_claim_slips_through_a_removal,
    agents_without_any_permission_are_refused_where_that_is_asked_for,
);
