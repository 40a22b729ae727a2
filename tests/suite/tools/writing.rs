//! pm_create_document, pm_update_document, and the older versions that get_document reads.

use chorus_testkit::{Backend, CallResult};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    like::assert_like,
    maker::merge,
    stage::{PROJECT, Stage, actor, rows, text},
};
use crate::backends;

fn guide(s: &Stage, more: Value) -> Value {
    let mut arguments = json!({ "projectUuid": s.project, "type": "guide", "title": "Guide", "content": "First" });
    merge(&mut arguments, more);
    arguments
}

async fn made(s: &Stage) -> String {
    text(&s.ok(&s.pm, "pm_create_document", guide(s, json!({}))).await["uuid"])
}

fn on(document: &str, more: Value) -> Value {
    let mut arguments = json!({ "documentUuid": document });
    merge(&mut arguments, more);
    arguments
}

async fn a_document_is_made_directly(backend: Backend) {
    let s = Stage::new(backend).await;
    let proposal = s.by(&s.pm).proposal().await;
    let mut watch = Watch::start(&s).await;
    let made = s.ok(&s.pm, "pm_create_document", guide(&s, json!({ "proposalUuid": proposal }))).await;
    assert_like(&made, &json!({ "uuid": "<uuid>", "title": "Guide", "type": "guide", "version": 1 }));
    let events = json!({ "activities": NOTHING, "told": NOTHING, "events": ["document D created"] });
    watch.expect(&[(&text(&made["uuid"]), "D")], events).await;
    let read = s.ok(&s.dev, "get_document", json!({ "documentUuid": made["uuid"] })).await;
    assert_like(
        &read,
        &json!({
            "uuid": made["uuid"], "type": "guide", "title": "Guide", "content": "First", "version": 1,
            "proposalUuid": proposal, "project": { "uuid": s.project, "name": PROJECT }, "createdBy": actor(&s.pm),
            "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    let bare = json!({ "projectUuid": s.project, "type": "prd", "title": "Bare", "content": "" });
    let bare = s.ok(&s.pm, "pm_create_document", bare).await;
    assert_eq!(s.ok(&s.pm, "get_document", json!({ "documentUuid": bare["uuid"] })).await["content"], Value::Null);
    s.unknown(&s.dev, "pm_create_document").await;
}

async fn reports_and_foreign_proposals_are_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    for kind in ["report", "novel"] {
        let wrong = guide(&s, json!({ "type": kind }));
        assert_eq!(s.refused(&s.pm, "pm_create_document", wrong, "invalid_arguments").await.fields(), ["type"]);
    }
    let other = s.world.project("other", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let elsewhere = s.by(&s.pm).within(&other).proposal().await;
    for proposal in [elsewhere, s.nothing()] {
        let wrong = guide(&s, json!({ "proposalUuid": proposal }));
        assert_eq!(s.refused(&s.pm, "pm_create_document", wrong, "not_found").await.text, "Proposal not found");
    }
    let nowhere = guide(&s, json!({ "projectUuid": s.nothing() }));
    assert_eq!(s.refused(&s.pm, "pm_create_document", nowhere, "not_found").await.text, "Project not found");
    assert_eq!(s.ok(&s.pm, "get_documents", json!({ "projectUuid": s.project })).await["total"], 0);
}

async fn a_change_raises_the_version_and_keeps_what_was(backend: Backend) {
    let s = Stage::new(backend).await;
    let document = made(&s).await;
    let mut watch = Watch::start(&s).await;
    let updated = s.ok(&s.admin, "pm_update_document", on(&document, json!({ "content": "Second" }))).await;
    assert_eq!(updated, json!({ "uuid": document, "version": 2 }));
    let events = json!({ "activities": NOTHING, "told": NOTHING, "events": ["document D updated"] });
    watch.expect(&[(&document, "D")], events).await;
    s.ok(&s.pm, "pm_update_document", on(&document, json!({ "title": "Manual", "content": " " }))).await;

    let version = |number: u32, title: &str, by: &Value| json!({ "version": number, "title": title, "writtenBy": by, "writtenAt": "<time>" });
    let (pm, admin) = (actor(&s.pm), actor(&s.admin));
    let all = [version(3, "Manual", &pm), version(2, "Guide", &admin), version(1, "Guide", &pm)];
    let shown = |number: u32, title: &str, content: Value| {
        json!({
            "uuid": document, "type": "guide", "title": title, "content": content, "version": number,
            "proposalUuid": null, "project": { "uuid": s.project, "name": PROJECT }, "createdBy": pm,
            "createdAt": "<time>", "updatedAt": "<time>", "latestVersion": 3, "versions": all[3 - number as usize..]
        })
    };
    let newest = shown(3, "Manual", Value::Null);
    assert_like(&s.ok(&s.dev, "get_document", on(&document, json!({}))).await, &newest);
    assert_like(&s.ok(&s.dev, "get_document", on(&document, json!({ "version": 3 }))).await, &newest);
    let second = s.ok(&s.dev, "get_document", on(&document, json!({ "version": 2 }))).await;
    assert_like(&second, &shown(2, "Guide", json!("Second")));
    let first = s.ok(&s.dev, "get_document", on(&document, json!({ "version": 1 }))).await;
    assert_like(&first, &shown(1, "Guide", json!("First")));
    let none = s.refused(&s.dev, "get_document", on(&document, json!({ "version": 4 })), "not_found").await;
    assert_eq!(none.details, json!({ "latestVersion": 3 }));
    assert!(none.text.contains("no version 4") && none.text.contains("newest is 3"), "{}", none.text);
    let zero = on(&document, json!({ "version": 0 }));
    assert_eq!(s.refused(&s.dev, "get_document", zero, "invalid_arguments").await.fields(), ["version"]);
    s.unknown(&s.dev, "pm_update_document").await;
}

async fn every_version_of_a_long_history_can_be_reached(backend: Backend) {
    let s = Stage::new(backend).await;
    let document = made(&s).await;
    for number in 2..=25 {
        s.ok(&s.pm, "pm_update_document", on(&document, json!({ "title": format!("Title {number}") }))).await;
    }
    let (mut asked, mut met) = (Value::Null, Vec::new());
    loop {
        let read = s.ok(&s.dev, "get_document", on(&document, json!({ "version": asked }))).await;
        let listed = rows(&read, "versions");
        assert!(listed.len() <= 10 && read["version"] == listed[0]["version"]);
        assert!(listed.iter().all(|one| one["writtenBy"] == actor(&s.pm)), "{listed:?}");
        met.extend(listed.iter().map(|one| one["version"].as_i64().unwrap()));
        match met.last() {
            Some(1) | None => break,
            Some(last) => asked = json!(last - 1),
        }
    }
    assert_eq!(met, (1..=25).rev().collect::<Vec<_>>());
}

async fn a_change_of_nothing_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let document = made(&s).await;
    let mut watch = Watch::start(&s).await;
    for same in [json!({}), json!({ "title": "Guide" }), json!({ "title": "Guide", "content": "First" })] {
        assert_eq!(s.ok(&s.pm, "pm_update_document", on(&document, same)).await["version"], 1);
    }
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    let missing = s.refused(&s.pm, "pm_update_document", on(&s.nothing(), json!({ "title": "x" })), "not_found").await;
    assert_eq!(missing.text, "Document not found");
}

/// Of several who saw the same version one writes, and the others are told what it is now.
async fn of_writers_with_one_expected_version_one_wins(backend: Backend) {
    let s = Stage::new(backend).await;
    let document = made(&s).await;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (tools, who) = (s.tools.clone(), s.pm.clone());
            let edit = on(&document, json!({ "content": format!("By {writer}"), "expectedVersion": 1 }));
            tokio::spawn(async move { tools.call(&who, "chorus_pm_update_document", edit).await })
        })
        .collect();
    let mut won = 0;
    for writer in writers {
        match writer.await.unwrap() {
            CallResult::Answer(_) => won += 1,
            refused => {
                assert_eq!(refused.code(), "precondition_failed", "{refused:?}");
                assert_eq!(refused.details(), &json!({ "currentVersion": 2, "expectedVersion": 1 }));
            }
        }
    }
    assert_eq!(won, 1);
    assert_eq!(s.ok(&s.dev, "get_document", on(&document, json!({}))).await["version"], 2);
}

/// Report 19: what two write at once, in different fields, is both kept.
async fn writers_of_different_fields_of_a_document_both_survive(backend: Backend) {
    let s = Stage::new(backend).await;
    let document = made(&s).await;
    let rounds = 100;
    for round in 1..=rounds {
        let edits = [json!({ "title": format!("Title {round}") }), json!({ "content": format!("Text {round}") })];
        let running = edits.map(|edit| {
            let (tools, who, edit) = (s.tools.clone(), s.pm.clone(), on(&document, edit));
            tokio::spawn(async move { tools.call(&who, "chorus_pm_update_document", edit).await })
        });
        for edit in running {
            let edit = edit.await.unwrap();
            assert!(matches!(edit, CallResult::Answer(_)), "{edit:?}");
        }
        let read = s.ok(&s.dev, "get_document", on(&document, json!({}))).await;
        let expected = (format!("Title {round}"), format!("Text {round}"));
        assert_eq!((text(&read["title"]), text(&read["content"])), expected);
        assert_eq!(read["version"], 1 + 2 * round);
    }
}

backends!(
    a_document_is_made_directly,
    reports_and_foreign_proposals_are_refused,
    a_change_raises_the_version_and_keeps_what_was,
    every_version_of_a_long_history_can_be_reached,
    a_change_of_nothing_changes_nothing,
    of_writers_with_one_expected_version_one_wins,
    writers_of_different_fields_of_a_document_both_survive,
);
