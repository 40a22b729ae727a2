//! Running statements that return rows.
//!
//! The futures are boxed here. Otherwise each read's future would carry the type of its whole statement, and the compiler
//! would have to prove all of it `Send` again in each function above: minutes, for this crate.

use std::future::ready;

use chorus_store::{PageRequest, Result};
use diesel::{OptionalExtension, QueryResult};
use futures_util::future::BoxFuture;

use super::{Conn, ExecuteDsl, LoadQuery, RunQueryDsl, unit::Unit};
use crate::{fragment::may_have_more_before, stored::count64};

impl Unit {
    /// Every row of a statement.
    pub(super) fn rows<'u, U, Q>(&'u mut self, statement: Q) -> BoxFuture<'u, Result<Vec<U>>>
    where
        U: Send + 'u,
        Q: LoadQuery<'u, Conn, U> + Send + 'u,
    {
        Box::pin(async move {
            let loaded = statement.load(self.conn()).await;
            self.checked(loaded)
        })
    }

    /// The first row of a statement, if it has any.
    pub(super) fn row<'u, U, Q>(&'u mut self, statement: Q) -> BoxFuture<'u, Result<Option<U>>>
    where
        U: Send + 'u,
        Q: LoadQuery<'u, Conn, U> + Send + 'u,
    {
        Box::pin(async move {
            let loaded = statement.get_result(self.conn()).await.optional();
            self.checked(loaded)
        })
    }

    /// How many rows a whole list has: what stands beside the first row that was loaded, or what `list` counts where the
    /// page lies behind the end.
    pub(super) fn total<'u, Q>(
        &'u mut self,
        beside: Option<i64>,
        page: &PageRequest,
        list: impl FnOnce() -> Q,
    ) -> BoxFuture<'u, Result<u64>>
    where
        Q: LoadQuery<'u, Conn, i64> + Send + 'u,
    {
        match beside {
            Some(total) => Box::pin(ready(Ok(count64(total)))),
            None if may_have_more_before(page) => {
                let counted = self.count(list());
                Box::pin(async move { counted.await.map(count64) })
            }
            None => Box::pin(ready(Ok(0))),
        }
    }

    /// What a statement counts.
    pub(super) fn count<'u, Q>(&'u mut self, statement: Q) -> BoxFuture<'u, Result<i64>>
    where
        Q: LoadQuery<'u, Conn, i64> + Send + 'u,
    {
        Box::pin(async move {
            let counted = statement.get_result(self.conn()).await;
            self.checked(counted)
        })
    }
}

/// Runs a statement that returns no rows; how many it touched.
pub(super) fn execute<'c, Q>(conn: &'c mut Conn, statement: Q) -> BoxFuture<'c, QueryResult<usize>>
where
    Q: ExecuteDsl<Conn> + Send + 'c,
{
    Box::pin(async move { statement.execute(conn).await })
}
