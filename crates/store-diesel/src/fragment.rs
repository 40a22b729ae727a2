//! Pieces of SQL that the query builder does not have, the same text for both databases.

use std::marker::PhantomData;

use chorus_ids::{Timestamp, Uuid};
use chorus_store::{Page, PageRequest, Position, Row, Start};
use diesel::{
    Insertable, QueryResult,
    backend::Backend,
    expression::{AppearsOnTable, Expression, SelectableExpression, TypedExpressionType, ValidGrouping, is_aggregate},
    query_builder::{AstPass, Query, QueryFragment, QueryId, ValuesClause},
    query_source::{QuerySource, Table},
    serialize::ToSql,
    sql_types::{BigInt, Bool, HasSqlType, SqlType},
};

use crate::types::{Stamp, Uid};

/// Constant SQL as an expression of type `ST`. Unlike with `diesel::dsl::sql`, statements that contain it are cached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant<ST> {
    sql: &'static str,
    kind: PhantomData<ST>,
}

/// See [`Constant`]. The text may name the tables of the statement around it, and binds nothing.
pub(crate) const fn constant<ST>(sql: &'static str) -> Constant<ST> {
    Constant { sql, kind: PhantomData }
}

impl<ST: SqlType + TypedExpressionType> Expression for Constant<ST> {
    type SqlType = ST;
}
impl<ST, T> AppearsOnTable<T> for Constant<ST> where Self: Expression {}
impl<ST, T> SelectableExpression<T> for Constant<ST> where Self: Expression {}
impl<ST> ValidGrouping<()> for Constant<ST> {
    type IsAggregate = is_aggregate::No;
}
// The text is no part of the type.
impl<ST> QueryId for Constant<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<ST, DB: Backend> QueryFragment<DB> for Constant<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.sql);
        Ok(())
    }
}

/// Constants whose text is part of their type: a statement that is made of nothing else is found by its type, and its text is
/// made once for each connection instead of each time that it runs.
macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $sql:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, diesel::query_builder::QueryId)]
        struct $name;

        impl diesel::expression::Expression for $name {
            type SqlType = $type;
        }
        impl<T> diesel::expression::AppearsOnTable<T> for $name {}
        impl<T> diesel::expression::SelectableExpression<T> for $name {}
        impl diesel::expression::ValidGrouping<()> for $name {
            type IsAggregate = diesel::expression::is_aggregate::No;
        }
        impl<DB: diesel::backend::Backend> diesel::query_builder::QueryFragment<DB> for $name {
            fn walk_ast<'b>(&'b self, mut out: diesel::query_builder::AstPass<'_, 'b, DB>) -> diesel::QueryResult<()> {
                out.push_sql($sql);
                Ok(())
            }
        }
    )+ };
}
pub(crate) use constants;

/// A statement that counts, as a value of the one around it. It does not look at the rows around it, so the database
/// runs it once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total<Q>(pub(crate) Q);

impl<Q> Expression for Total<Q> {
    type SqlType = BigInt;
}
impl<Q, T> AppearsOnTable<T> for Total<Q> {}
impl<Q, T> SelectableExpression<T> for Total<Q> {}
impl<Q> ValidGrouping<()> for Total<Q> {
    type IsAggregate = is_aggregate::No;
}
impl<Q> QueryId for Total<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Total<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(");
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}

/// The row stands behind a place in a list that is sorted by time and id, both falling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behind<A, I> {
    at: A,
    id: I,
    place: (Timestamp, Uuid),
}

/// See [`Behind`]. Comparing both columns at once lets an index on them begin at the place.
pub(crate) const fn behind<A, I>(at: A, id: I, place: &Position) -> Behind<A, I>
where
    A: Expression<SqlType = Stamp>,
    I: Expression<SqlType = Uid>,
{
    Behind { at, id, place: (place.at, place.id) }
}

impl<A, I> Expression for Behind<A, I> {
    type SqlType = Bool;
}
impl<A: AppearsOnTable<T>, I: AppearsOnTable<T>, T> AppearsOnTable<T> for Behind<A, I> {}
impl<A: SelectableExpression<T>, I: SelectableExpression<T>, T> SelectableExpression<T> for Behind<A, I> {}
impl<A, I> ValidGrouping<()> for Behind<A, I> {
    type IsAggregate = is_aggregate::No;
}
impl<A: QueryId, I: QueryId> QueryId for Behind<A, I> {
    type QueryId = Behind<A::QueryId, I::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = A::HAS_STATIC_QUERY_ID && I::HAS_STATIC_QUERY_ID;
}
impl<A, I, DB> QueryFragment<DB> for Behind<A, I>
where
    A: QueryFragment<DB>,
    I: QueryFragment<DB>,
    DB: Backend + HasSqlType<Stamp> + HasSqlType<Uid>,
    Timestamp: ToSql<Stamp, DB>,
    Uuid: ToSql<Uid, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(");
        self.at.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        self.id.walk_ast(out.reborrow())?;
        out.push_sql(") < (");
        out.push_bind_param::<Stamp, _>(&self.place.0)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.place.1)?;
        out.push_sql(")");
        Ok(())
    }
}

/// Several rows in one `INSERT`, which diesel-async does not offer for SQLite.
pub(crate) struct InsertAll<T: QuerySource, V> {
    table: T::FromClause,
    // INVARIANT (rows): not empty.
    rows: Vec<ValuesClause<V, T>>,
}

/// See [`InsertAll`]. `None` without rows: there is nothing to run then.
pub(crate) fn insert_all<T, R, V>(table: T, rows: impl IntoIterator<Item = R>) -> Option<InsertAll<T, V>>
where
    T: Table,
    R: Insertable<T, Values = ValuesClause<V, T>>,
{
    let rows: Vec<_> = rows.into_iter().map(Insertable::values).collect();
    (!rows.is_empty()).then(|| InsertAll { table: table.from_clause(), rows })
}

/// Statements with more rows than this are not cached: every number of rows is a text of its own.
pub(crate) const CACHED_ROWS: usize = 16;

impl<T: QuerySource, V> QueryId for InsertAll<T, V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<T, V, DB> QueryFragment<DB> for InsertAll<T, V>
where
    T: QuerySource,
    T::FromClause: QueryFragment<DB>,
    V: QueryFragment<DB>,
    ValuesClause<V, T>: QueryFragment<DB>,
    DB: Backend,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if self.rows.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql("INSERT INTO ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" ");
        for (i, row) in self.rows.iter().enumerate() {
            if i == 0 {
                row.walk_ast(out.reborrow())?; // with the names of the columns
            } else {
                out.push_sql(", (");
                row.values.walk_ast(out.reborrow())?;
                out.push_sql(")");
            }
        }
        Ok(())
    }
}

/// Rows of one statement at most. A row binds up to 32 values, and SQLite takes 32,766 of them.
pub(crate) const ROWS: usize = 1_000;

/// Rows in one `INSERT`, with a rule for those that meet one that is there.
pub(crate) struct OnConflict<I> {
    insert: I,
    rule: &'static str,
}

/// See [`OnConflict`]. The rule is the clause itself, with a blank before it.
pub(crate) const fn on_conflict<I>(insert: I, rule: &'static str) -> OnConflict<I> {
    OnConflict { insert, rule }
}

/// The rows that are not there yet; the others stay as they are.
pub(crate) const fn or_nothing<I>(insert: I) -> OnConflict<I> {
    on_conflict(insert, " ON CONFLICT DO NOTHING")
}

impl<I> QueryId for OnConflict<I> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<I: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for OnConflict<I> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.insert.walk_ast(out.reborrow())?;
        out.push_sql(self.rule);
        Ok(())
    }
}

/// A statement whose text is always the same, or one of a few, which the builder can't know of an `UPDATE` or of a list of
/// values: it is prepared once.
pub(crate) struct Fixed<Q>(Q);

/// See [`Fixed`]. Lists of values in it have to be [`padded`].
pub(crate) const fn fixed<Q>(statement: Q) -> Fixed<Q> {
    Fixed(statement)
}

impl<Q: Query> Query for Fixed<Q> {
    type SqlType = Q::SqlType;
}
impl<Q> QueryId for Fixed<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<Q: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Fixed<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

/// Values for `eq_any`, the last one repeated up to a power of two: where each number of values is a text of its own, lists
/// of any length then share a few.
pub(crate) fn padded<T: Clone>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    if let Some(last) = values.last().cloned() {
        values.resize(values.len().next_power_of_two(), last);
    }
    values
}

/// How many rows to load for a page: one more than it holds, which says whether rows follow.
pub(crate) const fn rows_of(page: &PageRequest) -> i64 {
    page.size.get() as i64 + 1
}

/// Whether a list without rows from here on may have some before.
pub(crate) fn may_have_more_before(page: &PageRequest) -> bool {
    page.start != Start::Page(1)
}

/// The page made of what [`rows_of`] loaded.
pub(crate) fn page_of<T>(mut rows: Vec<Row<T>>, total: u64, page: &PageRequest) -> Page<T> {
    let size = page.size.get() as usize;
    let more = rows.len() > size;
    rows.truncate(size);
    Page { rows, total, more }
}
