//! add_comment, get_comments.

use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, actor, rows, text, uuids},
};
use crate::backends;

fn on(kind: &str, id: &str) -> Value {
    json!({ "targetType": kind, "targetUuid": id })
}

fn saying(kind: &str, id: &str, content: &str) -> Value {
    json!({ "targetType": kind, "targetUuid": id, "content": content })
}

async fn everything_with_comments_takes_them_trimmed(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let targets =
        [("idea", &made.idea), ("proposal", &made.proposal), ("document", &made.document), ("task", &made.tasks[0])];
    for (kind, id) in targets {
        let said = s.ok(&s.dev, "add_comment", saying(kind, id, " Chờ đã 잠깐 等等\n")).await;
        assert_like(&said, &json!({ "uuid": "<uuid>", "targetType": kind, "targetUuid": id, "createdAt": "<time>" }));
        let listed = s.ok(&s.pm, "get_comments", on(kind, id)).await;
        let row = json!({
            "uuid": said["uuid"], "targetType": kind, "targetUuid": id, "content": "Chờ đã 잠깐 等等",
            "author": actor(&s.dev), "createdAt": said["createdAt"], "updatedAt": said["createdAt"]
        });
        let expected = json!({ "comments": [row], "returned": 1, "page": 1, "pageSize": 20, "total": 1 });
        assert_like(&listed, &expected);
    }
    let task = s.ok(&s.dev, "get_task", json!({ "taskUuid": made.tasks[0] })).await;
    assert_eq!(task["commentCount"], 1);
}

async fn comments_come_oldest_first_unless_asked_otherwise(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let mut said = Vec::new();
    for content in ["one", "two", "three"] {
        said.push(s.by(&s.dev).comment("task", &task, content).await);
    }
    let ordered = |order: Value| json!({ "targetType": "task", "targetUuid": task, "order": order });
    assert_eq!(uuids(&s.ok(&s.pm, "get_comments", on("task", &task)).await, "comments"), said);
    assert_eq!(uuids(&s.ok(&s.pm, "get_comments", ordered(json!("oldest"))).await, "comments"), said);
    let newest = s.ok(&s.pm, "get_comments", ordered(json!("newest"))).await;
    said.reverse();
    assert_eq!(uuids(&newest, "comments"), said);
    s.refused(&s.pm, "get_comments", ordered(json!("random")), "invalid_arguments").await;
}

async fn a_target_is_of_the_kind_it_is_said_to_be(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    for (kind, id, text) in [
        ("task", &idea, "Task not found"),
        ("document", &idea, "Document not found"),
        ("proposal", &s.nothing(), "Proposal not found"),
        ("idea", &s.nothing(), "Idea not found"),
    ] {
        let refused = s.refused(&s.dev, "add_comment", saying(kind, id, "x"), "not_found").await;
        assert_eq!(refused.text, text);
        assert_eq!(s.refused(&s.dev, "get_comments", on(kind, id), "not_found").await.text, text);
    }
    // The log of a group is kept like comments and must not be readable or writable as such.
    for kind in ["project_group", "project", "comment", ""] {
        let id = s.project.to_string();
        let refused = s.refused(&s.dev, "add_comment", saying(kind, &id, "x"), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["targetType"]);
        s.refused(&s.dev, "get_comments", on(kind, &id), "invalid_arguments").await;
    }
}

async fn everybody_with_access_comments_whatever_the_state(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("closed").await;
    s.by(&s.pm).comment("task", &task, "Why?").await;
    let nobody = s.world.new_caller("without permissions", Some(s.pat), &[], &[]).await;
    s.ok(&nobody, "add_comment", saying("task", &task, "I have no bit, but a voice")).await;
    let listed = s.ok(&nobody, "get_comments", on("task", &task)).await;
    let authors: Vec<String> = rows(&listed, "comments").iter().map(|row| text(&row["author"]["name"])).collect();
    assert_eq!(authors, ["pm", "without permissions"]);
}

backends!(
    everything_with_comments_takes_them_trimmed,
    comments_come_oldest_first_unless_asked_otherwise,
    a_target_is_of_the_kind_it_is_said_to_be,
    everybody_with_access_comments_whatever_the_state,
);
