//! `GET /search`: finding things by words or by id.

use askama::Template;
use chorus_app::{
    project,
    search::{self, Hit, Why},
};
use chorus_domain::{Kind, mention::readable, search::SEARCHED};
use chorus_ids::{GroupId, ProjectId, Timestamp};
use chorus_store::Within;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading, found},
    fault::Fault,
    frame::{Frame, Section},
    link,
};

/// Something that was found.
struct Line {
    kind: &'static str,
    title: String,
    href: Option<String>,
    snippet: String,
    /// The list of words that the status is from, and the word; nothing for kinds without one.
    status: Option<(&'static str, String)>,
    project: Option<String>,
    at: Timestamp,
}

/// A kind to look for.
struct Filter {
    kind: &'static str,
    chosen: bool,
    /// How many there are, once something was looked for.
    count: Option<u64>,
}

#[derive(Template)]
#[template(path = "inbox/search.html")]
struct Search {
    f: Frame,
    query: String,
    /// Where to look: value and what it is called; the first is everything.
    places: Vec<(String, String)>,
    within: String,
    filters: Vec<Filter>,
    results: Vec<Line>,
    /// What stands beside those, without words of the query.
    related: Vec<Line>,
    total: u64,
    /// Whether something was looked for.
    asked: bool,
}

/// `GET /search?q=&in=&type=`. The field `near` names a project whose reader may want to stay there.
pub(crate) async fn search(desk: &Desk) -> Result<Answer, Fault> {
    let query = desk.query.get("q").unwrap_or_default().trim().to_owned();
    let kinds: Vec<Kind> =
        SEARCHED.into_iter().filter(|kind| desk.query.all("type").any(|word| word == kind.as_str())).collect();
    let within = desk.query.get("in").unwrap_or_default();
    let mut reading = desk.read().await?;
    let place = read_place(within);
    let near = desk.query.all("near").filter_map(read_place).last();
    let places = places(desk, &mut reading, place.or(near)).await?;
    let (call, reads) = reading.parts();
    let asked = !query.is_empty();
    let answered = match asked {
        true => {
            Some(found(search::search(call, reads, &query, place.unwrap_or(Within::Everything), kinds.clone()).await)?)
        }
        false => None,
    };
    let count = |kind: Kind| answered.as_ref().map(|found| found.counts.get(&kind).copied().unwrap_or_default());
    let filter = |kind: Kind| Filter { kind: kind.as_str(), chosen: kinds.contains(&kind), count: count(kind) };
    let filters = SEARCHED.map(filter).into();
    let total = answered.as_ref().map_or(0, |found| found.counts.values().sum());
    let hits = answered.into_iter().flat_map(|found| found.hits);
    let (related, results): (Vec<Hit>, Vec<Hit>) = hits.partition(|hit| matches!(hit.why, Why::Beside { .. }));
    let page = Search {
        f: desk.frame(&reading, desk.say("search"), Section::Elsewhere),
        within: place.map(written).unwrap_or_default(),
        query,
        places,
        filters,
        results: results.into_iter().map(Line::of).collect(),
        related: related.into_iter().map(Line::of).collect(),
        total,
        asked,
    };
    answer::page(StatusCode::OK, &page)
}

/// What the form offers beside everything: where the reader is or was.
async fn places(desk: &Desk, reading: &mut Reading, place: Option<Within>) -> Result<Vec<(String, String)>, Fault> {
    let mut places = vec![(String::new(), desk.say("search-everywhere").into_owned())];
    let (call, reads) = reading.parts();
    let (mut group, mut inside) = (None, None);
    match place {
        None | Some(Within::Everything) => {}
        Some(Within::Group(id)) => group = Some(id),
        Some(Within::Project(id)) => match found(project::get(call, reads, id).await) {
            Ok(summary) => {
                group = summary.project.group;
                inside = Some((id, summary.project.name));
            }
            // What is hidden is offered to nobody, and finds nothing.
            Err(Fault::Missing) => {}
            Err(fault) => return Err(fault),
        },
    }
    let group = match group {
        Some(id) => reads.group(&call.scope, id).await?,
        None => None,
    };
    places.extend(group.map(|group| (written(Within::Group(group.id)), group.name)));
    places.extend(inside.map(|(id, name)| (written(Within::Project(id)), name)));
    Ok(places)
}

/// A place as it stands in a query.
fn written(within: Within) -> String {
    match within {
        Within::Everything => String::new(),
        Within::Group(id) => format!("group:{id}"),
        Within::Project(id) => format!("project:{id}"),
    }
}

fn read_place(text: &str) -> Option<Within> {
    let (kind, id) = text.split_once(':')?;
    match kind {
        "group" => id.parse::<GroupId>().ok().map(Within::Group),
        "project" => id.parse::<ProjectId>().ok().map(Within::Project),
        _ => None,
    }
}

impl Line {
    fn of(hit: Hit) -> Self {
        let row = hit.row;
        let project = row.project.as_ref().map(|(id, _)| *id);
        let list = match row.kind {
            Kind::Task => Some("task-status"),
            Kind::Idea => Some("idea-status"),
            Kind::Proposal => Some("proposal-status"),
            _ => None,
        };
        let is_inside = !matches!(row.kind, Kind::Project | Kind::Group);
        Self {
            kind: row.kind.as_str(),
            href: link::to(row.kind, row.id, project),
            status: list.map(|list| (list, row.status.clone())),
            project: row.project.filter(|_| is_inside).map(|(_, name)| name),
            snippet: if hit.snippet == row.title { String::new() } else { readable(&hit.snippet) },
            title: row.title,
            at: row.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for within in [Within::Group(GroupId::from_u128(1)), Within::Project(ProjectId::from_u128(2))] {
            assert_eq!(read_place(&written(within)), Some(within));
        }
        for nothing in ["", "project", "project:x", "company:00000000-0000-0000-0000-000000000001"] {
            assert_eq!(read_place(nothing), None, "{nothing}");
        }
    }
}
