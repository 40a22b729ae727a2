//! Several processes on one PostgreSQL database, behind a proxy that sends nobody to the same one twice, are one server.

use std::{collections::BTreeSet, time::Duration};

use chorus_testkit::{Backend, Balancer, Client, Database, EventStream, Launch, Server, World, chorus, http, run};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{
    crash::check_log,
    load::{self, Load},
    scale::{random, say, seed, times},
};

/// Servers behind a balancer.
struct Fleet {
    database: Database,
    servers: Vec<Server>,
    balancer: Balancer,
    project: String,
    key: String,
}

impl Fleet {
    async fn of(count: usize) -> Self {
        Self::on(Database::fresh(Backend::Postgres).await, count).await
    }

    /// On this database, which is migrated.
    async fn on(database: Database, count: usize) -> Self {
        let world = World::new(database.services().await).await;
        let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
        let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
        let mut servers = Vec::new();
        for number in 0..count {
            // One of them looks for changes instead of listening.
            let events = if number == 1 { "poll" } else { "notify" };
            servers.push(Launch::on(database.url()).flag("--events", events).start().await);
        }
        let balancer = Balancer::before(servers.iter().map(|server| server.base().to_owned())).await;
        Self { database, servers, balancer, project, key }
    }

    fn client(&self) -> Client {
        Client::new(self.balancer.base(), &self.key)
    }
}

/// What servers do that speak PostgreSQL's protocol and have no advisory locks: say so, or pretend.
const WITHOUT_LOCKS: [&str; 2] = ["BEGIN RAISE EXCEPTION 'no such lock'; END", "BEGIN RETURN true; END"];

/// Takes the advisory locks away from a database. To ask for one is refused, or answered without having one.
async fn take_locks(database: &Database, asked: &str) {
    let none = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no such lock''; END'";
    let take = format!(
        "CREATE FUNCTION public.pg_try_advisory_lock(bigint) RETURNS boolean LANGUAGE plpgsql AS $f$ {asked} $f$; \
         CREATE FUNCTION public.pg_advisory_lock(bigint) RETURNS void {none}; \
         CREATE FUNCTION public.pg_advisory_xact_lock(bigint) RETURNS void {none}; \
         DO $d$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); \
         END $d$"
    );
    chorus_store_diesel::testing::run_on_postgres(database.url(), &take).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_that_start_at_once_set_up_one_database() {
    for _ in 0..times(1, 15) {
        start_at_once(Database::untouched(Backend::Postgres).await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_advisory_locks_is_set_up_once_as_well() {
    for asked in WITHOUT_LOCKS {
        for _ in 0..times(1, 15) {
            let database = Database::untouched(Backend::Postgres).await;
            take_locks(&database, asked).await;
            start_at_once(database).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_on_a_server_without_advisory_locks_take_turns_as_well() {
    let seed = seed("a fleet without advisory locks");
    for asked in WITHOUT_LOCKS {
        let database = Database::fresh(Backend::Postgres).await;
        take_locks(&database, asked).await;
        let fleet = Fleet::on(database, 2).await;
        let client = fleet.client();
        let load = Load::begin(&client, &fleet.project, 8, seed).await;
        for _ in 0..times(1, 20) {
            sleep(Duration::from_millis(1_500)).await;
        }
        let noted = load.end().await;
        load::check(&client, &fleet.project, &noted, &mut random(seed, 0)).await;
        run(chorus().args(["db", "check", "--database-url", fleet.database.url()])).await.ok();
        for server in fleet.servers {
            let log = server.kill().await;
            assert!(log.contains("no advisory locks"), "{log}");
            check_log(&log);
        }
    }
}

/// Starts four processes on a database that nothing was done to.
async fn start_at_once(database: Database) {
    let homes: Vec<TempDir> = (0..4).map(|_| TempDir::new().unwrap()).collect();
    let starts: Vec<_> = homes
        .iter()
        .map(|home| tokio::spawn(Launch::at_home(home.path()).env("DATABASE_URL", database.url()).start()))
        .collect();
    let mut servers = Vec::new();
    for start in starts {
        servers.push(start.await.unwrap());
    }
    let keys: Vec<String> = homes
        .iter()
        .filter_map(|home| std::fs::read_to_string(home.path().join("data/chorus/admin.key")).ok())
        .collect();
    assert_eq!(keys.len(), 1, "one of them makes the first agent");
    for server in servers {
        let client = server.client(keys[0].trim());
        let me = client.call("chorus_checkin", json!({})).await.ok();
        assert_eq!(me["agent"]["name"], "admin", "{me}");
        check_log(&server.kill().await);
    }
    run(chorus().args(["db", "check", "--database-url", database.url()])).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_notice_neither_that_there_are_several_nor_that_one_dies() {
    let seed = seed("a fleet");
    let mut fleet = Fleet::of(3).await;
    let client = fleet.client();
    let load = Load::begin(&client, &fleet.project, 8, seed).await;
    for _ in 0..times(1, 20) {
        sleep(Duration::from_millis(1_500)).await;
    }
    check_log(&fleet.servers.pop().unwrap().kill().await);
    let before = load.acknowledged();
    sleep(Duration::from_millis(1_500)).await;
    assert!(load.acknowledged() > before, "nobody goes on");
    let noted = load.end().await;
    load::check(&client, &fleet.project, &noted, &mut random(seed, 0)).await;
    run(chorus().args(["db", "check", "--database-url", fleet.database.url()])).await.ok();
    say(&format!("{} calls were repeated", load::repeated(&noted)));
    for server in fleet.servers {
        check_log(&server.kill().await);
    }
}

/// What one process hands out another one takes: cursors and tokens of confirmation; each once.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_cursors_hold_at_every_process() {
    let fleet = Fleet::of(3).await;
    let client = fleet.client();
    for number in 0..25 {
        let idea = json!({ "projectUuid": fleet.project, "title": format!("idea {number}") });
        client.call("chorus_pm_create_idea", idea).await.ok();
    }
    let mut seen = BTreeSet::new();
    let mut arguments = json!({ "projectUuid": fleet.project, "pageSize": 4 });
    loop {
        let page = client.call("chorus_get_ideas", arguments.clone()).await.ok();
        for idea in page["ideas"].as_array().unwrap() {
            assert!(seen.insert(idea["uuid"].as_str().unwrap().to_owned()), "{idea} twice");
        }
        match page.get("nextCursor") {
            Some(Value::String(cursor)) => arguments["cursor"] = json!(cursor),
            _ => break,
        }
    }
    assert_eq!(seen.len(), 25);

    let group = client.call("chorus_admin_create_project_group", json!({ "name": "g" })).await.ok()["uuid"].clone();
    let read = client.call("chorus_get_project_group", json!({ "groupUuid": group })).await.ok();
    let mut now = read["visibility"].as_str().unwrap().to_owned();
    for _ in 0..times(4, 40) {
        let next = if now == "public" { "private" } else { "public" };
        let change = |name: &str, value: Value| json!({ "groupUuid": group, "visibility": next, name: value });
        let shown = client.call("chorus_admin_update_project_group", change("preview", json!(true))).await.ok();
        let confirmed = change("confirmationToken", shown["confirmationToken"].clone());
        let changed = client.call("chorus_admin_update_project_group", confirmed.clone()).await.ok();
        assert_eq!(changed["visibility"], next);
        let again = client.call("chorus_admin_update_project_group", confirmed).await;
        assert_eq!(again.code(), "stale_confirmation", "{again:?}");
        next.clone_into(&mut now);
    }
}

/// A stream hears of what is done at other processes, whether its own listens to the database or looks at it.
#[tokio::test(flavor = "multi_thread")]
async fn streams_hear_of_every_process() {
    let fleet = Fleet::of(3).await;
    let client = fleet.client();
    let task = json!([{ "title": "t", "acceptanceCriteriaItems": [{ "description": "c" }] }]);
    let made = client.call("chorus_create_tasks", json!({ "projectUuid": fleet.project, "tasks": task })).await.ok();
    let id = made["tasks"][0]["uuid"].as_str().unwrap().to_owned();
    let uri = format!("chorus://projects/{}/tasks/{id}", fleet.project);
    let mut streams = Vec::new();
    for _ in 0..3 {
        let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
        let mut stream = EventStream::of(client.modern("subscriptions/listen", wanted).await);
        stream.message().await;
        streams.push(stream);
    }
    for round in 0..times(3, 30) {
        let words = json!({ "targetType": "task", "targetUuid": id, "content": format!("round {round}") });
        client.call("chorus_add_comment", words).await.ok();
        for stream in &mut streams {
            let told = stream.message().await;
            assert_eq!(told["method"], "notifications/resources/updated", "{told}");
            assert_eq!(told["params"]["uri"], json!(uri));
        }
    }
}

/// A session of the older transport lives in one process. Without stickiness it can't work, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_lives_elsewhere_is_refused_in_words() {
    let fleet = Fleet::of(3).await;
    let mut stream = EventStream::of(fleet.client().get("/sse").send().await.unwrap());
    let endpoint = stream.next().await;
    assert_eq!(endpoint.name, "endpoint");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } } });
    let mut taken = 0;
    for _ in 0..3 {
        let posted = fleet.client().post_to(&endpoint.data).body(hello.to_string()).send().await.unwrap();
        match posted.status().as_u16() {
            202 => taken += 1,
            404 => {
                let text = posted.text().await.unwrap();
                assert!(text.contains("sticky sessions"), "{text}");
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(taken, 1, "one of three is the right one");

    // The door can be closed instead.
    let closed = Launch::on(fleet.database.url()).flag("--legacy-sse", "off").start().await;
    let answer = http().get(format!("{}/sse", closed.base())).bearer_auth(&fleet.key).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 404);
}
