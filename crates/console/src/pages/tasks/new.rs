//! `/projects/{project}/tasks/new`: a task that no proposal asked for.

use askama::Template;
use chorus_domain::task::Task;
use chorus_ids::ProjectId;
use chorus_lifecycle::task::Priority;
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{Choice, priorities, read_project, unfinished};
use crate::{
    answer::{self, Answer},
    desk::Desk,
    fault::Fault,
    frame::{Frame, Tab},
};

/// How many criteria there is room for; what stays blank is left out.
const CRITERIA: u64 = 6;

#[derive(Template)]
#[template(path = "tasks/new.html")]
struct NewPage {
    f: Frame,
    project: ProjectId,
    priorities: Vec<Choice>,
    /// Places with their numbers.
    criteria: Vec<(u64, u64)>,
    others: Vec<Task>,
    next: String,
}

/// `GET /projects/{project}/tasks/new`.
pub(crate) async fn new_task(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project) = read_project(desk, Need::Editor).await?;
    let others = unfinished(&mut reading, project).await?;
    let page = NewPage {
        f: desk.project_frame(&reading, desk.say("task-new-title"), Tab::Tasks),
        project,
        priorities: priorities(desk, Priority::default()),
        criteria: (0..CRITERIA).map(|place| (place, place + 1)).collect(),
        others,
        next: format!("/projects/{project}/tasks/{{tasks.0.uuid}}"),
    };
    answer::page(StatusCode::OK, &page)
}
