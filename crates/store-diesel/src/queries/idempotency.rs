//! First answers by key (README decision 14).

use chorus_ids::{ProjectId, Timestamp};
use chorus_store::{Error, Key, Recall, Result};
use diesel::{
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    query_dsl::methods::FilterDsl,
    sql_types::BigInt,
    upsert::excluded,
};
use serde_json::Value;

use super::{Conn, Db, run::execute, unit::Unit};
use crate::{
    fragment::fixed,
    schema::idempotency,
    stored::{from_json, to_json},
    types::{Stamp, Val},
};

/// 0001-01-01, in microseconds since 1970: older than any answer, and a time to both databases.
const BEGINNING: i64 = -62_135_596_800_000_000;

/// The row of a key.
macro_rules! row_of {
    ($key:expr) => {
        idempotency::table.find((Val($key.caller.uuid()), $key.surface, $key.tool, $key.key.as_str()))
    };
}

/// See [`Tx::recall`](chorus_store::Tx::recall).
pub(super) async fn recall(unit: &mut Unit, key: &Key, now: Timestamp) -> Result<Recall> {
    let taken = take(unit.conn(), key, now).await;
    if unit.checked(taken)? == 1 {
        return Ok(Recall::Mine);
    }
    // A statement of its own: the first one waited for the twin, and still does not see its answer.
    let found = row_of!(key).select((idempotency::fingerprint, idempotency::answer, idempotency::projects));
    let found: Option<(String, Option<String>, Value)> = unit.row(found).await?;
    let Some((fingerprint, answer, projects)) = found else {
        return Err(unit.over(Error::Again("the row of an idempotency key went away".into())));
    };
    if fingerprint != key.fingerprint {
        return Ok(Recall::Reused);
    }
    let Some(answer) = answer else {
        return Err(unit.over(Error::internal("stored: an idempotency key without an answer")));
    };
    let answer = serde_json::from_str(&answer).map_err(|error| Error::Internal(error.into()))?;
    let projects: Vec<String> = from_json(projects)?;
    let projects = projects.iter().map(|id| id.parse()).collect::<Result<_, _>>();
    Ok(Recall::Answered { answer, projects: projects.map_err(|invalid| Error::Internal(Box::new(invalid)))? })
}

/// Takes the key: 1 if it was free or its answer too old, 0 if there is an answer. Waits for a twin that holds it.
async fn take(conn: &mut Conn, key: &Key, now: Timestamp) -> QueryResult<usize> {
    let oldest = Timestamp::from_micros(now.micros().saturating_sub(key.retention_micros).max(BEGINNING));
    let insert = diesel::insert_into(idempotency::table)
        .values((
            idempotency::caller.eq(Val(key.caller.uuid())),
            idempotency::surface.eq(key.surface),
            idempotency::tool.eq(key.tool),
            idempotency::key.eq(&key.key),
            idempotency::fingerprint.eq(&key.fingerprint),
            idempotency::answer.eq(None::<String>),
            idempotency::projects.eq(Val(Value::Array(Vec::new()))),
            idempotency::created_at.eq(Val(now)),
        ))
        .on_conflict((idempotency::caller, idempotency::surface, idempotency::tool, idempotency::key))
        .do_update()
        .set((
            idempotency::fingerprint.eq(excluded(idempotency::fingerprint)),
            idempotency::answer.eq(excluded(idempotency::answer)),
            idempotency::projects.eq(excluded(idempotency::projects)),
            idempotency::created_at.eq(excluded(idempotency::created_at)),
        ));
    execute(conn, fixed(FilterDsl::filter(insert, idempotency::created_at.lt(Val(oldest))))).await
}

/// See [`Tx::remember`](chorus_store::Tx::remember).
pub(super) async fn remember(unit: &mut Unit, key: &Key, answer: &Value, projects: &[ProjectId]) -> Result<()> {
    let projects: Vec<String> = projects.iter().map(ProjectId::to_string).collect();
    let projects = unit.checked(to_json(&projects))?;
    let remember = diesel::update(row_of!(key))
        .set((idempotency::answer.eq(Some(answer.to_string())), idempotency::projects.eq(Val(projects))));
    let remembered = execute(unit.conn(), fixed(remember)).await;
    match unit.checked(remembered)? {
        1 => Ok(()),
        _ => Err(unit.over(Error::internal("an answer is remembered under a key that was not taken"))),
    }
}

/// Removes answers from before a moment, oldest first, at most `limit`.
pub(super) async fn forget_answers(conn: &mut Conn, before: Timestamp, limit: u32) -> QueryResult<usize> {
    execute(conn, ForgetAnswers { before, limit: limit.into() }).await
}

/// A whole statement: no builder has a `DELETE` with a limit. It asks twice how old a row is: one that is used again while
/// this waits for it is not old any more, and only what is asked outside of the list is asked again after a wait.
struct ForgetAnswers {
    before: Timestamp,
    limit: i64,
}

impl QueryId for ForgetAnswers {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}
impl QueryFragment<Db> for ForgetAnswers {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "DELETE FROM idempotency WHERE (caller, surface, tool, key) IN \
             (SELECT o.caller, o.surface, o.tool, o.key FROM idempotency o WHERE o.created_at < ",
        );
        out.push_bind_param::<Stamp, _>(&self.before)?;
        out.push_sql(" ORDER BY o.created_at LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") AND created_at < ");
        out.push_bind_param::<Stamp, _>(&self.before)?;
        Ok(())
    }
}
