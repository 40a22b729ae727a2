//! Telling what was committed: by listening to the server, on a connection of its own.

use std::{future::poll_fn, pin::pin, time::Duration};

use chorus_domain::{
    Kind, Subject,
    event::{Change, Event},
};
use chorus_ids::{Timestamp, Uuid};
use tokio::time::{error::Elapsed, sleep, timeout};
use tokio_postgres::AsyncMessage;

use crate::{bus::Voice, target::PgTarget};

/// The channel on which the trigger of the table of events tells.
const LISTEN: &str = "LISTEN chorus_event";
/// How often the connection is tried while nothing comes.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long until the next try after a connection was lost, at first and at most.
const BREATHER: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(800));

/// Tells for ever. A commit is told by the server to all that listen, in the order of commits; what goes by while there
/// is no connection is lost, and listeners are told so.
pub(crate) async fn tell(target: PgTarget, voice: Voice) {
    let mut breather = BREATHER.0;
    loop {
        let lost = tell_on(&target, &voice, &mut breather).await;
        tracing::warn!(
            error = lost.map_or_else(|lost| lost.to_string(), |()| "the server ended it".to_owned()),
            "the connection on which changes are heard is lost or can't be had; trying again"
        );
        sleep(breather).await;
        breather = (breather * 2).min(BREATHER.1);
    }
}

/// Why a connection is given up.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error(transparent)]
    Connect(#[from] diesel::ConnectionError),
    #[error(transparent)]
    Server(#[from] tokio_postgres::Error),
    #[error("the server does not answer")]
    Silent(#[from] Elapsed),
}

async fn tell_on(target: &PgTarget, voice: &Voice, breather: &mut Duration) -> Result<(), Lost> {
    let (client, mut connection) = timeout(PATIENCE, target.connect_bare()).await??;
    let hears = async {
        while let Some(message) = poll_fn(|cx| connection.poll_message(cx)).await {
            if let AsyncMessage::Notification(told) = message? {
                match told.payload().lines().map(read).collect() {
                    Some(events) => voice.changed(events),
                    None => voice.missed(),
                }
            }
        }
        Ok(())
    };
    let keeps = async {
        timeout(PATIENCE, client.batch_execute(LISTEN)).await??;
        *breather = BREATHER.0;
        voice.connected();
        loop {
            sleep(HEARTBEAT).await;
            timeout(PATIENCE, client.batch_execute("SELECT 1")).await??;
        }
    };
    let (hears, keeps) = (pin!(hears), pin!(keeps));
    tokio::select! {
        ended = hears => ended,
        ended = keeps => ended,
    }
}

/// A line of what the trigger tells: id, company, project or a dash, kind, entity, change, actor's kind and id, time in
/// microseconds. `None` for what another version of the schema might tell.
fn read(line: &str) -> Option<Event> {
    let mut words = line.split(' ');
    let event = Event {
        id: words.next()?.parse().ok()?,
        company: words.next()?.parse().ok()?,
        project: match words.next()? {
            "-" => None,
            id => Some(id.parse().ok()?),
        },
        entity: Kind::parse(words.next()?)?,
        entity_id: words.next()?.parse().ok()?,
        change: Change::parse(words.next()?)?,
        actor: Subject::read(words.next()?, words.next()?.parse::<Uuid>().ok()?)?,
        created_at: Timestamp::from_micros(words.next()?.parse().ok()?),
    };
    words.next().is_none().then_some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-000000000002 - task \
                        00000000-0000-0000-0000-000000000003 updated operator 00000000-0000-0000-0000-000000000000 7";

    #[test]
    fn what_is_told_is_read_and_nothing_else() {
        assert_eq!(
            read(LINE).map(|event| (event.entity, event.project, event.actor)),
            Some((Kind::Task, None, Subject::Operator))
        );
        for line in ["", "x", &format!("{LINE} more"), &LINE.replace("task", "tusk"), &LINE.replace(" 7", "")] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
