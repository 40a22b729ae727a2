//! What waits for people, and how projects are doing, across projects.

use async_trait::async_trait;
use chorus_ids::{GroupId, ProjectId, Timestamp, UserId, Uuid};
use chorus_lifecycle::{proposal::ProposalStatus, task::TaskStatus};
use chorus_store::{
    AtHand, Overviews, Page, PageRequest, Position, ProjectProgress, ProjectsWithin, Result, Row, Start, Waiting,
    WaitsFor,
};
use chorus_visibility::Scope;
use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{BigInt, Bool},
};

use super::{Db, columns::columns, project::ProjectRow, unit::Unit, visit};
use crate::{
    fragment::{Constant, Total, behind, constant, page_of, rows_of},
    schema::{idea, project, proposal, task},
    stored::{count64, optional_party},
    types::Val,
    visible::{editable, visible},
};

/// A round of questions about the idea is open, also one that was appended when the elaboration was over.
const ASKS: Constant<Bool> = constant(
    "(idea.status IN ('elaborating', 'elaborated') AND EXISTS (SELECT 1 FROM elaboration_round wr \
     WHERE wr.idea_id = idea.id AND wr.status = 'pending_answers'))",
);

/// Id, title, project, its name, whoever it comes from, last change, how many there are.
type WaitingRow = (Uuid, String, ProjectId, String, Option<String>, Option<Uuid>, Timestamp, i64);

/// A page of the rows of a table that wait, in the projects that the scope's user may edit.
macro_rules! waiting {
    ($unit:ident, $scope:ident, $page:ident, $table:ident, $waits:expr, $who:expr) => {{
        let list = || {
            $table::table
                .inner_join(project::table)
                .filter(project::company_id.eq(Val($scope.company())))
                .filter(editable($scope, project::id))
                .filter($waits)
                .into_boxed::<Db>()
        };
        let rows = match $page.start {
            Start::Page(_) => list().offset($page.offset()),
            Start::After(place) => list().filter(
                $table::updated_at
                    .gt(Val(place.at))
                    .or($table::updated_at.eq(Val(place.at)).and($table::id.gt(Val(place.id)))),
            ),
        };
        let rows = rows.order(($table::updated_at, $table::id)).limit(rows_of($page)).select((
            $table::id,
            $table::title,
            project::id,
            project::name,
            $who.0,
            $who.1,
            $table::updated_at,
            Total(list().count()),
        ));
        let loaded: Vec<WaitingRow> = $unit.rows(rows).await?;
        let total = loaded.first().map(|row| row.7);
        let total = $unit.total(total, $page, || list().count()).await?;
        (loaded, total)
    }};
}

const IDEAS: Constant<BigInt> = constant("(SELECT count(*) FROM idea oc WHERE oc.project_id = project.id)");
const PROPOSALS: Constant<BigInt> = constant("(SELECT count(*) FROM proposal oc WHERE oc.project_id = project.id)");
const DOCUMENTS: Constant<BigInt> = constant("(SELECT count(*) FROM document oc WHERE oc.project_id = project.id)");
const TASKS: Constant<BigInt> = constant("(SELECT count(*) FROM task oc WHERE oc.project_id = project.id)");
const FINISHED_TASKS: Constant<BigInt> =
    constant("(SELECT count(*) FROM task oc WHERE oc.project_id = project.id AND oc.status IN ('done', 'closed'))");

type Counted = Constant<BigInt>;

const COUNTS: (Counted, Counted, Counted, Counted, Counted) = (IDEAS, PROPOSALS, DOCUMENTS, TASKS, FINISHED_TASKS);

type Counts = (i64, i64, i64, i64, i64);

fn progress(row: ProjectRow, (ideas, proposals, documents, tasks, finished): Counts) -> Result<ProjectProgress> {
    Ok(ProjectProgress {
        project: row.read()?,
        ideas: count64(ideas),
        proposals: count64(proposals),
        documents: count64(documents),
        tasks: count64(tasks),
        finished_tasks: count64(finished),
    })
}

/// The place of the project around among those of its group, under the name by which [`FirstOfEach`] knows it.
const NTH: Constant<BigInt> = constant(
    "row_number() OVER (PARTITION BY project.group_id ORDER BY project.updated_at DESC, project.id DESC) AS nth",
);

/// The project around is among the first of each part of `ranked`, a statement that selects ids and [`NTH`].
#[derive(Clone, Copy, Debug)]
struct FirstOfEach<Q> {
    ranked: Q,
    each: i64,
}

impl<Q> Expression for FirstOfEach<Q> {
    type SqlType = Bool;
}
impl<Q> AppearsOnTable<project::table> for FirstOfEach<Q> {}
impl<Q> SelectableExpression<project::table> for FirstOfEach<Q> {}
impl<Q> ValidGrouping<()> for FirstOfEach<Q> {
    type IsAggregate = is_aggregate::No;
}
impl<Q> QueryId for FirstOfEach<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<Db>> QueryFragment<Db> for FirstOfEach<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("project.id IN (SELECT fe.id FROM (");
        self.ranked.walk_ast(out.reborrow())?;
        out.push_sql(") fe WHERE fe.nth <= ");
        out.push_bind_param::<BigInt, _>(&self.each)?;
        out.push_sql(")");
        Ok(())
    }
}

#[async_trait]
impl Overviews for Unit {
    async fn waiting(&mut self, scope: &Scope, for_what: WaitsFor, page: &PageRequest) -> Result<Page<Waiting>> {
        let (loaded, total) = match for_what {
            WaitsFor::Answers => {
                waiting!(self, scope, page, idea, ASKS, (idea::assignee_type, idea::assignee_id))
            }
            WaitsFor::Review => {
                let submitted = proposal::status.eq(Val(ProposalStatus::Pending));
                let by = (proposal::created_by_type.nullable(), proposal::created_by_id.nullable());
                waiting!(self, scope, page, proposal, submitted, by)
            }
            WaitsFor::Verification => {
                let handed_over = task::status.eq(Val(TaskStatus::ToVerify));
                waiting!(self, scope, page, task, handed_over, (task::assignee_type, task::assignee_id))
            }
        };
        let rows = loaded.into_iter().map(|(id, title, project, project_name, kind, who, since, _)| {
            let from = optional_party(kind.as_deref(), who)?;
            let item = Waiting { id, title, project, project_name, from, since };
            Ok(Row { at: Position { rank: 0, at: since, id }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn project_heads(&mut self, scope: &Scope, groups: &[GroupId], each: u32) -> Result<Vec<ProjectProgress>> {
        let ranked = project::table
            .filter(project::company_id.eq(Val(scope.company())))
            .filter(project::group_id.is_null().or(project::group_id.assume_not_null().eq_any(groups.iter().map(Val))))
            .filter(visible(scope, project::id))
            .into_boxed::<Db>()
            .select((project::id, NTH));
        let heads = project::table
            .filter(FirstOfEach { ranked, each: each.into() })
            .order((project::updated_at.desc(), project::id.desc()))
            .select((columns::<ProjectRow>(), COUNTS));
        let heads: Vec<(ProjectRow, Counts)> = self.rows(heads).await?;
        heads.into_iter().map(|(row, counts)| progress(row, counts)).collect()
    }

    async fn projects_within(
        &mut self,
        scope: &Scope,
        within: ProjectsWithin,
        page: &PageRequest,
    ) -> Result<Page<ProjectProgress>> {
        let list = || {
            let list = project::table
                .filter(project::company_id.eq(Val(scope.company())))
                .filter(visible(scope, project::id))
                .into_boxed::<Db>();
            match within {
                ProjectsWithin::Everything => list,
                ProjectsWithin::Group(group) => list.filter(project::group_id.eq(Some(Val(group)))),
                ProjectsWithin::NoGroup => list.filter(project::group_id.is_null()),
            }
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(project::updated_at, project::id, &place)),
        };
        let rows = rows.order((project::updated_at.desc(), project::id.desc())).limit(rows_of(page)).select((
            columns::<ProjectRow>(),
            COUNTS,
            Total(list().count()),
        ));
        let loaded: Vec<(ProjectRow, Counts, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, _, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, counts, _)| {
            let item = progress(row, counts)?;
            Ok(Row { at: Position { rank: 0, at: item.project.updated_at, id: item.project.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }
    async fn at_hand(&mut self, scope: &Scope, user: UserId, limit: u32) -> Result<Vec<AtHand>> {
        visit::at_hand(self, scope, user, limit).await
    }

    async fn note_project_visit(&mut self, user: UserId, project: ProjectId, at: Timestamp) -> Result<()> {
        let noted = visit::note_visit(self.conn(), user, project, at).await;
        self.checked(noted).map(drop)
    }
}
