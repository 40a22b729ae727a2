//! A swarm drives a graph of tasks to done, and nothing in the database contradicts anything else afterwards.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chorus_testkit::{Backend, CallResult, Client, Database, Server, World};
use chorus_visibility::{Role, Visibility};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::backends;

/// Tasks of the graph.
const TASKS: usize = 200;
/// Tasks made by one call.
const BATCH: usize = 40;
/// Agents that work.
const DEVELOPERS: usize = 8;
/// How long the swarm may take; far more than it needs.
const PATIENCE: Duration = Duration::from_secs(240);

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn ids(list: &Value) -> Vec<String> {
    list["tasks"].as_array().unwrap().iter().map(|task| text(&task["uuid"])).collect()
}

/// Makes the tasks; each waits for up to three earlier ones. Gives their prerequisites.
async fn plan(pm: &Client, project: &str, seed: u64) -> BTreeMap<String, BTreeSet<String>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut made: Vec<String> = Vec::new();
    let mut graph = BTreeMap::new();
    while made.len() < TASKS {
        let mut waits = Vec::new();
        let tasks: Vec<Value> = (0..BATCH)
            .map(|nth| {
                let few = if made.is_empty() { 0 } else { rng.random_range(0..=3) };
                let before: BTreeSet<String> =
                    (0..few).map(|_| made[rng.random_range(0..made.len())].clone()).collect();
                waits.push(before.clone());
                json!({
                    "title": format!("任务 {}", made.len() + nth),
                    "priority": (["low", "medium", "high"][nth % 3]),
                    "acceptanceCriteriaItems": [{ "description": "It works" }, { "description": "It is quick" }],
                    "dependsOnTaskUuids": before,
                })
            })
            .collect();
        let arguments =
            json!({ "projectUuid": project, "tasks": tasks, "idempotencyKey": format!("plan-{}", made.len()) });
        let answer = pm.call("chorus_create_tasks", arguments).await.ok();
        let new = ids(&answer);
        graph.extend(new.iter().cloned().zip(waits));
        made.extend(new);
    }
    graph
}

/// What one developer did.
#[derive(Default)]
struct Done {
    /// Tasks it claimed and submitted.
    finished: Vec<String>,
    /// Claims that it lost to another.
    lost: usize,
}

/// Takes one unblocked task after another until none is left to take and all are done.
async fn develop(me: Client, project: String, name: String, seed: u64) -> Done {
    let mut rng = StdRng::seed_from_u64(seed);
    let session = me.call("chorus_create_session", json!({ "name": name })).await.ok();
    let session = text(&session["uuid"]);
    let mut done = Done::default();
    loop {
        let mine = me.call("chorus_get_my_assignments", json!({})).await.ok();
        let reopened = in_status(&mine, "in_progress");
        if let Some(task) = reopened.first() {
            // The reviewer sent it back.
            me.call("chorus_submit_for_verify", json!({ "taskUuid": task, "summary": "Again" })).await.ok();
            continue;
        }
        let free = me.call("chorus_get_unblocked_tasks", json!({ "projectUuid": project, "pageSize": 20 })).await.ok();
        let open: Vec<String> = free["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|task| task["status"] == "open")
            .map(|task| text(&task["uuid"]))
            .collect();
        if open.is_empty() {
            let left = me.call("chorus_get_project", json!({ "projectUuid": project })).await.ok();
            let finished = me.call("chorus_list_tasks", json!({ "projectUuid": project, "status": "done" })).await.ok();
            if finished["total"] == left["_count"]["tasks"] {
                break;
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
            continue;
        }
        let task = open[rng.random_range(0..open.len())].clone();
        let claim = json!({ "taskUuid": task, "idempotencyKey": format!("claim-{task}") });
        match me.call("chorus_claim_task", claim).await {
            CallResult::Answer(_) => {}
            lost => {
                assert_eq!(lost.code(), "already_claimed", "{lost:?}");
                done.lost += 1;
                continue;
            }
        }
        work(&me, &session, &task).await;
        done.finished.push(task);
    }
    me.call("chorus_close_session", json!({ "sessionUuid": session })).await.ok();
    done
}

fn in_status(assignments: &Value, status: &str) -> Vec<String> {
    let projects = assignments["taskTracker"].as_object().unwrap();
    let rows = projects.values().flat_map(|project| project["tasks"].as_array().unwrap());
    rows.filter(|task| task["status"] == status).map(|task| text(&task["uuid"])).collect()
}

/// Does a claimed task.
async fn work(me: &Client, session: &str, task: &str) {
    let here = json!({ "sessionUuid": session, "taskUuid": task });
    me.call("chorus_session_checkin_task", here.clone()).await.ok();
    let begin = json!({ "taskUuid": task, "status": "in_progress", "sessionUuid": session });
    me.call("chorus_update_task", begin).await.ok();
    let report = json!({ "taskUuid": task, "report": "Half of it", "sessionUuid": session });
    me.call("chorus_report_work", report).await.ok();
    let read = me.call("chorus_get_task", json!({ "taskUuid": task })).await.ok();
    let criteria = read["acceptanceCriteriaItems"].as_array().unwrap();
    let marks: Vec<Value> = criteria
        .iter()
        .map(|one| json!({ "uuid": one["uuid"], "devStatus": "passed", "devEvidence": "ran it" }))
        .collect();
    me.call("chorus_report_criteria_self_check", json!({ "taskUuid": task, "criteria": marks })).await.ok();
    me.call("chorus_submit_for_verify", json!({ "taskUuid": task, "summary": "Done" })).await.ok();
    me.call("chorus_session_checkout_task", here).await.ok();
    me.call("chorus_session_heartbeat", json!({ "sessionUuid": session })).await.ok();
}

/// Verifies what is submitted until all is done; every tenth task is sent back once.
async fn review(admin: Client, project: String) -> usize {
    let mut sent_back = BTreeSet::new();
    let mut verified = 0;
    while verified < TASKS {
        let waiting = json!({ "projectUuid": project, "status": "to_verify", "pageSize": 100 });
        let waiting = ids(&admin.call("chorus_list_tasks", waiting).await.ok());
        if waiting.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for task in waiting {
            if verified % 10 == 9 && sent_back.len() <= verified / 10 && sent_back.insert(task.clone()) {
                admin.call("chorus_admin_reopen_task", json!({ "taskUuid": task })).await.ok();
                continue;
            }
            let read = admin.call("chorus_get_task", json!({ "taskUuid": task })).await.ok();
            let criteria = read["acceptanceCriteriaItems"].as_array().unwrap();
            let marks: Vec<Value> =
                criteria.iter().map(|one| json!({ "uuid": one["uuid"], "status": "passed" })).collect();
            admin.call("chorus_mark_acceptance_criteria", json!({ "taskUuid": task, "criteria": marks })).await.ok();
            let verify = json!({ "taskUuid": task, "idempotencyKey": format!("verify-{task}") });
            admin.call("chorus_admin_verify_task", verify).await.ok();
            verified += 1;
        }
    }
    sent_back.len()
}

/// Every row of a list, by cursor.
async fn walk(client: &Client, tool: &str, arguments: Value, key: &str) -> (Vec<Value>, u64) {
    let mut all = Vec::new();
    let mut next = Value::Null;
    loop {
        let mut arguments = arguments.clone();
        arguments["pageSize"] = json!(100);
        if next.is_string() {
            arguments["cursor"] = next;
        }
        let page = client.call(tool, arguments).await.ok();
        all.extend(page[key].as_array().unwrap().iter().cloned());
        next = page["nextCursor"].clone();
        if !next.is_string() {
            return (all, page["total"].as_u64().unwrap());
        }
    }
}

async fn a_swarm_drives_two_hundred_tasks_to_done(backend: Backend) {
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let (lead, crew, guest) = (world.user("lead").await, world.user("crew").await, world.user("guest").await);
    let members = [(lead, Role::Admin), (crew, Role::Editor), (guest, Role::Viewer)];
    let project = world.project("Swarm", Visibility::Private, &members).await.to_string();
    let pm = world.agent("pm", Some(lead), &["pm_agent"], &[]).await;
    let admin = world.agent("admin", Some(lead), &["admin_agent"], &[]).await;
    let onlooker = world.agent("onlooker", Some(guest), &["developer_agent"], &[]).await;
    let mut developers = Vec::new();
    for nth in 0..DEVELOPERS {
        developers.push(world.agent(&format!("dev-{nth}"), Some(crew), &["developer_agent"], &[]).await);
    }
    let server = Server::start(&database).await;
    let graph = plan(&server.client(&pm.key), &project, 7).await;
    assert_eq!(graph.len(), TASKS);

    let mut swarm = JoinSet::new();
    for (nth, developer) in developers.iter().enumerate() {
        let me = server.client(&developer.key);
        swarm.spawn(develop(me, project.clone(), format!("worker-{nth}"), nth as u64));
    }
    let reviewer = tokio::spawn(review(server.client(&admin.key), project.clone()));
    let watch = server.client(&onlooker.key);
    let first = graph.keys().next().unwrap().clone();
    for _ in 0..5 {
        watch.call("chorus_list_tasks", json!({ "projectUuid": project })).await.ok();
        let refused = watch.call("chorus_claim_task", json!({ "taskUuid": first })).await;
        assert_eq!(refused.code(), "forbidden", "who may only look takes nothing");
    }
    let all = async { (swarm.join_all().await, reviewer.await.unwrap()) };
    let (done, sent_back) = tokio::time::timeout(PATIENCE, all).await.unwrap_or_else(|_| panic!("the swarm is stuck"));

    // Each task was won once.
    let won: Vec<&String> = done.iter().flat_map(|one| &one.finished).collect();
    assert_eq!(won.len(), TASKS);
    assert_eq!(won.iter().collect::<BTreeSet<_>>().len(), TASKS);
    assert!(sent_back > 0);
    assert!(done.iter().all(|one| !one.finished.is_empty()), "somebody found nothing to do");

    // Counts are those of the lists.
    let eye = server.client(&pm.key);
    let counts = eye.call("chorus_get_project", json!({ "projectUuid": project })).await.ok()["_count"].clone();
    let (tasks, total) = walk(&eye, "chorus_list_tasks", json!({ "projectUuid": project }), "tasks").await;
    assert_eq!((tasks.len(), total, &counts["tasks"]), (TASKS, TASKS as u64, &json!(TASKS)));
    assert!(tasks.iter().all(|task| task["status"] == "done"));
    let (activities, total) = walk(&eye, "chorus_get_activity", json!({ "projectUuid": project }), "activities").await;
    assert_eq!((activities.len() as u64, &counts["activities"]), (total, &json!(total)));
    for (list, key) in [("chorus_get_unblocked_tasks", "tasks"), ("chorus_get_available_tasks", "tasks")] {
        assert_eq!(eye.call(list, json!({ "projectUuid": project })).await.ok()[key], json!([]), "{list}");
    }

    // Nobody began before the last prerequisite was verified, and every activity says in which session.
    let mut verified = BTreeMap::new();
    let mut claims = BTreeMap::<String, usize>::new();
    let mut began = BTreeMap::new();
    for (nth, activity) in activities.iter().rev().enumerate() {
        let task = text(&activity["targetUuid"]);
        match activity["action"].as_str().unwrap() {
            "verified" => drop(verified.insert(task, nth)),
            "assigned" => *claims.entry(task).or_default() += 1,
            "status_changed" if !began.contains_key(&task) => {
                assert!(text(&activity["sessionName"]).starts_with("worker-"), "{activity}");
                began.insert(task, nth);
            }
            _ => {}
        }
    }
    assert!(claims.values().all(|count| *count == 1) && claims.len() == TASKS, "{claims:?}");
    for (task, before) in &graph {
        for prerequisite in before {
            assert!(verified[prerequisite] < began[task], "{task} began before {prerequisite} was done");
        }
    }

    let contradictions = world.services.store.read().await.unwrap().operator().contradictions(10).await.unwrap();
    assert_eq!(contradictions, []);
    server.stop().await;
}

backends!(a_swarm_drives_two_hundred_tasks_to_done);
