//! Proposals in pages: what is proposed, what it lacks, and the decision about it.

use chorus_testkit::Backend;
use http::StatusCode;
use serde_json::json;

use crate::{backends, works::Works};

async fn a_proposal_is_read_and_approved(backend: Backend) {
    let works = Works::new(backend).await;
    let proposal = works.submitted("Local copy").await;
    let path = works.path(&format!("/proposals/{proposal}"));
    let mut ann = works.ann().await;
    let board = ann.page(&works.path("/proposals")).await;
    assert_eq!(board.text("[aria-labelledby='column-pending'] .tile a"), "Local copy");

    let page = ann.page(&path).await;
    assert_eq!(page.text("[data-part='about'] strong"), "it");
    // Of what an agent wrote, nothing runs.
    assert!(!page.has("main script") && page.text("[data-part='documents'] .prose").contains("<script>alert(1)"));
    assert!(page.text("[data-part='documents'] .badge").contains("Technical design"));
    // The picture and the words say the same.
    assert_eq!((page.count(".graph .node"), page.count(".graph path.line")), (2, 1));
    let node = page.attribute(".graph .node:last-of-type", "href").unwrap();
    assert!(page.has(&format!("article[id='{}']", node.trim_start_matches('#'))), "{node}");
    assert_eq!(page.text(".after a"), "First step");
    assert!(page.text("[data-part='tasks']").contains("1.5 agent hours"));

    let page = ann.follow(&page, "form[data-form='approve']", &[("reviewNote?", "Go *on*")]).await;
    assert!(page.text("[data-part='head'] .status").contains("Approved"));
    assert!(page.text("[data-part='decision']").contains("Go on"));
    assert_eq!(page.count("[data-part='made'] a[href*='/tasks/']"), 2);
    assert_eq!(page.count("[data-part='made'] a[href*='/documents/']"), 1);

    // What is undone is shown before.
    let revoking = ann.page(&format!("{path}/revoke")).await;
    let impact = revoking.text("[data-part='impact']");
    assert!(impact.contains("2 tasks are closed") && impact.contains("First step"), "{impact}");
    assert!(impact.contains("1 document is deleted") && impact.contains("Design"), "{impact}");
    let page = ann.follow(&revoking, "form[data-form='revoke']", &[("reviewNote?", "Too early")]).await;
    assert!(page.text("[data-part='head'] .status").contains("Draft"));
    assert!(page.text("[data-part='decision']").contains("Too early"));
    assert_eq!(ann.get(&format!("{path}/revoke")).await.location(), path);
    assert!(ann.page(&works.path("/proposals")).await.text("[aria-labelledby='column-draft']").contains("Sent back"));
}

async fn a_proposal_is_sent_back_or_turned_down_with_a_reason(backend: Backend) {
    let works = Works::new(backend).await;
    let (first, second) = (works.submitted("First").await, works.submitted("Second").await);
    let mut ann = works.ann().await;
    let page = ann.page(&works.path(&format!("/proposals/{first}"))).await;
    for form in ["form[data-form='reject']", "form[data-form='close']"] {
        let refused = ann.submit(&page, form, &[("reviewNote", " ")]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}");
    }
    let returned = ann.follow(&page, "form[data-form='reject']", &[("reviewNote", "Misses deletions")]).await;
    assert!(returned.text("[data-part='decision']").contains("Misses deletions"));
    assert!(returned.has("form[data-form='submit'] button:not([disabled])"));
    // The form of before comes too late.
    let late = ann.submit(&page, "form[data-form='approve']", &[]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(late.text("h1").contains("present state"), "{}", late.body);

    let page = ann.page(&works.path(&format!("/proposals/{second}"))).await;
    let closed = ann.follow(&page, "form[data-form='close']", &[("reviewNote", "Never")]).await;
    assert!(closed.text("[data-part='head'] .status").contains("Closed"));
    assert!(!closed.has("[data-part='decision'] form"));
    let list = ann.page(&works.path("/proposals?status=closed")).await;
    assert_eq!((list.count(".column"), list.text(".tile a").as_str()), (1, "Second"));
}

async fn a_proposal_is_written_by_a_person(backend: Backend) {
    let works = Works::new(backend).await;
    let idea = works.clear_idea("Offline").await;
    let mut ann = works.ann().await;
    let form = ann.page(&works.path(&format!("/proposals/new?idea={idea}"))).await;
    assert!(form.has(&format!("input[value='{idea}'][checked]")));
    let page = ann.follow(&form, "form[data-form='proposal']", &[("title", "Copy")]).await;
    assert_eq!(page.text("[data-part='inputs'] a"), "Offline");
    let lacks = page.text(".issues");
    assert!(lacks.contains("at least one document draft") && lacks.contains("has no description"), "{lacks}");
    assert!(page.has("form[data-form='submit'] button[disabled]"));
    let path = works.path(&format!("/proposals/{}", page.attribute("[name='proposalUuid']", "value").unwrap()));

    let fields = [("title", "Copy it"), ("description", "To work on a train")];
    let saved = ann.follow(&page, "form[data-form='edit']", &fields).await;
    assert_eq!(
        (saved.text("h1").as_str(), saved.text("[data-part='about'] .prose").as_str()),
        ("Copy it", "To work on a train")
    );
    let stale = ann.submit(&page, "form[data-form='edit']", &[("idempotencyKey", "another"), ("title", "X")]).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);

    let form = ann.page(&format!("{path}/documents/new")).await;
    let text = "Long enough. ".repeat(20);
    let fields = [("type", "tech_design"), ("title", "Design"), ("content", text.as_str())];
    let page = ann.follow(&form, "form[data-form='draft']", &fields).await;
    assert_eq!(page.count("[data-part='documents'] article"), 1);
    let form = ann.page(&format!("{path}/tasks/new")).await;
    let none = ann.submit(&form, "form[data-form='draft']", &[("title", "One")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY, "a task without criteria");
    let criterion = "acceptanceCriteriaItems[1].description?";
    for title in ["One", "Two"] {
        let form = ann.page(&format!("{path}/tasks/new")).await;
        ann.follow(
            &form,
            "form[data-form='draft']",
            &[("title", title), (criterion, "It works"), ("storyPoints?", "2")],
        )
        .await;
    }
    let page = ann.page(&path).await;
    let (one, two) =
        ("[data-part='tasks'] article:nth-of-type(1) .head a", "[data-part='tasks'] article:nth-of-type(2) .head a");
    let one = page.attribute(one, "href").unwrap();
    let two = page.attribute(two, "href").unwrap();
    let edit = ann.page(&two).await;
    let before = one.rsplit('/').next().unwrap();
    let page = ann.follow(&edit, "form[data-form='draft']", &[("dependsOnDraftUuids[]", before)]).await;
    assert_eq!(page.text(".after a"), "One");
    let required = page.text("[data-part='tasks'] article li");
    assert_eq!(required, "It works It works", "required, as nobody said otherwise");
    // Every box can be unchecked again.
    let edit = ann.page(&two).await;
    assert!(edit.has(&format!("[name='dependsOnDraftUuids[]'][value='{before}'][checked]")));
    let none = ann.submit_without(&edit, "form[data-form='draft']", "dependsOnDraftUuids[]").await;
    assert_eq!(none.status, StatusCode::SEE_OTHER, "{}", none.body);
    assert!(!ann.page(&path).await.has(".after"));
    let remove = ann.page(&two).await;
    let page = ann.follow(&remove, "form[data-form='remove']", &[]).await;
    assert_eq!(page.count("[data-part='tasks'] article"), 1);
    assert_eq!(ann.get(&two).await.status, StatusCode::NOT_FOUND);

    let submitted = ann.follow(&page, "form[data-form='submit']", &[]).await;
    assert!(submitted.text("[data-part='head'] .status").contains("In review"));
    // While it waits, its drafts are not written.
    assert_eq!(ann.get(&one).await.location(), path);
    assert!(!submitted.has("form[data-form='edit']"));
}

async fn a_proposal_can_start_from_documents(backend: Backend) {
    let works = Works::new(backend).await;
    let new = json!({ "projectUuid": works.project, "type": "spec", "title": "Rules", "content": "x" });
    works.tool("pm_create_document", new).await;
    let mut ann = works.ann().await;
    let empty = ann.page(&works.path("/proposals/new")).await;
    assert!(empty.text("main").contains("Nothing to propose from yet"));
    let form = ann.page(&works.path("/proposals/new?from=document")).await;
    let document = form.attribute("[name='inputUuids[]']", "value").unwrap();
    let page =
        ann.follow(&form, "form[data-form='proposal']", &[("title", "From rules"), ("inputUuids[]", &document)]).await;
    assert_eq!(page.text("[data-part='inputs'] a"), "Rules");
    assert!(page.attribute("[data-part='inputs'] a", "href").unwrap().ends_with(&format!("/documents/{document}")));
}

async fn a_viewer_reads_and_a_stranger_sees_nothing(backend: Backend) {
    let works = Works::new(backend).await;
    let proposal = works.submitted("Local copy").await;
    let path = works.path(&format!("/proposals/{proposal}"));
    let mut bob = works.bob().await;
    for path in [works.path("/proposals"), path.clone()] {
        let page = bob.page(&path).await;
        assert!(!page.has("main form[method='post'], main .primary"), "{path}: {}", page.body);
    }
    let mut eve = works.house.signed_in(works.eve).await;
    for rest in ["", "/revoke", "/documents/new", "/tasks/new"] {
        if !rest.is_empty() {
            assert_eq!(bob.get(&format!("{path}{rest}")).await.status, StatusCode::FORBIDDEN, "{rest}");
        }
        assert_eq!(eve.get(&format!("{path}{rest}")).await.status, StatusCode::NOT_FOUND, "{rest}");
    }
    let csrf = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    for tool in ["chorus_admin_approve_proposal", "console_edit_proposal"] {
        let forged = [("_csrf", csrf.as_str()), ("proposalUuid", &proposal), ("title", "Mine")];
        assert_eq!(bob.post(&format!("/do/{tool}"), &forged).await.status, StatusCode::FORBIDDEN, "{tool}");
    }
}

async fn a_proposal_that_nothing_came_of_is_deleted(backend: Backend) {
    let works = Works::new(backend).await;
    let proposal = works.submitted("Local copy").await;
    let path = works.path(&format!("/proposals/{proposal}"));
    let comment = json!({ "targetType": "proposal", "targetUuid": proposal, "content": "Hm" });
    works.tool("add_comment", comment).await;
    let mut ann = works.ann().await;
    // While somebody waits for it, or for what came of it, it stays.
    let page = ann.page(&path).await;
    let delete = format!("{path}/delete");
    assert!(!page.has(&format!("a[href='{delete}']")));
    assert_eq!(ann.get(&delete).await.status, StatusCode::CONFLICT);
    let approved = ann.follow(&page, "form[data-form='approve']", &[]).await;
    let task = approved.attribute("[data-part='made'] a[href*='/tasks/']", "href").unwrap();
    assert_eq!(ann.get(&delete).await.status, StatusCode::CONFLICT);
    let csrf = approved.attribute("[name='_csrf']", "value").unwrap();
    let forged = [("_csrf", csrf.as_str()), ("proposalUuid", &proposal)];
    let refused = ann.post("/do/console_delete_proposal", &forged).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);

    let revoking = ann.page(&format!("{path}/revoke")).await;
    let page = ann.follow(&revoking, "form[data-form='revoke']", &[]).await;
    assert!(page.has(&format!("a[href='{delete}']")));
    let deleting = ann.page(&delete).await;
    let goes = deleting.text("[data-part='goes']");
    assert!(
        goes.contains("drafts of documents and tasks") && goes.contains("1 comment") && !goes.contains("reference"),
        "{goes}"
    );
    let mut bob = works.bob().await;
    assert_eq!(bob.get(&delete).await.status, StatusCode::FORBIDDEN);
    let csrf = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let forged = [("_csrf", csrf.as_str()), ("proposalUuid", &proposal)];
    assert_eq!(bob.post("/do/console_delete_proposal", &forged).await.status, StatusCode::FORBIDDEN);
    let mut eve = works.house.signed_in(works.eve).await;
    assert_eq!(eve.get(&delete).await.status, StatusCode::NOT_FOUND);

    let left = ann.follow(&deleting, "#delete", &[]).await;
    assert_eq!((left.text(".notice").as_str(), left.count(".tile")), ("Deleted.", 0));
    assert_eq!(ann.get(&path).await.status, StatusCode::NOT_FOUND);
    let told = works.tool("get_notifications", json!({})).await.to_string();
    assert!(told.contains("deleted the proposal \\\"Local copy\\\", which you wrote"), "its author is told: {told}");
    // The task of the approval stays closed and no longer says where it comes from.
    let page = ann.page(&task).await;
    assert!(page.text("[data-part='head'] .status").contains("Closed") && !page.has("[data-part='origin'] a"));
}

async fn a_proposal_is_one_round_of_statements(backend: Backend) {
    let works = Works::new(backend).await;
    let mut proposals = Vec::new();
    for n in 0..3 {
        proposals.push(works.submitted(&format!("Proposal {n}")).await);
    }
    let mut ann = works.ann().await;
    let mut taken = async |path: &str| {
        works.house.watch.take();
        ann.page(path).await;
        works.house.watch.take().len()
    };
    let board = taken(&works.path("/proposals")).await;
    assert!(board <= 12, "{board}");
    let page = taken(&works.path(&format!("/proposals/{}", proposals.first().unwrap()))).await;
    assert!(page <= 16, "{page}");
}

backends!(
    a_proposal_is_read_and_approved,
    a_proposal_is_sent_back_or_turned_down_with_a_reason,
    a_proposal_is_written_by_a_person,
    a_proposal_can_start_from_documents,
    a_viewer_reads_and_a_stranger_sees_nothing,
    a_proposal_that_nothing_came_of_is_deleted,
    a_proposal_is_one_round_of_statements,
);
