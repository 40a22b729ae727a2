//! Hidden is missing, to the byte, for every tool and every id in its arguments (README decision 19, visibility
//! specification §5 and §7). The cases come from the table itself.

use std::collections::BTreeSet;

use chorus_dispatch::{At, Effect, Policy};
use chorus_domain::{Caller, Kind};
use chorus_testkit::{Backend, CallResult, World};
use chorus_visibility::{Need, Role, Visibility};
use serde_json::{Value, json};

use super::{
    stage::{Stage, rows, text},
    valid::{arguments, put, tools},
};
use crate::backends;

/// One thing of each kind in a project that only its own administrator sees.
struct Hidden {
    project: String,
    group: String,
    idea: String,
    proposal: String,
    document: String,
    task: String,
    criterion: String,
    round: String,
    draft: String,
    user: String,
}

impl Hidden {
    async fn new(s: &Stage) -> Self {
        let hank = s.world.user("hank").await;
        let keeper = s.world.new_caller("keeper", Some(hank), &["admin_agent"], &[]).await;
        let group = s.world.group("hidden group", Visibility::Private, &[(hank, Role::Admin)]).await;
        let project = s.world.project_in("hidden", Visibility::Private, Some(group), &[(hank, Role::Admin)]).await;
        let project = project.to_string();
        let maker = s.by(&keeper).within(&project);
        let made = maker.approved().await;
        let (idea, proposal) = (maker.claimed().await, maker.proposal().await);
        Self {
            criterion: maker.criterion(&made.tasks[0]).await,
            round: maker.round(&idea).await,
            draft: maker.task_draft(&proposal, "Hidden draft", &[]).await,
            user: World::new(s.world.services.clone()).await.first_user.to_string(),
            group: group.to_string(),
            project,
            idea,
            proposal,
            document: made.document,
            task: made.tasks[0].clone(),
        }
    }

    fn of(&self, kind: Kind) -> &str {
        match kind {
            Kind::Project => &self.project,
            Kind::Group => &self.group,
            Kind::Idea => &self.idea,
            Kind::Proposal => &self.proposal,
            Kind::Document => &self.document,
            Kind::Task => &self.task,
            Kind::Round => &self.round,
            other => panic!("nothing hidden of the kind {other}"),
        }
    }

    /// What is hidden at a place in these arguments.
    fn at(&self, at: &At, arguments: &Value) -> Option<&str> {
        let named = |key: &str| Kind::parse(arguments[key].as_str().unwrap()).unwrap();
        match *at {
            At::Id { kind, .. } => Some(self.of(kind)),
            At::Pair { kind, .. } | At::Typed { kind, .. } => Some(self.of(named(kind))),
            At::Filter(_) => Some(&self.proposal),
            At::Group(_) => Some(&self.group),
            At::Part { path: "criteria[].uuid", .. } => Some(&self.criterion),
            At::Part { path: "roundUuid", .. } => Some(&self.round),
            At::Part { path: "dependsOnDraftUuids", .. } => Some(&self.draft),
            At::Part { path: "userUuid", .. } => Some(&self.user),
            At::Part { path, .. } => panic!("what is hidden at `{path}`?"),
            At::Via { .. } => None,
        }
    }
}

/// Whether whatever is named there is looked up before the handler runs.
fn is_checked(at: &At) -> bool {
    match at {
        At::Id { .. } | At::Pair { .. } | At::Typed { .. } | At::Group(_) => true,
        At::Via { .. } | At::Filter(_) | At::Part { .. } => false,
    }
}

fn ids_of(s: &Stage, tool: &str) -> &'static [At] {
    let name = format!("chorus_{tool}");
    s.tools.surface.tools().iter().find(|known| known.row.name == name).unwrap().row.access.ids
}

/// A result as it goes out, with one id in the place of another.
fn shown(result: &CallResult, id: &str) -> String {
    format!("{result:?}").replace(id, "ID")
}

/// Calls each tool with a hidden id, with one that names nothing, and with the right ones.
async fn every_id_of_every_tool(s: &Stage, me: &Caller) {
    let hidden = Hidden::new(s).await;
    for tool in tools(s) {
        let mut met = BTreeSet::new();
        for valid in arguments(s, me, tool).await {
            for at in ids_of(s, tool) {
                let Some(unseen) = hidden.at(at, &valid) else { continue };
                let nothing = s.nothing();
                let (mut with_hidden, mut with_nothing) = (valid.clone(), valid.clone());
                if !put(&mut with_hidden, at.path(), &json!(unseen)) {
                    continue;
                }
                put(&mut with_nothing, at.path(), &json!(nothing));
                met.insert(at.path());
                let one = s.call(me, tool, with_hidden).await;
                let other = s.call(me, tool, with_nothing).await;
                if at.path() == "dependsOnDraftUuids" {
                    // Both are taken, and found out by validation.
                    assert!(
                        matches!((&one, &other), (CallResult::Answer(_), CallResult::Answer(_))),
                        "{one:?} {other:?}"
                    );
                    continue;
                }
                assert_eq!(shown(&one, unseen), shown(&other, &nothing), "{tool} {}", at.path());
                if is_checked(at) {
                    assert_eq!((one.code(), one.details()), ("not_found", &Value::Null), "{tool} {}", at.path());
                }
            }
            s.ok(me, tool, valid).await;
        }
        let all: BTreeSet<&str> =
            ids_of(s, tool).iter().filter(|at| !matches!(at, At::Via { .. })).map(At::path).collect();
        assert_eq!(met, all, "{tool}: every id of the table stands in valid arguments");
    }
}

async fn to_an_editor_what_is_hidden_is_missing(backend: Backend) {
    let s = Stage::new(backend).await;
    let editor = s.agent_of("editor", Some(Role::Editor)).await;
    every_id_of_every_tool(&s, &editor).await;
}

async fn to_an_administrator_what_is_hidden_elsewhere_is_missing(backend: Backend) {
    let s = Stage::new(backend).await;
    every_id_of_every_tool(&s, &s.admin).await;
}

async fn without_access_everything_is_missing(backend: Backend) {
    let s = Stage::new(backend).await;
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    for tool in tools(&s) {
        for valid in arguments(&s, &s.admin, tool).await {
            let mut random = valid.clone();
            let mut checked = false;
            for at in ids_of(&s, tool).iter().filter(|at| is_checked(at)) {
                checked |= put(&mut random, at.path(), &json!(s.nothing()));
            }
            if !checked {
                continue;
            }
            for who in [&outsider, &ownerless, &foreigner] {
                let result = s.call(who, tool, valid.clone()).await;
                assert_eq!(result.code(), "not_found", "{tool} as {}", who.name);
                assert!(result.text().ends_with(" not found"), "{}", result.text());
                assert_eq!(result, s.call(who, tool, random.clone()).await, "{tool} as {}", who.name);
            }
        }
    }
}

async fn without_access_nothing_shows_up_in_lists_counts_and_trackers(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await.to_string();
    for (who, seen) in [(&outsider, vec![&public]), (&ownerless, vec![&public]), (&foreigner, vec![])] {
        let projects = s.ok(who, "list_projects", json!({})).await;
        assert_eq!(
            (&projects["total"], &projects["returned"]),
            (&json!(seen.len()), &json!(seen.len())),
            "{}",
            who.name
        );
        assert!(rows(&projects, "projects").iter().all(|row| seen.contains(&&text(&row["uuid"]))));
        let mine = s.ok(who, "get_my_assignments", json!({})).await;
        assert_eq!(mine, json!({ "ideaTracker": {}, "taskTracker": {} }));
        let checkin = s.ok(who, "checkin", json!({})).await;
        assert_eq!((&checkin["ideaTracker"], &checkin["notifications"]["unread"]), (&json!({}), &json!(0)));
    }
    // A filter that names what is hidden matches nothing, in a project that one does see.
    for tool in ["list_tasks", "get_available_tasks", "get_unblocked_tasks"] {
        let filter = json!({ "projectUuid": public, "proposalUuids": [made.proposal] });
        assert_eq!(s.ok(&outsider, tool, filter).await["total"], 0);
    }
}

async fn a_viewer_reads_everything_and_writes_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    for tool in tools(&s) {
        let name = format!("chorus_{tool}");
        let row = &s.tools.surface.tools().iter().find(|known| known.row.name == name).unwrap().row;
        let writes = row.access.ids.iter().any(|at| match at {
            At::Id { need, .. } | At::Pair { need, .. } | At::Typed { need, .. } => *need != Need::Viewer,
            At::Via { .. } | At::Filter(_) | At::Group(_) | At::Part { .. } => false,
        });
        if row.run.effect == Effect::Write && row.access.policy == Policy::Resource {
            assert!(writes, "{tool} asks for more than a viewer");
        }
        for valid in arguments(&s, &s.admin, tool).await {
            for at in row.access.ids {
                // Whatever project is named, the viewer is one there.
                if let At::Id { path, kind: Kind::Project, .. } = *at {
                    let project = valid[path].as_str().unwrap().parse().unwrap();
                    s.world.member(project, viewer.owner.unwrap(), Role::Viewer).await;
                }
            }
            match (writes, row.access.policy) {
                (true, _) => {
                    let refused = s.refused(&viewer, tool, valid, "forbidden").await;
                    assert_eq!(refused.details, Value::Null, "{tool}");
                }
                (false, Policy::Resource) => drop(s.ok(&viewer, tool, valid).await),
                (false, Policy::Filtered(_) | Policy::Company(_)) => {}
            }
        }
    }
}

async fn what_is_elsewhere_is_not_in_the_project_named_with_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let other = s.world.project("other", Visibility::Private, &[(s.pat, Role::Editor)]).await.to_string();
    let elsewhere = s.by(&s.pm).within(&other);
    let (idea, proposal) = (elsewhere.idea().await, elsewhere.proposal().await);
    let child = json!({ "projectUuid": s.project, "title": "x", "parentUuid": idea });
    assert_eq!(s.refused(&s.pm, "pm_create_idea", child, "not_found").await.text, "Idea not found");
    let tasks = json!([{ "title": "x", "acceptanceCriteriaItems": [{ "description": "c" }] }]);
    let under = json!({ "projectUuid": s.project, "proposalUuid": proposal, "tasks": tasks });
    assert_eq!(s.refused(&s.pm, "create_tasks", under, "not_found").await.text, "Proposal not found");
    let planner = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    // Whether it is elsewhere is looked at only after access to it: both tell the same.
    let forged = json!({ "projectUuid": other, "title": "x", "parentUuid": s.by(&s.admin).idea().await });
    assert_eq!(s.refused(&planner, "pm_create_idea", forged, "not_found").await.text, "Project not found");
}

async fn a_cursor_shows_nothing_that_its_bearer_may_not_see(backend: Backend) {
    let s = Stage::new(backend).await;
    let outsider = s.agent_of("outsider", None).await;
    s.by(&s.pm).task().await;
    s.by(&s.pm).task().await;
    let first = s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project, "pageSize": 1 })).await;
    let next = json!({ "projectUuid": s.project, "pageSize": 1, "cursor": first["nextCursor"] });
    assert_eq!(s.refused(&outsider, "list_tasks", next, "not_found").await.text, "Project not found");
    // Of a list that everybody has, each sees their own part.
    s.ok(&s.admin, "admin_create_project", json!({ "name": "Ada's", "visibility": "private" })).await;
    let projects = s.ok(&s.admin, "list_projects", json!({ "pageSize": 1 })).await;
    let rest = s.ok(&outsider, "list_projects", json!({ "cursor": projects["nextCursor"] })).await;
    assert_eq!((&rest["returned"], &rest["total"]), (&json!(0), &json!(0)));
}

backends!(
    to_an_editor_what_is_hidden_is_missing,
    to_an_administrator_what_is_hidden_elsewhere_is_missing,
    without_access_everything_is_missing,
    without_access_nothing_shows_up_in_lists_counts_and_trackers,
    a_viewer_reads_everything_and_writes_nothing,
    what_is_elsewhere_is_not_in_the_project_named_with_it,
    a_cursor_shows_nothing_that_its_bearer_may_not_see,
);
