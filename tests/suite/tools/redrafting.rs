//! pm_update_document_draft, pm_update_task_draft, pm_remove_document_draft, pm_remove_task_draft.

use chorus_testkit::{Backend, CallResult};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    maker::{long_text, merge},
    stage::{Stage, rows, text},
};
use crate::backends;

/// A draft proposal with a document draft and two task drafts, the second after the first.
struct Drafted {
    proposal: String,
    document: String,
    first: String,
    second: String,
}

impl Drafted {
    async fn new(s: &Stage) -> Self {
        let pm = s.by(&s.pm);
        let proposal = pm.proposal().await;
        let document = pm.document_draft(&proposal).await;
        let first = pm.task_draft(&proposal, "Log", &[]).await;
        let second = pm.task_draft(&proposal, "Merge", &[&first]).await;
        Self { proposal, document, first, second }
    }

    fn on(&self, draft: &str, more: Value) -> Value {
        let mut arguments = json!({ "proposalUuid": self.proposal, "draftUuid": draft });
        merge(&mut arguments, more);
        arguments
    }

    async fn full(&self, s: &Stage) -> Value {
        s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": self.proposal, "section": "full" })).await
    }

    async fn version(&self, s: &Stage) -> i64 {
        self.full(s).await["version"].as_i64().unwrap()
    }
}

async fn a_document_draft_changes_in_what_is_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let before = d.version(&s).await;
    let changed =
        s.ok(&s.admin, "pm_update_document_draft", d.on(&d.document, json!({ "title": "Other", "type": "adr" }))).await;
    for (key, value) in [
        ("proposalUuid", json!(d.proposal)),
        ("draftUuid", json!(d.document)),
        ("action", json!("document_draft_updated")),
        ("draftTitle", json!("Other")),
    ] {
        assert_eq!(changed[key], value, "{key}");
    }
    let index = json!([{
        "uuid": d.document, "type": "adr", "title": "Other", "contentLength": long_text().chars().count()
    }]);
    assert_eq!(
        (&changed["proposal"]["documentDraftIndex"], &changed["proposal"]["version"]),
        (&index, &json!(before + 1))
    );
    assert_eq!(changed["proposal"]["taskDraftCount"], 2);
    let stored = json!([{ "uuid": d.document, "type": "adr", "title": "Other", "content": long_text() }]);
    assert_eq!(d.full(&s).await["documentDrafts"], stored);
    s.ok(&s.pm, "pm_update_document_draft", d.on(&d.document, json!({ "content": "" }))).await;
    assert_eq!(d.full(&s).await["documentDrafts"][0]["content"], "");
    s.unknown(&s.dev, "pm_update_document_draft").await;
}

async fn a_task_draft_changes_in_what_is_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let before = d.full(&s).await["taskDrafts"].clone();
    let changed =
        s.ok(&s.pm, "pm_update_task_draft", d.on(&d.second, json!({ "title": "Join", "storyPoints": 5 }))).await;
    assert_eq!((&changed["action"], &changed["draftTitle"]), (&json!("task_draft_updated"), &json!("Join")));
    assert_eq!(changed["proposal"]["taskDraftIndex"][1]["storyPoints"], 5.0);
    let mut expected = before.clone();
    merge(&mut expected[1], json!({ "title": "Join", "storyPoints": 5.0 }));
    assert_eq!(d.full(&s).await["taskDrafts"], expected);

    let criteria = json!([{ "description": " It is fast ", "required": false }, { "description": " " }]);
    let edit = json!({
        "description": " ", "priority": "low", "acceptanceCriteriaItems": criteria, "dependsOnDraftUuids": []
    });
    s.ok(&s.pm, "pm_update_task_draft", d.on(&d.second, edit)).await;
    let stored = json!({
        "uuid": d.second, "title": "Join", "priority": "low", "storyPoints": 5.0,
        "acceptanceCriteriaItems": [{ "description": "It is fast", "required": false }]
    });
    assert_eq!(d.full(&s).await["taskDrafts"], json!([before[0], stored]));
    s.unknown(&s.dev, "pm_update_task_draft").await;
}

/// What a changed draft depends on is found out when the proposal is checked (README decision 8).
async fn circles_of_changed_drafts_are_found_at_validation(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    s.ok(&s.pm, "pm_update_task_draft", d.on(&d.first, json!({ "dependsOnDraftUuids": [d.second] }))).await;
    let found = s.ok(&s.pm, "pm_validate_proposal", json!({ "proposalUuid": d.proposal })).await;
    assert!(rows(&found, "issues").iter().any(|issue| issue["id"] == "E-DEP"), "{found}");
    s.ok(&s.pm, "pm_update_task_draft", d.on(&d.first, json!({ "dependsOnDraftUuids": [] }))).await;
    assert_eq!(s.ok(&s.pm, "pm_validate_proposal", json!({ "proposalUuid": d.proposal })).await["valid"], true);
}

async fn a_removed_draft_is_gone_from_the_dependencies_too(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let removed = s.ok(&s.pm, "pm_remove_task_draft", d.on(&d.first, json!({}))).await;
    assert_eq!((&removed["action"], &removed["draftTitle"]), (&json!("task_draft_removed"), &json!("Log")));
    let left = &removed["proposal"]["taskDraftIndex"];
    assert_eq!((left.as_array().unwrap().len(), left[0].get("dependsOnDraftUuids")), (1, None));
    let full = d.full(&s).await;
    assert_eq!(rows(&full, "taskDrafts").len(), 1);
    assert_eq!(full["taskDrafts"][0].get("dependsOnDraftUuids"), None);
    assert_eq!(full["taskDrafts"][0]["description"], "Do it", "the rest of it is as it was");

    let removed = s.ok(&s.admin, "pm_remove_document_draft", d.on(&d.document, json!({}))).await;
    assert_eq!((&removed["action"], &removed["draftTitle"]), (&json!("document_draft_removed"), &json!("Design")));
    assert_eq!(d.full(&s).await["documentDrafts"], json!([]));
    // What is added next has a place.
    s.by(&s.pm).document_draft(&d.proposal).await;
    s.by(&s.pm).task_draft(&d.proposal, "Third", &[]).await;
    for tool in ["pm_remove_task_draft", "pm_remove_document_draft"] {
        s.unknown(&s.dev, tool).await;
    }
}

async fn what_is_not_there_counts_as_removed_and_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let other = Drafted::new(&s).await;
    let before = d.full(&s).await;
    let mut watch = Watch::start(&s).await;
    for (tool, draft) in [
        ("pm_remove_task_draft", s.nothing()),
        ("pm_remove_task_draft", d.document.clone()),
        ("pm_remove_task_draft", other.first.clone()),
        ("pm_remove_document_draft", s.nothing()),
        ("pm_remove_document_draft", d.first.clone()),
        ("pm_remove_document_draft", other.document.clone()),
    ] {
        let removed = s.ok(&s.pm, tool, d.on(&draft, json!({}))).await;
        assert_eq!((&removed["draftUuid"], &removed["draftTitle"]), (&json!(draft), &Value::Null), "{tool}");
    }
    // Nor does a change that names what is there already.
    s.ok(&s.pm, "pm_update_document_draft", d.on(&d.document, json!({ "title": "Design" }))).await;
    s.ok(&s.pm, "pm_update_task_draft", d.on(&d.first, json!({}))).await;
    assert_eq!(d.full(&s).await, before);
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    s.ok(&s.pm, "pm_update_task_draft", d.on(&d.first, json!({ "title": "x" }))).await;
    s.ok(&s.pm, "pm_remove_task_draft", d.on(&d.first, json!({}))).await;
    let events = json!({
        "activities": NOTHING, "told": NOTHING, "events": ["proposal P updated", "proposal P updated"]
    });
    watch.expect(&[(&d.proposal, "P")], events).await;
}

async fn drafts_are_changed_only_in_drafts_and_by_their_own_proposal(backend: Backend) {
    let s = Stage::new(backend).await;
    let (d, other) = (Drafted::new(&s).await, Drafted::new(&s).await);
    for (tool, draft) in [
        ("pm_update_document_draft", s.nothing()),
        ("pm_update_document_draft", other.document.clone()),
        ("pm_update_document_draft", d.first.clone()),
        ("pm_update_task_draft", s.nothing()),
        ("pm_update_task_draft", other.first.clone()),
        ("pm_update_task_draft", d.document.clone()),
    ] {
        let refused = s.refused(&s.pm, tool, d.on(&draft, json!({ "title": "x" })), "not_found").await;
        assert!(refused.text.starts_with("Draft not found in this proposal"), "{}", refused.text);
    }
    s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": d.proposal })).await;
    for (tool, draft) in [
        ("pm_update_document_draft", &d.document),
        ("pm_update_task_draft", &d.first),
        ("pm_remove_document_draft", &d.document),
        ("pm_remove_task_draft", &d.first),
    ] {
        let refused = s.refused(&s.pm, tool, d.on(draft, json!({ "title": "x" })), "invalid_state").await;
        assert_eq!(refused.details["status"], "pending");
        let missing = json!({ "proposalUuid": s.nothing(), "draftUuid": draft });
        assert_eq!(s.refused(&s.pm, tool, missing, "not_found").await.text, "Proposal not found");
    }
}

async fn criteria_can_not_be_taken_away(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    for criteria in [json!([]), json!([{ "description": "  " }])] {
        let edit = d.on(&d.first, json!({ "acceptanceCriteriaItems": criteria }));
        let refused = s.refused(&s.pm, "pm_update_task_draft", edit, "invalid_arguments").await;
        assert_eq!(refused.fields(), ["acceptanceCriteriaItems"]);
    }
    for points in [json!(-1), json!(1001)] {
        let edit = d.on(&d.first, json!({ "storyPoints": points }));
        assert_eq!(s.refused(&s.pm, "pm_update_task_draft", edit, "invalid_arguments").await.fields(), ["storyPoints"]);
    }
}

async fn a_stale_version_of_the_proposal_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let version = d.version(&s).await;
    let before = d.full(&s).await;
    for (tool, draft) in [
        ("pm_update_document_draft", &d.document),
        ("pm_update_task_draft", &d.first),
        ("pm_remove_document_draft", &d.document),
        ("pm_remove_task_draft", &d.first),
    ] {
        let stale = d.on(draft, json!({ "title": "x", "expectedVersion": version - 1 }));
        let refused = s.refused(&s.pm, tool, stale, "precondition_failed").await;
        assert_eq!(refused.details, json!({ "currentVersion": version, "expectedVersion": version - 1 }), "{tool}");
        assert!(refused.text.contains("chorus_get_proposal"), "{}", refused.text);
    }
    assert_eq!(d.full(&s).await, before);
    let current = d.on(&d.first, json!({ "title": "x", "expectedVersion": version }));
    let changed = s.ok(&s.pm, "pm_update_task_draft", current.clone()).await;
    assert_eq!(changed["proposal"]["version"], version + 1);
    s.refused(&s.pm, "pm_update_task_draft", current, "precondition_failed").await;
}

/// Report 19: what several write at once, in different fields, is all kept.
async fn writers_of_different_fields_of_a_draft_all_survive(backend: Backend) {
    let s = Stage::new(backend).await;
    let d = Drafted::new(&s).await;
    let version = d.version(&s).await;
    let rounds = 50;
    for round in 1..=rounds {
        let points = round % 1000;
        let edits = [
            ("pm_update_task_draft", d.on(&d.first, json!({ "title": format!("Title {round}") }))),
            ("pm_update_task_draft", d.on(&d.first, json!({ "description": format!("Text {round}") }))),
            ("pm_update_task_draft", d.on(&d.first, json!({ "storyPoints": points }))),
            ("pm_update_document_draft", d.on(&d.document, json!({ "title": format!("Title {round}") }))),
            ("pm_update_document_draft", d.on(&d.document, json!({ "content": format!("Text {round}") }))),
        ];
        let running: Vec<_> = edits
            .into_iter()
            .map(|(tool, arguments)| {
                let (tools, who) = (s.tools.clone(), s.pm.clone());
                tokio::spawn(async move { tools.call(&who, &format!("chorus_{tool}"), arguments).await })
            })
            .collect();
        for edit in running {
            let edit = edit.await.unwrap();
            assert!(matches!(edit, CallResult::Answer(_)), "{edit:?}");
        }
        let full = d.full(&s).await;
        let (task, document) = (&full["taskDrafts"][0], &full["documentDrafts"][0]);
        let (title, body) = (format!("Title {round}"), format!("Text {round}"));
        assert_eq!((text(&task["title"]), text(&task["description"])), (title.clone(), body.clone()));
        assert_eq!(task["storyPoints"].as_f64(), Some(f64::from(points)));
        assert_eq!((text(&document["title"]), text(&document["content"])), (title, body));
    }
    assert_eq!(d.version(&s).await, version + 5 * i64::from(rounds), "every change is a version");
}

backends!(
    a_document_draft_changes_in_what_is_named,
    a_task_draft_changes_in_what_is_named,
    circles_of_changed_drafts_are_found_at_validation,
    a_removed_draft_is_gone_from_the_dependencies_too,
    what_is_not_there_counts_as_removed_and_changes_nothing,
    drafts_are_changed_only_in_drafts_and_by_their_own_proposal,
    criteria_can_not_be_taken_away,
    a_stale_version_of_the_proposal_is_refused,
    writers_of_different_fields_of_a_draft_all_survive,
);
