//! The page of a task: what each of its forms does, and what is refused.

use chorus_domain::{Party, Write, task::Task};
use chorus_ids::AgentId;
use chorus_lifecycle::task::TaskStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use http::StatusCode;

use crate::{backends, plot::Plot};

async fn a_task_goes_through_its_life_by_buttons(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Life", TaskStatus::Open, None).await;
    let criterion = plot.criterion(task, "It lives").await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.board()).await;
    for (to, expected) in [("assigned", "assigned"), ("in_progress", "in_progress"), ("to_verify", "to_verify")] {
        page = ann.press_on(&page, &format!(".tile [data-to='{to}']"), &[]).await;
        assert_eq!(page.text(&format!("[data-drop='{expected}'] .tile h3")), "Life", "{to}");
    }
    // A required criterion without a verdict stands against verifying.
    let refused = ann.press(&page, ".tile [data-to='done']", &[]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.text("main").contains("Not every required acceptance criterion"), "{}", refused.text("main"));
    let page = ann.page(&plot.page_of(task)).await;
    assert!(page.has("#moves button[formaction$='verify_task'][disabled]") && page.has("#unproven"));
    let form = format!("#mark-{criterion}");
    let page =
        ann.press_on(&page, &format!("{form} button[value='failed']"), &[("criteria[0].evidence?", "broken")]).await;
    assert_eq!(page.text(".beside .s-failed"), "Failed");
    assert!(page.text(".beside").contains("broken") && page.text(".beside").contains("it runs"), "side by side");
    let page = ann.press_on(&page, &format!("{form} .reset button"), &[]).await;
    assert_eq!((page.count(".beside .s-failed"), page.text(".beside .s-pending")), (0, "Not judged".to_owned()));
    assert_eq!(page.count(".beside .s-passed"), 1, "the self-check stays");
    let page = ann.press_on(&page, &format!("{form} button[value='passed']"), &[]).await;
    let page = ann.press_on(&page, "#moves button[formaction$='verify_task']", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "Done");
    assert!(page.text("[data-part='history']").contains("ann verified task"), "{}", page.text("[data-part='history']"));
    // There is no way back, so that it is asked first, without the script too.
    let question = ann.press(&page, "#moves button[formaction$='close_task']", &[]).await;
    assert_eq!(
        (question.status, question.text("h1")),
        (StatusCode::OK, "Close “Life”? It can't be opened again.".to_owned())
    );
    assert_eq!(plot.status(&mut ann, task).await, "Done", "nothing has happened yet");
    let page = ann.follow(&question, "#sure", &[]).await;
    assert_eq!((page.text("[data-part='head'] .status"), page.has("#moves")), ("Closed".to_owned(), false));
}

async fn a_question_is_asked_of_whoever_sends_a_form_of_a_page(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Roof", TaskStatus::Open, None).await.to_string();
    let mut ann = plot.house.signed_in(plot.ann).await;
    let close = "/do/chorus_admin_close_task";
    let forged = [("_csrf", "x"), ("taskUuid", task.as_str()), ("_sure", "task-close-sure"), ("_about", "<b>Roof</b>")];
    assert_eq!(ann.post(close, &forged).await.status, StatusCode::CONFLICT);
    let csrf = ann.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let mut asked = forged.to_vec();
    asked[0].1 = &csrf;
    let question = ann.post(close, &asked).await;
    assert!(question.text("h1").contains("<b>Roof</b>") && !question.has("h1 b"), "{}", question.body);
    // No page asks with another text than those that are meant for it.
    asked[2].1 = "done-password";
    assert_eq!(ann.post(close, &asked).await.status, StatusCode::NOT_FOUND);
}

async fn references_are_added_changed_and_removed_on_the_page(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Roof", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&plot.page_of(task)).await;
    let fields = [("type", "issue_pr"), ("url", "https://example.com/1"), ("title", "The change")];
    let page = ann.follow(&page, "form[data-form='reference']", &fields).await;
    assert_eq!(page.attribute("[data-part='references'] li a", "href").as_deref(), Some("https://example.com/1"));
    let form = "[data-part='references'] form[action$='update_reference']";
    let page = ann.follow(&page, form, &[("title", "The <i>change</i>"), ("notes?null", "It is merged")]).await;
    let shown = page.text("[data-part='references'] li");
    assert!(shown.contains("The <i>change</i>") && shown.contains("It is merged"), "{shown}");
    let page = ann.follow(&page, "[data-part='references'] form[action$='remove_reference']", &[]).await;
    assert_eq!(page.count("[data-part='references'] li a"), 0);
}

async fn blocked_work_shows_what_it_waits_for_and_can_be_forced(backend: Backend) {
    let plot = Plot::new(backend).await;
    let ann_party = Some(Party::User(plot.ann));
    let task = plot.put("Roof", TaskStatus::Assigned, ann_party).await;
    let wall = plot.put("Wall", TaskStatus::InProgress, ann_party).await;
    plot.wait(task, wall).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&plot.board()).await;
    assert_eq!(page.text("[data-drop='assigned'] .s-blocked"), "Waits for 1");
    let page = ann.press_on(&page, ".tile [data-to='in_progress']", &[]).await;
    assert_eq!(page.text("h1"), "Something has to be finished first");
    assert_eq!(page.text(".blockers"), "Wall In progress ann");
    assert_eq!(plot.status(&mut ann, task).await, "Assigned Blocked", "nothing has moved yet");
    let page = ann.press_on(&page, "#force button.danger", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "In progress Blocked");
    assert!(page.text("[data-part='history']").contains("past unfinished prerequisites"), "it is recorded");
    // What nothing blocks is started without a word about it.
    let free = plot.put("Door", TaskStatus::Assigned, ann_party).await;
    let page = ann.page(&plot.page_of(free)).await;
    let page = ann.press_on(&page, "#moves button[formaction$='start_task']", &[]).await;
    assert!(!page.text("[data-part='history']").contains("past unfinished"));
    // Sent back to work it is blocked again, and can be forced again.
    let page = ann.page(&plot.page_of(task)).await;
    let page = ann.press_on(&page, "#moves button[formaction$='submit_for_verify']", &[]).await;
    let page = ann.press_on(&page, "#moves button[formaction$='reopen_task']", &[]).await;
    assert_eq!(page.text("h1"), "Something has to be finished first");
    let page = ann.press_on(&page, "#force button.danger", &[]).await;
    assert_eq!(page.text("[data-part='head'] .status"), "In progress Blocked");
}

async fn blockers_that_are_not_seen_are_counted(backend: Backend) {
    let plot = Plot::new(backend).await;
    let bob = plot.house.world.user("bob").await;
    let hidden = plot.house.world.project("Hidden", Visibility::Private, &[(bob, Role::Admin)]).await;
    let far = Task { project: hidden, ..plot.a_task("Far away", TaskStatus::Open, None) };
    let far_id = far.id;
    plot.house.world.write(vec![Write::NewTasks(vec![far])]).await;
    let task = plot.put("Near", TaskStatus::Assigned, Some(Party::User(plot.ann))).await;
    plot.wait(task, far_id).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    for path in [plot.page_of(task), format!("{}/blocked", plot.page_of(task))] {
        let page = ann.page(&path).await;
        assert!(
            page.body.contains("1 task in a project that you don&#39;t see")
                || page.text("main").contains("1 task in a project"),
            "{path}"
        );
        assert!(!page.body.contains("Far away"), "{path}");
    }
}

async fn tasks_are_edited_with_care_for_what_others_changed(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Old", TaskStatus::Open, None).await;
    plot.criterion(task, "First").await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    // Two pages, as in two windows.
    let stale = ann.page(&plot.page_of(task)).await;
    let open = ann.page(&plot.page_of(task)).await;
    let page = ann.follow(&open, "#edit-task", &[("title", "New"), ("description", ""), ("storyPoints?", "2.5")]).await;
    assert_eq!(
        (page.text("h1"), page.text("[data-part='description'] .meta")),
        ("New".into(), "No description.".into())
    );
    assert!(page.text("[data-part='people']").contains("2.5"));
    let refused = ann.submit(&stale, "#edit-task", &[("title", "Other")]).await;
    assert_eq!((refused.status, refused.text("h1")), (StatusCode::CONFLICT, "It was changed meanwhile".to_owned()));
    let fields =
        [("acceptanceCriteriaItems[0].description", "Second"), ("acceptanceCriteriaItems[1].description", "Third")];
    let page = ann.follow(&page, "#rewrite-criteria", &fields).await;
    assert_eq!(page.text(".criterion"), "Second Third");
}

async fn a_task_is_given_to_people_and_agents_and_back(backend: Backend) {
    let plot = Plot::new(backend).await;
    let eve = plot.house.world.user("eve").await;
    plot.house.world.member(plot.project, eve, Role::Editor).await;
    let own = plot.house.world.agent("robot", Some(plot.ann), &["developer_agent"], &[]).await.id;
    let theirs = plot.house.world.agent("helper", Some(eve), &["developer_agent"], &[]).await.id;
    let idle = plot.house.world.agent("reader", Some(plot.ann), &[], &[]).await.id;
    let task = plot.put("Gift", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.page_of(task)).await;
    let agent = |id: AgentId| format!("agent:{id}");
    for (to, name) in [(agent(own), "robot"), (agent(theirs), "helper"), (format!("user:{eve}"), "eve")] {
        assert!(page.has(&format!("#assign-task option[value='{to}']")), "{name}: {}", page.text("#assign-task"));
        page = ann.follow(&page, "#assign-task", &[("assignee", &to)]).await;
        assert!(page.text("[data-part='head'] .sub").ends_with(name), "{}", page.text("[data-part='head']"));
    }
    for (to, code) in [(format!("user:{}", plot.vic), StatusCode::FORBIDDEN), (agent(idle), StatusCode::FORBIDDEN)] {
        let refused = ann.submit(&page, "#assign-task", &[("assignee", &to)]).await;
        assert_eq!((refused.status, refused.text("h1")), (code, "They can't work on this".to_owned()), "{to}");
    }
    let refused = ann.submit(&page, "#assign-task", &[("assignee", "nobody")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let page = ann.follow(&page, "#take", &[]).await;
    assert!(page.text("[data-part='head'] .sub").ends_with("ann") && !page.has("#take"));
    let page = ann.press_on(&page, "#moves button[formaction$='release_task']", &[]).await;
    assert_eq!(page.text("[data-part='head'] .sub"), "Open Nobody");
    // A piece of a name finds people.
    let page = ann.page(&format!("{}?who=ev", plot.page_of(task))).await;
    assert_eq!(page.count("#assign-task option"), 1);
}

async fn prerequisites_are_added_and_removed_and_circles_refused(backend: Backend) {
    let plot = Plot::new(backend).await;
    let (a, b) = (plot.put("Alpha", TaskStatus::Open, None).await, plot.put("Beta", TaskStatus::Open, None).await);
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&format!("{}?find=beta", plot.page_of(a))).await;
    let page = ann.follow(&page, "#add-prerequisite", &[("addDependsOn[]", &b.to_string())]).await;
    assert_eq!(page.text("#waiting .list a"), "Beta");
    let other = ann.page(&plot.page_of(b)).await;
    let refused = ann.submit(&other, "#add-prerequisite", &[("addDependsOn[]", &a.to_string())]).await;
    assert_eq!(
        (refused.status, refused.text("h1")),
        (StatusCode::CONFLICT, "That would go round in a circle".to_owned())
    );
    let graph = ann.page(&format!("{}?view=graph", plot.board())).await;
    assert_eq!((graph.count("svg a"), graph.text("#graph-in-words li")), (2, "Alpha Open Waits for Beta".to_owned()));
    let page = ann.follow(&page, "#waiting .drop", &[]).await;
    assert_eq!(page.count("#waiting .list a"), 0);
}

async fn what_is_said_is_shown_as_text_and_older_comments_are_a_page_away(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Talk", TaskStatus::Open, None).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let mut page = ann.page(&plot.page_of(task)).await;
    for n in 0..51 {
        let said = format!("Comment {n} <script>alert(1)</script> **bold**");
        page = ann.follow(&page, "form[data-form='comment']", &[("content", &said)]).await;
    }
    assert!(page.has(".talk strong") && !page.body.contains("<script>alert"));
    assert_eq!((page.count(".talk > li"), page.text("#comments h2")), (50, "Comments 51".to_owned()));
    assert!(page.text(".talk > li:last-child").contains("Comment 50 "));
    let older = ann.page(&format!("{}?comments=2", plot.page_of(task))).await;
    assert!(older.count(".talk > li") == 1 && older.text(".talk").contains("Comment 0 "));
}

async fn a_task_is_deleted_after_saying_what_goes_with_it(backend: Backend) {
    let plot = Plot::new(backend).await;
    let task = plot.put("Gone", TaskStatus::Open, None).await;
    let waiting = plot.put("Waiting", TaskStatus::Open, None).await;
    plot.criterion(task, "Never").await;
    plot.wait(waiting, task).await;
    let mut ann = plot.house.signed_in(plot.ann).await;
    let page = ann.page(&format!("{}/delete", plot.page_of(task))).await;
    assert!(
        page.text("[data-part='goes']").starts_with("1 acceptance criterion 1 dependency"),
        "{}",
        page.text("main")
    );
    assert!(page.text("main").contains("Waiting"));
    let page = ann.follow(&page, "#delete", &[]).await;
    assert_eq!((page.text(".notice"), page.text(".tile h3")), ("The task is deleted.".into(), "Waiting".into()));
    assert_eq!(ann.get(&plot.page_of(task)).await.status, StatusCode::NOT_FOUND);
}

backends!(
    a_task_goes_through_its_life_by_buttons,
    blocked_work_shows_what_it_waits_for_and_can_be_forced,
    blockers_that_are_not_seen_are_counted,
    tasks_are_edited_with_care_for_what_others_changed,
    a_task_is_given_to_people_and_agents_and_back,
    prerequisites_are_added_and_removed_and_circles_refused,
    what_is_said_is_shown_as_text_and_older_comments_are_a_page_away,
    a_task_is_deleted_after_saying_what_goes_with_it,
    a_question_is_asked_of_whoever_sends_a_form_of_a_page,
    references_are_added_changed_and_removed_on_the_page,
);
