//! Which projects somebody has at hand.

use chorus_ids::{ProjectId, Timestamp, UserId};
use chorus_store::{AtHand, Result};
use chorus_visibility::Scope;
use diesel::{QueryResult, prelude::*};

use super::{Conn, columns::columns, project::ProjectRow, run::execute, statement::Statement, unit::Unit};
use crate::{
    schema::{project, project_visit},
    types::Val,
    visible::visible,
};

/// See [`Overviews::at_hand`](chorus_store::Overviews::at_hand).
pub(super) async fn at_hand(unit: &mut Unit, scope: &Scope, user: UserId, limit: u32) -> Result<Vec<AtHand>> {
    let found = project_visit::table
        .inner_join(project::table)
        .filter(project_visit::user_id.eq(Val(user)))
        .filter(project::company_id.eq(Val(scope.company())))
        .filter(visible(scope, project::id))
        .order((
            project_visit::pinned_at.is_null(),
            project_visit::pinned_at,
            project_visit::last_visited_at.desc(),
            project::id,
        ))
        .limit(limit.into())
        .select((columns::<ProjectRow>(), project_visit::pinned_at));
    let found: Vec<(ProjectRow, Option<Timestamp>)> = unit.rows(found).await?;
    found.into_iter().map(|(row, pinned)| Ok(AtHand { project: row.read()?, pinned: pinned.is_some() })).collect()
}

/// Notes that somebody opened a project.
pub(super) async fn note_visit(conn: &mut Conn, user: UserId, project: ProjectId, at: Timestamp) -> QueryResult<usize> {
    let statement = Statement::<()>::new("INSERT INTO project_visit (user_id, project_id, last_visited_at) VALUES (")
        .id(user.uuid())
        .sql(", ")
        .id(project.uuid())
        .sql(", ")
        .at(at)
        .sql(
            ") ON CONFLICT (user_id, project_id) DO UPDATE SET last_visited_at = excluded.last_visited_at \
             WHERE project_visit.last_visited_at < excluded.last_visited_at",
        );
    execute(conn, statement).await
}

/// Pins a project; one that is pinned keeps its place.
pub(super) async fn pin_project(
    conn: &mut Conn,
    user: UserId,
    project: ProjectId,
    at: Timestamp,
) -> QueryResult<usize> {
    let insert = "INSERT INTO project_visit (user_id, project_id, last_visited_at, pinned_at) VALUES (";
    let statement = Statement::<()>::new(insert)
        .id(user.uuid())
        .sql(", ")
        .id(project.uuid())
        .sql(", ")
        .at(at)
        .sql(", ")
        .at(at)
        .sql(
            ") ON CONFLICT (user_id, project_id) DO UPDATE SET \
             pinned_at = coalesce(project_visit.pinned_at, excluded.pinned_at)",
        );
    execute(conn, statement).await
}

/// Unpins a project; one that is not pinned is fine.
pub(super) async fn unpin_project(conn: &mut Conn, user: UserId, project: ProjectId) -> QueryResult<usize> {
    let visit = project_visit::table.find((Val(user), Val(project)));
    execute(conn, diesel::update(visit).set(project_visit::pinned_at.eq(None::<Val<Timestamp>>))).await
}
