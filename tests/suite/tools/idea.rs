//! pm_create_idea, claim_idea, release_idea, get_idea, get_ideas.

use chorus_domain::Party;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, actor, holder, rows, text, uuids},
};
use crate::backends;

async fn an_idea_starts_open_and_unassigned(backend: Backend) {
    let s = Stage::new(backend).await;
    let arguments = json!({ "projectUuid": s.project, "title": "Works offline", "content": "In the tube" });
    let made = s.ok(&s.pm, "pm_create_idea", arguments).await;
    assert_like(
        &made,
        &json!({ "uuid": "<uuid>", "title": "Works offline", "status": "open", "parentUuid": null, "version": 1 }),
    );
    let read = s.ok(&s.dev, "get_idea", json!({ "ideaUuid": made["uuid"] })).await;
    assert_like(
        &read,
        &json!({
            "uuid": made["uuid"], "title": "Works offline", "content": "In the tube", "attachments": [],
            "status": "open", "derivedStatus": "todo", "badgeHint": "open", "isContainer": false, "assignee": null,
            "project": { "uuid": s.project, "name": PROJECT }, "parentUuid": null, "parent": null, "children": [],
            "descendantUuids": [], "reports": [], "references": [], "createdBy": actor(&s.pm), "version": 1,
            "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    s.unknown(&s.dev, "pm_create_idea").await;
    // A blank text is none.
    let blank = s.by(&s.pm).idea_with(json!({ "content": " \n" })).await;
    assert_eq!(s.ok(&s.pm, "get_idea", json!({ "ideaUuid": blank })).await["content"], Value::Null);
}

async fn ideas_have_parents_and_themes_follow_their_children(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let theme = pm.idea_with(json!({ "title": "Theme", "isContainer": true })).await;
    let child = pm.idea_with(json!({ "title": "Child", "parentUuid": theme })).await;
    let grandchild = pm.idea_with(json!({ "title": "Grandchild", "parentUuid": child })).await;
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": child })).await;
    assert_eq!(read["parent"], json!({ "uuid": theme, "title": "Theme", "status": "open" }));
    assert_eq!((&read["parentUuid"], read.get("childProgress")), (&json!(theme), None));

    s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": child })).await;
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": theme })).await;
    assert_eq!(read["isContainer"], true);
    assert_eq!(read["descendantUuids"], json!([child, grandchild]));
    assert_eq!(read["childProgress"], json!({ "done": 0, "total": 1 }));
    assert_eq!(
        read["children"],
        json!([{
            "uuid": child, "title": "Child", "status": "elaborating", "derivedStatus": "in_progress",
            "badgeHint": "researching"
        }])
    );
    // The stored status of the theme is its own; its progress is that of its children.
    assert_eq!(
        (&read["status"], &read["derivedStatus"], &read["badgeHint"]),
        (&json!("open"), &json!("in_progress"), &json!("building"))
    );
    let listed = s.ok(&s.pm, "get_ideas", json!({ "projectUuid": s.project })).await;
    let theme_row = rows(&listed, "ideas").iter().find(|row| row["uuid"] == theme).unwrap().clone();
    assert_eq!((&theme_row["derivedStatus"], &theme_row["childCount"]), (&json!("in_progress"), &json!(1)));
}

async fn a_parent_has_to_be_in_the_same_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let other = s.world.project("other", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let elsewhere = s.by(&s.pm).within(&other).idea().await;
    let unseen = s.by(&s.admin).within(&hidden).idea().await;
    for parent in [elsewhere, unseen, s.nothing()] {
        let arguments = json!({ "projectUuid": s.project, "title": "x", "parentUuid": parent });
        let refused = s.refused(&s.pm, "pm_create_idea", arguments, "not_found").await;
        assert_eq!(refused.text, "Idea not found");
    }
    let missing = json!({ "projectUuid": s.nothing(), "title": "x" });
    assert_eq!(s.refused(&s.pm, "pm_create_idea", missing, "not_found").await.text, "Project not found");
}

async fn claiming_makes_an_idea_ones_own(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    let on = json!({ "ideaUuid": idea });
    let claimed = s.ok(&s.pm, "claim_idea", on.clone()).await;
    assert_like(&claimed, &json!({ "uuid": idea, "status": "elaborating", "version": 2 }));
    let read = s.ok(&s.pm, "get_idea", on.clone()).await;
    assert_like(&read["assignee"], &holder(&s.pm));
    assert_eq!((&read["derivedStatus"], &read["badgeHint"]), (&json!("in_progress"), &json!("researching")));

    let refused = s.refused(&s.admin, "claim_idea", on.clone(), "already_claimed").await;
    assert_eq!(refused.details["holder"], actor(&s.pm));
    assert!(refused.text.contains("agent `pm`"), "{}", refused.text);
    // Claiming again what one holds is refused too, and says so.
    let refused = s.refused(&s.pm, "claim_idea", on.clone(), "already_claimed").await;
    assert!(refused.text.starts_with("You hold this idea already"), "{}", refused.text);
    let gone = json!({ "ideaUuid": s.nothing() });
    assert_eq!(s.refused(&s.pm, "claim_idea", gone, "not_found").await.text, "Idea not found");
    s.unknown(&s.dev, "claim_idea").await;
}

async fn an_elaborated_idea_is_not_claimed(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    s.ok(&s.pm, "release_idea", json!({ "ideaUuid": idea })).await;
    let refused = s.refused(&s.admin, "claim_idea", json!({ "ideaUuid": idea }), "invalid_state").await;
    assert!(refused.text.contains("`elaborated"), "{}", refused.text);
    assert_eq!(refused.details["status"], "elaborated");
}

async fn releasing_gives_an_idea_back(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    s.by(&s.pm).round(&idea).await;
    let on = json!({ "ideaUuid": idea });
    let read = s.ok(&s.pm, "get_idea", on.clone()).await;
    assert_eq!(
        (&read["elaborationStatus"], &read["elaborationDepth"], &read["badgeHint"]),
        (&json!("pending_answers"), &json!("standard"), &json!("answer_questions"))
    );
    let refused = s.refused(&s.admin, "release_idea", on.clone(), "not_assignee").await;
    assert_eq!(refused.details["assignee"]["uuid"], json!(s.pm.subject.uuid()));
    let released = s.ok(&s.pm, "release_idea", on.clone()).await;
    assert_like(&released, &json!({ "uuid": idea, "status": "open", "version": "<number>" }));
    let read = s.ok(&s.pm, "get_idea", on.clone()).await;
    assert_eq!(
        (read.get("elaborationStatus"), read.get("elaborationDepth")),
        (None, None),
        "it forgets how far it was"
    );
    assert_eq!(read["assignee"], Value::Null);
    let rounds = s.ok(&s.pm, "get_elaboration", on.clone()).await;
    assert_eq!(rows(&rounds, "rounds").len(), 1, "the rounds stay");
    s.refused(&s.pm, "release_idea", on, "not_claimed").await;
}

async fn releasing_an_elaborated_idea_keeps_what_was_found_out(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    let released = s.ok(&s.pm, "release_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!(released["status"], "elaborated");
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!(
        (&read["elaborationStatus"], &read["elaborationDepth"], &read["assignee"]),
        (&json!("resolved"), &json!("minimal"), &Value::Null)
    );
}

async fn what_the_owner_holds_its_agent_may_release(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    s.give_idea(&idea, Party::User(s.pat)).await;
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!((&read["assignee"]["type"], &read["assignee"]["name"]), (&json!("user"), &json!("pat")));
    s.refused(&s.admin, "release_idea", json!({ "ideaUuid": idea }), "not_assignee").await;
    s.ok(&s.pm, "release_idea", json!({ "ideaUuid": idea })).await;
}

async fn ideas_are_listed_newest_first_with_their_progress(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let first = pm.idea_with(json!({ "title": "x".repeat(500) })).await;
    let second = pm.claimed().await;
    let third = pm.elaborated().await;
    let listed = s.ok(&s.dev, "get_ideas", json!({ "projectUuid": s.project })).await;
    assert_eq!(uuids(&listed, "ideas"), [third.clone(), second.clone(), first.clone()]);
    assert_eq!((&listed["returned"], &listed["total"]), (&json!(3), &json!(3)));
    assert_like(
        &rows(&listed, "ideas")[2],
        &json!({
            "uuid": first, "title": format!("{}...", "x".repeat(253)), "status": "open", "derivedStatus": "todo",
            "badgeHint": "open", "isContainer": false, "parentUuid": null, "projectUuid": s.project, "reportCount": 0,
            "childCount": 0, "version": 1, "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    for (status, expected) in [("open", first), ("elaborating", second), ("elaborated", third)] {
        let filtered = s.ok(&s.dev, "get_ideas", json!({ "projectUuid": s.project, "status": status })).await;
        assert_eq!((uuids(&filtered, "ideas"), &filtered["total"]), (vec![expected], &json!(1)), "{status}");
    }
    for status in ["done", "proposal_created", "completed", ""] {
        let arguments = json!({ "projectUuid": s.project, "status": status });
        s.refused(&s.dev, "get_ideas", arguments, "invalid_arguments").await;
    }
}

/// Status, derived status and badge of an idea.
async fn progress(s: &Stage, idea: &str) -> [String; 3] {
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    let listed = s.ok(&s.pm, "get_ideas", json!({ "projectUuid": s.project })).await;
    let row = rows(&listed, "ideas").iter().find(|row| row["uuid"] == *idea).unwrap();
    let of = |value: &Value| ["status", "derivedStatus", "badgeHint"].map(|key| text(&value[key]));
    assert_eq!(of(&read), of(row), "row and read agree");
    of(row)
}

async fn an_ideas_progress_follows_proposals_and_tasks(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let idea = pm.claimed().await;
    assert_eq!(progress(&s, &idea).await, ["elaborating", "in_progress", "researching"]);
    pm.round(&idea).await;
    assert_eq!(progress(&s, &idea).await, ["elaborating", "human_conduct_required", "answer_questions"]);
    pm.answered(&idea).await;
    assert_eq!(progress(&s, &idea).await, ["elaborating", "in_progress", "researching"]);
    s.ok(&s.admin, "pm_validate_elaboration", json!({ "ideaUuid": idea })).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "in_progress", "planning"]);
    let proposal = pm.proposal_from(&idea).await;
    pm.fill(&proposal).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "in_progress", "planning"], "drafts don't count");
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "human_conduct_required", "review_proposal"]);
    let made = s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "in_progress", "building"]);
    let tasks: Vec<String> = rows(&made, "materializedTasks").iter().map(|task| text(&task["taskUuid"])).collect();
    s.by(&s.dev).advance(&tasks[0], "to_verify").await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "human_conduct_required", "verify_work"]);
    let criterion = pm.criterion(&tasks[0]).await;
    let marks = json!({ "taskUuid": tasks[0], "criteria": [{ "uuid": criterion, "status": "passed" }] });
    s.ok(&s.admin, "mark_acceptance_criteria", marks).await;
    s.ok(&s.admin, "admin_verify_task", json!({ "taskUuid": tasks[0] })).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "in_progress", "building"]);
    s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": tasks[1] })).await;
    assert_eq!(progress(&s, &idea).await, ["elaborated", "done", "done"]);
}

async fn an_idea_shows_its_reports_newest_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    for title in ["First", "Second"] {
        let arguments =
            json!({ "proposalUuid": made.proposal, "title": title, "content": "## Summary", "force": true });
        s.ok(&s.pm, "create_report", arguments).await;
    }
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": made.idea })).await;
    let report = |title: &str| {
        json!({
            "uuid": "<uuid>", "type": "report", "title": title, "content": "## Summary", "version": 1,
            "proposalUuid": made.proposal, "createdBy": actor(&s.pm), "createdAt": "<time>", "updatedAt": "<time>"
        })
    };
    assert_like(&read["reports"], &json!([report("Second"), report("First")]));
    let listed = s.ok(&s.pm, "get_ideas", json!({ "projectUuid": s.project })).await;
    assert_eq!(rows(&listed, "ideas")[0]["reportCount"], 2);
}

backends!(
    an_idea_starts_open_and_unassigned,
    ideas_have_parents_and_themes_follow_their_children,
    a_parent_has_to_be_in_the_same_project,
    claiming_makes_an_idea_ones_own,
    an_elaborated_idea_is_not_claimed,
    releasing_gives_an_idea_back,
    releasing_an_elaborated_idea_keeps_what_was_found_out,
    what_the_owner_holds_its_agent_may_release,
    ideas_are_listed_newest_first_with_their_progress,
    an_ideas_progress_follows_proposals_and_tasks,
    an_idea_shows_its_reports_newest_first,
);
