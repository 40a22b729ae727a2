//! Which tasks wait for which, for boards and pictures.

use chorus_domain::task::Edge;
use chorus_ids::{ProjectId, ProposalId, TaskId};
use chorus_store::Result;
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    sql_types::{Bool, Integer},
};

use super::{Db, task::OPEN_PREREQUISITES, unit::Unit};
use crate::{
    fragment::{Constant, constant},
    schema::{task, task_dependency},
    stored::count32,
    types::{Uid, Val},
    visible::visible,
};

/// The prerequisite is in the project of the task that waits for it.
const AT_HOME: Constant<Bool> = constant(
    "EXISTS (SELECT 1 FROM task pt WHERE pt.id = task_dependency.depends_on_id AND pt.project_id = task.project_id)",
);

/// Tasks that are finished come after those that are not.
const FINISHED: Constant<Integer> = constant("CASE WHEN task.status IN ('done', 'closed') THEN 1 ELSE 0 END");

/// See [`Tasks::open_prerequisites`](chorus_store::Tasks::open_prerequisites).
pub(super) async fn open_prerequisites(unit: &mut Unit, scope: &Scope, tasks: &[TaskId]) -> Result<Vec<(TaskId, u32)>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let waiting = task::table
        .filter(task::id.eq_any(tasks.iter().map(Val)))
        .filter(OPEN_PREREQUISITES.gt(0))
        .filter(visible(scope, task::project_id))
        .select((task::id, OPEN_PREREQUISITES));
    let rows: Vec<(TaskId, i64)> = unit.rows(waiting).await?;
    Ok(rows.into_iter().map(|(task, open)| (task, count32(open))).collect())
}

/// See [`Tasks::dependencies`](chorus_store::Tasks::dependencies).
pub(super) async fn dependencies(
    unit: &mut Unit,
    scope: &Scope,
    project: ProjectId,
    proposal: Option<ProposalId>,
    limit: u32,
) -> Result<Vec<Edge>> {
    let mut edges = task_dependency::table
        .inner_join(task::table.on(task::id.eq(task_dependency::task_id)))
        .filter(task::project_id.eq(Val(project)))
        .filter(visible(scope, Val(project).into_sql::<Uid>()))
        .filter(AT_HOME)
        .into_boxed::<Db>();
    if let Some(proposal) = proposal {
        edges = edges.filter(task::proposal_id.eq(Some(Val(proposal))));
    }
    let edges = edges
        .order((FINISHED, task::created_at.desc(), task::id.desc(), task_dependency::depends_on_id))
        .limit(i64::from(limit))
        .select((task_dependency::task_id, task_dependency::depends_on_id));
    let rows: Vec<(TaskId, TaskId)> = unit.rows(edges).await?;
    Ok(rows.into_iter().map(|(task, depends_on)| Edge { task, depends_on }).collect())
}
