//! What waits for people, and what somebody holds: the whole lists of which the first page shows the beginnings.

use std::collections::BTreeMap;

use askama::Template;
use chorus_app::{home, tracker};
use chorus_domain::Party;
use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Position, Waiting, WaitsFor};
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    link,
    pages::home::Held,
    paging::{self, Paging},
};

/// Something that waits.
pub(crate) struct Line {
    pub(crate) title: String,
    pub(crate) href: Option<String>,
    pub(crate) project: String,
    pub(crate) project_href: Option<String>,
    /// Who holds or made it.
    pub(crate) from: Option<String>,
    pub(crate) since: Timestamp,
}

impl Line {
    pub(crate) fn of(what: WaitsFor, waiting: Waiting, names: &BTreeMap<Party, String>) -> Self {
        Self {
            href: link::to(what.kind(), waiting.id, Some(waiting.project)),
            project_href: Some(format!("/projects/{}", waiting.project)),
            from: waiting.from.and_then(|party| names.get(&party).cloned()),
            title: waiting.title,
            project: waiting.project_name,
            since: waiting.since,
        }
    }
}

/// The name of a list in paths and texts.
pub(crate) const fn slug(what: WaitsFor) -> &'static str {
    match what {
        WaitsFor::Answers => "answers",
        WaitsFor::Review => "review",
        WaitsFor::Verification => "verification",
    }
}

#[derive(Template)]
#[template(path = "waiting.html")]
struct WaitingPage {
    f: Frame,
    slug: &'static str,
    total: u64,
    lines: Vec<Line>,
    paging: Paging,
}

/// `GET /waiting/{what}`.
pub(crate) async fn waiting(desk: &Desk) -> Result<Answer, Fault> {
    let place = desk.places.iter().find(|(name, _)| name == "what").map_or("", |(_, word)| word);
    let what = WaitsFor::ALL.into_iter().find(|what| slug(*what) == place).ok_or(Fault::Missing)?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let (page, names) = found(home::waiting(call, reads, what, &paging::request(&desk.query)).await)?;
    let paging = Paging::of(desk, &page);
    let title = desk.texts.say(&format!("wait-{}", slug(what)), &[]).into_owned();
    let page = WaitingPage {
        f: desk.frame(&reading, title, Section::Home),
        slug: slug(what),
        total: page.total,
        lines: page.rows.into_iter().map(|row| Line::of(what, row.item, &names)).collect(),
        paging,
    };
    answer::page(StatusCode::OK, &page)
}

#[derive(Template)]
#[template(path = "mine.html")]
struct Mine {
    f: Frame,
    ideas: Vec<Held>,
    tasks: Vec<Held>,
    /// Where the lists go on.
    more_ideas: Option<String>,
    more_tasks: Option<String>,
}

/// `GET /mine`: everything that the person holds and that is not finished.
pub(crate) async fn mine(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let holders = found(tracker::holders(call))?;
    let after = |name| desk.query.get(name).and_then(read_place);
    let ideas = found(tracker::ideas(reads, &call.scope, &holders, after("ideas"), paging::ROWS).await)?;
    let tasks = found(tracker::tasks(reads, &call.scope, &holders, after("tasks"), paging::ROWS).await)?;
    let more = |name: &str, next: Option<Position>| next.map(|place| format!("/mine?{name}={}", written(place)));
    let page = Mine {
        f: desk.frame(&reading, desk.say("mine-title"), Section::Home),
        more_ideas: more("ideas", ideas.next),
        more_tasks: more("tasks", tasks.next),
        ideas: ideas.rows.iter().map(|row| Held::idea(&row.item)).collect(),
        tasks: tasks.rows.iter().map(|row| Held::task(&row.item)).collect(),
    };
    answer::page(StatusCode::OK, &page)
}

/// A place in a list as it stands in a query.
fn written(place: Position) -> String {
    format!("{}.{}.{}", place.rank, place.at.micros(), place.id)
}

fn read_place(text: &str) -> Option<Position> {
    let mut parts = text.splitn(3, '.');
    let (rank, at, id) =
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse::<Uuid>().ok()?);
    Some(Position { rank, at: Timestamp::from_micros(at), id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_list_is_read_as_it_was_written() {
        let place = Position { rank: 2, at: Timestamp::from_micros(1_767_225_600_123_457), id: Uuid::from_u128(7) };
        assert_eq!(read_place(&written(place)), Some(place));
        for broken in ["", "1", "1.2", "1.2.x", "x.2.00000000-0000-0000-0000-000000000007"] {
            assert_eq!(read_place(broken), None, "{broken}");
        }
    }
}
