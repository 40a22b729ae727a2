//! checkin.

use chorus_domain::Party;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, rows, text, uuids},
};
use crate::backends;

async fn a_checkin_tells_who_one_is(backend: Backend) {
    let s = Stage::new(backend).await;
    let answer = s.ok(&s.dev, "checkin", json!({})).await;
    let email = format!("dora.{}@example.com", s.world.company);
    assert_like(
        &answer,
        &json!({
            "checkinTime": "<time>",
            "agent": {
                "uuid": s.dev.subject.uuid(), "name": "dev",
                "permissions": {
                    "idea": ["read"], "proposal": ["read"], "document": ["read"], "task": ["read", "write"],
                    "project": ["read"]
                },
                "persona": null, "systemPrompt": null,
                "owner": { "uuid": s.dora, "name": "dora", "email": email }, "activeCount": 0
            },
            "ideaTracker": {}, "notifications": { "unread": 0, "recent": [] }
        }),
    );
    // Actions come in the order read, write, admin; a resource without any is left out.
    let few = s.world.new_caller("few", None, &[], &["task:admin", "task:read", "idea:write"]).await;
    let answer = s.ok(&few, "checkin", json!({})).await;
    assert_eq!(answer["agent"]["permissions"], json!({ "idea": ["write"], "task": ["read", "admin"] }));
    assert_eq!(answer["agent"]["owner"], Value::Null);
}

async fn a_checkin_shows_the_ideas_of_agent_and_owner_by_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let theme = s.by(&s.pm).idea_with(json!({ "title": "Theme", "isContainer": true })).await;
    let of_owner = s.by(&s.pm).idea_with(json!({ "title": "Pat's", "parentUuid": theme })).await;
    s.give_idea(&of_owner, Party::User(s.pat)).await;
    s.by(&s.admin).claimed().await; // somebody else's
    let finished = s.by(&s.pm).approved().await;
    for task in &finished.tasks {
        s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": task })).await;
    }
    let answer = s.ok(&s.pm, "checkin", json!({})).await;
    let expected = json!({ s.project.to_string(): { "name": PROJECT, "ideas": [
        { "uuid": of_owner, "title": "Pat's", "status": "todo", "parentUuid": theme, "proposals": 0, "tasks": 0 },
        { "uuid": made.idea, "title": "Works offline", "status": "in_progress", "parentUuid": null, "proposals": 1,
          "tasks": 2 }
    ] } });
    assert_like(&answer["ideaTracker"], &expected);
}

async fn a_checkin_shows_ten_ideas_at_most_latest_updated_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let second = s.world.project("Second", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let mut ideas = Vec::new();
    for n in 0..12 {
        let maker = s.by(&s.pm);
        ideas.push(if n % 2 == 0 { maker.claimed().await } else { maker.within(&second).claimed().await });
    }
    let answer = s.ok(&s.pm, "checkin", json!({})).await;
    let tracker = answer["ideaTracker"].as_object().unwrap();
    let mut shown: Vec<String> = tracker.values().flat_map(|project| uuids(project, "ideas")).collect();
    shown.sort_unstable();
    let mut newest = ideas[2..].to_vec();
    newest.sort_unstable();
    assert_eq!(shown, newest);
    let here: Vec<String> = ideas.iter().skip(2).step_by(2).rev().cloned().collect();
    assert_eq!(uuids(&answer["ideaTracker"][s.project.to_string()], "ideas"), here);
}

async fn the_notifications_shown_become_read(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut tasks = Vec::new();
    for n in 0..7 {
        let task = s.by(&s.pm).task_with(json!({ "title": format!("Task {n}") })).await;
        s.by(&s.dev).comment("task", &task, "Why?").await;
        tasks.push(task);
    }
    let first = s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(first["notifications"]["unread"], 2, "what is left after those shown");
    let titles: Vec<String> = rows(&first["notifications"], "recent").iter().map(|row| text(&row["title"])).collect();
    assert_eq!(titles, ["Task 6", "Task 5", "Task 4", "Task 3", "Task 2"]);
    assert_like(
        &first["notifications"]["recent"][0],
        &json!({
            "uuid": "<uuid>", "action": "comment_added", "entity": "task", "entityUuid": tasks[6], "title": "Task 6",
            "actor": "dev", "at": "<time>"
        }),
    );
    let second = s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!((&second["notifications"]["unread"], rows(&second["notifications"], "recent").len()), (&json!(0), 2));
    let third = s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(third["notifications"], json!({ "unread": 0, "recent": [] }));
}

async fn a_checkin_takes_no_key_and_is_noted(backend: Backend) {
    let s = Stage::new(backend).await;
    let misspelt = s.refused(&s.dev, "checkin", json!({ "idempotencyKey": "k" }), "invalid_arguments").await;
    assert_eq!(misspelt.fields(), ["idempotencyKey"]);
    let profile = async || {
        let mut reads = s.world.services.store.read().await.unwrap();
        let id = chorus_ids::AgentId::from_uuid(s.dev.subject.uuid());
        reads.directory().profile(id, s.world.now()).await.unwrap().unwrap().agent.last_active_at
    };
    assert_eq!(profile().await, None);
    let answer = s.ok(&s.dev, "checkin", json!({})).await;
    assert_eq!(profile().await.map(|at| at.to_string()), Some(text(&answer["checkinTime"])));
}

backends!(
    a_checkin_tells_who_one_is,
    a_checkin_shows_the_ideas_of_agent_and_owner_by_project,
    a_checkin_shows_ten_ideas_at_most_latest_updated_first,
    the_notifications_shown_become_read,
    a_checkin_takes_no_key_and_is_noted,
);
