//! Use cases: documents and completion reports.

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    document::{self, Document, ReportForm},
    event::Change,
    idea::Idea,
    notification::{Recipient, Topic, quoted},
    proposal::Proposal,
};
use chorus_ids::{DocumentId, IdeaId, ProjectId, ProposalId};
use chorus_lifecycle::{document::DocumentType, proposal::InputType};
use chorus_store::{Outcome, Page, PageRequest, Reads, Result, Tx};
use serde_json::json;

use crate::{Call, idea, proposal};

pub mod history;
pub mod write;

/// Reads a document with its text.
///
/// # Errors
/// Not found.
pub async fn read(call: &Call, reads: &mut dyn Reads, id: DocumentId) -> Result<Document> {
    Ok(reads.document(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Document))?)
}

/// A project's documents, latest updated first, without their texts.
///
/// # Errors
/// What the store reports.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    (project, kind): (ProjectId, Option<DocumentType>),
    page: &PageRequest,
) -> Result<Page<Document>> {
    reads.documents(&call.scope, project, kind, page).await
}

/// Writes the completion report of an approved proposal. The proposal's first idea, if it starts from ideas and that
/// one still exists and may be seen, is where it is recorded (lifecycle specification §13).
///
/// # Errors
/// What [`document::report`] refuses.
pub async fn create_report(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProposalId,
    form: ReportForm,
) -> Result<Outcome<Document>> {
    let proposal = proposal::load(call, tx, id).await?;
    let existing = tx.report_count(&call.scope, id).await?;
    let origin = call.origin(proposal.project)?;
    let report = document::report(call.new_id(), form, (&proposal, existing), origin)?;
    let mut batch = Batch {
        writes: vec![Write::NewDocuments(vec![report.clone()])],
        events: vec![call.event(proposal.project, Kind::Document, report.id.uuid(), Change::Created)],
        ..Batch::default()
    };
    if let Some(source) = first_idea(call, tx, &proposal).await? {
        let value = json!({ "reportUuid": report.id, "proposalUuid": id, "reportTitle": report.title });
        batch.events.push(idea::updated(call, &source));
        batch.activities.push(call.activity(source.project, idea::target(&source), Action::ReportCreated, Some(value)));
        let did = format!("{} wrote the completion report {} on", call.caller.name, quoted(&report.title));
        batch.notices.push(idea::notice(&source, Topic::ReportCreated, with_owners(idea::concerned(&source)), did));
    }
    Ok(Outcome { batch, answer: report })
}

async fn first_idea(call: &Call, tx: &mut dyn Tx, proposal: &Proposal) -> Result<Option<Idea>> {
    match (proposal.input_type, proposal.inputs.first()) {
        (InputType::Idea, Some(first)) => tx.idea(&call.scope, IdeaId::from_uuid(*first)).await,
        (InputType::Idea, None) | (InputType::Document, _) => Ok(None),
    }
}

/// Everybody, and the owners of those that are agents.
fn with_owners(parties: impl Iterator<Item = Party>) -> Vec<Recipient> {
    parties.flat_map(|party| [Recipient::Party(party), Recipient::OwnerOf(party)]).collect()
}
