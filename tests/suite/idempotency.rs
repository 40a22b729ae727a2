//! A call with an idempotency key is done once (README decision 14).

use chorus_testkit::{Backend, CallResult, Database, Server, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

struct Field {
    server: Server,
    world: World,
    database: Database,
    project: String,
    key: String,
}

async fn field(backend: Backend) -> Field {
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let project = world.project("p", Visibility::Public, &[(world.first_user, Role::Admin)]).await.to_string();
    let key = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await.key;
    Field { server: Server::start(&database).await, world, database, project, key }
}

fn idea(project: &str, title: &str, key: &str) -> Value {
    json!({ "projectUuid": project, "title": title, "idempotencyKey": key })
}

async fn count(field: &Field) -> Value {
    let client = field.server.client(&field.key);
    client.call("chorus_get_ideas", json!({ "projectUuid": field.project })).await.ok()["total"].clone()
}

async fn eight_simultaneous_calls_with_one_key_are_one(backend: Backend) {
    let field = field(backend).await;
    let second = match backend {
        Backend::Sqlite => None,
        Backend::Postgres => Some(Server::start(&field.database).await),
    };
    let calls: Vec<_> = (0..8)
        .map(|turn| {
            let server = second.as_ref().filter(|_| turn % 2 == 1).unwrap_or(&field.server);
            let (client, arguments) = (server.client(&field.key), idea(&field.project, "once", "key-1"));
            tokio::spawn(async move { client.call("chorus_pm_create_idea", arguments).await })
        })
        .collect();
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.unwrap().ok());
    }
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
    assert_eq!(count(&field).await, 1);
}

async fn an_answer_survives_a_crash_and_a_retried_close_replays(backend: Backend) {
    let mut field = field(backend).await;
    let client = field.server.client(&field.key);
    let tasks = json!([{ "title": "t", "acceptanceCriteriaItems": [{ "description": "works" }] }]);
    let made = client.call("chorus_create_tasks", json!({ "projectUuid": field.project, "tasks": tasks })).await.ok();
    let close = json!({ "taskUuid": made["tasks"][0]["uuid"], "idempotencyKey": "close-1" });
    let first = client.call("chorus_admin_close_task", close.clone()).await.ok();
    field.server.crash_and_restart().await;
    let client = field.server.client(&field.key);
    assert_eq!(client.call("chorus_admin_close_task", close.clone()).await.ok(), first);
    // Without the key the second close is what it is: refused.
    let bare = client.call("chorus_admin_close_task", json!({ "taskUuid": close["taskUuid"] })).await;
    assert_eq!(bare.code(), "invalid_state");
}

async fn other_arguments_under_a_key_are_refused(backend: Backend) {
    let field = field(backend).await;
    let client = field.server.client(&field.key);
    client.call("chorus_pm_create_idea", idea(&field.project, "first", "k")).await.ok();
    let reused = client.call("chorus_pm_create_idea", idea(&field.project, "second", "k")).await;
    assert_eq!(reused.code(), "idempotency_key_reused");
    // Another tool and another caller have keys of their own.
    let report = json!({ "name": "another project", "idempotencyKey": "k" });
    client.call("chorus_admin_create_project", report).await.ok();
    let other = field.world.agent("other", Some(field.world.first_user), &["admin_agent"], &[]).await;
    let other = field.server.client(&other.key);
    other.call("chorus_pm_create_idea", idea(&field.project, "second", "k")).await.ok();
    assert_eq!(count(&field).await, 2);
}

async fn a_refusal_is_not_remembered(backend: Backend) {
    let field = field(backend).await;
    let client = field.server.client(&field.key);
    let made = client.call("chorus_pm_create_idea", idea(&field.project, "i", "a")).await.ok();
    let start = json!({
        "ideaUuid": made["uuid"], "depth": "minimal", "idempotencyKey": "start",
        "questions": [{ "id": "q", "text": "?", "category": "scope",
                        "options": [{ "id": "a", "label": "A" }, { "id": "b", "label": "B" }] }]
    });
    let refused = client.call("chorus_pm_start_elaboration", start.clone()).await;
    assert!(matches!(refused, CallResult::Refused(..)), "nobody has claimed it: {refused:?}");
    client.call("chorus_claim_idea", json!({ "ideaUuid": made["uuid"] })).await.ok();
    client.call("chorus_pm_start_elaboration", start).await.ok();
}

async fn a_replay_checks_access_again(backend: Backend) {
    let field = field(backend).await;
    let world = &field.world;
    let member = world.user("member").await;
    let private =
        world.project("private", Visibility::Private, &[(world.first_user, Role::Admin), (member, Role::Editor)]).await;
    let agent = world.agent("agent", Some(member), &["pm_agent"], &[]).await;
    let client = field.server.client(&agent.key);
    let arguments = idea(&private.to_string(), "i", "k");
    let first = client.call("chorus_pm_create_idea", arguments.clone()).await.ok();
    assert_eq!(client.call("chorus_pm_create_idea", arguments.clone()).await.ok(), first);
    // A viewer still sees the answer; it says nothing that a viewer may not know.
    world.member(private, member, Role::Viewer).await;
    assert_eq!(client.call("chorus_pm_create_idea", arguments).await.ok(), first);
}

async fn a_key_has_one_to_255_visible_characters(backend: Backend) {
    let field = field(backend).await;
    let client = field.server.client(&field.key);
    for key in ["", "with space", "línea", "a\tb", &"x".repeat(256)] {
        let refused = client.call("chorus_pm_create_idea", idea(&field.project, "i", key)).await;
        assert_eq!(refused.code(), "invalid_arguments", "{key}");
        assert!(refused.text().contains("idempotencyKey"), "{}", refused.text());
    }
    client.call("chorus_pm_create_idea", idea(&field.project, "i", &"x".repeat(255))).await.ok();
    assert_eq!(count(&field).await, 1);
}

backends!(
    eight_simultaneous_calls_with_one_key_are_one,
    an_answer_survives_a_crash_and_a_retried_close_replays,
    other_arguments_under_a_key_are_refused,
    a_refusal_is_not_remembered,
    a_replay_checks_access_again,
    a_key_has_one_to_255_visible_characters,
);
