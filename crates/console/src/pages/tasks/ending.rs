//! What is asked before it is done: going past unfinished prerequisites, and deleting a task.

use askama::Template;
use chorus_app::task;
use chorus_domain::task::{Task, TaskRef};
use chorus_ids::{ProjectId, TaskId};
use chorus_lifecycle::task::TaskStatus;
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{name_of, names, read_task};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::deletion::{Deletion, DeletionForm, counted, what_goes},
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
        next: path(project, id),
        task,
    };
    answer::page(StatusCode::OK, &page)
}

fn path(project: ProjectId, task: TaskId) -> String {
    format!("/projects/{project}/tasks/{task}")
}

/// `GET /projects/{project}/tasks/{task}/delete`: what goes with it.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project, id) = read_task(desk, Need::Editor).await?;
    let (call, reads) = reading.parts();
    let (detail, hanging) = found(task::delete::preview(call, reads, id).await)?;
    let waiting: Vec<_> = detail.depended_by.open().map(|task| (path(project, task.id), task.title.clone())).collect();
    let f = desk.project_frame(&reading, desk.say("task-delete-title"), Tab::Tasks);
    let goes = counted(
        &f,
        &[
            ("work-goes-criteria", hanging.criteria),
            ("work-count-comments", hanging.comments),
            ("work-count-references", hanging.references),
            ("work-goes-dependencies", hanging.dependencies),
            ("work-goes-checkins", hanging.checkins),
        ],
    );
    let mut beside = counted(&f, &[("work-stays-activities", hanging.activities)]);
    beside.push(f.t("task-delete-hint").into_owned());
    let page = Deletion {
        name: detail.task.title,
        status: Some(("task-status", detail.task.status.as_str())),
        text: what_goes(&f, &goes),
        goes,
        concerned: (!waiting.is_empty()).then(|| (f.t("task-delete-waiting").into_owned(), waiting)),
        beside,
        form: DeletionForm {
            tool: "chorus_admin_delete_task",
            field: "taskUuid",
            id: id.uuid(),
            done: "done-task-deleted",
        },
        go: f.t("task-delete").into_owned(),
        next: format!("/projects/{project}/tasks"),
        back: path(project, id),
        f,
    };
    answer::page(StatusCode::OK, &page)
}
