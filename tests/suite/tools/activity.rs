//! get_activity. What each tool writes into the stream is in [`super::effects`].

use chorus_testkit::Backend;
use serde_json::json;

use super::{
    like::assert_like,
    stage::{Stage, rows},
};
use crate::backends;

async fn a_projects_stream_is_whole_and_newest_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let comment = s.by(&s.dev).comment("task", &task, &"字".repeat(600)).await;
    s.ok(&s.dev, "claim_task", json!({ "taskUuid": task })).await;
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await;
    let row = |who: &chorus_domain::Caller, action: &str, value: serde_json::Value| {
        json!({
            "uuid": "<uuid>", "targetType": "task", "targetUuid": task, "targetTitle": "Parse", "actorType": "agent",
            "actorUuid": who.subject.uuid(), "actorName": who.name, "action": action, "value": value,
            "sessionUuid": null, "sessionName": null, "createdAt": "<time>"
        })
    };
    let excerpt = format!("{}...", "字".repeat(509));
    assert_like(
        &stream,
        &json!({
            "activities": [
                row(&s.dev, "assigned", json!({ "assigneeType": "agent", "assigneeUuid": s.dev.subject.uuid() })),
                row(&s.dev, "comment_added", json!({ "commentUuid": comment, "excerpt": excerpt })),
                row(&s.pm, "created", json!({ "title": "Parse", "quickTask": true })),
            ],
            "returned": 3, "page": 1, "pageSize": 20, "total": 3
        }),
    );
}

async fn a_title_stays_as_it_was_when_something_happened(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    s.ok(&s.pm, "update_task", json!({ "taskUuid": task, "title": "Lex" })).await;
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await;
    let titles: Vec<_> = rows(&stream, "activities").iter().map(|row| row["targetTitle"].clone()).collect();
    assert_eq!(titles, ["Lex", "Parse"]);
}

async fn a_stream_is_that_of_its_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let other = s.ok(&s.pm, "admin_create_project", json!({ "name": "Other" })).await;
    s.by(&s.pm).task().await;
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": other["uuid"] })).await;
    assert_eq!(stream["total"], 1);
    let row = &rows(&stream, "activities")[0];
    assert_eq!(
        (&row["targetType"], &row["targetUuid"], &row["action"]),
        (&json!("project"), &other["uuid"], &json!("created"))
    );
    let refused = s.refused(&s.pm, "get_activity", json!({ "projectUuid": s.nothing() }), "not_found").await;
    assert_eq!(refused.text, "Project not found");
}

backends!(
    a_projects_stream_is_whole_and_newest_first,
    a_title_stays_as_it_was_when_something_happened,
    a_stream_is_that_of_its_project,
);
