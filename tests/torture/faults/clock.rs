//! A clock that steps back, and forth.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use chorus_app::{Clock, Services, SystemClock};
use chorus_http::{App, Config, Mount};
use chorus_ids::Timestamp;
use chorus_mcp::ServerInfo;
use chorus_testkit::{Backend, Client, Database, World};
use chorus_visibility::{Role, Visibility};
use rand::Rng as _;
use serde_json::{Value, json};

use crate::{
    backends, load,
    scale::{random, seed, times},
};

/// Microseconds.
const HOUR: i64 = 3_600 * 1_000_000;

/// The machine's clock, put forward or back.
#[derive(Clone, Default)]
struct Moved(Arc<AtomicI64>);

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_micros(self.0.load(Ordering::Relaxed))
    }
}

async fn a_clock_that_steps_back_loses_nothing(backend: Backend) {
    let seed = seed(&format!("clock on {backend:?}"));
    let mut chance = random(seed, 0);
    let database = Database::fresh(backend).await;
    let clock = Moved::default();
    let services = Services { clock: Arc::new(clock.clone()), ..database.services().await };
    let world = World::new(database.services().await).await;
    let project = world.project("p", Visibility::Private, &[(world.first_user, Role::Admin)]).await.to_string();
    let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
    let mount = Mount::new("/api/mcp", Arc::new(chorus_tools::surface().unwrap()), ServerInfo::new("chorus", "1"));
    let app = App::new(services, [mount], Config::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap()), &key);
    tokio::spawn(chorus_http::serve(listener, app, std::future::pending()));

    let mut tasks = Vec::new();
    let mut answers: Vec<(&'static str, Value, Value)> = Vec::new();
    let rounds = times(30, 400);
    for round in 0..rounds {
        // Within what an answer is remembered for, so that every key still counts.
        clock.0.store(chance.random_range(-10 * HOUR..10 * HOUR), Ordering::Relaxed);
        let mut keyed = async |tool: &'static str, mut arguments: Value| {
            arguments["idempotencyKey"] = json!(format!("{round}-{tool}"));
            let answer = client.call(tool, arguments.clone()).await.ok();
            answers.push((tool, arguments, answer.clone()));
            answer
        };
        let task = json!([{ "title": format!("t{round}"), "acceptanceCriteriaItems": [{ "description": "c" }] }]);
        let made = keyed("chorus_create_tasks", json!({ "projectUuid": project, "tasks": task })).await;
        let task = made["tasks"][0]["uuid"].clone();
        clock.0.store(chance.random_range(-10 * HOUR..10 * HOUR), Ordering::Relaxed);
        keyed("chorus_claim_task", json!({ "taskUuid": task })).await;
        keyed("chorus_add_comment", json!({ "targetType": "task", "targetUuid": task, "content": "c" })).await;
        clock.0.store(chance.random_range(-10 * HOUR..10 * HOUR), Ordering::Relaxed);
        let started = keyed("chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })).await;
        assert_eq!((&started["status"], &started["version"]), (&json!("in_progress"), &json!(3)));
        client.call("chorus_checkin", json!({})).await.ok();
        client.call("chorus_get_notifications", json!({})).await.ok();
        tasks.push(task);
        let (tool, arguments, answer) = &answers[chance.random_range(0..answers.len())];
        assert_eq!(&client.call(tool, arguments.clone()).await.ok(), answer, "done twice");
    }
    let listed = load::rows(&client, "chorus_list_tasks", json!({ "projectUuid": project }), "tasks").await;
    assert_eq!(listed.len(), rounds);
    assert!(tasks.iter().all(|task| listed.iter().any(|row| row["uuid"] == *task)));
    let activities = load::rows(&client, "chorus_get_activity", json!({ "projectUuid": project }), "activities").await;
    assert_eq!(activities.iter().filter(|activity| activity["action"] == "assigned").count(), rounds);
    let events = database.events().await;
    let of_tasks = events.iter().filter(|event| event.entity == chorus_domain::Kind::Task).count();
    assert_eq!(of_tasks, rounds * 4, "made, claimed, remarked on, started");
    let contradictions = world.services.store.read().await.unwrap().operator().contradictions(10).await.unwrap();
    assert_eq!(contradictions, []);
}

backends!(a_clock_that_steps_back_loses_nothing);
