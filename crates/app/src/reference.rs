//! Use cases: references to evidence.

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    origin::Origin,
    reference::{self, Reference, ReferenceEdit, ReferenceForm, Skipped},
    text,
};
use chorus_ids::{ReferenceId, Uuid};
use chorus_store::{Outcome, Reads, Result, Tx};
use serde_json::json;

use crate::{Call, comment::host};

/// The references of an idea, proposal or task, oldest first.
///
/// # Errors
/// What the store reports.
pub async fn of(call: &Call, reads: &mut dyn Reads, (target, id): (Kind, Uuid)) -> Result<Vec<Reference>> {
    reads.references(&call.scope, target, id).await
}

/// Attaches a reference to an idea, proposal or task.
///
/// # Errors
/// Not found outside the caller's scope; what [`reference::create`] refuses.
pub async fn add(
    call: &Call,
    tx: &mut dyn Tx,
    (target, id): (Kind, Uuid),
    form: ReferenceForm,
) -> Result<Outcome<Reference>> {
    let host = host(call, tx, target, id).await?;
    let made = reference::create(call.new_id(), form, (target, id), call.origin(host.project)?)?;
    let value = json!({
        "referenceUuid": made.id, "type": made.kind.as_str(), "url": text::excerpt(&made.url), "title": made.title
    });
    let batch = Batch {
        writes: vec![Write::NewReferences(vec![made.clone()])],
        activities: vec![call.activity(host.project, (target, id, &host.title), Action::ReferenceAdded, Some(value))],
        events: vec![call.event(host.project, target, id, Change::Updated)],
        ..Batch::default()
    };
    Ok(Outcome { batch, answer: made })
}

/// Changes a reference, whoever attached it. No activity tells of it (tool guide §17).
///
/// # Errors
/// Not found outside the caller's scope; what [`reference::edit`] refuses.
pub async fn edit(call: &Call, tx: &mut dyn Tx, id: ReferenceId, edit: ReferenceEdit) -> Result<Outcome<Reference>> {
    let before = load(call, tx, id).await?;
    let after = reference::edit(&before, edit, call.now)?;
    let batch =
        if after == before { Batch::default() } else { changed(call, &before, Write::SaveReference(after.clone()))? };
    Ok(Outcome { batch, answer: after })
}

/// Removes a reference, whoever attached it. No activity tells of it (tool guide §17).
///
/// # Errors
/// Not found outside the caller's scope.
pub async fn remove(call: &Call, tx: &mut dyn Tx, id: ReferenceId) -> Result<Outcome<ReferenceId>> {
    let before = load(call, tx, id).await?;
    Ok(Outcome { batch: changed(call, &before, Write::DropReference(id))?, answer: id })
}

async fn load(call: &Call, reads: &mut dyn Reads, id: ReferenceId) -> Result<Reference> {
    Ok(reads.reference(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Reference))?)
}

/// A change of a reference shows on what it is attached to.
fn changed(call: &Call, reference: &Reference, write: Write) -> Result<Batch> {
    let project = call.project_of(Kind::Reference, reference.id.uuid())?;
    let events = vec![call.event(project, reference.target, reference.target_id, Change::Updated)];
    Ok(Batch { writes: vec![write], events, ..Batch::default() })
}

/// The references of something new: those that are fine, and those that are not.
pub(crate) fn attach(
    call: &Call,
    forms: Vec<ReferenceForm>,
    target: (Kind, Uuid),
    origin: Origin,
) -> (Vec<Reference>, Vec<Skipped>) {
    reference::create_sound(forms, target, origin, || call.new_id())
}

/// The write that stores new references, if there are any.
pub(crate) fn written(references: &[Reference]) -> Option<Write> {
    (!references.is_empty()).then(|| Write::NewReferences(references.to_vec()))
}
