//! Making, changing and deleting documents.

use chorus_domain::{
    Batch, Kind, Write,
    document::{self as decide, Document, DocumentEdit, DocumentForm, Updated},
    event::Change,
};
use chorus_ids::{DocumentId, ProjectId};
use chorus_store::{Outcome, Reads, Result, Tx};

use super::read;
use crate::{
    Call,
    deletion::{Deleted, Kept},
};

/// Makes a document in a project that the call named.
///
/// # Errors
/// See [`decide::create`].
pub fn create(call: &Call, project: ProjectId, form: DocumentForm) -> Result<Outcome<Document>> {
    let made = decide::create(call.new_id(), form, call.origin(project)?)?;
    let batch = Batch {
        writes: vec![Write::NewDocuments(vec![made.clone()])],
        events: vec![call.event(project, Kind::Document, made.id.uuid(), Change::Created)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer: made })
}

/// Changes a document, and keeps what it said. An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`decide::update`].
pub async fn update(
    call: &Call,
    tx: &mut dyn Tx,
    id: DocumentId,
    (edit, expected): (DocumentEdit, Option<i32>),
) -> Result<Outcome<Document>> {
    let before = read(call, tx, id).await?;
    let Some(updated) = decide::update(&before, edit, expected, (call.party()?, call.now))? else {
        return Ok(Outcome { batch: Batch::default(), answer: before });
    };
    let Updated { document, past } = updated;
    let batch = Batch {
        writes: vec![Write::KeepVersion(past), Write::SaveDocument(document.clone())],
        events: vec![call.event(document.project, Kind::Document, id.uuid(), Change::Updated)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer: document })
}

/// What would go with a document and what would stay, as things are now.
///
/// # Errors
/// Not found.
pub async fn impact(call: &Call, reads: &mut dyn Reads, id: DocumentId) -> Result<Deleted> {
    let document = read(call, reads, id).await?;
    let uuid = id.uuid();
    let proposals = reads.proposals_naming(&call.scope, &[uuid]).await?.len();
    let hanging = reads.directory().hanging(Kind::Document, uuid).await?;
    let kept = Kept { proposals, ..Kept::default() };
    Ok(Deleted { kind: Kind::Document, id: uuid, title: document.title, hanging, kept })
}

/// Deletes a document with what hangs on it.
///
/// # Errors
/// Not found.
pub async fn delete(call: &Call, tx: &mut dyn Tx, id: DocumentId) -> Result<Outcome<Deleted>> {
    let document = read(call, tx, id).await?;
    let uuid = id.uuid();
    let proposals = tx.proposals_naming(&call.scope, &[uuid]).await?.len();
    let hanging = tx.directory().hanging(Kind::Document, uuid).await?;
    let batch = Batch {
        writes: vec![Write::DropDocuments(vec![id]), Write::ArchiveAbout(Kind::Document, vec![uuid], call.now)],
        events: vec![call.event(document.project, Kind::Document, uuid, Change::Deleted)],
        ..Batch::default()
    };
    let kept = Kept { proposals, ..Kept::default() };
    Ok(Outcome { batch, answer: Deleted { kind: Kind::Document, id: uuid, title: document.title, hanging, kept } })
}
