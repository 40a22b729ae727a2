//! Projects: the lists of them, making one, its settings, and its activity.

use chorus_domain::{Assignment, Party, Write, task::Task};
use chorus_ids::ProjectId;
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{backends, house::House};

async fn projects_stand_in_their_groups_with_their_progress(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let group = house.world.group("Platform", Visibility::Public, &[]).await;
    let inside = house.world.project_in("Compiler", Visibility::Public, Some(group), &[]).await;
    let loose = house.world.project("Shop", Visibility::Public, &[]).await;
    house.world.project("Hidden", Visibility::Private, &[(house.world.first_user, Role::Admin)]).await;
    let tasks = [TaskStatus::Done, TaskStatus::Closed, TaskStatus::Open].map(|status| house.task(inside, "T", status));
    house.world.write(vec![Write::NewTasks(tasks.into())]).await;

    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/projects").await;
    let section = format!("section[aria-labelledby='group-{group}']");
    assert!(page.has(&format!("{section} a[href='/projects/{inside}']")), "{}", page.body);
    assert_eq!(page.attribute(&format!("{section} progress"), "value").as_deref(), Some("2"));
    assert!(page.has(&format!("section[aria-labelledby='loose'] a[href='/projects/{loose}']")));
    assert!(!page.body.contains("Hidden"));
    let listed = browser.page(&format!("/projects/all?group={group}")).await;
    assert_eq!(listed.count("li.project"), 1);
    assert_eq!(browser.page("/projects/all").await.count("li.project"), 2);
    assert_eq!(browser.page("/projects/all?group=none").await.text("li.project h2"), "Shop");
    let secret = house.world.group("Secret", Visibility::Private, &[(house.world.first_user, Role::Admin)]).await;
    for path in [format!("/projects/all?group={secret}"), "/projects/all?group=x".to_owned()] {
        assert_eq!(browser.get(&path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

/// Whoever may not move a project is not offered to drag it.
async fn a_project_is_dragged_by_who_may_move_it(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let shop = house.world.project("Shop", Visibility::Private, &[(ann, Role::Admin), (bob, Role::Editor)]).await;
    let open = house.world.project("Open", Visibility::Public, &[]).await;
    let (mut anns, mut bobs) = (house.signed_in(ann).await, house.signed_in(bob).await);
    let dragged = |project| format!("li.project[draggable][data-drop-at='/projects/{project}/settings/group']");
    let page = anns.page("/projects").await;
    assert!(page.has(&dragged(shop)) && page.has(&dragged(open)), "{}", page.body);
    let page = bobs.page("/projects").await;
    assert!(!page.has(&dragged(shop)) && page.has(&dragged(open)), "{}", page.body);
    assert_eq!(bobs.get(&format!("/projects/{shop}/settings/group")).await.status, StatusCode::FORBIDDEN);
}

async fn many_projects_are_counted_and_listed_in_pages(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    for n in 0..60 {
        house.world.project(&format!("Project {n}"), Visibility::Public, &[]).await;
    }
    let mut browser = house.signed_in(ann).await;
    let page = browser.page("/projects").await;
    assert_eq!(page.count("section[aria-labelledby='loose'] li.project"), 12);
    assert!(page.text("a[href='/projects/all?group=none']").contains("60"));
    let first = browser.page("/projects/all?group=none").await;
    assert_eq!(first.count("li.project"), 50);
    let next = first.attribute(".pages [rel='next']", "href").unwrap();
    assert_eq!(browser.page(&next).await.count("li.project"), 10);
}

async fn a_project_is_made_where_its_maker_wants_it(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let group = house.world.group("Platform", Visibility::Public, &[]).await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page(&format!("/projects/new?group={group}")).await;
    let filled = [("name", "Compiler"), ("description?", "Fast"), ("visibility?", "private")];
    let made = browser.submit(&page, "#new-project", &filled).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.body);
    let id: ProjectId = made.location().rsplit('/').next().unwrap().parse().unwrap();
    let settings = browser.page(&format!("/projects/{id}/settings")).await;
    assert_eq!(settings.attribute("#rename [name='name']", "value").as_deref(), Some("Compiler"));
    assert!(settings.has(&format!("a[href='/groups/{group}']")) && settings.has("#to-visibility[href$='to=public']"));
    assert_eq!(settings.text(".notice"), "The project was created.");
    // Sent twice, it is made once.
    let again = browser.submit(&page, "#new-project", &filled).await;
    assert_eq!(again.location(), made.location());
    let blank = browser.submit(&browser.clone().page("/projects/new").await, "#new-project", &[("name", "  ")]).await;
    assert_eq!(blank.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(blank.text(".problems").contains("Name is blank"), "{}", blank.body);
}

async fn what_is_hidden_has_no_pages_and_readers_have_no_forms(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob, eve) = (house.world.user("ann").await, house.world.user("bob").await, house.world.user("eve").await);
    let members = [(ann, Role::Admin), (bob, Role::Viewer)];
    let project = house.world.project("Compiler", Visibility::Private, &members).await;
    let base = format!("/projects/{project}");
    let pages = [
        format!("{base}/settings"),
        format!("{base}/activity"),
        format!("{base}/settings/delete"),
        format!("{base}/settings/group"),
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
    let page = bob.page(&pages[0]).await;
    assert!(!page.has("form[action^='/do/'], #to-delete, #to-visibility, #to-group"), "{}", page.body);
    assert!(page.text("[data-part='members']").contains("ann") && !page.body.contains("@example.com"));
    assert!(page.text("[data-part='about']").contains("Ask an administrator"));
    for path in ["members/x?role=editor", "visibility", "visibility?to=secret", "group?to=x"] {
        assert_eq!(ann.get(&format!("{base}/settings/{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

async fn a_project_is_renamed_and_described(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let project = house.world.project("Compiler", Visibility::Public, &[]).await;
    let mut browser = house.signed_in(ann).await;
    let path = format!("/projects/{project}/settings");
    let page = browser.page(&path).await;
    let saved = browser.follow(&page, "#rename", &[("name", "<b>Parser</b>"), ("description", "**Fast**")]).await;
    assert_eq!(saved.text(".tabs .of strong"), "<b>Parser</b>");
    assert_eq!(saved.text("#rename textarea"), "**Fast**");
    assert_eq!(saved.text(".notice"), "Saved.");
}

async fn members_are_added_changed_and_removed_and_the_effect_is_shown_before(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let project = house.world.project("Compiler", Visibility::Private, &[(ann, Role::Admin)]).await;
    let path = format!("/projects/{project}/settings");
    let mut browser = house.signed_in(ann).await;
    let page = browser.page(&path).await;
    let filled = [("userUuid", bob.to_string()), ("role", "editor".to_owned())];
    let filled: Vec<(&str, &str)> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let added = browser.follow(&page, "#add-member", &filled).await;
    assert!(added.text(".members").contains("bob"), "{}", added.body);
    let refused = browser.submit(&added, "#add-member", &[("userUuid", &bob.to_string()), ("role", "viewer")]).await;
    assert_eq!((refused.status, refused.text("h1").as_str()), (StatusCode::CONFLICT, "Already a member"));

    let assignee = Some(Assignment { to: Party::User(bob), at: house.world.now(), by: None });
    let held = Task { assignee, ..house.task(project, "Held", TaskStatus::Assigned) };
    house.world.write(vec![Write::NewTasks(vec![held])]).await;
    let look = browser.page(&format!("{path}/members/{bob}?role=viewer")).await;
    let impact = look.text(".impact");
    assert!(impact.contains("1 person may do less") && impact.contains("1 unfinished task is free again"), "{impact}");
    assert!(impact.contains("bob Editor Viewer"), "{impact}");
    let changed = browser.follow(&look, "#confirm", &[]).await;
    assert_eq!(changed.text(".notice"), "The role was changed.");

    let look = browser.page(&format!("{path}/members/{bob}?role=none")).await;
    assert!(look.text(".impact").contains("1 person loses all access"));
    let removed = browser.follow(&look, "#confirm", &[]).await;
    assert!(!removed.text(".members").contains("bob"));
    let last = browser.get(&format!("{path}/members/{ann}?role=none")).await;
    assert_eq!((last.status, last.text("h1").as_str()), (StatusCode::CONFLICT, "Somebody has to stay in charge"));
}

async fn the_last_administrator_stays_whatever_is_sent(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let project =
        house.world.project("Compiler", Visibility::Private, &[(ann, Role::Admin), (bob, Role::Editor)]).await;
    let mut browser = house.signed_in(ann).await;
    let csrf = browser.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let (project, ann, bob) = (project.to_string(), ann.to_string(), bob.to_string());
    let of =
        |user| [("_csrf", csrf.as_str()), ("projectUuid", project.as_str()), ("userUuid", user), ("role", "viewer")];
    for tool in ["console_remove_project_member", "console_set_project_role"] {
        let refused = browser.post(&format!("/do/{tool}"), &of(&ann)).await;
        assert_eq!(
            (refused.status, refused.text("h1").as_str()),
            (StatusCode::CONFLICT, "Somebody has to stay in charge"),
            "{tool}: {}",
            refused.body
        );
    }
    let removed = browser.post("/do/console_remove_project_member", &of(&bob)).await;
    assert_eq!(removed.status, StatusCode::SEE_OTHER, "{}", removed.body);
    let again = browser.post("/do/console_remove_project_member", &of(&bob)).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
}

async fn projects_are_at_hand_that_were_pinned_or_opened_last(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let mut projects = Vec::new();
    for name in ["Parser", "Linker"] {
        let members = [(ann, Role::Admin), (bob, Role::Editor)];
        projects.push(house.world.project(name, Visibility::Private, &members).await);
    }
    let (mut anns, mut bobs) = (house.signed_in(ann).await, house.signed_in(bob).await);
    const NEAR: &str = "[data-part='at-hand'] li a";
    assert!(!anns.page("/projects").await.has(NEAR), "nothing was opened yet");
    // That a project was opened is noted behind the page's back.
    for project in &projects {
        anns.page(&format!("/projects/{project}/activity")).await;
        let mut seen = false;
        for _ in 0..100 {
            let first = anns.page("/projects").await.attribute(NEAR, "href");
            seen = first.is_some_and(|first| first.ends_with(&project.to_string()));
            if seen {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert!(seen, "the last opened comes first");
    }
    let page = anns.page("/").await;
    assert_eq!(page.text(NEAR), "Linker Parser");
    let pinned = anns.follow(&page, "[data-part='at-hand'] li:last-child form", &[]).await;
    assert_eq!(pinned.text(NEAR), "Parser Linker", "what is pinned comes first");
    let unpinned = anns.follow(&pinned, "[data-part='at-hand'] li:first-child form", &[]).await;
    assert_eq!(unpinned.text(NEAR), "Linker Parser");
    // It is nobody else's business, and what is hidden is at nobody's hand.
    assert!(!bobs.page("/projects").await.has(NEAR));
    let csrf = bobs.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let hidden = house.world.project("Hidden", Visibility::Private, &[(ann, Role::Admin)]).await.to_string();
    let forged = [("_csrf", csrf.as_str()), ("projectUuid", hidden.as_str()), ("pinned", "true")];
    assert_eq!(bobs.post("/do/console_pin_project", &forged).await.status, StatusCode::NOT_FOUND);
}

async fn a_refusal_is_told_in_the_readers_language(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let project = house.world.project("Compiler", Visibility::Private, &[(ann, Role::Admin)]).await;
    let mut browser = house.signed_in(ann).await;
    browser.language = "ja";
    let page = browser.page(&format!("/projects/{project}/settings/delete")).await;
    let refused = browser.submit(&page, "#confirm", &[("confirmName", "Other")]).await;
    let said = refused.text("main");
    assert!(said.contains("確認用の名前") && said.contains("一致しません"), "{said}");
    assert!(!refused.has("main [lang='en']"), "{said}");
    // What has no words of its own is quoted as what it is.
    let last = browser.get(&format!("/projects/{project}/settings/members/{ann}?role=none")).await;
    assert!(last.text("main").contains("先に別の人を管理者にしてください。"), "{}", last.body);
    assert!(last.text("main [lang='en']").contains("last administrator"), "{}", last.body);
}

async fn roles_from_a_group_are_read_only_in_the_project(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let members = [(ann, Role::Admin), (bob, Role::Editor)];
    let group = house.world.group("Platform", Visibility::Private, &members).await;
    let project = house.world.project_in("Compiler", Visibility::Private, Some(group), &[]).await;
    let page = house.signed_in(ann).await.page(&format!("/projects/{project}/settings")).await;
    assert!(!page.has(&format!("form[action$='/members/{bob}']")), "{}", page.body);
    assert!(page.text(".members").contains("the group"));
    let open = house.signed_in(ann).await.get(&format!("/projects/{project}/settings/visibility?to=public")).await;
    assert_eq!(open.status, StatusCode::CONFLICT, "a private group holds private projects only: {}", open.body);
}

async fn a_visibility_is_changed_once_its_effect_was_seen(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let project = house.world.project("Compiler", Visibility::Public, &[(ann, Role::Admin)]).await;
    let path = format!("/projects/{project}/settings/visibility?to=private");
    let mut browser = house.signed_in(ann).await;
    let stale = browser.page(&path).await;
    let impact = stale.text(".impact");
    assert!(impact.contains("The workspace loses access") && impact.contains("2 people lose all access"), "{impact}");
    assert!(impact.contains("bob Editor No access"), "{impact}");
    house.world.member(project, bob, Role::Viewer).await;
    let refused = browser.submit(&stale, "#confirm", &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text("h1").contains("changed meanwhile"), "{}", refused.body);
    let fresh = browser.page(&path).await;
    let done = browser.follow(&fresh, "#confirm", &[]).await;
    assert!(done.has("#to-visibility[href$='to=public']"), "{}", done.body);
}

async fn a_project_moves_once_the_effect_was_seen(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let group = house.world.group("Inner", Visibility::Private, &[(ann, Role::Admin)]).await;
    let project = house.world.project("Compiler", Visibility::Public, &[(ann, Role::Admin)]).await;
    let path = format!("/projects/{project}/settings/group");
    let mut browser = house.signed_in(ann).await;
    let choice = browser.page(&path).await;
    assert!(choice.has(&format!("a[href='{path}?to={group}']")), "{}", choice.body);
    let look = browser.page(&format!("{path}?to={group}")).await;
    assert!(look.text(".problems").contains("becomes private") && look.text(".impact").contains("1 person loses"));
    let moved = browser.follow(&look, "#confirm", &[]).await;
    assert!(moved.has(&format!("a[href='/groups/{group}']")) && moved.text("[data-part='access']").contains("Private"));
    assert!(!moved.has("#to-visibility"), "nothing in a private group is public");
    let look = browser.page(&format!("{path}?to=none")).await;
    let out = browser.follow(&look, "#confirm", &[]).await;
    assert!(!out.has(&format!("a[href='/groups/{group}']")), "{}", out.body);
}

async fn a_project_goes_when_its_name_is_typed(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let project = house.world.project("Compiler", Visibility::Public, &[(ann, Role::Admin)]).await;
    house.world.write(vec![Write::NewTasks(vec![house.task(project, "T", TaskStatus::Open)])]).await;
    let mut browser = house.signed_in(ann).await;
    let page = browser.page(&format!("/projects/{project}/settings/delete")).await;
    assert!(page.text("section").contains("1 task"), "{}", page.body);
    let refused = browser.submit(&page, "#confirm", &[("confirmName", "compiler")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text(".problems").contains("Name to confirm is not the name"), "{}", refused.body);
    browser.page(&format!("/projects/{project}/settings")).await;
    let page = browser.page(&format!("/projects/{project}/settings/delete")).await;
    let gone = browser.follow(&page, "#confirm", &[("confirmName", " Compiler ")]).await;
    assert_eq!(gone.text(".notice"), "The project was deleted.");
    assert_eq!(browser.get(&format!("/projects/{project}/settings")).await.status, StatusCode::NOT_FOUND);
}

async fn activity_is_told_in_sentences_with_actor_and_session(backend: Backend) {
    let house = House::new(backend).await;
    let ann = house.world.user("ann").await;
    let project = house.world.project("Compiler", Visibility::Public, &[]).await;
    let agent = house.world.new_caller("robo", Some(ann), &["developer_agent"], &[]).await;
    let task = house.task(project, "<i>Parse</i>", TaskStatus::Open);
    house.world.write(vec![Write::NewTasks(vec![task.clone()])]).await;
    house.call(&agent, "chorus_claim_task", json!({ "taskUuid": task.id })).await;
    let comment = json!({ "targetType": "task", "targetUuid": task.id, "content": "Half of it works" });
    house.call(&agent, "chorus_add_comment", comment).await;
    let mut browser = house.signed_in(ann).await;
    let path = format!("/projects/{project}/activity");
    let page = browser.page(&path).await;
    let told = page.text(".stream");
    assert!(told.contains("robo took task <i>Parse</i>"), "{told}");
    assert!(told.contains("robo commented on task <i>Parse</i> Half of it works"), "{told}");
    assert!(page.has(&format!(".stream a[href='/projects/{project}/tasks/{}']", task.id)));
    browser.language = "zh";
    assert!(browser.page(&path).await.text(".stream").contains("领取了任务"), "in the reader's language");
}

backends!(
    projects_stand_in_their_groups_with_their_progress,
    many_projects_are_counted_and_listed_in_pages,
    a_project_is_dragged_by_who_may_move_it,
    a_project_is_made_where_its_maker_wants_it,
    what_is_hidden_has_no_pages_and_readers_have_no_forms,
    a_project_is_renamed_and_described,
    members_are_added_changed_and_removed_and_the_effect_is_shown_before,
    roles_from_a_group_are_read_only_in_the_project,
    a_visibility_is_changed_once_its_effect_was_seen,
    a_project_moves_once_the_effect_was_seen,
    a_project_goes_when_its_name_is_typed,
    activity_is_told_in_sentences_with_actor_and_session,
    the_last_administrator_stays_whatever_is_sent,
    projects_are_at_hand_that_were_pinned_or_opened_last,
    a_refusal_is_told_in_the_readers_language,
);
