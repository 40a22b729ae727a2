//! Dependencies: what they block, who is told, and batches of tasks that wait for each other (README decisions 5 to 8).

use chorus_domain::{Party, Write, notification::Topic, task::Edge};
use chorus_ids::{TaskId, UserId};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, actor, rows, text, uuid, uuids},
};
use crate::backends;

fn on(task: &str) -> Value {
    json!({ "taskUuid": task })
}

fn depend(task: &str, add: &[&str], remove: &[&str]) -> Value {
    json!({ "taskUuid": task, "addDependsOn": add, "removeDependsOn": remove })
}

fn start(task: &str) -> Value {
    json!({ "taskUuid": task, "status": "in_progress" })
}

fn id(task: &str) -> TaskId {
    TaskId::from_uuid(uuid(task))
}

/// Writes an edge that no tool can make: between projects, or in front of work that has begun.
async fn edge(s: &Stage, task: &str, depends_on: &str) {
    s.world.write(vec![Write::AddEdges(vec![Edge { task: id(task), depends_on: id(depends_on) }])]).await;
}

async fn unblocked(s: &Stage) -> Vec<String> {
    let mut found = uuids(&s.ok(&s.dev, "get_unblocked_tasks", json!({ "projectUuid": s.project })).await, "tasks");
    found.sort_unstable();
    found
}

fn sorted<const N: usize>(tasks: [&str; N]) -> Vec<String> {
    let mut tasks = tasks.map(str::to_owned).to_vec();
    tasks.sort_unstable();
    tasks
}

fn blocker(uuid: &str, title: &str, status: &str, assignee: Value) -> Value {
    json!({ "uuid": uuid, "title": title, "status": status, "assignee": assignee, "sessionCheckin": null })
}

async fn nobody_starts_a_blocked_task_by_any_path(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, second) =
        (s.by(&s.admin).task_in("assigned").await, s.by(&s.pm).task_with(json!({ "title": "Lex" })).await);
    let task = s.by(&s.dev).task().await;
    s.by(&s.dev).after(&task, &[&first, &second]).await;
    // Claiming is allowed; starting is not.
    s.by(&s.dev).advance(&task, "assigned").await;
    for (tool, arguments) in [
        ("update_task", start(&task)),
        ("report_work", json!({ "taskUuid": task, "report": "Begun", "status": "in_progress" })),
    ] {
        let refused = s.refused(&s.dev, tool, arguments, "blocked_by_dependencies").await;
        assert_eq!(
            refused.details,
            json!({
                "blockers": [
                    blocker(&first, "Parse", "assigned", actor(&s.admin)), blocker(&second, "Lex", "open", Value::Null)
                ],
                "hiddenBlockers": 0
            })
        );
        for word in ["\"Lex\"", "\"Parse\"", "agent `admin`", "chorus_get_unblocked_tasks"] {
            assert!(refused.text.contains(word), "{}", refused.text);
        }
    }
    let read = s.ok(&s.dev, "get_task", on(&task)).await;
    assert_eq!((&read["status"], &read["commentCount"]), (&json!("assigned"), &json!(0)));
}

async fn only_done_and_closed_prerequisites_count_as_finished(backend: Backend) {
    let s = Stage::new(backend).await;
    for (state, blocks) in [
        ("open", true),
        ("assigned", true),
        ("in_progress", true),
        ("to_verify", true),
        ("done", false),
        ("closed", false),
    ] {
        let prerequisite = s.by(&s.admin).task_in(state).await;
        let task = s.by(&s.dev).task_in("assigned").await;
        s.by(&s.pm).after(&task, &[&prerequisite]).await;
        assert_eq!(unblocked(&s).await.contains(&task), !blocks, "{state}");
        if blocks {
            s.refused(&s.dev, "update_task", start(&task), "blocked_by_dependencies").await;
        } else {
            s.ok(&s.dev, "update_task", start(&task)).await;
        }
    }
}

async fn an_unfinished_prerequisite_is_not_put_before_work_that_has_begun(backend: Backend) {
    let s = Stage::new(backend).await;
    let (open, done) = (s.by(&s.pm).task().await, s.by(&s.admin).task_in("done").await);
    for state in ["in_progress", "to_verify"] {
        let task = s.by(&s.dev).task_in(state).await;
        let refused =
            s.refused(&s.pm, "update_task", depend(&task, &[&done, &open], &[]), "blocked_by_dependencies").await;
        assert_eq!(refused.details["blockers"][0]["uuid"], open);
        assert_eq!(s.ok(&s.pm, "get_task", on(&task)).await["dependsOn"], json!([]));
        s.ok(&s.pm, "update_task", depend(&task, &[&done], &[])).await;
    }
    for state in ["open", "assigned", "done", "closed"] {
        let task = s.by(&s.dev).task_in(state).await;
        s.ok(&s.pm, "update_task", depend(&task, &[&open], &[])).await;
    }
    // Starting and adding in one call is starting a blocked task.
    let task = s.by(&s.dev).task_in("assigned").await;
    let both = json!({ "taskUuid": task, "status": "in_progress", "addDependsOn": [open] });
    s.refused(&s.dev, "update_task", both, "blocked_by_dependencies").await;
    // And removing what blocks while starting is fine.
    s.by(&s.pm).after(&task, &[&open]).await;
    let both = json!({ "taskUuid": task, "status": "in_progress", "removeDependsOn": [open] });
    s.ok(&s.dev, "update_task", both).await;
}

async fn work_does_not_resume_or_reopen_past_a_prerequisite_unless_forced(backend: Backend) {
    let s = Stage::new(backend).await;
    let open = s.by(&s.pm).task().await;
    let task = s.by(&s.dev).task_in("to_verify").await;
    edge(&s, &task, &open).await;
    s.refused(&s.dev, "update_task", start(&task), "blocked_by_dependencies").await;
    let refused = s.refused(&s.admin, "admin_reopen_task", on(&task), "blocked_by_dependencies").await;
    assert_eq!(refused.details["blockers"][0]["uuid"], open);
    s.refused(&s.admin, "admin_reopen_task", json!({ "taskUuid": task, "force": false }), "blocked_by_dependencies")
        .await;
    let forced = s.ok(&s.admin, "admin_reopen_task", json!({ "taskUuid": task, "force": true })).await;
    assert_eq!(forced["status"], "in_progress");
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await;
    let newest = &rows(&stream, "activities")[..2];
    let mut actions: Vec<_> = newest.iter().map(|row| (text(&row["action"]), row["value"].clone())).collect();
    actions.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        actions,
        [
            ("force_status_change".to_owned(), json!({ "status": "in_progress", "force": true })),
            ("reopened".to_owned(), Value::Null)
        ]
    );
}

async fn prerequisites_that_one_may_not_see_are_counted_and_never_named(backend: Backend) {
    let s = Stage::new(backend).await;
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let secret = s.by(&s.admin).within(&hidden).task_with(json!({ "title": "Secret" })).await;
    let task = s.by(&s.dev).task_in("assigned").await;
    edge(&s, &task, &secret).await;
    edge(&s, &secret, &task).await; // a circle that only an import could make; reading it must end

    let seen = s.ok(&s.admin, "get_task", on(&task)).await;
    let beside = json!([{ "uuid": secret, "title": "Secret", "status": "open" }]);
    assert_eq!((&seen["dependsOn"], &seen["dependedBy"]), (&beside, &beside));
    assert_eq!(seen.get("hiddenDependsOn"), None);
    let unseen = s.ok(&s.dev, "get_task", on(&task)).await;
    assert_eq!((&unseen["dependsOn"], &unseen["dependedBy"]), (&json!([]), &json!([])));
    assert_eq!((&unseen["hiddenDependsOn"], &unseen["hiddenDependedBy"]), (&json!(1), &json!(1)));

    let refused = s.refused(&s.dev, "update_task", start(&task), "blocked_by_dependencies").await;
    assert_eq!(refused.details, json!({ "blockers": [], "hiddenBlockers": 1 }));
    assert!(!format!("{refused:?}").contains("Secret"));
    assert!(!unblocked(&s).await.contains(&task), "it waits, whoever asks");
    let refused = s.refused(&s.pm, "update_task", depend(&task, &[], &[&secret]), "not_found").await;
    assert_eq!(refused.text, "Task not found");
}

/// Topics, entities and counts of what somebody has not read, oldest first.
async fn told(s: &Stage, party: Party, user: UserId) -> Vec<(Topic, String, i32)> {
    let mut unread = s.unread(party, user).await;
    unread.reverse();
    unread.into_iter().map(|one| (one.topic, one.entity_id.to_string(), one.count)).collect()
}

fn agent(who: &chorus_domain::Caller) -> Party {
    Party::Agent(chorus_ids::AgentId::from_uuid(who.subject.uuid()))
}

/// Activities of a task with this action: their values.
async fn recorded(s: &Stage, task: &str, action: &str) -> Vec<Value> {
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project, "pageSize": 100 })).await;
    let of_task =
        rows(&stream, "activities").iter().filter(|row| row["targetUuid"] == *task && row["action"] == *action);
    of_task.map(|row| row["value"].clone()).collect()
}

async fn whoever_waits_is_told_once_when_the_last_prerequisite_is_done(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, second) = (s.by(&s.admin).task_in("to_verify").await, s.by(&s.admin).task_in("to_verify").await);
    let (held, free) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    for task in [&held, &free] {
        s.by(&s.pm).after(task, &[&first, &second]).await;
    }
    s.by(&s.dev).advance(&held, "assigned").await;
    s.by(&s.admin).verify(&first).await;
    assert_eq!(told(&s, agent(&s.dev), s.dora).await, []);
    assert_eq!(recorded(&s, &held, "unblocked").await, [Value::Null; 0]);
    s.by(&s.admin).verify(&second).await;
    // Its assignee, else its creator.
    assert_eq!(told(&s, agent(&s.dev), s.dora).await, [(Topic::Unblocked, held.clone(), 1)]);
    assert_eq!(told(&s, agent(&s.pm), s.pat).await, [(Topic::Unblocked, free.clone(), 1)]);
    let value = json!({ "prerequisiteUuid": second, "prerequisiteTitle": "Parse" });
    assert_eq!(recorded(&s, &held, "unblocked").await, std::slice::from_ref(&value));
    assert_eq!(recorded(&s, &free, "unblocked").await, [value]);
    // Closing what is done tells nobody anything.
    s.ok(&s.admin, "admin_close_task", on(&second)).await;
    assert_eq!(recorded(&s, &held, "dependency_closed").await, [Value::Null; 0]);
    assert_eq!(told(&s, agent(&s.dev), s.dora).await.len(), 1);
}

async fn whoever_waits_is_told_when_a_prerequisite_is_given_up(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, second) = (s.by(&s.pm).task_with(json!({ "title": "Lex" })).await, s.by(&s.pm).task().await);
    let (held, free, finished) =
        (s.by(&s.pm).task().await, s.by(&s.pm).task().await, s.by(&s.dev).task_in("closed").await);
    for task in [&held, &free, &finished] {
        s.by(&s.pm).after(task, &[&first, &second]).await;
    }
    s.by(&s.dev).advance(&held, "assigned").await;
    s.ok(&s.admin, "admin_close_task", on(&first)).await;
    let value = json!({ "prerequisiteUuid": first, "prerequisiteTitle": "Lex" });
    assert_eq!(recorded(&s, &held, "dependency_closed").await, std::slice::from_ref(&value));
    assert_eq!(recorded(&s, &free, "dependency_closed").await, [value]);
    assert_eq!(
        recorded(&s, &finished, "dependency_closed").await,
        [Value::Null; 0],
        "who is finished waits for nothing"
    );
    assert_eq!(told(&s, agent(&s.dev), s.dora).await, [(Topic::DependencyClosed, held.clone(), 1)]);
    let unread = s.unread(agent(&s.dev), s.dora).await;
    assert!(unread[0].message.contains("\"Lex\""), "{}", unread[0].message);
    assert_eq!(unread[0].entity_id, uuid(&held), "the entity is the one that waits");
    assert_eq!(told(&s, agent(&s.pm), s.pat).await, [(Topic::DependencyClosed, free.clone(), 1)]);
    // The last one closed: told that it was given up, not that the task is unblocked.
    s.ok(&s.admin, "admin_close_task", on(&second)).await;
    assert_eq!(recorded(&s, &held, "unblocked").await, [Value::Null; 0]);
    assert_eq!(told(&s, agent(&s.dev), s.dora).await, [(Topic::DependencyClosed, held.clone(), 2)], "joined");
    assert!(unblocked(&s).await.contains(&held), "but it may start");
}

async fn an_end_in_another_project_names_nothing_of_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    let (done, dropped) = (
        s.by(&s.admin).within(&hidden).task_with(json!({ "title": "Secret" })).await,
        s.by(&s.admin).within(&hidden).task_with(json!({ "title": "Secret" })).await,
    );
    let (one, two) = (s.by(&s.dev).task().await, s.by(&s.dev).task().await);
    edge(&s, &one, &done).await;
    edge(&s, &two, &dropped).await;
    s.by(&s.admin).within(&hidden).advance(&done, "done").await;
    s.ok(&s.admin, "admin_close_task", on(&dropped)).await;
    assert_eq!(recorded(&s, &one, "unblocked").await, [Value::Null]);
    assert_eq!(recorded(&s, &two, "dependency_closed").await, [Value::Null]);
    let unread = s.unread(agent(&s.dev), s.dora).await;
    assert_eq!(unread.len(), 2);
    assert!(unread.iter().all(|one| !one.message.contains("Secret")), "{unread:?}");
}

async fn circles_are_refused_with_their_path(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let refused = s.refused(&s.pm, "update_task", depend(&task, &[&task], &[]), "invalid_arguments").await;
    assert_eq!(refused.fields(), ["addDependsOn[0]"]);

    // Fifty tasks in a row; the first may not wait for the last, nor for any other.
    let row: Vec<Value> = (0..50)
        .map(|n| {
            let after: Vec<String> = (n > 0).then(|| format!("t{}", n - 1)).into_iter().collect();
            json!({
                "title": format!("Step {n}"), "draftUuid": format!("t{n}"), "dependsOnDraftUuids": after,
                "acceptanceCriteriaItems": [{ "description": "c" }]
            })
        })
        .collect();
    let tasks = s.by(&s.pm).tasks(json!(row)).await;
    for last in [1, 49] {
        let arguments = depend(&tasks[0], &[&task, &tasks[last]], &[]);
        let refused = s.refused(&s.pm, "update_task", arguments, "cycle").await;
        let mut path: Vec<&str> = vec![&tasks[0]];
        path.extend(tasks[..=last].iter().rev().map(String::as_str));
        assert_eq!(refused.details["path"], json!(path), "from the task over each prerequisite back to it");
        assert_eq!(refused.fields(), ["addDependsOn[1]"]);
        assert!(refused.text.contains("\"Step 0\" -> \"Step"), "{}", refused.text);
        assert_eq!(s.ok(&s.pm, "get_task", on(&tasks[0])).await["dependsOn"], json!([]), "nothing of it was done");
    }
    // What has nothing to do with it stays available.
    assert_eq!(unblocked(&s).await, sorted([&task, &tasks[0]]));

    // In a batch, by label.
    let criteria = json!([{ "description": "c" }]);
    let pair = json!([
        { "title": "Egg", "draftUuid": "egg", "dependsOnDraftUuids": ["hen"], "acceptanceCriteriaItems": criteria },
        { "title": "Hen", "draftUuid": "hen", "dependsOnDraftUuids": ["egg"], "acceptanceCriteriaItems": criteria },
    ]);
    let refused = s.refused(&s.pm, "create_tasks", json!({ "projectUuid": s.project, "tasks": pair }), "cycle").await;
    assert_eq!(refused.details["path"].as_array().map(Vec::len), Some(3));
    assert!(refused.text.contains("egg") && refused.text.contains("hen"), "{}", refused.text);
    assert_eq!(s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project })).await["total"], 51);
}

async fn the_same_dependency_twice_is_harmless(backend: Backend) {
    let s = Stage::new(backend).await;
    let (first, task) = (s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let updated = s.ok(&s.pm, "update_task", depend(&task, &[&first, &first], &[])).await;
    let before = json!([{ "uuid": first, "title": "Parse", "status": "open" }]);
    assert_eq!((&updated["dependsOn"], &updated["version"]), (&before, &json!(2)));
    // Once more changes nothing at all.
    let again = s.ok(&s.pm, "update_task", depend(&task, &[&first], &[])).await;
    assert_eq!((&again["dependsOn"], &again["version"]), (&before, &json!(2)));
    let criteria = json!([{ "description": "c" }]);
    let made = json!([{ "title": "x", "dependsOnTaskUuids": [first, first], "acceptanceCriteriaItems": criteria }]);
    let third = s.by(&s.pm).tasks(made).await.remove(0);
    assert_eq!(s.ok(&s.pm, "get_task", on(&third)).await["dependsOn"], before);

    let removed = s.ok(&s.pm, "update_task", depend(&task, &[], &[&first])).await;
    assert_eq!((&removed["dependsOn"], &removed["version"]), (&json!([]), &json!(3)));
    let nothing = s.ok(&s.pm, "update_task", depend(&task, &[], &[&first])).await;
    assert_eq!(nothing["version"], 3, "one that is not there goes without a word");
    let both = s.refused(&s.pm, "update_task", depend(&task, &[&first], &[&first]), "invalid_arguments").await;
    assert_eq!(both.fields(), ["removeDependsOn[0]"]);
}

async fn both_tasks_of_a_dependency_are_in_one_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let other = text(&s.ok(&s.pm, "admin_create_project", json!({ "name": "Other" })).await["uuid"]);
    let (elsewhere, task, first) =
        (s.by(&s.pm).within(&other).task().await, s.by(&s.pm).task().await, s.by(&s.pm).task().await);
    let refused = s.refused(&s.pm, "update_task", depend(&task, &[&first, &elsewhere], &[]), "invalid_arguments").await;
    assert_eq!(refused.fields(), ["addDependsOn[1]"]);
    for gone in [depend(&task, &[&s.nothing()], &[]), depend(&task, &[], &[&s.nothing()])] {
        assert_eq!(s.refused(&s.pm, "update_task", gone, "not_found").await.text, "Task not found");
    }
    assert_eq!(s.ok(&s.pm, "get_task", on(&task)).await["dependsOn"], json!([]));
}

/// Two hundred tasks in a row.
fn two_hundred() -> Vec<Value> {
    (0..200)
        .map(|n: usize| {
            json!({
                "title": format!("Task {n}"), "draftUuid": n.to_string(),
                "acceptanceCriteriaItems": [{ "description": "c" }],
                "dependsOnDraftUuids": n.checked_sub(1).iter().map(ToString::to_string).collect::<Vec<_>>()
            })
        })
        .collect()
}

/// Report 29.
async fn a_batch_of_two_hundred_with_faults_leaves_nothing_and_its_retry_makes_exactly_that_many(backend: Backend) {
    let s = Stage::new(backend).await;
    let waiting = s.by(&s.pm).task().await;
    let everything = async || {
        let project = json!({ "projectUuid": s.project });
        let counts = s.ok(&s.pm, "get_project", project.clone()).await["_count"].clone();
        (counts, s.database.events().await.len(), s.ok(&s.pm, "list_tasks", project).await["total"].clone())
    };
    let before = everything().await;
    let mut bad = two_hundred();
    bad[7]["title"] = json!("x".repeat(501));
    bad[99]["dependsOnDraftUuids"] = json!(["98", "nowhere"]);
    bad[199]["acceptanceCriteriaItems"] = json!([]);
    let refused =
        s.refused(&s.pm, "create_tasks", json!({ "projectUuid": s.project, "tasks": bad }), "invalid_arguments").await;
    assert_eq!(
        refused.fields(),
        ["tasks[7].title", "tasks[99].dependsOnDraftUuids[1]", "tasks[199].acceptanceCriteriaItems"]
    );
    assert_eq!(everything().await, before, "no row, no activity, no event");

    let mut tasks = two_hundred();
    tasks[0]["dependsOnTaskUuids"] = json!([waiting]);
    let arguments = json!({ "projectUuid": s.project, "tasks": tasks });
    let made = s.ok(&s.pm, "create_tasks", arguments).await;
    let titles: Vec<String> = rows(&made, "tasks").iter().map(|task| text(&task["title"])).collect();
    assert_eq!(titles, (0..200).map(|n| format!("Task {n}")).collect::<Vec<_>>());
    let after = everything().await;
    assert_eq!(after.2, 201);
    assert_eq!(after.0["activities"], before.0["activities"].as_u64().unwrap() + 200);
    assert_eq!(unblocked(&s).await, sorted([&waiting]), "each waits for the one before");
    assert_like(
        &s.ok(&s.pm, "get_task", json!({ "taskUuid": made["tasks"][0]["uuid"] })).await["dependsOn"],
        &json!([{ "uuid": waiting, "title": "Parse", "status": "open" }]),
    );
}

async fn a_batch_has_two_hundred_tasks_at_most(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut tasks = two_hundred();
    tasks.push(json!({ "title": "One more", "acceptanceCriteriaItems": [{ "description": "c" }] }));
    let refused = s
        .refused(&s.pm, "create_tasks", json!({ "projectUuid": s.project, "tasks": tasks }), "invalid_arguments")
        .await;
    assert_eq!(refused.fields(), ["tasks"]);
}

backends!(
    nobody_starts_a_blocked_task_by_any_path,
    only_done_and_closed_prerequisites_count_as_finished,
    an_unfinished_prerequisite_is_not_put_before_work_that_has_begun,
    work_does_not_resume_or_reopen_past_a_prerequisite_unless_forced,
    prerequisites_that_one_may_not_see_are_counted_and_never_named,
    whoever_waits_is_told_once_when_the_last_prerequisite_is_done,
    whoever_waits_is_told_when_a_prerequisite_is_given_up,
    an_end_in_another_project_names_nothing_of_it,
    circles_are_refused_with_their_path,
    the_same_dependency_twice_is_harmless,
    both_tasks_of_a_dependency_are_in_one_project,
    a_batch_of_two_hundred_with_faults_leaves_nothing_and_its_retry_makes_exactly_that_many,
    a_batch_has_two_hundred_tasks_at_most,
);
