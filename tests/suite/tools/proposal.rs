//! pm_create_proposal, pm_add_document_draft, pm_add_task_draft, pm_validate_proposal, pm_submit_proposal,
//! admin_approve_proposal, pm_reject_proposal, get_proposal, get_proposals.

use chorus_domain::{
    Caller, Party, Write,
    proposal::{CriterionDraft, TaskDraft},
};
use chorus_ids::{AgentId, DraftId, ProposalId};
use chorus_lifecycle::{idea::ElaborationStatus, task::Priority};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::{long_text, merge},
    stage::{PROJECT, Stage, actor, rows, text, uuid, uuids},
};
use crate::backends;

/// The basic section of the proposal that makers make, without its description.
fn basic(s: &Stage, by: &Caller, status: &str, inputs: &[&str]) -> Value {
    json!({
        "uuid": "<uuid>", "title": "Sync", "inputType": "idea", "inputUuids": inputs, "status": status,
        "project": { "uuid": s.project, "name": PROJECT }, "createdBy": actor(by), "createdByType": "agent",
        "review": null, "version": "<number>", "createdAt": "<time>", "updatedAt": "<time>", "references": [],
        "section": "basic", "documentDraftCount": 0, "taskDraftCount": 0, "documentDraftIndex": [], "taskDraftIndex": []
    })
}

/// The same of a filled one.
fn filled(s: &Stage, by: &Caller, status: &str) -> Value {
    let mut expected = basic(s, by, status, &["<uuid>"]);
    let of_each = json!({ "uuid": "<uuid>", "priority": "high", "storyPoints": 2.0, "acceptanceCriteriaCount": 1 });
    let entry = |title: &str| with(of_each.clone(), json!({ "title": title }));
    let mut second = entry("Merge");
    second["dependsOnDraftUuids"] = json!(["<uuid>"]);
    let design = json!({
        "uuid": "<uuid>", "type": "tech_design", "title": "Design", "contentLength": long_text().chars().count()
    });
    let index = json!({
        "documentDraftCount": 1, "taskDraftCount": 2, "documentDraftIndex": [design],
        "taskDraftIndex": [entry("Log"), second]
    });
    merge(&mut expected, index);
    expected
}

fn with(mut value: Value, more: Value) -> Value {
    merge(&mut value, more);
    value
}

fn create(s: &Stage, kind: &str, inputs: &[&str]) -> Value {
    json!({
        "projectUuid": s.project, "title": "Sync", "description": "How", "inputType": kind, "inputUuids": inputs
    })
}

async fn a_proposal_starts_as_an_empty_draft(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    let made = s.ok(&s.pm, "pm_create_proposal", create(&s, "idea", &[&idea, &idea])).await;
    let expected = basic(&s, &s.pm, "draft", &[&idea]); // a source named twice counts once
    assert_like(&made, &with(expected.clone(), json!({ "warnings": [], "version": 1 })));
    let read = s.ok(&s.dev, "get_proposal", json!({ "proposalUuid": made["uuid"] })).await;
    assert_like(&read, &with(expected, json!({ "description": "How", "uuid": made["uuid"], "version": 1 })));
    s.unknown(&s.dev, "pm_create_proposal").await;
}

async fn an_idea_that_is_proposed_from_again_is_a_warning(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    s.by(&s.pm).proposal_from(&idea).await;
    let again = s.ok(&s.pm, "pm_create_proposal", create(&s, "idea", &[&idea])).await;
    let warnings = rows(&again, "warnings");
    assert_eq!(warnings.len(), 1);
    assert!(text(&warnings[0]).contains("\"Sync\""), "{warnings:?}");

    // A proposal that one can't see is not spoken of.
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let other = s.by(&s.admin).elaborated().await;
    s.by(&s.admin).within(&hidden).proposal_from(&other).await;
    s.give_idea(&other, Party::Agent(agent(&s.pm))).await;
    let quiet = s.ok(&s.pm, "pm_create_proposal", create(&s, "idea", &[&other])).await;
    assert_eq!(quiet["warnings"], json!([]));
}

fn agent(who: &Caller) -> AgentId {
    AgentId::from_uuid(who.subject.uuid())
}

async fn ideas_have_to_be_the_agents_own_and_no_themes(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let foreign = s.by(&s.admin).elaborated().await;
    let of_owner = pm.elaborated().await;
    s.give_idea(&of_owner, Party::User(s.pat)).await;
    let nobodys = pm.idea().await;
    for idea in [&foreign, &of_owner, &nobodys] {
        let refused = s.refused(&s.pm, "pm_create_proposal", create(&s, "idea", &[idea]), "not_assignee").await;
        assert_eq!(refused.details["ideas"][0]["ideaUuid"], **idea);
    }
    let theme = pm.idea_with(json!({ "isContainer": true })).await;
    s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": theme })).await;
    let refused = s.refused(&s.pm, "pm_create_proposal", create(&s, "idea", &[&theme]), "precondition_failed").await;
    assert!(refused.text.contains("derive a child idea"), "{}", refused.text);
    // All that is wrong is told at once.
    let both = s.refused(&s.pm, "pm_create_proposal", create(&s, "idea", &[&theme, &foreign]), "not_assignee").await;
    assert_eq!(rows(&both.details, "ideas").len(), 2);
    let listed = s.ok(&s.pm, "get_proposals", json!({ "projectUuid": s.project })).await;
    assert_eq!(listed["total"], 0);
}

async fn sources_may_lie_in_other_projects_that_one_sees(backend: Backend) {
    let s = Stage::new(backend).await;
    let other = s.world.project("other", Visibility::Private, &[(s.pat, Role::Editor)]).await;
    let idea = s.by(&s.pm).within(&other.to_string()).elaborated().await;
    s.world.member(other, s.pat, Role::Viewer).await;
    s.ok(&s.pm, "pm_create_proposal", create(&s, "idea", &[&idea])).await;

    let document = s.by(&s.pm).approved().await.document;
    let made = s.ok(&s.pm, "pm_create_proposal", create(&s, "document", &[&document])).await;
    assert_eq!((&made["inputType"], &made["inputUuids"]), (&json!("document"), &json!([document])));

    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let unseen = s.by(&s.admin).within(&hidden).elaborated().await;
    for (kind, id, noun) in [
        ("idea", unseen, "Idea"),
        ("idea", s.nothing(), "Idea"),
        ("document", s.nothing(), "Document"),
        ("document", idea, "Document"),
    ] {
        let refused = s.refused(&s.pm, "pm_create_proposal", create(&s, kind, &[&id]), "not_found").await;
        assert_eq!(refused.text, format!("{noun} not found"));
    }
}

async fn inputs_that_the_reader_may_not_see_are_left_out(backend: Backend) {
    let s = Stage::new(backend).await;
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let (shown, unseen) = (s.by(&s.admin).elaborated().await, s.by(&s.admin).within(&hidden).elaborated().await);
    let made = s.ok(&s.admin, "pm_create_proposal", create(&s, "idea", &[&unseen, &shown])).await;
    let on = json!({ "proposalUuid": made["uuid"], "section": "full" });
    assert_eq!(s.ok(&s.admin, "get_proposal", on.clone()).await["inputUuids"], json!([unseen, shown]));
    assert_eq!(s.ok(&s.pm, "get_proposal", on).await["inputUuids"], json!([shown]));
    let row = |listed: Value| rows(&listed, "proposals")[0]["ideaUuid"].clone();
    assert_eq!(row(s.ok(&s.admin, "get_proposals", json!({ "projectUuid": s.project })).await), json!(unseen));
    assert_eq!(row(s.ok(&s.pm, "get_proposals", json!({ "projectUuid": s.project })).await), json!(shown));
    // Whoever changes it is answered no differently.
    let draft = json!({ "proposalUuid": made["uuid"], "type": "prd", "title": "x", "content": "x" });
    let added = s.ok(&s.pm, "pm_add_document_draft", draft).await;
    assert_eq!(added["proposal"]["inputUuids"], json!([shown]));
    s.refused(&s.pm, "pm_validate_proposal", json!({ "proposalUuid": made["uuid"] }), "not_found").await;
    let refused = s.refused(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": made["uuid"] }), "not_found").await;
    assert_eq!(refused.text, "Idea not found");
}

async fn drafts_are_added_while_the_proposal_is_a_draft(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).proposal().await;
    let document = json!({ "proposalUuid": proposal, "type": "adr", "title": "Choice", "content": "界界" });
    // Any planner with access may edit, not its maker only.
    let added = s.ok(&s.admin, "pm_add_document_draft", document.clone()).await;
    let mut expected = basic(&s, &s.pm, "draft", &["<uuid>"]);
    let entry = json!({ "uuid": added["draftUuid"], "type": "adr", "title": "Choice", "contentLength": 2 });
    merge(&mut expected, json!({ "documentDraftCount": 1, "documentDraftIndex": [entry], "version": 2 }));
    assert_like(
        &added,
        &json!({
            "proposalUuid": proposal, "action": "document_draft_added", "draftUuid": "<uuid>", "draftTitle": "Choice",
            "proposal": expected
        }),
    );
    let task = json!({
        "proposalUuid": proposal, "title": "Do", "acceptanceCriteriaItems": [
            { "description": " works " }, { "description": " " }, { "description": "fast", "required": false }
        ]
    });
    let added = s.ok(&s.pm, "pm_add_task_draft", task.clone()).await;
    let entry = json!({ "uuid": added["draftUuid"], "title": "Do", "acceptanceCriteriaCount": 2 });
    merge(&mut expected, json!({ "taskDraftCount": 1, "taskDraftIndex": [entry], "version": 3 }));
    assert_like(
        &added,
        &json!({
            "proposalUuid": proposal, "action": "task_draft_added", "draftUuid": "<uuid>", "draftTitle": "Do",
            "proposal": expected
        }),
    );
    for criteria in [json!([]), json!([{ "description": " " }]), Value::Null] {
        let mut none = task.clone();
        none["acceptanceCriteriaItems"] = criteria;
        let refused = s.refused(&s.pm, "pm_add_task_draft", none, "invalid_arguments").await;
        assert_eq!(refused.fields(), ["acceptanceCriteriaItems"]);
    }

    let pending = s.by(&s.pm).pending().await;
    for (tool, arguments) in [("pm_add_document_draft", document), ("pm_add_task_draft", task)] {
        let refused =
            s.refused(&s.pm, tool, with(arguments, json!({ "proposalUuid": pending })), "invalid_state").await;
        assert_eq!(refused.details["status"], "pending");
    }
}

async fn a_proposal_is_read_by_section(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).filled().await;
    let read = async |section: Option<&str>| {
        s.ok(&s.dev, "get_proposal", json!({ "proposalUuid": proposal, "section": section })).await
    };
    let head = ["documentDraftCount", "taskDraftCount", "documentDraftIndex", "taskDraftIndex"];
    let whole = with(filled(&s, &s.pm, "draft"), json!({ "description": "How" }));
    assert_like(&read(None).await, &whole);
    assert_eq!(read(Some("basic")).await, read(None).await);

    let mut bare = whole;
    for key in head {
        bare.as_object_mut().unwrap().remove(key);
    }
    let documents = json!([{ "uuid": "<uuid>", "type": "tech_design", "title": "Design", "content": long_text() }]);
    let task = |title: &str, more: Value| {
        let task = json!({
            "uuid": "<uuid>", "title": title, "description": "Do it", "priority": "high", "storyPoints": 2.0,
            "acceptanceCriteriaItems": [{ "description": "It works", "required": true }]
        });
        with(task, more)
    };
    let tasks = json!([task("Log", json!({})), task("Merge", json!({ "dependsOnDraftUuids": ["<uuid>"] }))]);
    let section = |name: &str, more: Value| with(with(bare.clone(), json!({ "section": name })), more);
    assert_like(&read(Some("documents")).await, &section("documents", json!({ "documentDrafts": documents })));
    assert_like(&read(Some("tasks")).await, &section("tasks", json!({ "taskDrafts": tasks })));
    let full = json!({ "documentDrafts": documents, "taskDrafts": tasks });
    assert_like(&read(Some("full")).await, &section("full", full));
    let odd = json!({ "proposalUuid": proposal, "section": "everything" });
    s.refused(&s.dev, "get_proposal", odd, "invalid_arguments").await;
    let gone = s.refused(&s.dev, "get_proposal", json!({ "proposalUuid": s.nothing() }), "not_found").await;
    assert_eq!(gone.text, "Proposal not found");
}

/// The rules that validation finds broken, with the field they name.
async fn issues(s: &Stage, proposal: &str) -> Vec<(String, String, Option<String>)> {
    let found = s.ok(&s.pm, "pm_validate_proposal", json!({ "proposalUuid": proposal })).await;
    let issues: Vec<_> = rows(&found, "issues")
        .iter()
        .map(|issue| {
            assert!(!text(&issue["message"]).is_empty());
            (text(&issue["id"]), text(&issue["level"]), issue["field"].as_str().map(str::to_owned))
        })
        .collect();
    assert_eq!(found["valid"], issues.iter().all(|(_, level, _)| level != "error"));
    issues
}

fn issue(id: &str, level: &str, field: Option<&str>) -> (String, String, Option<String>) {
    (id.to_owned(), level.to_owned(), field.map(str::to_owned))
}

async fn validation_lists_what_is_missing_in_a_fixed_order(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    let bare = json!({ "projectUuid": s.project, "title": "x", "inputType": "idea", "inputUuids": [] });
    let empty = text(&s.ok(&s.pm, "pm_create_proposal", bare.clone()).await["uuid"]);
    let error = |id, field| issue(id, "error", field);
    let (warning, info) = (|id, field| issue(id, "warning", field), |id, field| issue(id, "info", field));
    assert_eq!(
        issues(&s, &empty).await,
        [error("E1", None), error("E3", None), error("E4", None), warning("W1", None), warning("W5", None)]
    );
    let from = with(bare, json!({ "inputUuids": [idea] }));
    let poor = text(&s.ok(&s.pm, "pm_create_proposal", from).await["uuid"]);
    let short = json!({ "proposalUuid": poor, "type": "prd", "title": "Short", "content": "x".repeat(99) });
    s.ok(&s.pm, "pm_add_document_draft", short).await;
    for title in ["One", "Two"] {
        let task = json!({ "proposalUuid": poor, "title": title, "acceptanceCriteriaItems": [{ "description": "c" }] });
        s.ok(&s.pm, "pm_add_task_draft", task).await;
    }
    assert_eq!(
        issues(&s, &poor).await,
        [
            error("E2", Some("Short")),
            error("E5", Some("Works offline")),
            warning("W1", None),
            warning("W2", Some("One")),
            warning("W2", Some("Two")),
            warning("W4", None),
            warning("W5", None),
            info("I1", Some("One")),
            info("I1", Some("Two")),
            info("I2", Some("One")),
            info("I2", Some("Two")),
        ]
    );
    let good = s.by(&s.pm).filled().await;
    assert_eq!(issues(&s, &good).await, []);
    // It works in any status, and changes nothing.
    let pending = s.by(&s.pm).pending().await;
    let before = s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": pending })).await;
    assert_eq!(issues(&s, &pending).await, []);
    assert_eq!(s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": pending })).await, before);
}

async fn drafts_that_wait_for_nothing_known_or_for_each_other_are_errors(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let other = pm.proposal().await;
    let foreign = pm.task_draft(&other, "Elsewhere", &[]).await;
    let dependency = |title: &str| issue("E-DEP", "error", Some(title));
    for unknown in [foreign, s.nothing()] {
        let proposal = pm.proposal().await;
        pm.document_draft(&proposal).await;
        pm.task_draft(&proposal, "Lost", &[&unknown]).await;
        assert_eq!(issues(&s, &proposal).await, [dependency("Lost")]);
        let refused =
            s.refused(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal }), "precondition_failed").await;
        assert!(refused.text.contains("[error] E-DEP"), "{}", refused.text);
    }
    // Through the tools a draft can name earlier ones only; rows from elsewhere may go round in a circle.
    let proposal = pm.pending().await;
    let [one, two]: [DraftId; 2] = [s.world.id(), s.world.id()];
    let draft = |id, title: &str, on| TaskDraft {
        id,
        title: title.to_owned(),
        description: Some("x".into()),
        priority: Some(Priority::Low),
        story_points: Some(1.0),
        criteria: vec![CriterionDraft { description: "c".into(), required: true }],
        depends_on: vec![on],
    };
    let id = ProposalId::from_uuid(uuid(&proposal));
    let drafts = [draft(one, "Egg", two), draft(two, "Hen", one)];
    s.world.write(drafts.map(|draft| Write::AddTaskDraft(id, draft)).to_vec()).await;
    let on = json!({ "proposalUuid": proposal });
    let found = issues(&s, &proposal).await;
    assert_eq!((found.len(), found[0].0.as_str()), (1, "E-DEP"));
    let refused = s.refused(&s.admin, "admin_approve_proposal", on.clone(), "precondition_failed").await;
    // Which of the two comes first does not matter.
    let circle = refused.text.contains("`Egg` -> `Hen`") && refused.text.contains("`Hen` -> `Egg`");
    assert!(circle, "{}", refused.text);
    s.ok(&s.admin, "pm_reject_proposal", json!({ "proposalUuid": proposal, "reviewNote": "Circle" })).await;
    s.refused(&s.pm, "pm_submit_proposal", on, "precondition_failed").await;
}

async fn submitting_hands_a_valid_draft_in(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).filled().await;
    let on = json!({ "proposalUuid": proposal });
    // Any planner with access may submit.
    let submitted = s.ok(&s.admin, "pm_submit_proposal", on.clone()).await;
    assert_like(&submitted, &with(filled(&s, &s.pm, "pending"), json!({ "uuid": proposal })));
    let refused = s.refused(&s.pm, "pm_submit_proposal", on.clone(), "invalid_state").await;
    assert!(refused.text.contains("`pending`"), "{}", refused.text);
    s.unknown(&s.dev, "pm_submit_proposal").await;

    let invalid = s.by(&s.pm).proposal().await;
    let refused =
        s.refused(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": invalid }), "precondition_failed").await;
    let lines: Vec<&str> = refused.text.lines().skip(1).collect();
    assert_eq!(lines.len(), rows(&refused.details, "issues").len());
    assert!(
        lines[0].starts_with("[error] E1") && lines.iter().any(|line| line.starts_with("[warning] W1")),
        "{lines:?}"
    );
}

async fn approval_turns_drafts_into_documents_and_tasks(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let proposal = pm.proposal().await;
    let document = pm.document_draft(&proposal).await;
    let criteria =
        json!([{ "description": " works " }, { "description": " " }, { "description": "fast", "required": false }]);
    let plain =
        json!({ "proposalUuid": proposal, "title": "Log", "storyPoints": 0, "acceptanceCriteriaItems": criteria });
    let first = text(&s.ok(&s.pm, "pm_add_task_draft", plain).await["draftUuid"]);
    let second = pm.task_draft(&proposal, "Merge", &[&first]).await;
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    s.unknown(&s.pm, "admin_approve_proposal").await;

    let approved =
        s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": proposal, "reviewNote": "Go" })).await;
    assert_eq!((&approved["uuid"], &approved["status"]), (&json!(proposal), &json!("approved")));
    assert_like(
        &approved["review"],
        &json!({ "reviewedBy": actor(&s.admin), "reviewNote": "Go", "reviewedAt": "<time>" }),
    );
    assert_like(
        &approved["materializedTasks"],
        &json!([
            { "draftUuid": first, "taskUuid": "<uuid>", "title": "Log" },
            { "draftUuid": second, "taskUuid": "<uuid>", "title": "Merge" }
        ]),
    );
    assert_like(
        &approved["materializedDocuments"],
        &json!([{ "draftUuid": document, "documentUuid": "<uuid>", "title": "Design" }]),
    );
    let task = |index: usize| json!({ "taskUuid": approved["materializedTasks"][index]["taskUuid"] });
    let log = s.ok(&s.dev, "get_task", task(0)).await;
    // It belongs to who made the proposal, not to who approved it.
    assert_eq!((&log["createdBy"], &log["proposalUuid"]), (&actor(&s.pm), &json!(proposal)));
    assert_eq!(
        (&log["status"], &log["priority"], &log["storyPoints"], &log["assignee"]),
        (&json!("open"), &json!("medium"), &json!(0.0), &Value::Null)
    );
    let items: Vec<_> = rows(&log, "acceptanceCriteriaItems")
        .iter()
        .map(|item| (text(&item["description"]), item["required"].clone(), item["sortOrder"].clone()))
        .collect();
    assert_eq!(items, [("works".into(), json!(true), json!(0)), ("fast".into(), json!(false), json!(1))]);
    let merge = s.ok(&s.dev, "get_task", task(1)).await;
    assert_eq!(merge["dependsOn"], json!([{ "uuid": log["uuid"], "title": "Log", "status": "open" }]));
    let on = json!({ "documentUuid": approved["materializedDocuments"][0]["documentUuid"] });
    let document = s.ok(&s.dev, "get_document", on).await;
    assert_eq!(
        (&document["type"], &document["version"], &document["proposalUuid"], &document["createdBy"]),
        (&json!("tech_design"), &json!(1), &json!(proposal), &actor(&s.pm))
    );
    // The drafts stay.
    let read = s.ok(&s.dev, "get_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!((&read["taskDraftCount"], &read["documentDraftCount"]), (&json!(2), &json!(1)));
}

async fn only_a_pending_proposal_is_approved_or_rejected(backend: Backend) {
    let s = Stage::new(backend).await;
    let (draft, approved) = (s.by(&s.pm).filled().await, s.by(&s.pm).approved().await.proposal);
    for (proposal, status) in [(draft, "draft"), (approved, "approved")] {
        for (tool, note) in [("admin_approve_proposal", Value::Null), ("pm_reject_proposal", json!("No"))] {
            let arguments = json!({ "proposalUuid": proposal, "reviewNote": note });
            let refused = s.refused(&s.admin, tool, arguments, "invalid_state").await;
            assert!(refused.text.contains(&format!("`{status}`")), "{}", refused.text);
        }
    }
    let listed = s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project })).await;
    assert_eq!(listed["total"], 2, "nothing was made twice");
}

async fn approval_validates_again(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let idea = pm.elaborated().await;
    let proposal = pm.proposal_from(&idea).await;
    pm.fill(&proposal).await;
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    // No tool of this stage takes an elaboration back, so the rows are changed as an import would.
    s.edit_idea(&idea, |idea| idea.elaboration_status = Some(ElaborationStatus::Validating)).await;
    let on = json!({ "proposalUuid": proposal });
    let refused = s.refused(&s.admin, "admin_approve_proposal", on.clone(), "precondition_failed").await;
    assert_eq!(refused.details["issues"][0]["id"], "E5");
    assert_eq!(s.ok(&s.pm, "get_proposal", on).await["status"], "pending");
    assert_eq!(s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project })).await["total"], 0);
}

async fn rejecting_sends_a_proposal_back_with_a_reason(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).pending().await;
    let reject = |note: &str| json!({ "proposalUuid": proposal, "reviewNote": note });
    for note in ["", "  "] {
        let refused = s.refused(&s.admin, "pm_reject_proposal", reject(note), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["reviewNote"]);
    }
    let other = s.world.new_caller("other", Some(s.pat), &["pm_agent"], &[]).await;
    s.refused(&other, "pm_reject_proposal", reject("No"), "forbidden").await;

    let rejected = s.ok(&s.admin, "pm_reject_proposal", reject("Too big")).await;
    let review = json!({ "reviewedBy": actor(&s.admin), "reviewNote": "Too big", "reviewedAt": "<time>" });
    assert_like(&rejected, &with(filled(&s, &s.pm, "draft"), json!({ "uuid": proposal, "review": review })));
    // The reason stays as a hint while it is worked on, and after it is submitted again.
    let submitted = s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    assert_like(&submitted["review"], &review);
    // Its maker may take it back without proposal:admin.
    s.ok(&s.pm, "pm_reject_proposal", reject("My mistake")).await;
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": proposal })).await;
}

async fn proposals_are_listed_newest_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let made = pm.approved().await;
    let pending = pm.pending().await;
    let arguments = json!({
        "projectUuid": s.project, "title": "字".repeat(500), "inputType": "document", "inputUuids": [made.document]
    });
    let draft = text(&s.ok(&s.pm, "pm_create_proposal", arguments).await["uuid"]);
    let listed = s.ok(&s.dev, "get_proposals", json!({ "projectUuid": s.project })).await;
    assert_eq!(uuids(&listed, "proposals"), [draft.clone(), pending.clone(), made.proposal.clone()]);
    assert_like(
        &rows(&listed, "proposals")[0],
        &json!({
            "uuid": draft, "title": format!("{}...", "字".repeat(253)), "status": "draft", "inputType": "document",
            "projectUuid": s.project, "version": 1, "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    assert_eq!(rows(&listed, "proposals")[2]["ideaUuid"], made.idea);
    for (status, expected) in
        [("draft", vec![draft]), ("pending", vec![pending]), ("approved", vec![made.proposal]), ("closed", vec![])]
    {
        let filtered = s.ok(&s.dev, "get_proposals", json!({ "projectUuid": s.project, "status": status })).await;
        assert_eq!(uuids(&filtered, "proposals"), expected, "{status}");
        assert_eq!(filtered["total"], expected.len());
    }
    for status in ["rejected", "revised"] {
        let arguments = json!({ "projectUuid": s.project, "status": status });
        s.refused(&s.dev, "get_proposals", arguments, "invalid_arguments").await;
    }
}

backends!(
    a_proposal_starts_as_an_empty_draft,
    an_idea_that_is_proposed_from_again_is_a_warning,
    ideas_have_to_be_the_agents_own_and_no_themes,
    sources_may_lie_in_other_projects_that_one_sees,
    inputs_that_the_reader_may_not_see_are_left_out,
    drafts_are_added_while_the_proposal_is_a_draft,
    a_proposal_is_read_by_section,
    validation_lists_what_is_missing_in_a_fixed_order,
    drafts_that_wait_for_nothing_known_or_for_each_other_are_errors,
    submitting_hands_a_valid_draft_in,
    approval_turns_drafts_into_documents_and_tasks,
    only_a_pending_proposal_is_approved_or_rejected,
    approval_validates_again,
    rejecting_sends_a_proposal_back_with_a_reason,
    proposals_are_listed_newest_first,
);
