//! The server is killed again and again while clients write.

use std::time::Duration;

use chorus_testkit::{Backend, Database, Launch, World, chorus, operator, run};
use chorus_visibility::{Role, Visibility};
use rand::Rng as _;
use tokio::time::sleep;

use crate::{
    backends, load,
    load::Load,
    scale::{random, say, seed, times},
};

/// An address that nobody listens on.
pub(crate) fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Passes if a log tells of no fault of the server's own.
#[track_caller]
pub(crate) fn check_log(log: &str) {
    for sign in ["panicked", "internal error", "a request was given up"] {
        assert!(!log.contains(sign), "{log}");
    }
}

async fn acknowledged_writes_outlive_every_kill(backend: Backend) {
    let seed = seed(&format!("kills on {backend:?}"));
    let mut chance = random(seed, 0);
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
    let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
    let launch = Launch::on(database.url()).env("CHORUS_LISTEN", free_address());
    let mut server = launch.clone().start().await;
    let load = Load::begin(&server.client(&key), &project, 8, seed).await;
    let rounds = times(6, 200);
    for round in 1..=rounds {
        sleep(Duration::from_millis(chance.random_range(20..=400))).await;
        check_log(&server.kill().await);
        if chance.random_ratio(1, 4) {
            // Once more while it starts.
            let mut early = launch.command().spawn().unwrap();
            sleep(Duration::from_millis(chance.random_range(0..=150))).await;
            early.kill().await.unwrap();
        }
        server = launch.clone().start().await;
        let checked = operator(database.url(), &["db", "check"]).await;
        assert_eq!(checked["contradictions"], serde_json::json!([]), "{checked}");
        if round % 20 == 0 || round == rounds {
            say(&format!("{round} of {rounds} kills on {backend:?}, {} writes acknowledged", load.acknowledged()));
        }
    }
    let noted = load.end().await;
    assert!(load::repeated(&noted) >= rounds, "nobody noticed the kills");
    load::check(&server.client(&key), &project, &noted, &mut chance).await;
    let log = server.kill().await;
    check_log(&log);
    run(chorus().args(["db", "check", "--database-url", database.url()])).await.ok();
}

backends!(acknowledged_writes_outlive_every_kill);
