//! `GET /projects/new`: making a project.

use askama::Template;
use chorus_app::group;
use chorus_ids::{GroupId, PageSize};
use chorus_store::PageRequest;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
};

#[derive(Template)]
#[template(path = "projects/new.html")]
struct New {
    f: Frame,
    /// The groups that the form offers.
    groups: Vec<(GroupId, String)>,
    /// How many others there are; a project in one of those is made from its page.
    others: u64,
    chosen: Option<GroupId>,
}

/// `GET /projects/new`, perhaps in a group (`?group=`).
pub(crate) async fn new(desk: &Desk) -> Result<Answer, Fault> {
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let chosen: Option<GroupId> = match desk.query.filled("group") {
        Some(id) => Some(id.parse().map_err(|_| Fault::Missing)?),
        None => None,
    };
    let page = found(group::list(call, reads, &PageRequest::first(PageSize::MAX)).await)?;
    let others = page.total.saturating_sub(u64::try_from(page.rows.len()).unwrap_or(u64::MAX));
    let mut groups: Vec<(GroupId, String)> =
        page.rows.into_iter().map(|row| (row.item.group.id, row.item.group.name)).collect();
    if let Some(id) = chosen.filter(|id| groups.iter().all(|(other, _)| other != id)) {
        let group = reads.group(&call.scope, id).await?.ok_or(Fault::Missing)?;
        groups.insert(0, (id, group.name));
    }
    let f = desk.frame(&reading, desk.say("project-new"), Section::Projects);
    answer::page(StatusCode::OK, &New { f, groups, others, chosen })
}
