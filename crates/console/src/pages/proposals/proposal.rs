//! `GET /projects/{project}/proposals/{proposal}`: a proposal with its drafts, and the decision about it.

use std::collections::BTreeMap;

use askama::Template;
use chorus_app::proposal::{self as app, Dossier};
use chorus_domain::{
    Kind, Party,
    proposal::{DocumentDraft, Proposal, TaskDraft},
};
use chorus_ids::{DraftId, PageSize, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::proposal::{
    InputType, Issue, Level as Weight, PROPOSAL, ProposalEvent, ProposalStatus, is_valid,
};
use chorus_store::{PageRequest, TaskFilter};
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Tab},
    graph::{self, Edge, Node},
    html::Html,
    pages::{evidence::Evidence, history::History, names::Names, talk::Talk},
};

/// Tasks that are listed with an approved proposal; a link leads to the others.
const TASKS: u32 = 50;
/// Most task drafts that are drawn; more would be a picture of nothing.
const DRAWN: usize = 200;

#[derive(Template)]
#[template(path = "proposals/proposal.html")]
struct ProposalPage {
    f: Frame,
    project: ProjectId,
    id: ProposalId,
    path: String,
    status: ProposalStatus,
    description: Option<Html>,
    raw_description: String,
    version: i32,
    created_by: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    review: Option<Reviewed>,
    from_ideas: bool,
    inputs: Vec<(Uuid, String)>,
    issues: Vec<Issue>,
    documents: Vec<Document>,
    tasks: Vec<Task>,
    graph: Html,
    made: Option<Made>,
    evidence: Evidence,
    talk: Talk,
    history: History,
}

/// The last decision.
struct Reviewed {
    by: String,
    at: Timestamp,
    note: Option<Html>,
}

/// A document draft.
struct Document {
    id: DraftId,
    kind: &'static str,
    title: String,
    text: Html,
}

/// A task draft.
struct Task {
    id: DraftId,
    title: String,
    text: Option<Html>,
    priority: Option<&'static str>,
    points: Option<f64>,
    criteria: Vec<(String, bool)>,
    /// What it waits for: drafts of the proposal, and how many there are not.
    after: Vec<(DraftId, String)>,
    unknown: u64,
}

/// What an approval made.
struct Made {
    tasks: Vec<(Uuid, String, &'static str)>,
    task_count: u64,
    documents: Vec<(Uuid, String, &'static str)>,
}

impl ProposalPage {
    fn status_word(&self) -> &'static str {
        self.status.as_str()
    }

    /// Whether the lifecycle lets this happen now.
    fn can(&self, event: &str) -> bool {
        event.parse::<ProposalEvent>().is_ok_and(|event| PROPOSAL.apply(self.status, event).is_ok())
    }

    fn valid(&self) -> bool {
        is_valid(&self.issues)
    }

    /// Issues matter until something was decided.
    fn shows_issues(&self) -> bool {
        matches!(self.status, ProposalStatus::Draft | ProposalStatus::Pending) && !self.issues.is_empty()
    }
}

/// `GET /projects/{project}/proposals/{proposal}`.
pub(crate) async fn proposal(desk: &Desk) -> Result<Answer, Fault> {
    let (given, id): (ProjectId, ProposalId) = (desk.id("project")?, desk.id("proposal")?);
    let mut reading = desk.read_about(Kind::Proposal, id.uuid(), Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let Dossier { proposal, drafts, issues, inputs } = app::dossier(call, reads, id).await?;
    let project = proposal.project;
    if project != given {
        return Ok(answer::see_other(&format!("/projects/{project}/proposals/{id}")));
    }
    let made = match proposal.status {
        ProposalStatus::Approved => {
            let filter = TaskFilter { proposals: vec![id], ..TaskFilter::default() };
            let some = PageRequest::first(PageSize::new(TASKS).unwrap_or_default());
            let tasks = reads.tasks(&call.scope, project, &filter, &some).await?;
            let documents = reads.documents_of_proposal(&call.scope, id).await?;
            Some(Made {
                task_count: tasks.total,
                tasks: tasks
                    .rows
                    .into_iter()
                    .map(|row| (row.item.id.uuid(), row.item.title, row.item.status.as_str()))
                    .collect(),
                documents: documents.into_iter().map(|made| (made.id.uuid(), made.title, made.kind.as_str())).collect(),
            })
        }
        ProposalStatus::Draft | ProposalStatus::Pending | ProposalStatus::Closed => None,
    };
    let path = format!("/projects/{project}/proposals/{id}");
    let evidence = Evidence::load(&mut reading, (Kind::Proposal, id.uuid()), &path).await?;
    let talk = Talk::load(desk, &mut reading, (Kind::Proposal, id.uuid()), (project, &path)).await?;
    let history = History::load(desk, &mut reading, (Kind::Proposal, id.uuid())).await?;
    let names = Names::of(&mut reading, parties(&proposal)).await?;
    let f = desk.project_frame(&reading, &*proposal.title, Tab::Proposals);
    let page = ProposalPage {
        project,
        id,
        status: proposal.status,
        description: proposal.description.as_deref().map(|text| f.md(text)),
        raw_description: proposal.description.unwrap_or_default(),
        version: proposal.version,
        created_by: names.get(proposal.created_by),
        created_at: proposal.created_at,
        updated_at: proposal.updated_at,
        review: proposal.review.map(|review| Reviewed {
            by: names.get(review.by),
            at: review.at,
            note: review.note.as_deref().map(|note| f.md(note)),
        }),
        from_ideas: proposal.input_type == InputType::Idea,
        inputs,
        issues,
        documents: drafts.documents.iter().map(|draft| document(&f, draft)).collect(),
        graph: drawn(&f, &drafts.tasks),
        tasks: tasks(&f, &drafts.tasks),
        made,
        evidence,
        talk,
        history,
        path,
        f,
    };
    answer::page(StatusCode::OK, &page)
}

fn parties(proposal: &Proposal) -> Vec<Party> {
    [proposal.created_by].into_iter().chain(proposal.review.as_ref().map(|review| review.by)).collect()
}

fn document(f: &Frame, draft: &DocumentDraft) -> Document {
    Document { id: draft.id, kind: draft.kind.as_str(), title: draft.title.clone(), text: f.md(&draft.content) }
}

fn tasks(f: &Frame, drafts: &[TaskDraft]) -> Vec<Task> {
    let titles: BTreeMap<DraftId, &str> = drafts.iter().map(|draft| (draft.id, draft.title.as_str())).collect();
    let task = |draft: &TaskDraft| {
        let after: Vec<(DraftId, String)> =
            draft.depends_on.iter().filter_map(|id| Some((*id, (*titles.get(id)?).to_owned()))).collect();
        Task {
            id: draft.id,
            title: draft.title.clone(),
            text: draft.description.as_deref().map(|text| f.md(text)),
            priority: draft.priority.map(|priority| priority.as_str()),
            points: draft.story_points,
            criteria: draft.criteria.iter().map(|one| (one.description.clone(), one.required)).collect(),
            unknown: draft.depends_on.len().saturating_sub(after.len()) as u64,
            after,
        }
    };
    drafts.iter().map(task).collect()
}

/// What waits for what, as a picture; nothing where nothing waits.
fn drawn(f: &Frame, drafts: &[TaskDraft]) -> Html {
    let drafts = drafts.get(..drafts.len().min(DRAWN)).unwrap_or_default();
    let places: BTreeMap<DraftId, usize> = drafts.iter().enumerate().map(|(at, draft)| (draft.id, at)).collect();
    let edges: Vec<Edge> = drafts
        .iter()
        .enumerate()
        .flat_map(|(after, draft)| {
            draft.depends_on.iter().filter_map(|id| places.get(id)).map(move |before| Edge { before: *before, after })
        })
        .collect();
    if edges.is_empty() {
        return Html::default();
    }
    let nodes: Vec<Node> = drafts
        .iter()
        .map(|draft| {
            let priority = draft.priority.map(|priority| f.word("priority", priority.as_str()));
            Node {
                title: draft.title.clone(),
                note: priority.unwrap_or_default(),
                tone: "draft",
                href: format!("#draft-{}", draft.id),
            }
        })
        .collect();
    graph::draw(&nodes, &edges, &f.t("graph-of-drafts"))
}

impl ProposalPage {
    /// What is lacking, in the reader's language.
    fn lack(&self, issue: &Issue) -> String {
        let key = format!("lack-{}", issue.id.to_lowercase());
        self.f.tv(&key, "field", issue.field.as_deref().unwrap_or_default())
    }

    fn weight(&self, issue: &Issue) -> &'static str {
        match issue.level {
            Weight::Error => "error",
            Weight::Warning => "warning",
            Weight::Info => "info",
        }
    }
}
