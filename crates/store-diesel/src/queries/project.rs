//! Projects, groups and their members.

use async_trait::async_trait;
use chorus_domain::project::{Group, GroupMember, Project, ProjectMember};
use chorus_ids::{CompanyId, GroupId, ProjectId, Timestamp, Uuid};
use chorus_store::{
    GroupView, Page, PageRequest, Position, ProjectCounts, ProjectSummary, Projects, Result, Row, Start,
};
use chorus_visibility::{GroupFacts, Principal, Restriction, Role, Scope, Visibility, scope};
use diesel::{
    dsl::exists,
    prelude::*,
    sql_types::{BigInt, Bool},
};

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{Constant, Total, behind, constant, fixed, padded, page_of, rows_of},
    schema::{group_member, project, project_group, project_member},
    stored::{count64, optional_party},
    types::{Uid, Val},
    visible::{group_visible, visible},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = project, check_for_backend(Db))]
pub(super) struct ProjectRow {
    id: ProjectId,
    company_id: CompanyId,
    name: String,
    description: Option<String>,
    group_id: Option<GroupId>,
    visibility: Visibility,
    created_by_type: Option<String>,
    created_by_id: Option<Uuid>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ProjectRow {
    pub(super) fn read(self) -> Result<Project> {
        Ok(Project {
            id: self.id,
            company: self.company_id,
            name: self.name,
            description: self.description,
            group: self.group_id,
            visibility: self.visibility,
            created_by: optional_party(self.created_by_type.as_deref(), self.created_by_id)?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// What is in the project around: ideas, documents, tasks, proposals, activities.
type Counts = (i64, i64, i64, i64, i64);

macro_rules! count_of {
    ($table:literal) => {{
        const COUNT: Constant<BigInt> =
            constant(concat!("(SELECT count(*) FROM ", $table, " pc WHERE pc.project_id = project.id)"));
        COUNT
    }};
}

macro_rules! counts {
    () => {
        (count_of!("idea"), count_of!("document"), count_of!("task"), count_of!("proposal"), count_of!("activity"))
    };
}

fn summary(row: ProjectRow, (ideas, documents, tasks, proposals, activities): Counts) -> Result<ProjectSummary> {
    let counts = ProjectCounts {
        ideas: count64(ideas),
        documents: count64(documents),
        tasks: count64(tasks),
        proposals: count64(proposals),
        activities: count64(activities),
    };
    Ok(ProjectSummary { project: row.read()?, counts })
}

#[async_trait]
impl Projects for Unit {
    async fn project(&mut self, scope: &Scope, id: ProjectId) -> Result<Option<ProjectSummary>> {
        let found = project::table
            .find(Val(id))
            .filter(visible(scope, project::id))
            .select((columns::<ProjectRow>(), counts!()));
        self.row(found).await?.map(|(row, counts)| summary(row, counts)).transpose()
    }

    async fn projects(&mut self, scope: &Scope, page: &PageRequest) -> Result<Page<ProjectSummary>> {
        let list = || {
            project::table
                // Follows from being visible; said again for the index.
                .filter(project::company_id.eq(Val(scope.company())))
                .filter(visible(scope, project::id))
                .into_boxed::<Db>()
        };
        let rows = match page.start {
            Start::Page(_) => list().offset(page.offset()),
            Start::After(place) => list().filter(behind(project::updated_at, project::id, &place)),
        };
        let rows = rows.order((project::updated_at.desc(), project::id.desc())).limit(rows_of(page)).select((
            columns::<ProjectRow>(),
            counts!(),
            Total(list().count()),
        ));
        let loaded: Vec<(ProjectRow, Counts, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, _, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, counts, _)| {
            let item = summary(row, counts)?;
            Ok(Row { at: Position { rank: 0, at: item.project.updated_at, id: item.project.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }

    async fn visible_projects(&mut self, scope: &Scope, among: &[ProjectId]) -> Result<Vec<ProjectId>> {
        if among.is_empty() {
            return Ok(Vec::new());
        }
        let found = project::table
            .filter(project::id.eq_any(padded(among.iter().map(Val))))
            .filter(visible(scope, project::id))
            .select(project::id);
        self.rows(fixed(found)).await
    }

    async fn all_visible_projects(&mut self, scope: &Scope, limit: u32) -> Result<Vec<ProjectId>> {
        let found = project::table
            // Follows from being visible; said again for the index.
            .filter(project::company_id.eq(Val(scope.company())))
            .filter(visible(scope, project::id))
            .order(project::id)
            .limit(limit.into())
            .select(project::id);
        self.rows(found).await
    }

    async fn projects_of_group(&mut self, scope: &Scope, group: GroupId) -> Result<Vec<ProjectId>> {
        let found = project::table
            .filter(project::group_id.eq(Some(Val(group))))
            .filter(group_visible(scope, Val(group).into_sql::<Uid>()))
            .filter(visible(scope, project::id))
            .select(project::id);
        self.rows(found).await
    }
}

const GROUP_HAS_ADMIN: Constant<Bool> =
    constant("EXISTS (SELECT 1 FROM group_member ga WHERE ga.group_id = project_group.id AND ga.role = 'admin')");

/// See [`Directory::group`](chorus_store::Directory::group).
pub(super) async fn group(unit: &mut Unit, principal: &Principal, group: GroupId) -> Result<Option<GroupView>> {
    let scope = scope(principal, Restriction::Everything);
    let role = group_member::table
        .filter(group_member::group_id.eq(Val(group)))
        .filter(group_member::user_id.nullable().eq(principal.user.map(Val)))
        .select(group_member::role)
        .single_value();
    let child = project::table.filter(project::group_id.eq(Some(Val(group)))).filter(visible(&scope, project::id));
    let found = project_group::table
        .find(Val(group))
        .filter(project_group::company_id.eq(Val(principal.company)))
        .select((project_group::name, project_group::visibility, role, GROUP_HAS_ADMIN, exists(child)));
    let found: Option<(String, Visibility, Option<String>, bool, bool)> = unit.row(found).await?;
    let view = found.map(|(name, visibility, role, has_admin, sees_child)| {
        // A role that never was one counts as none.
        let role = role.as_deref().and_then(Role::read);
        GroupView { facts: GroupFacts { id: group, visibility, role, has_admin }, name, sees_child }
    });
    Ok(view)
}

/// Stores a new group.
pub(super) async fn insert_group(conn: &mut Conn, new: &Group) -> QueryResult<usize> {
    let statement = diesel::insert_into(project_group::table).values((
        project_group::id.eq(Val(new.id)),
        project_group::company_id.eq(Val(new.company)),
        project_group::name.eq(&new.name),
        project_group::description.eq(&new.description),
        project_group::visibility.eq(Val(new.visibility)),
        project_group::created_by_type.eq(new.created_by.map(|by| Val(by.kind()))),
        project_group::created_by_id.eq(new.created_by.map(|by| Val(by.uuid()))),
        project_group::access_version.eq(new.access_version),
        project_group::created_at.eq(Val(new.created_at)),
        project_group::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, statement).await
}

/// Stores a user's role in a group; of a member only the role changes.
pub(super) async fn put_group_member(conn: &mut Conn, member: &GroupMember) -> QueryResult<usize> {
    let statement = diesel::insert_into(group_member::table)
        .values((
            group_member::group_id.eq(Val(member.group)),
            group_member::user_id.eq(Val(member.user)),
            group_member::role.eq(Val(member.role)),
            group_member::added_by_type.eq(member.added_by.map(|by| Val(by.kind()))),
            group_member::added_by_id.eq(member.added_by.map(|by| Val(by.uuid()))),
            group_member::created_at.eq(Val(member.created_at)),
        ))
        .on_conflict((group_member::group_id, group_member::user_id))
        .do_update()
        .set(group_member::role.eq(Val(member.role)));
    execute(conn, fixed(statement)).await
}

/// Stores a new project.
pub(super) async fn insert_project(conn: &mut Conn, new: &Project) -> QueryResult<usize> {
    let statement = diesel::insert_into(project::table).values((
        project::id.eq(Val(new.id)),
        project::company_id.eq(Val(new.company)),
        project::name.eq(&new.name),
        project::description.eq(&new.description),
        project::group_id.eq(new.group.map(Val)),
        project::visibility.eq(Val(new.visibility)),
        project::created_by_type.eq(new.created_by.map(|by| Val(by.kind()))),
        project::created_by_id.eq(new.created_by.map(|by| Val(by.uuid()))),
        project::created_at.eq(Val(new.created_at)),
        project::updated_at.eq(Val(new.updated_at)),
    ));
    execute(conn, statement).await
}

/// Stores a user's role in a project; of a member only the role changes.
pub(super) async fn put_project_member(conn: &mut Conn, member: &ProjectMember) -> QueryResult<usize> {
    let statement = diesel::insert_into(project_member::table)
        .values((
            project_member::project_id.eq(Val(member.project)),
            project_member::user_id.eq(Val(member.user)),
            project_member::role.eq(Val(member.role)),
            project_member::added_by_type.eq(member.added_by.map(|by| Val(by.kind()))),
            project_member::added_by_id.eq(member.added_by.map(|by| Val(by.uuid()))),
            project_member::created_at.eq(Val(member.created_at)),
        ))
        .on_conflict((project_member::project_id, project_member::user_id))
        .do_update()
        .set(project_member::role.eq(Val(member.role)));
    execute(conn, fixed(statement)).await
}
