//! Documents and completion reports.

use chorus_domain::{
    Kind, Party, Write,
    document::{Document, PastVersion},
    proposal::Proposal,
};
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

pub async fn documents_are_called_by_their_titles(store: &Shared) {
    let w = World::new(store).await;
    let shown = w.put(Document { title: SCRIPTS.into(), ..w.new_document(w.project) }).await;
    let hidden = w.hidden_project().await;
    let hidden = w.put(w.new_document(hidden)).await;
    let ids = [shown.id, hidden.id, w.id()];
    assert_eq!(w.read().await.document_titles(&w.scope(), &ids).await.unwrap(), [(shown.id, SCRIPTS.to_owned())]);
    assert_eq!(w.read().await.document_titles(&w.scope(), &[]).await.unwrap(), []);
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

/// What a document says until it is changed now.
fn past(w: &World, document: &Document) -> PastVersion {
    PastVersion {
        document: document.id,
        version: document.version,
        title: document.title.clone(),
        content: document.content.clone(),
        replaced_by: Party::User(w.first),
        replaced_at: w.tick(),
    }
}

pub async fn saving_a_document_replaces_what_it_says(store: &Shared) {
    let w = World::new(store).await;
    let plain = w.put(w.new_document(w.project)).await;
    let changed = Document {
        kind: DocumentType::Adr,
        title: SCRIPTS.into(),
        content: Some(SCRIPTS.into()),
        proposal: Some(w.id()),
        version: 2,
        updated_at: w.tick(),
        ..plain.clone()
    };
    w.write([Write::SaveDocument(changed.clone())]).await;
    assert_eq!(w.read().await.document(&w.scope(), plain.id).await.unwrap(), Some(changed));
    let back = Document { version: 3, ..plain };
    w.write([Write::SaveDocument(back.clone())]).await;
    assert_eq!(w.read().await.document(&w.scope(), back.id).await.unwrap(), Some(back));
}

pub async fn past_versions_are_kept_and_listed_newest_first(store: &Shared) {
    let w = World::new(store).await;
    let mut document = w.put(Document { content: Some(SCRIPTS.into()), ..w.new_document(w.project) }).await;
    let mut kept = Vec::new();
    for version in 2..=5 {
        let gone = past(&w, &document);
        document = Document { version, title: format!("Title {version}"), ..document };
        w.write([Write::KeepVersion(gone.clone()), Write::SaveDocument(document.clone())]).await;
        kept.insert(0, gone);
    }
    let id = document.id;
    let (scope, mut reads) = (w.scope(), w.read().await);
    for version in &kept {
        assert_eq!(reads.past_version(&scope, id, version.version).await.unwrap().as_ref(), Some(version));
    }
    assert_eq!(reads.past_version(&scope, id, 5).await.unwrap(), None);
    let short: Vec<_> = kept.into_iter().map(|version| PastVersion { content: None, ..version }).collect();
    assert_eq!(reads.past_versions(&scope, id, i32::MAX, 9).await.unwrap(), short);
    assert_eq!(reads.past_versions(&scope, id, 3, 2).await.unwrap(), short[1..3]);
    assert_eq!(reads.past_versions(&scope, w.id(), 9, 9).await.unwrap(), []);

    let hidden = w.put(w.new_document(w.hidden_project().await)).await;
    w.write([Write::KeepVersion(past(&w, &hidden))]).await;
    assert_eq!(reads.past_version(&scope, hidden.id, 1).await.unwrap(), None);
    assert_eq!(reads.past_versions(&scope, hidden.id, 1, 9).await.unwrap(), []);
}

pub async fn all_documents_of_a_proposal_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let proposal = w.put(w.new_proposal(w.project, &[])).await.id;
    let mut expected = Vec::new();
    for kind in DocumentType::ALL {
        let new =
            Document { kind, proposal: Some(proposal), content: Some("Long".into()), ..w.new_document(w.project) };
        expected.push(Document { content: None, ..w.put(new).await });
        w.put(w.new_document(w.project)).await;
    }
    w.put(Document { proposal: Some(proposal), ..w.new_document(w.hidden_project().await) }).await;
    let mut reads = w.read().await;
    assert_eq!(reads.documents_of_proposal(&w.scope(), proposal).await.unwrap(), expected);
    assert_eq!(reads.documents_of_proposal(&w.scope(), w.id()).await.unwrap(), []);
}

pub async fn dropped_documents_go_with_what_hangs_on_them(store: &Shared) {
    let w = World::new(store).await;
    let documents = [w.put(w.new_document(w.project)).await, w.put(w.new_document(w.project)).await];
    let kept = w.put(w.new_document(w.project)).await;
    for document in documents.iter().chain([&kept]) {
        w.put(w.new_comment(Kind::Document, document.id.uuid())).await;
        w.write([Write::KeepVersion(past(&w, document))]).await;
    }
    let hanging = async |document: &Document| {
        let hanging = w.read().await.directory().hanging(Kind::Document, document.id.uuid()).await.unwrap();
        (hanging.comments, hanging.versions)
    };
    assert_eq!(hanging(&documents[0]).await, (1, 1));
    w.write([Write::DropDocuments(documents.iter().map(|document| document.id).collect())]).await;
    for document in &documents {
        assert_eq!(w.read().await.document(&w.scope(), document.id).await.unwrap(), None);
        assert_eq!(hanging(document).await, (0, 0));
    }
    assert_eq!(hanging(&kept).await, (1, 1));
    w.write([Write::DropDocuments(Vec::new())]).await;
}
