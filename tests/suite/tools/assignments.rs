//! get_my_assignments, with both narrowing headers.

use chorus_app::Narrowing;
use chorus_domain::{Caller, Party};
use chorus_ids::ProjectId;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, rows, text, uuids},
};
use crate::backends;

async fn what_agent_and_owner_hold_is_listed_by_project(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.by(&s.pm).advance(&made.tasks[0], "to_verify").await;
    let criterion = s.by(&s.pm).criterion(&made.tasks[0]).await;
    let marks = json!({ "taskUuid": made.tasks[0], "criteria": [{ "uuid": criterion, "status": "passed" }] });
    s.ok(&s.admin, "mark_acceptance_criteria", marks).await;
    let of_owner = s.by(&s.pm).task().await;
    s.give_task(&of_owner, Party::User(s.pat)).await;
    for state in ["done", "closed"] {
        s.by(&s.pm).task_in(state).await;
    }
    s.by(&s.dev).task_in("assigned").await;
    s.by(&s.admin).claimed().await;

    let mine = s.ok(&s.pm, "get_my_assignments", json!({})).await;
    let task = |uuid: &str, title: &str, status: &str, priority: &str, passed: u32| {
        json!({
            "uuid": uuid, "title": title, "status": status, "priority": priority, "assignedAt": "<time>",
            "ac": { "passed": passed, "total": 1 }
        })
    };
    let idea = json!({
        "uuid": made.idea, "title": "Works offline", "status": "human_conduct_required", "parentUuid": null,
        "proposals": 1, "tasks": 2
    });
    let project = s.project.to_string();
    assert_like(
        &mine,
        &json!({
            "ideaTracker": { project.clone(): { "name": PROJECT, "ideas": [idea] } },
            "taskTracker": { project: { "name": PROJECT, "tasks": [
                task(&made.tasks[0], "Log", "to_verify", "high", 1), task(&of_owner, "Parse", "assigned", "medium", 0)
            ] } }
        }),
    );
    let idle = s.world.new_caller("idle", None, &[], &[]).await;
    assert_eq!(s.ok(&idle, "get_my_assignments", json!({})).await, json!({ "ideaTracker": {}, "taskTracker": {} }));
}

/// The projects that show up in both trackers.
async fn narrowed(s: &Stage, who: &Caller, narrowing: Narrowing) -> Vec<String> {
    let mine = s.tools.call_narrowed(who, narrowing, "chorus_get_my_assignments", json!({})).await.ok();
    let keys = |tracker: &Value| tracker.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&mine["ideaTracker"]), keys(&mine["taskTracker"]));
    keys(&mine["ideaTracker"])
}

async fn headers_narrow_and_never_widen(backend: Backend) {
    let s = Stage::new(backend).await;
    let editors = [(s.pat, Role::Editor)];
    let group = s.world.group("group", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let grouped = s.world.project_in("grouped", Visibility::Private, Some(group), &editors).await;
    let unseen = s.world.project_in("unseen", Visibility::Private, Some(group), &[(s.ada, Role::Admin)]).await;
    let hidden = s.world.group("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let empty = s.world.group("empty", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let closed = s.world.group("closed", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let inner = s.world.project_in("inner", Visibility::Private, Some(closed), &editors).await;
    for project in [s.project, grouped, inner] {
        let maker = s.by(&s.pm).within(&project.to_string());
        maker.claimed().await;
        maker.task_in("assigned").await;
    }
    let (here, there) = (s.project.to_string(), grouped.to_string());
    let sorted = |projects: &[&String]| {
        let mut projects: Vec<String> = projects.iter().map(|project| (*project).clone()).collect();
        projects.sort_unstable();
        projects
    };
    let everything = sorted(&[&here, &there, &inner.to_string()]);
    let both = sorted(&[&here, &there]);
    let nothing: ProjectId = s.world.id();
    let projects = |projects: &[ProjectId]| Narrowing::Projects(projects.to_vec());
    for (narrowing, expected) in [
        (Narrowing::Nothing, everything),
        (projects(&[s.project]), vec![here]),
        (projects(&[s.project, grouped, nothing, unseen]), both),
        (projects(&[nothing]), vec![]),
        (projects(&[unseen]), vec![]),
        (projects(&[]), vec![]),
        (Narrowing::Group(group), vec![there]),
        // A private group is there for whoever sees one of its projects.
        (Narrowing::Group(closed), vec![inner.to_string()]),
        (Narrowing::Group(empty), vec![]),
        (Narrowing::Group(hidden), vec![]),
        (Narrowing::Group(s.world.id()), vec![]),
    ] {
        assert_eq!(narrowed(&s, &s.pm, narrowing.clone()).await, expected, "{narrowing:?}");
    }
}

async fn only_assignments_heed_the_headers(backend: Backend) {
    let s = Stage::new(backend).await;
    s.by(&s.pm).claimed().await;
    let elsewhere = Narrowing::Projects(vec![s.world.id()]);
    let checkin = s.tools.call_narrowed(&s.pm, elsewhere.clone(), "chorus_checkin", json!({})).await.ok();
    assert_eq!(checkin["ideaTracker"].as_object().unwrap().len(), 1);
    let listed = s.tools.call_narrowed(&s.pm, elsewhere, "chorus_list_projects", json!({})).await.ok();
    assert_eq!(listed["total"], 1);
}

async fn a_walk_goes_over_ideas_then_tasks_and_loses_none(backend: Backend) {
    let s = Stage::new(backend).await;
    let second =
        s.world.project("字".repeat(80).as_str(), Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let (mut ideas, mut tasks) = (Vec::new(), Vec::new());
    // Titles as long as they may be: a page holds fewer of them than there are.
    let title = "語".repeat(500);
    for n in 0..60 {
        let project = if n % 2 == 0 { s.project.to_string() } else { second.clone() };
        let maker = s.by(&s.pm).within(&project);
        let idea = maker.idea_with(json!({ "title": title })).await;
        s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": idea })).await;
        ideas.push(idea);
        let task = maker.task_with(json!({ "title": title })).await;
        maker.advance(&task, "assigned").await;
        tasks.push(task);
    }
    let (mut seen_ideas, mut seen_tasks) = (Vec::new(), Vec::new());
    let mut cursor = Value::Null;
    let mut pages = 0;
    loop {
        let page = s.ok(&s.pm, "get_my_assignments", json!({ "cursor": cursor })).await;
        assert!(page.to_string().len() <= 65_536);
        let flat = |tracker: &Value, key: &str| -> Vec<String> {
            tracker.as_object().unwrap().values().flat_map(|project| uuids(project, key)).collect()
        };
        let (more_ideas, more_tasks) = (flat(&page["ideaTracker"], "ideas"), flat(&page["taskTracker"], "tasks"));
        assert!(seen_tasks.is_empty() || more_ideas.is_empty(), "ideas come before tasks");
        seen_ideas.extend(more_ideas);
        seen_tasks.extend(more_tasks);
        pages += 1;
        if page.get("nextCursor").is_none() {
            break;
        }
        cursor = page["nextCursor"].clone();
        // What comes in meanwhile does no harm.
        s.by(&s.pm).claimed().await;
        s.by(&s.pm).task_in("assigned").await;
        assert!(pages < 20, "the walk ends");
    }
    assert!(pages > 1, "it did not fit into one page");
    for (name, mut expected, mut seen) in [("ideas", ideas, seen_ideas), ("tasks", tasks, seen_tasks)] {
        let all = seen.len();
        seen.retain(|uuid| expected.contains(uuid));
        assert!(all >= seen.len());
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{name}: each once");
    }
    let damaged = s.refused(&s.pm, "get_my_assignments", json!({ "cursor": "AAAA" }), "invalid_arguments").await;
    assert_eq!(damaged.fields(), ["cursor"]);
    let foreign = s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project, "pageSize": 1 })).await;
    let foreign = text(&foreign["nextCursor"]);
    s.refused(&s.pm, "get_my_assignments", json!({ "cursor": foreign }), "invalid_arguments").await;
}

async fn work_in_a_project_that_one_lost_is_not_listed(backend: Backend) {
    let s = Stage::new(backend).await;
    let outsider = s.agent_of("outsider", None).await;
    let holder = Party::Agent(chorus_ids::AgentId::from_uuid(outsider.subject.uuid()));
    let (idea, task) = (s.by(&s.pm).idea().await, s.by(&s.pm).task().await);
    s.give_idea(&idea, holder).await;
    s.give_task(&task, holder).await;
    let nothing = json!({ "ideaTracker": {}, "taskTracker": {} });
    assert_eq!(s.ok(&outsider, "get_my_assignments", json!({})).await, nothing);
    let checkin = s.ok(&outsider, "checkin", json!({})).await;
    assert_eq!((&checkin["ideaTracker"], rows(&checkin["notifications"], "recent").len()), (&json!({}), 0));
}

backends!(
    what_agent_and_owner_hold_is_listed_by_project,
    headers_narrow_and_never_widen,
    only_assignments_heed_the_headers,
    a_walk_goes_over_ideas_then_tasks_and_loses_none,
    work_in_a_project_that_one_lost_is_not_listed,
);
