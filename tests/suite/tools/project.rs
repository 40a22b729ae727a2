//! list_projects, get_project, admin_create_project.

use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::json;

use super::{
    like::assert_like,
    stage::{PROJECT, Stage, rows, text},
};
use crate::backends;

async fn a_project_is_read_with_visibility_level_and_counts(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.by(&s.pm).approved().await;
    s.by(&s.dev).task().await;
    s.by(&s.dev).comment("document", &made.document, "Good").await;
    let read = s.ok(&s.pm, "get_project", json!({ "projectUuid": s.project })).await;
    let activities = s.ok(&s.pm, "get_activity", json!({ "projectUuid": s.project })).await["total"].clone();
    assert_like(
        &read,
        &json!({
            "uuid": s.project, "name": PROJECT, "description": null, "groupUuid": null, "visibility": "private",
            "accessLevel": "editor", "createdAt": "<time>", "updatedAt": "<time>",
            "_count": { "ideas": 1, "documents": 1, "tasks": 3, "proposals": 1, "activities": activities }
        }),
    );
}

async fn the_access_level_is_the_callers_own(backend: Backend) {
    let s = Stage::new(backend).await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    for (who, level) in [(&s.admin, "admin"), (&s.pm, "editor"), (&viewer, "viewer")] {
        let read = s.ok(who, "get_project", json!({ "projectUuid": s.project })).await;
        assert_eq!(read["accessLevel"], level);
    }
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let ownerless = s.world.new_caller("ownerless", None, &[], &[]).await;
    let read = s.ok(&ownerless, "get_project", json!({ "projectUuid": public })).await;
    assert_eq!((&read["accessLevel"], &read["visibility"]), (&json!("editor"), &json!("public")));
}

async fn projects_are_listed_latest_updated_first_and_hidden_ones_are_not_counted(backend: Backend) {
    let s = Stage::new(backend).await;
    s.by(&s.dev).task().await;
    let long = "界".repeat(500);
    let second = s.ok(&s.admin, "admin_create_project", json!({ "name": long })).await;
    let hidden = json!({ "name": "Ada's own", "visibility": "private" });
    s.ok(&s.admin, "admin_create_project", hidden).await;
    let listed = s.ok(&s.dev, "list_projects", json!({})).await;
    let row = |uuid: &str, name: &str, tasks: u32| {
        json!({
            "uuid": uuid, "name": name, "groupUuid": null, "createdAt": "<time>", "updatedAt": "<time>",
            "_count": { "ideas": 0, "documents": 0, "tasks": tasks, "proposals": 0 }
        })
    };
    let cut = format!("{}...", "界".repeat(253));
    assert_like(
        &listed,
        &json!({
            "projects": [row(&text(&second["uuid"]), &cut, 0), row(&s.project.to_string(), PROJECT, 1)],
            "returned": 2, "page": 1, "pageSize": 20, "total": 2
        }),
    );
    assert_eq!(s.ok(&s.admin, "list_projects", json!({})).await["total"], 3);
}

async fn a_created_project_belongs_to_the_agents_owner(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.ok(&s.pm, "admin_create_project", json!({ "name": "Linker", "description": " " })).await;
    assert_like(&made, &json!({ "uuid": "<uuid>", "name": "Linker", "groupUuid": null, "visibility": "public" }));
    let read = s.ok(&s.pm, "get_project", json!({ "projectUuid": made["uuid"] })).await;
    assert_eq!((&read["accessLevel"], &read["description"]), (&json!("admin"), &json!(null)));

    let arguments = json!({ "name": "Secret", "description": "Why", "visibility": "private" });
    let made = s.ok(&s.pm, "admin_create_project", arguments).await;
    assert_eq!(made["visibility"], "private");
    let read = s.ok(&s.pm, "get_project", json!({ "projectUuid": made["uuid"] })).await;
    assert_eq!((&read["accessLevel"], &read["description"]), (&json!("admin"), &json!("Why")));
    // Names need not be unique.
    s.ok(&s.pm, "admin_create_project", json!({ "name": "Secret" })).await;
    s.unknown(&s.dev, "admin_create_project").await;
}

async fn an_ownerless_agent_creates_public_projects_only(backend: Backend) {
    let s = Stage::new(backend).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let made = s.ok(&ownerless, "admin_create_project", json!({ "name": "Open" })).await;
    let read = s.ok(&ownerless, "get_project", json!({ "projectUuid": made["uuid"] })).await;
    assert_eq!(read["accessLevel"], "editor", "nobody is its administrator but the company's first user");
    let private = json!({ "name": "Closed", "visibility": "private" });
    let refused = s.refused(&ownerless, "admin_create_project", private, "invalid_arguments").await;
    assert_eq!(refused.fields(), ["visibility"]);
    let group = s.world.group("private", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let inside = json!({ "name": "Inside", "groupUuid": group });
    s.refused(&ownerless, "admin_create_project", inside, "not_found").await;
}

async fn a_group_decides_who_creates_in_it_and_how_visible(backend: Backend) {
    let s = Stage::new(backend).await;
    let members = [(s.ada, Role::Admin), (s.pat, Role::Editor), (s.dora, Role::Viewer)];
    let private = s.world.group("private", Visibility::Private, &members).await;
    let public = s.world.group("public", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let dora = s.world.new_caller("dora's planner", Some(s.dora), &["pm_agent"], &[]).await;
    let within = |group, visibility: Option<&str>| json!({ "name": "x", "groupUuid": group, "visibility": visibility });

    let made = s.ok(&s.pm, "admin_create_project", within(private, None)).await;
    assert_like(&made, &json!({ "uuid": "<uuid>", "name": "x", "groupUuid": private, "visibility": "private" }));
    let refused = s.refused(&s.pm, "admin_create_project", within(private, Some("public")), "invalid_arguments").await;
    assert_eq!(refused.fields(), ["visibility"]);
    s.refused(&dora, "admin_create_project", within(private, None), "forbidden").await;

    let made = s.ok(&dora, "admin_create_project", within(public, None)).await;
    assert_eq!(made["visibility"], "public");
    let made = s.ok(&dora, "admin_create_project", within(public, Some("private"))).await;
    assert_eq!((&made["visibility"], &made["groupUuid"]), (&json!("private"), &json!(public)));

    let hidden = s.world.group("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    for group in [hidden, s.world.id()] {
        let refused = s.refused(&dora, "admin_create_project", within(group, None), "not_found").await;
        assert_eq!(refused.text, "Project group not found");
    }
}

async fn a_word_that_is_no_visibility_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let arguments = json!({ "name": "x", "visibility": "secret" });
    let refused = s.refused(&s.pm, "admin_create_project", arguments, "invalid_arguments").await;
    assert_eq!(refused.fields(), ["visibility"]);
    assert!(refused.text.contains("`public`, `private`"), "{}", refused.text);
    let listed = s.ok(&s.pm, "list_projects", json!({})).await;
    assert_eq!(rows(&listed, "projects").len(), 1, "nothing was made");
}

backends!(
    a_project_is_read_with_visibility_level_and_counts,
    the_access_level_is_the_callers_own,
    projects_are_listed_latest_updated_first_and_hidden_ones_are_not_counted,
    a_created_project_belongs_to_the_agents_owner,
    an_ownerless_agent_creates_public_projects_only,
    a_group_decides_who_creates_in_it_and_how_visible,
    a_word_that_is_no_visibility_is_refused,
);
