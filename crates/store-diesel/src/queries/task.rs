//! Tasks, their criteria and their dependencies.

use async_trait::async_trait;
use chorus_domain::{
    Kind, Party,
    task::{Criterion, Dependant, Edge, Judgement, Task, TaskRef},
};
use chorus_ids::{CompanyId, CriterionId, ProjectId, ProposalId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::{
    criterion::Mark,
    task::{Priority, TaskStatus},
};
use chorus_store::{Page, PageRequest, Position, Reach, Result, Row, Start, TaskDetail, TaskFilter, Tasks, Unblocked};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Bool, Nullable, Text},
};

use super::{
    Conn, Db,
    columns::columns,
    run::execute,
    task_parts::{Parts, detail},
    task_waiting,
    unit::Unit,
};
use crate::{
    fragment::{
        CACHED_ROWS, Constant, ROWS, Total, behind, constant, fixed, insert_all, or_nothing, padded, page_of, rows_of,
    },
    schema::{acceptance_criterion, task, task_dependency},
    stored::{assignment, by_kind, count32, count64, optional_party, party},
    types::{Label, Stamp, Uid, Val},
    visible::{list, visible},
};

/// A task without its description, which may be long.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task, check_for_backend(Db))]
pub(super) struct TaskRow {
    pub(super) id: TaskId,
    company_id: CompanyId,
    project_id: ProjectId,
    title: String,
    status: TaskStatus,
    priority: Priority,
    pub(super) priority_rank: i16,
    story_points: Option<f64>,
    assignee_type: Option<String>,
    assignee_id: Option<Uuid>,
    assigned_at: Option<Timestamp>,
    assigned_by_type: Option<String>,
    assigned_by_id: Option<Uuid>,
    proposal_id: Option<ProposalId>,
    created_by_type: String,
    created_by_id: Uuid,
    version: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl TaskRow {
    pub(super) fn read(self, description: Option<String>) -> Result<Task> {
        Ok(Task {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            title: self.title,
            description,
            status: self.status,
            priority: self.priority,
            story_points: self.story_points,
            assignee: assignment(
                optional_party(self.assignee_type.as_deref(), self.assignee_id)?,
                self.assigned_at,
                optional_party(self.assigned_by_type.as_deref(), self.assigned_by_id)?,
            )?,
            proposal: self.proposal_id,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// A task as it appears beside another.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task, check_for_backend(Db))]
struct BesideRow {
    id: TaskId,
    title: String,
    status: TaskStatus,
    assignee_type: Option<String>,
    assignee_id: Option<Uuid>,
}

impl BesideRow {
    fn read(self) -> Result<TaskRef> {
        let assignee = optional_party(self.assignee_type.as_deref(), self.assignee_id)?;
        Ok(TaskRef { id: self.id, title: self.title, status: self.status, assignee })
    }
}

const COMMENTS: Constant<BigInt> =
    constant("(SELECT count(*) FROM comment tc WHERE tc.target_type = 'task' AND tc.target_id = task.id)");

/// Every prerequisite is finished, whoever may see it.
const UNBLOCKED: Constant<Bool> = constant(
    "NOT EXISTS (SELECT 1 FROM task_dependency ud JOIN task ut ON ut.id = ud.depends_on_id \
     WHERE ud.task_id = task.id AND ut.status NOT IN ('done', 'closed'))",
);

pub(super) const OPEN_PREREQUISITES: Constant<BigInt> = constant(
    "(SELECT count(*) FROM task_dependency ud JOIN task ut ON ut.id = ud.depends_on_id \
     WHERE ud.task_id = task.id AND ut.status NOT IN ('done', 'closed'))",
);

#[async_trait]
impl Tasks for Unit {
    async fn task(&mut self, scope: &Scope, id: TaskId) -> Result<Option<Task>> {
        let found = task::table
            .find(Val(id))
            .filter(visible(scope, task::project_id))
            .select((columns::<TaskRow>(), task::description));
        let found = self.row(found).await?.map(|(row, description): (TaskRow, _)| row.read(description)).transpose()?;
        if let Some(task) = &found {
            self.note((Kind::Task, id.uuid()), task.version, &task.title, task.description.as_deref());
        }
        Ok(found)
    }

    async fn task_detail(&mut self, scope: &Scope, id: TaskId) -> Result<Option<TaskDetail>> {
        let found = task::table.find(Val(id)).filter(visible(scope, task::project_id)).select((
            columns::<TaskRow>(),
            task::description,
            COMMENTS,
        ));
        let found: Option<(TaskRow, Option<String>, i64)> = self.row(found).await?;
        let Some((row, description, comments)) = found else { return Ok(None) };

        let task = row.read(description)?;
        self.note((Kind::Task, id.uuid()), task.version, &task.title, task.description.as_deref());

        let parts = self.rows(Parts::of(scope, id)).await?;
        detail(task, parts, count64(comments)).map(Some)
    }

    async fn task_refs(&mut self, scope: &Scope, ids: &[TaskId]) -> Result<Vec<(TaskRef, ProjectId)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = task::table
            .filter(task::id.eq_any(padded(ids.iter().map(Val))))
            .filter(visible(scope, task::project_id))
            .select((columns::<BesideRow>(), task::project_id));
        self.rows(fixed(found))
            .await?
            .into_iter()
            .map(|(row, project): (BesideRow, _)| Ok((row.read()?, project)))
            .collect()
    }

    async fn tasks_of_proposal(&mut self, scope: &Scope, proposal: ProposalId) -> Result<Vec<Task>> {
        let tasks = task::table
            .filter(task::proposal_id.eq(Some(Val(proposal))))
            .filter(visible(scope, task::project_id))
            .order((task::created_at, task::id))
            .select(columns::<TaskRow>());
        self.rows(tasks).await?.into_iter().map(|row: TaskRow| row.read(None)).collect()
    }

    async fn tasks(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        filter: &TaskFilter,
        page: &PageRequest,
    ) -> Result<Page<Task>> {
        let list = || {
            let mut list = task::table
                .filter(task::project_id.eq(Val(project)))
                .filter(visible(scope, Val(project).into_sql::<Uid>()))
                .into_boxed::<Db>();
            if !filter.statuses.is_empty() {
                list = list.filter(task::status.eq_any(padded(filter.statuses.iter().map(Val))));
            }
            if let Some(priority) = filter.priority {
                list = list.filter(task::priority.eq(Val(priority)));
            }
            if !filter.proposals.is_empty() {
                let proposals = padded(filter.proposals.iter().map(Val));
                list = list.filter(task::proposal_id.assume_not_null().eq_any(proposals));
            }
            if let Some(holder) = filter.assignee {
                list = list
                    .filter(task::assignee_type.eq(Some(Val(holder.kind()))))
                    .filter(task::assignee_id.eq(Some(Val(holder.uuid()))));
            }
            match filter.unblocked {
                Some(Unblocked) => list.filter(UNBLOCKED),
                None => list,
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => {
                list().filter(task::priority_rank.gt(place.rank).or(task::priority_rank.eq(place.rank).and(behind(
                    task::created_at,
                    task::id,
                    &place,
                ))))
            }
        };
        let rows = rows
            .order((task::priority_rank, task::created_at.desc(), task::id.desc()))
            .limit(rows_of(page))
            .select((columns::<TaskRow>(), Total(list().count())));
        let loaded: Vec<(TaskRow, i64)> = self.rows(fixed(rows)).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let at = Position { rank: row.priority_rank, at: row.created_at, id: row.id.uuid() };
            Ok(Row { at, item: row.read(None)? })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn open_prerequisites(&mut self, scope: &Scope, tasks: &[TaskId]) -> Result<Vec<(TaskId, u32)>> {
        task_waiting::open_prerequisites(self, scope, tasks).await
    }

    async fn dependencies(
        &mut self,
        scope: &Scope,
        project: ProjectId,
        proposal: Option<ProposalId>,
        limit: u32,
    ) -> Result<Vec<Edge>> {
        task_waiting::dependencies(self, scope, project, proposal, limit).await
    }
}

/// See [`Directory::task_ids_of`](chorus_store::Directory::task_ids_of).
pub(super) async fn task_ids_of(unit: &mut Unit, proposal: ProposalId) -> Result<Vec<TaskId>> {
    unit.rows(task::table.filter(task::proposal_id.eq(Some(Val(proposal)))).select(task::id)).await
}

fn finished() -> impl Iterator<Item = Val<TaskStatus>> {
    TaskStatus::ALL.into_iter().filter(|status| status.is_finished()).map(Val)
}

/// The tasks that some people and agents hold, in some projects or everywhere.
macro_rules! tasks_held {
    ($parties:expr, $within:expr) => {{
        let (users, agents) = by_kind($parties);
        let of = |kind: &'static str, ids: Vec<Uuid>| {
            let held = task::assignee_id.eq_any(ids.into_iter().map(|id| Some(Val(id))));
            task::assignee_type.eq(Some(Val(kind))).and(held)
        };
        let held = task::table.filter(of("user", users).or(of("agent", agents))).into_boxed::<Db>();
        match $within {
            Reach::Everywhere => held,
            Reach::Projects(projects) => held.filter(task::project_id.eq_any(projects.iter().map(Val))),
        }
    }};
}

/// The unfinished tasks that they hold, by id.
pub(super) async fn unfinished_of(unit: &mut Unit, parties: &[Party], within: Reach<'_>) -> Result<Vec<Task>> {
    let held = tasks_held!(parties, within)
        .filter(task::status.ne_all(finished()))
        .order(task::id)
        .select((columns::<TaskRow>(), task::description));
    let held: Vec<(TaskRow, Option<String>)> = unit.rows(held).await?;
    held.into_iter().map(|(row, description)| row.read(description)).collect()
}

/// How many finished tasks they hold.
pub(super) async fn finished_of(unit: &mut Unit, parties: &[Party], within: Reach<'_>) -> Result<u64> {
    let held = tasks_held!(parties, within).filter(task::status.eq_any(finished()));
    Ok(count64(unit.count(held.count()).await?))
}

/// A task that waits for another.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task, check_for_backend(Db))]
struct DependantRow {
    id: TaskId,
    company_id: CompanyId,
    project_id: ProjectId,
    title: String,
    status: TaskStatus,
    assignee_type: Option<String>,
    assignee_id: Option<Uuid>,
    created_by_type: String,
    created_by_id: Uuid,
}

/// See [`Directory::dependants`](chorus_store::Directory::dependants).
pub(super) async fn dependants(unit: &mut Unit, tasks: &[TaskId]) -> Result<Vec<Dependant>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let finished = TaskStatus::ALL.into_iter().filter(|status| status.is_finished());
    let waiting = task_dependency::table
        .inner_join(task::table.on(task::id.eq(task_dependency::task_id)))
        .filter(task_dependency::depends_on_id.eq_any(padded(tasks.iter().map(Val))))
        .filter(task::status.ne_all(finished.map(Val)))
        .select((columns::<DependantRow>(), task_dependency::depends_on_id, OPEN_PREREQUISITES));
    let dependants =
        unit.rows(fixed(waiting)).await?.into_iter().map(|(row, depends_on, open): (DependantRow, _, _)| {
            Ok(Dependant {
                id: row.id,
                company: row.company_id,
                project: row.project_id,
                title: row.title,
                status: row.status,
                assignee: optional_party(row.assignee_type.as_deref(), row.assignee_id)?,
                created_by: party(&row.created_by_type, row.created_by_id)?,
                depends_on,
                open_prerequisites: count32(open),
            })
        });
    dependants.collect()
}

/// See [`Directory::edges_below`](chorus_store::Directory::edges_below).
pub(super) async fn edges_below(unit: &mut Unit, tasks: &[TaskId]) -> Result<Vec<Edge>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let edges = unit.rows(EdgesBelow { tasks }).await?;
    Ok(edges.into_iter().map(|(task, depends_on)| Edge { task, depends_on }).collect())
}

/// A whole statement: the edges of these tasks, of their prerequisites, and so on.
struct EdgesBelow<'t> {
    tasks: &'t [TaskId],
}

impl Query for EdgesBelow<'_> {
    type SqlType = (Uid, Uid);
}
impl QueryId for EdgesBelow<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for EdgesBelow<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "WITH RECURSIVE below (task_id, depends_on_id) AS (\
             SELECT d.task_id, d.depends_on_id FROM task_dependency d WHERE d.task_id IN ",
        );
        list(&mut out, self.tasks)?;
        // UNION, not UNION ALL: a diamond is walked once, and stored edges that form a circle end.
        out.push_sql(
            " UNION SELECT d.task_id, d.depends_on_id FROM task_dependency d \
             JOIN below ON d.task_id = below.depends_on_id) SELECT task_id, depends_on_id FROM below",
        );
        Ok(())
    }
}

/// Stores new tasks.
pub(super) async fn insert_tasks(conn: &mut Conn, new: &[Task]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            let assignee = new.assignee.as_ref();
            let assigned_by = assignee.and_then(|assignee| assignee.by);
            (
                task::id.eq(Val(new.id)),
                task::company_id.eq(Val(new.company)),
                task::project_id.eq(Val(new.project)),
                task::title.eq(&new.title),
                task::description.eq(&new.description),
                task::status.eq(Val(new.status)),
                task::priority.eq(Val(new.priority)),
                task::story_points.eq(new.story_points),
                task::assignee_type.eq(assignee.map(|assignee| Val(assignee.to.kind()))),
                task::assignee_id.eq(assignee.map(|assignee| Val(assignee.to.uuid()))),
                task::assigned_at.eq(assignee.map(|assignee| Val(assignee.at))),
                task::assigned_by_type.eq(assigned_by.map(|by| Val(by.kind()))),
                task::assigned_by_id.eq(assigned_by.map(|by| Val(by.uuid()))),
                task::proposal_id.eq(new.proposal.map(Val)),
                task::created_by_type.eq(Val(new.created_by.kind())),
                task::created_by_id.eq(Val(new.created_by.uuid())),
                task::version.eq(new.version),
                task::created_at.eq(Val(new.created_at)),
                task::updated_at.eq(Val(new.updated_at)),
            )
        });
        if let Some(insert) = insert_all(task::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}

/// Stores the task as it is now, if the stored one is the version before; says whether it was, as a number of rows.
pub(super) async fn save_task(conn: &mut Conn, new: &Task) -> QueryResult<usize> {
    let assignee = new.assignee.as_ref();
    let assigned_by = assignee.and_then(|assignee| assignee.by);
    let statement = diesel::update(task::table.find(Val(new.id)).filter(task::version.eq(new.version - 1))).set((
        task::project_id.eq(Val(new.project)),
        task::title.eq(&new.title),
        task::description.eq(&new.description),
        task::status.eq(Val(new.status)),
        task::priority.eq(Val(new.priority)),
        task::story_points.eq(new.story_points),
        task::assignee_type.eq(assignee.map(|assignee| Val(assignee.to.kind()))),
        task::assignee_id.eq(assignee.map(|assignee| Val(assignee.to.uuid()))),
        task::assigned_at.eq(assignee.map(|assignee| Val(assignee.at))),
        task::assigned_by_type.eq(assigned_by.map(|by| Val(by.kind()))),
        task::assigned_by_id.eq(assigned_by.map(|by| Val(by.uuid()))),
        task::proposal_id.eq(new.proposal.map(Val)),
        task::version.eq(new.version),
        task::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Stores new acceptance criteria.
pub(super) async fn insert_criteria(conn: &mut Conn, new: &[Criterion]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|new| {
            let (dev_by, by) = (new.dev.by, new.verdict.by);
            (
                acceptance_criterion::id.eq(Val(new.id)),
                acceptance_criterion::task_id.eq(Val(new.task)),
                acceptance_criterion::position.eq(new.position),
                acceptance_criterion::description.eq(&new.description),
                acceptance_criterion::required.eq(new.required),
                acceptance_criterion::dev_status.eq(Val(new.dev.mark)),
                acceptance_criterion::dev_evidence.eq(&new.dev.evidence),
                acceptance_criterion::dev_marked_by_type.eq(dev_by.map(|(by, _)| Val(by.kind()))),
                acceptance_criterion::dev_marked_by_id.eq(dev_by.map(|(by, _)| Val(by.uuid()))),
                acceptance_criterion::dev_marked_at.eq(dev_by.map(|(_, at)| Val(at))),
                acceptance_criterion::status.eq(Val(new.verdict.mark)),
                acceptance_criterion::evidence.eq(&new.verdict.evidence),
                acceptance_criterion::marked_by_type.eq(by.map(|(by, _)| Val(by.kind()))),
                acceptance_criterion::marked_by_id.eq(by.map(|(by, _)| Val(by.uuid()))),
                acceptance_criterion::marked_at.eq(by.map(|(_, at)| Val(at))),
            )
        });
        if let Some(insert) = insert_all(acceptance_criterion::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}

/// Removes all criteria of a task.
pub(super) async fn drop_criteria(conn: &mut Conn, task: TaskId) -> QueryResult<usize> {
    execute(conn, diesel::delete(acceptance_criterion::table.filter(acceptance_criterion::task_id.eq(Val(task))))).await
}

/// Takes back both marks of all criteria of a task.
pub(super) async fn reset_marks(conn: &mut Conn, task: TaskId) -> QueryResult<usize> {
    let statement = diesel::update(acceptance_criterion::table.filter(acceptance_criterion::task_id.eq(Val(task))))
        .set((
            acceptance_criterion::dev_status.eq(Val(Mark::Pending)),
            acceptance_criterion::dev_evidence.eq(None::<String>),
            acceptance_criterion::dev_marked_by_type.eq(None::<Val<&str>>),
            acceptance_criterion::dev_marked_by_id.eq(None::<Val<Uuid>>),
            acceptance_criterion::dev_marked_at.eq(None::<Val<Timestamp>>),
            acceptance_criterion::status.eq(Val(Mark::Pending)),
            acceptance_criterion::evidence.eq(None::<String>),
            acceptance_criterion::marked_by_type.eq(None::<Val<&str>>),
            acceptance_criterion::marked_by_id.eq(None::<Val<Uuid>>),
            acceptance_criterion::marked_at.eq(None::<Val<Timestamp>>),
        ));
    execute(conn, fixed(statement)).await
}

/// Which of the two marks of a criterion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// The assignee's own.
    Dev,
    /// The reviewer's.
    Verdict,
}

/// Sets one mark of several criteria.
pub(super) async fn set_marks(conn: &mut Conn, side: Side, marks: &[(CriterionId, Judgement)]) -> QueryResult<usize> {
    let mut set = 0;
    for marks in marks.chunks(ROWS) {
        let rows = marks.iter().map(|(criterion, judgement)| {
            (
                Val(*criterion).into_sql::<Uid>(),
                Val(judgement.mark).into_sql::<Label>(),
                judgement.evidence.as_deref().into_sql::<Nullable<Text>>(),
                judgement.by.map(|(by, _)| Val(by.kind())).into_sql::<Nullable<Label>>(),
                judgement.by.map(|(by, _)| Val(by.uuid())).into_sql::<Nullable<Uid>>(),
                judgement.by.map(|(_, at)| Val(at)).into_sql::<Nullable<Stamp>>(),
            )
        });
        set += execute(conn, SetMarks { side, rows: rows.collect() }).await?;
    }
    Ok(set)
}

/// One statement for all marks of a call.
struct SetMarks<V> {
    side: Side,
    // INVARIANT (marks): not empty.
    rows: Vec<V>,
}

impl<V> QueryId for SetMarks<V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<V: QueryFragment<Db>> QueryFragment<Db> for SetMarks<V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.rows.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("WITH given (criterion, mark, evidence, by_type, by_id, given_at) AS (VALUES ");
        for (i, row) in self.rows.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            row.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        out.push_sql(match self.side {
            Side::Dev => {
                ") UPDATE acceptance_criterion SET dev_status = given.mark, dev_evidence = given.evidence, \
                 dev_marked_by_type = given.by_type, dev_marked_by_id = given.by_id, dev_marked_at = given.given_at"
            }
            Side::Verdict => {
                ") UPDATE acceptance_criterion SET status = given.mark, evidence = given.evidence, \
                 marked_by_type = given.by_type, marked_by_id = given.by_id, marked_at = given.given_at"
            }
        });
        out.push_sql(" FROM given WHERE acceptance_criterion.id = given.criterion");
        Ok(())
    }
}

/// Stores new dependencies; one that is there already stays.
pub(super) async fn insert_edges(conn: &mut Conn, new: &[Edge]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        let rows = new.iter().map(|edge| {
            (task_dependency::task_id.eq(Val(edge.task)), task_dependency::depends_on_id.eq(Val(edge.depends_on)))
        });
        if let Some(insert) = insert_all(task_dependency::table, rows) {
            made += execute(conn, or_nothing(insert)).await?;
        }
    }
    Ok(made)
}

/// Removes dependencies; one that is not there is fine.
pub(super) async fn delete_edges(conn: &mut Conn, gone: &[Edge]) -> QueryResult<usize> {
    let mut removed = 0;
    for edges in gone.chunks(ROWS) {
        removed += execute(conn, DeleteEdges { edges }).await?;
    }
    Ok(removed)
}

/// One statement for all edges that go.
struct DeleteEdges<'e> {
    // INVARIANT (edges): not empty.
    edges: &'e [Edge],
}

impl QueryId for DeleteEdges<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for DeleteEdges<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.edges.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("DELETE FROM task_dependency WHERE (task_id, depends_on_id) IN (VALUES ");
        for (i, edge) in self.edges.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            out.push_bind_param::<Uid, _>(&edge.task)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(&edge.depends_on)?;
            out.push_sql(")");
        }
        out.push_sql(")");
        Ok(())
    }
}
