//! resources/read.

use chorus_domain::Caller;
use chorus_ids::AgentId;
use chorus_mcp::RpcError;
use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    super::stage::{PROJECT, Stage, text},
    Shelves, body, uri,
};
use crate::backends;

async fn a_thing_reads_as_its_tool_shows_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let made = s.by(&s.pm).approved().await;
    let viewer = s.agent_of("viewer", Some(Role::Viewer)).await;
    let bare = s.world.new_caller("bare", viewer.owner, &[], &[]).await;
    for who in [&viewer, &bare, &s.dev, &s.pm, &s.admin] {
        for (tool, arguments, at) in [
            ("get_project", json!({ "projectUuid": s.project }), format!("chorus://projects/{}", s.project)),
            ("get_idea", json!({ "ideaUuid": made.idea }), uri(&s, "ideas", &made.idea)),
            (
                "get_proposal",
                json!({ "proposalUuid": made.proposal, "section": "full" }),
                uri(&s, "proposals", &made.proposal),
            ),
            ("get_task", json!({ "taskUuid": made.tasks[1] }), uri(&s, "tasks", &made.tasks[1])),
        ] {
            assert_eq!(shelves.json(who, &at).await, s.ok(who, tool, arguments).await, "{at} as {}", who.name);
        }
    }
    let level = |value: Value| text(&value["accessLevel"]);
    let project = format!("chorus://projects/{}", s.project);
    assert_eq!(level(shelves.json(&viewer, &project).await), "viewer");
    assert_eq!(level(shelves.json(&s.admin, &project).await), "admin");
    // An id has one meaning however it is written; the address is answered as it was asked.
    let capitals = uri(&s, "tasks", &made.tasks[1].to_uppercase());
    assert_eq!(shelves.json(&viewer, &capitals).await["uuid"], made.tasks[1]);
}

async fn a_document_reads_as_markdown_under_its_title(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let content = "## 规则\n\n* one\n* two\n\n\n";
    let new = json!({ "projectUuid": s.project, "type": "spec", "title": "The  rules", "content": content });
    let id = text(&s.ok(&s.pm, "pm_create_document", new).await["uuid"]);
    let part = shelves.part(&s.dev, &uri(&s, "documents", &id)).await.unwrap();
    assert_eq!(part.mime_type.as_deref(), Some("text/markdown"));
    assert_eq!(body(&part), "# The rules\n\n## 规则\n\n* one\n* two\n");
    let meta = part.meta.unwrap();
    assert_eq!((&meta["chorus/type"], &meta["chorus/version"]), (&json!("spec"), &json!(1)));
    // The newest version is read.
    let change = json!({ "documentUuid": id, "content": "New." });
    s.ok(&s.pm, "pm_update_document", change).await;
    let part = shelves.part(&s.dev, &uri(&s, "documents", &id)).await.unwrap();
    assert_eq!((body(&part), &part.meta.as_ref().unwrap()["chorus/version"]), ("# The rules\n\nNew.\n", &json!(2)));
}

/// The addresses of one thing of each kind in the project of a stage, as if it were in `project`.
async fn addresses(s: &Stage, project: &str) -> Vec<String> {
    let made = s.by(&s.pm).approved().await;
    [("ideas", made.idea), ("proposals", made.proposal), ("documents", made.document), ("tasks", made.tasks[0].clone())]
        .into_iter()
        .map(|(segment, id)| format!("chorus://projects/{project}/{segment}/{id}"))
        .chain([format!("chorus://projects/{project}")])
        .collect()
}

async fn is_missing(shelves: &Shelves<'_>, who: &Caller, uri: &str) {
    let refused = shelves.part(who, uri).await.unwrap_err();
    assert_eq!(refused, RpcError::resource_not_found(uri), "{uri} as {}", who.name);
    assert_eq!(refused.data, Some(json!({ "uri": uri })));
}

async fn what_is_hidden_missing_or_elsewhere_is_not_found(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    for at in addresses(&s, &s.project.to_string()).await {
        for who in [&outsider, &ownerless, &foreigner] {
            is_missing(&shelves, who, &at).await;
        }
        assert!(shelves.part(&s.dev, &at).await.is_ok(), "{at}");
    }
    // The caller sees the thing and the project that is named, but it is not in there.
    let other = s.world.project("other", Visibility::Public, &[(s.ada, Role::Admin)]).await.to_string();
    let elsewhere = addresses(&s, &other).await;
    for at in &elsewhere[..4] {
        is_missing(&shelves, &s.dev, at).await;
    }
    // Neither is it in one that is hidden from them, or in none.
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await.to_string();
    for project in [hidden, s.nothing()] {
        for at in addresses(&s, &project).await {
            is_missing(&shelves, &s.dev, &at).await;
        }
    }
    let task = s.by(&s.pm).task().await;
    for at in [
        uri(&s, "tasks", &s.nothing()),
        uri(&s, "ideas", &task),
        uri(&s, "tasks", "x"),
        uri(&s, "comments", &task),
        "chorus://context/".to_owned(),
        "chorus://".to_owned(),
        "file:///etc/passwd".to_owned(),
        String::new(),
    ] {
        is_missing(&shelves, &s.dev, &at).await;
    }
}

async fn the_context_says_who_one_is_and_where_one_may_do_what(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let public = s.world.project("Public", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    s.world.project("Hidden", Visibility::Private, &[(s.pat, Role::Admin)]).await;
    let row = |id: chorus_ids::ProjectId, name: &str, visibility: &str, level: &str| {
        json!({
            "uuid": id, "name": name, "visibility": visibility, "accessLevel": level,
            "uri": format!("chorus://projects/{id}")
        })
    };
    let context = shelves.json(&s.dev, "chorus://context").await;
    let email = format!("dora.{}@example.com", s.world.company);
    assert_eq!(
        context,
        json!({
            "caller": {
                "type": "agent", "uuid": s.dev.subject.uuid(), "name": "dev", "presets": ["developer_agent"],
                "owner": { "uuid": s.dora, "name": "dora", "email": email }
            },
            "permissions": {
                "idea": ["read"], "proposal": ["read"], "document": ["read"], "task": ["read", "write"],
                "project": ["read"]
            },
            "projects": [
                row(public, "Public", "public", "editor"), row(s.project, PROJECT, "private", "editor"),
            ]
        })
    );
    let context = shelves.json(&s.admin, "chorus://context").await;
    assert_eq!(context["projects"][1]["accessLevel"], "admin");
    let ownerless = s.world.new_caller("ownerless", None, &[], &[]).await;
    let context = shelves.json(&ownerless, "chorus://context").await;
    assert_eq!((&context["caller"]["owner"], &context["permissions"]), (&Value::Null, &json!({})));
    assert_eq!(context["projects"], json!([row(public, "Public", "public", "editor")]));
    // As many as a model can use; of the others only how many there are.
    for n in 0..100 {
        s.world.project(&format!("P{n}"), Visibility::Public, &[(s.ada, Role::Admin)]).await;
    }
    let context = shelves.json(&s.dev, "chorus://context").await;
    assert_eq!((context["projects"].as_array().unwrap().len(), &context["moreProjects"]), (100, &json!(2)));
}

async fn reading_keeps_no_books(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let task = s.by(&s.pm).task().await;
    s.by(&s.dev).comment("task", &task, "Why?").await;
    let (events, audit) = (s.database.events().await, s.database.audit().await);
    shelves.json(&s.pm, "chorus://context").await;
    shelves.json(&s.pm, &uri(&s, "tasks", &task)).await;
    shelves.listed(&shelves.visitor(&s.pm)).await;
    shelves.prompt(&shelves.visitor(&s.pm), "start_work", ("taskUuid", &task)).await.unwrap();
    assert_eq!((s.database.events().await, s.database.audit().await), (events, audit));
    let mut reads = s.world.services.store.read().await.unwrap();
    let id = AgentId::from_uuid(s.pm.subject.uuid());
    let profile = reads.directory().profile(id, s.world.now()).await.unwrap().unwrap();
    assert_eq!(profile.agent.last_active_at, None);
    drop(reads);
    let told = s.ok(&s.pm, "get_notifications", json!({ "autoMarkRead": false })).await;
    assert_eq!(told["unreadCount"], 1);
}

backends!(
    a_thing_reads_as_its_tool_shows_it,
    a_document_reads_as_markdown_under_its_title,
    what_is_hidden_missing_or_elsewhere_is_not_found,
    the_context_says_who_one_is_and_where_one_may_do_what,
    reading_keeps_no_books,
);
