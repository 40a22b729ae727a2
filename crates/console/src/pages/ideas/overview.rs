//! `GET /projects/{project}`: the ideas of a project by whose turn it is, as a tree, or as a list; and its numbers.

use askama::Template;
use chorus_app::{
    idea::{self, IdeaFilter, IdeaRow, OVERVIEW},
    project,
};
use chorus_domain::{Kind, Party};
use chorus_ids::{PageSize, ProjectId};
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
    pages::{
        names::Names,
        pager::{Pager, ROWS},
    },
};

/// Ideas in a column of the board; a link leads to the others.
const COLUMN: usize = 50;
/// Ideas that nothing is above, on a page of the tree.
const ROOTS: usize = 50;

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
}

/// How the ideas are shown.
enum View {
    Board(Vec<Column>),
    Tree(Vec<Step>, Pager),
    List { of: Option<&'static str>, tiles: Vec<Tile>, pager: Pager },
}

impl View {
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
    let counts = summary.counts;
    let waits = |row: &&IdeaRow| row.derived.status == DerivedStatus::HumanConductRequired;
    let numbers = Numbers {
        ideas: counts.ideas,
        waiting: rows.iter().filter(waits).count() as u64,
        proposals: counts.proposals,
        documents: counts.documents,
        tasks: counts.tasks,
        finished,
    };
    let beyond = if rows.len() < OVERVIEW as usize { 0 } else { counts.ideas.saturating_sub(rows.len() as u64) };
    let view = match desk.query.get("view") {
        Some("tree") => tree(desk, &mut reading, id, &rows).await?,
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

async fn tree(desk: &Desk, reading: &mut Reading, id: ProjectId, rows: &[IdeaRow]) -> Result<View, Fault> {
    let page = Pager::asked(desk);
    let names = Names::of(reading, holders(rows.iter())).await?;
    let first = (page as usize - 1).saturating_mul(ROOTS);
    let (steps, more) = walk(rows, first, ROOTS, |row| tile(row, &names));
    Ok(View::Tree(steps, Pager::new(page, more, &format!("/projects/{id}?view=tree"))))
}

/// One column as a list, or all ideas of the project, newest first, however many there are.
async fn list(desk: &Desk, reading: &mut Reading, id: ProjectId, rows: Vec<IdeaRow>) -> Result<View, Fault> {
    let page = Pager::asked(desk);
    let of = desk.query.get("of").and_then(|word| word.parse::<DerivedStatus>().ok());
    let (rows, more, base) = match of {
        Some(status) => {
            let skipped = (page as usize - 1).saturating_mul(ROWS as usize);
            let mut rows: Vec<IdeaRow> = rows
                .into_iter()
                .filter(|row| row.derived.status == status)
                .skip(skipped)
                .take(ROWS as usize + 1)
                .collect();
            let more = rows.len() > ROWS as usize;
            rows.truncate(ROWS as usize);
            (rows, more, format!("/projects/{id}?view=list&of={}", status.as_str()))
        }
        None => {
            let (call, reads) = reading.parts();
            let found = idea::list(call, reads, (id, IdeaFilter::default()), &Pager::request(page)).await?;
            let rows = found.rows.into_iter().map(|row| row.item).collect();
            (rows, found.more, format!("/projects/{id}?view=list"))
        }
    };
    let names = Names::of(reading, holders(rows.iter())).await?;
    let tiles = rows.iter().map(|row| tile(row, &names)).collect();
    Ok(View::List { of: of.map(DerivedStatus::as_str), tiles, pager: Pager::new(page, more, &base) })
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
