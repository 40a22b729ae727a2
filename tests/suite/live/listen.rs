//! `subscriptions/listen`: what is granted, what is told, and what is not.

use chorus_domain::{Kind, Write};
use chorus_testkit::{Backend, Client, EventStream, Site, operator};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{QUIET, comment, listen, new_task, news, updated};
use crate::backends;

/// A site with a private project of the admin's, and a second agent whose owner is a viewer of it.
struct Field {
    site: Site,
    project: String,
    viewer: Client,
    viewer_id: String,
    email: String,
}

impl Field {
    async fn new(backend: Backend) -> Self {
        let site = Site::new(backend).await;
        let (world, first) = (&site.world, site.world.first_user);
        let owner = world.user("owner").await;
        let members = [(first, Role::Admin), (owner, Role::Viewer)];
        let project = world.project("Shared", Visibility::Private, &members).await.to_string();
        let agent = world.agent("viewer", Some(owner), &["developer_agent"], &[]).await;
        let email = format!("owner.{}@example.com", world.company);
        Self { viewer: site.server.client(&agent.key), viewer_id: agent.id.to_string(), site, project, email }
    }

    async fn operator(&self, arguments: &[&str]) -> Value {
        operator(self.site.database.url(), arguments).await
    }
}

fn all(uris: &[&str]) -> Value {
    json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": uris,
    })
}

async fn what_is_granted_is_said_first_and_hidden_is_missing(backend: Backend) {
    let f = Field::new(backend).await;
    let admin = f.site.client();
    let (_, uri) = new_task(&admin, &f.project, "seen").await;
    let secret = f.site.world.project("Secret", Visibility::Private, &[(f.site.world.first_user, Role::Admin)]).await;
    let (hidden_id, hidden) = new_task(&admin, &secret.to_string(), "hidden").await;
    let misplaced = format!("chorus://projects/{}/tasks/{hidden_id}", f.project);
    let nowhere = format!("chorus://projects/{}/tasks/{}", f.project, f.project);
    let wanted = [&uri, &hidden, &misplaced, &nowhere, "chorus://context", &uri, "file:///x"];
    let (mut stream, granted) = listen(&f.viewer, all(&wanted)).await;
    assert_eq!(granted, all(&[&uri, "chorus://context"]));
    let (_other, granted) = listen(&f.viewer, json!({})).await;
    assert_eq!(granted, json!({}));

    // Neither what is hidden nor what was not asked for is told.
    comment(&admin, &hidden_id).await;
    new_task(&admin, &f.project, "another").await;
    stream.silent(QUIET).await;
}

async fn changes_of_what_is_subscribed_to_are_told(backend: Backend) {
    let f = Field::new(backend).await;
    let admin = f.site.client();
    let (id, uri) = new_task(&admin, &f.project, "watched").await;
    let project = format!("chorus://projects/{}", f.project);
    let (mut stream, _) = listen(&f.viewer, json!({ "resourceSubscriptions": [uri, project] })).await;
    comment(&admin, &id).await;
    assert_eq!(news(&mut stream).await, updated(&uri));
    admin.call("chorus_update_task", json!({ "taskUuid": id, "title": "renamed" })).await.ok();
    assert_eq!(news(&mut stream).await, updated(&uri));
    f.operator(&["project", "rename", "--project", &f.project, "--name", "Renamed"]).await;
    assert_eq!(news(&mut stream).await, updated(&project));
    // What is in a project is counted there. What is gone is like hidden: nothing is told of it.
    new_task(&admin, &f.project, "another").await;
    assert_eq!(news(&mut stream).await, updated(&project));
    admin.call("chorus_admin_delete_task", json!({ "taskUuid": id })).await.ok();
    assert_eq!(news(&mut stream).await, updated(&project));
    stream.silent(QUIET).await;
}

async fn who_loses_access_hears_that_lists_changed_and_nothing_more(backend: Backend) {
    let f = Field::new(backend).await;
    let admin = f.site.client();
    let (id, uri) = new_task(&admin, &f.project, "watched").await;
    let (mut stream, granted) = listen(&f.viewer, all(&[&uri])).await;
    assert_eq!(granted, all(&[&uri]));
    let who = ["--project", &f.project, "--user", &f.email];
    f.operator(&[&["project", "member", "remove"][..], &who[..]].concat()).await;
    assert_eq!(news(&mut stream).await, ("resources/list_changed".to_owned(), None));
    comment(&admin, &id).await;
    stream.silent(QUIET).await;

    f.operator(&[&["project", "member", "add"][..], &who[..], &["--role", "viewer"][..]].concat()).await;
    assert_eq!(news(&mut stream).await, ("resources/list_changed".to_owned(), None));
    // What was lost stays lost for this stream.
    comment(&admin, &id).await;
    stream.silent(QUIET).await;
}

/// Nothing announces this loss, so that only the look before each message can notice it.
async fn a_loss_of_access_that_nobody_announced_is_noticed_before_anything_is_told(backend: Backend) {
    let f = Field::new(backend).await;
    let admin = f.site.client();
    let (id, uri) = new_task(&admin, &f.project, "watched").await;
    let (mut stream, _) = listen(&f.viewer, json!({ "resourceSubscriptions": [uri] })).await;
    let members = f.operator(&["project", "member", "list", "--project", &f.project]).await;
    let member = members["members"].as_array().unwrap().iter().find(|member| member["email"] == f.email.as_str());
    let user = member.unwrap()["userUuid"].as_str().unwrap().parse().unwrap();
    f.site.world.write(vec![Write::RemoveProjectMember(f.project.parse().unwrap(), user)]).await;
    comment(&admin, &id).await;
    stream.silent(QUIET).await;
}

async fn changed_permissions_change_the_lists(backend: Backend) {
    let f = Field::new(backend).await;
    let (mut stream, _) = listen(&f.viewer, all(&["chorus://context"])).await;
    f.operator(&["agent", "update", &f.viewer_id, "--preset", "admin_agent"]).await;
    assert_eq!(news(&mut stream).await, ("tools/list_changed".to_owned(), None));
    assert_eq!(news(&mut stream).await, ("prompts/list_changed".to_owned(), None));
    assert_eq!(news(&mut stream).await, updated("chorus://context"));
    // A name changes no list.
    f.operator(&["agent", "update", &f.viewer_id, "--name", "renamed"]).await;
    assert_eq!(news(&mut stream).await, updated("chorus://context"));
    stream.silent(QUIET).await;
}

async fn a_key_that_is_revoked_ends_its_streams(backend: Backend) {
    let f = Field::new(backend).await;
    let (mut stream, _) = listen(&f.viewer, all(&[])).await;
    let (mut other, _) = listen(&f.site.client(), all(&[])).await;
    let keys = f.operator(&["key", "list", "--agent", "viewer"]).await;
    f.operator(&["key", "revoke", keys["keys"][0]["keyUuid"].as_str().unwrap()]).await;
    check_end(&mut stream).await;
    other.silent(QUIET).await;
    f.operator(&["agent", "delete", "admin"]).await;
    check_end(&mut other).await;
}

/// Passes if the stream ends in good order: with the result, and with nothing before or after it.
async fn check_end(stream: &mut EventStream) {
    let last = stream.message().await;
    assert_eq!(last["result"]["resultType"], "complete", "{last}");
    assert_eq!(last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], last["id"], "{last}");
    stream.ended().await;
}

async fn a_server_that_ends_says_so_on_its_streams(backend: Backend) {
    let mut f = Field::new(backend).await;
    let (mut stream, _) = listen(&f.viewer, all(&[])).await;
    let (mut idle, _) = listen(&f.viewer, json!({})).await;
    f.site.server.terminate().await;
    check_end(&mut stream).await;
    check_end(&mut idle).await;
    assert_eq!(f.site.server.ended().await, Some(0));
}

async fn it_is_advertised_where_it_works(backend: Backend) {
    let f = Field::new(backend).await;
    let shown = f.viewer.modern_reply("server/discover", json!({})).await.json();
    let offered = &shown["result"]["capabilities"];
    assert_eq!(offered["tools"], json!({ "listChanged": true }), "{shown}");
    assert_eq!(offered["prompts"], json!({ "listChanged": true }), "{shown}");
    assert_eq!(offered["resources"], json!({ "listChanged": true, "subscribe": true }), "{shown}");
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    let shown = f.viewer.rpc("initialize", params).await;
    for capability in shown["result"]["capabilities"].as_object().unwrap().values() {
        assert_eq!(capability, &json!({}), "single requests bring no news: {shown}");
    }
    // A client that takes no events can't listen.
    let refused = f
        .viewer
        .exchange(
            &[
                ("content-type", "application/json"),
                ("accept", "application/json"),
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "subscriptions/listen"),
            ],
            json!({
                "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                "params": { "notifications": {}, "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                } },
            })
            .to_string(),
        )
        .await;
    assert_eq!((refused.status, &refused.json()["id"]), (406, &json!(1)), "{refused:?}");
}

backends!(
    what_is_granted_is_said_first_and_hidden_is_missing,
    changes_of_what_is_subscribed_to_are_told,
    who_loses_access_hears_that_lists_changed_and_nothing_more,
    a_loss_of_access_that_nobody_announced_is_noticed_before_anything_is_told,
    changed_permissions_change_the_lists,
    a_key_that_is_revoked_ends_its_streams,
    a_server_that_ends_says_so_on_its_streams,
    it_is_advertised_where_it_works,
);

#[test]
fn what_concerns_access_is_what_access_hangs_on() {
    use chorus_domain::{
        Subject,
        event::{Change, Event},
    };
    let concerns = |entity| {
        let event = Event {
            id: chorus_ids::EventId::from_u128(1),
            company: chorus_ids::CompanyId::from_u128(2),
            project: None,
            entity,
            entity_id: chorus_ids::Uuid::from_u128(3),
            change: Change::Updated,
            actor: Subject::Operator,
            created_at: chorus_ids::Timestamp::from_micros(4),
        };
        event.concerns_access()
    };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| concerns(*kind)).collect();
    assert_eq!(kinds, [Kind::Project, Kind::Group, Kind::Agent, Kind::User, Kind::Key]);
}
