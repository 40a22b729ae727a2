//! Edits of a task.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind, Refusal, Write,
    activity::Action,
    event::Change,
    notification::{Topic, quoted},
    task::{
        Edge, TaskRef,
        blocked::Blocked,
        criteria,
        edit::{Circle, Edit, circles_refused, new_prerequisites, removed},
        work::{self, resets_marks},
    },
};
use chorus_ids::{ProjectId, TaskId};
use chorus_store::{Outcome, Related, Result, TaskDetail, Tx};

use super::{get, involved, named, notice, other_holder, require_unblocked};
use crate::{
    Call,
    mention::{self, Text},
};

/// Changes fields, criteria, dependencies and status of a task, all or nothing. Fields are for every editor, the
/// status for the assignee (lifecycle specification §6.3).
///
/// An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`Edit::checked`], [`work::proceed`], [`new_prerequisites`]; `blocked_by_dependencies` where unfinished
/// prerequisites stand against the status or against being added.
pub async fn update(call: &Call, tx: &mut dyn Tx, id: TaskId, edit: Edit) -> Result<Outcome<TaskDetail>> {
    let before = get(call, tx, id).await?;
    let places = |ids: &[TaskId]| -> BTreeMap<TaskId, ProjectId> {
        ids.iter().filter_map(|id| Some((*id, call.granted.project_of(Kind::Task, id.uuid())?))).collect()
    };
    let added = places(&edit.add);
    let edit = edit.checked(&before.task, &added)?;
    let moved = match edit.status {
        None => None,
        Some(status) => {
            let holder = other_holder(call, tx, &before.task).await?;
            Some(work::proceed(&before.task, holder.as_ref(), &call.caller, status, call.now)?)
        }
    };
    let edges = Edges::of(call, tx, &before, &edit).await?;
    let status = moved.as_ref().map_or(before.task.status, |moved| moved.status);
    let blocked =
        Blocked::of_edit(before.task.status, status, &edges.after.visible, edges.after.hidden_open, &edges.added);
    require_unblocked(call, tx, &blocked).await?;
    if !edit.names_a_field() && edges.added.is_empty() && edges.removed.is_empty() {
        return Ok(Outcome { batch: Batch::default(), answer: before });
    }

    let after = edit.applied(&before.task, moved.as_ref(), call.now);
    let mut batch = Batch::default();
    batch.writes.push(Write::SaveTask(after.clone()));
    let criteria = match &edit.criteria {
        Some(drafts) => {
            let criteria = criteria::new(id, drafts.clone(), &mut call.ids());
            batch.writes.extend([Write::DropCriteria(id), Write::NewCriteria(criteria.clone())]);
            criteria
        }
        None if resets_marks(&before.task, &after) => {
            batch.writes.push(Write::ResetMarks(id));
            criteria::reset(before.criteria)
        }
        None => before.criteria,
    };
    edges.write(id, &mut batch);
    let action = if edit.status.is_some() { Action::StatusChanged } else { Action::Updated };
    let value = edit.told(edges.added.len(), edges.removed.len());
    batch.activities.push(call.activity(after.project, named(&after), action, Some(value)));
    batch.events.push(call.event(after.project, Kind::Task, id.uuid(), Change::Updated));
    // A dependency shows on both of its tasks.
    let touched: Vec<TaskId> = edges.added.iter().map(|task| task.id).chain(edges.removed.iter().copied()).collect();
    for (other, project) in places(&touched) {
        batch.events.push(call.event(project, Kind::Task, other.uuid(), Change::Updated));
    }
    if let Some(status) = edit.status {
        let message = format!("{} moved {} to {status}", call.caller.name, quoted(&after.title));
        batch.notices.push(notice(&after, Topic::TaskStatusChanged, involved(&after), message));
    }
    let text = Text {
        source: (Kind::Task, id.uuid()),
        entity: named(&after),
        before: before.task.description.as_deref(),
        after: after.description.as_deref(),
        argument: Some("description".to_owned()),
    };
    mention::tell(call, tx, after.project, &[text], &mut batch).await?;
    let answer = TaskDetail {
        task: after,
        criteria,
        references: before.references,
        depends_on: edges.after,
        depended_by: before.depended_by,
        comments: before.comments,
    };
    Ok(Outcome { batch, answer })
}

/// What an edit does to the dependencies of a task.
struct Edges {
    /// Prerequisites that are new.
    added: Vec<TaskRef>,
    /// Prerequisites that are gone.
    removed: BTreeSet<TaskId>,
    /// The prerequisites afterwards.
    after: Related,
}

impl Edges {
    async fn of(call: &Call, tx: &mut dyn Tx, before: &TaskDetail, edit: &Edit) -> Result<Self> {
        let id = before.task.id;
        let mut after = before.depends_on.clone();
        let removed = removed(after.visible.iter().map(|task| task.id), &edit.remove);
        after.visible.retain(|task| !removed.contains(&task.id));
        if edit.add.is_empty() {
            return Ok(Self { added: Vec::new(), removed, after });
        }
        let from: Vec<TaskId> = edit.add.iter().copied().chain([id]).collect();
        let existing = tx.directory().edges_below(&from).await?;
        let new = match new_prerequisites(id, &edit.add, &existing) {
            Ok(new) => new,
            Err(circles) => return Err(refuse(call, tx, &circles).await?.into()),
        };
        let added: Vec<TaskRef> = match new.as_slice() {
            [] => Vec::new(),
            new => tx.task_refs(&call.scope, new).await?.into_iter().map(|(task, _)| task).collect(),
        };
        after.visible.extend(added.iter().cloned());
        Ok(Self { added, removed, after })
    }

    fn write(&self, task: TaskId, batch: &mut Batch) {
        let edges = |ids: &mut dyn Iterator<Item = TaskId>| -> Vec<Edge> {
            ids.map(|depends_on| Edge { task, depends_on }).collect()
        };
        if !self.removed.is_empty() {
            batch.writes.push(Write::RemoveEdges(edges(&mut self.removed.iter().copied())));
        }
        if !self.added.is_empty() {
            batch.writes.push(Write::AddEdges(edges(&mut self.added.iter().map(|task| task.id))));
        }
    }
}

/// The refusal of circles, with the titles of those tasks on them that the caller sees.
async fn refuse(call: &Call, tx: &mut dyn Tx, circles: &[Circle]) -> Result<Refusal> {
    let on_path: BTreeSet<TaskId> = circles.iter().flat_map(|circle| circle.path.iter().copied()).collect();
    let on_path: Vec<TaskId> = on_path.into_iter().collect();
    let seen = tx.task_refs(&call.scope, &on_path).await?;
    Ok(circles_refused(circles, &seen.into_iter().map(|(task, _)| (task.id, task.title)).collect()))
}
