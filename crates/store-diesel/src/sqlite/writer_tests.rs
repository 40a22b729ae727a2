//! Units that share a commit.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::panic, reason = "a unit of the test fails by panicking")]

use std::time::Duration;

use chorus_ids::IdeaId;
use chorus_store::{Error, Result};
use diesel_async::SimpleAsyncConnection as _;
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{
    Options,
    pool::Backend,
    shared_tests::{PROJECT, idea, inhabited, titles},
    unit::Unit,
};
use crate::watch::Watch;

const SOON: Duration = Duration::from_secs(20);
/// How long it is watched that nothing happens.
const QUIET: Duration = Duration::from_millis(100);

async fn write(unit: &mut Unit, n: u128, title: &str) {
    idea(unit.conn(), IdeaId::from_u128(n), PROJECT, title).await.unwrap();
}

/// A unit that is done and waits for its commit, and the one after it, which has the connection.
async fn two(backend: &Backend) -> (JoinHandle<Result<()>>, Unit) {
    let mut first = backend.begin().await.unwrap();
    write(&mut first, 1, "first").await;
    let second = {
        let backend = backend.clone();
        tokio::spawn(async move { backend.begin().await })
    };
    // It has to be in line before the first is done.
    sleep(QUIET).await;
    let first = tokio::spawn(first.commit());
    let second = timeout(SOON, second).await.unwrap().unwrap().unwrap();
    sleep(QUIET).await;
    assert!(!first.is_finished(), "the first must wait for the commit that it shares");
    assert_eq!(titles(backend).await, [""; 0], "nobody else sees what is not committed");
    (first, second)
}

async fn end(first: JoinHandle<Result<()>>) -> Result<()> {
    timeout(SOON, first).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn units_that_wait_for_each_other_share_a_commit() {
    let (db, first) = inhabited().await;
    drop(first);
    let watch = Watch::default();
    let backend = super::open(db.url().sqlite_path().unwrap(), &Options::default(), Some(&watch));
    let holder = backend.begin().await.unwrap();
    let units: Vec<_> = (1..=20)
        .map(|n| {
            let backend = backend.clone();
            tokio::spawn(async move {
                let mut unit = backend.begin().await.unwrap();
                write(&mut unit, n, &format!("{n:02}")).await;
                unit.commit().await
            })
        })
        .collect();
    sleep(QUIET).await;
    watch.take();
    holder.commit().await.unwrap();
    for unit in units {
        end(unit).await.unwrap();
    }
    let statements = watch.take();
    let count = |text: &str| statements.iter().filter(|statement| statement.starts_with(text)).count();
    assert_eq!((count("SAVEPOINT"), count("RELEASE")), (20, 21));
    // One, if all of them were in line by then; alone each would take one.
    assert!((1..=10).contains(&count("COMMIT")), "{} commits", count("COMMIT"));
    assert_eq!(titles(&backend).await.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_is_rolled_back_or_dropped_takes_no_other_along() {
    for drops in [false, true] {
        let (_db, backend) = inhabited().await;
        let (first, mut second) = two(&backend).await;
        write(&mut second, 2, "second").await;
        if drops {
            drop(second);
        } else {
            second.rollback().await.unwrap();
        }
        end(first).await.unwrap();
        assert_eq!(titles(&backend).await, ["first"]);
        let mut third = backend.begin().await.unwrap();
        write(&mut third, 3, "third").await;
        third.commit().await.unwrap();
        assert_eq!(titles(&backend).await, ["first", "third"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_panics_takes_no_other_along() {
    let (_db, backend) = inhabited().await;
    let (first, mut second) = two(&backend).await;
    let panicked = tokio::spawn(async move {
        write(&mut second, 2, "second").await;
        panic!("on purpose");
    });
    assert!(panicked.await.unwrap_err().is_panic());
    end(first).await.unwrap();
    assert_eq!(titles(&backend).await, ["first"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_refusal_was_decided_on_is_committed_before_it_is_told() {
    let (_db, backend) = inhabited().await;
    let (first, mut second) = two(&backend).await;
    let again = idea(second.conn(), IdeaId::from_u128(1), PROJECT, "twice").await;
    assert!(second.checked(again).is_err(), "it sees what the first wrote");
    second.rollback().await.unwrap();
    assert_eq!(titles(&backend).await, ["first"], "by now everybody does");
    end(first).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_fails_fails_for_all_who_share_it() {
    let (_db, backend) = inhabited().await;
    let (first, mut second) = two(&backend).await;
    write(&mut second, 2, "second").await;
    // A constraint that is checked by the commit.
    second.conn().batch_execute("PRAGMA defer_foreign_keys = ON").await.unwrap();
    idea(second.conn(), IdeaId::from_u128(3), chorus_ids::ProjectId::from_u128(404), "nowhere").await.unwrap();
    assert!(matches!(second.commit().await, Err(Error::Again(_))));
    assert!(matches!(end(first).await, Err(Error::Again(_))));
    assert_eq!(titles(&backend).await, [""; 0]);
    let mut third = backend.begin().await.unwrap();
    write(&mut third, 3, "third").await;
    third.commit().await.unwrap();
    assert_eq!(titles(&backend).await, ["third"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_that_was_decided_on_what_is_lost_is_not_told() {
    let (_db, backend) = inhabited().await;
    let (first, mut second) = two(&backend).await;
    // As the database does by itself after some errors of the file system.
    second.conn().batch_execute("ROLLBACK").await.unwrap();
    assert!(matches!(second.rollback().await, Err(Error::Again(_))));
    assert!(matches!(end(first).await, Err(Error::Again(_))));
    assert_eq!(titles(&backend).await, [""; 0]);
    backend.begin().await.unwrap().commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_nobody_waits_for_any_more_is_committed_all_the_same() {
    let (_db, backend) = inhabited().await;
    let (first, second) = two(&backend).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    drop(second);
    let kept = async {
        while titles(&backend).await != ["first"] {
            sleep(QUIET).await;
        }
    };
    timeout(SOON, kept).await.unwrap();
}
