//! Telling what was committed: by looking at the end of the table of events.

use std::time::Duration;

use chorus_store::Result;
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Bool},
};
use tokio::time::sleep;

use super::{columns::columns, event::EventRow, pool::Backend};
use crate::{
    bus::{LOOK, Voice, persist},
    schema::event,
};

/// How often commits of other processes are looked for. Those of this process ring.
const INTERVAL: Duration = Duration::from_millis(250);

/// Tells for ever. SQLite has one writer at a time and events are never deleted, so that the number of a row says in
/// which order they were committed, whichever process did it.
pub(crate) async fn tell(backend: Backend, voice: Voice) {
    persist(|| tell_on(&backend, &voice)).await;
}

async fn tell_on(backend: &Backend, voice: &Voice) -> Result<std::convert::Infallible> {
    let mut last = last(backend).await?;
    voice.connected();
    loop {
        tokio::select! {
            () = backend.bell.rung() => {}
            () = sleep(INTERVAL) => {}
        }
        loop {
            let rows = behind(backend, last).await?;
            let whole = (rows.len() as i64) < LOOK;
            last = rows.last().map_or(last, |(row, _)| *row);
            voice.changed(rows.into_iter().map(|(_, row)| row.read()).collect::<Result<_>>()?);
            if whole {
                break;
            }
        }
    }
}

/// The number of the last row.
async fn last(backend: &Backend) -> Result<i64> {
    let last = event::table.select(sql::<BigInt>("coalesce(max(rowid), 0)"));
    backend.read().await?.count(last).await
}

/// What stands behind a row, in its order.
async fn behind(backend: &Backend, row: i64) -> Result<Vec<(i64, EventRow)>> {
    let rows = event::table
        .filter(sql::<Bool>("event.rowid > ").bind::<BigInt, _>(row))
        .order(sql::<BigInt>("event.rowid"))
        .limit(LOOK)
        .select((sql::<BigInt>("event.rowid"), columns::<EventRow>()));
    backend.read().await?.rows(rows).await
}
