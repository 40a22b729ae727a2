//! Idempotency keys: the first answer again, executed once.

use std::time::Duration;

use chorus_domain::{Batch, Subject, Write, access::Granted};
use chorus_ids::{ProjectId, Timestamp};
use serde_json::{Value, json};

use super::world::{DAWN, SCRIPTS, Shared, World, at_once, persistently};
use crate::{Key, Recall, Result, Tx};

const HOUR: i64 = 3_600_000_000;

fn key(w: &World) -> Key {
    Key {
        caller: Subject::Agent(w.agent),
        surface: "chorus",
        tool: "chorus_add_comment",
        key: "a key".into(),
        fingerprint: "arguments".into(),
        retention_micros: 24 * HOUR,
    }
}

/// Forgets answers from before a moment, at most `limit`; says how many.
async fn forget(w: &World, before: Timestamp, limit: u32) -> u64 {
    let mut tx = w.begin().await;
    let forgotten = tx.operator().forget_answers(before, limit).await.unwrap();
    tx.commit().await.unwrap();
    forgotten
}

/// Takes the key in a unit that is rolled back.
async fn recall(w: &World, key: &Key, now: Timestamp) -> Recall {
    let mut tx = w.begin().await;
    let recalled = tx.recall(key, now).await.unwrap();
    tx.rollback().await.unwrap();
    recalled
}

/// Takes the key and stores an answer under it.
async fn answer(w: &World, key: &Key, now: Timestamp, answer: &Value, projects: &[ProjectId]) {
    let mut tx = w.begin().await;
    assert_eq!(tx.recall(key, now).await.unwrap(), Recall::Mine);
    tx.remember(key, answer, projects).await.unwrap();
    tx.commit().await.unwrap();
}

fn answered(answer: &Value, projects: &[ProjectId]) -> Recall {
    Recall::Answered { answer: answer.clone(), projects: projects.to_vec() }
}

pub async fn an_answer_is_given_again_with_the_projects_it_touched(store: &Shared) {
    let w = World::new(store).await;
    let projects = [w.project, w.id(), w.hidden_project().await];
    let answers = [
        json!({ "text": SCRIPTS, "none": null, "list": [0.5, -1, true, []], "min": i64::MIN, "max": u64::MAX }),
        json!({ "body": "x".repeat(1024 * 1024) }),
        json!({}),
        Value::Null,
        json!("text"),
    ];
    for (index, given) in answers.iter().enumerate() {
        let key = Key { key: format!("key {index}"), ..key(&w) };
        answer(&w, &key, DAWN, given, &projects[..index.min(3)]).await;
        for _ in 0..2 {
            assert_eq!(recall(&w, &key, DAWN).await, answered(given, &projects[..index.min(3)]));
        }
    }
}

pub async fn a_key_that_was_rolled_back_is_free(store: &Shared) {
    let w = World::new(store).await;
    let key = key(&w);
    assert_eq!(recall(&w, &key, DAWN).await, Recall::Mine);
    let mut tx = w.begin().await;
    assert_eq!(tx.recall(&key, DAWN).await.unwrap(), Recall::Mine);
    tx.remember(&key, &json!(1), &[]).await.unwrap();
    tx.rollback().await.unwrap();
    let mut dropped = w.begin().await;
    assert_eq!(dropped.recall(&key, DAWN).await.unwrap(), Recall::Mine);
    drop(dropped);
    answer(&w, &key, DAWN, &json!(2), &[]).await;
    assert_eq!(recall(&w, &key, DAWN).await, answered(&json!(2), &[]));
}

pub async fn a_key_of_a_failed_unit_is_free(store: &Shared) {
    let w = World::new(store).await;
    let (key, taken) = (key(&w), w.put(w.new_idea(w.project)).await);
    let mut tx = w.begin().await;
    tx.recall(&key, DAWN).await.unwrap();
    tx.remember(&key, &json!(1), &[]).await.unwrap();
    let batch = Batch { writes: vec![Write::NewIdea(taken)], ..Batch::default() };
    tx.apply(&Granted::operator(), &batch, &[]).await.unwrap_err();
    assert!(tx.commit().await.is_err());
    assert_eq!(recall(&w, &key, DAWN).await, Recall::Mine);
}

pub async fn other_arguments_under_a_key_are_told_apart(store: &Shared) {
    let w = World::new(store).await;
    let first = key(&w);
    answer(&w, &first, DAWN, &json!(1), &[]).await;
    let other = Key { fingerprint: "other arguments".into(), ..first.clone() };
    assert_eq!(recall(&w, &other, DAWN).await, Recall::Reused);
    assert_eq!(recall(&w, &first, DAWN).await, answered(&json!(1), &[]));
}

pub async fn an_answer_is_forgotten_after_its_retention(store: &Shared) {
    let w = World::new(store).await;
    let first = key(&w);
    answer(&w, &first, DAWN, &json!(1), &[]).await;
    let other = Key { fingerprint: "other arguments".into(), ..first.clone() };
    let (within, beyond) = (DAWN.plus_micros(24 * HOUR - 1), DAWN.plus_micros(24 * HOUR + 1));
    assert_eq!(recall(&w, &first, within).await, answered(&json!(1), &[]));
    assert_eq!(recall(&w, &other, within).await, Recall::Reused);
    assert_eq!(recall(&w, &first, beyond).await, Recall::Mine);
    assert_eq!(recall(&w, &other, beyond).await, Recall::Mine);
    // Rolled back, the first answer is there for whoever still counts as in time; committed, it is replaced.
    assert_eq!(recall(&w, &first, within).await, answered(&json!(1), &[]));
    answer(&w, &other, beyond, &json!(2), &[]).await;
    assert_eq!(recall(&w, &other, beyond.plus_micros(24 * HOUR - 1)).await, answered(&json!(2), &[]));
}

pub async fn retention_is_the_keys_own_and_has_no_bounds(store: &Shared) {
    let w = World::new(store).await;
    let first = key(&w);
    answer(&w, &first, DAWN, &json!(1), &[]).await;
    let later = DAWN.plus_micros(365 * 24 * HOUR);
    for (retention_micros, expected) in [
        (i64::MAX, answered(&json!(1), &[])),
        (HOUR, Recall::Mine),
        (1, Recall::Mine),
        (366 * 24 * HOUR, answered(&json!(1), &[])),
    ] {
        assert_eq!(recall(&w, &Key { retention_micros, ..first.clone() }, later).await, expected, "{retention_micros}");
    }
}

pub async fn keys_of_other_callers_surfaces_and_tools_are_other_keys(store: &Shared) {
    let w = World::new(store).await;
    let keys = [
        key(&w),
        Key { caller: Subject::User(w.user), ..key(&w) },
        Key { caller: Subject::Operator, ..key(&w) },
        Key { surface: "operator", ..key(&w) },
        Key { tool: "chorus_update_task", ..key(&w) },
        Key { key: "a Key".into(), ..key(&w) },
        Key { key: "~".repeat(255), ..key(&w) },
    ];
    for (index, key) in keys.iter().enumerate() {
        answer(&w, key, DAWN, &json!(index), &[]).await;
    }
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(recall(&w, key, DAWN).await, answered(&json!(index), &[]), "{key:?}");
    }
}

/// Takes the key; whoever gets it writes an idea and answers with its id.
async fn call(w: &World, key: &Key) -> Result<(bool, Value)> {
    let mut tx = w.store.begin().await?;
    match tx.recall(key, DAWN).await? {
        Recall::Mine => {
            let idea = w.new_idea(w.project);
            let given = json!(idea.id.to_string());
            let batch = Batch { writes: vec![Write::NewIdea(idea)], ..Batch::default() };
            tx.apply(&Granted::operator(), &batch, &[]).await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            tx.remember(key, &given, &[w.project]).await?;
            tx.commit().await.map(|()| (true, given))
        }
        Recall::Answered { answer, projects } => {
            assert_eq!(projects, [w.project]);
            tx.rollback().await.map(|()| (false, answer))
        }
        Recall::Reused => panic!("the arguments are the same"),
    }
}

pub async fn one_of_simultaneous_twins_executes_and_the_others_get_its_answer(store: &Shared) {
    let w = std::sync::Arc::new(World::new(store).await);
    for round in 0..3_u64 {
        let calls = at_once(8, |_| {
            let (w, key) = (w.clone(), Key { key: format!("round {round}"), ..key(&w) });
            async move { persistently(|| call(&w, &key)).await }
        })
        .await;
        let calls: Vec<_> = calls.into_iter().map(Result::unwrap).collect();
        assert_eq!(calls.iter().filter(|(executed, _)| *executed).count(), 1);
        assert!(calls.iter().all(|(_, answer)| *answer == calls[0].1), "{calls:?}");
        let ideas = w.read().await.project(&w.scope(), w.project).await.unwrap().unwrap().counts.ideas;
        assert_eq!(ideas, round + 1);
    }
}

pub async fn simultaneous_calls_with_different_keys_do_not_share_answers(store: &Shared) {
    let w = std::sync::Arc::new(World::new(store).await);
    let calls = at_once(8, |index| {
        let (w, key) = (w.clone(), Key { key: format!("key {index}"), ..key(&w) });
        async move { persistently(|| call(&w, &key)).await }
    })
    .await;
    let mut answers: Vec<_> = calls.into_iter().map(|call| call.unwrap().1.to_string()).collect();
    answers.sort_unstable();
    answers.dedup();
    assert_eq!(answers.len(), 8);
}

/// Starts a twin that asks for the key while `holder` has it, and gives it time to wait.
async fn waiting_twin(w: &World, key: &Key) -> tokio::task::JoinHandle<Result<Recall>> {
    let (store, key) = (w.store.clone(), key.clone());
    let twin = tokio::spawn(async move {
        persistently(|| async {
            let mut tx: Box<dyn Tx> = store.begin().await?;
            let recalled = tx.recall(&key, DAWN).await?;
            tx.rollback().await.map(|()| recalled)
        })
        .await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!twin.is_finished(), "a twin does not wait for the first call");
    twin
}

pub async fn a_waiting_twin_gets_the_key_when_the_first_rolls_back(store: &Shared) {
    let w = World::new(store).await;
    let key = key(&w);
    let mut holder = w.begin().await;
    assert_eq!(holder.recall(&key, DAWN).await.unwrap(), Recall::Mine);
    let twin = waiting_twin(&w, &key).await;
    holder.rollback().await.unwrap();
    assert_eq!(twin.await.unwrap().unwrap(), Recall::Mine);
}

pub async fn a_waiting_twin_gets_the_key_when_the_first_is_dropped(store: &Shared) {
    let w = World::new(store).await;
    let key = key(&w);
    let mut holder = w.begin().await;
    assert_eq!(holder.recall(&key, DAWN).await.unwrap(), Recall::Mine);
    let twin = waiting_twin(&w, &key).await;
    drop(holder);
    assert_eq!(twin.await.unwrap().unwrap(), Recall::Mine);
}

pub async fn a_waiting_twin_gets_the_answer_when_the_first_commits(store: &Shared) {
    let w = World::new(store).await;
    let key = key(&w);
    let mut holder = w.begin().await;
    assert_eq!(holder.recall(&key, DAWN).await.unwrap(), Recall::Mine);
    let twin = waiting_twin(&w, &key).await;
    holder.remember(&key, &json!("first"), &[w.project]).await.unwrap();
    holder.commit().await.unwrap();
    assert_eq!(twin.await.unwrap().unwrap(), answered(&json!("first"), &[w.project]));
}

pub async fn old_answers_are_forgotten_a_limited_number_at_a_time(store: &Shared) {
    let w = World::new(store).await;
    let times = [0, 1, 2, 3, 10].map(|hours| DAWN.plus_micros(hours * HOUR));
    let keyed = |index: usize| Key { key: format!("key {index}"), retention_micros: 365 * 24 * HOUR, ..key(&w) };
    for (index, at) in times.into_iter().enumerate() {
        answer(&w, &keyed(index), at, &json!(index), &[]).await;
    }
    let left = async || {
        let mut left = Vec::new();
        for index in 0..times.len() {
            if recall(&w, &keyed(index), times[4]).await != Recall::Mine {
                left.push(index);
            }
        }
        left
    };
    assert_eq!(forget(&w, times[0], 9).await, 0);
    assert_eq!(forget(&w, times[4], 3).await, 3);
    assert_eq!(left().await.len(), 2);
    assert!(left().await.contains(&4));
    assert_eq!(forget(&w, times[4], 3).await, 1);
    assert_eq!(left().await, [4]);
    assert_eq!(forget(&w, times[4], 3).await, 0);
}

/// A key that is used again after its time is a new one, also for whoever is just about to forget the old one.
pub async fn a_key_used_again_while_old_answers_are_forgotten_is_kept(store: &Shared) {
    let w = World::new(store).await;
    let key = key(&w);
    answer(&w, &key, DAWN, &json!("old"), &[]).await;
    let now = DAWN.plus_micros(25 * HOUR);
    let mut holder = w.begin().await;
    assert_eq!(holder.recall(&key, now).await.unwrap(), Recall::Mine);
    holder.remember(&key, &json!("new"), &[w.project]).await.unwrap();
    let store = w.store.clone();
    let forgetting = tokio::spawn(async move {
        persistently(|| async {
            let mut tx: Box<dyn Tx> = store.begin().await?;
            let forgotten = tx.operator().forget_answers(now.plus_micros(-24 * HOUR), 10).await?;
            tx.commit().await.map(|()| forgotten)
        })
        .await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    holder.commit().await.unwrap();
    assert_eq!(forgetting.await.unwrap().unwrap(), 0);
    assert_eq!(recall(&w, &key, now).await, answered(&json!("new"), &[w.project]));
}
