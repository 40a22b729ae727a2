//! create_tasks, update_task (fields and criteria), get_task, list_tasks, get_available_tasks, get_unblocked_tasks.
//!
//! Dependencies, and what they block, are in [`super::blocked`].

use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, actor, holder, rows, text, uuids},
};
use crate::backends;

/// A quick task as its maker reads it right after.
fn fresh(s: &Stage, uuid: &str) -> Value {
    json!({
        "uuid": uuid, "title": "Parse", "description": null, "status": "open", "priority": "medium",
        "storyPoints": null, "acceptanceCriteria": null,
        "acceptanceCriteriaItems": [unmarked("It works", true, 0)], "acceptanceStatus": "not_started",
        "acceptanceSummary": {
            "total": 1, "required": 1, "passed": 0, "failed": 0, "pending": 1, "requiredPassed": 0,
            "requiredFailed": 0, "requiredPending": 1
        },
        "assignee": null, "proposalUuid": null, "project": { "uuid": s.project, "name": PROJECT },
        "createdBy": actor(&s.pm), "dependsOn": [], "dependedBy": [], "commentCount": 0, "references": [], "version": 1,
        "createdAt": "<time>", "updatedAt": "<time>"
    })
}

/// A criterion that nobody has judged.
pub(super) fn unmarked(description: &str, required: bool, place: u32) -> Value {
    json!({
        "uuid": "<uuid>", "description": description, "required": required, "devStatus": "pending", "devEvidence": null,
        "devMarkedByType": null, "devMarkedBy": null, "devMarkedAt": null, "status": "pending", "evidence": null,
        "markedByType": null, "markedBy": null, "markedAt": null, "sortOrder": place
    })
}

async fn quick_tasks_are_created_in_the_order_given(backend: Backend) {
    let s = Stage::new(backend).await;
    let tasks = json!([
        { "title": "Merge", "draftUuid": "any label", "dependsOnDraftUuids": ["log"], "priority": "high",
          "acceptanceCriteriaItems": [{ "description": "works" }] },
        { "title": "Log", "draftUuid": "log", "storyPoints": 1.5, "description": "Long",
          "acceptanceCriteriaItems": [
              { "description": " a " }, { "description": " " }, { "description": "b", "required": false }
          ] },
    ]);
    let made = s.ok(&s.dev, "create_tasks", json!({ "projectUuid": s.project, "tasks": tasks })).await;
    assert_like(
        &made,
        &json!({ "tasks": [
            { "uuid": "<uuid>", "title": "Merge", "status": "open", "priority": "high", "version": 1,
              "draftUuid": "any label" },
            { "uuid": "<uuid>", "title": "Log", "status": "open", "priority": "medium", "version": 1,
              "draftUuid": "log" },
        ] }),
    );
    let log = s.ok(&s.dev, "get_task", json!({ "taskUuid": made["tasks"][1]["uuid"] })).await;
    assert_eq!((&log["description"], &log["storyPoints"]), (&json!("Long"), &json!(1.5)));
    assert_like(&log["acceptanceCriteriaItems"], &json!([unmarked("a", true, 0), unmarked("b", false, 1)]));
    assert_eq!(log["dependedBy"], json!([{ "uuid": made["tasks"][0]["uuid"], "title": "Merge", "status": "open" }]));
    let none = s.ok(&s.dev, "create_tasks", json!({ "projectUuid": s.project, "tasks": [] })).await;
    assert_eq!(none, json!({ "tasks": [] }));
}

async fn a_task_is_read_whole(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    assert_like(&s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await, &fresh(&s, &task));
    let gone = s.refused(&s.dev, "get_task", json!({ "taskUuid": s.nothing() }), "not_found").await;
    assert_eq!(gone.text, "Task not found");
}

async fn tasks_are_added_to_an_approved_proposal_of_the_same_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let task = json!([{ "title": "More", "acceptanceCriteriaItems": [{ "description": "c" }] }]);
    let add =
        |project: &str, proposal: &str| json!({ "projectUuid": project, "proposalUuid": proposal, "tasks": task });
    let here = s.project.to_string();
    let more = s.ok(&s.dev, "create_tasks", add(&here, &made.proposal)).await;
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": more["tasks"][0]["uuid"] })).await;
    assert_eq!(read["proposalUuid"], made.proposal);

    for proposal in [s.by(&s.pm).filled().await, s.by(&s.pm).pending().await] {
        s.refused(&s.dev, "create_tasks", add(&here, &proposal), "invalid_state").await;
    }
    let other = text(&s.ok(&s.pm, "admin_create_project", json!({ "name": "Other" })).await["uuid"]);
    for (project, proposal) in [(&other, &made.proposal), (&here, &s.nothing())] {
        let refused = s.refused(&s.pm, "create_tasks", add(project, proposal), "not_found").await;
        assert_eq!(refused.text, "Proposal not found");
    }
}

async fn a_batch_is_made_whole_or_not_at_all_and_every_problem_is_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let fine = json!([{ "description": "c" }]);
    let other = text(&s.ok(&s.pm, "admin_create_project", json!({ "name": "Other" })).await["uuid"]);
    let elsewhere = s.by(&s.pm).within(&other).task().await;
    let tasks = json!([
        { "title": "Good", "draftUuid": "a", "acceptanceCriteriaItems": fine },
        { "title": "No criteria" },
        { "title": "Blank ones", "acceptanceCriteriaItems": [{ "description": " " }] },
        { "title": " ", "acceptanceCriteriaItems": fine },
        { "title": "x".repeat(501), "acceptanceCriteriaItems": fine },
        { "title": "Label again", "draftUuid": "a", "acceptanceCriteriaItems": fine },
        { "title": "Unknown label", "dependsOnDraftUuids": ["z"], "acceptanceCriteriaItems": fine },
        { "title": "Itself", "draftUuid": "b", "dependsOnDraftUuids": ["b"], "acceptanceCriteriaItems": fine },
        { "title": "Other project", "dependsOnTaskUuids": [elsewhere], "acceptanceCriteriaItems": fine },
    ]);
    let arguments = json!({ "projectUuid": s.project, "tasks": tasks });
    let refused = s.refused(&s.pm, "create_tasks", arguments, "invalid_arguments").await;
    let mut fields = refused.fields();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "tasks[1].acceptanceCriteriaItems",
            "tasks[2].acceptanceCriteriaItems",
            "tasks[3].title",
            "tasks[4].title",
            "tasks[5].draftUuid",
            "tasks[6].dependsOnDraftUuids[0]",
            "tasks[7].dependsOnDraftUuids[0]",
            "tasks[8].dependsOnTaskUuids[0]",
        ]
    );
    assert_eq!(s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project })).await["total"], 0);

    let missing = json!({
        "projectUuid": s.project,
        "tasks": [{ "title": "x", "acceptanceCriteriaItems": fine, "dependsOnTaskUuids": [s.nothing()] }]
    });
    assert_eq!(s.refused(&s.pm, "create_tasks", missing, "not_found").await.text, "Task not found");
}

async fn an_update_changes_what_it_names_and_nothing_else(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task_with(json!({ "description": "Old", "priority": "low" })).await;
    // Anybody with access edits, without holding it, in any status.
    let updated = s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "title": "Lex", "storyPoints": 3 })).await;
    let mut expected = fresh(&s, &task);
    let object = expected.as_object_mut().unwrap();
    object.remove("description");
    object.extend([
        ("title".to_owned(), json!("Lex")),
        ("storyPoints".to_owned(), json!(3.0)),
        ("priority".to_owned(), json!("low")),
        ("version".to_owned(), json!(2)),
    ]);
    assert_like(&updated, &expected);
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(read["description"], "Old");
    // An empty description clears it; a null means nothing was said.
    s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "description": "", "title": null, "priority": "high" }))
        .await;
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(
        (&read["description"], &read["title"], &read["priority"]),
        (&Value::Null, &json!("Lex"), &json!("high"))
    );
    s.by(&s.dev).advance(&task, "closed").await;
    s.ok(&s.pm, "update_task", json!({ "taskUuid": task, "title": "Closed, but renamed" })).await;
    let gone = json!({ "taskUuid": s.nothing(), "title": "x" });
    assert_eq!(s.refused(&s.pm, "update_task", gone, "not_found").await.text, "Task not found");
}

async fn an_update_that_names_nothing_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let before = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await;
    for nothing in [json!({}), json!({ "addDependsOn": [], "removeDependsOn": [] })] {
        let mut arguments = json!({ "taskUuid": task });
        arguments.as_object_mut().unwrap().extend(nothing.as_object().unwrap().clone());
        assert_eq!(s.ok(&s.pm, "update_task", arguments).await["version"], 1);
    }
    assert_eq!(s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await, before);
}

async fn criteria_are_replaced_with_their_marks(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("in_progress").await;
    let criterion = s.by(&s.dev).criterion(&task).await;
    let marks = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "devStatus": "passed" }] });
    s.ok(&s.dev, "report_criteria_self_check", marks).await;
    for criteria in [json!([]), json!([{ "description": " \t" }])] {
        let arguments = json!({ "taskUuid": task, "title": "New", "acceptanceCriteriaItems": criteria });
        let refused = s.refused(&s.pm, "update_task", arguments, "invalid_arguments").await;
        assert_eq!(refused.fields(), ["acceptanceCriteriaItems"]);
    }
    let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((&read["title"], &read["acceptanceCriteriaItems"][0]["devStatus"]), (&json!("Parse"), &json!("passed")));
    let criteria =
        json!([{ "description": "one" }, { "description": " " }, { "description": " two ", "required": false }]);
    let updated = s.ok(&s.pm, "update_task", json!({ "taskUuid": task, "acceptanceCriteriaItems": criteria })).await;
    assert_like(&updated["acceptanceCriteriaItems"], &json!([unmarked("one", true, 0), unmarked("two", false, 1)]));
    let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(read["acceptanceCriteriaItems"], updated["acceptanceCriteriaItems"]);
}

async fn tasks_are_listed_by_priority_then_newest_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut made = Vec::new();
    for priority in ["low", "high", "medium", "high"] {
        made.push(s.by(&s.pm).task_with(json!({ "title": "界".repeat(500), "priority": priority })).await);
    }
    let listed = s.ok(&s.dev, "list_tasks", json!({ "projectUuid": s.project })).await;
    let order = [&made[3], &made[1], &made[2], &made[0]].map(Clone::clone);
    assert_eq!(uuids(&listed, "tasks"), order);
    assert_eq!((&listed["page"], &listed["pageSize"], &listed["total"]), (&json!(1), &json!(20), &json!(4)));
    let row = json!({
        "uuid": made[3], "title": format!("{}...", "界".repeat(253)), "status": "open", "priority": "high",
        "projectUuid": s.project, "proposalUuid": null, "storyPoints": null, "version": 1, "createdAt": "<time>",
        "updatedAt": "<time>"
    });
    assert_like(&rows(&listed, "tasks")[0], &row);
    // Unblocked tasks come in the same order, available ones with fewer keys.
    let unblocked = s.ok(&s.dev, "get_unblocked_tasks", json!({ "projectUuid": s.project })).await;
    assert_eq!(unblocked, listed);
    let available = s.ok(&s.dev, "get_available_tasks", json!({ "projectUuid": s.project })).await;
    assert_eq!(uuids(&available, "tasks"), order);
    assert_eq!((&available["page"], &available["pageSize"], &available["total"]), (&json!(1), &json!(100), &json!(4)));
    let mut bare = row;
    for key in ["projectUuid", "proposalUuid", "storyPoints", "updatedAt"] {
        bare.as_object_mut().unwrap().remove(key);
    }
    assert_like(&rows(&available, "tasks")[0], &bare);
}

async fn lists_of_tasks_are_filtered(backend: Backend) {
    let s = Stage::new(backend).await;
    let first = s.by(&s.pm).approved().await;
    let second = s.by(&s.pm).approved().await;
    let quick = s.by(&s.dev).task_in("assigned").await;
    let read = async |tool: &str, filter: Value| {
        let mut arguments = json!({ "projectUuid": s.project });
        arguments.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
        let listed = s.ok(&s.dev, tool, arguments).await;
        let mut found = uuids(&listed, "tasks");
        assert_eq!(listed["total"], found.len());
        found.sort_unstable();
        found
    };
    let sorted = |lists: &[&[String]]| {
        let mut all = lists.concat();
        all.sort_unstable();
        all
    };
    let (one, two) = (first.tasks.as_slice(), second.tasks.as_slice());
    let held = read("list_tasks", json!({ "status": "assigned" })).await;
    assert_eq!(held, std::slice::from_ref(&quick));
    assert_eq!(read("list_tasks", json!({ "priority": "high" })).await, sorted(&[one, two]));
    for tool in ["list_tasks", "get_available_tasks"] {
        assert_eq!(read(tool, json!({ "proposalUuids": [first.proposal] })).await, sorted(&[one]), "{tool}");
        let both = json!({ "proposalUuids": [first.proposal, second.proposal, s.nothing()] });
        assert_eq!(read(tool, both).await, sorted(&[one, two]), "{tool}");
        assert_eq!(read(tool, json!({ "proposalUuids": [s.nothing()] })).await, [""; 0], "{tool}");
    }
    // An empty list is no filter.
    assert_eq!(read("list_tasks", json!({ "proposalUuids": [] })).await.len(), 5);
    assert_eq!(read("get_available_tasks", json!({ "proposalUuids": [] })).await, sorted(&[one, two]));
    // Of two dependent tasks the first can start; an assigned one without prerequisites too.
    assert_eq!(
        read("get_unblocked_tasks", json!({})).await,
        sorted(&[&one[..1], &two[..1], std::slice::from_ref(&quick)])
    );
    assert_eq!(read("get_unblocked_tasks", json!({ "proposalUuids": [second.proposal] })).await, sorted(&[&two[..1]]));
    let row = s.ok(&s.dev, "list_tasks", json!({ "projectUuid": s.project, "status": "assigned" })).await;
    assert_eq!(rows(&row, "tasks")[0]["assigneeUuid"], json!(s.dev.subject.uuid()));
    for (key, value) in [("status", "finished"), ("priority", "urgent")] {
        let arguments = json!({ "projectUuid": s.project, key: value });
        assert_eq!(s.refused(&s.dev, "list_tasks", arguments, "invalid_arguments").await.fields(), [key]);
    }
}

async fn a_task_shows_who_holds_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
    assert_like(&read["assignee"], &holder(&s.dev));
}

backends!(
    quick_tasks_are_created_in_the_order_given,
    a_task_is_read_whole,
    tasks_are_added_to_an_approved_proposal_of_the_same_project,
    a_batch_is_made_whole_or_not_at_all_and_every_problem_is_named,
    an_update_changes_what_it_names_and_nothing_else,
    an_update_that_names_nothing_changes_nothing,
    criteria_are_replaced_with_their_marks,
    tasks_are_listed_by_priority_then_newest_first,
    lists_of_tasks_are_filtered,
    a_task_shows_who_holds_it,
);
