//! Row locks.

use chorus_domain::Kind;
use chorus_ids::Uuid;
use chorus_store::{Hold, Result};
use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Array,
};

use super::{run::execute, unit::Unit};
use crate::types::Uid;

/// Locks rows, in the order given, in one statement.
pub(crate) async fn lock_rows(unit: &mut Unit, rows: Vec<(Kind, Hold, Vec<Uuid>)>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let locked = execute(unit.conn(), RowLocks(rows)).await;
    unit.checked(locked).map(drop)
}

/// A whole statement. What locks rows runs to its end before the next part begins: an append has one part after the other,
/// and what takes locks is never run in parallel.
struct RowLocks(Vec<(Kind, Hold, Vec<Uuid>)>);

/// How rows of a kind are found.
const fn rows_of(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Group => "SELECT 1 FROM (SELECT x.id FROM project_group x WHERE x.id = ANY(",
        Kind::Project => "SELECT 1 FROM (SELECT x.id FROM project x WHERE x.id = ANY(",
        Kind::Idea => "SELECT 1 FROM (SELECT x.id FROM idea x WHERE x.id = ANY(",
        Kind::Proposal => "SELECT 1 FROM (SELECT x.id FROM proposal x WHERE x.id = ANY(",
        Kind::Document => "SELECT 1 FROM (SELECT x.id FROM document x WHERE x.id = ANY(",
        Kind::Task => "SELECT 1 FROM (SELECT x.id FROM task x WHERE x.id = ANY(",
        Kind::User => "SELECT 1 FROM (SELECT x.id FROM app_user x WHERE x.id = ANY(",
        Kind::Agent => "SELECT 1 FROM (SELECT x.id FROM agent x WHERE x.id = ANY(",
        Kind::Session => "SELECT 1 FROM (SELECT x.id FROM agent_session x WHERE x.id = ANY(",
        Kind::Comment | Kind::Reference | Kind::Notification | Kind::Key | Kind::Round => return None,
    })
}

/// How strongly they are held. The weaker of the two exclusive ways lets foreign keys point at the row meanwhile.
const fn held(hold: Hold) -> &'static str {
    match hold {
        Hold::Share => ") ORDER BY x.id FOR SHARE) held",
        Hold::Own => ") ORDER BY x.id FOR NO KEY UPDATE) held",
        Hold::Remove => ") ORDER BY x.id FOR UPDATE) held",
    }
}

impl QueryId for RowLocks {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false; // its text depends on the kinds
}
impl QueryFragment<Pg> for RowLocks {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Few texts are short; strengths that alternate from row to row make others.
        if self.0.len() > 8 {
            out.unsafe_to_cache_prepared();
        }
        for (at, (kind, hold, ids)) in self.0.iter().enumerate() {
            let Some(rows) = rows_of(*kind) else { continue };
            if at > 0 {
                out.push_sql(" UNION ALL ");
            }
            out.push_sql(rows);
            out.push_bind_param::<Array<Uid>, _>(ids)?;
            out.push_sql(held(*hold));
        }
        Ok(())
    }
}
