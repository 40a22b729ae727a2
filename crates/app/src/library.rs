//! Use cases: what a client can show of Chorus beside its tools. Nothing here is read in another way than the tools read
//! it, and nothing is written.

use std::collections::BTreeSet;

use chorus_domain::{Kind, Subject, project::Project, session::fresh_since};
use chorus_ids::{PageSize, ProjectId, Timestamp, Uuid};
use chorus_store::{AgentProfile, Page, PageRequest, Position, ProjectSummary, Reads, Result, Row, TrackedTask};
use chorus_visibility::{Level, level};

use crate::{
    Call,
    tracker::{self, IdeaLine, Part},
};

/// Most rows of a section in one part of the shelf.
const ROWS: u32 = 50;

/// Most projects that [`standing`] shows.
const PROJECTS: u32 = 100;

/// The sections of the shelf, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Ideas that the caller or its owner holds and that are not done, latest updated first.
    Ideas,
    /// Unfinished tasks that they hold: high, medium, low; most recently assigned first.
    Tasks,
    /// Projects that the caller sees, latest updated first.
    Projects,
}

/// Something on the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is: an idea, a task or a project.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// Its project; a project's own.
    pub project: ProjectId,
    /// What the project is called.
    pub project_name: String,
    /// What it is called.
    pub title: String,
    /// How far it is; nothing of a project.
    pub status: Option<&'static str>,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A part of the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// What is on it. There may be nothing although more follows.
    pub items: Vec<Item>,
    /// Behind which place the next part begins; nothing at the end.
    pub next: Option<(Section, Position)>,
}

/// Those of these things that are in the project named with them and that the caller sees, in one statement.
pub async fn seen(
    call: &Call,
    reads: &mut dyn Reads,
    things: &[(Kind, Uuid, ProjectId)],
) -> Result<Vec<(Kind, Uuid, ProjectId)>> {
    let principal = &call.caller.principal;
    let wanted: BTreeSet<(Kind, Uuid)> = things.iter().map(|(kind, id, _)| (*kind, *id)).collect();
    let wanted: Vec<_> = wanted.into_iter().collect();
    let found = reads.directory().locate(principal, &wanted).await?;
    let visible = found.into_iter().filter(|found| level(principal, &found.facts) > Level::None);
    Ok(visible
        .map(|found| (found.kind, found.id, found.facts.project))
        .filter(|thing| things.contains(thing))
        .collect())
}

/// A part of what the caller is likely to open: its work, then its projects. All of it is narrowed to what the client
/// asked for. The number of statements does not grow with the rows.
///
/// # Errors
/// `Internal` for the operator.
pub async fn shelf(call: &Call, reads: &mut dyn Reads, after: Option<(Section, Position)>) -> Result<Stretch> {
    let scope = tracker::narrowed(call, reads).await?;
    let holders = tracker::holders(call)?;
    let (section, mut place) = after.map_or((Section::Ideas, None), |(section, place)| (section, Some(place)));
    let mut items = Vec::new();
    if section == Section::Ideas {
        let Part { rows, next } = tracker::ideas(reads, &scope, &holders, place.take(), ROWS).await?;
        items.extend(rows.into_iter().map(|row| of_idea(row.item)));
        if let Some(next) = next {
            return Ok(Stretch { items, next: Some((Section::Ideas, next)) });
        }
    }
    if section != Section::Projects {
        let Part { rows, next } = tracker::tasks(reads, &scope, &holders, place.take(), ROWS).await?;
        items.extend(rows.into_iter().map(|row| of_task(row.item)));
        if let Some(next) = next {
            return Ok(Stretch { items, next: Some((Section::Tasks, next)) });
        }
    }
    let size = size(ROWS);
    let request = place.map_or(PageRequest::first(size), |place| PageRequest::after(place, size));
    let Page { rows, more, .. } = reads.projects(&scope, &request).await?;
    let next = rows.last().filter(|_| more).map(|row| (Section::Projects, row.at));
    items.extend(rows.into_iter().map(|row| of_project(row.item.project)));
    Ok(Stretch { items, next })
}

fn size(rows: u32) -> PageSize {
    PageSize::new(rows).unwrap_or_default()
}

fn of_idea(IdeaLine { idea, project_name, derived, .. }: IdeaLine) -> Item {
    Item {
        kind: Kind::Idea,
        id: idea.id.uuid(),
        project: idea.project,
        project_name,
        title: idea.title,
        status: Some(derived.status.as_str()),
        updated_at: idea.updated_at,
    }
}

fn of_task(TrackedTask { task, project_name, .. }: TrackedTask) -> Item {
    Item {
        kind: Kind::Task,
        id: task.id.uuid(),
        project: task.project,
        project_name,
        title: task.title,
        status: Some(task.status.as_str()),
        updated_at: task.updated_at,
    }
}

fn of_project(project: Project) -> Item {
    Item {
        kind: Kind::Project,
        id: project.id.uuid(),
        project: project.id,
        project_name: project.name.clone(),
        title: project.name,
        status: None,
        updated_at: project.updated_at,
    }
}

/// Who the caller is, and what it may do where.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The agent with its owner; nothing of a person, who has no presets.
    pub profile: Option<AgentProfile>,
    /// The projects that it sees with its level there, latest updated first, narrowed to what the client asked for.
    pub projects: Vec<(Project, Level)>,
    /// How many more there are.
    pub more_projects: u64,
}

/// Who the caller is, and what it may do where. No books are kept of that.
///
/// # Errors
/// What the store reports.
pub async fn standing(call: &Call, reads: &mut dyn Reads) -> Result<Standing> {
    let profile = match call.caller.subject {
        Subject::Agent(agent) => reads.directory().profile(agent, fresh_since(call.now)).await?,
        Subject::User(_) | Subject::Operator => None,
    };
    let scope = tracker::narrowed(call, reads).await?;
    let page = reads.projects(&scope, &PageRequest::first(size(PROJECTS))).await?;
    let more_projects = page.total.saturating_sub(page.rows.len() as u64);
    let things: Vec<(Kind, Uuid)> = page.rows.iter().map(|row| (Kind::Project, row.item.project.id.uuid())).collect();
    let located =
        if things.is_empty() { Vec::new() } else { reads.directory().locate(&call.caller.principal, &things).await? };
    let level_in = |project: &Project| {
        let place = located.iter().find(|place| place.id == project.id.uuid());
        place.map_or(Level::None, |place| level(&call.caller.principal, &place.facts))
    };
    let with_level = |Row { item: ProjectSummary { project, .. }, .. }: Row<ProjectSummary>| {
        let level = level_in(&project);
        (project, level)
    };
    // Whoever lost access between the two statements does not see it any more.
    let projects = page.rows.into_iter().map(with_level).filter(|(_, level)| *level > Level::None).collect();
    Ok(Standing { profile, projects, more_projects })
}
