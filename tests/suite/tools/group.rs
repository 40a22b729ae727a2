//! get_project_groups, get_project_group, get_group_dashboard, admin_create_project_group.

use chorus_domain::Write;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, rows, text, uuids},
};
use crate::backends;

async fn groups_are_listed_oldest_first_with_what_one_sees_in_them(backend: Backend) {
    let s = Stage::new(backend).await;
    let long = "界".repeat(500);
    let open = s.world.group(&long, Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let joined = s.world.group("joined", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Viewer)]).await;
    let reached = s.world.group("reached", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    s.world.group("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    s.world.project_in("open", Visibility::Public, Some(open), &[]).await;
    s.world.project_in("secret", Visibility::Private, Some(open), &[(s.ada, Role::Admin)]).await;
    s.world.project_in("of the group", Visibility::Private, Some(joined), &[]).await;
    s.world.project_in("one", Visibility::Private, Some(reached), &[(s.pat, Role::Viewer)]).await;
    s.world.project_in("other", Visibility::Private, Some(reached), &[]).await;
    let row = |uuid: &str, name: &str, count: u32| json!({ "uuid": uuid, "name": name, "projectCount": count, "createdAt": "<time>", "updatedAt": "<time>" });
    let listed = s.ok(&s.pm, "get_project_groups", json!({})).await;
    assert_like(
        &listed,
        &json!({
            "groups": [
                row(&open.to_string(), &format!("{}...", "界".repeat(253)), 1),
                row(&joined.to_string(), "joined", 1),
                row(&reached.to_string(), "reached", 1)
            ],
            "returned": 3, "page": 1, "pageSize": 20, "total": 3, "ungroupedCount": 1
        }),
    );
    assert_eq!(s.ok(&s.admin, "get_project_groups", json!({})).await["total"], 4);
    let ownerless = s.world.new_caller("ownerless", None, &[], &[]).await;
    let listed = s.ok(&ownerless, "get_project_groups", json!({})).await;
    assert_eq!((uuids(&listed, "groups"), &listed["ungroupedCount"]), (vec![open.to_string()], &json!(0)));
}

async fn a_group_is_read_with_what_the_caller_may_do_there(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin), (s.pat, Role::Editor)]).await;
    let child = s.world.project_in("child", Visibility::Private, Some(group), &[(s.dora, Role::Viewer)]).await;
    s.world.project_in("sibling", Visibility::Private, Some(group), &[]).await;
    let read = s.ok(&s.dev, "get_project_group", json!({ "groupUuid": group })).await;
    assert_like(
        &read,
        &json!({
            "uuid": group, "name": "Compilers", "description": "", "projectCount": 1, "visibility": "private",
            "accessLevel": "viewer", "explicitRole": null, "canManage": false, "canCreateProject": false,
            "accessInitialized": true, "projects": [{ "uuid": child, "name": "child", "description": null }],
            "createdAt": "<time>", "updatedAt": "<time>"
        }),
    );
    let may = |read: &Value| {
        json!([
            read["accessLevel"],
            read["explicitRole"],
            read["canManage"],
            read["canCreateProject"],
            read["projectCount"]
        ])
    };
    let read = s.ok(&s.pm, "get_project_group", json!({ "groupUuid": group })).await;
    assert_eq!(may(&read), json!(["editor", "editor", false, true, 2]));
    assert_eq!(rows(&read, "projects")[0]["name"], "sibling", "latest updated first");
    let read = s.ok(&s.admin, "get_project_group", json!({ "groupUuid": group })).await;
    assert_eq!(may(&read), json!(["admin", "admin", true, true, 2]));

    let public = s.world.group("public", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let read = s.ok(&s.pm, "get_project_group", json!({ "groupUuid": public })).await;
    assert_eq!(may(&read), json!(["editor", null, true, true, 0]));
    // Without an explicit administrator the company's first user stands in.
    let bare = s.world.group("bare", Visibility::Private, &[]).await;
    let first = s.world.new_caller("first's agent", Some(s.world.first_user), &[], &[]).await;
    let read = s.ok(&first, "get_project_group", json!({ "groupUuid": bare })).await;
    assert_eq!(may(&read), json!(["admin", "admin", true, true, 0]));
    for tool in ["get_project_group", "get_group_dashboard"] {
        for hidden in [bare, s.world.id()] {
            let refused = s.refused(&s.pm, tool, json!({ "groupUuid": hidden }), "not_found").await;
            assert_eq!(refused.text, "Project group not found");
        }
    }
}

async fn the_roster_is_for_those_who_are_on_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Public, &[(s.ada, Role::Admin), (s.pat, Role::Viewer)]).await;
    let with = json!({ "groupUuid": group, "includeMembers": true });
    let read = s.ok(&s.pm, "get_project_group", with.clone()).await;
    let member = |user: chorus_ids::UserId, name: &str, role: &str| json!({ "userUuid": user, "name": name, "role": role, "createdAt": "<time>" });
    let mut members = read["members"].clone();
    members.as_array_mut().unwrap().sort_by_key(|row| text(&row["name"]));
    assert_like(&members, &json!([member(s.ada, "ada", "admin"), member(s.pat, "pat", "viewer")]));
    let refused = s.refused(&s.dev, "get_project_group", with, "forbidden").await;
    assert!(refused.text.contains("administrators"), "{}", refused.text);
    let without = s.ok(&s.dev, "get_project_group", json!({ "groupUuid": group, "includeMembers": false })).await;
    assert_eq!(without.get("members"), None);
}

async fn a_dashboard_counts_what_one_sees(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("Compilers", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let parser = s.world.project_in("parser", Visibility::Private, Some(group), &[(s.pat, Role::Editor)]).await;
    let linker = s.world.project_in("linker", Visibility::Private, Some(group), &[]).await;
    let (parser, linker) = (parser.to_string(), linker.to_string());
    let empty = s.ok(&s.pm, "get_group_dashboard", json!({ "groupUuid": group })).await;
    assert_eq!(empty["stats"]["completionRate"], 0);
    let m = s.by(&s.pm).within(&parser);
    let tasks = [m.task().await, m.task().await, m.task().await];
    s.ok(&s.admin, "admin_close_task", json!({ "taskUuid": tasks[0] })).await;
    m.claimed().await;
    m.idea().await;
    m.proposal().await;
    s.by(&s.admin).within(&linker).task().await;
    let read = s.ok(&s.pm, "get_group_dashboard", json!({ "groupUuid": group })).await;
    let recent = rows(&read, "recentActivity").clone();
    assert_like(
        &read,
        &json!({
            "group": {
                "uuid": group, "name": "Compilers", "description": "", "visibility": "private",
                "accessLevel": "viewer", "explicitRole": null, "canManage": false, "canCreateProject": false,
                "accessInitialized": true
            },
            "stats": {
                "projectCount": 1, "totalTasks": 3, "completedTasks": 1, "completionRate": 33, "openIdeas": 2,
                "activeProposals": 1
            },
            "projects": [
                { "uuid": parser, "name": "parser", "visibility": "private", "taskCount": 3, "completionRate": 33 }
            ],
            "recentActivity": recent
        }),
    );
    assert!(!recent.is_empty() && recent.iter().all(|row| row["projectName"] == "parser"));
    let stream = s.ok(&s.pm, "get_activity", json!({ "projectUuid": parser })).await;
    let uuids_of = |list: &[Value]| list.iter().map(|row| text(&row["uuid"])).collect::<Vec<_>>();
    assert_eq!(uuids_of(&recent), uuids(&stream, "activities"), "the newest first");
    let whole = s.ok(&s.admin, "get_group_dashboard", json!({ "groupUuid": group })).await;
    assert_eq!((&whole["stats"]["projectCount"], &whole["stats"]["totalTasks"]), (&json!(2), &json!(4)));
    for _ in 0..25 {
        m.comment("task", &tasks[1], "More").await;
    }
    let read = s.ok(&s.pm, "get_group_dashboard", json!({ "groupUuid": group })).await;
    assert_eq!(rows(&read, "recentActivity").len(), 20);
}

async fn a_created_group_belongs_to_the_agents_owner(backend: Backend) {
    let s = Stage::new(backend).await;
    let arguments = json!({ "name": "Linkers", "description": "Why", "visibility": "private" });
    let made = s.ok(&s.pm, "admin_create_project_group", arguments).await;
    let expected = |name: &str, description: &str, visibility: &str, role: Value| {
        let level = if role == "admin" { "admin" } else { "editor" };
        json!({
            "uuid": "<uuid>", "name": name, "description": description, "projectCount": 0, "visibility": visibility,
            "accessLevel": level, "explicitRole": role, "canManage": true, "canCreateProject": true,
            "accessInitialized": true, "createdAt": "<time>", "updatedAt": "<time>"
        })
    };
    assert_like(&made, &expected("Linkers", "Why", "private", json!("admin")));
    let read = s.ok(&s.pm, "get_project_group", json!({ "groupUuid": made["uuid"], "includeMembers": true })).await;
    assert_eq!(rows(&read, "members")[0]["userUuid"], json!(s.pat));
    s.refused(&s.dev, "get_project_group", json!({ "groupUuid": made["uuid"] }), "not_found").await;
    let made = s.ok(&s.pm, "admin_create_project_group", json!({ "name": "Open", "description": " " })).await;
    assert_like(&made, &expected("Open", "", "public", json!("admin")));

    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let made = s.ok(&ownerless, "admin_create_project_group", json!({ "name": "Nobody's" })).await;
    assert_like(&made, &expected("Nobody's", "", "public", json!(null)));
    let private = json!({ "name": "x", "visibility": "private" });
    let refused = s.refused(&ownerless, "admin_create_project_group", private, "invalid_arguments").await;
    assert_eq!(refused.fields(), ["visibility"]);
    s.unknown(&s.dev, "admin_create_project_group").await;
}

async fn large_groups_stay_small_answers(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("many", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let now = s.world.now();
    let projects = (0..120).map(|n| {
        Write::NewProject(chorus_domain::project::Project {
            id: s.world.id(),
            company: s.world.company,
            name: format!("{n} {}", "长".repeat(400)),
            description: Some("界".repeat(2_000)),
            group: Some(group),
            visibility: Visibility::Public,
            created_by: None,
            created_at: now,
            updated_at: now,
        })
    });
    s.world.write(projects.collect()).await;
    for tool in ["get_project_group", "get_group_dashboard"] {
        let read = s.ok(&s.pm, tool, json!({ "groupUuid": group })).await;
        assert!(read.to_string().len() <= 65_536, "{tool}");
        let count = if tool == "get_project_group" { &read["projectCount"] } else { &read["stats"]["projectCount"] };
        assert_eq!(count, 120, "{tool} says what is left out");
        assert!((10..=100).contains(&rows(&read, "projects").len()), "{tool}");
    }
}

backends!(
    groups_are_listed_oldest_first_with_what_one_sees_in_them,
    a_group_is_read_with_what_the_caller_may_do_there,
    the_roster_is_for_those_who_are_on_it,
    a_dashboard_counts_what_one_sees,
    a_created_group_belongs_to_the_agents_owner,
    large_groups_stay_small_answers,
);
