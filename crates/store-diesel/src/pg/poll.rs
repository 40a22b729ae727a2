//! Telling what was committed where nothing can be listened to: by looking at the table of events again and again.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chorus_ids::{EventId, Uuid};
use chorus_store::Result;
use diesel::prelude::*;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{columns::columns, event::EventRow, pool::Backend};
use crate::{
    bus::{LOOK, Voice, persist},
    schema::event,
    types::Val,
};

/// How often commits of other processes are looked for. Those of this process ring.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long nothing is looked for after a look, so that a busy process does not look for each of its commits.
const PACE: Duration = Duration::from_millis(100);
/// How far back each look reaches. An id says when its call began, and a call is committed later than that.
const NEAR: Duration = Duration::from_secs(10);
/// How far back some looks reach, for calls that waited long.
const FAR: Duration = Duration::from_secs(180);
/// Every so many looks one reaches far.
const FAR_EVERY: u32 = 30;
/// Most pages of one look.
const LOOKS: u32 = 40;

/// Tells for ever.
pub(crate) async fn tell(backend: Backend, voice: Voice) {
    persist(|| tell_on(&backend, &voice)).await;
}

async fn tell_on(backend: &Backend, voice: &Voice) -> Result<Infallible> {
    let mut told = Told::default();
    // What is there already is known; a listener is let in once it is.
    look(backend, FAR, &mut told, voice).await?;
    voice.connected();
    let mut looks = 0u32;
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            _ = ticks.tick() => looks = looks.wrapping_add(1),
            () = backend.bell.rung() => {}
        }
        look(backend, if looks.is_multiple_of(FAR_EVERY) { FAR } else { NEAR }, &mut told, voice).await?;
        told.forget(moment(FAR));
        sleep(PACE).await;
    }
}

/// Tells what is new since so long ago, oldest first.
async fn look(backend: &Backend, reach: Duration, told: &mut Told, voice: &Voice) -> Result<()> {
    let mut last = moment(reach);
    for _ in 0..LOOKS {
        let found = behind(backend, last).await?;
        let whole = (found.len() as i64) < LOOK;
        last = found.last().map_or(last, |row| row.id);
        voice.changed(told.take(found).into_iter().map(EventRow::read).collect::<Result<_>>()?);
        if whole {
            return Ok(());
        }
    }
    // More than can be kept in mind: whoever listens looks for itself.
    voice.missed();
    Ok(())
}

/// What stands behind an event, in the order of ids.
async fn behind(backend: &Backend, id: EventId) -> Result<Vec<EventRow>> {
    let rows = event::table.filter(event::id.gt(Val(id))).order(event::id).limit(LOOK).select(columns::<EventRow>());
    backend.read().await?.rows(rows).await
}

/// The least id of that time: ids of version 7 begin with it, in milliseconds.
fn moment(ago: Duration) -> EventId {
    let then = SystemTime::now().checked_sub(ago).and_then(|then| then.duration_since(UNIX_EPOCH).ok());
    EventId::from_uuid(Uuid::from_u128(then.map_or(0, |then| then.as_millis() << 80)))
}

/// What has been told of late.
#[derive(Default)]
struct Told(BTreeSet<EventId>);

impl Told {
    /// Those that were not told before.
    fn take(&mut self, found: Vec<EventRow>) -> Vec<EventRow> {
        found.into_iter().filter(|row| self.0.insert(row.id)).collect()
    }

    /// Forgets what no look shows any more.
    fn forget(&mut self, before: EventId) {
        self.0 = self.0.split_off(&before);
    }
}
