//! What is asked before it is done: going past unfinished prerequisites, and deleting a task.

use askama::Template;
use chorus_app::task;
use chorus_domain::task::{Task, TaskRef};
use chorus_ids::ProjectId;
use chorus_lifecycle::task::TaskStatus;
use chorus_store::Hanging;
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{name_of, names, read_task};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Something that has to be finished first.
struct Blocker {
    task: TaskRef,
    holder: Option<String>,
}

#[derive(Template)]
#[template(path = "tasks/blocked.html")]
struct BlockedPage {
    f: Frame,
    project: ProjectId,
    task: Task,
    blockers: Vec<Blocker>,
    /// How many more there are in projects that the person does not see.
    hidden: u64,
    /// The tool that goes past them; none where the task can't begin now anyway.
    tool: Option<&'static str>,
    next: String,
}

/// `GET /projects/{project}/tasks/{task}/blocked`: what has to be finished before the task begins, or begins again, and
/// the way past it (README decision 5).
pub(crate) async fn blocked(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project, id) = read_task(desk, Need::Editor).await?;
    let (call, reads) = reading.parts();
    let detail = found(task::get(call, reads, id).await)?;
    let (task, prerequisites) = (detail.task, detail.depends_on);
    let names = names(&mut reading, prerequisites.open().filter_map(|task| task.assignee)).await?;
    let blocker = |task: &TaskRef| Blocker {
        holder: task.assignee.map(|holder| name_of(desk, &names, holder)),
        task: task.clone(),
    };
    let page = BlockedPage {
        f: desk.project_frame(&reading, desk.say("task-blocked-title"), Tab::Tasks),
        project,
        blockers: prerequisites.open().map(blocker).collect(),
        hidden: prerequisites.hidden_open.into(),
        tool: match task.status {
            TaskStatus::Assigned => Some("console_start_task"),
            TaskStatus::ToVerify => Some("chorus_admin_reopen_task"),
            TaskStatus::Open | TaskStatus::InProgress | TaskStatus::Done | TaskStatus::Closed => None,
        },
        next: format!("/projects/{project}/tasks/{id}"),
        task,
    };
    answer::page(StatusCode::OK, &page)
}

#[derive(Template)]
#[template(path = "tasks/delete.html")]
struct DeletePage {
    f: Frame,
    project: ProjectId,
    task: Task,
    hanging: Hanging,
    /// Whoever waits for it.
    waiting: Vec<TaskRef>,
}

impl DeletePage {
    fn next_page(&self) -> String {
        format!("/projects/{}/tasks", self.project)
    }
}

/// `GET /projects/{project}/tasks/{task}/delete`: what goes with it.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project, id) = read_task(desk, Need::Editor).await?;
    let (call, reads) = reading.parts();
    let (detail, hanging) = found(task::delete::preview(call, reads, id).await)?;
    let waiting = detail.depended_by.open().cloned().collect();
    let f = desk.project_frame(&reading, desk.say("task-delete-title"), Tab::Tasks);
    answer::page(StatusCode::OK, &DeletePage { f, project, task: detail.task, hanging, waiting })
}
