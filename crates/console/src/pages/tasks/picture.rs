//! The picture: which tasks wait for which.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use chorus_domain::task::TaskRef;
use chorus_ids::{ProjectId, TaskId};
use chorus_visibility::Need;
use http::StatusCode;

use super::parts::{Filter, Filters, name_of, names, read_project};
use crate::{
    answer::{self, Answer},
    desk::{Desk, found},
    fault::Fault,
    frame::{Frame, Tab},
    graph::{self, Edge, Node},
    html::Html,
};

/// Most dependencies that are drawn.
const EDGES: u32 = 300;

/// A task with those it waits for, for readers who can't see the picture.
struct Line {
    task: TaskRef,
    after: Vec<TaskRef>,
}

#[derive(Template)]
#[template(path = "tasks/graph.html")]
struct GraphPage {
    f: Frame,
    project: ProjectId,
    view: &'static str,
    filters: Filters,
    graph: Html,
    lines: Vec<Line>,
    /// Not all dependencies are drawn.
    cut: bool,
    drawn: u64,
}

/// `GET /projects/{project}/tasks?view=graph`.
pub(super) async fn picture(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, project) = read_project(desk, Need::Viewer).await?;
    let filter = Filter { proposal: Filter::of(desk).proposal, ..Filter::default() };
    let filters = Filters::load(desk, &mut reading, project, &filter).await?;
    let (call, reads) = reading.parts();
    let mut edges = found(reads.dependencies(&call.scope, project, filter.proposal, EDGES + 1).await)?;
    let cut = edges.len() > EDGES as usize;
    edges.truncate(EDGES as usize);
    let ids: BTreeSet<TaskId> = edges.iter().flat_map(|edge| [edge.task, edge.depends_on]).collect();
    let ids: Vec<TaskId> = ids.into_iter().collect();
    let tasks: Vec<TaskRef> =
        found(reads.task_refs(&call.scope, &ids).await)?.into_iter().map(|(task, _)| task).collect();
    let names = names(&mut reading, tasks.iter().filter_map(|task| task.assignee)).await?;

    let f = desk.project_frame(&reading, desk.say("tasks-title"), Tab::Tasks);
    let node = |task: &TaskRef| {
        let status = f.word("task-status", task.status.as_str());
        Node {
            title: task.title.clone(),
            note: match task.assignee {
                Some(holder) => format!("{status} · {}", name_of(desk, &names, holder)),
                None => status,
            },
            tone: task.status.as_str(),
            href: format!("/projects/{project}/tasks/{}", task.id),
        }
    };
    let nodes: Vec<Node> = tasks.iter().map(node).collect();
    let places: BTreeMap<TaskId, usize> = tasks.iter().enumerate().map(|(place, task)| (task.id, place)).collect();
    let place = |id: &TaskId| places.get(id).copied();
    let drawn: Vec<Edge> = edges
        .iter()
        .filter_map(|edge| Some(Edge { before: place(&edge.depends_on)?, after: place(&edge.task)? }))
        .collect();
    let mut waiting: BTreeMap<usize, Vec<TaskRef>> = BTreeMap::new();
    for edge in &drawn {
        waiting.entry(edge.after).or_default().extend(tasks.get(edge.before).cloned());
    }
    let lines = waiting.into_iter().filter_map(|(at, after)| Some(Line { task: tasks.get(at)?.clone(), after }));
    let page = GraphPage {
        graph: graph::draw(&nodes, &drawn, &f.t("tasks-graph-label")),
        lines: lines.collect(),
        drawn: drawn.len() as u64,
        f,
        project,
        view: "graph",
        filters,
        cut,
    };
    answer::page(StatusCode::OK, &page)
}
