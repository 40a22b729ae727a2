//! How many statements a page takes: none of the numbers grows with the rows.

use chorus_domain::{Assignment, Party, Write, task::Task};
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};

use crate::{backends, house::House};

/// Tasks of the large project.
const TASKS: usize = 10_000;

async fn pages_take_as_many_statements_for_much_as_for_little(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let group = house.world.group("Platform", Visibility::Public, &[(ann, Role::Admin)]).await;
    let project = house.world.project_in("Large", Visibility::Public, Some(group), &[(ann, Role::Admin)]).await;
    let task = |n: usize| {
        let status = if n.is_multiple_of(3) { TaskStatus::ToVerify } else { TaskStatus::InProgress };
        let assignee = Some(Assignment { to: Party::User(ann), at: house.world.now(), by: None });
        Task { assignee, ..house.task(project, &format!("Task {n}"), status) }
    };
    house.world.write(vec![Write::NewTasks((0..3).map(task).collect())]).await;
    let mut browser = house.signed_in(ann).await;
    let pages = [
        ("/".to_owned(), 12),
        ("/waiting/verification".to_owned(), 5),
        ("/mine".to_owned(), 5),
        ("/projects".to_owned(), 6),
        ("/projects/all".to_owned(), 4),
        (format!("/projects/{project}/settings"), 12),
        (format!("/projects/{project}/activity"), 6),
        (format!("/projects/{project}/settings/delete"), 9),
        (format!("/groups/{group}"), 9),
        (format!("/groups/{group}/settings"), 9),
        ("/notifications".to_owned(), 5),
        ("/search?q=task".to_owned(), 12),
    ];
    let mut small = Vec::new();
    for (path, most) in &pages {
        house.watch.take();
        browser.page(path).await;
        let taken = house.watch.take();
        assert!(taken.len() <= *most, "{path} takes {}, not {most}: {taken:#?}", taken.len());
        small.push(taken.len());
    }
    for part in 0..TASKS / 1_000 {
        let tasks = (part * 1_000..(part + 1) * 1_000).map(task).collect();
        house.world.write(vec![Write::NewTasks(tasks)]).await;
    }
    for n in 0..30 {
        house.world.project_in(&format!("Project {n}"), Visibility::Public, Some(group), &[]).await;
        house.world.group(&format!("Group {n}"), Visibility::Public, &[]).await;
    }
    for ((path, _), before) in pages.iter().zip(small) {
        house.watch.take();
        browser.page(path).await;
        let taken = house.watch.take();
        assert_eq!(taken.len(), before, "{path}: {taken:#?}");
    }
}

backends!(pages_take_as_many_statements_for_much_as_for_little);
