//! The audit log.

use chorus_store::AuditEntry;
use diesel::prelude::*;
use serde_json::json;

use super::{Conn, run::execute};
use crate::{schema::audit, types::Val};

/// How the operation ended. Only what was done is written, in the unit that did it.
const DONE: &str = "done";

/// Stores a row of the log.
pub(super) async fn insert_audit(conn: &mut Conn, entry: &AuditEntry) -> QueryResult<usize> {
    let entities = entry.entities.iter().map(|(kind, id)| json!({ "type": kind.as_str(), "uuid": id.to_string() }));
    let statement = diesel::insert_into(audit::table).values((
        audit::id.eq(Val(entry.id)),
        audit::company_id.eq(Some(Val(entry.caller.company))),
        audit::subject_type.eq(Val(entry.caller.subject.kind())),
        audit::subject_id.eq(Val(entry.caller.subject.uuid())),
        audit::via.eq(Val(entry.caller.via.as_str())),
        audit::surface.eq(entry.surface),
        audit::operation.eq(entry.operation),
        audit::outcome.eq(DONE),
        audit::entities.eq(Val(entities.collect::<serde_json::Value>())),
        audit::created_at.eq(Val(entry.at)),
    ));
    execute(conn, statement).await
}
