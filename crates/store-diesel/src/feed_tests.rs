//! Two processes on one database, as two stores, hear each other.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{sync::Arc, time::Duration};

use chorus_domain::{
    Batch, Kind, Subject, Write,
    access::Granted,
    event::{Change, Event},
    identity::Company,
};
use chorus_ids::{CompanyId, EventId, Timestamp, Uuid, v7};
use chorus_store::{Feed, Heard, Store};
use diesel_async::SimpleAsyncConnection as _;
use tokio::time::timeout;

use crate::{DieselStore, Events, Options, open, open::Inner, testing::TestDb};

/// A busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long silence is listened to.
const QUIET: Duration = Duration::from_millis(1_500);
const COMPANY: CompanyId = CompanyId::from_u128(0xC0);

fn event(n: u128) -> Event {
    let micros = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let now = Timestamp::from_micros(micros.try_into().unwrap());
    Event {
        id: EventId::from_uuid(v7(now, std::array::from_fn(|at| u8::try_from(n >> (8 * (9 - at)) & 0xff).unwrap()))),
        company: COMPANY,
        project: None,
        entity: Kind::Task,
        entity_id: Uuid::from_u128(n),
        change: Change::Updated,
        actor: Subject::Operator,
        created_at: now,
    }
}

async fn write(store: &DieselStore, events: Vec<Event>, writes: Vec<Write>) {
    let mut tx = store.begin().await.unwrap();
    let batch = Batch { events, writes, ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

/// The ids of the next so many events, in their order.
async fn heard(feed: &mut Box<dyn Feed>, count: usize) -> Vec<Uuid> {
    let mut ids = Vec::new();
    while ids.len() < count {
        match timeout(PATIENCE, feed.next()).await.unwrap().unwrap() {
            Heard::Changes(events) => ids.extend(events.iter().map(|event| event.entity_id)),
            Heard::Missed => {}
        }
    }
    ids
}

async fn quiet(feed: &mut Box<dyn Feed>) {
    assert!(timeout(QUIET, feed.next()).await.is_err());
}

async fn stores(db: &TestDb, events: Events) -> (DieselStore, DieselStore) {
    let options = Options { events, ..Options::default() };
    let (one, two) = (open(db.url(), &options).await.unwrap(), open(db.url(), &options).await.unwrap());
    let company = Company { id: COMPANY, name: "C".into(), created_at: Timestamp::from_micros(0) };
    write(&one, vec![event(99)], vec![Write::NewCompany(company)]).await;
    (one, two)
}

async fn commits_of_all_processes_are_heard_once_and_rollbacks_never(db: TestDb, events: Events) {
    let (one, two) = stores(&db, events).await;
    let (mut here, mut there) = (one.feed().await, two.feed().await);
    let mut tx = one.begin().await.unwrap();
    let batch = Batch { events: vec![event(1)], ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await.unwrap();
    tx.rollback().await.unwrap();

    let first = event(2);
    write(&one, vec![first.clone()], Vec::new()).await;
    write(&two, vec![event(3), event(4)], Vec::new()).await;
    for feed in [&mut here, &mut there] {
        let mut ids = heard(feed, 3).await;
        ids.sort_unstable();
        assert_eq!(ids, [2, 3, 4].map(Uuid::from_u128));
        quiet(feed).await;
    }
    // Who comes later hears what is later.
    let mut late = one.feed().await;
    let whole = Event { project: Some(chorus_ids::ProjectId::from_u128(7)), change: Change::Deleted, ..event(5) };
    write(&two, vec![whole.clone()], Vec::new()).await;
    let told = timeout(PATIENCE, late.next()).await.unwrap().unwrap();
    assert_eq!(told, Heard::Changes(Arc::from([whole])));
    drop((one, two));
    // The rest of what was said, then the end.
    while timeout(PATIENCE, late.next()).await.unwrap().is_some() {}
}

async fn many_changes_of_one_commit_are_all_heard(db: TestDb, events: Events) {
    let (one, two) = stores(&db, events).await;
    let mut feed = two.feed().await;
    write(&one, (1..=1_203).map(event).collect(), Vec::new()).await;
    let mut ids = heard(&mut feed, 1_203).await;
    ids.sort_unstable();
    assert_eq!(ids, (1..=1_203).map(Uuid::from_u128).collect::<Vec<_>>());
    quiet(&mut feed).await;
}

macro_rules! on_every_way {
    ($($name:ident),*) => {
        mod sqlite { $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(super::TestDb::sqlite().await, super::Events::Notify).await;
            }
        )* }
        mod listening { $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(super::TestDb::postgres().await, super::Events::Notify).await;
            }
        )* }
        mod polling { $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(super::TestDb::postgres().await, super::Events::Poll).await;
            }
        )* }
    };
}
on_every_way!(commits_of_all_processes_are_heard_once_and_rollbacks_never, many_changes_of_one_commit_are_all_heard);

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_replaced_and_told_as_missed() {
    let db = TestDb::postgres().await;
    let (one, two) = stores(&db, Events::Notify).await;
    let mut feed = one.feed().await;
    let Inner::Postgres(backend, _) = &two.inner else { unreachable!("a PostgreSQL test") };
    let kill = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    backend.read().await.unwrap().conn().batch_execute(kill).await.unwrap();
    assert_eq!(timeout(PATIENCE, feed.next()).await.unwrap(), Some(Heard::Missed));
    write(&two, vec![event(1)], Vec::new()).await;
    assert_eq!(heard(&mut feed, 1).await, [Uuid::from_u128(1)]);
}
