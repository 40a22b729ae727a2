//! The columns of a row as text that is made once, not for every statement that selects them.

use std::{
    any::TypeId,
    collections::HashMap,
    marker::PhantomData,
    sync::{LazyLock, PoisonError, RwLock},
};

use diesel::{
    QueryResult, Selectable, SelectableHelper,
    backend::Backend,
    dsl::AsSelect,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping},
    query_builder::{AstPass, QueryBuilder, QueryFragment, QueryId},
};

use super::Db;

/// The texts, by the type of the row. As many as there are types.
static TEXTS: LazyLock<RwLock<HashMap<TypeId, &'static str>>> = LazyLock::new(RwLock::default);

/// Selects a row, as `R::as_select()` does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<R>(PhantomData<fn() -> R>);

/// See [`Columns`]. None of the row's columns may bind a value.
pub(crate) const fn columns<R: Selectable<Db>>() -> Columns<R> {
    Columns(PhantomData)
}

impl<R> Expression for Columns<R>
where
    R: Selectable<Db>,
    AsSelect<R, Db>: Expression,
{
    type SqlType = <AsSelect<R, Db> as Expression>::SqlType;
}
impl<R: Selectable<Db>, T> AppearsOnTable<T> for Columns<R> where AsSelect<R, Db>: AppearsOnTable<T> {}
impl<R: Selectable<Db>, T> SelectableExpression<T> for Columns<R> where AsSelect<R, Db>: SelectableExpression<T> {}
impl<R: Selectable<Db>, G> ValidGrouping<G> for Columns<R>
where
    AsSelect<R, Db>: ValidGrouping<G>,
{
    type IsAggregate = <AsSelect<R, Db> as ValidGrouping<G>>::IsAggregate;
}
impl<R: Selectable<Db>> QueryId for Columns<R>
where
    AsSelect<R, Db>: QueryId,
{
    type QueryId = <AsSelect<R, Db> as QueryId>::QueryId;
    const HAS_STATIC_QUERY_ID: bool = <AsSelect<R, Db> as QueryId>::HAS_STATIC_QUERY_ID;
}
impl<R: Selectable<Db> + 'static> QueryFragment<Db> for Columns<R>
where
    AsSelect<R, Db>: QueryFragment<Db>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(text::<R>()?);
        Ok(())
    }
}

fn text<R: Selectable<Db> + 'static>() -> QueryResult<&'static str>
where
    AsSelect<R, Db>: QueryFragment<Db>,
{
    let row = TypeId::of::<R>();
    if let Some(text) = TEXTS.read().unwrap_or_else(PoisonError::into_inner).get(&row) {
        return Ok(text);
    }
    let mut builder = <Db as Backend>::QueryBuilder::default();
    R::as_select().to_sql(&mut builder, &Db::default())?;
    let text: &'static str = builder.finish().leak();
    TEXTS.write().unwrap_or_else(PoisonError::into_inner).insert(row, text);
    Ok(text)
}
