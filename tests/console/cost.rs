//! How many statements a page takes: none of the numbers grows with the rows.

use std::collections::BTreeSet;

use chorus_auth::{
    Moment,
    accounts::{LinkKind, NewToken, create_link},
};
use chorus_domain::{Assignment, Party, Subject, Write, task::Edge, task::Task};
use chorus_ids::UserId;
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::{Around, Backend, Scenery};
use chorus_visibility::{Role, Visibility};

use crate::{backends, house::House};

/// Tasks of the large project.
const TASKS: usize = 10_000;

/// Every page that can be asked for, with the most statements that it may take. A query asks for another way to look at
/// the page.
const BOUNDS: &[(&str, usize)] = &[
    ("/", 14),
    ("/waiting/{what}", 5),
    ("/waiting/verification", 5),
    ("/mine", 5),
    ("/projects", 8),
    ("/projects/all", 4),
    ("/projects/new", 4),
    ("/projects/{project}", 11),
    ("/projects/{project}?view=tree", 11),
    ("/projects/{project}?view=list", 12),
    ("/projects/{project}/settings", 11),
    ("/projects/{project}/settings/members/{user}", 9),
    ("/projects/{project}/settings/visibility", 14),
    ("/projects/{project}/settings/group", 5),
    ("/projects/{project}/settings/delete", 9),
    ("/projects/{project}/activity", 6),
    ("/projects/{project}/sessions", 7),
    ("/projects/{project}/tasks", 16),
    ("/projects/{project}/tasks?view=list", 9),
    ("/projects/{project}/tasks?view=graph", 10),
    ("/projects/{project}/tasks/new", 5),
    ("/projects/{project}/tasks/{task}", 20),
    ("/projects/{project}/tasks/{task}/blocked", 7),
    ("/projects/{project}/tasks/{task}/delete", 7),
    ("/projects/{project}/ideas/new", 5),
    ("/projects/{project}/ideas/{idea}", 15),
    ("/projects/{project}/ideas/{idea}/edit", 6),
    ("/projects/{project}/ideas/{idea}/move", 9),
    ("/projects/{project}/ideas/{idea}/delete", 9),
    ("/projects/{project}/proposals", 9),
    ("/projects/{project}/proposals/new", 5),
    ("/projects/{project}/proposals/{proposal}", 15),
    ("/projects/{project}/proposals/{proposal}/revoke", 7),
    ("/projects/{project}/proposals/{proposal}/delete", 12),
    ("/projects/{project}/proposals/{proposal}/documents/new", 5),
    ("/projects/{project}/proposals/{proposal}/documents/{draft}", 6),
    ("/projects/{project}/proposals/{proposal}/tasks/new", 6),
    ("/projects/{project}/proposals/{proposal}/tasks/{draft}", 7),
    ("/projects/{project}/documents", 6),
    ("/projects/{project}/documents/new", 4),
    ("/projects/{project}/documents/{document}", 13),
    ("/projects/{project}/documents/{document}/edit", 5),
    ("/projects/{project}/documents/{document}/delete", 7),
    ("/groups/new", 3),
    ("/groups/{group}", 9),
    ("/groups/{group}/settings", 10),
    ("/groups/{group}/settings/members/{user}", 8),
    ("/groups/{group}/settings/visibility", 25),
    ("/groups/{group}/settings/delete", 8),
    ("/notifications", 4),
    ("/notifications/preferences", 4),
    ("/search", 3),
    ("/search?q=task", 5),
    ("/agents", 5),
    ("/agents/new", 3),
    ("/agents/{agent}", 13),
    ("/agents/{agent}/edit", 4),
    ("/agents/{agent}/delete", 11),
    ("/agents/{agent}/connect", 4),
    ("/settings", 3),
    ("/settings/account", 6),
    ("/sign-in", 2),
    ("/enter/{token}", 2),
    ("/join/{token}", 2),
    ("/reset/{token}", 2),
];

#[test]
fn every_page_of_the_table_has_a_bound() {
    let bounded: BTreeSet<&str> = BOUNDS.iter().map(|(path, _)| path.split('?').next().unwrap_or(path)).collect();
    let unbounded: Vec<&str> = chorus_console::paths().filter(|path| !bounded.contains(path)).collect();
    assert!(unbounded.is_empty(), "say in BOUNDS how many statements these may take: {unbounded:?}");
}

/// A link of this kind that works.
async fn token(house: &House, user: UserId, kind: LinkKind) -> String {
    let services = &house.world.services;
    let row = services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
    let token = NewToken::generate(&mut rand::rng());
    let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
    house.world.write(vec![Write::NewLink(create_link(moment, &row, kind, Subject::Operator, &token))]).await;
    format!("/{}/{}", kind.path(), token.reveal())
}

/// Every page with its bound, for who is signed in and for who is not.
async fn pages(house: &House, scenery: &Scenery, guest: UserId) -> Vec<(String, bool, usize)> {
    let mut pages = Vec::new();
    for &(path, most) in BOUNDS {
        let page = match path {
            "/sign-in" => (path.to_owned(), false, most),
            "/enter/{token}" => (token(house, guest, LinkKind::SignIn).await, false, most),
            "/join/{token}" => (token(house, guest, LinkKind::Invitation).await, false, most),
            "/reset/{token}" => (token(house, guest, LinkKind::Reset).await, false, most),
            path => (scenery.fill(path).unwrap_or_else(|| panic!("there is nothing for {path}")), true, most),
        };
        pages.push(page);
    }
    pages
}

async fn pages_take_as_many_statements_for_much_as_for_little(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let roles = [(ann, Role::Admin), (bob, Role::Editor)];
    // A project in a private group can't be made public, which is one of the pages.
    let group = house.world.group("Inner", Visibility::Private, &roles).await;
    let platform = house.world.group("Platform", Visibility::Public, &roles).await;
    let project = house.world.project_in("Large", Visibility::Private, Some(platform), &roles).await;
    // Some lose what they may do in this one when its group becomes private.
    house.world.project_in("Open", Visibility::Public, Some(platform), &[]).await;
    let agent = house.world.agent("builder", Some(ann), &["admin_agent"], &[]).await.id;
    let caller = house.world.caller(agent).await;
    let around = Around { project, group, member: bob, agent };
    let call = async |tool: &str, arguments| house.call(&caller, tool, arguments).await;
    let scenery = Scenery::make(call, around, "x").await;
    let proposal = Some(scenery.approved.parse().unwrap());
    let task = |n: usize| {
        let status = if n.is_multiple_of(3) { TaskStatus::ToVerify } else { TaskStatus::InProgress };
        let assignee = Some(Assignment { to: Party::User(ann), at: house.world.now(), by: None });
        Task { assignee, proposal, ..house.task(project, &format!("Task {n}"), status) }
    };
    house.world.write(vec![Write::NewTasks((0..3).map(task).collect())]).await;
    let (mut person, mut stranger) = (house.signed_in(ann).await, house.browser());
    let mut pages = pages(&house, &scenery, bob).await;
    let of_the_large_one = BOUNDS.iter().filter(|(path, _)| path.starts_with("/groups/{group}"));
    pages.extend(of_the_large_one.map(|(path, most)| {
        let path = path.replace("{group}", &platform.to_string()).replace("{user}", &bob.to_string());
        let queries = [("/members/", "?role=viewer"), ("/visibility", "?to=private")];
        let query = queries.iter().find(|(part, _)| path.contains(part)).map_or("", |(_, query)| query);
        (path + query, true, *most)
    }));
    // From now on it is a project that was looked at lately.
    person.page(&format!("/projects/{project}")).await;
    let mut small = Vec::new();
    let mut heavy = Vec::new();
    for (path, signed_in, most) in &pages {
        house.watch.take();
        let browser = if *signed_in { &mut person } else { &mut stranger };
        browser.page(path).await;
        let taken = house.watch.take();
        if taken.len() > *most {
            heavy.push(format!("{path} takes {}, not {most}: {taken:#?}", taken.len()));
        }
        small.push(taken.len());
    }
    assert!(heavy.is_empty(), "{heavy:#?}");
    for part in 0..TASKS / 1_000 {
        let tasks: Vec<Task> = (part * 1_000..(part + 1) * 1_000).map(task).collect();
        let edges = tasks.windows(2).map(|pair| Edge { task: pair[1].id, depends_on: pair[0].id }).collect();
        house.world.write(vec![Write::NewTasks(tasks), Write::AddEdges(edges)]).await;
    }
    for n in 0..30 {
        house.world.project_in(&format!("Project {n}"), Visibility::Public, Some(platform), &[]).await;
        house.world.group(&format!("Group {n}"), Visibility::Public, &[]).await;
    }
    for ((path, signed_in, _), before) in pages.iter().zip(small) {
        house.watch.take();
        let browser = if *signed_in { &mut person } else { &mut stranger };
        browser.page(path).await;
        let taken = house.watch.take();
        assert_eq!(taken.len(), before, "{path} takes as many for much as for little: {taken:#?}");
    }
}

backends!(pages_take_as_many_statements_for_much_as_for_little);
