//! Tests that run on both databases.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod applying;
mod counting;
mod deleting;
mod fates;
mod locating;
mod mentioning;
mod migrating;
mod preparing;
mod searching;
mod searching_many;
mod units;
mod values;
mod visibility;

use chorus_ids::{CompanyId, GroupId, IdeaId, ProjectId, TaskId, Timestamp, UserId, Uuid};
use diesel::{QueryResult, prelude::*};

use super::{Conn, RunQueryDsl, harness, pool::Backend, unit::Unit};
use crate::{
    schema,
    testing::TestDb,
    types::{Uid, Val},
};

const NOW: Timestamp = Timestamp::from_micros(1_796_062_951_123_456);
const COMPANY: CompanyId = CompanyId::from_u128(0xC0);
const USER: UserId = UserId::from_u128(0xA1);
pub(super) const PROJECT: ProjectId = ProjectId::from_u128(0xB1);
const OTHER_PROJECT: ProjectId = ProjectId::from_u128(0xB2);

/// A database with one company, one user and two public projects.
pub(super) async fn inhabited() -> (TestDb, Backend) {
    let db = harness::migrated().await;
    let backend = harness::backend(db.url());
    let mut unit = backend.begin().await.unwrap();
    let conn = unit.conn();
    company(conn, COMPANY).await.unwrap();
    user(conn, USER, COMPANY).await.unwrap();
    project(conn, PROJECT, COMPANY, None, "public").await.unwrap();
    project(conn, OTHER_PROJECT, COMPANY, None, "public").await.unwrap();
    unit.commit().await.unwrap();
    (db, backend)
}

async fn company(conn: &mut Conn, id: CompanyId) -> QueryResult<usize> {
    use schema::company as t;
    let row = (t::id.eq(Val(id)), t::name.eq("Company"), t::created_at.eq(Val(NOW)));
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn user(conn: &mut Conn, id: UserId, company: CompanyId) -> QueryResult<usize> {
    use schema::app_user as t;
    let row = (t::id.eq(Val(id)), t::company_id.eq(Val(company)), t::created_at.eq(Val(NOW)));
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn group(conn: &mut Conn, id: GroupId, company: CompanyId, visibility: &'static str) -> QueryResult<usize> {
    use schema::project_group as t;
    let row = (
        t::id.eq(Val(id)),
        t::company_id.eq(Val(company)),
        t::name.eq("Group"),
        t::visibility.eq(Val(visibility)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn project(
    conn: &mut Conn,
    id: ProjectId,
    company: CompanyId,
    group: Option<GroupId>,
    visibility: &'static str,
) -> QueryResult<usize> {
    use schema::project as t;
    let row = (
        t::id.eq(Val(id)),
        t::company_id.eq(Val(company)),
        t::name.eq("Project"),
        t::group_id.eq(group.map(Val)),
        t::visibility.eq(Val(visibility)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn project_member(conn: &mut Conn, project: ProjectId, user: UserId, role: &'static str) -> QueryResult<usize> {
    use schema::project_member as t;
    let row =
        (t::project_id.eq(Val(project)), t::user_id.eq(Val(user)), t::role.eq(Val(role)), t::created_at.eq(Val(NOW)));
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn group_member(conn: &mut Conn, group: GroupId, user: UserId, role: &'static str) -> QueryResult<usize> {
    use schema::group_member as t;
    let row = (t::group_id.eq(Val(group)), t::user_id.eq(Val(user)), t::role.eq(Val(role)), t::created_at.eq(Val(NOW)));
    diesel::insert_into(t::table).values(row).execute(conn).await
}

pub(super) async fn idea(conn: &mut Conn, id: IdeaId, project: ProjectId, title: &str) -> QueryResult<usize> {
    use schema::idea as t;
    let row = (
        t::id.eq(Val(id)),
        t::company_id.eq(Val(COMPANY)),
        t::project_id.eq(Val(project)),
        t::title.eq(title),
        t::created_by_type.eq(Val("user")),
        t::created_by_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await
}

async fn task(conn: &mut Conn, id: TaskId, project: ProjectId, priority: &'static str) -> QueryResult<usize> {
    use schema::task as t;
    let row = (
        t::id.eq(Val(id)),
        t::company_id.eq(Val(COMPANY)),
        t::project_id.eq(Val(project)),
        t::title.eq("Task"),
        t::priority.eq(Val(priority)),
        t::created_by_type.eq(Val("user")),
        t::created_by_id.eq(Val(USER)),
        t::created_at.eq(Val(NOW)),
        t::updated_at.eq(Val(NOW)),
    );
    diesel::insert_into(t::table).values(row).execute(conn).await
}

pub(super) async fn titles(backend: &Backend) -> Vec<String> {
    let mut unit = backend.read().await.unwrap();
    let found = schema::idea::table.order(schema::idea::title).select(schema::idea::title).load(unit.conn()).await;
    unit.checked(found).unwrap()
}
