//! pm_assign_idea, pm_assign_task: who can be given what, who is told, and that giving it again changes nothing.

use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::{NOTHING, Watch},
    like::assert_like,
    stage::{Stage, actor, rows},
};
use crate::backends;

fn idea_to(idea: &str, kind: &str, uuid: impl ToString) -> Value {
    json!({ "ideaUuid": idea, "assigneeType": kind, "assigneeUuid": uuid.to_string() })
}

fn task_to(task: &str, agent: impl ToString) -> Value {
    json!({ "taskUuid": task, "agentUuid": agent.to_string() })
}

async fn an_idea_is_given_to_an_agent_or_a_person(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    let given = s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "agent", s.pm.subject.uuid())).await;
    let expected = |kind: &str, uuid: String, version: u32| {
        json!({
            "uuid": idea, "status": "elaborating", "assignee": { "type": kind, "uuid": uuid }, "wakeRequested": false,
            "target": null, "version": version
        })
    };
    assert_eq!(given, expected("agent", s.pm.subject.uuid().to_string(), 2));
    let read = s.ok(&s.dev, "get_idea", json!({ "ideaUuid": idea })).await;
    let holder = json!({
        "type": "agent", "uuid": s.pm.subject.uuid(), "name": "pm", "assignedAt": "<time>", "assignedBy": actor(&s.admin)
    });
    assert_like(&read["assignee"], &holder);
    // It is taken from whoever holds it; agents of the new holder may release it.
    let given = s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "user", s.dora)).await;
    assert_eq!(given, expected("user", s.dora.to_string(), 3));
    s.refused(&s.pm, "release_idea", json!({ "ideaUuid": idea }), "not_assignee").await;
    s.unknown(&s.pm, "pm_assign_idea").await;
}

async fn an_elaborated_idea_stays_elaborated_whoever_gets_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.admin).elaborated().await;
    let given = s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "agent", s.pm.subject.uuid())).await;
    assert_eq!(given["status"], "elaborated");
    s.by(&s.pm).proposal_from(&idea).await;
}

async fn a_task_is_given_to_an_agent_as_a_brief(backend: Backend) {
    let s = Stage::new(backend).await;
    let task = s.by(&s.pm).task().await;
    let first = s.by(&s.pm).task().await;
    s.by(&s.pm).after(&task, &[&first]).await;
    let mut brief = s.ok(&s.pm, "pm_assign_task", task_to(&task, s.dev.subject.uuid())).await;
    let hints = brief.as_object_mut().unwrap().remove("_hints").unwrap();
    assert!(hints[0].as_str().unwrap().contains("Its assignee can start only when"), "{hints}");
    assert_eq!(brief, s.ok(&s.dev, "get_task", json!({ "taskUuid": task })).await);
    assert_eq!((&brief["status"], &brief["version"]), (&json!("assigned"), &json!(3)));
    let holder = json!({
        "type": "agent", "uuid": s.dev.subject.uuid(), "name": "dev", "assignedAt": "<time>", "assignedBy": actor(&s.pm)
    });
    assert_like(&brief["assignee"], &holder);
    s.unknown(&s.dev, "pm_assign_task").await;
}

async fn what_is_given_is_told_once_and_giving_it_again_changes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let (idea, task) = (s.by(&s.pm).idea().await, s.by(&s.pm).task().await);
    let names = [(idea.as_str(), "I"), (task.as_str(), "T"), (&s.dora.to_string(), "@dora")];
    let mut watch = Watch::start(&s).await;
    s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "user", s.dora)).await;
    let expected = json!({
        "activities": [["admin", "assigned", "idea I", { "assigneeType": "user", "assigneeUuid": "@dora" }]],
        "told": ["dora: idea_claimed on idea I", "pm: idea_claimed on idea I"], "events": ["idea I updated"]
    });
    watch.expect(&names, expected).await;
    let again = s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "user", s.dora)).await;
    assert_eq!(again["version"], 2);
    let nothing = json!({ "activities": NOTHING, "told": NOTHING, "events": NOTHING });
    watch.expect(&names, nothing.clone()).await;

    s.ok(&s.pm, "pm_assign_task", task_to(&task, s.dev.subject.uuid())).await;
    let value = json!({
        "assigneeType": "agent", "assigneeUuid": "@dev", "agentUuid": "@dev", "assignedBy": "@pm"
    });
    let expected = json!({
        "activities": [["pm", "assigned", "task T", value]], "told": ["dev: task_assigned on task T"],
        "events": ["task T updated"]
    });
    watch.expect(&names, expected).await;
    let again = s.ok(&s.pm, "pm_assign_task", task_to(&task, s.dev.subject.uuid())).await;
    assert_eq!((&again["version"], &again["assignee"]["uuid"]), (&json!(2), &json!(s.dev.subject.uuid())));
    watch.expect(&names, nothing).await;
}

/// Report 21: whoever hands its own task on loses that task and nothing else.
async fn an_agent_hands_its_own_task_on(backend: Backend) {
    let s = Stage::new(backend).await;
    let (task, other) = (s.by(&s.admin).task_in("assigned").await, s.by(&s.admin).task_in("in_progress").await);
    let idea = s.by(&s.admin).claimed().await;
    let mut watch = Watch::start(&s).await;
    for _ in 0..2 {
        let brief = s.ok(&s.admin, "pm_assign_task", task_to(&task, s.dev.subject.uuid())).await;
        assert_eq!(brief["assignee"]["uuid"], json!(s.dev.subject.uuid()));
    }
    let value = json!({
        "assigneeType": "agent", "assigneeUuid": "@dev", "agentUuid": "@dev", "assignedBy": "@admin"
    });
    let expected = json!({
        "activities": [["admin", "assigned", "task T", value]], "told": ["dev: task_assigned on task T"],
        "events": ["task T updated"]
    });
    watch.expect(&[(&task, "T")], expected).await;
    let mine = s.ok(&s.admin, "get_my_assignments", json!({})).await;
    let project = s.project.to_string();
    let held = |tracker: &str, key: &str| {
        rows(&mine[tracker][&project], key).iter().map(|row| row["uuid"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((held("taskTracker", "tasks"), held("ideaTracker", "ideas")), (vec![json!(other)], vec![json!(idea)]));
    let mine = s.ok(&s.dev, "get_my_assignments", json!({})).await;
    assert_eq!(mine["taskTracker"][&project]["tasks"][0]["uuid"], json!(task));
}

async fn work_that_has_begun_stays_where_it_is(backend: Backend) {
    let s = Stage::new(backend).await;
    for status in ["in_progress", "to_verify", "done", "closed"] {
        let task = s.by(&s.admin).task_in(status).await;
        for agent in [&s.dev, &s.admin] {
            let refused =
                s.refused(&s.pm, "pm_assign_task", task_to(&task, agent.subject.uuid()), "invalid_state").await;
            assert!(refused.text.contains(&format!("`{status}`")), "{}", refused.text);
            assert_eq!(refused.details["status"], status);
        }
    }
    let missing = s.refused(&s.pm, "pm_assign_task", task_to(&s.nothing(), s.dev.subject.uuid()), "not_found").await;
    assert_eq!(missing.text, "Task not found");
    let missing = s.refused(&s.admin, "pm_assign_idea", idea_to(&s.nothing(), "user", s.pat), "not_found").await;
    assert_eq!(missing.text, "Idea not found");
}

async fn only_those_who_can_do_the_work_are_given_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let (idea, task) = (s.by(&s.pm).idea().await, s.by(&s.pm).task().await);
    let outsider = s.agent_of("outsider", None).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    for who in [&outsider, &viewer, &ownerless] {
        let agent = who.subject.uuid();
        for (tool, arguments) in
            [("pm_assign_idea", idea_to(&idea, "agent", agent)), ("pm_assign_task", task_to(&task, agent))]
        {
            let refused = s.refused(&s.admin, tool, arguments, "assignee_no_access").await;
            let expected = json!({ "assignee": { "type": "agent", "uuid": agent }, "reason": "project_access" });
            assert_eq!(refused.details, expected, "{tool} {}", who.name);
        }
    }
    let viewing = viewer.owner.unwrap();
    let refused = s.refused(&s.admin, "pm_assign_idea", idea_to(&idea, "user", viewing), "assignee_no_access").await;
    assert_eq!(refused.details["reason"], "project_access");
    // A developer can't elaborate ideas, a planner can work on tasks.
    let refused = s
        .refused(&s.admin, "pm_assign_idea", idea_to(&idea, "agent", s.dev.subject.uuid()), "assignee_no_access")
        .await;
    assert_eq!(refused.details["reason"], "permission");
    assert!(refused.text.contains("`idea:write`"), "{}", refused.text);
    let bare = s.world.new_caller("bare", Some(s.dora), &[], &["idea:write"]).await;
    let refused =
        s.refused(&s.admin, "pm_assign_task", task_to(&task, bare.subject.uuid()), "assignee_no_access").await;
    assert!(refused.text.contains("`task:write`"), "{}", refused.text);
    s.ok(&s.admin, "pm_assign_idea", idea_to(&idea, "agent", bare.subject.uuid())).await;
    // In a public project everybody of the company is an editor.
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await.to_string();
    let open = s.by(&s.admin).within(&public).task().await;
    s.ok(&s.admin, "pm_assign_task", task_to(&open, ownerless.subject.uuid())).await;
}

/// Report 35: whoever does not exist, or is of another company, is a clear error, and both are the same.
async fn nobody_and_strangers_are_not_found(backend: Backend) {
    let s = Stage::new(backend).await;
    let (idea, task) = (s.by(&s.pm).idea().await, s.by(&s.pm).task().await);
    let abroad = World::new(s.world.services.clone()).await;
    let stranger = abroad.agent("stranger", Some(abroad.first_user), &["admin_agent"], &[]).await.id.to_string();
    let foreigner = abroad.first_user.to_string();
    for (kind, unknown) in
        [("agent", s.nothing()), ("agent", stranger.clone()), ("user", s.nothing()), ("user", foreigner)]
    {
        let refused = s.refused(&s.admin, "pm_assign_idea", idea_to(&idea, kind, unknown), "not_found").await;
        let noun = if kind == "agent" { "Agent" } else { "User" };
        assert_eq!(refused.text, format!("{noun} not found"));
        assert_eq!(refused.details, Value::Null);
    }
    // A person is no agent, nor the other way round.
    s.refused(&s.admin, "pm_assign_idea", idea_to(&idea, "agent", s.pat), "not_found").await;
    s.refused(&s.admin, "pm_assign_idea", idea_to(&idea, "user", s.pm.subject.uuid()), "not_found").await;
    for unknown in [s.nothing(), stranger] {
        let refused = s.refused(&s.pm, "pm_assign_task", task_to(&task, unknown), "not_found").await;
        assert_eq!(refused.text, "Agent not found");
    }
    let wrong = json!({ "ideaUuid": idea, "assigneeType": "team", "assigneeUuid": s.pat });
    assert_eq!(s.refused(&s.admin, "pm_assign_idea", wrong, "invalid_arguments").await.fields(), ["assigneeType"]);
}

backends!(
    an_idea_is_given_to_an_agent_or_a_person,
    an_elaborated_idea_stays_elaborated_whoever_gets_it,
    a_task_is_given_to_an_agent_as_a_brief,
    what_is_given_is_told_once_and_giving_it_again_changes_nothing,
    an_agent_hands_its_own_task_on,
    work_that_has_begun_stays_where_it_is,
    only_those_who_can_do_the_work_are_given_it,
    nobody_and_strangers_are_not_found,
);
