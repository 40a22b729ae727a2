//! What is past is forgotten now and then, by every process for itself.

use std::time::Duration;

use chorus_auth::{
    Moment,
    accounts::{LinkKind, NewToken, create_link},
};
use chorus_dispatch::stages::RETENTION_MICROS;
use chorus_domain::{
    Subject, Write,
    account::{BrowserSession, Lasting},
};
use chorus_ids::{AgentId, Timestamp, UserId};
use chorus_store::{Key, Recall};
use chorus_testkit::{Backend, Database, Launch, World};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    backends,
    crash::check_log,
    scale::{say, times},
};

/// Rows of each kind that are past; more than go at a time.
const PAST: usize = 1_200;
/// Microseconds of a day.
const DAY: i64 = 24 * 3_600 * 1_000_000;
/// What a process calls what it has forgotten.
const KINDS: [&str; 3] = ["remembered answers", "sessions of browsers", "one-time links"];

fn key(agent: AgentId, number: usize) -> Key {
    Key {
        caller: Subject::Agent(agent),
        surface: "chorus",
        tool: "chorus_checkin",
        key: number.to_string(),
        fingerprint: String::new(),
        retention_micros: RETENTION_MICROS,
    }
}

/// Remembers answers, all but the last of them two days ago.
async fn remember(world: &World, agent: AgentId, now: Timestamp) {
    let mut tx = world.services.store.begin().await.unwrap();
    for number in 0..=PAST {
        let at = if number == PAST { now } else { now.plus_micros(-2 * DAY) };
        assert_eq!(tx.recall(&key(agent, number), at).await.unwrap(), Recall::Mine);
        tx.remember(&key(agent, number), &json!({}), &[]).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Makes sessions and links of a person, all but the last of each kind long ago.
async fn let_in(world: &World, user: UserId, now: Timestamp) {
    let row = world.services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
    let mut writes = Vec::new();
    for number in 0..=PAST {
        let at = if number == PAST { now } else { now.plus_micros(-60 * DAY) };
        writes.push(Write::NewBrowserSession(BrowserSession {
            id: world.id(),
            user,
            token_hash: format!("{number:064x}"),
            lasting: Lasting::Remembered,
            client: String::new(),
            created_at: at,
            last_seen_at: at,
        }));
        let moment = Moment { now: at, ids: world.services.ids.as_ref() };
        let token = NewToken::generate(&mut rand::rng());
        writes.push(Write::NewLink(create_link(moment, &row, LinkKind::Invitation, Subject::Operator, &token)));
    }
    world.write(writes).await;
}

/// How many rows of a kind a log says were forgotten.
fn forgotten(log: &str, kind: &str) -> usize {
    let said = format!("{kind} were forgotten");
    let lines = log.lines().filter(|line| line.contains(&said));
    let count = |line: &str| -> usize {
        let digits = line.split("count=").nth(1).unwrap_or_else(|| panic!("it does not say how many: {line}"));
        digits.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    lines.map(count).sum()
}

/// Each row goes once, by whichever process, and what is not past stays.
async fn what_is_past_is_forgotten_once(backend: Backend) {
    for _ in 0..times(1, 12) {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let (user, now) = (world.first_user, world.now());
        let agent = world.agent("a", Some(user), &["admin_agent"], &[]).await.id;
        remember(&world, agent, now).await;
        let_in(&world, user, now).await;

        let launch = Launch::on(database.url()).env("LOG_LEVEL", "debug");
        // Both find the same rows before either can take one.
        let held = match backend {
            Backend::Postgres => Some(database.hold("idempotency", Duration::from_secs(4)).await),
            Backend::Sqlite => None,
        };
        let starts: Vec<_> = (0..2).map(|_| tokio::spawn(launch.clone().start())).collect();
        let mut servers = Vec::new();
        for start in starts {
            servers.push(start.await.unwrap());
        }
        if let Some(held) = held {
            held.await.unwrap();
        }
        let began = Instant::now();
        let sums = || KINDS.map(|kind| servers.iter().map(|server| forgotten(&server.log(), kind)).sum::<usize>());
        while sums().iter().any(|sum| *sum < PAST) {
            assert!(began.elapsed() < Duration::from_secs(60), "of {PAST} each were forgotten {:?}", sums());
            sleep(Duration::from_millis(50)).await;
        }
        // Whoever came second has found by now that nothing is left.
        sleep(Duration::from_millis(500)).await;
        assert_eq!(sums(), [PAST; 3], "rows that were forgotten twice, or are not past");
        let each: Vec<_> = servers.iter().map(|server| KINDS.map(|kind| forgotten(&server.log(), kind))).collect();
        say(&format!("forgotten by each process on {backend:?}: {each:?}"));
        for server in servers {
            let log = server.kill().await;
            check_log(&log);
            assert!(!log.contains("could not be forgotten"), "{log}");
        }

        let mut reads = world.services.store.read().await.unwrap();
        assert_eq!(reads.accounts().browser_sessions(user).await.unwrap().len(), 1);
        let mut tx = world.services.store.begin().await.unwrap();
        assert!(matches!(tx.recall(&key(agent, PAST), now).await.unwrap(), Recall::Answered { .. }));
        assert_eq!(tx.recall(&key(agent, 0), now).await.unwrap(), Recall::Mine);
        tx.rollback().await.unwrap();
        let links = database.lines("SELECT count(*) || '' AS line FROM one_time_link").await;
        assert_eq!(links, ["1"]);
    }
}

backends!(what_is_past_is_forgotten_once);
