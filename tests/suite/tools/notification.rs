//! get_notifications, mark_notification_read; what reading leaves.

use chorus_domain::{
    Caller, Kind, Party, Subject,
    access::Granted,
    notification::{Notification, Topic},
};
use chorus_ids::{AgentId, ProjectId};
use chorus_testkit::{Backend, CallResult};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch, agent},
    like::assert_like,
    stage::{PROJECT, Stage, rows, text, uuid, uuids},
};
use crate::backends;

/// Most bytes of an answer.
const CEILING: usize = 65_536;

async fn get(s: &Stage, who: &Caller, arguments: Value) -> Value {
    s.ok(who, "get_notifications", arguments).await
}

/// What is unread, without reading it.
async fn peek(s: &Stage, who: &Caller) -> Value {
    get(s, who, json!({ "autoMarkRead": false, "limit": 100 })).await
}

async fn titles(s: &Stage, who: &Caller, arguments: Value) -> Vec<String> {
    rows(&get(s, who, arguments).await, "notifications").iter().map(|row| text(&row["entityTitle"])).collect()
}

/// So many tasks of `pm`, `Task 0` and on, each commented on by `dev`.
async fn commented(s: &Stage, count: usize) -> Vec<String> {
    let mut tasks = Vec::new();
    for n in 0..count {
        let task = s.by(&s.pm).task_with(json!({ "title": format!("Task {n}") })).await;
        s.by(&s.dev).comment("task", &task, "Why?").await;
        tasks.push(task);
    }
    tasks
}

async fn what_is_shown_becomes_read(backend: Backend) {
    let s = Stage::new(backend).await;
    let tasks = commented(&s, 2).await;
    let answer = get(&s, &s.pm, json!({})).await;
    let shown = |n: usize| {
        json!({
            "uuid": "<uuid>", "projectUuid": s.project, "projectName": PROJECT, "recipientType": "agent",
            "recipientUuid": s.pm.subject.uuid(), "entityType": "task", "entityUuid": tasks[n],
            "entityTitle": format!("Task {n}"), "action": "comment_added",
            "message": format!("dev commented on \"Task {n}\": Why?"), "actorType": "agent",
            "actorUuid": s.dev.subject.uuid(), "actorName": "dev", "count": 1, "readAt": null, "archivedAt": null,
            "createdAt": "<time>", "instructionText": null
        })
    };
    assert_like(
        &answer,
        &json!({
            "notifications": [shown(1), shown(0)], "returned": 2, "page": 1, "pageSize": 20, "total": 2,
            "unreadCount": 2
        }),
    );
    // Read is read: it is not announced again.
    let empty = json!({
        "notifications": [], "returned": 0, "page": 1, "pageSize": 20, "total": 0, "unreadCount": 0
    });
    assert_eq!(get(&s, &s.pm, json!({})).await, empty);
    assert_eq!(s.ok(&s.pm, "checkin", json!({})).await["notifications"], json!({ "unread": 0, "recent": [] }));
    let read = get(&s, &s.pm, json!({ "status": "read" })).await;
    assert_eq!((&read["total"], &read["unreadCount"]), (&json!(2), &json!(0)));
    assert!(rows(&read, "notifications").iter().all(|row| row["readAt"].is_string()));
    // News on the same thing is a new one, with its own count.
    s.by(&s.dev).comment("task", &tasks[0], "Still?").await;
    let news = peek(&s, &s.pm).await;
    assert_eq!((&news["total"], &news["notifications"][0]["count"]), (&json!(1), &json!(1)));
    // Nobody else's are touched.
    assert_eq!(get(&s, &s.admin, json!({ "status": "all" })).await["total"], 0);
}

async fn peeking_and_looking_back_mark_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    commented(&s, 3).await;
    for arguments in [
        json!({ "autoMarkRead": false }),
        json!({ "status": "all" }),
        json!({ "status": "read", "autoMarkRead": true }),
    ] {
        get(&s, &s.pm, arguments).await;
        assert_eq!(peek(&s, &s.pm).await["unreadCount"], 3);
    }
    assert_eq!(titles(&s, &s.pm, json!({ "limit": 1 })).await, ["Task 2"]);
    assert_eq!(titles(&s, &s.pm, json!({ "status": "read" })).await, ["Task 2"]);
    assert_eq!(titles(&s, &s.pm, json!({ "status": "unread", "autoMarkRead": false })).await, ["Task 1", "Task 0"]);
    assert_eq!(titles(&s, &s.pm, json!({ "status": "all" })).await, ["Task 2", "Task 1", "Task 0"]);
    let all = get(&s, &s.pm, json!({ "status": "all" })).await;
    assert_eq!((&all["total"], &all["unreadCount"]), (&json!(3), &json!(2)));
}

async fn rows_are_skipped_and_limited(backend: Backend) {
    let s = Stage::new(backend).await;
    commented(&s, 5).await;
    let part = |limit: u32, offset: u32| json!({ "status": "all", "limit": limit, "offset": offset });
    for (limit, offset, page, expected) in [
        (2, 0, 1, vec!["Task 4", "Task 3"]),
        (2, 2, 2, vec!["Task 2", "Task 1"]),
        (2, 3, 2, vec!["Task 1", "Task 0"]),
        (2, 4, 3, vec!["Task 0"]),
        (2, 5, 3, vec![]),
        (100, 1, 1, vec!["Task 3", "Task 2", "Task 1", "Task 0"]),
    ] {
        let answer = get(&s, &s.pm, part(limit, offset)).await;
        let found: Vec<String> = rows(&answer, "notifications").iter().map(|row| text(&row["entityTitle"])).collect();
        assert_eq!(found, expected, "{limit} after {offset}");
        assert_eq!(
            (&answer["page"], &answer["pageSize"], &answer["total"], &answer["returned"]),
            (&json!(page), &json!(limit), &json!(5), &json!(expected.len()))
        );
        let follows = offset as usize + expected.len() < 5 && !expected.is_empty();
        assert_eq!(answer.get("nextCursor").is_some(), follows, "{limit} after {offset}");
    }
    for (field, wrong) in [
        ("limit", json!(0)),
        ("limit", json!(101)),
        ("limit", json!(-1)),
        ("limit", json!(1.5)),
        ("offset", json!(-1)),
        ("offset", json!(0.5)),
        ("offset", json!(1_000_001)),
        ("status", json!("new")),
        ("autoMarkRead", json!("perhaps")),
        ("cursor", json!("x")),
    ] {
        let refused = s.refused(&s.pm, "get_notifications", json!({ field: wrong }), "invalid_arguments").await;
        assert_eq!(refused.fields(), [field], "{wrong}");
    }
}

async fn a_walk_shows_each_once_while_it_reads_them_and_others_come(backend: Backend) {
    let s = Stage::new(backend).await;
    commented(&s, 23).await;
    let mut expected: Vec<String> = (0..23).rev().map(|n| format!("Task {n}")).collect();
    for status in ["unread", "all"] {
        let (mut walked, mut cursor) = (Vec::new(), Value::Null);
        for step in 0.. {
            assert!(step < 20, "the walk ends");
            let page = get(&s, &s.pm, json!({ "status": status, "limit": 5, "cursor": cursor })).await;
            walked.extend(rows(&page, "notifications").iter().map(|row| text(&row["entityTitle"])));
            let Some(next) = page.get("nextCursor") else { break };
            cursor = next.clone();
            let late = s.by(&s.pm).task_with(json!({ "title": "Late" })).await;
            s.by(&s.dev).comment("task", &late, "Why?").await;
        }
        assert_eq!(walked, expected, "{status}");
        // What came in between is unread, and is on top of the next walk.
        let late = titles(&s, &s.pm, json!({ "autoMarkRead": false, "limit": 100 })).await;
        assert!(late.len() >= 4 && late.iter().all(|title| title == "Late"), "{late:?}");
        expected = [late, expected].concat();
    }
    // A cursor is of its state.
    let first = get(&s, &s.pm, json!({ "status": "all", "limit": 1 })).await;
    let other = json!({ "status": "read", "cursor": first["nextCursor"] });
    assert_eq!(s.refused(&s.pm, "get_notifications", other, "invalid_arguments").await.fields(), ["cursor"]);
}

async fn one_is_marked_by_its_recipient(backend: Backend) {
    let s = Stage::new(backend).await;
    commented(&s, 2).await;
    let ids = uuids(&peek(&s, &s.pm).await, "notifications");
    let one = json!({ "notificationUuid": ids[0] });
    // Somebody else's is missing, like one that is none.
    for who in [&s.dev, &s.admin] {
        let refused = s.refused(who, "mark_notification_read", one.clone(), "not_found").await;
        let nothing = json!({ "notificationUuid": s.nothing() });
        let missing = s.refused(who, "mark_notification_read", nothing, "not_found").await;
        assert_eq!((refused.text, refused.details), (missing.text, missing.details));
    }
    assert_eq!(peek(&s, &s.pm).await["unreadCount"], 2);
    assert_eq!(s.ok(&s.pm, "mark_notification_read", one.clone()).await, json!({ "success": true }));
    assert_eq!(uuids(&peek(&s, &s.pm).await, "notifications"), ids[1..]);
    let read_at = async || get(&s, &s.pm, json!({ "status": "read" })).await["notifications"][0]["readAt"].clone();
    let first = read_at().await;
    s.ok(&s.pm, "mark_notification_read", one).await;
    assert_eq!(read_at().await, first, "a second time nothing changes");
    for neither in [json!({}), json!({ "all": false })] {
        let refused = s.refused(&s.pm, "mark_notification_read", neither, "invalid_arguments").await;
        assert_eq!(refused.fields(), ["notificationUuid"]);
        assert!(refused.text.contains("all: true"), "{}", refused.text);
    }
}

async fn all_are_marked_at_once_and_later_ones_are_spared(backend: Backend) {
    let s = Stage::new(backend).await;
    let tasks = commented(&s, 3).await;
    let ids = uuids(&peek(&s, &s.pm).await, "notifications");
    // `all` wins over an id, even over one that is nothing.
    let all = json!({ "all": true, "notificationUuid": s.nothing() });
    assert_eq!(s.ok(&s.pm, "mark_notification_read", all.clone()).await, json!({ "success": true }));
    assert_eq!(peek(&s, &s.pm).await["unreadCount"], 0);
    let read = get(&s, &s.pm, json!({ "status": "read" })).await;
    assert_eq!(uuids(&read, "notifications"), ids);
    s.by(&s.dev).comment("task", &tasks[0], "Later").await;
    assert_eq!(titles(&s, &s.pm, json!({ "autoMarkRead": false })).await, ["Task 0"]);
    // One that was made while the call was on its way stays unread.
    let ahead = s.world.now().plus_micros(60_000_000);
    let told = mention(&s, &s.pm, ahead, "Ahead");
    notify(&s, vec![told]).await;
    s.ok(&s.pm, "mark_notification_read", all).await;
    assert_eq!(titles(&s, &s.pm, json!({ "autoMarkRead": false })).await, ["Ahead"]);
}

/// A mention of `who` on the project.
fn mention(s: &Stage, who: &Caller, at: chorus_ids::Timestamp, title: &str) -> Notification {
    Notification {
        id: s.world.id(),
        company: s.world.company,
        recipient: agent(who),
        project: Some(s.project),
        project_name: PROJECT.into(),
        entity: Kind::Project,
        entity_id: s.project.uuid(),
        entity_title: title.into(),
        topic: Topic::Mentioned,
        message: format!("dev mentioned you in {title}"),
        actor: s.dev.subject,
        actor_name: "dev".into(),
        count: 1,
        read_at: None,
        archived_at: None,
        created_at: at,
    }
}

/// Writes notifications as if a unit of work had left them.
async fn notify(s: &Stage, told: Vec<Notification>) {
    let mut tx = s.world.services.store.begin().await.unwrap();
    tx.apply(&Granted::operator(), &chorus_domain::Batch::default(), &told).await.unwrap();
    tx.commit().await.unwrap();
}

async fn notifications_follow_what_their_reader_may_see(backend: Backend) {
    let s = Stage::new(backend).await;
    let place = s.world.project("elsewhere", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Editor)]).await;
    let there = s.by(&s.pm).within(&place.to_string()).task_with(json!({ "title": "There" })).await;
    s.by(&s.admin).comment("task", &there, "Why?").await;
    commented(&s, 1).await;
    assert_eq!(titles(&s, &s.pm, json!({ "autoMarkRead": false })).await, ["Task 0", "There"]);
    let ids = uuids(&peek(&s, &s.pm).await, "notifications");

    // Whoever takes over the agent brings their own access with them: here the project becomes another's.
    let moved = hide(&s, &there).await;
    let hidden = peek(&s, &s.pm).await;
    assert_eq!((&hidden["total"], &hidden["unreadCount"]), (&json!(1), &json!(1)));
    assert_eq!(uuids(&hidden, "notifications"), ids[..1]);
    for status in ["read", "all"] {
        assert!(!titles(&s, &s.pm, json!({ "status": status })).await.contains(&"There".to_owned()));
    }
    let one = json!({ "notificationUuid": ids[1] });
    let refused = s.refused(&s.pm, "mark_notification_read", one, "not_found").await;
    assert_eq!(refused.text, "Notification not found");
    s.ok(&s.pm, "mark_notification_read", json!({ "all": true })).await;
    assert_eq!(s.ok(&s.pm, "checkin", json!({})).await["notifications"], json!({ "unread": 0, "recent": [] }));

    // Access comes back, and with it what was never read.
    s.world.member(moved, s.pat, Role::Viewer).await;
    let back = peek(&s, &s.pm).await;
    assert_eq!(uuids(&back, "notifications"), ids[1..]);
    assert_eq!(back["notifications"][0]["projectUuid"], json!(moved));
}

/// Puts a task where only `ada` sees it.
async fn hide(s: &Stage, task: &str) -> ProjectId {
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let id = chorus_ids::TaskId::from_uuid(uuid(task));
    let found = s.world.services.store.read().await.unwrap().task(&s.scope_of(s.ada), id).await.unwrap().unwrap();
    let moved = chorus_domain::task::Task { project: hidden, version: found.version + 1, ..found };
    s.world.write(vec![chorus_domain::Write::SaveTask(moved)]).await;
    hidden
}

/// Report 37.
async fn ten_thousand_notices_stay_within_the_budget(backend: Backend) {
    let s = Stage::new(backend).await;
    let now = s.world.now();
    let title = "界".repeat(400);
    for batch in 0..10 {
        let told = (0..1_000).map(|n| mention(&s, &s.pm, now.plus_micros(batch * 1_000 + n - 20_000_000), &title));
        notify(&s, told.collect()).await;
    }
    for limit in [20, 100] {
        let page = get(&s, &s.pm, json!({ "limit": limit, "autoMarkRead": false })).await;
        assert!(page.to_string().len() <= CEILING);
        assert_eq!((&page["total"], &page["unreadCount"]), (&json!(10_000), &json!(10_000)));
        assert!(page["nextCursor"].is_string() && page["returned"].as_u64().unwrap() >= 15);
    }
    // Only what fitted into the answer was shown, and is read.
    let shown = get(&s, &s.pm, json!({ "limit": 100 })).await["returned"].as_u64().unwrap();
    assert!(shown < 100, "the ceiling cuts a page of long rows");
    assert_eq!(peek(&s, &s.pm).await["unreadCount"], json!(10_000 - shown));
    let checkin = s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(checkin["notifications"]["unread"], json!(10_000 - shown - 5));
    s.ok(&s.pm, "mark_notification_read", json!({ "all": true })).await;
    let rest = get(&s, &s.pm, json!({ "status": "read", "offset": 9_990, "limit": 20 })).await;
    assert_eq!((&rest["unreadCount"], &rest["returned"], &rest["total"]), (&json!(0), &json!(10), &json!(10_000)));
}

/// Report 37.
async fn two_hundred_changes_of_one_task_are_few_entries(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    s.by(&s.dev).advance(&task, "in_progress").await;
    for n in 0..50 {
        for status in ["to_verify", "in_progress"] {
            s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "status": status })).await;
            s.ok(&s.dev, "report_work", json!({ "taskUuid": task, "report": format!("Step {n}") })).await;
        }
    }
    let entries = peek(&s, &s.pm).await;
    let counts = |action: &str| -> Vec<i64> {
        let of = rows(&entries, "notifications").iter().filter(|row| row["action"] == action);
        of.map(|row| row["count"].as_i64().unwrap()).collect()
    };
    assert_eq!((counts("task_status_changed"), counts("comment_added")), (vec![101], vec![100]));
    assert_eq!(entries["total"], 2);
    assert!(text(&entries["notifications"][0]["message"]).contains("Step 49"), "the newest is told");
}

async fn every_entry_opens_something_that_its_reader_sees(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.by(&s.dev).advance(&made.tasks[0], "done").await;
    s.by(&s.dev).comment("document", &made.document, "Fine").await;
    s.by(&s.dev).comment("proposal", &made.proposal, "Fine").await;
    s.by(&s.dev).comment("idea", &made.idea, "Fine").await;
    let mut opened = std::collections::BTreeSet::new();
    for who in [&s.pm, &s.dev, &s.admin] {
        for row in rows(&peek(&s, who).await, "notifications") {
            let (kind, id) = (text(&row["entityType"]), &row["entityUuid"]);
            let found = s.ok(who, &format!("get_{kind}"), json!({ format!("{kind}Uuid"): id })).await;
            assert_eq!(&found["uuid"], id);
            opened.insert(kind);
        }
    }
    assert_eq!(opened.iter().collect::<Vec<_>>(), ["document", "idea", "proposal", "task"]);
}

async fn a_client_that_only_reads_leaves_no_trace(backend: Backend) {
    let s = Stage::new(backend).await;
    commented(&s, 7).await;
    let session = s.by(&s.pm).session().await;
    let listed = async || s.ok(&s.pm, "list_sessions", json!({})).await["sessions"].clone();
    let (before, mut seen) = (listed().await, Vec::new());
    for (tool, arguments) in [
        ("get_notifications", json!({ "limit": 5 })),
        ("checkin", json!({})),
        ("get_session", json!({ "sessionUuid": session })),
    ] {
        for _ in 0..2 {
            match s.tools.call_reading(&s.pm, &format!("chorus_{tool}"), arguments.clone()).await {
                CallResult::Answer(answer) => seen.push(answer),
                other => panic!("{tool}: {other:?}"),
            }
        }
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!((&seen[0]["returned"], &seen[0]["unreadCount"]), (&json!(5), &json!(7)));
    for checkin in &seen[2..4] {
        let digest = &checkin["notifications"];
        assert_eq!((&digest["unread"], rows(digest, "recent").len()), (&json!(7), 5), "none of them is read");
    }
    assert_eq!(seen[4], seen[5]);
    assert_eq!(listed().await, before);
    let id = AgentId::from_uuid(s.pm.subject.uuid());
    let mut reads = s.world.services.store.read().await.unwrap();
    let profile = reads.directory().profile(id, s.world.now()).await.unwrap().unwrap();
    assert_eq!(profile.agent.last_active_at, None);
    drop(reads);
    // The same calls of a client that did not ask leave theirs.
    s.ok(&s.pm, "checkin", json!({})).await;
    assert_eq!(get(&s, &s.pm, json!({})).await["total"], 2);
}

async fn a_viewer_reads_its_own_and_people_are_told_too(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Editor)).await;
    let task = s.by(&viewer).task().await;
    s.world.member(s.project, viewer.owner.unwrap(), Role::Viewer).await;
    s.by(&s.dev).comment("task", &task, "Why?").await;
    assert_eq!(get(&s, &viewer, json!({})).await["returned"], 1);
    s.ok(&viewer, "mark_notification_read", json!({ "all": true })).await;
    // An agent reads its own, never its owner's.
    let idea = s.by(&s.pm).claimed().await;
    s.by(&s.pm).round(&idea).await;
    assert_eq!(s.unread(Party::User(s.pat), s.pat).await.len(), 1);
    assert_eq!(get(&s, &s.pm, json!({ "status": "all" })).await["total"], 0);
    assert_eq!(Subject::from(agent(&s.pm)), s.pm.subject);
}

async fn reading_tells_nobody(backend: Backend) {
    let s = Stage::new(backend).await;
    s.by(&s.dev).comment("task", &s.by(&s.pm).task().await, "Why?").await;
    let mut watch = Watch::start(&s).await;
    s.ok(&s.pm, "mark_notification_read", json!({ "all": true })).await;
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    assert_eq!(peek(&s, &s.pm).await["unreadCount"], 0);
}

backends!(
    reading_tells_nobody,
    what_is_shown_becomes_read,
    peeking_and_looking_back_mark_nothing,
    rows_are_skipped_and_limited,
    a_walk_shows_each_once_while_it_reads_them_and_others_come,
    one_is_marked_by_its_recipient,
    all_are_marked_at_once_and_later_ones_are_spared,
    notifications_follow_what_their_reader_may_see,
    ten_thousand_notices_stay_within_the_budget,
    two_hundred_changes_of_one_task_are_few_entries,
    every_entry_opens_something_that_its_reader_sees,
    a_client_that_only_reads_leaves_no_trace,
    a_viewer_reads_its_own_and_people_are_told_too,
);
