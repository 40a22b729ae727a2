//! Use cases: proposals.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    idea::Idea,
    notification::{Notice, Recipient, Topic, quoted},
    proposal::{
        self, Approval, DocumentDraft, DocumentDraftIndex, Drafts, Proposal, ProposalForm, TaskDraft, TaskDraftForm,
    },
    reference::{Reference, ReferenceForm, Skipped},
    text,
};
use chorus_ids::{DocumentId, DraftId, IdeaId, ProjectId, ProposalId, TaskId, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, Issue, ProposalStatus},
};
use chorus_store::{DraftBodies, Outcome, Page, PageRequest, ProposalUse, Reads, Result, Tx};
use serde_json::{Value, json};

use crate::{
    Call,
    mention::{self, Text},
    reference,
};

pub mod delete;
pub mod ending;
pub mod redraft;

/// A proposal with an index of its drafts: what its `basic` section shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalIndex {
    /// The proposal.
    pub proposal: Proposal,
    /// Its document drafts without their texts, in order.
    pub documents: Vec<DocumentDraftIndex>,
    /// Its task drafts, in order; their descriptions may be missing.
    pub tasks: Vec<TaskDraft>,
}

/// Which part of a proposal is wanted (lifecycle specification §4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// An index of its drafts.
    Basic,
    /// Its document drafts.
    Documents,
    /// Its task drafts.
    Tasks,
    /// Both.
    Full,
}

/// The drafts of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionDrafts {
    /// An index; the task drafts come without descriptions.
    Basic(Vec<DocumentDraftIndex>, Vec<TaskDraft>),
    /// Document drafts.
    Documents(Vec<DocumentDraft>),
    /// Task drafts.
    Tasks(Vec<TaskDraft>),
    /// Both.
    Full(Drafts),
}

/// Reads a section of a proposal.
///
/// # Errors
/// Not found.
pub async fn read(
    call: &Call,
    reads: &mut dyn Reads,
    id: ProposalId,
    section: Section,
) -> Result<(Proposal, SectionDrafts)> {
    let proposal = load(call, reads, id).await?;
    let proposal = shown(call, reads, proposal).await?;
    let scope = &call.scope;
    let drafts = match section {
        Section::Basic => {
            let (documents, tasks) = index(call, reads, id).await?;
            SectionDrafts::Basic(documents, tasks)
        }
        Section::Documents => SectionDrafts::Documents(reads.document_drafts(scope, id).await?),
        Section::Tasks => SectionDrafts::Tasks(reads.task_drafts(scope, id, DraftBodies::Full).await?),
        Section::Full => SectionDrafts::Full(drafts(call, reads, id).await?),
    };
    Ok((proposal, drafts))
}

/// A proposal with all that somebody needs to decide about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dossier {
    /// The proposal; of its inputs those that the caller sees.
    pub proposal: Proposal,
    /// Its drafts.
    pub drafts: Drafts,
    /// What it lacks.
    pub issues: Vec<Issue>,
    /// The inputs that the caller sees, with their titles, in order.
    pub inputs: Vec<(Uuid, String)>,
}

/// Reads a proposal with its drafts, what it lacks, and the titles of what it starts from.
///
/// # Errors
/// Not found.
pub async fn dossier(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<Dossier> {
    let mut proposal = load(call, reads, id).await?;
    let drafts = drafts(call, reads, id).await?;
    let ideas = input_ideas(call, reads, &proposal).await?;
    let issues = proposal::issues(&proposal, &drafts, &ideas);
    let titles: BTreeMap<Uuid, String> = match proposal.input_type {
        InputType::Idea => ideas.into_iter().map(|idea| (idea.id.uuid(), idea.title)).collect(),
        InputType::Document => {
            let ids: Vec<DocumentId> = proposal.inputs.iter().map(|id| DocumentId::from_uuid(*id)).collect();
            let titles = reads.document_titles(&call.scope, &ids).await?;
            titles.into_iter().map(|(id, title)| (id.uuid(), title)).collect()
        }
    };
    let inputs: Vec<(Uuid, String)> =
        proposal.inputs.iter().filter_map(|id| Some((*id, titles.get(id)?.clone()))).collect();
    proposal.inputs = inputs.iter().map(|(id, _)| *id).collect();
    Ok(Dossier { proposal, drafts, issues, inputs })
}

/// A project's proposals, newest first.
///
/// # Errors
/// What the store reports.
pub async fn list(
    call: &Call,
    reads: &mut dyn Reads,
    (project, status): (ProjectId, Option<ProposalStatus>),
    page: &PageRequest,
) -> Result<Page<Proposal>> {
    let mut page = reads.proposals(&call.scope, project, status, page).await?;
    redact(call, reads, page.rows.iter_mut().map(|row| &mut row.item).collect()).await?;
    Ok(page)
}

/// A new proposal, and what its maker should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The proposal, without drafts.
    pub proposal: Proposal,
    /// Sentences about input ideas that other visible proposals name already.
    pub warnings: Vec<String>,
    /// Its references.
    pub references: Vec<Reference>,
    /// References that can't be stored.
    pub skipped: Vec<Skipped>,
}

/// Makes a proposal in a project that the call named, with references to evidence.
///
/// # Errors
/// What [`proposal::create`] refuses.
pub async fn create(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    form: ProposalForm,
    references: Vec<ReferenceForm>,
) -> Result<Outcome<Created>> {
    let (ideas, uses) = match form.input_type {
        InputType::Idea => {
            let ideas = tx.ideas_by_id(&call.scope, &as_ideas(&form.inputs)).await?;
            (ideas, tx.proposals_naming(&call.scope, &form.inputs).await?)
        }
        InputType::Document => (Vec::new(), Vec::new()),
    };
    let origin = call.origin(project)?;
    let made = proposal::create(call.new_id(), form, &ideas, &call.caller, origin)?;
    let mut batch = Batch {
        writes: vec![Write::NewProposal(made.clone())],
        events: vec![call.event(project, Kind::Proposal, made.id.uuid(), Change::Created)],
        ..Batch::default()
    };
    let target = (Kind::Proposal, made.id.uuid());
    let (references, skipped) = reference::attach(call, references, target, origin);
    batch.writes.extend(reference::written(&references));
    let warnings = reuse(&ideas, &uses);
    Ok(Outcome { batch, answer: Created { proposal: made, warnings, references, skipped } })
}

/// Most sentences about ideas that are proposed from again.
const MAX_WARNINGS: usize = 20;

/// A sentence for each proposal that names one of these ideas already.
fn reuse(ideas: &[Idea], uses: &[ProposalUse]) -> Vec<String> {
    let sentence = |used: &ProposalUse| {
        let title = ideas.iter().find(|idea| idea.id.uuid() == used.input).map_or("", |idea| &idea.title);
        format!(
            "Idea \"{}\" is an input of the proposal \"{}\" ({}) already.",
            text::shorten(title, 80),
            text::shorten(&used.title, 80),
            used.status
        )
    };
    let mut warnings: Vec<String> = uses.iter().take(MAX_WARNINGS).map(sentence).collect();
    if let Some(more) = uses.len().checked_sub(MAX_WARNINGS).filter(|more| *more > 0) {
        warnings.push(format!("{more} more proposals name these ideas; chorus_get_proposals lists them."));
    }
    warnings
}

/// A draft that was added, changed or removed.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftEdit<T> {
    /// The draft.
    pub draft: DraftId,
    /// What it is called, or was; optional where there may be no such draft.
    pub title: T,
    /// The proposal as it is now.
    pub proposal: ProposalIndex,
}

/// Adds a document draft.
///
/// # Errors
/// What [`proposal::add_document_draft`] refuses.
pub async fn add_document_draft(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProposalId,
    (kind, title, content): (DocumentType, String, String),
) -> Result<Outcome<DraftEdit<String>>> {
    let before = load(call, tx, id).await?;
    let said = (kind, title, content);
    let (proposal, draft) = proposal::add_document_draft(&before, call.new_id(), said, call.now)?;
    let (mut documents, tasks) = index(call, tx, id).await?;
    documents.push(entry(&draft));
    let (added, title) = (draft.id, draft.title.clone());
    let batch = edited(call, &proposal, Write::AddDocumentDraft(id, draft));
    let proposal = ProposalIndex { proposal: shown(call, tx, proposal).await?, documents, tasks };
    Ok(Outcome { batch, answer: DraftEdit { draft: added, title, proposal } })
}

/// Adds a task draft.
///
/// # Errors
/// What [`proposal::add_task_draft`] refuses.
pub async fn add_task_draft(
    call: &Call,
    tx: &mut dyn Tx,
    id: ProposalId,
    form: TaskDraftForm,
) -> Result<Outcome<DraftEdit<String>>> {
    let before = load(call, tx, id).await?;
    let (proposal, draft) = proposal::add_task_draft(&before, call.new_id(), form, call.now)?;
    let (documents, mut tasks) = index(call, tx, id).await?;
    tasks.push(draft.clone());
    let (added, title) = (draft.id, draft.title.clone());
    let batch = edited(call, &proposal, Write::AddTaskDraft(id, draft));
    let proposal = ProposalIndex { proposal: shown(call, tx, proposal).await?, documents, tasks };
    Ok(Outcome { batch, answer: DraftEdit { draft: added, title, proposal } })
}

fn edited(call: &Call, proposal: &Proposal, write: Write) -> Batch {
    let mut batch = saved(call, proposal);
    batch.writes.push(write);
    batch
}

/// What a proposal lacks, in whatever status it is.
///
/// # Errors
/// Not found.
pub async fn validate(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<Vec<Issue>> {
    let proposal = load(call, reads, id).await?;
    let drafts = drafts(call, reads, id).await?;
    let ideas = input_ideas(call, reads, &proposal).await?;
    Ok(proposal::issues(&proposal, &drafts, &ideas))
}

/// Hands a draft in for review; whoever may review it is told (README decision 26).
///
/// # Errors
/// What [`proposal::submit`] refuses.
pub async fn submit(call: &Call, tx: &mut dyn Tx, id: ProposalId) -> Result<Outcome<ProposalIndex>> {
    let before = load(call, tx, id).await?;
    let drafts = drafts(call, tx, id).await?;
    let ideas = input_ideas(call, tx, &before).await?;
    let submitted = proposal::submit(&before, &proposal::issues(&before, &drafts, &ideas), call.now)?;
    let mut batch = saved(call, &submitted);
    batch.activities.push(call.activity(submitted.project, target(&submitted), Action::Submitted, None));
    batch.notices.push(Notice {
        to: vec![Recipient::OwnerOf(submitted.created_by), Recipient::ProjectAdmins],
        ..notice(call, &submitted, Topic::ProposalSubmitted, "submitted")
    });
    Ok(Outcome { batch, answer: indexed(submitted, drafts) })
}

/// What comes of an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    /// The proposal as it is now.
    pub proposal: ProposalIndex,
    /// The new tasks with their drafts and titles.
    pub tasks: Vec<(DraftId, TaskId, String)>,
    /// The new documents with their drafts and titles.
    pub documents: Vec<(DraftId, DocumentId, String)>,
}

/// Accepts a pending proposal: its drafts become documents and tasks.
///
/// # Errors
/// What [`proposal::approve`] refuses.
pub async fn approve(call: &Call, tx: &mut dyn Tx, id: ProposalId, note: Option<String>) -> Result<Outcome<Approved>> {
    let before = load(call, tx, id).await?;
    let drafts = drafts(call, tx, id).await?;
    let ideas = input_ideas(call, tx, &before).await?;
    let said = (call.party()?, note);
    let Approval { proposal, documents, tasks, criteria, edges } =
        proposal::approve(&before, drafts.clone(), &ideas, said, call.now, &mut call.ids())?;

    let answer = Approved {
        proposal: indexed(shown(call, tx, proposal.clone()).await?, drafts),
        tasks: tasks.iter().map(|(draft, task)| (*draft, task.id, task.title.clone())).collect(),
        documents: documents.iter().map(|(draft, made)| (*draft, made.id, made.title.clone())).collect(),
    };
    let mut batch = saved(call, &proposal);
    let created = |kind, id| call.event(proposal.project, kind, id, Change::Created);
    batch.events.extend(documents.iter().map(|(_, made)| created(Kind::Document, made.id.uuid())));
    batch.events.extend(tasks.iter().map(|(_, task)| created(Kind::Task, task.id.uuid())));
    let texts: Vec<Text<'_>> = tasks
        .iter()
        .map(|(_, task)| Text {
            source: (Kind::Task, task.id.uuid()),
            entity: (Kind::Task, task.id.uuid(), &task.title),
            before: None,
            after: task.description.as_deref(),
            // The drafts were written before.
            argument: None,
        })
        .collect();
    mention::tell(call, tx, proposal.project, &texts, &mut batch).await?;
    batch.writes.extend([
        Write::NewDocuments(documents.into_iter().map(|(_, document)| document).collect()),
        Write::NewTasks(tasks.into_iter().map(|(_, task)| task).collect()),
        Write::NewCriteria(criteria),
        Write::AddEdges(edges),
    ]);
    let note = proposal.review.as_ref().and_then(|review| review.note.as_deref());
    let value = note.map(|note| json!({ "reviewNote": text::excerpt(note) }));
    batch.activities.push(call.activity(proposal.project, target(&proposal), Action::Approved, value));
    batch.notices.push(decision(call, &proposal, Topic::ProposalApproved, "approved"));
    Ok(Outcome { batch, answer })
}

/// Sends a pending proposal back to be worked on.
///
/// # Errors
/// What [`proposal::reject`] refuses.
pub async fn reject(call: &Call, tx: &mut dyn Tx, id: ProposalId, note: &str) -> Result<Outcome<ProposalIndex>> {
    let before = load(call, tx, id).await?;
    let proposal = proposal::reject(&before, note, (&call.caller, call.party()?), call.now)?;
    let (documents, tasks) = index(call, tx, id).await?;
    let mut batch = saved(call, &proposal);
    let value: Value = json!({ "reviewNote": text::excerpt(note) });
    batch.activities.push(call.activity(proposal.project, target(&proposal), Action::RejectedToDraft, Some(value)));
    batch.notices.push(decision(call, &proposal, Topic::ProposalRejected, "rejected"));
    let proposal = shown(call, tx, proposal).await?;
    Ok(Outcome { batch, answer: ProposalIndex { proposal, documents, tasks } })
}

/// The proposal as the caller sees it, see [`redact`].
async fn shown(call: &Call, reads: &mut dyn Reads, mut proposal: Proposal) -> Result<Proposal> {
    redact(call, reads, vec![&mut proposal]).await?;
    Ok(proposal)
}

/// Takes out of these proposals the inputs that the caller may not see, and those that are gone: the two look the same
/// (visibility specification §5).
async fn redact(call: &Call, reads: &mut dyn Reads, proposals: Vec<&mut Proposal>) -> Result<()> {
    let kind = |proposal: &Proposal| match proposal.input_type {
        InputType::Idea => Kind::Idea,
        InputType::Document => Kind::Document,
    };
    let inputs = proposals.iter().flat_map(|proposal| proposal.inputs.iter().map(|id| (kind(proposal), *id)));
    let inputs: BTreeSet<(Kind, Uuid)> = inputs.collect();
    if inputs.is_empty() {
        return Ok(());
    }
    let inputs: Vec<(Kind, Uuid)> = inputs.into_iter().collect();
    let located = reads.directory().locate(&call.caller.principal, &inputs).await?;
    let seen: BTreeSet<(Kind, Uuid)> =
        located.iter().filter(|found| call.scope.allows(&found.facts)).map(|found| (found.kind, found.id)).collect();
    for proposal in proposals {
        let kind = kind(proposal);
        proposal.inputs.retain(|id| seen.contains(&(kind, *id)));
    }
    Ok(())
}

pub(crate) async fn load(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<Proposal> {
    Ok(reads.proposal(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Proposal))?)
}

async fn drafts(call: &Call, reads: &mut dyn Reads, id: ProposalId) -> Result<Drafts> {
    Ok(Drafts {
        documents: reads.document_drafts(&call.scope, id).await?,
        tasks: reads.task_drafts(&call.scope, id, DraftBodies::Full).await?,
    })
}

async fn index(
    call: &Call,
    reads: &mut dyn Reads,
    id: ProposalId,
) -> Result<(Vec<DocumentDraftIndex>, Vec<TaskDraft>)> {
    let documents = reads.document_draft_index(&call.scope, id).await?;
    Ok((documents, reads.task_drafts(&call.scope, id, DraftBodies::Omitted).await?))
}

fn indexed(proposal: Proposal, drafts: Drafts) -> ProposalIndex {
    ProposalIndex { proposal, documents: drafts.documents.iter().map(entry).collect(), tasks: drafts.tasks }
}

fn entry(draft: &DocumentDraft) -> DocumentDraftIndex {
    let content_length = u32::try_from(draft.content.chars().count()).unwrap_or(u32::MAX);
    DocumentDraftIndex { id: draft.id, kind: draft.kind, title: draft.title.clone(), content_length }
}

/// The input ideas that exist and may be seen.
async fn input_ideas(call: &Call, reads: &mut dyn Reads, proposal: &Proposal) -> Result<Vec<Idea>> {
    match proposal.input_type {
        InputType::Idea => reads.ideas_by_id(&call.scope, &as_ideas(&proposal.inputs)).await,
        InputType::Document => Ok(Vec::new()),
    }
}

fn as_ideas(inputs: &[Uuid]) -> Vec<IdeaId> {
    let inputs: BTreeSet<IdeaId> = inputs.iter().map(|id| IdeaId::from_uuid(*id)).collect();
    inputs.into_iter().collect()
}

fn saved(call: &Call, proposal: &Proposal) -> Batch {
    Batch {
        writes: vec![Write::SaveProposal(proposal.clone())],
        events: vec![call.event(proposal.project, Kind::Proposal, proposal.id.uuid(), Change::Updated)],
        ..Batch::default()
    }
}

fn target(proposal: &Proposal) -> (Kind, Uuid, &str) {
    (Kind::Proposal, proposal.id.uuid(), &proposal.title)
}

/// A reviewer's decision, told to whoever made the proposal, with the note if there is one.
fn decision(call: &Call, proposal: &Proposal, topic: Topic, did: &str) -> Notice {
    let mut notice = notice(call, proposal, topic, did);
    notice.to = vec![Recipient::Party(proposal.created_by)];
    if let Some(note) = proposal.review.as_ref().and_then(|review| review.note.as_deref()) {
        notice.message = format!("{}: {}", notice.message, text::excerpt(note));
    }
    notice
}

fn notice(call: &Call, proposal: &Proposal, topic: Topic, did: &str) -> Notice {
    Notice {
        to: Vec::new(),
        topic,
        project: proposal.project,
        entity: Kind::Proposal,
        entity_id: proposal.id.uuid(),
        entity_title: proposal.title.clone(),
        message: format!("{} {did} the proposal {}", call.caller.name, quoted(&proposal.title)),
    }
}

#[cfg(test)]
mod tests {
    use chorus_ids::ProposalId;

    use super::*;

    fn used(times: usize) -> Vec<ProposalUse> {
        let one = ProposalUse {
            input: Uuid::from_u128(1),
            proposal: ProposalId::from_u128(2),
            title: "Earlier".into(),
            status: ProposalStatus::Draft,
        };
        vec![one; times]
    }

    #[test]
    fn reuse_of_an_idea_is_told_in_sentences_and_never_in_too_many() {
        assert!(reuse(&[], &[]).is_empty());
        assert_eq!(reuse(&[], &used(1)), ["Idea \"\" is an input of the proposal \"Earlier\" (draft) already."]);
        assert_eq!(reuse(&[], &used(MAX_WARNINGS)).len(), MAX_WARNINGS);
        let many = reuse(&[], &used(MAX_WARNINGS + 3));
        assert_eq!(many.len(), MAX_WARNINGS + 1);
        assert!(many.last().is_some_and(|last| last.starts_with("3 more proposals")), "{many:?}");
    }
}
