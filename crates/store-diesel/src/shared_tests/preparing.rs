//! Statements are prepared once for each connection, though the builder can't know that their text is always the same.

use std::sync::{Arc, Mutex};

use chorus_domain::{Batch, Write, access::Granted};
use chorus_ids::AgentId;
use chorus_store::{Tasks as _, Tx as _};
use chorus_visibility::{Principal, Restriction, scope};
use diesel::connection::InstrumentationEvent;

use super::*;

/// The statements that are kept prepared from now on.
fn watch(unit: &mut Unit) -> Arc<Mutex<Vec<String>>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&kept);
    harness::watch(unit.conn(), move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::CacheQuery { sql, .. } = event {
            noted.lock().unwrap().push(sql.to_owned());
        }
    });
    kept
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_prepared_once() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let kept = watch(&mut unit);
    for n in 0..3 {
        let writes = vec![Write::TouchAgent(AgentId::from_u128(n), NOW)];
        unit.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await.unwrap();
    }
    let kept = kept.lock().unwrap();
    assert_eq!(kept.iter().filter(|sql| sql.starts_with("UPDATE")).count(), 1, "{kept:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_any_length_share_few_statements() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    let scope =
        scope(&Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) }, Restriction::Everything);
    let kept = watch(&mut unit);
    for length in [5, 6, 7, 8, 8, 5] {
        let ids: Vec<TaskId> = (0..length).map(TaskId::from_u128).collect();
        assert!(unit.task_refs(&scope, &ids).await.unwrap().is_empty());
    }
    let kept = kept.lock().unwrap();
    assert_eq!(kept.len(), 1, "{kept:#?}");
}
