//! `GET /projects/{project}`: the ideas of a project by whose turn it is, as a tree, or as a list; and its numbers.

use std::collections::BTreeSet;

use askama::Template;
use chorus_app::{
    idea::{self, IdeaFilter, IdeaRow, OVERVIEW},
    project,
    session::owned,
};
use chorus_domain::{Kind, Party};
use chorus_ids::{PageSize, ProjectId, SessionId};
use chorus_lifecycle::{
    idea::{BadgeHint, DerivedStatus},
    task::TaskStatus,
};
use chorus_store::{PageRequest, TaskFilter};
use chorus_visibility::Need;
use http::StatusCode;

use super::{
    Tile,
    tree::{Step, walk},
};
use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading},
    fault::Fault,
    frame::{Frame, Tab},
    html::Html,
    pages::names::Names,
    paging::{self, Paging, ROWS},
};

/// Ideas in a column of the board; a link leads to the others.
const COLUMN: usize = 50;
/// Places at which sessions are counted.
const MOST_AT_WORK: u32 = 1_000;
/// Ideas that nothing is above, on a page of the tree.
const ROOTS: u32 = 50;

#[derive(Template)]
#[template(path = "ideas/overview.html")]
struct Overview {
    f: Frame,
    project: ProjectId,
    description: Option<Html>,
    numbers: Numbers,
    view: View,
    /// How many ideas there are beyond those of which board and tree are made.
    beyond: u64,
}

/// A project in numbers.
struct Numbers {
    ideas: u64,
    waiting: u64,
    proposals: u64,
    documents: u64,
    tasks: u64,
    finished: u64,
    /// Sessions of agents that are at a task now.
    at_work: u64,
}

/// How the ideas are shown.
enum View {
    Board(Vec<Column>),
    Tree(Vec<Step>, Paging),
    List { of: Option<&'static str>, tiles: Vec<Tile>, paging: Paging },
}

impl View {
    /// Whether it is made of the ideas that were changed last, not of all.
    fn is_cut(&self) -> bool {
        !matches!(self, Self::List { of: None, .. })
    }

    fn is(&self, name: &str) -> bool {
        name == match self {
            Self::Board(_) => "board",
            Self::Tree(..) => "tree",
            Self::List { .. } => "list",
        }
    }
}

/// A column of the board.
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

/// `GET /projects/{project}`.
pub(crate) async fn overview(desk: &Desk) -> Result<Answer, Fault> {
    let id: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, id.uuid(), Need::Viewer).await?;
    let (call, reads) = reading.parts();
    let summary = project::get(call, reads, id).await?;
    let rows = idea::overview(call, reads, id).await?;
    let finished = TaskFilter { statuses: vec![TaskStatus::Done, TaskStatus::Closed], ..TaskFilter::default() };
    let one = PageRequest::first(PageSize::new(1).unwrap_or_default());
    let finished = reads.tasks(&call.scope, id, &finished, &one).await?.total;
    let places = owned::at_work(call, reads, id, MOST_AT_WORK).await?;
    let sessions: BTreeSet<SessionId> = places.iter().map(|place| place.session.id).collect();
    let counts = summary.counts;
    let waits = |row: &&IdeaRow| row.derived.status == DerivedStatus::HumanConductRequired;
    let numbers = Numbers {
        ideas: counts.ideas,
        waiting: rows.iter().filter(waits).count() as u64,
        proposals: counts.proposals,
        documents: counts.documents,
        tasks: counts.tasks,
        finished,
        at_work: sessions.len() as u64,
    };
    let beyond = if rows.len() < OVERVIEW as usize { 0 } else { counts.ideas.saturating_sub(rows.len() as u64) };
    let view = match desk.query.get("view") {
        Some("tree") => tree(desk, &mut reading, &rows).await?,
        Some("list") => list(desk, &mut reading, id, rows).await?,
        _ => board(&mut reading, &rows).await?,
    };
    let f = desk.project_frame(&reading, &*summary.project.name, Tab::Ideas);
    let description =
        summary.project.description.as_deref().filter(|text| !text.trim().is_empty()).map(|text| f.md(text));
    answer::page(StatusCode::OK, &Overview { f, project: id, description, numbers, view, beyond })
}

async fn board(reading: &mut Reading, rows: &[IdeaRow]) -> Result<View, Fault> {
    let shown: Vec<(DerivedStatus, Vec<&IdeaRow>)> =
        [DerivedStatus::Todo, DerivedStatus::InProgress, DerivedStatus::HumanConductRequired, DerivedStatus::Done]
            .into_iter()
            .map(|status| (status, rows.iter().filter(|row| row.derived.status == status).collect()))
            .collect();
    let names =
        Names::of(reading, holders(shown.iter().flat_map(|(_, rows)| rows.iter().copied().take(COLUMN)))).await?;
    let columns = shown.into_iter().map(|(status, rows)| Column {
        status: status.as_str(),
        count: rows.len() as u64,
        tiles: rows.into_iter().take(COLUMN).map(|row| tile(row, &names)).collect(),
    });
    Ok(View::Board(columns.collect()))
}

async fn tree(desk: &Desk, reading: &mut Reading, rows: &[IdeaRow]) -> Result<View, Fault> {
    let names = Names::of(reading, holders(rows.iter())).await?;
    let first = (paging::number(&desk.query) as usize - 1).saturating_mul(ROOTS as usize);
    let (steps, roots) = walk(rows, first, ROOTS as usize, |row| tile(row, &names));
    Ok(View::Tree(steps, Paging::by(desk, roots as u64, ROOTS)))
}

/// One column as a list, or all ideas of the project, newest first, however many there are.
async fn list(desk: &Desk, reading: &mut Reading, id: ProjectId, rows: Vec<IdeaRow>) -> Result<View, Fault> {
    let of = desk.query.get("of").and_then(|word| word.parse::<DerivedStatus>().ok());
    let (rows, total) = match of {
        Some(status) => {
            let rows: Vec<IdeaRow> = rows.into_iter().filter(|row| row.derived.status == status).collect();
            let (total, first) = (rows.len(), (paging::number(&desk.query) as usize - 1).saturating_mul(ROWS as usize));
            (rows.into_iter().skip(first).take(ROWS as usize).collect(), total as u64)
        }
        None => {
            let (call, reads) = reading.parts();
            let found = idea::list(call, reads, (id, IdeaFilter::default()), &paging::request(&desk.query)).await?;
            (found.rows.into_iter().map(|row| row.item).collect::<Vec<_>>(), found.total)
        }
    };
    let names = Names::of(reading, holders(rows.iter())).await?;
    let tiles = rows.iter().map(|row| tile(row, &names)).collect();
    Ok(View::List { of: of.map(DerivedStatus::as_str), tiles, paging: Paging::new(desk, total) })
}

fn holders<'r>(rows: impl Iterator<Item = &'r IdeaRow>) -> Vec<Party> {
    rows.filter_map(|row| row.summary.idea.assignee).map(|held| held.to).collect()
}

fn tile(row: &IdeaRow, names: &Names) -> Tile {
    Tile::of(&row.summary.idea, row.derived, names)
}

/// Whether a badge says more than the column in which it stands.
pub(super) fn says_more(badge: &str) -> bool {
    badge != BadgeHint::Open.as_str() && badge != BadgeHint::Done.as_str()
}

impl Tile {
    pub(super) fn says_more(&self) -> bool {
        says_more(self.badge)
    }
}
