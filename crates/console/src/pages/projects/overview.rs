//! `GET /projects`: groups with their projects, and those in no group; `GET /projects/all`: a list of them.

use std::collections::BTreeSet;

use askama::Template;
use chorus_app::{group, home};
use chorus_ids::{GroupId, PageSize, ProjectId};
use chorus_store::{PageRequest, ProjectProgress, ProjectsWithin, Start};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    pages::projects::at_hand::AtHand,
    paging::{self, Paging},
};

/// Projects of each group that the overview shows; the list has all.
const EACH: u32 = 12;
/// Groups of a page.
const GROUPS: u32 = 20;

/// A project as a card.
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) about: Option<String>,
    pub(crate) private: bool,
    pub(crate) ideas: u64,
    pub(crate) proposals: u64,
    pub(crate) documents: u64,
    pub(crate) tasks: u64,
    pub(crate) finished: u64,
    /// Whether it can be dragged onto a group.
    pub(crate) movable: bool,
}

impl Card {
    pub(crate) fn of(row: ProjectProgress) -> Self {
        Self {
            id: row.project.id.to_string(),
            name: row.project.name,
            about: row.project.description.as_deref().map(|text| chorus_domain::text::shorten(text, 160)),
            private: row.project.visibility == chorus_visibility::Visibility::Private,
            ideas: row.ideas,
            proposals: row.proposals,
            documents: row.documents,
            tasks: row.tasks,
            finished: row.finished_tasks,
            movable: false,
        }
    }

    /// The same where there are groups to drag it onto, if it is one of these.
    fn among(row: ProjectProgress, managed: &BTreeSet<ProjectId>) -> Self {
        let movable = managed.contains(&row.project.id);
        Self { movable, ..Self::of(row) }
    }
}

/// A group with the first of its projects.
struct GroupCards {
    id: GroupId,
    name: String,
    about: String,
    private: bool,
    /// All its visible projects.
    total: u64,
    cards: Vec<Card>,
}

#[derive(Template)]
#[template(path = "projects/overview.html")]
struct Overview {
    f: Frame,
    groups: Vec<GroupCards>,
    /// How many groups there are altogether.
    group_total: u64,
    loose: Vec<Card>,
    loose_total: u64,
    paging: Paging,
    near: AtHand,
}

/// `GET /projects`.
pub(crate) async fn overview(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let number = paging::number(&desk.query);
    let request = PageRequest { start: Start::Page(number), size: PageSize::new(GROUPS).unwrap_or_default() };
    let (groups, heads) = found(home::grouped(call, reads, &request, EACH).await)?;
    let loose_total = found(group::ungrouped(call, reads).await)?;
    let managed = found(home::managed(call, reads, heads.iter().map(|head| head.project.id)).await)?;
    let (loose, mut inside): (Vec<_>, Vec<_>) = heads.into_iter().partition(|head| head.project.group.is_none());
    let of = |row: chorus_store::GroupSummary, inside: &mut Vec<ProjectProgress>| {
        let (own, others) =
            std::mem::take(inside).into_iter().partition(|head| head.project.group == Some(row.group.id));
        *inside = others;
        let own: Vec<ProjectProgress> = own;
        GroupCards {
            id: row.group.id,
            name: row.group.name,
            about: chorus_domain::text::shorten(&row.group.description, 240),
            private: row.group.visibility == chorus_visibility::Visibility::Private,
            total: row.projects,
            cards: own.into_iter().map(|row| Card::among(row, &managed)).collect(),
        }
    };
    let group_total = groups.total;
    // Groups have pages of their own size.
    let paging = Paging::by(desk, groups.total, GROUPS);
    let groups = groups.rows.into_iter().map(|row| of(row.item, &mut inside)).collect();
    let near = AtHand::load(&mut reading).await?;
    let f = desk.frame(&reading, desk.say("nav-projects"), Section::Projects);
    let loose = loose.into_iter().map(|row| Card::among(row, &managed)).collect();
    answer::page(StatusCode::OK, &Overview { f, groups, group_total, loose, loose_total, paging, near })
}

#[derive(Template)]
#[template(path = "projects/all.html")]
struct All {
    f: Frame,
    /// The group whose projects are listed.
    group: Option<(GroupId, String)>,
    total: u64,
    cards: Vec<Card>,
    paging: Paging,
}

/// `GET /projects/all`: every visible project, those of a group (`?group=`) or those in none (`?group=none`).
pub(crate) async fn all(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let within = match desk.query.filled("group") {
        None => ProjectsWithin::Everything,
        Some("none") => ProjectsWithin::NoGroup,
        Some(id) => ProjectsWithin::Group(id.parse().map_err(|_| Fault::Missing)?),
    };
    let group = match within {
        ProjectsWithin::Group(id) => {
            let group = reads.group(&call.scope, id).await?.ok_or(Fault::Missing)?;
            Some((id, group.name))
        }
        ProjectsWithin::Everything | ProjectsWithin::NoGroup => None,
    };
    let page = found(home::projects(call, reads, within, &paging::request(&desk.query)).await)?;
    let title = match (&group, within) {
        (Some((_, name)), _) => name.clone(),
        (None, ProjectsWithin::NoGroup) => desk.say("projects-loose").into_owned(),
        (None, _) => desk.say("projects-all").into_owned(),
    };
    let paging = Paging::of(desk, &page);
    let f = desk.frame(&reading, title, Section::Projects);
    let (total, rows) = (page.total, page.rows);
    let cards = rows.into_iter().map(|row| Card::of(row.item)).collect();
    answer::page(StatusCode::OK, &All { f, group, total, cards, paging })
}
