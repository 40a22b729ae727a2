//! Locks on what has no row, PostgreSQL's alone: elsewhere the unit is the lock.

use chorus_store::Result;
use diesel::{
    QueryResult,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{BigInt, SmallInt},
};

use super::{Db, ROW_LOCKS, run::execute, unit::Unit};
use crate::{
    fragment::CACHED_ROWS,
    pg::named::{NamedLocks, slot},
};

impl Unit {
    /// Takes the locks of these numbers until the unit ends, in the order given.
    pub(super) async fn lock_named(&mut self, numbers: Vec<i64>) -> Result<()> {
        if !ROW_LOCKS || numbers.is_empty() {
            return Ok(());
        }
        let locked = match self.named_locks() {
            NamedLocks::Advisory => execute(self.conn(), Advisory(numbers)).await,
            NamedLocks::Rows => {
                let mut slots: Vec<i16> = numbers.into_iter().map(slot).collect();
                slots.sort_unstable();
                slots.dedup();
                execute(self.conn(), Rows(slots)).await
            }
        };
        self.checked(locked).map(drop)
    }
}

/// A whole statement: takes these advisory locks.
struct Advisory(Vec<i64>);

impl QueryId for Advisory {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Advisory {
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

/// A whole statement: takes the rows that stand for locks.
struct Rows(Vec<i16>);

impl QueryId for Rows {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Rows {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        if self.0.len() > CACHED_ROWS {
            out.unsafe_to_cache_prepared();
        }
        for (i, slot) in self.0.iter().enumerate() {
            out.push_sql(if i == 0 { "SELECT id FROM lock_slot WHERE id IN (" } else { ", " });
            out.push_bind_param::<SmallInt, _>(slot)?;
        }
        out.push_sql(") ORDER BY id FOR UPDATE");
        Ok(())
    }
}
