//! Closing a proposal for good, and taking an approval back.

use chorus_domain::{
    Kind, Write,
    activity::Action,
    document::Document,
    event::Change,
    proposal::{self as decide, Proposal},
    task::{Task, ending::Ending},
    text,
};
use chorus_ids::{DocumentId, ProposalId, TaskId, Uuid};
use chorus_lifecycle::task::TaskStatus;
use chorus_store::{Outcome, Reads, Result, Tx};
use serde_json::json;

use super::{ProposalIndex, index, load, saved, shown, target};
use crate::{Call, task::ending};

/// Turns a pending proposal down for good.
///
/// # Errors
/// See [`decide::close`].
pub async fn close(call: &Call, tx: &mut dyn Tx, id: ProposalId, note: &str) -> Result<Outcome<ProposalIndex>> {
    let before = load(call, tx, id).await?;
    let proposal = decide::close(&before, note, call.party()?, call.now)?;
    let (documents, tasks) = index(call, tx, id).await?;
    let mut batch = saved(call, &proposal);
    let value = json!({ "reviewNote": text::excerpt(note) });
    batch.activities.push(call.activity(proposal.project, target(&proposal), Action::Closed, Some(value)));
    let proposal = shown(call, tx, proposal).await?;
    Ok(Outcome { batch, answer: ProposalIndex { proposal, documents, tasks } })
}

/// What taking an approval back would undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undoing {
    /// The tasks that would be closed, with their titles and statuses.
    pub closed: Vec<(TaskId, String, TaskStatus)>,
    /// The documents that would be deleted, with their titles.
    pub deleted: Vec<(DocumentId, String)>,
}

/// What [`revoke`] would undo as things are now.
///
/// # Errors
/// What the store reports.
pub async fn undoing(call: &Call, reads: &mut dyn Reads, proposal: &Proposal) -> Result<Undoing> {
    let (tasks, documents) = made(call, reads, proposal).await?;
    Ok(Undoing {
        closed: tasks.into_iter().map(|task| (task.id, task.title, task.status)).collect(),
        deleted: documents.into_iter().map(|document| (document.id, document.title)).collect(),
    })
}

/// The tasks of a proposal that are not closed, in its project, and its documents.
async fn made(call: &Call, reads: &mut dyn Reads, proposal: &Proposal) -> Result<(Vec<Task>, Vec<Document>)> {
    let mut tasks = reads.tasks_of_proposal(&call.scope, proposal.id).await?;
    tasks.retain(|task| task.status != TaskStatus::Closed && task.project == proposal.project);
    Ok((tasks, reads.documents_of_proposal(&call.scope, proposal.id).await?))
}

/// What taking an approval back undid.
#[derive(Clone, Debug, PartialEq)]
pub struct Revoked {
    /// The proposal as it is now.
    pub proposal: ProposalIndex,
    /// The tasks that were closed, with their titles.
    pub closed: Vec<(TaskId, String)>,
    /// The documents that were deleted, with their titles.
    pub deleted: Vec<(DocumentId, String)>,
}

/// Takes the approval of a proposal back (lifecycle specification §4.5): its tasks are closed, its documents deleted,
/// its drafts stay. Whoever waits for one of the tasks that was not done is told (README decision 5).
///
/// # Errors
/// See [`decide::revoke`].
pub async fn revoke(call: &Call, tx: &mut dyn Tx, id: ProposalId, note: Option<String>) -> Result<Outcome<Revoked>> {
    let before = load(call, tx, id).await?;
    let proposal = decide::revoke(&before, note, (&call.caller, call.party()?), call.now)?;
    let (project, now) = (proposal.project, call.now);
    let (tasks, documents) = made(call, tx, &proposal).await?;
    let gone: Vec<DocumentId> = documents.iter().map(|document| document.id).collect();
    let gone_ids: Vec<Uuid> = gone.iter().map(|id| id.uuid()).collect();
    let (document_drafts, task_drafts) = index(call, tx, id).await?;

    let mut batch = saved(call, &proposal);
    batch.writes.extend([
        Write::CloseTasksOf(id, project, now),
        Write::DropDocuments(gone),
        Write::ArchiveAbout(Kind::Document, gone_ids.clone(), now),
    ]);
    let note = proposal.review.as_ref().and_then(|review| review.note.as_deref()).map(text::excerpt);
    let value = json!({
        "reviewNote": note, "closedTaskCount": tasks.len(), "deletedDocumentCount": documents.len()
    });
    batch.activities.push(call.activity(project, target(&proposal), Action::Revoked, Some(value)));
    let closed = tasks.iter().map(|task| call.event(project, Kind::Task, task.id.uuid(), Change::Updated));
    batch.events.extend(closed);
    batch.events.extend(gone_ids.iter().map(|id| call.event(project, Kind::Document, *id, Change::Deleted)));
    let given_up: Vec<&Task> = tasks.iter().filter(|task| task.status != TaskStatus::Done).collect();
    ending::tell(call, tx, Ending::GivenUp, &given_up, &mut batch).await?;

    let answer = Revoked {
        proposal: ProposalIndex {
            proposal: shown(call, tx, proposal).await?,
            documents: document_drafts,
            tasks: task_drafts,
        },
        closed: tasks.into_iter().map(|task| (task.id, task.title)).collect(),
        deleted: documents.into_iter().map(|document| (document.id, document.title)).collect(),
    };
    Ok(Outcome { batch, answer })
}
