//! Change events, numbered per entity without gaps.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Kind,
    event::{Change, Event},
};
use chorus_ids::{CompanyId, EventId, ProjectId, Timestamp, Uuid};
use chorus_store::Result;
use diesel::{
    QueryResult,
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::BigInt,
};

use super::{Conn, Db, run::execute};
use crate::{
    fragment::{ROWS, insert_all},
    schema::event,
    stored::subject,
    types::{Label, Uid, Val},
};

/// An event as it is stored.
#[derive(Queryable, Selectable)]
#[diesel(table_name = event, check_for_backend(Db))]
pub(super) struct EventRow {
    pub(super) id: EventId,
    company_id: CompanyId,
    project_id: Option<ProjectId>,
    entity_type: Kind,
    entity_id: Uuid,
    action: Change,
    actor_type: String,
    actor_id: Uuid,
    created_at: Timestamp,
}

impl EventRow {
    pub(super) fn read(self) -> Result<Event> {
        Ok(Event {
            id: self.id,
            company: self.company_id,
            project: self.project_id,
            entity: self.entity_type,
            entity_id: self.entity_id,
            change: self.action,
            actor: subject(&self.actor_type, self.actor_id)?,
            created_at: self.created_at,
        })
    }
}

/// The locks of the entities that new events are about, in the order in which they are taken.
///
/// Those who write events of the same entities at the same time take turns: one that did not wait would find the number
/// taken. They need not hold the entity's row for that, which two commenters don't.
pub(super) fn streams(new: &[Event]) -> Vec<i64> {
    // Of what is new nobody else can know.
    let known = new.iter().filter(|event| event.change != Change::Created);
    known.map(|event| stream(event.entity_id)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Stores new events, each with the next number of its entity; several of one entity in the order given. Whoever does has
/// taken the locks of their [`streams`].
pub(super) async fn insert_events(conn: &mut Conn, new: &[Event]) -> QueryResult<usize> {
    let mut made = 0;
    for new in new.chunks(ROWS) {
        // Counted per statement: it does not see its own rows.
        let mut before = BTreeMap::<(Kind, Uuid), i64>::new();
        let rows = new.iter().map(|new| {
            let place = before.entry((new.entity, new.entity_id)).or_default();
            *place += 1;
            (
                event::id.eq(Val(new.id)),
                event::company_id.eq(Val(new.company)),
                event::project_id.eq(new.project.map(Val)),
                event::entity_type.eq(Val(new.entity)),
                event::entity_id.eq(Val(new.entity_id)),
                event::seq.eq(NextSeq { entity: new.entity, id: new.entity_id, place: *place }),
                event::action.eq(Val(new.change.as_str())),
                event::actor_type.eq(Val(new.actor.kind())),
                event::actor_id.eq(Val(new.actor.uuid())),
                event::created_at.eq(Val(new.created_at)),
            )
        });
        if let Some(insert) = insert_all(event::table, rows) {
            made += execute(conn, insert).await?;
        }
    }
    Ok(made)
}

/// The lock of an entity's events. Two entities may share one, which costs nothing but a wait.
fn stream(entity: Uuid) -> i64 {
    // The end of a UUID of version 7 is random, its beginning the time.
    let (_, low) = entity.as_u64_pair();
    i64::from_be_bytes(low.to_be_bytes())
}

/// The number `place` behind the last of an entity's events.
#[derive(Clone, Copy, Debug)]
struct NextSeq {
    entity: Kind,
    id: Uuid,
    place: i64,
}

impl Expression for NextSeq {
    type SqlType = BigInt;
}
impl<T> AppearsOnTable<T> for NextSeq {}
impl<T> SelectableExpression<T> for NextSeq {}
impl ValidGrouping<()> for NextSeq {
    type IsAggregate = is_aggregate::Never;
}
impl QueryId for NextSeq {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for NextSeq {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(SELECT coalesce(max(es.seq), 0) + ");
        out.push_bind_param::<BigInt, _>(&self.place)?;
        out.push_sql(" FROM event es WHERE es.entity_type = ");
        out.push_bind_param::<Label, _>(&self.entity)?;
        out.push_sql(" AND es.entity_id = ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(")");
        Ok(())
    }
}
