//! The board: a column for each status.

use std::collections::BTreeMap;

use askama::Template;
use chorus_app::task;
use chorus_domain::{session::fresh_since, task::Task};
use chorus_ids::{PageSize, ProjectId, TaskId};
use chorus_lifecycle::task::TaskStatus;
use chorus_store::{PageRequest, TaskFilter};
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{Filter, Filters, name_of, names, read_project};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
};

/// Most tiles of a column.
const TILES: PageSize = match PageSize::new(30) {
    Some(size) => size,
    None => PageSize::DEFAULT,
};

/// A way from one column to another.
pub(crate) struct Move {
    /// The column.
    pub(crate) to: TaskStatus,
    /// The form's target.
    pub(crate) path: &'static str,
    /// The key of its text.
    pub(crate) key: &'static str,
    /// Whether it is to be asked about first: there is no way back.
    pub(crate) ends: bool,
}

const fn way(to: TaskStatus, path: &'static str, key: &'static str) -> Move {
    Move { to, path, key, ends: false }
}

const TAKE: Move = way(TaskStatus::Assigned, "/do/chorus_claim_task", "task-take");
const RELEASE: Move = way(TaskStatus::Open, "/do/chorus_release_task", "task-release");
const START: Move = way(TaskStatus::InProgress, "/do/console_start_task", "task-start");
const SUBMIT: Move = way(TaskStatus::ToVerify, "/do/chorus_submit_for_verify", "task-submit");
const VERIFY: Move = way(TaskStatus::Done, "/do/chorus_admin_verify_task", "task-verify");
const REOPEN: Move = way(TaskStatus::InProgress, "/do/chorus_admin_reopen_task", "task-reopen");
const CLOSE: Move = Move { to: TaskStatus::Closed, path: "/do/chorus_admin_close_task", key: "task-close", ends: true };

/// What a person can do with a task of this status on the board.
pub(crate) const fn moves(status: TaskStatus) -> &'static [Move] {
    match status {
        TaskStatus::Open => &[TAKE, CLOSE],
        TaskStatus::Assigned => &[START, RELEASE, CLOSE],
        TaskStatus::InProgress => &[SUBMIT, CLOSE],
        TaskStatus::ToVerify => &[VERIFY, REOPEN, CLOSE],
        TaskStatus::Done => &[CLOSE],
        TaskStatus::Closed => &[],
    }
}

struct Tile {
    task: Task,
    holder: Option<String>,
    /// The sessions at it.
    workers: Vec<String>,
    /// How many prerequisites it waits for.
    waits: u64,
    moves: &'static [Move],
    form: String,
    blocked: String,
}

struct Column {
    status: TaskStatus,
    total: u64,
    tiles: Vec<Tile>,
    /// The list of all of them, if not all are here.
    all: Option<String>,
}

#[derive(Template)]
#[template(path = "tasks/board.html")]
struct BoardPage {
    f: Frame,
    project: ProjectId,
    view: &'static str,
    filters: Filters,
    columns: Vec<Column>,
    nothing: bool,
}

/// `GET /projects/{project}/tasks`: as many statements for many tasks as for few.
pub(super) async fn board(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project) = read_project(desk, Need::Viewer).await?;
    let filter = Filter { status: None, ..Filter::of(desk) };
    let filters = Filters::load(desk, &mut reading, project, &filter).await?;
    let mut pages = Vec::new();
    for status in TaskStatus::ALL {
        let wanted = TaskFilter { statuses: vec![status], ..filter.wanted() };
        let (call, reads) = reading.parts();
        let page = found(task::list(call, reads, project, &wanted, &PageRequest::first(TILES)).await)?;
        pages.push((status, page));
    }
    let tasks = || pages.iter().flat_map(|(_, page)| page.rows.iter().map(|row| &row.item));
    let ids: Vec<TaskId> = tasks().map(|task| task.id).collect();
    let holders: Vec<_> = tasks().filter_map(|task| task.assignee.map(|held| held.to)).collect();
    let names = names(&mut reading, holders).await?;
    let (call, reads) = reading.parts();
    let workers = found(reads.workers(&call.scope, &ids, fresh_since(call.now)).await)?;
    let waits: BTreeMap<TaskId, u32> = found(reads.open_prerequisites(&call.scope, &ids).await)?.into_iter().collect();
    let nothing = !filter.is_set() && pages.iter().all(|(_, page)| page.total == 0);

    let f = desk.project_frame(&reading, desk.say("tasks-title"), Tab::Tasks);
    let edits = f.edits();
    let tile = |task: Task| Tile {
        holder: task.assignee.map(|held| name_of(desk, &names, held.to)),
        workers: workers.iter().filter(|worker| worker.task == task.id).map(|worker| worker.name.clone()).collect(),
        waits: if task.status.is_finished() { 0 } else { waits.get(&task.id).copied().unwrap_or_default().into() },
        moves: if edits { moves(task.status) } else { &[] },
        form: format!("move-{}", task.id),
        blocked: blocked_path(project, &task),
        task,
    };
    let columns = pages.into_iter().map(|(status, page)| {
        let query = || Filter { status: Some(status), ..filter.clone() }.query("list", 1);
        Column {
            status,
            total: page.total,
            all: page.more.then(|| format!("/projects/{project}/tasks?{}", query())),
            tiles: page.rows.into_iter().map(|row| tile(row.item)).collect(),
        }
    });
    let columns = columns.collect();
    answer::page(StatusCode::OK, &BoardPage { f, project, view: "board", filters, columns, nothing })
}

/// The page that shows what stands against beginning, or beginning again.
pub(super) fn blocked_path(project: ProjectId, task: &Task) -> String {
    format!("/projects/{project}/tasks/{}/blocked", task.id)
}

#[cfg(test)]
mod tests {
    use chorus_lifecycle::task::TASK;

    use super::*;

    #[test]
    fn every_move_of_the_board_is_one_of_the_lifecycle() {
        for status in TaskStatus::ALL {
            for offered in moves(status) {
                assert!(TASK.next_statuses(status).contains(&offered.to), "{status} {}", offered.to);
                assert_eq!(offered.ends, offered.to == TaskStatus::Closed);
            }
        }
    }
}
