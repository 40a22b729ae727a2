//! `GET /projects/{project}/ideas/{idea}`: an idea, the questions about it, and what came of it.

use askama::Template;
use chorus_app::{elaboration as questions, idea as app};
use chorus_domain::{Kind, Party};
use chorus_ids::{IdeaId, PageSize, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    idea::{BadgeHint, IdeaStatus},
    proposal::ProposalStatus,
};
use chorus_store::{PageRequest, TaskFilter};
use chorus_visibility::Need;
use http::StatusCode;

use super::{
    Tile,
    elaboration::{Asked, Ways, asked, parties, ways},
    overview::says_more,
};
use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Tab},
    html::Html,
    pages::{evidence::Evidence, history::History, names::Names, talk::Talk},
};

/// Tasks that are listed with an idea; a link leads to the others.
const TASKS: u32 = 20;

#[derive(Template)]
#[template(path = "ideas/idea.html")]
struct IdeaPage {
    f: Frame,
    project: ProjectId,
    id: IdeaId,
    path: String,
    tile: Tile,
    says_more: bool,
    stored: &'static str,
    content: Option<Html>,
    version: i32,
    created_by: String,
    created_at: Timestamp,
    held_since: Option<Timestamp>,
    mine: bool,
    free: bool,
    parent: Option<(IdeaId, String)>,
    children: Vec<Tile>,
    child_count: u64,
    /// Of a theme's children, those that are done, and all.
    progress: Option<(u64, u64)>,
    rounds: Vec<Asked>,
    ways: Ways,
    proposals: Vec<Named>,
    tasks: Vec<Named>,
    task_count: u64,
    /// The proposal that the tasks are of.
    approved: Option<ProposalId>,
    documents: Vec<(Uuid, String, &'static str)>,
    reports: Vec<(Uuid, String, Html)>,
    evidence: Evidence,
    talk: Talk,
    history: History,
}

/// Something with a title and a status.
struct Named {
    id: Uuid,
    title: String,
    status: &'static str,
}

impl IdeaPage {
    /// What is to be done next, as a key of the catalogue.
    fn next(&self) -> &'static str {
        match self.tile.badge.parse() {
            Ok(BadgeHint::AnswerQuestions) => "idea-next-answer",
            Ok(BadgeHint::ReviewProposal) => "idea-next-review",
            Ok(BadgeHint::VerifyWork) => "idea-next-verify-work",
            Ok(BadgeHint::Open) => "idea-next-open",
            Ok(BadgeHint::Researching) if self.ways.verify => "idea-next-verify",
            Ok(BadgeHint::Researching) => "idea-next-researching",
            Ok(BadgeHint::Planning) => "idea-next-planning",
            Ok(BadgeHint::Building) => "idea-next-building",
            Ok(BadgeHint::Done) | Err(_) => "idea-next-done",
        }
    }

    /// The proposals that wait for a decision.
    fn pending(&self) -> impl Iterator<Item = &Named> {
        self.proposals.iter().filter(|proposal| proposal.status == ProposalStatus::Pending.as_str())
    }
}

/// `GET /projects/{project}/ideas/{idea}`.
pub(crate) async fn idea(desk: &Desk) -> Result<Answer, Fault> {
    let (given, id): (ProjectId, IdeaId) = (desk.id("project")?, desk.id("idea")?);
    let mut reading = desk.read_about(Kind::Idea, id.uuid(), Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let detail = app::read(call, reads, id).await?;
    let found = &detail.summary.idea;
    let project = found.project;
    if project != given {
        return Ok(answer::see_other(&format!("/projects/{project}/ideas/{id}")));
    }
    let rounds = questions::read(call, reads, id).await?.rounds;
    let proposals = reads.proposals_naming(&call.scope, &[id.uuid()]).await?;
    let approved = detail.summary.facts.tasks.map(|tally| tally.proposal);
    let (mut tasks, mut documents) = (None, Vec::new());
    if let Some(proposal) = approved {
        let filter = TaskFilter { proposals: vec![proposal], ..TaskFilter::default() };
        let some = PageRequest::first(PageSize::new(TASKS).unwrap_or_default());
        tasks = Some(reads.tasks(&call.scope, project, &filter, &some).await?);
        documents = reads.documents_of_proposal(&call.scope, proposal).await?;
    }
    let me = call.party()?;
    let path = format!("/projects/{project}/ideas/{id}");
    let evidence = Evidence::load(&mut reading, (Kind::Idea, id.uuid()), &path).await?;
    let talk = Talk::load(desk, &mut reading, (Kind::Idea, id.uuid()), (project, &path)).await?;
    let history = History::load(desk, &mut reading, (Kind::Idea, id.uuid())).await?;
    let holders =
        detail.children.iter().filter_map(|(child, _)| child.assignee).chain(found.assignee).map(|held| held.to);
    let named: Vec<Party> = holders.chain([found.created_by]).chain(parties(&rounds)).collect();
    let names = Names::of(&mut reading, named).await?;

    let f = desk.project_frame(&reading, &*found.title, Tab::Ideas);
    let progress = detail.child_progress;
    let tile = Tile::of(found, detail.derived, &names);
    let page = IdeaPage {
        project,
        id,
        says_more: says_more(tile.badge),
        tile,
        stored: found.status.as_str(),
        content: found.content.as_deref().map(|text| f.md(text)),
        version: found.version,
        created_by: names.get(found.created_by),
        created_at: found.created_at,
        held_since: found.assignee.map(|held| held.at),
        mine: found.assignee.is_some_and(|held| held.to == me),
        free: found.assignee.is_none() && found.status != IdeaStatus::Elaborated,
        parent: detail.parent.map(|parent| (parent.id, parent.title)),
        children: detail.children.iter().map(|(child, derived)| Tile::of(child, *derived, &names)).collect(),
        child_count: detail.child_count as u64,
        progress: (found.is_container && progress.total > 0)
            .then(|| (u64::from(progress.done), u64::from(progress.total))),
        ways: ways(found, &rounds),
        rounds: asked(&rounds, &names),
        proposals: proposals
            .into_iter()
            .map(|used| Named { id: used.proposal.uuid(), title: used.title, status: used.status.as_str() })
            .collect(),
        task_count: tasks.as_ref().map_or(0, |page| page.total),
        tasks: tasks
            .into_iter()
            .flat_map(|page| page.rows)
            .map(|row| Named { id: row.item.id.uuid(), title: row.item.title, status: row.item.status.as_str() })
            .collect(),
        approved,
        documents: documents
            .into_iter()
            .map(|document| (document.id.uuid(), document.title, document.kind.as_str()))
            .collect(),
        reports: detail
            .reports
            .into_iter()
            .map(|report| (report.id.uuid(), report.title, f.md(report.content.as_deref().unwrap_or_default())))
            .collect(),
        evidence,
        talk,
        history,
        path,
        f,
    };
    answer::page(StatusCode::OK, &page)
}
