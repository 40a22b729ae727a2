//! admin_delete_idea, admin_delete_task, admin_delete_document: what goes, what stays, who is told (README decision 25,
//! report 31).

use chorus_domain::Party;
use chorus_ids::AgentId;
use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    stage::{PROJECT, Stage, rows, text, uuids},
};
use crate::backends;

fn task(uuid: &str) -> Value {
    json!({ "taskUuid": uuid })
}

fn idea(uuid: &str) -> Value {
    json!({ "ideaUuid": uuid })
}

async fn a_task_goes_with_what_hangs_on_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, gone, last) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    s.by(&s.pm).after(&gone, &[&first]).await;
    s.by(&s.pm).after(&last, &[&gone]).await;
    for content in ["One", "Two"] {
        s.by(&s.dev).comment("task", &gone, content).await;
    }
    let answer = s.ok(&s.admin, "admin_delete_task", task(&gone)).await;
    let expected = json!({
        "message": format!(
            "Task \"Parse\" (`{gone}`) was deleted. Tasks that waited for it no longer do; unless it was finished, their \
             assignees were told."
        ),
        "uuid": gone,
        "deleted": { "comments": 2, "mentions": 0, "references": 0, "criteria": 1, "dependencies": 2, "checkins": 0 },
        "kept": { "activities": 4, "dependants": 1 }
    });
    assert_eq!(answer, expected);
    for tool in ["get_task", "claim_task", "admin_delete_task"] {
        assert_eq!(s.refused(&s.admin, tool, task(&gone), "not_found").await.text, "Task not found", "{tool}");
    }
    let comments = json!({ "targetType": "task", "targetUuid": gone });
    s.refused(&s.admin, "get_comments", comments, "not_found").await;
    let listed = s.ok(&s.dev, "list_tasks", json!({ "projectUuid": s.project })).await;
    assert_eq!((uuids(&listed, "tasks").contains(&gone), &listed["total"]), (false, &json!(2)));
    let waiting = s.ok(&s.dev, "get_task", task(&last)).await;
    assert_eq!(waiting["dependsOn"], json!([]));
    let unblocked = s.ok(&s.dev, "get_unblocked_tasks", json!({ "projectUuid": s.project })).await;
    assert!(uuids(&unblocked, "tasks").contains(&last));
    // The stream still tells what it was called.
    let stream = s.ok(&s.dev, "get_activity", json!({ "projectUuid": s.project, "pageSize": 100 })).await;
    let about: Vec<&Value> = rows(&stream, "activities").iter().filter(|row| row["targetUuid"] == *gone).collect();
    assert_eq!(about.len(), 4);
    assert!(about.iter().all(|row| row["targetTitle"] == "Parse"));
    s.unknown(&s.pm, "admin_delete_task").await;
}

async fn the_holder_and_those_who_waited_are_told(backend: Backend) {
    let s = Stage::new(backend).await;
    let gone = s.by(&s.dev).task_in("assigned").await;
    let (first, last) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    s.by(&s.pm).after(&gone, &[&first]).await;
    s.by(&s.pm).after(&last, &[&gone]).await;
    let project = s.project.to_string();
    let names = [(gone.as_str(), "T"), (&first, "F"), (&last, "L"), (&project, "P")];
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "admin_delete_task", task(&gone)).await;
    let value = json!({ "prerequisiteUuid": "T", "prerequisiteTitle": "Parse" });
    let expected = json!({
        "activities": [["admin", "dependency_closed", "task L", value]],
        "told": ["dev: deleted on project P", "pm: dependency_closed on task L"],
        "events": ["task F updated", "task L updated", "task T deleted"]
    });
    watch.expect(&names, expected).await;
    let told = s.unread(Party::Agent(AgentId::from_uuid(s.dev.subject.uuid())), s.dora).await.remove(0);
    assert_eq!(
        (told.message.as_str(), told.entity_title.as_str()),
        ("admin deleted the task \"Parse\", which you held", PROJECT)
    );
}

async fn of_a_finished_task_nobody_waits_any_more(backend: Backend) {
    let s = Stage::new(backend).await;
    for status in ["done", "closed"] {
        let (gone, last) = (s.by(&s.admin).task().await, s.by(&s.pm).task().await);
        s.by(&s.pm).after(&last, &[&gone]).await;
        s.by(&s.admin).advance(&gone, status).await;
        let mut watch = Watch::start(&s).await;
        s.ok(&s.admin, "admin_delete_task", task(&gone)).await;
        let expected = json!({
            "activities": NOTHING, "told": NOTHING, "events": ["task L updated", "task T deleted"]
        });
        watch.expect(&[(&gone, "T"), (&last, "L")], expected).await;
    }
}

async fn unread_notifications_about_what_is_gone_are_put_away(backend: Backend) {
    let s = Stage::new(backend).await;
    let (gone, kept) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    for task in [&gone, &kept] {
        s.by(&s.dev).comment("task", task, "Look").await;
    }
    let pm = Party::Agent(AgentId::from_uuid(s.pm.subject.uuid()));
    assert_eq!(s.unread(pm, s.pat).await.len(), 2);
    s.ok(&s.admin, "admin_delete_task", task(&gone)).await;
    let left: Vec<String> = s.unread(pm, s.pat).await.iter().map(|one| one.entity_id.to_string()).collect();
    assert_eq!(left, [kept]);
    let checkin = s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(checkin["notifications"]["unread"], 0, "the one that was left is marked by being shown");
}

/// Report 29: one wrong task is removed alone, and the rest of its batch stays.
async fn one_task_of_a_batch_is_removed_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.ok(&s.admin, "admin_delete_task", task(&made.tasks[0])).await;
    let listed = s.ok(&s.dev, "list_tasks", json!({ "projectUuid": s.project })).await;
    assert_eq!(uuids(&listed, "tasks"), [made.tasks[1].clone()]);
    let proposal = s.ok(&s.dev, "get_proposal", json!({ "proposalUuid": made.proposal })).await;
    assert_eq!((&proposal["status"], &proposal["taskDraftCount"]), (&json!("approved"), &json!(2)));
    s.by(&s.dev).advance(&made.tasks[1], "in_progress").await;
}

async fn deleting_twice_is_harmless(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let document = json!({ "documentUuid": made.document });
    for (tool, arguments) in [
        ("admin_delete_task", task(&made.tasks[0])),
        ("admin_delete_document", document),
        ("admin_delete_idea", idea(&made.idea)),
    ] {
        let mut keyed = arguments.clone();
        keyed["idempotencyKey"] = json!("once");
        let first = s.ok(&s.admin, tool, keyed.clone()).await;
        let mut watch = Watch::start(&s).await;
        assert_eq!(s.ok(&s.admin, tool, keyed).await, first, "{tool}");
        s.refused(&s.admin, tool, arguments, "not_found").await;
        watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    }
}

async fn an_idea_goes_and_its_children_and_proposals_stay(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let top = pm.idea().await;
    let gone = pm.idea_with(json!({ "parentUuid": top, "title": "Sync" })).await;
    let (one, two) =
        (pm.idea_with(json!({ "parentUuid": gone })).await, pm.idea_with(json!({ "parentUuid": gone })).await);
    let below = pm.idea_with(json!({ "parentUuid": one })).await;
    s.ok(&s.pm, "claim_idea", idea(&gone)).await;
    pm.round(&gone).await;
    pm.comment("idea", &gone, "Hm").await;
    s.ok(&s.pm, "pm_skip_elaboration", json!({ "ideaUuid": gone, "reason": "Clear" })).await;
    let proposal = pm.proposal_from(&gone).await;
    let project = s.project.to_string();
    let names = [(gone.as_str(), "I"), (&top, "TOP"), (&one, "C1"), (&two, "C2"), (&project, "P")];
    let mut watch = Watch::start(&s).await;
    let answer = s.ok(&s.admin, "admin_delete_idea", idea(&gone)).await;
    assert_eq!(answer["deleted"], json!({ "comments": 1, "mentions": 0, "references": 0, "rounds": 1 }));
    // Claimed, asked, commented on, skipped.
    assert_eq!(answer["kept"], json!({ "activities": 4, "children": 2, "proposals": 1 }));
    let message = text(&answer["message"]);
    assert!(message.starts_with(&format!("Idea \"Sync\" (`{gone}`) was deleted.")), "{message}");
    let value = json!({ "fromParentUuid": "I", "toParentUuid": null });
    let expected = json!({
        "activities": [
            ["admin", "reparented", "idea C1", value], ["admin", "reparented", "idea C2", value]
        ],
        "told": ["pm: deleted on project P"],
        "events": ["idea C1 updated", "idea C2 updated", "idea I deleted", "idea TOP updated"]
    });
    watch.expect(&names, expected).await;
    for (child, parent, version) in [(&one, Value::Null, 2), (&two, Value::Null, 2), (&below, json!(one), 1)] {
        let read = s.ok(&s.pm, "get_idea", idea(child)).await;
        assert_eq!((&read["parentUuid"], &read["version"]), (&parent, &json!(version)));
    }
    for tool in ["get_idea", "get_elaboration", "claim_idea"] {
        assert_eq!(s.refused(&s.pm, tool, idea(&gone), "not_found").await.text, "Idea not found");
    }
    let read = s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(read["inputUuids"], json!([]), "what is gone is not named");
    let mine = s.ok(&s.pm, "get_my_assignments", json!({})).await;
    assert_eq!(mine["ideaTracker"], json!({}));
    s.unknown(&s.pm, "admin_delete_idea").await;
}

async fn a_document_goes_with_its_versions_and_comments(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let on = json!({ "documentUuid": made.document });
    s.by(&s.dev).comment("document", &made.document, "Good").await;
    for title in ["Two", "Three"] {
        s.ok(&s.pm, "pm_update_document", json!({ "documentUuid": made.document, "title": title })).await;
    }
    let from = json!({
        "projectUuid": s.project, "title": "Follow-up", "inputType": "document", "inputUuids": [made.document]
    });
    s.ok(&s.pm, "pm_create_proposal", from).await;
    let mut watch = Watch::start(&s).await;
    let answer = s.ok(&s.admin, "admin_delete_document", on.clone()).await;
    assert_eq!(answer["deleted"], json!({ "comments": 1, "mentions": 0, "versions": 2 }));
    assert_eq!(answer["kept"], json!({ "activities": 1, "proposals": 1 }));
    let expected = json!({ "activities": NOTHING, "told": NOTHING, "events": ["document D deleted"] });
    watch.expect(&[(&made.document, "D")], expected).await;
    for tool in ["get_document", "admin_delete_document"] {
        assert_eq!(s.refused(&s.admin, tool, on.clone(), "not_found").await.text, "Document not found");
    }
    let listed = s.ok(&s.pm, "get_documents", json!({ "projectUuid": s.project })).await;
    assert_eq!(listed["total"], 0);
    s.unknown(&s.pm, "admin_delete_document").await;
}

backends!(
    a_task_goes_with_what_hangs_on_it,
    the_holder_and_those_who_waited_are_told,
    of_a_finished_task_nobody_waits_any_more,
    unread_notifications_about_what_is_gone_are_put_away,
    one_task_of_a_batch_is_removed_alone,
    deleting_twice_is_harmless,
    an_idea_goes_and_its_children_and_proposals_stay,
    a_document_goes_with_its_versions_and_comments,
);
