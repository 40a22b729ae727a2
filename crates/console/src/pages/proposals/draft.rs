//! Pages on which a draft of a proposal is written.

use askama::Template;
use chorus_domain::{
    Kind,
    proposal::{DocumentDraft, Proposal, TaskDraft},
};
use chorus_ids::{DraftId, ProjectId, ProposalId};
use chorus_lifecycle::{document::DocumentType, proposal::ProposalStatus, task::Priority};
use chorus_store::DraftBodies;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Empty rows for criteria that are offered beside those there are.
const SPARE: usize = 3;

#[derive(Template)]
#[template(path = "proposals/document_draft.html")]
struct DocumentPage {
    f: Frame,
    proposal: Proposal,
    draft: Option<DocumentDraft>,
}

#[derive(Template)]
#[template(path = "proposals/task_draft.html")]
struct TaskPage {
    f: Frame,
    proposal: Proposal,
    draft: Option<TaskDraft>,
    criteria: Vec<(String, bool)>,
    others: Vec<Other>,
}

/// Another task draft that this one can wait for.
struct Other {
    id: DraftId,
    title: String,
    chosen: bool,
}

impl DocumentPage {
    fn path(&self) -> String {
        path(&self.proposal)
    }

    fn kinds(&self) -> Vec<&'static str> {
        DocumentType::ALL.into_iter().filter(|kind| *kind != DocumentType::Report).map(DocumentType::as_str).collect()
    }

    fn is_kind(&self, kind: &str) -> bool {
        self.draft.as_ref().map_or("prd", |draft| draft.kind.as_str()) == kind
    }
}

impl TaskPage {
    fn path(&self) -> String {
        path(&self.proposal)
    }

    fn priorities(&self) -> [&'static str; 3] {
        [Priority::High, Priority::Medium, Priority::Low].map(Priority::as_str)
    }

    fn is_priority(&self, word: &str) -> bool {
        let set = self.draft.as_ref().and_then(|draft| draft.priority).unwrap_or(Priority::Medium);
        set.as_str() == word
    }

    fn points(&self) -> String {
        self.draft.as_ref().and_then(|draft| draft.story_points).map(|points| points.to_string()).unwrap_or_default()
    }

    fn description(&self) -> &str {
        self.draft.as_ref().and_then(|draft| draft.description.as_deref()).unwrap_or_default()
    }
}

fn path(proposal: &Proposal) -> String {
    format!("/projects/{}/proposals/{}", proposal.project, proposal.id)
}

/// A proposal whose drafts the person may change; if it is none any more, its page says so.
async fn open(desk: &Desk) -> Result<Result<(Reading, Proposal), Answer>, Fault> {
    let id: ProposalId = desk.id("proposal")?;
    let _: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Proposal, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let proposal = reads.proposal(&call.scope, id).await?.ok_or(Fault::Missing)?;
    if proposal.status != ProposalStatus::Draft {
        return Ok(Err(answer::see_other(&path(&proposal))));
    }
    Ok(Ok((reading, proposal)))
}

/// `GET /projects/{project}/proposals/{proposal}/documents/new`.
pub(crate) async fn new_document(desk: &Desk) -> Result<Answer, Fault> {
    match open(desk).await? {
        Ok((reading, proposal)) => show_document(desk, &reading, proposal, None),
        Err(elsewhere) => Ok(elsewhere),
    }
}

/// `GET /projects/{project}/proposals/{proposal}/documents/{draft}`.
pub(crate) async fn document(desk: &Desk) -> Result<Answer, Fault> {
    let draft: DraftId = desk.id("draft")?;
    let (mut reading, proposal) = match open(desk).await? {
        Ok(open) => open,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let (call, reads) = reading.parts();
    let draft = reads.document_draft(&call.scope, proposal.id, draft).await?.ok_or(Fault::Missing)?;
    show_document(desk, &reading, proposal, Some(draft))
}

fn show_document(
    desk: &Desk,
    reading: &Reading,
    proposal: Proposal,
    draft: Option<DocumentDraft>,
) -> Result<Answer, Fault> {
    let title = desk.say(if draft.is_some() { "document-draft-edit" } else { "document-draft-new" });
    let f = desk.project_frame(reading, title, Tab::Proposals);
    answer::page(StatusCode::OK, &DocumentPage { f, proposal, draft })
}

/// `GET /projects/{project}/proposals/{proposal}/tasks/new`.
pub(crate) async fn new_task(desk: &Desk) -> Result<Answer, Fault> {
    match open(desk).await? {
        Ok((reading, proposal)) => show_task(desk, reading, proposal, None).await,
        Err(elsewhere) => Ok(elsewhere),
    }
}

/// `GET /projects/{project}/proposals/{proposal}/tasks/{draft}`.
pub(crate) async fn task(desk: &Desk) -> Result<Answer, Fault> {
    let draft: DraftId = desk.id("draft")?;
    let (mut reading, proposal) = match open(desk).await? {
        Ok(open) => open,
        Err(elsewhere) => return Ok(elsewhere),
    };
    let (call, reads) = reading.parts();
    let draft = reads.task_draft(&call.scope, proposal.id, draft).await?.ok_or(Fault::Missing)?;
    show_task(desk, reading, proposal, Some(draft)).await
}

async fn show_task(
    desk: &Desk,
    mut reading: Reading,
    proposal: Proposal,
    draft: Option<TaskDraft>,
) -> Result<Answer, Fault> {
    let (call, reads) = reading.parts();
    let all = reads.task_drafts(&call.scope, proposal.id, DraftBodies::Omitted).await?;
    let chosen = |id: &DraftId| draft.as_ref().is_some_and(|draft| draft.depends_on.contains(id));
    let others = all
        .into_iter()
        .filter(|other| draft.as_ref().is_none_or(|draft| draft.id != other.id))
        .map(|other| Other { chosen: chosen(&other.id), id: other.id, title: other.title })
        .collect();
    let written = draft.iter().flat_map(|draft| &draft.criteria).map(|one| (one.description.clone(), one.required));
    let criteria = written.chain(std::iter::repeat_n((String::new(), true), SPARE)).collect();
    let title = desk.say(if draft.is_some() { "task-draft-edit" } else { "task-draft-new" });
    let f = desk.project_frame(&reading, title, Tab::Proposals);
    answer::page(StatusCode::OK, &TaskPage { f, proposal, draft, criteria, others })
}
