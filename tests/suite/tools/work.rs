//! claim_task, release_task, update_task (status), report_work, report_criteria_self_check, submit_for_verify,
//! mark_acceptance_criteria, admin_verify_task, admin_reopen_task, admin_close_task.

use chorus_domain::{Caller, Party};
use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, actor, holder, rows, text, uuid},
    task::unmarked,
};
use crate::backends;

fn on(task: &str) -> Value {
    json!({ "taskUuid": task })
}

async fn status(s: &Stage, task: &str) -> String {
    text(&s.ok(&s.pm, "get_task", on(task)).await["status"])
}

const STATUSES: [&str; 6] = ["open", "assigned", "in_progress", "to_verify", "done", "closed"];

async fn claiming_gives_a_brief(backend: Backend) {
    let s = Stage::new(backend).await;
    let (before, task, after) = (
        s.by(&s.pm).task().await,
        s.by(&s.pm).task_with(json!({ "description": "All of it" })).await,
        s.by(&s.pm).task().await,
    );
    s.by(&s.pm).after(&task, &[&before]).await;
    s.by(&s.pm).after(&after, &[&task]).await;
    let brief = s.ok(&s.dev, "claim_task", on(&task)).await;
    assert_eq!(
        (&brief["uuid"], &brief["title"], &brief["description"], &brief["status"]),
        (&json!(task), &json!("Parse"), &json!("All of it"), &json!("assigned"))
    );
    assert_like(&brief["acceptanceCriteriaItems"], &json!([unmarked("It works", true, 0)]));
    assert_like(&brief["assignee"], &holder(&s.dev));
    let beside = |uuid: &str| json!([{ "uuid": uuid, "title": "Parse", "status": "open" }]);
    assert_eq!((&brief["dependsOn"], &brief["dependedBy"]), (&beside(&before), &beside(&after)));
    assert_eq!(rows(&brief, "_hints").len(), 2);
    let plain = s.ok(&s.dev, "claim_task", on(&s.by(&s.pm).task().await)).await;
    assert_eq!(plain.get("_hints"), None);
    let reader = s.world.new_caller("reader", Some(s.pat), &[], &["task:read", "task:admin"]).await;
    s.unknown(&reader, "claim_task").await;
}

async fn only_an_open_task_is_claimed(backend: Backend) {
    let s = Stage::new(backend).await;
    for state in ["assigned", "in_progress", "to_verify", "done"] {
        let task = s.by(&s.dev).task_in(state).await;
        let refused = s.refused(&s.admin, "claim_task", on(&task), "already_claimed").await;
        assert_eq!(refused.details, json!({ "holder": actor(&s.dev), "status": state }));
        assert!(refused.text.contains("agent `dev`"), "{}", refused.text);
        let own = s.refused(&s.dev, "claim_task", on(&task), "already_claimed").await;
        assert!(own.text.starts_with("You hold this task already"), "{}", own.text);
    }
    let closed = s.by(&s.dev).task_in("closed").await;
    let refused = s.refused(&s.dev, "claim_task", on(&closed), "invalid_state").await;
    assert_eq!(refused.details["status"], "closed");
    s.refused(&s.dev, "claim_task", on(&s.nothing()), "not_found").await;
}

async fn an_assigned_task_is_released_by_its_assignee(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let refused = s.refused(&s.admin, "release_task", on(&task), "not_assignee").await;
    assert_eq!(refused.details["holder"], actor(&s.dev));
    let released = s.ok(&s.dev, "release_task", on(&task)).await;
    assert_eq!(
        (&released["uuid"], &released["status"], &released["assignee"]),
        (&json!(task), &json!("open"), &Value::Null)
    );
    assert_eq!(released.get("description"), None, "no long text that was not asked for");
    s.refused(&s.dev, "release_task", on(&task), "not_claimed").await;
    for state in ["in_progress", "to_verify", "done"] {
        let task = s.by(&s.dev).task_in(state).await;
        let refused = s.refused(&s.dev, "release_task", on(&task), "invalid_state").await;
        assert!(refused.text.contains(&format!("`{state}`")), "{}", refused.text);
    }
}

async fn what_the_owner_holds_its_agent_works_on(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task().await;
    s.give_task(&task, Party::User(s.dora)).await;
    s.refused(&s.admin, "update_task", json!({ "taskUuid": task, "status": "in_progress" }), "not_assignee").await;
    s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "status": "in_progress" })).await;
    s.ok(&s.dev, "report_work", json!({ "taskUuid": task, "report": "Half" })).await;
    s.ok(&s.dev, "submit_for_verify", on(&task)).await;
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    assert_eq!((&read["assignee"]["type"], &read["assignee"]["uuid"]), (&json!("user"), &json!(s.dora)));
}

/// Where a task gets by a call with status in each state; nothing where that is refused.
const BY_STATUS: [(&str, &str, bool); 12] = [
    ("open", "in_progress", false),
    ("open", "to_verify", false),
    ("assigned", "in_progress", true),
    ("assigned", "to_verify", false),
    ("in_progress", "in_progress", false),
    ("in_progress", "to_verify", true),
    ("to_verify", "in_progress", true),
    ("to_verify", "to_verify", false),
    ("done", "in_progress", false),
    ("done", "to_verify", false),
    ("closed", "in_progress", false),
    ("closed", "to_verify", false),
];

async fn an_assignee_sets_the_status_that_the_lifecycle_allows(backend: Backend) {
    let s = Stage::new(backend).await;
    for (from, to, possible) in BY_STATUS {
        for (tool, more) in [("update_task", json!({})), ("report_work", json!({ "report": "So far" }))] {
            let task = s.by(&s.dev).task_in(from).await;
            if matches!(from, "open" | "closed") {
                // Nobody's: given to the caller without a move, so that only the status is in the way.
                let to = Party::Agent(chorus_ids::AgentId::from_uuid(s.dev.subject.uuid()));
                let at = s.world.now();
                s.edit_task(&task, |task| task.assignee = Some(chorus_domain::Assignment { to, at, by: None })).await;
            }
            let mut arguments = json!({ "taskUuid": task, "status": to });
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            if possible {
                assert_eq!(s.ok(&s.dev, tool, arguments).await["status"], to);
                assert_eq!(status(&s, &task).await, to);
            } else {
                let refused = s.refused(&s.dev, tool, arguments, "invalid_transition").await;
                assert_eq!((&refused.details["from"], &refused.details["to"]), (&json!(from), &json!(to)));
                assert!(refused.details["nextStatuses"].is_array());
                assert_eq!(status(&s, &task).await, from);
                let read = s.ok(&s.dev, "get_task", on(&task)).await;
                assert_eq!(read["commentCount"], 0, "a report that is refused leaves nothing");
            }
        }
    }
    let task = s.by(&s.dev).task_in("assigned").await;
    for word in ["done", "open", "closed", "assigned"] {
        let arguments = json!({ "taskUuid": task, "status": word });
        s.refused(&s.dev, "update_task", arguments, "invalid_arguments").await;
    }
}

async fn a_refused_status_takes_the_other_fields_with_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let both = json!({ "taskUuid": task, "title": "New", "status": "to_verify" });
    s.refused(&s.dev, "update_task", both.clone(), "invalid_transition").await;
    s.refused(&s.pm, "update_task", both, "not_assignee").await;
    assert_eq!(s.ok(&s.dev, "get_task", on(&task)).await["title"], "Parse");
    let both = json!({ "taskUuid": task, "title": "New", "status": "in_progress" });
    let updated = s.ok(&s.dev, "update_task", both).await;
    assert_eq!((&updated["title"], &updated["status"]), (&json!("New"), &json!("in_progress")));
}

async fn a_report_becomes_a_comment_and_may_move_the_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let report = |status: Value| json!({ "taskUuid": task, "report": " 진행 중 ", "status": status });
    let told = s.ok(&s.dev, "report_work", report(json!("in_progress"))).await;
    assert_like(
        &told,
        &json!({
            "message": "The report was added and the task is now `in_progress`.", "taskUuid": task,
            "commentUuid": "<uuid>", "status": "in_progress", "statusUpdated": true, "version": "<number>"
        }),
    );
    let told = s.ok(&s.dev, "report_work", report(Value::Null)).await;
    assert_eq!((&told["status"], &told["statusUpdated"]), (&json!("in_progress"), &json!(false)));
    let comments = s.ok(&s.pm, "get_comments", json!({ "targetType": "task", "targetUuid": task })).await;
    let said: Vec<_> =
        rows(&comments, "comments").iter().map(|row| (text(&row["content"]), row["author"].clone())).collect();
    assert_eq!(said, [("진행 중".to_owned(), actor(&s.dev)), ("진행 중".to_owned(), actor(&s.dev))]);
    s.refused(&s.admin, "report_work", report(Value::Null), "not_assignee").await;
    for blank in ["", " \n"] {
        let arguments = json!({ "taskUuid": task, "report": blank });
        assert_eq!(s.refused(&s.dev, "report_work", arguments, "invalid_arguments").await.fields(), ["report"]);
    }
}

async fn submitting_hands_work_over(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task_in("in_progress").await;
    s.refused(&s.admin, "submit_for_verify", on(&task), "not_assignee").await;
    let submitted = s.ok(&s.dev, "submit_for_verify", json!({ "taskUuid": task, "summary": "Done" })).await;
    assert_eq!((&submitted["uuid"], &submitted["status"]), (&json!(task), &json!("to_verify")));
    for state in ["assigned", "to_verify", "done"] {
        let task = s.by(&s.dev).task_in(state).await;
        let refused = s.refused(&s.dev, "submit_for_verify", on(&task), "invalid_state").await;
        assert_eq!(
            (&refused.details["status"], &refused.details["allowedFrom"]),
            (&json!(state), &json!(["in_progress"]))
        );
    }
    let open = s.by(&s.dev).task().await;
    s.refused(&s.dev, "submit_for_verify", on(&open), "not_assignee").await;
}

async fn a_self_check_is_the_assignees_own_judgement(backend: Backend) {
    let s = Stage::new(backend).await;
    let criteria = json!([{ "description": "works" }, { "description": "fast", "required": false }]);
    let task = s.by(&s.dev).task_with(json!({ "acceptanceCriteriaItems": criteria })).await;
    s.by(&s.dev).advance(&task, "assigned").await;
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    let ids: Vec<Value> = rows(&read, "acceptanceCriteriaItems").iter().map(|item| item["uuid"].clone()).collect();
    let check = |marks: Value| json!({ "taskUuid": task, "criteria": marks });
    let marks = json!([
        { "uuid": ids[0], "devStatus": "passed", "devEvidence": "log" }, { "uuid": ids[1], "devStatus": "failed" }
    ]);
    s.refused(&s.admin, "report_criteria_self_check", check(marks.clone()), "not_assignee").await;
    let checked = s.ok(&s.dev, "report_criteria_self_check", check(marks)).await;
    let marked = |mut item: Value, mark: &str, evidence: Value| {
        item.as_object_mut().unwrap().extend([
            ("devStatus".to_owned(), json!(mark)),
            ("devEvidence".to_owned(), evidence),
            ("devMarkedByType".to_owned(), json!("agent")),
            ("devMarkedBy".to_owned(), json!(s.dev.subject.uuid())),
            ("devMarkedAt".to_owned(), json!("<time>")),
        ]);
        item
    };
    let items = json!([
        marked(unmarked("works", true, 0), "passed", json!("log")),
        marked(unmarked("fast", false, 1), "failed", Value::Null)
    ]);
    let summary = json!({
        "total": 2, "required": 1, "passed": 0, "failed": 0, "pending": 2, "requiredPassed": 0, "requiredFailed": 0,
        "requiredPending": 1
    });
    // Status and counts are those of the reviewer's marks, of which there are none.
    assert_like(&checked, &json!({ "items": items, "status": "not_started", "summary": summary }));
    // A later judgement takes the place of an earlier one, its evidence too.
    let again =
        s.ok(&s.dev, "report_criteria_self_check", check(json!([{ "uuid": ids[0], "devStatus": "failed" }]))).await;
    assert_eq!((&again["items"][0]["devStatus"], &again["items"][0]["devEvidence"]), (&json!("failed"), &Value::Null));
    assert_eq!(again["items"][1]["devStatus"], "failed");
}

async fn a_verdict_is_the_reviewers_and_rolls_up(backend: Backend) {
    let s = Stage::new(backend).await;
    let criteria = json!([{ "description": "a" }, { "description": "b" }, { "description": "c", "required": false }]);
    let task = s.by(&s.dev).task_with(json!({ "acceptanceCriteriaItems": criteria })).await;
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    let ids: Vec<Value> = rows(&read, "acceptanceCriteriaItems").iter().map(|item| item["uuid"].clone()).collect();
    // Any status, assignee or not.
    for (index, mark, rolled_up) in
        [(2, "failed", "in_progress"), (0, "passed", "in_progress"), (1, "failed", "failed"), (1, "passed", "passed")]
    {
        let marks =
            json!({ "taskUuid": task, "criteria": [{ "uuid": ids[index], "status": mark, "evidence": "seen" }] });
        let marked = s.ok(&s.admin, "mark_acceptance_criteria", marks).await;
        assert_eq!(marked["status"], rolled_up, "{index} {mark}");
        let item = &marked["items"][index];
        assert_eq!(
            (&item["status"], &item["evidence"], &item["markedByType"], &item["markedBy"]),
            (&json!(mark), &json!("seen"), &json!("agent"), &json!(s.admin.subject.uuid()))
        );
        assert_eq!(item["devStatus"], "pending", "the other mark is another's");
    }
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    assert_eq!(read["acceptanceStatus"], "passed");
    assert_eq!(
        read["acceptanceSummary"],
        json!({
            "total": 3, "required": 2, "passed": 2, "failed": 1, "pending": 0, "requiredPassed": 2, "requiredFailed": 0,
            "requiredPending": 0
        })
    );
    s.unknown(&s.dev, "mark_acceptance_criteria").await;
}

async fn marks_of_a_foreign_criterion_are_refused_as_a_whole(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, other) = (s.by(&s.dev).task_in("in_progress").await, s.by(&s.dev).task().await);
    let (own, foreign) = (s.by(&s.dev).criterion(&task).await, s.by(&s.dev).criterion(&other).await);
    for (who, tool, key) in
        [(&s.dev, "report_criteria_self_check", "devStatus"), (&s.admin, "mark_acceptance_criteria", "status")]
    {
        for stranger in [&foreign, &s.nothing()] {
            let marks = json!([{ "uuid": own, key: "passed" }, { "uuid": stranger, key: "passed" }]);
            let arguments = json!({ "taskUuid": task, "criteria": marks });
            let refused = s.refused(who, tool, arguments, "invalid_arguments").await;
            assert_eq!(refused.fields(), ["criteria[1].uuid"]);
        }
        // The same twice is one; a contradiction is none.
        let twice = json!([{ "uuid": own, key: "passed" }, { "uuid": own, key: "failed" }]);
        s.refused(who, tool, json!({ "taskUuid": task, "criteria": twice }), "invalid_arguments").await;
        let pending = json!([{ "uuid": own, key: "pending" }]);
        s.refused(who, tool, json!({ "taskUuid": task, "criteria": pending }), "invalid_arguments").await;
    }
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    assert_like(&read["acceptanceCriteriaItems"], &json!([unmarked("It works", true, 0)]));
}

async fn verification_waits_for_every_required_criterion(backend: Backend) {
    let s = Stage::new(backend).await;
    let criteria = json!([{ "description": "a" }, { "description": "b", "required": false }]);
    let task = s.by(&s.dev).task_with(json!({ "acceptanceCriteriaItems": criteria })).await;
    s.by(&s.dev).advance(&task, "in_progress").await;
    let criterion = s.by(&s.dev).criterion(&task).await;
    let own = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "devStatus": "passed" }] });
    s.ok(&s.dev, "report_criteria_self_check", own).await;
    s.ok(&s.dev, "submit_for_verify", on(&task)).await;
    let refused = s.refused(&s.admin, "admin_verify_task", on(&task), "precondition_failed").await;
    assert_eq!(
        refused.details,
        json!({ "required": 1, "passed": 0, "failed": 0, "pending": 1, "criteria": [criterion] })
    );
    let mark = |mark: &str| json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "status": mark }] });
    s.ok(&s.admin, "mark_acceptance_criteria", mark("failed")).await;
    s.refused(&s.admin, "admin_verify_task", on(&task), "precondition_failed").await;
    s.ok(&s.admin, "mark_acceptance_criteria", mark("passed")).await;
    let done = s.ok(&s.admin, "admin_verify_task", on(&task)).await;
    assert_eq!((&done["uuid"], &done["status"]), (&json!(task), &json!("done")));
    let kept: Vec<_> = rows(&done, "acceptanceCriteriaItems")
        .iter()
        .map(|item| (item["devStatus"].clone(), item["status"].clone()))
        .collect();
    assert_eq!(kept, [(json!("passed"), json!("passed")), (json!("pending"), json!("pending"))], "marks are kept");
    s.unknown(&s.dev, "admin_verify_task").await;

    // Optional criteria alone let everything through.
    let optional = json!([{ "description": "b", "required": false }]);
    let task = s.by(&s.dev).task_with(json!({ "acceptanceCriteriaItems": optional })).await;
    s.by(&s.dev).advance(&task, "to_verify").await;
    s.ok(&s.admin, "admin_verify_task", on(&task)).await;
}

async fn who_reviews_may_hold_the_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.admin).task_in("done").await;
    assert_eq!(status(&s, &task).await, "done");
}

async fn only_submitted_work_is_verified_or_reopened(backend: Backend) {
    let s = Stage::new(backend).await;
    for state in STATUSES.into_iter().filter(|state| *state != "to_verify") {
        let task = s.by(&s.dev).task_in(state).await;
        for tool in ["admin_verify_task", "admin_reopen_task"] {
            let refused = s.refused(&s.admin, tool, on(&task), "invalid_state").await;
            assert!(refused.text.contains(&format!("`{state}`")), "{}", refused.text);
            assert_eq!(refused.details["allowedFrom"], json!(["to_verify"]));
        }
    }
}

/// A task of `dev` in `to_verify` with both marks set.
async fn judged(s: &Stage) -> String {
    let task = s.by(&s.dev).task_in("to_verify").await;
    let criterion = s.by(&s.dev).criterion(&task).await;
    for (who, tool, key) in
        [(&s.dev, "report_criteria_self_check", "devStatus"), (&s.admin, "mark_acceptance_criteria", "status")]
    {
        s.ok(who, tool, json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, key: "passed" }] })).await;
    }
    task
}

async fn marks_are_cleared_when_work_is_not_accepted(backend: Backend) {
    let s = Stage::new(backend).await;
    let cleared = json!([unmarked("It works", true, 0)]);
    let task = judged(&s).await;
    let reopened = s.ok(&s.admin, "admin_reopen_task", on(&task)).await;
    assert_eq!((&reopened["status"], &reopened["acceptanceStatus"]), (&json!("in_progress"), &json!("not_started")));
    assert_like(&reopened["acceptanceCriteriaItems"], &cleared);
    assert_like(&reopened["assignee"], &holder(&s.dev));

    let resume = |task: &str| json!({ "taskUuid": task, "status": "in_progress" });
    let report = |task: &str| json!({ "taskUuid": task, "status": "in_progress", "report": "Once more" });
    type Arguments = fn(&str) -> Value;
    let ways: [(&Caller, &str, Arguments); 3] =
        [(&s.dev, "update_task", resume), (&s.dev, "report_work", report), (&s.admin, "admin_close_task", on)];
    for (who, tool, arguments) in ways {
        let task = judged(&s).await;
        s.ok(who, tool, arguments(&task)).await;
        let read = s.ok(&s.dev, "get_task", on(&task)).await;
        assert_like(&read["acceptanceCriteriaItems"], &cleared);
    }
    // Closing what was in progress keeps them.
    let task = judged(&s).await;
    s.ok(&s.admin, "admin_reopen_task", on(&task)).await;
    let criterion = s.by(&s.dev).criterion(&task).await;
    let marks = json!({ "taskUuid": task, "criteria": [{ "uuid": criterion, "devStatus": "failed" }] });
    s.ok(&s.dev, "report_criteria_self_check", marks).await;
    let closed = s.ok(&s.admin, "admin_close_task", on(&task)).await;
    assert_eq!(closed["acceptanceCriteriaItems"][0]["devStatus"], "failed");
}

async fn a_task_is_closed_from_any_other_status(backend: Backend) {
    let s = Stage::new(backend).await;
    for state in STATUSES.into_iter().filter(|state| *state != "closed") {
        let task = s.by(&s.dev).task_in(state).await;
        let closed = s.ok(&s.admin, "admin_close_task", on(&task)).await;
        assert_eq!((&closed["uuid"], &closed["status"]), (&json!(task), &json!("closed")), "{state}");
        if state != "open" {
            assert_like(&closed["assignee"], &holder(&s.dev));
        }
        let refused = s.refused(&s.admin, "admin_close_task", on(&task), "invalid_state").await;
        assert_eq!(refused.details["status"], "closed");
    }
    s.unknown(&s.dev, "admin_close_task").await;
    s.unknown(&s.pm, "admin_reopen_task").await;
}

async fn every_change_raises_the_version(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.dev).task().await;
    let mut seen = vec![1];
    for (who, tool, more) in [
        (&s.dev, "claim_task", json!({})),
        (&s.dev, "release_task", json!({})),
        (&s.dev, "claim_task", json!({})),
        (&s.dev, "update_task", json!({ "status": "in_progress" })),
        (&s.dev, "update_task", json!({ "priority": "low" })),
        (&s.dev, "submit_for_verify", json!({})),
        (&s.admin, "admin_reopen_task", json!({})),
        (&s.dev, "report_work", json!({ "report": "x", "status": "to_verify" })),
        (&s.admin, "admin_close_task", json!({})),
    ] {
        let mut arguments = on(&task);
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = s.ok(who, tool, arguments).await;
        seen.push(answer["version"].as_i64().unwrap());
        let read = s.ok(&s.dev, "get_task", on(&task)).await;
        assert_eq!(read["version"], answer["version"], "{tool}");
    }
    assert_eq!(seen, (1..=10).collect::<Vec<_>>());
    assert_eq!(uuid(&task).get_version_num(), 7);
}

backends!(
    claiming_gives_a_brief,
    only_an_open_task_is_claimed,
    an_assigned_task_is_released_by_its_assignee,
    what_the_owner_holds_its_agent_works_on,
    an_assignee_sets_the_status_that_the_lifecycle_allows,
    a_refused_status_takes_the_other_fields_with_it,
    a_report_becomes_a_comment_and_may_move_the_task,
    submitting_hands_work_over,
    a_self_check_is_the_assignees_own_judgement,
    a_verdict_is_the_reviewers_and_rolls_up,
    marks_of_a_foreign_criterion_are_refused_as_a_whole,
    verification_waits_for_every_required_criterion,
    who_reviews_may_hold_the_task,
    only_submitted_work_is_verified_or_reopened,
    marks_are_cleared_when_work_is_not_accepted,
    a_task_is_closed_from_any_other_status,
    every_change_raises_the_version,
);
