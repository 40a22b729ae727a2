//! The list: any number of tasks, a page at a time.

use askama::Template;
use chorus_app::task;
use chorus_domain::task::Task;
use chorus_ids::{PageSize, ProjectId};
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{Filter, Filters, name_of, names, page, page_number, read_project};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Rows of a page.
const ROWS: PageSize = match PageSize::new(50) {
    Some(size) => size,
    None => PageSize::DEFAULT,
};

struct Line {
    task: Task,
    holder: Option<String>,
}

#[derive(Template)]
#[template(path = "tasks/list.html")]
struct ListPage {
    f: Frame,
    project: ProjectId,
    view: &'static str,
    filters: Filters,
    lines: Vec<Line>,
    total: u64,
    before: Option<String>,
    after: Option<String>,
}

/// `GET /projects/{project}/tasks?view=list`.
pub(super) async fn list(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project) = read_project(desk, Need::Viewer).await?;
    let (filter, number) = (Filter::of(desk), page_number(desk, "page"));
    let filters = Filters::load(desk, &mut reading, project, &filter).await?;
    let (call, reads) = reading.parts();
    let found = found(task::list(call, reads, project, &filter.wanted(), &page(number, ROWS)).await)?;
    let holders: Vec<_> = found.rows.iter().filter_map(|row| row.item.assignee.map(|held| held.to)).collect();
    let names = names(&mut reading, holders).await?;
    let line = |task: Task| Line { holder: task.assignee.map(|held| name_of(desk, &names, held.to)), task };
    let link = |number: u32| format!("/projects/{project}/tasks?{}", filter.query("list", number));
    let page = ListPage {
        f: desk.project_frame(&reading, desk.say("tasks-title"), Tab::Tasks),
        project,
        view: "list",
        filters,
        total: found.total,
        before: (number > 1).then(|| link(number - 1)),
        after: found.more.then(|| link(number + 1)),
        lines: found.rows.into_iter().map(|row| line(row.item)).collect(),
    };
    answer::page(StatusCode::OK, &page)
}
