//! Locks on what has no row, PostgreSQL's alone: elsewhere the unit is the lock.

use diesel::{
    QueryResult,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::BigInt,
};

use super::Db;
use crate::fragment::CACHED_ROWS;

/// A whole statement: takes these locks until the unit ends, in the order given.
pub(super) struct AdvisoryLocks(pub(super) Vec<i64>);

impl QueryId for AdvisoryLocks {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for AdvisoryLocks {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.0.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        for (i, lock) in self.0.iter().enumerate() {
            out.push_sql(if i == 0 { "SELECT pg_advisory_xact_lock(" } else { "), pg_advisory_xact_lock(" });
            out.push_bind_param::<BigInt, _>(lock)?;
        }
        out.push_sql(")");
        Ok(())
    }
}
