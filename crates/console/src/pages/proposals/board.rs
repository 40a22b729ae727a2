//! `GET /projects/{project}/proposals` and `/new`: the proposals of a project by status, and from what a new one starts.

use askama::Template;
use chorus_app::document;
use chorus_domain::{Kind, Party, proposal::Proposal};
use chorus_ids::{DocumentId, IdeaId, PageSize, ProjectId, ProposalId, Timestamp, Uuid};
use chorus_lifecycle::{
    idea::IdeaStatus,
    proposal::{InputType, ProposalStatus},
};
use chorus_store::PageRequest;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading},
    fault::Fault,
    frame::{Frame, Tab},
    pages::names::Names,
    paging::{self, Paging},
};

#[derive(Template)]
#[template(path = "proposals/board.html")]
struct Board {
    f: Frame,
    project: ProjectId,
    columns: Vec<Column>,
    /// The pages of the only column, where one is asked for.
    paging: Option<Paging>,
}

/// The proposals of one status.
struct Column {
    status: &'static str,
    count: u64,
    tiles: Vec<Tile>,
}

impl Column {
    fn more(&self) -> u64 {
        self.count.saturating_sub(self.tiles.len() as u64)
    }
}

/// A proposal where there is little room.
struct Tile {
    id: ProposalId,
    title: String,
    by: String,
    updated: Timestamp,
    /// It went back to draft.
    returned: bool,
}

impl Board {
    fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.count == 0)
    }
}

/// `GET /projects/{project}/proposals`; `?status=closed` has all of one status, by pages.
pub(crate) async fn board(desk: &Desk) -> Result<Answer, Fault> {
    let project: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, project.uuid(), Need::Viewer).await?;
    let only = desk.query.get("status").and_then(|word| word.parse::<ProposalStatus>().ok());
    let request = paging::nth(if only.is_some() { paging::number(&desk.query) } else { 1 });
    let statuses = match only {
        Some(status) => vec![status],
        None => vec![ProposalStatus::Draft, ProposalStatus::Pending, ProposalStatus::Approved, ProposalStatus::Closed],
    };
    let mut found: Vec<(ProposalStatus, u64, Vec<Proposal>)> = Vec::new();
    for status in statuses {
        let (call, reads) = reading.parts();
        let listed = reads.proposals(&call.scope, project, Some(status), &request).await?;
        found.push((status, listed.total, listed.rows.into_iter().map(|row| row.item).collect()));
    }
    let makers: Vec<Party> =
        found.iter().flat_map(|(_, _, rows)| rows.iter().map(|proposal| proposal.created_by)).collect();
    let names = Names::of(&mut reading, makers).await?;
    let total = found.first().map_or(0, |(_, total, _)| *total);
    let paging = only.map(|_| Paging::new(desk, total));
    let columns = found.into_iter().map(|(status, count, rows)| Column {
        status: status.as_str(),
        count,
        tiles: rows
            .into_iter()
            .map(|proposal| Tile {
                id: proposal.id,
                by: names.get(proposal.created_by),
                updated: proposal.updated_at,
                returned: status == ProposalStatus::Draft && proposal.review.is_some(),
                title: proposal.title,
            })
            .collect(),
    });
    let columns = columns.collect();
    let f = desk.project_frame(&reading, desk.say("tab-proposals"), Tab::Proposals);
    answer::page(StatusCode::OK, &Board { f, project, columns, paging })
}

#[derive(Template)]
#[template(path = "proposals/fresh.html")]
struct Fresh {
    f: Frame,
    project: ProjectId,
    input_type: &'static str,
    sources: Vec<Source>,
    more: bool,
}

/// What a proposal can start from.
struct Source {
    id: Uuid,
    title: String,
    chosen: bool,
}

/// `GET /projects/{project}/proposals/new`; `?from=document` offers documents instead of ideas, `?idea=` chooses one.
pub(crate) async fn fresh(desk: &Desk) -> Result<Answer, Fault> {
    let project: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, project.uuid(), Need::Editor).await?;
    let from = match desk.query.get("from") {
        Some("document") => InputType::Document,
        _ => InputType::Idea,
    };
    let chosen: Option<Uuid> =
        desk.query.get("idea").or_else(|| desk.query.get("document")).and_then(|id| id.parse().ok());
    let (sources, more) = sources(&mut reading, project, (from, chosen)).await?;
    let f = desk.project_frame(&reading, desk.say("proposal-new-title"), Tab::Proposals);
    answer::page(StatusCode::OK, &Fresh { f, project, input_type: from.as_str(), sources, more })
}

/// The elaborated ideas that are no themes, or the documents, latest first; what was chosen stands before them.
async fn sources(
    reading: &mut Reading,
    project: ProjectId,
    (from, chosen): (InputType, Option<Uuid>),
) -> Result<(Vec<Source>, bool), Fault> {
    let (call, reads) = reading.parts();
    let some = PageRequest::first(PageSize::MAX);
    let source = |id: Uuid, title: String| Source { id, title, chosen: chosen == Some(id) };
    let (mut sources, more): (Vec<Source>, bool) = match from {
        InputType::Idea => {
            let page = reads.ideas(&call.scope, project, Some(IdeaStatus::Elaborated), &some).await?;
            let ideas = page.rows.into_iter().map(|row| row.item.idea).filter(|idea| !idea.is_container);
            (ideas.map(|idea| source(idea.id.uuid(), idea.title)).collect(), page.more)
        }
        InputType::Document => {
            let page = document::list(call, reads, (project, None), &some).await?;
            (page.rows.into_iter().map(|row| source(row.item.id.uuid(), row.item.title)).collect(), page.more)
        }
    };
    if let Some(chosen) = chosen.filter(|chosen| !sources.iter().any(|source| source.id == *chosen)) {
        let title = match from {
            InputType::Idea => reads.idea(&call.scope, IdeaId::from_uuid(chosen)).await?.map(|idea| idea.title),
            InputType::Document => {
                reads.document_titles(&call.scope, &[DocumentId::from_uuid(chosen)]).await?.pop().map(|found| found.1)
            }
        };
        sources.splice(0..0, title.map(|title| source(chosen, title)));
    }
    Ok((sources, more))
}
