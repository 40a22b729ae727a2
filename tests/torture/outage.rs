//! The database goes away and comes back while clients read and write.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chorus_testkit::{Backend, Client, Database, Server, World, chorus, http, run};
use chorus_visibility::{Role, Visibility};
use rand::{Rng as _, rngs::StdRng};
use serde_json::json;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{
    calling::{Said, call},
    crash::check_log,
    load::{self, Load},
    own_postgres::OwnPostgres,
    scale::{random, say, seed, times},
};

/// How long a server may take to work again once its database does, usually and at most.
const RECOVERY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// The same in calls, where the machine is so busy that this is longer.
const RECOVERY_IN_CALLS: u32 = 20;

/// A server on PostgreSQL with writers.
struct Scene {
    database: Database,
    server: Server,
    key: String,
    project: String,
    load: Load,
    chance: StdRng,
}

impl Scene {
    async fn on(database: Database, seed: u64) -> Self {
        let world = World::new(database.services().await).await;
        let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
        let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
        let server = Server::start(&database).await;
        let load = Load::begin(&server.client(&key), &project, 8, seed).await;
        Self { database, server, key, project, load, chance: random(seed, 0) }
    }

    fn client(&self) -> Client {
        self.server.client(&self.key)
    }

    /// Sleeps for some milliseconds of this range.
    async fn while_they_write(&mut self, millis: std::ops::RangeInclusive<u64>) {
        sleep(Duration::from_millis(self.chance.random_range(millis))).await;
    }

    /// Ends the writers and checks what they noted; says how often they had to repeat a call.
    async fn check(mut self) -> usize {
        let client = self.client();
        let noted = self.load.end().await;
        load::check(&client, &self.project, &noted, &mut self.chance).await;
        run(chorus().args(["db", "check", "--database-url", self.database.url()])).await.ok();
        check_log(&self.server.kill().await);
        load::repeated(&noted)
    }
}

/// The status of the server's own account of itself.
async fn health(base: &str) -> (u16, String) {
    let reply = http().get(format!("{base}/api/health")).send().await.unwrap();
    let status = reply.status().as_u16();
    let body: serde_json::Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    (status, body["database"].as_str().unwrap().to_owned())
}

/// Reads until it is told to stop; says what was not answered.
fn reading(client: Client, base: String, project: String, stop: Arc<AtomicBool>) -> JoinHandle<Vec<String>> {
    tokio::spawn(async move {
        let mut wrong = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let said = call(&client, "chorus_list_tasks", &json!({ "projectUuid": project })).await;
            if !matches!(said, Said::Answer(_)) {
                wrong.push(format!("{said:?}"));
            }
            let (status, database) = health(&base).await;
            if (status, database.as_str()) != (200, "connected") {
                wrong.push(format!("health: {status} {database}"));
            }
        }
        wrong
    })
}

/// The database is there, and so are its answers: whoever reads notices nothing.
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_off_are_replaced_unnoticed() {
    let seed = seed("connections cut off");
    let mut scene = Scene::on(Database::fresh(Backend::Postgres).await, seed).await;
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| reading(scene.client(), scene.server.base().to_owned(), scene.project.clone(), Arc::clone(&stop)))
        .collect();
    let rounds = times(10, 200);
    for _ in 0..rounds {
        scene.while_they_write(10..=300).await;
        scene.database.end_connections().await;
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        assert_eq!(reader.await.unwrap(), Vec::<String>::new());
    }
    let repeated = scene.check().await;
    say(&format!("{rounds} times all connections were cut off, {repeated} calls were repeated"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_outlives_restarts_of_its_database() {
    let seed = seed("restarts of PostgreSQL");
    let postgres = OwnPostgres::start().await;
    let mut scene = Scene::on(Database::on_server(postgres.url()).await, seed).await;
    let rounds = times(3, 60);
    let (mut recoveries, mut calls) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        scene.while_they_write(50..=500).await;
        let begun = Instant::now();
        scene.client().call("chorus_checkin", json!({})).await.ok();
        calls.push(begun.elapsed());
        postgres.halt(if round % 2 == 0 { "fast" } else { "immediate" }).await;
        let down = Instant::now();
        let (status, database) = health(scene.server.base()).await;
        assert_eq!((status, database.as_str()), (503, "disconnected"));
        assert!(down.elapsed() < Duration::from_secs(5), "health took {:?}", down.elapsed());
        scene.while_they_write(0..=1_500).await;
        postgres.resume().await;
        let back = Instant::now();
        let written = scene.load.acknowledged();
        while health(scene.server.base()).await.0 != 200 || scene.load.acknowledged() == written {
            assert!(back.elapsed() < RECOVERY.1, "round {round}: health is {:?}", health(scene.server.base()).await);
            sleep(Duration::from_millis(10)).await;
        }
        recoveries.push(back.elapsed());
    }
    recoveries.sort_unstable();
    calls.sort_unstable();
    let (usually, a_call) = (recoveries[rounds / 2], calls[rounds / 2]);
    assert!(usually <= RECOVERY.0.max(a_call * RECOVERY_IN_CALLS), "{recoveries:?}, where a call takes {a_call:?}");
    let repeated = scene.check().await;
    assert!(repeated > 0, "nobody noticed");
    say(&format!("{rounds} restarts, {repeated} calls were repeated, works again after {usually:?}"));
}
