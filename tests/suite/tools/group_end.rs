//! admin_delete_project_group: with its projects or without them.

use chorus_domain::{Party, Write, task::Edge};
use chorus_ids::{AgentId, TaskId};
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, rows, text, uuid},
};
use crate::backends;

const DELETE: &str = "admin_delete_project_group";

async fn projects_that_stay_keep_whoever_had_access(backend: Backend) {
    let s = Stage::new(backend).await;
    let members = [(s.ada, Role::Admin), (s.pat, Role::Editor), (s.dora, Role::Viewer)];
    let group = s.world.group("Compilers", Visibility::Private, &members).await;
    // Dora has more here than from the group; Pat less.
    let own = [(s.dora, Role::Admin), (s.pat, Role::Viewer)];
    let one = s.world.project_in("one", Visibility::Private, Some(group), &own).await;
    let two = s.world.project_in("two", Visibility::Private, Some(group), &[]).await;
    let gone = s.ok(&s.admin, DELETE, json!({ "groupUuid": group })).await;
    let none = json!({
        "projects": 0, "ideas": 0, "proposals": 0, "documents": 0, "tasks": 0, "claims": 0, "comments": 0,
        "references": 0, "notifications": 0, "waitingTasksElsewhere": 0
    });
    assert_like(&gone, &json!({ "message": "<text>", "groupUuid": group, "keptProjects": 2, "deleted": none }));
    assert!(text(&gone["message"]).contains(&group.to_string()));
    for (who, levels) in [(&s.admin, ["admin", "admin"]), (&s.pm, ["editor", "editor"]), (&s.dev, ["admin", "viewer"])]
    {
        for (project, level) in [one, two].into_iter().zip(levels) {
            let read = s.ok(who, "get_project", json!({ "projectUuid": project })).await;
            assert_eq!(
                json!([read["accessLevel"], read["groupUuid"], read["visibility"]]),
                json!([level, null, "private"]),
                "{}",
                who.name
            );
        }
    }
    for tool in [DELETE, "get_project_group"] {
        s.refused(&s.admin, tool, json!({ "groupUuid": group }), "not_found").await;
    }
}

async fn projects_that_go_take_everything_along_and_are_counted(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Editor)]).await;
    let project = s.world.project_in("going", Visibility::Private, Some(group), &[]).await.to_string();
    let m = s.by(&s.pm).within(&project);
    let made = m.approved().await;
    let task = m.task_in("in_progress").await;
    m.comment("task", &task, "Working").await;
    s.by(&s.admin).within(&project).comment("task", &task, "Good").await;
    let unread = s.unread(Party::Agent(AgentId::from_uuid(s.pm.subject.uuid())), s.pat).await.len();
    assert!(unread > 0, "there is something to be removed");
    let arguments = json!({ "groupUuid": group, "deleteProjects": true, "idempotencyKey": "once" });
    let gone = s.ok(&s.admin, DELETE, arguments.clone()).await;
    let deleted = json!({
        "projects": 1, "ideas": 1, "proposals": 1, "documents": 1, "tasks": 3, "claims": 1, "comments": 2,
        "references": 0, "notifications": "<number>", "waitingTasksElsewhere": 0
    });
    assert_like(&gone, &json!({ "message": "<text>", "groupUuid": group, "keptProjects": 0, "deleted": deleted }));
    assert!(gone["deleted"]["notifications"].as_u64().unwrap() >= unread as u64);

    s.refused(&s.admin, "get_project", json!({ "projectUuid": project }), "not_found").await;
    for (tool, argument, id) in [
        ("get_task", "taskUuid", &task),
        ("get_idea", "ideaUuid", &made.idea),
        ("get_proposal", "proposalUuid", &made.proposal),
        ("get_document", "documentUuid", &made.document),
    ] {
        s.refused(&s.pm, tool, json!({ argument: id }), "not_found").await;
    }
    let mine = s.ok(&s.pm, "get_my_assignments", json!({})).await;
    assert_eq!(mine, json!({ "ideaTracker": {}, "taskTracker": {} }));
    // Of the notices only that is left which tells of the end.
    let told = s.unread(Party::Agent(AgentId::from_uuid(s.pm.subject.uuid())), s.pat).await;
    assert_eq!(told.iter().map(|notice| notice.topic.as_str()).collect::<Vec<_>>(), ["deleted"]);
    let listed = s.ok(&s.pm, "list_projects", json!({})).await;
    assert_eq!(rows(&listed, "projects").len(), 1);
    // Its ids are gone; its answer is not.
    assert_eq!(s.ok(&s.admin, DELETE, arguments).await, gone);
    s.refused(&s.admin, DELETE, json!({ "groupUuid": group, "deleteProjects": true }), "not_found").await;
}

async fn who_waits_elsewhere_for_what_goes_is_told(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let going = s.world.project_in("going", Visibility::Private, Some(group), &[]).await.to_string();
    let inside = s.by(&s.admin).within(&going);
    let (first, second) = (inside.task().await, inside.task().await);
    inside.after(&second, &[&first]).await;
    let waiting = s.by(&s.pm).task().await;
    s.ok(&s.dev, "claim_task", json!({ "taskUuid": waiting })).await;
    // No tool makes such a dependency; an idea that moves with its tasks leaves one.
    let edge = |depends_on: &str| Edge {
        task: TaskId::from_uuid(uuid(&waiting)),
        depends_on: TaskId::from_uuid(uuid(depends_on)),
    };
    s.world.write(vec![Write::AddEdges(vec![edge(&second)])]).await;
    let gone = s.ok(&s.admin, DELETE, json!({ "groupUuid": group, "deleteProjects": true })).await;
    assert_eq!((&gone["deleted"]["tasks"], &gone["deleted"]["waitingTasksElsewhere"]), (&json!(2), &json!(1)));
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await;
    let newest = &rows(&stream, "activities")[0];
    assert_eq!(
        json!([newest["action"], newest["targetUuid"], newest["value"]]),
        json!(["dependency_closed", waiting, Value::Null]),
        "nothing of the other project is named"
    );
    let told = s.unread(Party::Agent(AgentId::from_uuid(s.dev.subject.uuid())), s.dora).await;
    assert_eq!(told[0].topic.as_str(), "dependency_closed");
    assert_eq!(told[0].entity_id, uuid(&waiting));
    let read = s.ok(&s.dev, "get_task", json!({ "taskUuid": waiting })).await;
    assert_eq!(read["dependsOn"], json!([]));
}

/// Report 31: whoever held something in a project that goes is told, in a notice that does not go with it.
async fn holders_of_what_goes_are_told_how_much_that_was(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let members = [(s.ada, Role::Admin), (s.dora, Role::Editor), (s.pat, Role::Editor)];
    let doomed = s.world.project_in("Parser", Visibility::Private, Some(group), &members).await.to_string();
    let (dev, pm) = (s.by(&s.dev).within(&doomed), s.by(&s.pm).within(&doomed));
    for status in ["assigned", "in_progress", "done"] {
        dev.task_in(status).await;
    }
    pm.claimed().await;
    pm.elaborated().await;
    s.ok(&s.admin, DELETE, json!({ "groupUuid": group, "deleteProjects": true })).await;
    for (who, user, held) in [(&s.dev, s.dora, "2 unfinished things"), (&s.pm, s.pat, "one unfinished thing")] {
        let told = s.unread(Party::Agent(AgentId::from_uuid(who.subject.uuid())), user).await;
        let [notice] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((notice.topic.as_str(), notice.project, notice.entity_id), ("deleted", None, uuid(&doomed)));
        assert_eq!(notice.message, format!("admin deleted the project \"Parser\", in which you held {held}"));
        let shown = s.ok(who, "get_notifications", json!({})).await;
        assert_eq!(rows(&shown, "notifications")[0]["message"], notice.message);
    }
    assert_eq!(s.unread(Party::Agent(AgentId::from_uuid(s.admin.subject.uuid())), s.ada).await, []);
}

async fn a_group_is_deleted_by_who_administers_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let members = [(s.ada, Role::Admin), (s.pat, Role::Editor)];
    let group = s.world.group("Compilers", Visibility::Public, &members).await;
    let arguments = |delete: bool| json!({ "groupUuid": group, "deleteProjects": delete });
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let planner = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    let mut refusals = Vec::new();
    // The refusal does not tell whether a hidden project is in it.
    for hidden in [false, true] {
        if hidden {
            s.world.project_in("hidden", Visibility::Private, Some(group), &[(s.ada, Role::Admin)]).await;
        }
        for who in [&s.pm, &planner, &ownerless] {
            for delete in [false, true] {
                refusals.push(s.refused(who, DELETE, arguments(delete), "forbidden").await.text);
            }
        }
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1);
    s.unknown(&s.dev, DELETE).await;
    s.ok(&s.admin, DELETE, arguments(false)).await;
}

async fn no_project_is_left_without_an_administrator(backend: Backend) {
    let s = Stage::new(backend).await;
    // Nobody administers it but the first user, who stands in and has no row to be copied.
    let group = s.world.group("bare", Visibility::Public, &[(s.pat, Role::Editor)]).await;
    let child = s.world.project_in("child", Visibility::Public, Some(group), &[(s.pat, Role::Editor)]).await;
    let first = s.world.new_caller("first's agent", Some(s.world.first_user), &["admin_agent"], &[]).await;
    let refused = s.refused(&first, DELETE, json!({ "groupUuid": group }), "last_admin").await;
    assert_eq!(refused.details, json!({ "projectUuid": child }));
    let detach = json!({ "projectUuid": child, "groupUuid": null, "preview": true });
    s.refused(&first, "admin_move_project_to_group", detach, "last_admin").await;
    s.world.member(child, s.pat, Role::Admin).await;
    assert_eq!(s.ok(&first, DELETE, json!({ "groupUuid": group })).await["keptProjects"], 1);
}

async fn an_empty_group_just_goes(backend: Backend) {
    let s = Stage::new(backend).await;
    for delete in [false, true] {
        let group = s.world.group("empty", Visibility::Private, &[(s.ada, Role::Admin)]).await;
        let gone = s.ok(&s.admin, DELETE, json!({ "groupUuid": group, "deleteProjects": delete })).await;
        assert_eq!((&gone["keptProjects"], &gone["deleted"]["projects"]), (&json!(0), &json!(0)));
    }
}

backends!(
    projects_that_stay_keep_whoever_had_access,
    projects_that_go_take_everything_along_and_are_counted,
    who_waits_elsewhere_for_what_goes_is_told,
    holders_of_what_goes_are_told_how_much_that_was,
    a_group_is_deleted_by_who_administers_it,
    no_project_is_left_without_an_administrator,
    an_empty_group_just_goes,
);
