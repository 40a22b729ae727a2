//! add_reference, update_reference, remove_reference, references of new things, and where they are shown.

use chorus_testkit::{Backend, CallResult};
use chorus_visibility::Role;
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    like::assert_like,
    maker::merge,
    stage::{Stage, actor, rows, text, uuids},
};
use crate::backends;

fn on(kind: &str, id: &str) -> Value {
    json!({
        "targetType": kind, "targetUuid": id, "type": "issue_pr", "url": "HTTPS://example.com/1?q=%20#x",
        "title": "Issue 1", "notes": " Where it began\n"
    })
}

/// The reads that show references of something: arguments with the tool.
fn reads(kind: &str, id: &str) -> Vec<(&'static str, Value)> {
    match kind {
        "idea" => vec![("get_idea", json!({ "ideaUuid": id }))],
        "task" => vec![("get_task", json!({ "taskUuid": id }))],
        _ => ["basic", "documents", "tasks", "full"]
            .map(|section| ("get_proposal", json!({ "proposalUuid": id, "section": section })))
            .to_vec(),
    }
}

async fn shown(s: &Stage, kind: &str, id: &str) -> Vec<Value> {
    let mut found: Option<Vec<Value>> = None;
    for (tool, arguments) in reads(kind, id) {
        let references = rows(&s.ok(&s.dev, tool, arguments).await, "references").clone();
        assert!(found.as_ref().is_none_or(|found| *found == references), "every section shows them: {references:?}");
        found = Some(references);
    }
    found.unwrap()
}

async fn references_are_shown_oldest_first_wherever_their_target_is_read(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    for (kind, id) in [("idea", &made.idea), ("proposal", &made.proposal), ("task", &made.tasks[0])] {
        let first = s.ok(&s.pm, "add_reference", on(kind, id)).await;
        let expected = json!({
            "uuid": "<uuid>", "targetType": kind, "targetUuid": id, "type": "issue_pr",
            "url": "HTTPS://example.com/1?q=%20#x", "title": "Issue 1", "notes": " Where it began\n",
            "createdBy": actor(&s.pm), "createdAt": "<time>", "updatedAt": "<time>"
        });
        assert_like(&first, &expected);
        let second = json!({
            "targetType": kind, "targetUuid": id, "type": "paper_blog", "url": "http://例え.jp", "title": "论文"
        });
        let second = s.ok(&s.admin, "add_reference", second).await;
        assert_eq!((&second["notes"], &second["createdBy"]), (&Value::Null, &actor(&s.admin)));
        assert_eq!(shown(&s, kind, id).await, [first, second]);
    }
    // A writer's answer shows a task as it is read.
    let updated = s.ok(&s.dev, "update_task", json!({ "taskUuid": made.tasks[0], "priority": "low" })).await;
    assert_eq!(rows(&updated, "references").len(), 2);
    s.unknown(&s.dev, "add_reference").await;
    s.unknown(&s.dev, "update_reference").await;
    s.unknown(&s.dev, "remove_reference").await;
}

async fn only_links_of_the_web_are_taken_and_only_where_they_belong(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let with = |more: Value| {
        let mut arguments = on("task", &made.tasks[0]);
        merge(&mut arguments, more);
        arguments
    };
    let reference = s.by(&s.pm).reference("task", &made.tasks[0]).await;
    let wrong = ["", "  ", "ftp://example.com", "javascript:alert(1)", "example.com", "https://", "file:///etc/passwd"];
    for url in wrong.map(str::to_owned).into_iter().chain([format!("https://{}", "x".repeat(2_041))]) {
        let refused = s.refused(&s.pm, "add_reference", with(json!({ "url": url })), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["url"], "{url}");
        let edit = json!({ "uuid": reference, "url": url });
        assert_eq!(s.refused(&s.pm, "update_reference", edit, "invalid_arguments").await.fields(), ["url"]);
    }
    for (field, value) in [
        ("type", json!("video")),
        ("targetType", json!("document")),
        ("targetType", json!("project")),
        ("title", json!(" ")),
        ("notes", json!("x".repeat(2_001))),
        ("notes", json!("a\0b")),
        ("targetUuid", json!("1")),
    ] {
        let refused = s.refused(&s.pm, "add_reference", with(json!({ field: value })), "invalid_arguments").await;
        assert_eq!(refused.fields(), [field], "{value}");
    }
    s.ok(&s.pm, "add_reference", with(json!({ "notes": "界".repeat(2_000) }))).await;
    s.ok(&s.pm, "add_reference", with(json!({ "url": format!("https://{}", "x".repeat(2_040)) }))).await;
    for kind in ["idea", "proposal", "task"] {
        s.refused(&s.pm, "add_reference", on(kind, &s.nothing()), "not_found").await;
        s.refused(&s.pm, "add_reference", on(kind, &made.document), "not_found").await;
    }
}

async fn whoever_may_write_changes_a_reference(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let before = s.ok(&s.pm, "add_reference", on("task", &task)).await;
    let edit = |more: Value| {
        let mut arguments = json!({ "uuid": before["uuid"] });
        merge(&mut arguments, more);
        arguments
    };
    let changed = json!({ "type": "repo", "url": "http://example.com", "title": "Repository", "notes": "x" });
    let after = s.ok(&s.admin, "update_reference", edit(changed)).await;
    let mut expected = before.clone();
    merge(
        &mut expected,
        json!({
            "type": "repo", "url": "http://example.com", "title": "Repository", "notes": "x", "updatedAt": "<time>"
        }),
    );
    assert_like(&after, &expected);
    // What is left out stays; a null clears the notes and leaves a title alone.
    let titled = s.ok(&s.admin, "update_reference", edit(json!({ "title": "Source", "url": null }))).await;
    assert_eq!((&titled["notes"], &titled["url"]), (&json!("x"), &json!("http://example.com")));
    let cleared = s.ok(&s.admin, "update_reference", edit(json!({ "notes": null, "title": null }))).await;
    assert_eq!((&cleared["notes"], &cleared["title"]), (&Value::Null, &json!("Source")));
    assert_eq!(shown(&s, "task", &task).await, [cleared]);

    let nothing = s.refused(&s.pm, "update_reference", edit(json!({})), "invalid_arguments").await;
    assert!(nothing.text.contains("`type`, `url`, `title` or `notes`"), "{}", nothing.text);
    assert_eq!(
        s.refused(&s.pm, "update_reference", edit(json!({ "type": "x" })), "invalid_arguments").await.fields(),
        ["type"]
    );
    for missing in [s.nothing(), task.clone()] {
        s.refused(&s.pm, "update_reference", json!({ "uuid": missing, "title": "x" }), "not_found").await;
    }
}

async fn a_removed_reference_is_gone_and_a_retry_answers_as_before(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    let (kept, gone) = (s.by(&s.pm).reference("idea", &idea).await, s.by(&s.pm).reference("idea", &idea).await);
    let keyed = json!({ "uuid": gone, "idempotencyKey": "remove" });
    let removed = s.ok(&s.admin, "remove_reference", keyed.clone()).await;
    assert_eq!(removed, json!({ "uuid": gone, "action": "reference_removed" }));
    assert_eq!(uuids(&s.ok(&s.dev, "get_idea", json!({ "ideaUuid": idea })).await, "references"), [kept]);
    assert_eq!(s.ok(&s.admin, "remove_reference", keyed).await, removed);
    let bare = json!({ "uuid": gone });
    let again = s.refused(&s.admin, "remove_reference", bare, "not_found").await;
    let never = s.refused(&s.admin, "remove_reference", json!({ "uuid": s.nothing() }), "not_found").await;
    assert_eq!(again.text, never.text);
}

async fn new_things_come_with_references_and_bad_ones_do_not_stop_them(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let (source, given) = (
        pm.elaborated().await,
        json!([
            { "type": "docs", "url": "nowhere", "title": "Bad" },
            { "type": "repo", "url": "https://example.com", "title": "Good", "notes": "n" },
            { "type": "docs", "url": "https://example.com", "title": " " }
        ]),
    );
    let errors = |task: Option<&str>| {
        let mut errors = json!([
            { "index": 0, "url": "nowhere", "title": "Bad", "error": "<text>" },
            { "index": 2, "url": "https://example.com", "title": " ", "error": "<text>" }
        ]);
        for error in errors.as_array_mut().unwrap() {
            if let Some(task) = task {
                merge(error, json!({ "task": task }));
            }
        }
        errors
    };
    let good = |kind: &str, id: &Value| {
        json!([{
            "uuid": "<uuid>", "targetType": kind, "targetUuid": id, "type": "repo", "url": "https://example.com",
            "title": "Good", "notes": "n", "createdBy": actor(&s.pm), "createdAt": "<time>", "updatedAt": "<time>"
        }])
    };
    let idea = json!({ "projectUuid": s.project, "title": "x", "references": given });
    let idea = s.ok(&s.pm, "pm_create_idea", idea).await;
    assert_like(&idea["referenceErrors"], &errors(None));
    assert!(text(&idea["referenceErrors"][0]["error"]).contains("chorus_add_reference"));
    assert_like(&json!(shown(&s, "idea", &text(&idea["uuid"])).await), &good("idea", &idea["uuid"]));

    let proposal = json!({
        "projectUuid": s.project, "title": "x", "inputType": "idea", "inputUuids": [source], "references": given
    });
    let proposal = s.ok(&s.pm, "pm_create_proposal", proposal).await;
    assert_like(&proposal["referenceErrors"], &errors(None));
    assert_like(&proposal["references"], &good("proposal", &proposal["uuid"]));
    assert_like(&json!(shown(&s, "proposal", &text(&proposal["uuid"])).await), &proposal["references"]);

    let criteria = json!([{ "description": "c" }]);
    let tasks = json!([
        { "title": "One", "acceptanceCriteriaItems": criteria },
        { "title": "Two", "acceptanceCriteriaItems": criteria, "references": given }
    ]);
    let tasks = s.ok(&s.pm, "create_tasks", json!({ "projectUuid": s.project, "tasks": tasks })).await;
    assert_like(&tasks["referenceErrors"], &errors(Some("Two")));
    assert_eq!(shown(&s, "task", &text(&tasks["tasks"][0]["uuid"])).await, [Value::Null; 0]);
    let two = &tasks["tasks"][1]["uuid"];
    assert_like(&json!(shown(&s, "task", &text(two)).await), &good("task", two));

    // Without a bad one nothing is said; a kind that there is not fails the call.
    let fine = json!({ "projectUuid": s.project, "title": "x", "references": [given[1]] });
    assert_eq!(s.ok(&s.pm, "pm_create_idea", fine).await.get("referenceErrors"), None);
    let kind = json!([{ "type": "video", "url": "https://example.com", "title": "x" }]);
    let wrong = json!({ "projectUuid": s.project, "title": "x", "references": kind });
    let refused = s.refused(&s.pm, "pm_create_idea", wrong, "invalid_arguments").await;
    assert_eq!(refused.fields(), ["references[0].type"]);
}

async fn references_of_a_proposal_stay_with_it_when_it_is_approved(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).pending().await;
    let reference = s.by(&s.pm).reference("proposal", &proposal).await;
    let approved = s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(uuids(&approved, "references"), [reference]);
    let task = text(&approved["materializedTasks"][0]["taskUuid"]);
    assert_eq!(shown(&s, "task", &task).await, [Value::Null; 0]);
}

async fn what_changes_of_references_leave(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let mut watch = Watch::start(&s).await;
    let added = text(&s.ok(&s.admin, "add_reference", on("task", &task)).await["uuid"]);
    let names = [(task.as_str(), "T"), (added.as_str(), "R")];
    let value = json!({
        "referenceUuid": "R", "type": "issue_pr", "url": "HTTPS://example.com/1?q=%20#x", "title": "Issue 1"
    });
    let expected = json!({
        "activities": [["admin", "reference_added", "task T", value]], "told": NOTHING, "events": ["task T updated"]
    });
    watch.expect(&names, expected).await;
    let silent = json!({ "activities": NOTHING, "told": NOTHING, "events": ["task T updated"] });
    s.ok(&s.pm, "update_reference", json!({ "uuid": added, "title": "x" })).await;
    watch.expect(&names, silent.clone()).await;
    s.ok(&s.pm, "update_reference", json!({ "uuid": added, "title": "x" })).await;
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    s.ok(&s.pm, "remove_reference", json!({ "uuid": added })).await;
    watch.expect(&names, silent).await;
    // References that something is made with are part of its making.
    let link = json!([{ "type": "docs", "url": "https://example.com", "title": "x" }]);
    let idea = s.by(&s.pm).idea_with(json!({ "references": link })).await;
    let expected = json!({ "activities": NOTHING, "told": NOTHING, "events": ["idea I created"] });
    watch.expect(&[(&idea, "I")], expected).await;
}

async fn a_viewer_sees_references_and_changes_none(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let task = s.by(&s.pm).task().await;
    let reference = s.by(&s.pm).reference("task", &task).await;
    let read = s.ok(&viewer, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(uuids(&read, "references"), std::slice::from_ref(&reference));
    s.refused(&viewer, "add_reference", on("task", &task), "forbidden").await;
    s.refused(&viewer, "update_reference", json!({ "uuid": reference, "title": "x" }), "forbidden").await;
    s.refused(&viewer, "remove_reference", json!({ "uuid": reference }), "forbidden").await;
}

async fn simultaneous_changes_of_one_reference_all_survive(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let reference = s.by(&s.pm).reference("task", &task).await;
    for round in 0..10 {
        let title = json!({ "uuid": reference, "title": format!("title {round}") });
        let notes = json!({ "uuid": reference, "notes": format!("notes {round}") });
        let url = json!({ "uuid": reference, "url": format!("https://example.com/{round}") });
        let results = tokio::join!(
            s.call(&s.pm, "update_reference", title),
            s.call(&s.admin, "update_reference", notes),
            s.call(&s.pm, "update_reference", url)
        );
        for result in [results.0, results.1, results.2] {
            assert!(matches!(result, CallResult::Answer(_)), "{result:?}");
        }
        let found = shown(&s, "task", &task).await.remove(0);
        assert_eq!(found["title"], format!("title {round}"));
        assert_eq!(found["notes"], format!("notes {round}"));
        assert_eq!(found["url"], format!("https://example.com/{round}"));
    }
}

backends!(
    references_are_shown_oldest_first_wherever_their_target_is_read,
    only_links_of_the_web_are_taken_and_only_where_they_belong,
    whoever_may_write_changes_a_reference,
    a_removed_reference_is_gone_and_a_retry_answers_as_before,
    new_things_come_with_references_and_bad_ones_do_not_stop_them,
    references_of_a_proposal_stay_with_it_when_it_is_approved,
    what_changes_of_references_leave,
    a_viewer_sees_references_and_changes_none,
    simultaneous_changes_of_one_reference_all_survive,
);
