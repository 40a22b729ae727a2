//! Who sees what, as SQL: the rules of `chorus_visibility` in three predicates. A property test compares them.

use chorus_ids::{ProjectId, Uuid};
use chorus_visibility::Scope;
use diesel::{
    QueryResult,
    backend::Backend,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    query_builder::{AstPass, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::{Bool, HasSqlType},
};

use crate::types::Uid;

/// `visible(scope, column)`: the project in `column` is visible to the scope, viewer or higher and inside its restriction
/// (visibility specification §3.1, automatic admins included). For filters, joins and selected columns.
pub(crate) fn visible<C: Expression<SqlType = Uid>>(scope: &Scope, column: C) -> Visible<'_, C> {
    Visible { who: Who::of(scope), column }
}

/// `group_visible(scope, column)`: the group in `column` may be discovered (visibility specification §4): public, or the
/// principal is an explicit member or the automatic admin, or sees a project in it. The scope's restriction narrows only
/// that last way, since it is about projects.
pub(crate) fn group_visible<C: Expression<SqlType = Uid>>(scope: &Scope, column: C) -> GroupVisible<'_, C> {
    GroupVisible { who: Who::of(scope), column }
}

/// `editable(scope, column)`: the project in `column` is visible to the scope, and its user is editor there or higher.
pub(crate) fn editable<C: Expression<SqlType = Uid>>(scope: &Scope, column: C) -> Editable<'_, C> {
    Editable { who: Who::of(scope), column }
}

/// See [`visible`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visible<'s, C> {
    who: Who<'s>,
    column: C,
}

/// See [`group_visible`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupVisible<'s, C> {
    who: Who<'s>,
    column: C,
}

/// See [`editable`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Editable<'s, C> {
    who: Who<'s>,
    column: C,
}

macro_rules! predicate {
    ($($name:ident)+) => { $(
        impl<C> Expression for $name<'_, C> {
            type SqlType = Bool;
        }
        impl<C: AppearsOnTable<T>, T> AppearsOnTable<T> for $name<'_, C> {}
        impl<C: SelectableExpression<T>, T> SelectableExpression<T> for $name<'_, C> {}
        impl<C> ValidGrouping<()> for $name<'_, C> {
            type IsAggregate = is_aggregate::No;
        }
        // Its text depends on the scope.
        impl<C> QueryId for $name<'_, C> {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }
    )+ };
}

predicate! { Visible GroupVisible Editable }

impl<C: QueryFragment<DB>, DB: Backend + HasSqlType<Uid>> QueryFragment<DB> for Visible<'_, C>
where
    Uuid: ToSql<Uid, DB>,
    ProjectId: ToSql<Uid, DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.who.sees(out, |out| self.column.walk_ast(out))
    }
}

impl<C: QueryFragment<DB>, DB: Backend + HasSqlType<Uid>> QueryFragment<DB> for Editable<'_, C>
where
    Uuid: ToSql<Uid, DB>,
    ProjectId: ToSql<Uid, DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.who.reaches(out, EDITORS, |out| self.column.walk_ast(out))
    }
}

impl<C: QueryFragment<DB>, DB: Backend + HasSqlType<Uid>> QueryFragment<DB> for GroupVisible<'_, C>
where
    Uuid: ToSql<Uid, DB>,
    ProjectId: ToSql<Uid, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("EXISTS (SELECT 1 FROM project_group vgg WHERE vgg.id = ");
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(" AND vgg.company_id = ");
        out.push_bind_param::<Uid, _>(&self.who.company)?;
        out.push_sql(" AND (vgg.visibility = 'public'");
        if let Some(user) = &self.who.principal {
            member(&mut out, "group_member vgm WHERE vgm.group_id = vgg.id AND vgm", MEMBERS, user)?;
            if self.who.stands_in {
                out.push_sql(" OR NOT EXISTS (SELECT 1 FROM group_member vgm WHERE vgm.group_id = vgg.id");
                out.push_sql(" AND vgm.role = 'admin')");
            }
        }
        out.push_sql(" OR EXISTS (SELECT 1 FROM project vgp WHERE vgp.group_id = vgg.id AND ");
        self.who.sees(out.reborrow(), |mut out| {
            out.push_sql("vgp.id");
            Ok(())
        })?;
        out.push_sql(")))");
        Ok(())
    }
}

/// What a scope binds.
#[derive(Clone, Copy, Debug)]
struct Who<'s> {
    company: Uuid,
    principal: Option<Uuid>,
    /// Whether the principal is the company's first user, admin wherever there is none.
    stands_in: bool,
    restriction: Option<&'s [ProjectId]>,
}

impl<'s> Who<'s> {
    fn of(scope: &'s Scope) -> Self {
        Self {
            company: scope.company().uuid(),
            principal: scope.principal().map(|user| user.uuid()),
            stands_in: scope.is_automatic_admin_candidate(),
            restriction: scope.restriction(),
        }
    }

    /// The rule about the project whose id `column` writes.
    fn sees<'b, DB>(
        &'b self,
        out: AstPass<'_, 'b, DB>,
        column: impl FnOnce(AstPass<'_, 'b, DB>) -> QueryResult<()>,
    ) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<Uid>,
        Uuid: ToSql<Uid, DB>,
        ProjectId: ToSql<Uid, DB>,
    {
        self.reaches(out, MEMBERS, column)
    }

    /// The same for who has one of these roles, where the floor of a public project does not suffice.
    fn reaches<'b, DB>(
        &'b self,
        mut out: AstPass<'_, 'b, DB>,
        roles: &str,
        column: impl FnOnce(AstPass<'_, 'b, DB>) -> QueryResult<()>,
    ) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<Uid>,
        Uuid: ToSql<Uid, DB>,
        ProjectId: ToSql<Uid, DB>,
    {
        out.push_sql("EXISTS (SELECT 1 FROM project vp LEFT JOIN project_group vg ON vg.id = vp.group_id");
        out.push_sql(" AND vg.company_id = vp.company_id WHERE vp.id = ");
        column(out.reborrow())?;
        out.push_sql(" AND vp.company_id = ");
        out.push_bind_param::<Uid, _>(&self.company)?;
        match self.restriction {
            None => {}
            // An empty list is nothing, never everything.
            Some([]) => out.push_sql(" AND 1 = 0"),
            Some(projects) => {
                out.push_sql(" AND vp.id IN ");
                list(&mut out, projects)?;
            }
        }
        out.push_sql(" AND (vp.visibility = 'public'"); // any other value counts as private
        if let Some(user) = &self.principal {
            member(&mut out, "project_member vm WHERE vm.project_id = vp.id AND vm", roles, user)?;
            member(&mut out, "group_member vm WHERE vm.group_id = vg.id AND vm", roles, user)?;
            if self.stands_in {
                out.push_sql(" OR CASE WHEN vg.id IS NULL THEN NOT EXISTS (SELECT 1 FROM project_member vm");
                out.push_sql(" WHERE vm.project_id = vp.id AND vm.role = 'admin') ELSE NOT EXISTS (SELECT 1");
                out.push_sql(" FROM group_member vm WHERE vm.group_id = vg.id AND vm.role = 'admin') END");
            }
        }
        out.push_sql("))");
        Ok(())
    }
}

/// Every known role.
const MEMBERS: &str = "('viewer', 'editor', 'admin')";
/// Those that may write.
const EDITORS: &str = "('editor', 'admin')";

/// `OR` the user has one of the roles in `rows`, which ends with the alias of the members' table.
fn member<'b, DB>(out: &mut AstPass<'_, 'b, DB>, rows: &str, roles: &str, user: &'b Uuid) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Uid>,
    Uuid: ToSql<Uid, DB>,
{
    out.push_sql(" OR EXISTS (SELECT 1 FROM ");
    out.push_sql(rows);
    out.push_sql(".user_id = ");
    out.push_bind_param::<Uid, _>(user)?;
    out.push_sql(" AND role IN ");
    out.push_sql(roles);
    out.push_sql(")");
    Ok(())
}

/// `(…, …)` with the ids, the last one repeated up to a power of two: lists of any length then share a few statement
/// texts, and so a few prepared statements.
pub(crate) fn list<'b, DB, T>(out: &mut AstPass<'_, 'b, DB>, ids: &'b [T]) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Uid>,
    T: ToSql<Uid, DB>,
{
    out.push_sql("(");
    for i in 0..ids.len().next_power_of_two() {
        if let Some(id) = ids.get(i).or(ids.last()) {
            if i > 0 {
                out.push_sql(", ");
            }
            out.push_bind_param::<Uid, _>(id)?;
        }
    }
    out.push_sql(")");
    Ok(())
}
