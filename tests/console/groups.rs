//! Groups of projects.

use chorus_domain::Write;
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;

use crate::{backends, house::House};

async fn a_group_is_made_and_shows_how_its_projects_are_doing(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/groups/new").await;
    let made = browser.follow(&page, "#new-group", &[("name", "Platform"), ("visibility", "public")]).await;
    assert_eq!((made.text("h1").as_str(), made.text(".notice").as_str()), ("Platform", "The group was created."));
    assert!(made.text(".empty-title").contains("No projects"), "{}", made.body);
    let settings = made.attribute("a[href$='/settings'][href^='/groups/']", "href").unwrap();
    let id = settings.trim_start_matches("/groups/").trim_end_matches("/settings").parse().unwrap();
    let project = house.world.project_in("Compiler", Visibility::Public, Some(id), &[]).await;
    house
        .world
        .project_in(
            "Hidden",
            Visibility::Private,
            Some(house.world.group("Other", Visibility::Private, &[]).await),
            &[],
        )
        .await;
    let tasks = [TaskStatus::Done, TaskStatus::Open, TaskStatus::Open, TaskStatus::Closed];
    let tasks = tasks.map(|status| house.task(project, "T", status));
    house.world.write(vec![Write::NewTasks(tasks.into())]).await;
    let page = browser.page(&format!("/groups/{id}")).await;
    assert_eq!(page.text(".stats dd"), "1 4 50 % 0 0");
    assert!(
        page.has(&format!("a[href='/projects/{project}']")) && page.has(&format!("a[href='/projects/new?group={id}']"))
    );
}

async fn a_hidden_group_has_no_pages_and_others_read_what_they_may(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob, eve) = (house.world.user("ann").await, house.world.user("bob").await, house.world.user("eve").await);
    let members = [(ann, Role::Admin), (bob, Role::Viewer)];
    let group = house.world.group("Inner", Visibility::Private, &members).await;
    let base = format!("/groups/{group}");
    let pages = [
        base.clone(),
        format!("{base}/settings"),
        format!("{base}/settings/delete"),
        format!("{base}/settings/visibility?to=public"),
        format!("{base}/settings/members/{bob}?role=editor"),
    ];
    let (mut ann, mut bob, mut eve) =
        (house.signed_in(ann).await, house.signed_in(bob).await, house.signed_in(eve).await);
    for path in &pages {
        assert_eq!(ann.get(path).await.status, StatusCode::OK, "{path}");
        assert_eq!(eve.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in &pages[2..] {
        assert_eq!(bob.get(path).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    let page = bob.page(&pages[1]).await;
    assert!(!page.has("form[action^='/do/'], #to-delete, #to-visibility"), "{}", page.body);
    assert!(page.text(".members").contains("ann"), "members see who else is one");
    let open = house.world.group("Open", Visibility::Public, &[(house.world.first_user, Role::Admin)]).await;
    let page = eve.page(&format!("/groups/{open}/settings")).await;
    assert!(page.has("#rename") && !page.has(".members") && !page.has("#to-delete"), "{}", page.body);
}

async fn a_group_is_renamed_and_its_members_change(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let group = house.world.group("Inner", Visibility::Private, &[(ann, Role::Admin)]).await;
    house.world.project_in("Compiler", Visibility::Private, Some(group), &[]).await;
    let path = format!("/groups/{group}/settings");
    let mut browser = house.signed_in(ann).await;
    let page = browser.page(&path).await;
    let saved = browser.follow(&page, "#rename", &[("name", "Core"), ("description", "What counts")]).await;
    assert_eq!(saved.attribute("#rename [name='name']", "value").as_deref(), Some("Core"));
    let added = browser.follow(&saved, "#add-member", &[("userUuid", &bob.to_string()), ("role", "editor")]).await;
    assert!(added.text(".members").contains("bob"), "{}", added.body);
    let look = browser.page(&format!("{path}/members/{bob}?role=none")).await;
    let impact = look.text(".impact");
    assert!(impact.contains("1 person loses all access") && impact.contains("Compiler"), "{impact}");
    let removed = browser.follow(&look, "#confirm", &[]).await;
    assert!(!removed.text(".members").contains("bob"));
    let last = browser.get(&format!("{path}/members/{ann}?role=viewer")).await;
    assert_eq!(last.status, StatusCode::CONFLICT, "{}", last.body);
}

async fn a_group_is_closed_once_the_effect_was_seen(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let group = house.world.group("Platform", Visibility::Public, &[(ann, Role::Admin)]).await;
    let project = house.world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
    let mut browser = house.signed_in(ann).await;
    let look = browser.page(&format!("/groups/{group}/settings/visibility?to=private")).await;
    let impact = look.text(".impact");
    assert!(impact.contains("Compiler · Public → Private") && impact.contains("first Editor No access"), "{impact}");
    let done = browser.follow(&look, "#confirm", &[]).await;
    assert!(done.has("#to-visibility[href$='to=public']"), "{}", done.body);
    let inside = browser.page(&format!("/projects/{project}/settings")).await;
    let access = inside.text("[data-part='access']");
    assert!(
        access.contains("Its group is private") && !inside.has("#to-visibility"),
        "its project is private too: {access}"
    );
    let again = browser.submit(&look, "#confirm", &[("idempotencyKey", "another")]).await;
    assert_eq!(again.status, StatusCode::CONFLICT, "a token is good once");
}

async fn a_group_goes_with_its_projects_or_without(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let mut browser = house.signed_in(ann).await;
    for (form, stays) in [("#keep", true), ("#all", false)] {
        let group = house.world.group("Platform", Visibility::Public, &[(ann, Role::Admin)]).await;
        let project = house.world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
        house.world.write(vec![Write::NewTasks(vec![house.task(project, "T", TaskStatus::Open)])]).await;
        let page = browser.page(&format!("/groups/{group}/settings/delete")).await;
        assert!(
            page.text("main").contains("1 project stays") && page.text(".danger").contains("1 task"),
            "{}",
            page.body
        );
        let refused = browser.submit(&page, form, &[("confirmName", "Other")]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
        let page = browser.page(&format!("/groups/{group}/settings/delete")).await;
        let gone = browser.follow(&page, form, &[("confirmName", "Platform")]).await;
        assert_eq!(gone.text(".notice"), "The group was deleted.");
        assert_eq!(browser.get(&format!("/groups/{group}")).await.status, StatusCode::NOT_FOUND);
        let left = browser.get(&format!("/projects/{project}/settings")).await.status;
        assert_eq!(left, if stays { StatusCode::OK } else { StatusCode::NOT_FOUND }, "{form}");
    }
}

async fn a_group_does_not_end_while_its_projects_would_be_nobodys(backend: Backend) {
    let house = House::new(backend).await;
    let group = house.world.group("Platform", Visibility::Public, &[]).await;
    let project = house.world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
    // Whoever stands in as administrator has no role that the project could keep.
    let mut browser = house.signed_in(house.world.first_user).await;
    let page = browser.page(&format!("/groups/{group}/settings/delete")).await;
    let refused = browser.submit(&page, "#keep", &[("confirmName", "Platform")]).await;
    assert_eq!(
        (refused.status, refused.text("h1").as_str()),
        (StatusCode::CONFLICT, "Somebody has to stay in charge"),
        "{}",
        refused.body
    );
    browser.page(&format!("/groups/{group}")).await;
    house.world.member(project, house.world.first_user, Role::Admin).await;
    let page = browser.page(&format!("/groups/{group}/settings/delete")).await;
    browser.follow(&page, "#keep", &[("confirmName", "Platform")]).await;
    browser.page(&format!("/projects/{project}/settings")).await;
}

backends!(
    a_group_is_made_and_shows_how_its_projects_are_doing,
    a_hidden_group_has_no_pages_and_others_read_what_they_may,
    a_group_is_renamed_and_its_members_change,
    a_group_is_closed_once_the_effect_was_seen,
    a_group_goes_with_its_projects_or_without,
    a_group_does_not_end_while_its_projects_would_be_nobodys,
);
