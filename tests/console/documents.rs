//! Documents in pages: their list, what they say and said, and how they are written.

use chorus_testkit::Backend;
use http::StatusCode;
use serde_json::json;

use crate::{
    backends,
    works::{Works, id},
};

async fn a_document_is_written_changed_and_compared(backend: Backend) {
    let works = Works::new(backend).await;
    let mut ann = works.ann().await;
    let empty = ann.page(&works.path("/documents")).await;
    assert!(empty.text("main").contains("No documents here"));
    let form = ann.page(&empty.attribute("a.primary", "href").unwrap()).await;
    let fields = [("type", "adr"), ("title", "Storage"), ("content?", "# Why\nOne\nTwo\nThree")];
    let page = ann.follow(&form, "form[data-form='document']", &fields).await;
    assert_eq!((page.text("h1").as_str(), page.text("[data-part='text'] h3").as_str()), ("Storage", "Why"));
    let path = page.attribute("[data-part='versions'] a", "href").unwrap().split('?').next().unwrap().to_owned();

    let edit = ann.page(&format!("{path}/edit")).await;
    let changed = ann.follow(&edit, "form[data-form='edit']", &[("content", "# Why\nOne\n2\nThree")]).await;
    assert_eq!(changed.count("[data-part='versions'] li"), 2);
    let stale = ann.submit(&edit, "form[data-form='edit']", &[("idempotencyKey", "another"), ("title", "X")]).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);

    let second = ann.page(&format!("{path}?version=2")).await;
    assert_eq!((second.text("ins").as_str(), second.text("del").as_str()), ("2", "Two"));
    assert!(second.text("[data-part='changes']").contains("1 line added, 1 line removed"));
    let first = ann.page(&format!("{path}?version=1")).await;
    assert!(first.text("[data-part='text']").contains("Two") && !first.has("[data-part='changes']"));
    assert!(first.text("main").contains("earlier version") && !first.has("a.primary"));
    for version in ["0", "3", "x", "-1"] {
        assert_eq!(ann.get(&format!("{path}?version={version}")).await.status, StatusCode::NOT_FOUND, "{version}");
    }

    let said = ann.follow(&changed, "form[data-form='comment']", &[("content", "Good")]).await;
    assert!(said.text("#comments").contains("Good"));
    let deleting = ann.page(&format!("{path}/delete")).await;
    let impact = deleting.text("[data-part='goes']");
    assert_eq!(impact, "1 earlier version 1 comment");
    let left = ann.follow(&deleting, "#delete", &[]).await;
    assert!(left.text("main").contains("No documents here"));
    assert_eq!(ann.get(&path).await.status, StatusCode::NOT_FOUND);
}

async fn documents_are_listed_by_type_and_by_pages(backend: Backend) {
    let works = Works::new(backend).await;
    for n in 0..52 {
        let kind = if n < 51 { "spec" } else { "guide" };
        let new = json!({ "projectUuid": works.project, "type": kind, "title": format!("Paper {n}"), "content": "x" });
        works.tool("pm_create_document", new).await;
    }
    let mut ann = works.ann().await;
    works.house.watch.take();
    let first = ann.page(&works.path("/documents")).await;
    let statements = works.house.watch.take();
    assert!(statements.len() <= 7, "{}: {statements:#?}", statements.len());
    assert_eq!(first.count("[data-part='documents'] li"), 50);
    let second = ann.page(&first.attribute("[rel='next']", "href").unwrap()).await;
    assert_eq!((second.count("[data-part='documents'] li"), second.has("[rel='next']")), (2, false));
    let guides = ann.page(&works.path("/documents?type=guide")).await;
    assert_eq!(guides.text("[data-part='documents'] li a"), "Paper 51");
    assert_eq!(guides.text(".views [aria-current]"), "Guide");
}

async fn a_viewer_reads_and_a_stranger_sees_nothing(backend: Backend) {
    let works = Works::new(backend).await;
    let new = json!({ "projectUuid": works.project, "type": "spec", "title": "Rules", "content": "x" });
    let document = id(&works.tool("pm_create_document", new).await);
    let path = works.path(&format!("/documents/{document}"));
    let mut bob = works.bob().await;
    let page = bob.page(&path).await;
    assert!(!page.has("main form[method='post'], main .primary"), "{}", page.body);
    let mut eve = works.house.signed_in(works.eve).await;
    for rest in ["", "?version=1", "/edit", "/delete"] {
        assert_eq!(eve.get(&format!("{path}{rest}")).await.status, StatusCode::NOT_FOUND, "{rest}");
    }
    for rest in ["/edit", "/delete"] {
        assert_eq!(bob.get(&format!("{path}{rest}")).await.status, StatusCode::FORBIDDEN, "{rest}");
    }
    assert_eq!(bob.get(&works.path("/documents/new")).await.status, StatusCode::FORBIDDEN);
}

backends!(
    a_document_is_written_changed_and_compared,
    documents_are_listed_by_type_and_by_pages,
    a_viewer_reads_and_a_stranger_sees_nothing,
);
