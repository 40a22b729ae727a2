//! move_idea: what goes along, what stays, and what is told.

use std::collections::BTreeSet;

use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    effects::Watch,
    like::assert_like,
    stage::{PROJECT, Stage, rows, text, uuids},
};
use crate::backends;

/// A root below `top`, a child below it, and an approved and a draft proposal from the child.
struct Family {
    top: String,
    root: String,
    child: String,
    approved: String,
    draft: String,
    tasks: Vec<String>,
    document: String,
    target: String,
}

impl Family {
    async fn new(s: &Stage) -> Self {
        let pm = s.by(&s.pm);
        let members = [(s.pat, Role::Editor), (s.ada, Role::Admin)];
        let target = s.world.project("Target", Visibility::Private, &members).await.to_string();
        let top = pm.idea().await;
        let root = pm.idea_with(json!({ "parentUuid": top })).await;
        let child = pm.idea_with(json!({ "parentUuid": root })).await;
        s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": child })).await;
        s.ok(&s.pm, "pm_skip_elaboration", json!({ "ideaUuid": child, "reason": "Clear" })).await;
        let approved = pm.proposal_from(&child).await;
        pm.fill(&approved).await;
        s.ok(&s.pm, "pm_submit_proposal", json!({ "proposalUuid": approved })).await;
        let made = s.ok(&s.admin, "admin_approve_proposal", json!({ "proposalUuid": approved })).await;
        let tasks = rows(&made, "materializedTasks").iter().map(|task| text(&task["taskUuid"])).collect();
        let document = text(&made["materializedDocuments"][0]["documentUuid"]);
        let draft = pm.proposal_from(&child).await;
        Self { top, root, child, approved, draft, tasks, document, target }
    }

    fn to(&self, target: &str) -> Value {
        json!({ "ideaUuid": self.root, "targetProjectUuid": target })
    }
}

async fn stream(s: &Stage, project: &str) -> Vec<Value> {
    rows(&s.ok(&s.admin, "get_activity", json!({ "projectUuid": project, "pageSize": 100 })).await, "activities")
        .clone()
}

async fn everything_that_came_of_an_idea_moves_with_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    let source = s.project.to_string();
    let (aside, quick) = (s.by(&s.pm).approved().await, s.by(&s.pm).task().await);
    s.by(&s.pm).after(&quick, &[&f.tasks[0]]).await;
    s.by(&s.dev).advance(&f.tasks[0], "in_progress").await;
    s.by(&s.pm).comment("task", &f.tasks[0], "Soon").await;
    let kin: BTreeSet<String> =
        [&f.root, &f.child, &f.approved, &f.draft, &f.tasks[0], &f.tasks[1], &f.document].map(Clone::clone).into();
    let before = stream(&s, &source).await;
    let along = before.iter().filter(|row| kin.contains(&text(&row["targetUuid"]))).count();
    assert!(along > 4);

    let moved = s.ok(&s.pm, "move_idea", f.to(&f.target)).await;
    let counts = json!({ "ideas": 2, "proposals": 2, "documents": 1, "tasks": 2, "activities": along });
    let expected = json!({
        "uuid": f.root, "project": { "uuid": f.target, "name": "Target" }, "moved": counts, "version": 2
    });
    assert_eq!(moved, expected);

    let there = json!({ "uuid": f.target, "name": "Target" });
    let root = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": f.root })).await;
    assert_eq!((&root["project"], &root["parentUuid"], &root["version"]), (&there, &Value::Null, &json!(2)));
    let child = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": f.child })).await;
    assert_eq!((&child["project"], &child["parentUuid"]), (&there, &json!(f.root)));
    assert_eq!(child["derivedStatus"], "in_progress", "its progress still follows its proposal");
    assert_eq!((&child["badgeHint"], &child["assignee"]["uuid"]), (&json!("building"), &json!(s.pm.subject.uuid())));
    for proposal in [&f.approved, &f.draft] {
        let read = s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": proposal })).await;
        assert_eq!((&read["project"], &read["inputUuids"]), (&there, &json!([f.child])));
    }
    let document = s.ok(&s.pm, "get_document", json!({ "documentUuid": f.document })).await;
    assert_eq!((&document["project"], &document["version"]), (&there, &json!(1)));
    let task = s.ok(&s.pm, "get_task", json!({ "taskUuid": f.tasks[0] })).await;
    assert_eq!((&task["project"], &task["status"], &task["commentCount"]), (&there, &json!("in_progress"), &json!(1)));
    assert_eq!(task["assignee"]["uuid"], json!(s.dev.subject.uuid()));
    let waiting: Vec<&Value> = rows(&task, "dependedBy").iter().map(|row| &row["uuid"]).collect();
    assert_eq!(waiting.len(), 2, "dependencies stay, also across projects: {waiting:?}");

    // What is left in the old project, and what is in the new one.
    let listed = async |tool: &str, key: &str, project: &str| {
        uuids(&s.ok(&s.pm, tool, json!({ "projectUuid": project })).await, key).into_iter().collect::<BTreeSet<_>>()
    };
    let set = |ids: &[&String]| ids.iter().map(|id| (*id).clone()).collect::<BTreeSet<String>>();
    assert_eq!(listed("get_ideas", "ideas", &source).await, set(&[&f.top, &aside.idea]));
    assert_eq!(listed("get_ideas", "ideas", &f.target).await, set(&[&f.root, &f.child]));
    assert_eq!(listed("get_proposals", "proposals", &source).await, set(&[&aside.proposal]));
    assert_eq!(listed("get_proposals", "proposals", &f.target).await, set(&[&f.approved, &f.draft]));
    assert_eq!(listed("get_documents", "documents", &f.target).await, set(&[&f.document]));
    assert_eq!(listed("list_tasks", "tasks", &source).await, set(&[&aside.tasks[0], &aside.tasks[1], &quick]));
    assert_eq!(listed("list_tasks", "tasks", &f.target).await, set(&[&f.tasks[0], &f.tasks[1]]));
    assert_eq!(stream(&s, &source).await.len(), before.len() - along);
    let there = stream(&s, &f.target).await;
    assert_eq!(there.len(), along + 1);
    let value = json!({
        "fromProjectUuid": source, "fromProjectName": PROJECT, "toProjectUuid": f.target, "toProjectName": "Target",
        "moved": counts
    });
    assert_eq!(
        (&there[0]["action"], &there[0]["targetUuid"], &there[0]["value"]),
        (&json!("moved"), &json!(f.root), &value)
    );
    let top = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": f.top })).await;
    assert_eq!((&top["children"], &top["descendantUuids"]), (&json!([]), &json!([])));
}

async fn a_move_is_an_event_in_both_projects_and_tells_nobody(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    let before = stream(&s, &s.project.to_string()).await.len();
    let mut watch = Watch::start(&s).await;
    let names = [(f.root.as_str(), "R"), (f.top.as_str(), "TOP")];
    s.ok(&s.pm, "move_idea", f.to(&f.target)).await;
    let expected = json!({
        "activities": [], "told": [], "events": ["idea R updated", "idea R updated", "idea TOP updated"]
    });
    watch.expect(&names, expected).await;
    assert!(stream(&s, &s.project.to_string()).await.len() < before);
    // Back again: it has no parent to tell.
    s.ok(&s.pm, "move_idea", f.to(&s.project.to_string())).await;
    assert_eq!(stream(&s, &f.target).await.len(), 0);
}

async fn where_it_came_from_is_told_only_to_those_who_see_that(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    s.ok(&s.pm, "move_idea", f.to(&f.target)).await;
    let reader = s.agent_of("reader", None).await;
    s.world.member(f.target.parse().unwrap(), reader.owner.unwrap(), Role::Viewer).await;
    let seen = s.ok(&reader, "get_activity", json!({ "projectUuid": f.target })).await;
    let moved = &rows(&seen, "activities")[0];
    assert_eq!(moved["action"], "moved");
    let keys: Vec<&String> = moved["value"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["moved", "toProjectName", "toProjectUuid"]);
    assert!(!seen.to_string().contains(PROJECT) && !seen.to_string().contains(&s.project.to_string()));
}

async fn a_proposal_of_another_project_stays_where_it_is(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    let third = s.world.project("third", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let foreign = s.by(&s.pm).within(&third).proposal_from(&f.child).await;
    let moved = s.ok(&s.pm, "move_idea", f.to(&f.target)).await;
    assert_eq!(moved["moved"]["proposals"], 2);
    let read = s.ok(&s.pm, "get_proposal", json!({ "proposalUuid": foreign })).await;
    assert_eq!((&read["project"]["uuid"], &read["inputUuids"]), (&json!(third), &json!([f.child])));
}

async fn an_idea_alone_moves_alone(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    let idea = s.by(&s.pm).idea().await;
    let moved = s.ok(&s.pm, "move_idea", json!({ "ideaUuid": idea, "targetProjectUuid": f.target })).await;
    assert_like(
        &moved,
        &json!({
            "uuid": idea, "project": { "uuid": f.target, "name": "Target" }, "version": 2,
            "moved": { "ideas": 1, "proposals": 0, "documents": 0, "tasks": 0, "activities": 0 }
        }),
    );
    s.unknown(&s.dev, "move_idea").await;
}

async fn a_move_needs_two_projects_that_one_may_edit(backend: Backend) {
    let s = Stage::new(backend).await;
    let f = Family::new(&s).await;
    let here = s.refused(&s.pm, "move_idea", f.to(&s.project.to_string()), "invalid_arguments").await;
    assert_eq!(here.fields(), ["targetProjectUuid"]);
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    for target in [hidden, s.nothing()] {
        assert_eq!(s.refused(&s.pm, "move_idea", f.to(&target), "not_found").await.text, "Project not found");
    }
    let shown = s.world.project("shown", Visibility::Private, &[(s.pat, Role::Viewer)]).await.to_string();
    s.refused(&s.pm, "move_idea", f.to(&shown), "forbidden").await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    s.world.member(f.target.parse().unwrap(), viewer.owner.unwrap(), Role::Editor).await;
    s.refused(&viewer, "move_idea", f.to(&f.target), "forbidden").await;
    let missing = json!({ "ideaUuid": s.nothing(), "targetProjectUuid": f.target });
    assert_eq!(s.refused(&s.pm, "move_idea", missing, "not_found").await.text, "Idea not found");
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": f.root })).await;
    assert_eq!((&read["project"]["uuid"], &read["version"]), (&json!(s.project), &json!(1)));
}

backends!(
    everything_that_came_of_an_idea_moves_with_it,
    a_move_is_an_event_in_both_projects_and_tells_nobody,
    where_it_came_from_is_told_only_to_those_who_see_that,
    a_proposal_of_another_project_stays_where_it_is,
    an_idea_alone_moves_alone,
    a_move_needs_two_projects_that_one_may_edit,
);
