//! pm_revoke_proposal, admin_close_proposal.

use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    maker::Approved,
    stage::{Stage, actor, rows, text, uuids},
};
use crate::backends;

fn on(proposal: &str) -> Value {
    json!({ "proposalUuid": proposal })
}

fn decide(proposal: &str, note: &str) -> Value {
    json!({ "proposalUuid": proposal, "reviewNote": note })
}

async fn status(s: &Stage, task: &str) -> String {
    text(&s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await["status"])
}

/// An approved proposal with a report, and a task outside that waits for both of its tasks.
struct Work {
    made: Approved,
    report: String,
    outside: String,
}

impl Work {
    async fn new(s: &Stage) -> Self {
        let made = s.by(&s.pm).approved().await;
        let report = json!({ "proposalUuid": made.proposal, "title": "Report", "content": "## Summary" });
        let report = text(&s.ok(&s.pm, "create_report", report).await["documentUuid"]);
        let outside = s.by(&s.pm).task().await;
        s.by(&s.pm).after(&outside, &[&made.tasks[0], &made.tasks[1]]).await;
        Self { made, report, outside }
    }
}

async fn a_revoked_proposal_is_a_draft_and_what_it_made_is_undone(backend: Backend) {
    let s = Stage::new(backend).await;
    let Work { made, report, outside } = Work::new(&s).await;
    s.by(&s.dev).advance(&made.tasks[0], "done").await;
    let extra = json!([{ "title": "Extra", "acceptanceCriteriaItems": [{ "description": "c" }] }]);
    let extra = json!({ "projectUuid": s.project, "proposalUuid": made.proposal, "tasks": extra });
    let extra = text(&s.ok(&s.pm, "create_tasks", extra).await["tasks"][0]["uuid"]);
    let ended = s.by(&s.pm).task().await;
    s.by(&s.dev).comment("document", &made.document, "Good").await;

    let answer = s.ok(&s.pm, "pm_revoke_proposal", decide(&made.proposal, "Wrong way")).await;
    assert_eq!((&answer["uuid"], &answer["status"]), (&json!(made.proposal), &json!("draft")));
    let review = &answer["review"];
    assert_eq!((&review["reviewedBy"], &review["reviewNote"]), (&actor(&s.pm), &json!("Wrong way")));
    let undone = |uuid: &str, title: &str| json!({ "uuid": uuid, "title": title });
    assert_eq!(
        answer["closedTasks"],
        json!([undone(&made.tasks[0], "Log"), undone(&made.tasks[1], "Merge"), undone(&extra, "Extra")])
    );
    assert_eq!(answer["deletedDocuments"], json!([undone(&made.document, "Design"), undone(&report, "Report")]));
    for task in [&made.tasks[0], &made.tasks[1], &extra] {
        assert_eq!(status(&s, task).await, "closed");
    }
    assert_eq!(status(&s, &ended).await, "open");
    for document in [&made.document, &report] {
        s.refused(&s.pm, "get_document", json!({ "documentUuid": document }), "not_found").await;
    }
    assert_eq!(s.ok(&s.pm, "get_documents", json!({ "projectUuid": s.project })).await["total"], 0);
    // Inner dependencies stay, those from outside go.
    let second = s.ok(&s.pm, "get_task", json!({ "taskUuid": made.tasks[1] })).await;
    assert_eq!((uuids(&second, "dependsOn"), &second["dependedBy"]), (vec![made.tasks[0].clone()], &json!([])));
    let waiting = s.ok(&s.pm, "get_task", json!({ "taskUuid": outside })).await;
    assert_eq!(waiting["dependsOn"], json!([]));

    // The drafts are as they were; approved again, they make a new set.
    let read = s.ok(&s.pm, "get_proposal", on(&made.proposal)).await;
    assert_eq!((&read["documentDraftCount"], &read["taskDraftCount"]), (&json!(1), &json!(2)));
    s.ok(&s.pm, "pm_submit_proposal", on(&made.proposal)).await;
    let again = s.ok(&s.admin, "admin_approve_proposal", on(&made.proposal)).await;
    let fresh: Vec<String> = rows(&again, "materializedTasks").iter().map(|task| text(&task["taskUuid"])).collect();
    assert!(fresh.len() == 2 && !fresh.contains(&made.tasks[0]) && !fresh.contains(&made.tasks[1]));
    assert_eq!(status(&s, &made.tasks[1]).await, "closed", "the old ones stay closed");
}

async fn work_that_waited_for_a_verdict_gets_none(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let task = json!({ "taskUuid": made.tasks[0] });
    s.by(&s.dev).advance(&made.tasks[0], "to_verify").await;
    let criterion = s.by(&s.pm).criterion(&made.tasks[0]).await;
    let marks = json!({ "taskUuid": made.tasks[0], "criteria": [{ "uuid": criterion, "status": "passed" }] });
    s.ok(&s.admin, "mark_acceptance_criteria", marks).await;
    let before = s.ok(&s.pm, "get_task", task.clone()).await;
    assert_eq!(before["acceptanceStatus"], "passed");
    s.ok(&s.pm, "pm_revoke_proposal", on(&made.proposal)).await;
    let after = s.ok(&s.pm, "get_task", task).await;
    assert_eq!((&after["acceptanceStatus"], &after["status"]), (&json!("not_started"), &json!("closed")));
    assert_eq!(after["version"], json!(before["version"].as_i64().unwrap() + 1));
    assert_eq!(after["assignee"]["uuid"], json!(s.dev.subject.uuid()), "finished work keeps the name");
}

async fn a_revocation_tells_those_who_waited_and_nobody_else(backend: Backend) {
    let s = Stage::new(backend).await;
    let Work { made, report, outside } = Work::new(&s).await;
    s.by(&s.dev).advance(&made.tasks[0], "done").await;
    s.give_task(&outside, chorus_domain::Party::User(s.dora)).await;
    let names = [
        (made.proposal.as_str(), "P"),
        (&made.tasks[0], "T1"),
        (&made.tasks[1], "T2"),
        (&made.document, "D"),
        (&report, "R"),
        (&outside, "O"),
    ];
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "pm_revoke_proposal", on(&made.proposal)).await;
    // The first task was done, so only the second is work that will not come.
    let value = json!({ "prerequisiteUuid": "T2", "prerequisiteTitle": "Merge" });
    let revoked = json!({ "reviewNote": null, "closedTaskCount": 2, "deletedDocumentCount": 2 });
    let expected = json!({
        "activities": [
            ["admin", "dependency_closed", "task O", value], ["admin", "revoked", "proposal P", revoked]
        ],
        "told": ["dora: dependency_closed on task O"],
        "events": [
            "document D deleted", "document R deleted", "proposal P updated", "task O updated", "task T1 updated",
            "task T2 updated"
        ]
    });
    watch.expect(&names, expected).await;
    let again = s.refused(&s.admin, "pm_revoke_proposal", on(&made.proposal), "invalid_state").await;
    assert!(again.text.contains("`draft`"), "{}", again.text);
    watch.expect(&names, json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
}

/// A task that waits for both tasks of a proposal is told of each: its entry says so once, with the newest message.
async fn whoever_waited_for_several_has_one_entry(backend: Backend) {
    let s = Stage::new(backend).await;
    let Work { made, outside, .. } = Work::new(&s).await;
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "pm_revoke_proposal", on(&made.proposal)).await;
    let value = |task: &str, title: &str| json!({ "prerequisiteUuid": task, "prerequisiteTitle": title });
    let revoked = json!({ "reviewNote": null, "closedTaskCount": 2, "deletedDocumentCount": 2 });
    let names = [(made.proposal.as_str(), "P"), (&made.tasks[0], "T1"), (&made.tasks[1], "T2"), (&outside, "O")];
    let expected = json!({
        "activities": [
            ["admin", "dependency_closed", "task O", value("T1", "Log")],
            ["admin", "dependency_closed", "task O", value("T2", "Merge")],
            ["admin", "revoked", "proposal P", revoked]
        ],
        "told": ["pm: dependency_closed on task O x2"],
        "events": [
            "document * deleted", "document * deleted", "proposal P updated", "task O updated", "task T1 updated",
            "task T2 updated"
        ]
    });
    watch.expect(&names, expected).await;
}

async fn only_the_maker_or_a_proposal_admin_revokes_what_is_approved(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let planner = s.world.new_caller("planner", Some(s.pat), &["pm_agent"], &[]).await;
    let refused = s.refused(&planner, "pm_revoke_proposal", on(&made.proposal), "forbidden").await;
    assert!(refused.text.contains("`proposal:admin`"), "{}", refused.text);
    let (draft, pending) = (s.by(&s.pm).filled().await, s.by(&s.pm).pending().await);
    for (proposal, expected) in [(&draft, "draft"), (&pending, "pending")] {
        let refused = s.refused(&s.pm, "pm_revoke_proposal", on(proposal), "invalid_state").await;
        assert_eq!(refused.details["status"], expected);
    }
    let missing = s.refused(&s.pm, "pm_revoke_proposal", on(&s.nothing()), "not_found").await;
    assert_eq!(missing.text, "Proposal not found");
    assert_eq!(status(&s, &made.tasks[0]).await, "open", "nothing was undone");
    s.ok(&s.admin, "pm_revoke_proposal", on(&made.proposal)).await;
    s.unknown(&s.dev, "pm_revoke_proposal").await;
}

async fn a_closed_proposal_is_closed_for_good(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).pending().await;
    let mut watch = Watch::start(&s).await;
    let closed = s.ok(&s.admin, "admin_close_proposal", decide(&proposal, "Not now")).await;
    assert_eq!((&closed["uuid"], &closed["status"]), (&json!(proposal), &json!("closed")));
    assert_eq!((&closed["review"]["reviewedBy"], &closed["taskDraftCount"]), (&actor(&s.admin), &json!(2)));
    let expected = json!({
        "activities": [["admin", "closed", "proposal P", { "reviewNote": "Not now" }]], "told": NOTHING,
        "events": ["proposal P updated"]
    });
    watch.expect(&[(&proposal, "P")], expected).await;
    for (tool, arguments) in [
        ("admin_close_proposal", decide(&proposal, "x")),
        ("admin_approve_proposal", on(&proposal)),
        ("pm_reject_proposal", decide(&proposal, "x")),
        ("pm_submit_proposal", on(&proposal)),
    ] {
        s.refused(&s.admin, tool, arguments, "invalid_state").await;
    }
    s.unknown(&s.pm, "admin_close_proposal").await;
}

async fn only_a_pending_proposal_is_closed_and_with_a_reason(backend: Backend) {
    let s = Stage::new(backend).await;
    let (draft, approved) = (s.by(&s.pm).filled().await, s.by(&s.pm).approved().await.proposal);
    for (proposal, expected) in [(&draft, "draft"), (&approved, "approved")] {
        let refused = s.refused(&s.admin, "admin_close_proposal", decide(proposal, "x"), "invalid_state").await;
        assert!(refused.text.contains(&format!("`{expected}`")), "{}", refused.text);
    }
    let pending = s.by(&s.pm).pending().await;
    for (arguments, field) in [(decide(&pending, " \n"), "reviewNote"), (on(&pending), "reviewNote")] {
        assert_eq!(s.refused(&s.admin, "admin_close_proposal", arguments, "invalid_arguments").await.fields(), [field]);
    }
    let missing = s.refused(&s.admin, "admin_close_proposal", decide(&s.nothing(), "x"), "not_found").await;
    assert_eq!(missing.text, "Proposal not found");
}

backends!(
    a_revoked_proposal_is_a_draft_and_what_it_made_is_undone,
    work_that_waited_for_a_verdict_gets_none,
    a_revocation_tells_those_who_waited_and_nobody_else,
    whoever_waited_for_several_has_one_entry,
    only_the_maker_or_a_proposal_admin_revokes_what_is_approved,
    a_closed_proposal_is_closed_for_good,
    only_a_pending_proposal_is_closed_and_with_a_reason,
);
