//! What the calls left behind, counted: each key done once, each event and each activity where it belongs.

use std::collections::BTreeMap;

use chorus_domain::Kind;
use chorus_testkit::EventRow;
use serde_json::json;

use super::{Field, history::History, plan::Deed};
use crate::load::rows;

/// Passes if every answered call left its traces once, and no refused one left any.
pub(super) async fn check(field: &Field, history: &History) {
    check_comments(field, history).await;
    check_activities(field, history).await;
    check_events(&field.database.events().await, field.tasks.len());
}

/// Comments and reports carry the names of their calls.
async fn check_comments(field: &Field, history: &History) {
    let mut written = BTreeMap::<(usize, String), usize>::new();
    for done in history.calls.iter().filter(|done| done.said.is_ok()) {
        if matches!(done.deed, Deed::Comment | Deed::Report | Deed::ReportSubmit) {
            *written.entry((done.task, done.name.clone())).or_default() += 1;
        }
    }
    assert!(written.values().all(|count| *count == 1));
    let mut found = BTreeMap::<(usize, String), usize>::new();
    for (number, task) in field.tasks.iter().enumerate() {
        let target = json!({ "targetType": "task", "targetUuid": task });
        for comment in rows(&field.client(number, 0), "chorus_get_comments", target, "comments").await {
            *found.entry((number, comment["content"].as_str().unwrap().to_owned())).or_default() += 1;
        }
    }
    assert_eq!(found, written);
}

/// Each claim, and each move, is one activity.
async fn check_activities(field: &Field, history: &History) {
    let mut expected = BTreeMap::<(String, &str), usize>::new();
    for done in history.calls.iter().filter(|done| done.said.is_ok()) {
        let action = match done.deed {
            Deed::Claim => "assigned",
            Deed::Release => "released",
            Deed::Submit => "submitted",
            Deed::Verify => "verified",
            Deed::Reopen => "reopened",
            Deed::Close => "closed",
            Deed::Start => "status_changed",
            Deed::Comment | Deed::Report | Deed::ReportSubmit => "comment_added",
            // Those may have changed nothing.
            Deed::Assign(_) | Deed::Wait(_) | Deed::WaitNoMore(_) | Deed::Read => continue,
            Deed::Rename | Deed::RenameIfUnchanged => continue,
        };
        *expected.entry((field.tasks[done.task].clone(), action)).or_default() += 1;
    }
    let mut found = BTreeMap::<(String, &str), usize>::new();
    let names = ["released", "submitted", "verified", "reopened", "closed", "status_changed", "comment_added"];
    let stream = json!({ "projectUuid": field.project });
    for activity in rows(&field.client(0, 0), "chorus_get_activity", stream, "activities").await {
        let action = activity["action"].as_str().unwrap();
        let task = activity["targetUuid"].as_str().unwrap().to_owned();
        if let Some(name) = names.into_iter().find(|name| *name == action) {
            *found.entry((task, name)).or_default() += 1;
        } else if action == "assigned" && activity["value"]["assigneeUuid"] == activity["actorUuid"] {
            *found.entry((task, "claimed")).or_default() += 1;
        }
    }
    let claimed: usize = found.iter().filter(|((_, action), _)| *action == "claimed").map(|(_, count)| *count).sum();
    let claims = history.calls.iter().filter(|done| done.deed == Deed::Claim && done.said.is_ok()).count();
    let to_oneself = |done: &&super::history::Done| done.deed == Deed::Assign(done.client) && done.said.is_ok();
    let given = history.calls.iter().filter(to_oneself).count();
    assert!((claims..=claims + given).contains(&claimed), "{claims} claims won, {claimed} told");
    found.retain(|(_, action), _| *action != "claimed");
    expected.retain(|(_, action), _| *action != "assigned");
    assert_eq!(found, expected);
}

/// The events of each entity are numbered from 1 without a gap, and the first says that it was made.
fn check_events(events: &[EventRow], tasks: usize) {
    let mut next = BTreeMap::new();
    for event in events {
        let expected = next.entry((event.entity, event.id)).or_insert(1);
        assert_eq!(event.seq, *expected, "{event:?}");
        assert_eq!(event.change == "created", event.seq == 1, "{event:?}");
        *expected += 1;
    }
    assert_eq!(next.keys().filter(|(entity, _)| *entity == Kind::Task).count(), tasks);
}
