//! Changes made by another process than the one that keeps the stream.

use chorus_testkit::{Backend, Launch, Server, Site, operator};
use chorus_visibility::{Role, Visibility};
use serde_json::json;

use super::{QUIET, comment, listen, new_task, news, updated};
use crate::backends;

async fn project(site: &Site) -> String {
    let admins = [(site.world.first_user, Role::Admin)];
    site.world.project("Shared", Visibility::Private, &admins).await.to_string()
}

async fn another_server_and_the_command_line_are_heard(backend: Backend) {
    let site = Site::new(backend).await;
    let other = Server::start(&site.database).await;
    let project = project(&site).await;
    let (id, uri) = new_task(&site.client(), &project, "watched").await;
    let (mut here, _) = listen(&site.client(), json!({ "resourceSubscriptions": [uri] })).await;
    let far = other.client(&site.admin.key);
    let (mut there, _) = listen(&far, json!({ "resourceSubscriptions": [uri], "resourcesListChanged": true })).await;
    comment(&far, &id).await;
    assert_eq!(news(&mut here).await, updated(&uri));
    assert_eq!(news(&mut there).await, updated(&uri));
    here.silent(QUIET).await;

    let owner = format!("first.{}@example.com", site.world.company);
    let made = ["project", "create", "--name", "New", "--admin", &owner];
    operator(site.database.url(), &made).await;
    assert_eq!(news(&mut there).await, ("resources/list_changed".to_owned(), None));
    here.silent(QUIET).await;
}

backends!(another_server_and_the_command_line_are_heard);

/// Where a proxy shares sessions nothing can be listened to.
#[tokio::test(flavor = "multi_thread")]
async fn servers_that_look_instead_of_listening_hear_the_same() {
    let site = Site::new(Backend::Postgres).await;
    let other = Launch::on(site.database.url()).flag("--events", "poll").start().await;
    let project = project(&site).await;
    let (id, uri) = new_task(&site.client(), &project, "watched").await;
    let (mut stream, _) = listen(&other.client(&site.admin.key), json!({ "resourceSubscriptions": [uri] })).await;
    for _ in 0..3 {
        comment(&site.client(), &id).await;
        assert_eq!(news(&mut stream).await, updated(&uri));
    }
    stream.silent(QUIET * 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_to_the_database_is_made_up_for() {
    let site = Site::new(Backend::Postgres).await;
    let project = project(&site).await;
    let (id, uri) = new_task(&site.client(), &project, "watched").await;
    let wanted = json!({ "resourceSubscriptions": [uri], "resourcesListChanged": true, "toolsListChanged": true });
    let (mut stream, _) = listen(&site.client(), wanted).await;
    site.database.end_connections().await;
    // What may have been missed is looked at again: the resource may have changed, the lists have not.
    assert_eq!(news(&mut stream).await, updated(&uri));
    comment(&site.client(), &id).await;
    assert_eq!(news(&mut stream).await, updated(&uri));
    stream.silent(QUIET).await;
}
