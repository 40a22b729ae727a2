//! list_sessions, get_session, create_session, close_session, reopen_session, session_checkin_task,
//! session_checkout_task, session_heartbeat; sessions on tasks; the expected version of a task.

use chorus_domain::{Caller, Party, Write, session::Session};
use chorus_ids::{AgentId, SessionId};
use chorus_lifecycle::session::SessionStatus;
use chorus_testkit::{Backend, CallResult};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch, agent},
    like::assert_like,
    stage::{Stage, missing, rows, text, uuid, uuids},
};
use crate::backends;

const HOUR: i64 = 3_600_000_000;

fn at(session: &str) -> Value {
    json!({ "sessionUuid": session })
}

fn both(session: &str, task: &str) -> Value {
    json!({ "sessionUuid": session, "taskUuid": task })
}

/// The session as its row in the list, which is not refreshed by looking.
async fn row(s: &Stage, who: &Caller, session: &str) -> Value {
    let listed = s.ok(who, "list_sessions", json!({ "pageSize": 100 })).await;
    let found = rows(&listed, "sessions").iter().find(|row| row["uuid"] == session);
    found.unwrap_or_else(|| panic!("{session} is not listed")).clone()
}

/// When it was last active. The next moment shows as another one.
async fn last_active(s: &Stage, who: &Caller, session: &str) -> String {
    let last = text(&row(s, who, session).await["lastActiveAt"]);
    a_moment().await;
    last
}

/// Times are shown in milliseconds.
async fn a_moment() {
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
}

/// The tasks that a session is at.
async fn tasks_of(s: &Stage, who: &Caller, session: &str) -> Vec<String> {
    let read = s.ok(who, "get_session", at(session)).await;
    rows(&read, "checkins").iter().map(|checkin| text(&checkin["taskUuid"])).collect()
}

/// A session of `who` that was last active so long ago, in microseconds.
async fn aged(s: &Stage, who: &Caller, name: &str, age: i64) -> String {
    let (id, now): (SessionId, _) = (s.world.id(), s.world.now());
    let then = now.plus_micros(-age);
    let session = Session {
        id,
        company: s.world.company,
        agent: AgentId::from_uuid(who.subject.uuid()),
        name: name.into(),
        description: None,
        status: SessionStatus::Active,
        last_active_at: then,
        created_at: then,
        updated_at: then,
    };
    s.world.write(vec![Write::NewSession(session)]).await;
    id.to_string()
}

async fn a_session_is_opened_read_and_listed(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.ok(&s.dev, "create_session", json!({ "name": "builder", "description": "Builds" })).await;
    assert_like(&made, &json!({ "uuid": "<uuid>", "name": "builder", "status": "active" }));
    let session = text(&made["uuid"]);
    let read = s.ok(&s.dev, "get_session", at(&session)).await;
    let me = s.dev.subject.uuid();
    assert_like(
        &read,
        &json!({
            "uuid": session, "agentUuid": me, "name": "builder", "description": "Builds", "status": "active",
            "lastActiveAt": "<time>", "createdAt": "<time>", "updatedAt": "<time>", "checkins": []
        }),
    );
    // Names need not be unique.
    let second = text(&s.ok(&s.dev, "create_session", json!({ "name": "builder" })).await["uuid"]);
    s.ok(&s.dev, "close_session", at(&session)).await;
    let listed = s.ok(&s.dev, "list_sessions", json!({})).await;
    let shown = |uuid: &str, status: &str| {
        json!({
            "uuid": uuid, "name": "builder", "status": status, "agentUuid": me, "createdAt": "<time>",
            "lastActiveAt": "<time>"
        })
    };
    assert_like(
        &listed,
        &json!({
            "sessions": [shown(&second, "active"), shown(&session, "closed")], "returned": 2, "page": 1, "pageSize": 20,
            "total": 2
        }),
    );
    for (status, expected) in [("active", &second), ("closed", &session)] {
        let some = s.ok(&s.dev, "list_sessions", json!({ "status": status })).await;
        assert_eq!((uuids(&some, "sessions"), &some["total"]), (vec![expected.clone()], &json!(1)));
    }
    s.refused(&s.dev, "list_sessions", json!({ "status": "idle" }), "invalid_arguments").await;
    // Idle ones are listed too.
    let old = aged(&s, &s.dev, "idle", 9 * HOUR).await;
    assert!(uuids(&s.ok(&s.dev, "list_sessions", json!({})).await, "sessions").contains(&old));
    // Each agent has its own, whoever its owner is.
    assert_eq!(s.ok(&s.pm, "list_sessions", json!({})).await["total"], 0);
}

async fn sessions_of_others_are_missing(backend: Backend) {
    let s = Stage::new(backend).await;
    let sister = s.world.new_caller("sister", Some(s.dora), &["admin_agent"], &[]).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    let theirs = s.by(&s.dev).session_at(&task).await;
    s.give_task(&task, agent(&sister)).await;
    for (tool, more) in [
        ("get_session", json!({})),
        ("close_session", json!({})),
        ("reopen_session", json!({})),
        ("session_heartbeat", json!({})),
        ("session_checkin_task", json!({ "taskUuid": task })),
        ("session_checkout_task", json!({ "taskUuid": task })),
        ("update_task", json!({ "taskUuid": task, "title": "x" })),
        ("report_work", json!({ "taskUuid": task, "report": "x" })),
    ] {
        let mut answers = Vec::new();
        for id in [&theirs, &s.nothing()] {
            let mut arguments = at(id);
            super::maker::merge(&mut arguments, more.clone());
            let result = s.call(&sister, tool, arguments).await;
            assert_eq!((result.code(), missing(result.text())), ("not_found", "Session not found"), "{tool}");
            answers.push(result);
        }
        assert_eq!(answers[0], answers[1], "{tool}");
    }
    assert_eq!(tasks_of(&s, &s.dev, &theirs).await, [task.as_str()]);
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((&read["title"], &read["commentCount"]), (&json!("Parse"), &json!(0)));
}

async fn coming_to_a_task_takes_it_if_nobody_has_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, session) = (s.by(&s.pm).task().await, s.by(&s.dev).session().await);
    let before = last_active(&s, &s.dev, &session).await;
    let mut watch = Watch::start(&s).await;
    let silent = json!({ "activities": NOTHING, "told": NOTHING, "events": ["task T updated"] });
    let arrived = s.ok(&s.dev, "session_checkin_task", both(&session, &task)).await;
    let expected = json!({ "sessionUuid": session, "taskUuid": task, "checkedInAt": "<time>", "claimed": true });
    assert_like(&arrived, &expected);
    watch.expect(&[(&task, "T")], silent.clone()).await;
    assert!(last_active(&s, &s.dev, &session).await > before);
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((&read["status"], &read["assignee"]["uuid"]), (&json!("assigned"), &json!(s.dev.subject.uuid())));
    assert_eq!((&read["assignee"]["assignedBy"], &read["version"]), (&Value::Null, &json!(2)));

    // Again: the same check-in with a fresh time; nothing is taken twice.
    a_moment().await;
    let again = s.ok(&s.dev, "session_checkin_task", both(&session, &task)).await;
    assert!(text(&again["checkedInAt"]) > text(&arrived["checkedInAt"]));
    assert_eq!(again["claimed"], false);
    watch.expect(&[(&task, "T")], silent).await;
    let read = s.ok(&s.dev, "get_session", at(&session)).await;
    let checkin = json!({ "taskUuid": task, "checkinAt": again["checkedInAt"], "checkoutAt": null });
    assert_eq!(read["checkins"], json!([checkin]));
}

async fn coming_to_any_other_task_changes_nothing_on_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let session = s.by(&s.dev).session().await;
    for status in ["assigned", "in_progress", "to_verify", "done", "closed"] {
        let task = s.by(&s.admin).task_in(status).await;
        let arrived = s.ok(&s.dev, "session_checkin_task", both(&session, &task)).await;
        assert_eq!(arrived["claimed"], false, "{status}");
        let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
        assert_eq!(read["status"], status);
        let held_by_me = read["assignee"]["uuid"] == json!(s.dev.subject.uuid());
        assert!(!held_by_me, "{status}");
    }
    assert_eq!(tasks_of(&s, &s.dev, &session).await.len(), 5);
    // Several sessions may be at one task, and one claims it.
    let task = s.by(&s.pm).task().await;
    let other = s.by(&s.pm).session_at(&task).await;
    let late = s.ok(&s.dev, "session_checkin_task", both(&session, &task)).await;
    assert_eq!(late["claimed"], false);
    assert_eq!(tasks_of(&s, &s.pm, &other).await, [task]);
}

async fn one_of_many_simultaneous_arrivals_takes_the_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let mut callers = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let caller = s.agent_of(name, Some(Role::Editor)).await;
        let session = s.by(&caller).session().await;
        callers.push((caller, session));
    }
    let calls = callers.iter().map(|(caller, session)| {
        let (tools, caller, arguments) = (s.tools.clone(), caller.clone(), both(session, &task));
        tokio::spawn(async move { tools.call(&caller, "chorus_session_checkin_task", arguments).await })
    });
    let calls: Vec<_> = calls.collect();
    let mut claims = 0;
    for call in calls {
        match call.await.unwrap() {
            CallResult::Answer(answer) => claims += u32::from(answer["claimed"] == true),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(claims, 1);
}

async fn a_closed_session_comes_to_no_task(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, session) = (s.by(&s.pm).task().await, s.by(&s.dev).session().await);
    s.ok(&s.dev, "close_session", at(&session)).await;
    let refused = s.refused(&s.dev, "session_checkin_task", both(&session, &task), "invalid_state").await;
    assert_eq!(refused.details, json!({ "status": "closed" }));
    assert!(refused.text.contains("chorus_reopen_session"), "{}", refused.text);
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!(read["status"], "open");
}

async fn the_task_is_looked_at_before_the_session(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let outsider = s.agent_of("outsider", None).await;
    let task = s.by(&s.pm).task().await;
    for tool in ["session_checkin_task", "session_checkout_task"] {
        let mine = s.by(&viewer).session().await;
        s.refused(&viewer, tool, both(&mine, &task), "forbidden").await;
        let mine = s.by(&outsider).session().await;
        for hidden in [&task, &s.nothing()] {
            let refused = s.refused(&outsider, tool, both(&mine, hidden), "not_found").await;
            assert_eq!((refused.text.as_str(), refused.details), ("Task not found", Value::Null));
        }
    }
}

async fn leaving_a_task_is_silent_where_one_is_not(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, other) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let session = s.by(&s.dev).session_at(&task).await;
    s.ok(&s.dev, "session_checkin_task", both(&session, &other)).await;
    let before = last_active(&s, &s.dev, &session).await;
    let mut watch = Watch::start(&s).await;
    let left = s.ok(&s.dev, "session_checkout_task", both(&session, &task)).await;
    assert_eq!(left, json!({ "message": format!("Session `builder` is not at task {task} any more.") }));
    let gone = json!({ "activities": NOTHING, "told": NOTHING, "events": ["task T updated"] });
    watch.expect(&[(&task, "T")], gone).await;
    assert_eq!(tasks_of(&s, &s.dev, &session).await, [other.as_str()]);
    assert!(last_active(&s, &s.dev, &session).await > before);
    assert_eq!(s.ok(&s.dev, "session_checkout_task", both(&session, &task)).await, left);
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((&read["status"], &read["assignee"]["uuid"]), (&json!("assigned"), &json!(s.dev.subject.uuid())));
    // A closed one may leave too: it is at no task already, and is not refreshed.
    s.ok(&s.dev, "close_session", at(&session)).await;
    let closed = row(&s, &s.dev, &session).await;
    s.ok(&s.dev, "session_checkout_task", both(&session, &other)).await;
    assert_eq!(row(&s, &s.dev, &session).await, closed);
}

async fn use_keeps_a_session_fresh_unless_it_is_closed(backend: Backend) {
    let s = Stage::new(backend).await;
    let session = s.by(&s.dev).session().await;
    let mut last = last_active(&s, &s.dev, &session).await;
    for tool in ["session_heartbeat", "get_session"] {
        s.ok(&s.dev, tool, at(&session)).await;
        let now = last_active(&s, &s.dev, &session).await;
        assert!(now > last, "{tool}");
        last = now;
    }
    let heard = text(&s.ok(&s.dev, "session_heartbeat", at(&session)).await["message"]);
    let now = last_active(&s, &s.dev, &session).await;
    assert!(heard.contains(&now), "{heard} is not at {now}");
    s.ok(&s.dev, "close_session", at(&session)).await;
    let closed = row(&s, &s.dev, &session).await;
    assert!(text(&closed["lastActiveAt"]) > now, "closing is use");
    let heard = text(&s.ok(&s.dev, "session_heartbeat", at(&session)).await["message"]);
    assert!(heard.contains("closed"), "{heard}");
    s.ok(&s.dev, "get_session", at(&session)).await;
    assert_eq!(row(&s, &s.dev, &session).await, closed);
}

async fn closing_leaves_all_tasks_and_reopening_goes_to_none(backend: Backend) {
    let s = Stage::new(backend).await;
    let (a, b) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let session = s.by(&s.dev).session_at(&a).await;
    s.ok(&s.dev, "session_checkin_task", both(&session, &b)).await;
    let names = [(a.as_str(), "A"), (b.as_str(), "B")];
    let mut watch = Watch::start(&s).await;
    let closed = s.ok(&s.dev, "close_session", at(&session)).await;
    assert_eq!(closed, json!({ "uuid": session, "status": "closed" }));
    let events = json!({ "activities": NOTHING, "told": NOTHING, "events": ["task A updated", "task B updated"] });
    watch.expect(&names, events).await;
    assert_eq!(tasks_of(&s, &s.dev, &session).await, Vec::<String>::new());
    for task in [&a, &b] {
        let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await;
        assert_eq!((&read["status"], &read["assignee"]["uuid"]), (&json!("assigned"), &json!(s.dev.subject.uuid())));
    }
    // A second time nothing changes.
    let before = row(&s, &s.dev, &session).await;
    assert_eq!(s.ok(&s.dev, "close_session", at(&session)).await, closed);
    assert_eq!(row(&s, &s.dev, &session).await, before);
    let nothing = json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING });
    watch.expect(&names, nothing.clone()).await;

    let open = s.ok(&s.dev, "reopen_session", at(&session)).await;
    assert_eq!(open, json!({ "uuid": session, "status": "active" }));
    assert!(last_active(&s, &s.dev, &session).await > text(&before["lastActiveAt"]));
    assert_eq!(tasks_of(&s, &s.dev, &session).await, Vec::<String>::new());
    watch.expect(&names, nothing).await;
    let refused = s.refused(&s.dev, "reopen_session", at(&session), "invalid_state").await;
    assert_eq!(refused.details, json!({ "status": "active" }));
    assert!(refused.text.contains("`active`"), "{}", refused.text);
}

async fn a_session_at_a_task_that_its_agent_lost_can_only_be_closed(backend: Backend) {
    let s = Stage::new(backend).await;
    let place =
        s.world.project("elsewhere", Visibility::Private, &[(s.ada, Role::Admin), (s.dora, Role::Editor)]).await;
    let task = s.by(&s.admin).within(&place.to_string()).task().await;
    let session = s.by(&s.dev).session_at(&task).await;
    // A viewer still sees where it is, and may no longer work there.
    s.world.member(place, s.dora, Role::Viewer).await;
    assert_eq!(tasks_of(&s, &s.dev, &session).await, [task.as_str()]);
    s.refused(&s.dev, "session_heartbeat", at(&session), "forbidden").await;
    // The task goes where its agent sees nothing.
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let id = chorus_ids::TaskId::from_uuid(uuid(&task));
    let found = s.world.services.store.read().await.unwrap().task(&s.scope_of(s.ada), id).await.unwrap().unwrap();
    let moved = chorus_domain::task::Task { project: hidden, version: found.version + 1, ..found };
    s.world.write(vec![Write::SaveTask(moved)]).await;
    for tool in ["get_session", "session_heartbeat"] {
        let refused = s.refused(&s.dev, tool, at(&session), "not_found").await;
        assert_eq!((refused.text.as_str(), refused.details), ("Task not found", Value::Null), "{tool}");
    }
    let events = async || {
        let all = s.database.events().await;
        all.into_iter().filter(|event| event.id.to_string() == task).count()
    };
    let before = events().await;
    let closed = s.ok(&s.dev, "close_session", at(&session)).await;
    assert_eq!(closed, json!({ "uuid": session, "status": "closed" }));
    assert_eq!(events().await, before + 1, "who watches the task sees it leave");
    assert_eq!(tasks_of(&s, &s.dev, &session).await, Vec::<String>::new());
    s.ok(&s.dev, "reopen_session", at(&session)).await;
}

/// The newest entry of the project's stream.
async fn newest(s: &Stage) -> Value {
    let listed = s.ok(&s.admin, "get_activity", json!({ "projectUuid": s.project, "pageSize": 1 })).await;
    rows(&listed, "activities")[0].clone()
}

async fn work_done_in_a_session_bears_its_name(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, session) = (s.by(&s.dev).task_in("assigned").await, s.by(&s.dev).session().await);
    let plain = newest(&s).await;
    assert_eq!((&plain["sessionUuid"], &plain["sessionName"]), (&Value::Null, &Value::Null));
    let mut last = last_active(&s, &s.dev, &session).await;
    for (tool, more, action) in [
        ("update_task", json!({ "status": "in_progress" }), "status_changed"),
        ("update_task", json!({ "title": "Lex" }), "updated"),
        ("report_work", json!({ "report": "Half" }), "comment_added"),
        ("report_work", json!({ "report": "All", "status": "to_verify" }), "comment_added"),
    ] {
        let mut arguments = both(&session, &task);
        super::maker::merge(&mut arguments, more);
        s.ok(&s.dev, tool, arguments).await;
        let told = newest(&s).await;
        assert_eq!(
            (&told["action"], &told["sessionUuid"], &told["sessionName"]),
            (&json!(action), &json!(session), &json!("builder"))
        );
        let now = last_active(&s, &s.dev, &session).await;
        assert!(now > last, "{tool} refreshes");
        last = now;
    }
    // An edit of nothing leaves nothing but the use of the session.
    let before = newest(&s).await;
    s.ok(&s.dev, "update_task", both(&session, &task)).await;
    assert_eq!(newest(&s).await, before);
    assert!(last_active(&s, &s.dev, &session).await > last);
    // A closed one stamps too, and stays as it is.
    s.ok(&s.dev, "close_session", at(&session)).await;
    let closed = row(&s, &s.dev, &session).await;
    s.ok(&s.dev, "update_task", json!({ "taskUuid": task, "sessionUuid": session, "title": "Parse" })).await;
    assert_eq!(newest(&s).await["sessionUuid"], json!(session));
    assert_eq!(row(&s, &s.dev, &session).await, closed);
    // What is refused leaves the session alone.
    let open = s.by(&s.dev).session().await;
    let before = last_active(&s, &s.dev, &open).await;
    let wrong = json!({ "taskUuid": task, "sessionUuid": open, "title": " " });
    s.refused(&s.dev, "update_task", wrong, "invalid_arguments").await;
    assert_eq!(last_active(&s, &s.dev, &open).await, before);
}

async fn an_edit_of_a_task_that_changed_meanwhile_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let edit = |version: u32, title: &str| json!({ "taskUuid": task, "expectedVersion": version, "title": title });
    assert_eq!(s.ok(&s.dev, "update_task", edit(1, "Lex")).await["version"], 2);
    let mut watch = Watch::start(&s).await;
    for stale in [1, 3, 2_147_483_647] {
        let refused = s.refused(&s.pm, "update_task", edit(stale, "Old"), "precondition_failed").await;
        assert_eq!(refused.details, json!({ "currentVersion": 2, "expectedVersion": stale }));
        assert!(refused.text.contains("chorus_get_task"), "{}", refused.text);
    }
    let bare = json!({ "taskUuid": task, "expectedVersion": 1 });
    s.refused(&s.pm, "update_task", bare, "precondition_failed").await;
    watch.expect(&[], json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING })).await;
    let read = s.ok(&s.pm, "get_task", json!({ "taskUuid": task })).await;
    assert_eq!((&read["title"], &read["version"]), (&json!("Lex"), &json!(2)));
    for wrong in [json!(0), json!(-1), json!(1.5), json!("new")] {
        let arguments = json!({ "taskUuid": task, "expectedVersion": wrong });
        let refused = s.refused(&s.pm, "update_task", arguments, "invalid_arguments").await;
        assert_eq!(refused.fields(), ["expectedVersion"]);
    }
    // Of those that know the same version exactly one wins.
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let (tools, caller, arguments) = (s.tools.clone(), s.dev.clone(), edit(2, &format!("By {n}")));
            tokio::spawn(async move { tools.call(&caller, "chorus_update_task", arguments).await })
        })
        .collect();
    let mut won = 0;
    for call in calls {
        match call.await.unwrap() {
            CallResult::Answer(answer) => {
                assert_eq!(answer["version"], 3);
                won += 1;
            }
            lost => assert_eq!((lost.code(), &lost.details()["currentVersion"]), ("precondition_failed", &json!(3))),
        }
    }
    assert_eq!(won, 1);
}

async fn a_blocker_is_told_with_who_is_at_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, task) = (s.by(&s.pm).task().await, s.by(&s.dev).task_in("assigned").await);
    s.by(&s.pm).after(&task, &[&first]).await;
    let idle = aged(&s, &s.pm, "idle", HOUR + 1_000_000).await;
    let blocker = async || {
        let start = json!({ "taskUuid": task, "status": "in_progress" });
        let refused = s.refused(&s.dev, "update_task", start, "blocked_by_dependencies").await;
        (refused.text, refused.details["blockers"][0]["sessionCheckin"].clone())
    };
    assert_eq!(blocker().await.1, Value::Null);
    let session = s.by(&s.pm).session_at(&first).await;
    let (told, shown) = blocker().await;
    assert_eq!(shown, json!({ "sessionUuid": session, "sessionName": "builder" }));
    assert!(told.contains("session `builder`"), "{told}");
    s.ok(&s.pm, "close_session", at(&session)).await;
    assert_eq!(blocker().await.1, Value::Null);
    // Who has not been heard of for an hour is not at it; coming there is use.
    s.ok(&s.pm, "session_checkin_task", both(&idle, &first)).await;
    assert_eq!(blocker().await.1["sessionName"], "idle");
}

async fn a_checkin_counts_the_sessions_of_the_last_hour(backend: Backend) {
    let s = Stage::new(backend).await;
    let count = async || s.ok(&s.dev, "checkin", json!({})).await["agent"]["activeCount"].clone();
    assert_eq!(count().await, 0);
    aged(&s, &s.dev, "old", HOUR + 1_000_000).await;
    aged(&s, &s.dev, "young", HOUR - 60_000_000).await;
    aged(&s, &s.pm, "theirs", 0).await;
    let session = s.by(&s.dev).session().await;
    assert_eq!(count().await, 2);
    s.ok(&s.dev, "close_session", at(&session)).await;
    assert_eq!(count().await, 1);
}

async fn giving_a_task_away_leaves_the_session_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let (given, kept) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let session = s.by(&s.dev).session_at(&given).await;
    s.ok(&s.dev, "session_checkin_task", both(&session, &kept)).await;
    s.ok(&s.dev, "release_task", json!({ "taskUuid": given })).await;
    s.ok(&s.admin, "claim_task", json!({ "taskUuid": given })).await;
    let read = s.ok(&s.dev, "get_session", at(&session)).await;
    assert_eq!((&read["status"], rows(&read, "checkins").len()), (&json!("active"), 2));
    let held = s.ok(&s.dev, "get_task", json!({ "taskUuid": kept })).await;
    assert_eq!(held["assignee"]["uuid"], json!(s.dev.subject.uuid()));
    let passed = s.ok(&s.dev, "get_task", json!({ "taskUuid": given })).await;
    assert_eq!(passed["assignee"]["uuid"], json!(s.admin.subject.uuid()));
}

async fn a_retried_call_is_answered_again_and_done_once(backend: Backend) {
    let s = Stage::new(backend).await;
    let open = json!({ "name": "builder", "idempotencyKey": "open" });
    let made = s.ok(&s.dev, "create_session", open.clone()).await;
    assert_eq!(s.ok(&s.dev, "create_session", open).await, made);
    assert_eq!(s.ok(&s.dev, "list_sessions", json!({})).await["total"], 1);
    let session = text(&made["uuid"]);
    s.ok(&s.dev, "close_session", at(&session)).await;
    let reopen = json!({ "sessionUuid": session, "idempotencyKey": "reopen" });
    let open = s.ok(&s.dev, "reopen_session", reopen.clone()).await;
    assert_eq!(s.ok(&s.dev, "reopen_session", reopen).await, open, "although it is active now");
}

async fn a_viewer_and_an_administrator_have_sessions_like_anybody(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let nobody = s.world.new_caller("ownerless", None, &[], &[]).await;
    for who in [&viewer, &s.pm, &s.admin, &nobody] {
        let session = s.by(who).session().await;
        for tool in ["get_session", "session_heartbeat", "close_session", "reopen_session"] {
            s.ok(who, tool, at(&session)).await;
        }
        assert_eq!(s.ok(who, "list_sessions", json!({})).await["total"], 1, "{}", who.name);
    }
    assert_eq!(s.unread(Party::User(s.ada), s.ada).await, [], "nobody is told of sessions");
}

backends!(
    a_session_is_opened_read_and_listed,
    sessions_of_others_are_missing,
    coming_to_a_task_takes_it_if_nobody_has_it,
    coming_to_any_other_task_changes_nothing_on_it,
    one_of_many_simultaneous_arrivals_takes_the_task,
    a_closed_session_comes_to_no_task,
    the_task_is_looked_at_before_the_session,
    leaving_a_task_is_silent_where_one_is_not,
    use_keeps_a_session_fresh_unless_it_is_closed,
    closing_leaves_all_tasks_and_reopening_goes_to_none,
    a_session_at_a_task_that_its_agent_lost_can_only_be_closed,
    work_done_in_a_session_bears_its_name,
    an_edit_of_a_task_that_changed_meanwhile_is_refused,
    a_blocker_is_told_with_who_is_at_it,
    a_checkin_counts_the_sessions_of_the_last_hour,
    giving_a_task_away_leaves_the_session_alone,
    a_retried_call_is_answered_again_and_done_once,
    a_viewer_and_an_administrator_have_sessions_like_anybody,
);
