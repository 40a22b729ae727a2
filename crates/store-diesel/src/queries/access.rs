//! What changes of access are decided on and what they leave: members, whole projects. Without a scope.

use chorus_domain::{
    Party,
    membership::Person,
    project::{Group, GroupMember, Project, ProjectMember},
    task::Task,
};
use chorus_ids::{CompanyId, GroupId, ProjectId, Timestamp, UserId, Uuid};
use chorus_lifecycle::task::TaskStatus;
use chorus_store::{Contents, Result};
use chorus_visibility::Role;
use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{BigInt, Bool},
};

use super::{
    Conn, Db, columns::columns, group::GroupRow, project::ProjectRow, run::execute, statement::Statement,
    task::TaskRow, unit::Unit,
};
use crate::{
    fragment::{ROWS, fixed},
    schema::{app_user, group_member, project, project_group, project_member, task},
    stored::{count64, optional_party, party},
    types::{Label, Uid, Val},
    visible::list,
};

/// See [`Directory::people`](chorus_store::Directory::people).
pub(super) async fn people(unit: &mut Unit, company: CompanyId) -> Result<Vec<Person>> {
    let people = app_user::table
        .filter(app_user::company_id.eq(Val(company)))
        .filter(app_user::suspended_at.is_null())
        .order((app_user::created_at, app_user::id))
        .select((app_user::id, app_user::name, app_user::email));
    let people: Vec<(UserId, Option<String>, Option<String>)> = unit.rows(people).await?;
    let person = |(id, name, email): (_, Option<String>, Option<String>)| Person {
        id,
        name: name.or_else(|| email.clone()).unwrap_or_else(|| "Unknown".to_owned()),
        email,
    };
    Ok(people.into_iter().map(person).collect())
}

/// See [`Directory::groups_by_id`](chorus_store::Directory::groups_by_id).
pub(super) async fn groups_by_id(unit: &mut Unit, company: CompanyId, ids: &[GroupId]) -> Result<Vec<Group>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let groups = project_group::table
        .filter(project_group::id.eq_any(ids.iter().map(Val)))
        .filter(project_group::company_id.eq(Val(company)))
        .select(columns::<GroupRow>());
    unit.rows(groups).await?.into_iter().map(GroupRow::read).collect()
}

/// See [`Directory::projects_by_id`](chorus_store::Directory::projects_by_id).
pub(super) async fn projects_by_id(unit: &mut Unit, company: CompanyId, ids: &[ProjectId]) -> Result<Vec<Project>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let projects = project::table
        .filter(project::id.eq_any(ids.iter().map(Val)))
        .filter(project::company_id.eq(Val(company)))
        .select(columns::<ProjectRow>());
    unit.rows(projects).await?.into_iter().map(ProjectRow::read).collect()
}

/// See [`Directory::projects_in`](chorus_store::Directory::projects_in).
pub(super) async fn projects_in(unit: &mut Unit, group: GroupId) -> Result<Vec<Project>> {
    let projects = project::table
        .filter(project::group_id.eq(Some(Val(group))))
        .order(project::id)
        .select(columns::<ProjectRow>());
    unit.rows(projects).await?.into_iter().map(ProjectRow::read).collect()
}

/// The columns of a membership behind whose it is.
type MemberRow<T> = (T, UserId, String, Option<String>, Option<Uuid>, Timestamp);

/// See [`Directory::group_members`](chorus_store::Directory::group_members).
pub(super) async fn group_members(unit: &mut Unit, groups: &[GroupId]) -> Result<Vec<GroupMember>> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let members = group_member::table
        .filter(group_member::group_id.eq_any(groups.iter().map(Val)))
        .order((group_member::created_at, group_member::group_id, group_member::user_id))
        .select((
            group_member::group_id,
            group_member::user_id,
            group_member::role,
            group_member::added_by_type,
            group_member::added_by_id,
            group_member::created_at,
        ));
    let rows: Vec<MemberRow<GroupId>> = unit.rows(members).await?;
    let mut members = Vec::with_capacity(rows.len());
    for (group, user, role, by_type, by_id, created_at) in rows {
        // A role that never was one counts as none.
        let Some(role) = Role::read(&role) else { continue };
        let added_by = optional_party(by_type.as_deref(), by_id)?;
        members.push(GroupMember { group, user, role, added_by, created_at });
    }
    Ok(members)
}

/// See [`Directory::project_members`](chorus_store::Directory::project_members).
pub(super) async fn project_members(unit: &mut Unit, projects: &[ProjectId]) -> Result<Vec<ProjectMember>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let members = project_member::table
        .filter(project_member::project_id.eq_any(projects.iter().map(Val)))
        .order((project_member::created_at, project_member::project_id, project_member::user_id))
        .select((
            project_member::project_id,
            project_member::user_id,
            project_member::role,
            project_member::added_by_type,
            project_member::added_by_id,
            project_member::created_at,
        ));
    let rows: Vec<MemberRow<ProjectId>> = unit.rows(members).await?;
    let mut members = Vec::with_capacity(rows.len());
    for (project, user, role, by_type, by_id, created_at) in rows {
        let Some(role) = Role::read(&role) else { continue };
        let added_by = optional_party(by_type.as_deref(), by_id)?;
        members.push(ProjectMember { project, user, role, added_by, created_at });
    }
    Ok(members)
}

/// See [`Directory::contents`](chorus_store::Directory::contents).
pub(super) async fn contents(unit: &mut Unit, projects: &[ProjectId]) -> Result<Contents> {
    if projects.is_empty() {
        return Ok(Contents::default());
    }
    let counted: Option<Counts> = unit.row(Counted { projects }).await?;
    let (ideas, proposals, documents, tasks, claims, comments, references, notifications) = counted.unwrap_or_default();
    Ok(Contents {
        ideas: count64(ideas),
        proposals: count64(proposals),
        documents: count64(documents),
        tasks: count64(tasks),
        claims: count64(claims),
        comments: count64(comments),
        references: count64(references),
        notifications: count64(notifications),
    })
}

/// The columns of [`Counted`].
type Counts = (i64, i64, i64, i64, i64, i64, i64, i64);

/// What is counted, in the order of the columns: each a sum of counts of rows whose project is one of a list.
const COUNTED: [&[&str]; 8] = [
    &["idea x WHERE x.project_id"],
    &["proposal x WHERE x.project_id"],
    &["document x WHERE x.project_id"],
    &["task x WHERE x.project_id"],
    &[
        "task x WHERE x.assignee_id IS NOT NULL AND x.status NOT IN ('done', 'closed') AND x.project_id",
        "idea x WHERE x.assignee_id IS NOT NULL AND x.status <> 'elaborated' AND x.project_id",
    ],
    &[
        "comment c JOIN idea x ON x.id = c.target_id WHERE c.target_type = 'idea' AND x.project_id",
        "comment c JOIN proposal x ON x.id = c.target_id WHERE c.target_type = 'proposal' AND x.project_id",
        "comment c JOIN document x ON x.id = c.target_id WHERE c.target_type = 'document' AND x.project_id",
        "comment c JOIN task x ON x.id = c.target_id WHERE c.target_type = 'task' AND x.project_id",
    ],
    &[
        "reference_artifact c JOIN idea x ON x.id = c.target_id WHERE c.target_type = 'idea' AND x.project_id",
        "reference_artifact c JOIN proposal x ON x.id = c.target_id WHERE c.target_type = 'proposal' AND x.project_id",
        "reference_artifact c JOIN task x ON x.id = c.target_id WHERE c.target_type = 'task' AND x.project_id",
    ],
    &["notification x WHERE x.project_id"],
];

/// A whole statement: see [`COUNTED`].
struct Counted<'p> {
    projects: &'p [ProjectId],
}

impl Query for Counted<'_> {
    type SqlType = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
}
impl QueryId for Counted<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Counted<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        for (column, sum) in COUNTED.iter().enumerate() {
            out.push_sql(if column == 0 { "SELECT " } else { ", " });
            for (term, rows) in sum.iter().enumerate() {
                out.push_sql(if term == 0 { "(SELECT count(*) FROM " } else { " + (SELECT count(*) FROM " });
                out.push_sql(rows);
                out.push_sql(" IN ");
                list(&mut out, self.projects)?;
                out.push_sql(")");
            }
        }
        Ok(())
    }
}

/// See [`Directory::holders_in`](chorus_store::Directory::holders_in).
pub(super) async fn holders_in(unit: &mut Unit, projects: &[ProjectId]) -> Result<Vec<(ProjectId, Party, u64)>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = projects.iter().map(|project| project.uuid()).collect();
    let statement = Statement::<(Uid, Label, Uid, BigInt)>::new(
        "SELECT h.project_id, h.assignee_type, h.assignee_id, count(*) FROM \
         (SELECT x.project_id, x.assignee_type, x.assignee_id FROM task x \
         WHERE x.assignee_id IS NOT NULL AND x.status NOT IN ('done', 'closed') AND x.project_id IN ",
    );
    let statement = statement.ids(&ids).sql(
        " UNION ALL SELECT x.project_id, x.assignee_type, x.assignee_id FROM idea x \
         WHERE x.assignee_id IS NOT NULL AND x.status <> 'elaborated' AND x.project_id IN ",
    );
    let statement = statement.ids(&ids).sql(") h GROUP BY h.project_id, h.assignee_type, h.assignee_id");
    let holders: Vec<(ProjectId, String, Uuid, i64)> = unit.rows(statement).await?;
    let holder =
        |(project, kind, id, count): (ProjectId, String, Uuid, i64)| Ok((project, party(&kind, id)?, count64(count)));
    holders.into_iter().map(holder).collect()
}

/// See [`Directory::awaited_elsewhere`](chorus_store::Directory::awaited_elsewhere).
pub(super) async fn awaited_elsewhere(unit: &mut Unit, projects: &[ProjectId]) -> Result<Vec<Task>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let finished = TaskStatus::ALL.into_iter().filter(|status| status.is_finished());
    let awaited = task::table
        .filter(task::project_id.eq_any(projects.iter().map(Val)))
        .filter(task::status.ne_all(finished.map(Val)))
        .filter(AwaitedOutside { projects })
        .select(columns::<TaskRow>());
    unit.rows(awaited).await?.into_iter().map(|row: TaskRow| row.read(None)).collect()
}

/// An unfinished task outside these projects waits for the task around.
struct AwaitedOutside<'p> {
    projects: &'p [ProjectId],
}

impl Expression for AwaitedOutside<'_> {
    type SqlType = Bool;
}
impl AppearsOnTable<task::table> for AwaitedOutside<'_> {}
impl SelectableExpression<task::table> for AwaitedOutside<'_> {}
impl ValidGrouping<()> for AwaitedOutside<'_> {
    type IsAggregate = is_aggregate::No;
}
impl QueryId for AwaitedOutside<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for AwaitedOutside<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "EXISTS (SELECT 1 FROM task_dependency ad JOIN task aw ON aw.id = ad.task_id \
             WHERE ad.depends_on_id = task.id AND aw.status NOT IN ('done', 'closed') AND aw.project_id NOT IN ",
        );
        list(&mut out, self.projects)?;
        out.push_sql(")");
        Ok(())
    }
}

/// Stores a project as it is now.
pub(super) async fn save_project(conn: &mut Conn, saved: &Project) -> QueryResult<usize> {
    let statement = diesel::update(project::table.find(Val(saved.id))).set((
        project::name.eq(&saved.name),
        project::description.eq(&saved.description),
        project::group_id.eq(saved.group.map(Val)),
        project::visibility.eq(Val(saved.visibility)),
        project::updated_at.eq(Val(saved.updated_at)),
    ));
    execute(conn, fixed(statement)).await
}

/// Removes a project's own member.
pub(super) async fn remove_project_member(conn: &mut Conn, of: ProjectId, user: UserId) -> QueryResult<usize> {
    execute(conn, diesel::delete(project_member::table.find((Val(of), Val(user))))).await
}

/// What no foreign key ties to a project goes first, as long as its project can be told.
const LOOSE: [&str; 13] = [
    "mention WHERE source_type = 'idea' AND source_id IN (SELECT x.id FROM idea x WHERE x.project_id",
    "mention WHERE source_type = 'task' AND source_id IN (SELECT x.id FROM task x WHERE x.project_id",
    "mention WHERE source_type = 'comment' AND source_id IN (SELECT c.id FROM comment c \
     JOIN idea x ON x.id = c.target_id WHERE c.target_type = 'idea' AND x.project_id",
    "mention WHERE source_type = 'comment' AND source_id IN (SELECT c.id FROM comment c \
     JOIN proposal x ON x.id = c.target_id WHERE c.target_type = 'proposal' AND x.project_id",
    "mention WHERE source_type = 'comment' AND source_id IN (SELECT c.id FROM comment c \
     JOIN document x ON x.id = c.target_id WHERE c.target_type = 'document' AND x.project_id",
    "mention WHERE source_type = 'comment' AND source_id IN (SELECT c.id FROM comment c \
     JOIN task x ON x.id = c.target_id WHERE c.target_type = 'task' AND x.project_id",
    "comment WHERE target_type = 'idea' AND target_id IN (SELECT x.id FROM idea x WHERE x.project_id",
    "comment WHERE target_type = 'proposal' AND target_id IN (SELECT x.id FROM proposal x WHERE x.project_id",
    "comment WHERE target_type = 'document' AND target_id IN (SELECT x.id FROM document x WHERE x.project_id",
    "comment WHERE target_type = 'task' AND target_id IN (SELECT x.id FROM task x WHERE x.project_id",
    "reference_artifact WHERE target_type = 'idea' AND target_id IN (SELECT x.id FROM idea x WHERE x.project_id",
    "reference_artifact WHERE target_type = 'proposal' AND target_id IN (SELECT x.id FROM proposal x WHERE x.project_id",
    "reference_artifact WHERE target_type = 'task' AND target_id IN (SELECT x.id FROM task x WHERE x.project_id",
];

/// Removes projects with everything in them.
pub(super) async fn delete_projects(conn: &mut Conn, projects: &[ProjectId]) -> QueryResult<usize> {
    let mut gone = 0;
    for projects in projects.chunks(ROWS) {
        for rows in LOOSE {
            execute(conn, DeleteLoose { rows, projects }).await?;
        }
        let rows = project::table.filter(project::id.eq_any(projects.iter().map(Val)));
        gone += execute(conn, diesel::delete(rows)).await?;
    }
    Ok(gone)
}

/// A whole statement: see [`LOOSE`].
struct DeleteLoose<'p> {
    rows: &'static str,
    projects: &'p [ProjectId],
}

impl QueryId for DeleteLoose<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for DeleteLoose<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("DELETE FROM ");
        out.push_sql(self.rows);
        out.push_sql(" IN ");
        list(&mut out, self.projects)?;
        out.push_sql(")");
        Ok(())
    }
}
