//! Groups of projects: lists, what their visible projects add up to, and their rows.

use async_trait::async_trait;
use chorus_domain::{
    activity::Activity,
    project::{Group, Project},
};
use chorus_ids::{CompanyId, GroupId, Timestamp, UserId, Uuid};
use chorus_lifecycle::{idea::IdeaStatus, proposal::ProposalStatus, task::TaskStatus};
use chorus_store::{
    GroupSummary, GroupTotals, GroupedProject, Groups, Page, PageRequest, Position, Result, Row, Start,
};
use chorus_visibility::{Scope, Visibility};
use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::BigInt,
};

use super::{Conn, Db, activity::ActivityRow, columns::columns, project::ProjectRow, run::execute, unit::Unit};
use crate::{
    fragment::{Constant, Total, constant, fixed, page_of, rows_of},
    schema::{activity, group_member, idea, project, project_group, proposal, task},
    stored::{count64, optional_party},
    types::{Uid, Val},
    visible::{Visible, group_visible, visible},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = project_group, check_for_backend(Db))]
pub(super) struct GroupRow {
    id: GroupId,
    company_id: CompanyId,
    name: String,
    description: String,
    visibility: Visibility,
    created_by_type: Option<String>,
    created_by_id: Option<Uuid>,
    access_version: i32,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl GroupRow {
    pub(super) fn read(self) -> Result<Group> {
        Ok(Group {
            id: self.id,
            company: self.company_id,
            name: self.name,
            description: self.description,
            visibility: self.visibility,
            created_by: optional_party(self.created_by_type.as_deref(), self.created_by_id)?,
            access_version: self.access_version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// How many projects of the group around the scope sees.
#[derive(Clone, Copy, Debug)]
struct VisibleChildren<'s>(Visible<'s, Constant<Uid>>);

impl<'s> VisibleChildren<'s> {
    fn of(scope: &'s Scope) -> Self {
        Self(visible(scope, constant("gp.id")))
    }
}

impl Expression for VisibleChildren<'_> {
    type SqlType = BigInt;
}
impl AppearsOnTable<project_group::table> for VisibleChildren<'_> {}
impl SelectableExpression<project_group::table> for VisibleChildren<'_> {}
impl ValidGrouping<()> for VisibleChildren<'_> {
    type IsAggregate = is_aggregate::No;
}
impl QueryId for VisibleChildren<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for VisibleChildren<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(SELECT count(*) FROM project gp WHERE gp.group_id = project_group.id AND ");
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}

const TASKS: Constant<BigInt> = constant("(SELECT count(*) FROM task gt WHERE gt.project_id = project.id)");

const FINISHED_TASKS: Constant<BigInt> =
    constant("(SELECT count(*) FROM task gt WHERE gt.project_id = project.id AND gt.status IN ('done', 'closed'))");

/// What counts as finished work in a group's figures.
const FINISHED: [TaskStatus; 2] = [TaskStatus::Done, TaskStatus::Closed];
/// Ideas that still need thought.
const OPEN: [IdeaStatus; 2] = [IdeaStatus::Open, IdeaStatus::Elaborating];
/// Proposals that still need somebody.
const ACTIVE: [ProposalStatus; 2] = [ProposalStatus::Draft, ProposalStatus::Pending];

/// Counts rows of a table in the visible projects of a group.
macro_rules! in_group {
    ($table:ident, $scope:expr, $group:expr) => {
        $table::table
            .inner_join(project::table)
            .filter(project::group_id.eq(Some(Val($group))))
            .filter(visible($scope, project::id))
            .into_boxed::<Db>()
    };
}

#[async_trait]
impl Groups for Unit {
    async fn groups(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<GroupSummary>> {
        let list = || {
            project_group::table
                // Follows from being visible; said again for the index.
                .filter(project_group::company_id.eq(Val(scope.company())))
                .filter(group_visible(scope, project_group::id))
                .into_boxed::<Db>()
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            // The first condition follows from the second; it lets an index begin at the place.
            Start::After(place) => list().filter(
                project_group::created_at
                    .ge(Val(place.at))
                    .and(project_group::created_at.gt(Val(place.at)).or(project_group::id.gt(Val(place.id)))),
            ),
        };
        let rows = rows.order((project_group::created_at, project_group::id)).limit(rows_of(page)).select((
            columns::<GroupRow>(),
            VisibleChildren::of(scope),
            Total(list().count()),
        ));
        let loaded: Vec<(GroupRow, i64, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, _, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, projects, _)| {
            let item = GroupSummary { group: row.read()?, projects: count64(projects) };
            Ok(Row { at: Position { rank: 0, at: item.group.created_at, id: item.group.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn group(&mut self, scope: &Scope, id: GroupId) -> Result<Option<Group>> {
        let found = project_group::table
            .find(Val(id))
            .filter(group_visible(scope, project_group::id))
            .select(columns::<GroupRow>());
        self.row(found).await?.map(GroupRow::read).transpose()
    }

    async fn ungrouped_projects(&mut self, scope: &Scope) -> Result<u64> {
        let ungrouped = project::table
            .filter(project::company_id.eq(Val(scope.company())))
            .filter(project::group_id.is_null())
            .filter(visible(scope, project::id))
            .count();
        self.count(ungrouped).await.map(count64)
    }

    async fn grouped_projects(&mut self, scope: &Scope, group: GroupId, limit: u32) -> Result<Vec<GroupedProject>> {
        let found = project::table
            .filter(project::group_id.eq(Some(Val(group))))
            .filter(visible(scope, project::id))
            .order((project::updated_at.desc(), project::id.desc()))
            .limit(limit.into())
            .select((columns::<ProjectRow>(), TASKS, FINISHED_TASKS));
        let found: Vec<(ProjectRow, i64, i64)> = self.rows(found).await?;
        let found = found.into_iter().map(|(row, tasks, finished)| {
            let project: Project = row.read()?;
            Ok(GroupedProject { project, tasks: count64(tasks), finished_tasks: count64(finished) })
        });
        found.collect()
    }

    async fn group_totals(&mut self, scope: &Scope, group: GroupId) -> Result<GroupTotals> {
        let projects = project::table
            .filter(project::group_id.eq(Some(Val(group))))
            .filter(visible(scope, project::id))
            .into_boxed::<Db>();
        let totals = diesel::select((
            Total(projects.count()),
            Total(in_group!(task, scope, group).count()),
            Total(in_group!(task, scope, group).filter(task::status.eq_any(FINISHED.map(Val))).count()),
            Total(in_group!(idea, scope, group).filter(idea::status.eq_any(OPEN.map(Val))).count()),
            Total(in_group!(proposal, scope, group).filter(proposal::status.eq_any(ACTIVE.map(Val))).count()),
        ));
        let totals: Option<(i64, i64, i64, i64, i64)> = self.row(fixed(totals)).await?;
        let (projects, tasks, finished, ideas, proposals) = totals.unwrap_or_default();
        Ok(GroupTotals {
            projects: count64(projects),
            tasks: count64(tasks),
            finished_tasks: count64(finished),
            open_ideas: count64(ideas),
            active_proposals: count64(proposals),
        })
    }

    async fn group_activities(&mut self, scope: &Scope, group: GroupId, limit: u32) -> Result<Vec<(Activity, String)>> {
        let newest = in_group!(activity, scope, group)
            .order((activity::created_at.desc(), activity::id.desc()))
            .limit(limit.into())
            .select((columns::<ActivityRow>(), project::name));
        let newest: Vec<(ActivityRow, String)> = self.rows(newest).await?;
        newest.into_iter().map(|(row, name)| Ok((row.read()?, name))).collect()
    }
}

/// Stores a group as it is now.
pub(super) async fn save_group(conn: &mut Conn, group: &Group) -> QueryResult<usize> {
    let statement = diesel::update(project_group::table.find(Val(group.id))).set((
        project_group::name.eq(&group.name),
        project_group::description.eq(&group.description),
        project_group::visibility.eq(Val(group.visibility)),
        project_group::access_version.eq(group.access_version),
        project_group::updated_at.eq(Val(group.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Removes an explicit member of a group.
pub(super) async fn remove_group_member(conn: &mut Conn, group: GroupId, user: UserId) -> QueryResult<usize> {
    execute(conn, diesel::delete(group_member::table.find((Val(group), Val(user))))).await
}

/// Removes a group that has no projects any more. Its log stays.
pub(super) async fn delete_group(conn: &mut Conn, group: GroupId) -> QueryResult<usize> {
    execute(conn, diesel::delete(project_group::table.find(Val(group)))).await
}
