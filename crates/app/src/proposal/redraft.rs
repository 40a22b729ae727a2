//! Changing and removing the drafts of a proposal.

use chorus_domain::{
    Batch, Write,
    proposal::{
        self as decide, DocumentDraft, DocumentDraftEdit, Proposal, ProposalEdit, Redrafted, TaskDraft, TaskDraftEdit,
    },
};
use chorus_ids::{DraftId, ProposalId};
use chorus_store::{Outcome, Reads, Result, Tx};

use super::{DraftEdit, ProposalIndex, edited, entry, index, load, saved, shown};
use crate::Call;

/// Changes what a draft is called and what it says about itself. An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`decide::edit`].
pub async fn edit(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProposalId,
    (edit, expected): (ProposalEdit, Option<i32>),
) -> Result<Outcome<Proposal>> {
    let before = load(call, tx, id).await?;
    let next = decide::edit(&before, edit, expected, call.now)?;
    let batch = next.as_ref().map(|proposal| saved(call, proposal)).unwrap_or_default();
    Ok(Outcome { batch, answer: shown(call, tx, next.unwrap_or(before)).await? })
}

/// Changes a document draft. An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`decide::edit_document_draft`].
pub async fn edit_document_draft(
    call: &Call,
    tx: &mut dyn Tx,
    (id, draft): (ProposalId, DraftId),
    (edit, expected): (DocumentDraftEdit, Option<i32>),
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    let before = load(call, tx, id).await?;
    let found = tx.document_draft(&call.scope, id, draft).await?;
    let Redrafted { draft: after, proposal } = decide::edit_document_draft(&before, found, edit, expected, call.now)?;
    save(call, tx, (before, proposal), Draft::Document(after)).await
}

/// Changes a task draft. An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`decide::edit_task_draft`].
pub async fn edit_task_draft(
    call: &Call,
    tx: &mut dyn Tx,
    (id, draft): (ProposalId, DraftId),
    (edit, expected): (TaskDraftEdit, Option<i32>),
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    let before = load(call, tx, id).await?;
    let found = tx.task_draft(&call.scope, id, draft).await?;
    let Redrafted { draft: after, proposal } = decide::edit_task_draft(&before, found, edit, expected, call.now)?;
    save(call, tx, (before, proposal), Draft::Task(after)).await
}

/// A draft of either kind, as it is now.
enum Draft {
    Document(DocumentDraft),
    Task(TaskDraft),
}

/// Saves a changed draft in its place; nothing if the proposal has no next version.
async fn save(
    call: &Call,
    tx: &mut dyn Tx,
    (before, next): (Proposal, Option<Proposal>),
    draft: Draft,
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    let id = before.id;
    let (mut documents, mut tasks) = index(call, tx, id).await?;
    let (draft, title, write) = match draft {
        Draft::Document(draft) => {
            let place = documents.iter_mut().find(|entry| entry.id == draft.id);
            place.into_iter().for_each(|place| *place = entry(&draft));
            (draft.id, draft.title.clone(), Write::SaveDocumentDraft(id, draft))
        }
        Draft::Task(draft) => {
            let place = tasks.iter_mut().find(|entry| entry.id == draft.id);
            place.into_iter().for_each(|place| *place = draft.clone());
            (draft.id, draft.title.clone(), Write::SaveTaskDraft(id, draft))
        }
    };
    let batch = written(call, next.as_ref(), write);
    let proposal = ProposalIndex { proposal: next.unwrap_or(before), documents, tasks };
    answer(call, tx, batch, DraftEdit { draft, title: Some(title), proposal }).await
}

/// Removes a document draft; one that is not there is gone already.
///
/// # Errors
/// See [`decide::remove_document_draft`].
pub async fn remove_document_draft(
    call: &Call,
    tx: &mut dyn Tx,
    (id, draft): (ProposalId, DraftId),
    expected: Option<i32>,
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    let before = load(call, tx, id).await?;
    let (mut documents, tasks) = index(call, tx, id).await?;
    let (title, proposal) = decide::remove_document_draft(&before, &documents, draft, expected, call.now)?.unzip();
    documents.retain(|entry| entry.id != draft);
    let batch = written(call, proposal.as_ref(), Write::DropDocumentDraft(id, draft));
    let proposal = ProposalIndex { proposal: proposal.unwrap_or(before), documents, tasks };
    answer(call, tx, batch, DraftEdit { draft, title, proposal }).await
}

/// Removes a task draft, also from what the others depend on; one that is not there is gone already.
///
/// # Errors
/// See [`decide::remove_task_draft`].
pub async fn remove_task_draft(
    call: &Call,
    tx: &mut dyn Tx,
    (id, draft): (ProposalId, DraftId),
    expected: Option<i32>,
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    let before = load(call, tx, id).await?;
    let (documents, mut tasks) = index(call, tx, id).await?;
    let Some((title, proposal, freed)) = decide::remove_task_draft(&before, &tasks, draft, expected, call.now)? else {
        let proposal = ProposalIndex { proposal: before, documents, tasks };
        return answer(call, tx, Batch::default(), DraftEdit { draft, title: None, proposal }).await;
    };
    tasks.retain(|entry| entry.id != draft);
    let mut batch = edited(call, &proposal, Write::DropTaskDraft(id, draft));
    let mut dependencies = Vec::with_capacity(freed.len());
    for other in freed {
        dependencies.push((other.id, other.depends_on.clone()));
        if let Some(place) = tasks.iter_mut().find(|entry| entry.id == other.id) {
            *place = other;
        }
    }
    batch.writes.push(Write::SetDraftDependencies(id, dependencies));
    let proposal = ProposalIndex { proposal, documents, tasks };
    answer(call, tx, batch, DraftEdit { draft, title: Some(title), proposal }).await
}

/// What is written if the proposal has a next version.
fn written(call: &Call, next: Option<&Proposal>, write: Write) -> Batch {
    next.map(|proposal| edited(call, proposal, write)).unwrap_or_default()
}

async fn answer(
    call: &Call,
    reads: &mut dyn Reads,
    batch: Batch,
    mut changed: DraftEdit<Option<String>>,
) -> Result<Outcome<DraftEdit<Option<String>>>> {
    changed.proposal.proposal = shown(call, reads, changed.proposal.proposal).await?;
    Ok(Outcome { batch, answer: changed })
}
