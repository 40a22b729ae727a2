//! Documents and completion reports.

use chorus_domain::{Party, document::Document, proposal::Proposal};
use chorus_ids::ProposalId;
use chorus_lifecycle::{document::DocumentType, proposal::ProposalStatus};

use super::world::{DAWN, SCRIPTS, Shared, WHOLE, World, items};

pub async fn a_document_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let mut documents = DocumentType::ALL.map(|kind| Document { kind, ..w.new_document(w.project) }).to_vec();
    documents.push(Document {
        title: SCRIPTS.into(),
        content: Some(SCRIPTS.into()),
        version: i32::MAX,
        proposal: Some(w.id()),
        created_by: Party::User(w.first),
        updated_at: w.tick(),
        ..w.new_document(w.project)
    });
    documents.push(Document { content: Some(String::new()), ..w.new_document(w.project) });
    w.put_all(documents.clone()).await;
    for document in documents {
        let found = w.read().await.document(&w.scope(), document.id).await.unwrap();
        assert_eq!(found, Some(document));
    }
    assert_eq!(w.read().await.document(&w.scope(), w.id()).await.unwrap(), None);
}

pub async fn documents_are_listed_latest_updated_first_without_texts(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let updated = |seconds: i64, kind| Document {
        kind,
        content: Some("Long".into()),
        updated_at: DAWN.plus_micros(seconds * 1_000_000_000),
        ..w.new_document(w.project)
    };
    let (prd, adr) = (DocumentType::Prd, DocumentType::Adr);
    let mut expected = [updated(2, prd), updated(3, adr), updated(1, prd)];
    w.put_all(expected.clone()).await;
    w.put(w.new_document(other)).await;
    expected.sort_by_key(|document| std::cmp::Reverse(document.updated_at));
    let expected = expected.map(|document| Document { content: None, ..document });
    let list = async |kind| w.read().await.documents(&w.scope(), w.project, kind, &WHOLE).await.unwrap();
    let all = list(None).await;
    assert_eq!((all.total, all.more), (3, false));
    assert_eq!(items(all), expected);
    assert_eq!(items(list(Some(prd)).await), expected[1..]);
    assert_eq!(list(Some(DocumentType::Guide)).await.total, 0);
}

pub async fn an_ideas_reports_are_listed_newest_first_with_their_texts(store: &Shared) {
    let w = World::new(store).await;
    let idea = w.put(w.new_idea(w.project)).await.id;
    let mut expected = Vec::new();
    for status in ProposalStatus::ALL {
        let proposal = w.put(Proposal { status, ..w.new_proposal(w.project, &[w.id(), idea]) }).await.id;
        for kind in [DocumentType::Report, DocumentType::Spec, DocumentType::Report] {
            let new = w.new_document(w.project);
            let document = Document { kind, proposal: Some(proposal), content: Some(SCRIPTS.into()), ..new };
            let shown = matches!(status, ProposalStatus::Approved | ProposalStatus::Closed);
            if shown && kind == DocumentType::Report {
                expected.insert(0, document.clone());
            }
            w.put(document).await;
        }
    }
    w.put(Document { kind: DocumentType::Report, ..w.new_document(w.project) }).await;
    assert_eq!(w.read().await.reports_of_idea(&w.scope(), idea).await.unwrap(), expected);
    assert_eq!(w.read().await.reports_of_idea(&w.scope(), w.id()).await.unwrap(), []);
}

pub async fn a_proposals_reports_are_counted_whatever_its_status(store: &Shared) {
    let w = World::new(store).await;
    let count = async |proposal: ProposalId| w.read().await.report_count(&w.scope(), proposal).await.unwrap();
    for status in ProposalStatus::ALL {
        let proposal = w.put(Proposal { status, ..w.new_proposal(w.project, &[]) }).await.id;
        assert_eq!(count(proposal).await, 0);
        for kind in [DocumentType::Report, DocumentType::Prd, DocumentType::Report] {
            w.put(Document { kind, proposal: Some(proposal), ..w.new_document(w.project) }).await;
        }
        assert_eq!(count(proposal).await, 2, "{status}");
    }
    assert_eq!(count(w.id()).await, 0);
}
