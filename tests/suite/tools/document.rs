//! get_document, get_documents, create_report.

use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::long_text,
    stage::{PROJECT, Stage, actor, rows, text, uuids},
};
use crate::backends;

fn report(proposal: &str, title: &str) -> Value {
    json!({ "proposalUuid": proposal, "title": title, "content": "## Summary\nDone\n## Decisions\n## Follow-ups" })
}

async fn a_document_is_read_with_its_text(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let read = s.ok(&s.dev, "get_document", json!({ "documentUuid": made.document })).await;
    assert_like(
        &read,
        &json!({
            "uuid": made.document, "type": "tech_design", "title": "Design", "content": long_text(), "version": 1,
            "proposalUuid": made.proposal, "project": { "uuid": s.project, "name": PROJECT }, "createdBy": actor(&s.pm),
            "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    let gone = s.refused(&s.dev, "get_document", json!({ "documentUuid": s.nothing() }), "not_found").await;
    assert_eq!(gone.text, "Document not found");
}

async fn documents_are_listed_latest_updated_first_without_texts(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let newer = text(&s.ok(&s.pm, "create_report", report(&made.proposal, "Report")).await["documentUuid"]);
    let listed = s.ok(&s.dev, "get_documents", json!({ "projectUuid": s.project })).await;
    let row = |uuid: &str, kind: &str, title: &str| {
        json!({
            "uuid": uuid, "type": kind, "title": title, "proposalUuid": made.proposal, "projectUuid": s.project,
            "version": 1, "createdAt": "<time>", "updatedAt": "<time>"
        })
    };
    assert_like(
        &listed,
        &json!({
            "documents": [row(&newer, "report", "Report"), row(&made.document, "tech_design", "Design")],
            "returned": 2, "page": 1, "pageSize": 20, "total": 2
        }),
    );
    for (kind, expected) in [("report", vec![newer]), ("tech_design", vec![made.document]), ("prd", vec![])] {
        let filtered = s.ok(&s.dev, "get_documents", json!({ "projectUuid": s.project, "type": kind })).await;
        assert_eq!(uuids(&filtered, "documents"), expected, "{kind}");
        assert_eq!(filtered["total"], expected.len());
    }
    let odd = json!({ "projectUuid": s.project, "type": "novel" });
    assert_eq!(s.refused(&s.dev, "get_documents", odd, "invalid_arguments").await.fields(), ["type"]);
}

async fn a_report_closes_the_work_of_an_approved_proposal(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let written = s.ok(&s.pm, "create_report", report(&made.proposal, "Báo cáo")).await;
    assert_like(&written, &json!({ "documentUuid": "<uuid>", "projectUuid": s.project, "version": 1 }));
    let read = s.ok(&s.dev, "get_document", json!({ "documentUuid": written["documentUuid"] })).await;
    assert_eq!(
        (&read["type"], &read["title"], &read["proposalUuid"], &read["createdBy"]),
        (&json!("report"), &json!("Báo cáo"), &json!(made.proposal), &actor(&s.pm))
    );
    s.unknown(&s.dev, "create_report").await;
}

async fn a_second_report_has_to_be_forced(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.ok(&s.pm, "create_report", report(&made.proposal, "One")).await;
    let mut second = report(&made.proposal, "Two");
    let refused = s.refused(&s.pm, "create_report", second.clone(), "precondition_failed").await;
    assert!(refused.text.contains("`force: true`"), "{}", refused.text);
    second["force"] = json!(false);
    s.refused(&s.pm, "create_report", second.clone(), "precondition_failed").await;
    second["force"] = json!(true);
    s.ok(&s.pm, "create_report", second).await;
    let listed = s.ok(&s.dev, "get_documents", json!({ "projectUuid": s.project, "type": "report" })).await;
    assert_eq!(rows(&listed, "documents").len(), 2);
}

async fn a_report_needs_an_approved_proposal_and_texts(backend: Backend) {
    let s = Stage::new(backend).await;
    let (draft, pending) = (s.by(&s.pm).filled().await, s.by(&s.pm).pending().await);
    for (proposal, status) in [(&draft, "draft"), (&pending, "pending")] {
        let refused = s.refused(&s.pm, "create_report", report(proposal, "x"), "invalid_state").await;
        assert!(refused.text.contains(&format!("`{status}`")), "{}", refused.text);
    }
    let missing = s.refused(&s.pm, "create_report", report(&s.nothing(), "x"), "not_found").await;
    assert_eq!(missing.text, "Proposal not found");
    let approved = s.by(&s.pm).approved().await.proposal;
    for (field, value) in [
        ("title", json!("")),
        ("title", json!("  ")),
        ("title", json!("字".repeat(201))),
        ("content", json!("")),
        ("content", json!(" \n")),
        ("proposalUuid", json!("not-a-uuid")),
    ] {
        let mut arguments = report(&approved, "Report");
        arguments[field] = value;
        let refused = s.refused(&s.pm, "create_report", arguments, "invalid_arguments").await;
        assert_eq!(refused.fields(), [field]);
    }
    s.ok(&s.pm, "create_report", report(&approved, &"字".repeat(200))).await;
}

backends!(
    a_document_is_read_with_its_text,
    documents_are_listed_latest_updated_first_without_texts,
    a_report_closes_the_work_of_an_approved_proposal,
    a_second_report_has_to_be_forced,
    a_report_needs_an_approved_proposal_and_texts,
);
