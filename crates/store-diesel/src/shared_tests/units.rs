//! Units of work: what survives an error, a panic, a cancelled caller, and what locks mean.

use std::time::Duration;

use chorus_domain::Kind;
use chorus_store::{Error, Hold, Roots};
use tokio::time::timeout;

use super::{super::ROW_LOCKS, *};
use crate::failure::{Failure, Rule};

const FIRST: IdeaId = IdeaId::from_u128(1);
const SECOND: IdeaId = IdeaId::from_u128(2);

/// The next units work, and see nothing of what went before.
async fn check_nothing_is_left(backend: &Backend) {
    for _ in 0..3 {
        let unit = timeout(Duration::from_secs(5), backend.begin()).await.expect("a free connection").unwrap();
        unit.rollback().await.unwrap();
    }
    assert_eq!(titles(backend).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_keeps_everything_and_a_rollback_nothing() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    idea(unit.conn(), FIRST, PROJECT, "kept").await.unwrap();
    unit.commit().await.unwrap();
    let mut unit = backend.begin().await.unwrap();
    idea(unit.conn(), SECOND, PROJECT, "lost").await.unwrap();
    unit.rollback().await.unwrap();
    assert_eq!(titles(&backend).await, ["kept"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_unit_leaves_nothing_behind() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    idea(unit.conn(), FIRST, PROJECT, "lost").await.unwrap();
    drop(unit);
    check_nothing_is_left(&backend).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_inside_a_unit_leaves_nothing_behind() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let panicked = tokio::spawn(async move {
        idea(unit.conn(), FIRST, PROJECT, "lost").await.unwrap();
        panic!("on purpose");
    });
    assert!(panicked.await.unwrap_err().is_panic());
    check_nothing_is_left(&backend).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_unit_leaves_nothing_behind() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let (written, has_written) = tokio::sync::oneshot::channel();
    let stuck = tokio::spawn(async move {
        idea(unit.conn(), FIRST, PROJECT, "lost").await.unwrap();
        written.send(()).unwrap();
        std::future::pending::<()>().await;
        unit.commit().await.unwrap();
    });
    has_written.await.unwrap();
    stuck.abort();
    assert!(stuck.await.unwrap_err().is_cancelled());
    check_nothing_is_left(&backend).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_failed_statement_a_commit_is_refused() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    idea(unit.conn(), FIRST, PROJECT, "lost").await.unwrap();
    let again = idea(unit.conn(), FIRST, PROJECT, "twice").await;
    assert!(matches!(unit.checked(again), Err(Error::Internal(_))));
    assert!(matches!(unit.commit().await, Err(Error::Internal(_))));
    check_nothing_is_left(&backend).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_connection_goes_on_after_an_error() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.read().await.unwrap();
    let failed = diesel::sql_query("SELECT nonsense").execute(unit.conn()).await;
    assert!(unit.checked(failed).is_err());
    unit.ping().await.unwrap();
    assert!(unit.commit().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_violated_constraint_has_the_same_name_everywhere() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    project_member(unit.conn(), PROJECT, USER, "viewer").await.unwrap();
    unit.commit().await.unwrap();

    macro_rules! check {
        ($statement:ident($($argument:expr),*) => $rule:ident $($name:literal)?) => {
            let mut unit = backend.begin().await.unwrap();
            let refused = $statement(unit.conn(), $($argument),*).await;
            match unit.guarded(refused) {
                Err(Failure::Violation(violation)) => {
                    assert_eq!(violation.rule, Rule::$rule);
                    $(assert_eq!(violation.constraint.as_deref(), Some($name));)?
                }
                other => panic!("{other:?}"),
            }
            unit.rollback().await.unwrap();
        };
    }
    check!(project_member(PROJECT, USER, "admin") => Unique "project_member_project_id_user_id_key");
    check!(project_member(OTHER_PROJECT, USER, "owner") => Check "project_member_role_check");
    check!(idea(FIRST, PROJECT, "  ") => Check "idea_title_check");
    check!(idea(FIRST, ProjectId::from_u128(404), "title") => ForeignKey);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_can_be_made_of_a_violation() {
    let (_db, backend) = inhabited().await;
    let refusal = chorus_domain::Refusal::not_found(Kind::Project);
    let mut unit = backend.begin().await.unwrap();
    let refused = project_member(unit.conn(), PROJECT, USER, "owner").await;
    let refused = unit.refused(refused, |violation| (violation.rule == Rule::Check).then(|| refusal.clone()));
    assert_eq!(refused.unwrap_err().refusal(), Some(&refusal));
    assert!(unit.commit().await.is_err());
}

/// Units that need the same rows in any order and strength wait for each other and all get through.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn locks_are_taken_in_one_order() {
    let (_db, backend) = inhabited().await;
    let backend = std::sync::Arc::new(backend);
    let mut unit = backend.begin().await.unwrap();
    for id in 1..=6 {
        task(unit.conn(), TaskId::from_u128(id), PROJECT, "low").await.unwrap();
    }
    unit.commit().await.unwrap();
    let units = (0..8_usize).map(|n| {
        let backend = std::sync::Arc::clone(&backend);
        tokio::spawn(async move {
            for round in 0..10_usize {
                let mut roots = Roots::default();
                let holds = [Hold::Share, Hold::Own, Hold::Remove];
                for i in 0..6_usize {
                    let id = if n % 2 == 0 { i } else { 5 - i };
                    let id = Uuid::from_u128(id as u128 + 1);
                    roots.add(Kind::Task, id, holds[(n + round + i) % 3]);
                }
                roots.add(Kind::Project, OTHER_PROJECT.uuid(), holds[(n + round) % 2]);
                roots.add(Kind::Project, PROJECT.uuid(), holds[(n + round + 1) % 2]);
                let mut unit = backend.begin().await.unwrap();
                unit.lock(&roots).await.unwrap();
                unit.commit().await.unwrap();
            }
        })
    });
    for unit in units.collect::<Vec<_>>() {
        unit.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owned_row_keeps_others_waiting_and_a_shared_one_does_not() {
    let (_db, backend) = inhabited().await;
    let own = |hold| {
        let mut roots = Roots::default();
        roots.add(Kind::Project, PROJECT.uuid(), hold);
        roots
    };
    let mut first = backend.begin().await.unwrap();
    first.lock(&own(Hold::Own)).await.unwrap();
    let waits = timeout(Duration::from_millis(150), async {
        let mut second = backend.begin().await?;
        second.lock(&own(Hold::Share)).await?;
        second.rollback().await
    });
    assert!(waits.await.is_err(), "the second unit must wait");
    first.rollback().await.unwrap();

    if ROW_LOCKS {
        let (mut first, mut second) = (backend.begin().await.unwrap(), backend.begin().await.unwrap());
        for unit in [&mut first, &mut second] {
            timeout(Duration::from_secs(5), unit.lock(&own(Hold::Share))).await.expect("shared").unwrap();
        }
        // A row that is owned can still be pointed at by new rows below it.
        first.rollback().await.unwrap();
        second.rollback().await.unwrap();
        let (mut first, mut second) = (backend.begin().await.unwrap(), backend.begin().await.unwrap());
        first.lock(&own(Hold::Own)).await.unwrap();
        timeout(Duration::from_secs(5), idea(second.conn(), FIRST, PROJECT, "below")).await.expect("no wait").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_a_lock_of_their_own_are_refused() {
    let (_db, backend) = inhabited().await;
    for kind in Kind::ALL {
        let mut roots = Roots::default();
        roots.add(kind, Uuid::from_u128(1), Hold::Share);
        let mut unit = backend.begin().await.unwrap();
        let locked = unit.lock(&roots).await.is_ok();
        let lockable = matches!(
            kind,
            Kind::Group
                | Kind::Project
                | Kind::Idea
                | Kind::Proposal
                | Kind::Document
                | Kind::Task
                | Kind::User
                | Kind::Agent
                | Kind::Session
        );
        assert_eq!(locked, lockable, "{kind}");
        unit.rollback().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_cannot_write_where_units_write_alone() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.read().await.unwrap();
    let written = idea(unit.conn(), FIRST, PROJECT, "title").await;
    assert_eq!(unit.checked(written).is_ok(), ROW_LOCKS);
}
