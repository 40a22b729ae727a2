//! Notifications and search.

use chorus_domain::Write;
use chorus_ids::{ProjectId, TaskId, UserId};
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{backends, house::House};

/// Somebody's agent mentions this person in comments on a new task, so often.
async fn mention(house: &House, who: UserId, times: usize) -> (ProjectId, TaskId) {
    let other = house.world.user("other").await;
    let project = house.world.project("Compiler", Visibility::Public, &[]).await;
    let task = house.task(project, "Parse", TaskStatus::Open);
    house.world.write(vec![Write::NewTasks(vec![task.clone()])]).await;
    let agent = house.world.new_caller("robo", Some(other), &["developer_agent"], &[]).await;
    for n in 0..times {
        let content = format!("Number {n}: look, @[Ann](user:{who})");
        let comment = json!({ "targetType": "task", "targetUuid": task.id, "content": content });
        house.call(&agent, "chorus_add_comment", comment).await;
    }
    (project, task.id)
}

async fn notifications_are_opened_read_and_put_away(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let (project, task) = mention(&house, ann, 3).await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/notifications").await;
    assert_eq!((page.count(".told > li"), page.text("[data-part='bell'] .count").as_str()), (3, "3"));
    assert!(page.text(".told").contains("robo mentioned you in task Parse"), "{}", page.body);

    let opened = browser.submit(&page, "form[id^='read-0']", &[]).await;
    assert_eq!(
        (opened.status, opened.location()),
        (StatusCode::SEE_OTHER, &*format!("/projects/{project}/tasks/{task}"))
    );
    let page = browser.page("/notifications").await;
    assert_eq!(page.count(".told > li"), 2, "who opens one has read it");
    let page = browser.follow(&page, "form[id^='archive-']", &[]).await;
    assert_eq!((page.count(".told > li"), page.text(".notice").as_str()), (1, "Archived."));
    let page = browser.follow(&page, "form[id^='mark-']", &[]).await;
    assert_eq!(page.text(".empty-title"), "Nothing new");
    let all = browser.page("/notifications?show=all").await;
    assert_eq!((all.count(".told > li"), all.count(".told .unread")), (2, 0), "what was put away is not listed");
    assert!(all.has(&format!(".told a[href='/projects/{project}/tasks/{task}']")), "what was read has a plain link");
}

async fn all_are_read_at_once(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    mention(&house, ann, 2).await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/notifications").await;
    let page = browser.follow(&page, "#read-all", &[]).await;
    assert_eq!(page.text(".notice"), "All notifications are read.");
    assert!(!page.has("#read-all") && !page.has("[data-part='bell'] .count"), "{}", page.body);
}

async fn somebody_elses_notification_is_not_found(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    mention(&house, ann, 1).await;
    let page = house.signed_in(ann).await.page("/notifications").await;
    let id = page.attribute("form[id^='archive-'] [name='notificationUuid']", "value").unwrap();
    let mut bob = house.signed_in(bob).await;
    let csrf = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    for tool in ["console_archive_notification", "chorus_mark_notification_read"] {
        let refused = bob.post(&format!("/do/{tool}"), &[("_csrf", &csrf), ("notificationUuid", &id)]).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{tool}");
    }
}

async fn what_somebody_turns_off_they_are_not_told(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/notifications/preferences").await;
    assert_eq!(page.count("#preferences [type='checkbox'][checked]"), 12);
    let csrf = page.attribute("[name='_csrf']", "value").unwrap();
    let wanted =
        [("_csrf", &*csrf), ("wanted[]", ""), ("wanted[]", "taskAssigned"), ("_next", "/notifications/preferences")];
    let saved = browser.post("/do/console_set_notification_preferences", &wanted).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.body);
    let page = browser.page("/notifications/preferences").await;
    assert_eq!(page.count("#preferences [type='checkbox'][checked]"), 1);
    mention(&house, ann, 1).await;
    assert_eq!(browser.page("/notifications").await.count(".told > li"), 0);
    let unknown = [("_csrf", &*csrf), ("wanted[]", "everything")];
    let refused = browser.post("/do/console_set_notification_preferences", &unknown).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
}

async fn a_search_finds_what_its_reader_sees(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let first = house.world.project("Compiler", Visibility::Public, &[]).await;
    let second = house.world.project("Shop", Visibility::Public, &[]).await;
    let hidden = house.world.project("Hidden", Visibility::Private, &[(house.world.first_user, Role::Admin)]).await;
    let tasks = [first, second, hidden].map(|project| house.task(project, "Zebra <crossing>", TaskStatus::Open));
    let found = tasks[0].id;
    house.world.write(vec![Write::NewTasks(tasks.into())]).await;
    let mut browser = house.signed_in(ann).await;
    let begin = browser.page("/search").await;
    assert_eq!(begin.text(".empty-title"), "What are you looking for?");
    let page = browser.page("/search?q=zebra").await;
    assert_eq!((page.count(".found > li"), page.text("#results h2").as_str()), (2, "2 matches"), "{}", page.body);
    assert!(page.text(".found").contains("Zebra <crossing>"));
    assert!(page.has(&format!(".found a[href='/projects/{first}/tasks/{found}']")));
    let narrow = browser.page(&format!("/search?q=zebra&in=project:{first}")).await;
    assert_eq!((narrow.count(".found > li"), narrow.count("[name='in'][checked]")), (1, 1));
    let near = browser.page(&format!("/search?q=zebra&near=project:{first}")).await;
    assert_eq!(near.count(".found > li"), 2, "staying near is offered, not chosen");
    assert!(near.text("fieldset").contains("Compiler"));
    assert_eq!(browser.page("/search?q=zebra&type=idea").await.count(".found > li"), 0);
    let secret = browser.page(&format!("/search?q=zebra&in=project:{hidden}")).await;
    assert!(secret.count(".found > li") == 0 && !secret.body.contains("Hidden"), "{}", secret.body);
    let by_id = browser.page(&format!("/search?q={found}")).await;
    assert_eq!(by_id.count(".found > li"), 1);
    // From a page of a project the bar's field brings the project along.
    let project = browser.page(&format!("/projects/{first}/activity")).await;
    let near = project.attribute("form.find [name='near']", "value");
    assert_eq!(near.as_deref(), Some(&*format!("project:{first}")));
}

backends!(
    notifications_are_opened_read_and_put_away,
    all_are_read_at_once,
    somebody_elses_notification_is_not_found,
    what_somebody_turns_off_they_are_not_told,
    a_search_finds_what_its_reader_sees,
);
