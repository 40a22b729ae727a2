//! `GET /groups/{group}`: how the projects of a group are doing.

use askama::Template;
use chorus_app::group::{self, GroupDetail};
use chorus_ids::GroupId;
use chorus_store::GroupedProject;
use chorus_visibility::Visibility;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Section},
    pages::{
        activity::{Entry, parties},
        names::Names,
    },
};

#[derive(Template)]
#[template(path = "groups/dashboard.html")]
struct Dashboard {
    f: Frame,
    detail: GroupDetail,
    /// What happened last.
    recent: Vec<Entry>,
}

impl Dashboard {
    fn is_private(&self) -> bool {
        self.detail.group.visibility == Visibility::Private
    }

    /// How much of the tasks is finished, in per cent.
    fn rate(&self) -> u64 {
        let totals = &self.detail.totals;
        (totals.finished_tasks * 100).checked_div(totals.tasks).unwrap_or_default()
    }

    /// How many projects are not shown.
    fn unshown(&self) -> u64 {
        self.detail.totals.projects.saturating_sub(u64::try_from(self.detail.projects.len()).unwrap_or(u64::MAX))
    }

    fn project_is_private(&self, row: &GroupedProject) -> bool {
        row.project.visibility == Visibility::Private
    }
}

/// `GET /groups/{group}`.
pub(crate) async fn dashboard(desk: &Desk) -> Result<Answer, Fault> {
    let id: GroupId = desk.id("group")?;
    let mut reading = desk.read().await?;
    let (call, reads) = reading.parts();
    let group::Dashboard { detail, recent } = found(group::dashboard(call, reads, id).await)?;
    let names = Names::of(&mut reading, recent.iter().flat_map(|(row, _)| parties(row)).collect()).await?;
    let recent = recent
        .into_iter()
        .map(|(row, project)| Entry { project: Some(project), ..Entry::of(desk, row, &names) })
        .collect();
    let f = desk.frame(&reading, detail.group.name.clone(), Section::Projects);
    answer::page(StatusCode::OK, &Dashboard { f, detail, recent })
}
