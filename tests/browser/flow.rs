//! What people do in the console, from the first run to work that is done.

use chorus_testkit::{Backend, Launch};
use chorus_visibility::Role;
use serde_json::json;
use tempfile::TempDir;

use crate::{chromium::Chromium, town::Town};

fn uuid_of(path: &str) -> String {
    path.split('/').find(|part| part.len() == 36).unwrap_or_else(|| panic!("{path} names nothing")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_first_run_to_done() {
    let home = TempDir::new().unwrap();
    let server = Launch::at_home(home.path()).start_at_terminal().await;
    let printed = server.printed();
    let link = printed.split_whitespace().find(|word| word.contains("/enter/")).unwrap_or_else(|| panic!("{printed}"));
    let chromium = Chromium::launch().await;

    // Signing in by the printed link.
    let tab = chromium.open(server.base(), link).await;
    tab.fill("[name='password']", "correct horse battery").await;
    tab.fill("[name='again']", "correct horse battery").await;
    tab.click("form.stack button.primary").await;
    tab.until_at("/").await;

    // A project and an agent.
    tab.goto("/projects/new").await;
    tab.fill("#new-project [name='name']", "Offline sync").await;
    tab.choose("#new-project [name='visibility?']", "private").await;
    tab.click("#new-project button.primary").await;
    tab.until("/^\\/projects\\/[0-9a-f-]{36}$/.test(location.pathname)").await;
    let project = uuid_of(&tab.path().await);
    tab.goto("/agents/new").await;
    tab.fill("#agent [name='name']", "builder").await;
    tab.click("#agent [name='preset'][value='admin_agent']").await;
    tab.click("#agent .actions button.primary").await;
    tab.until_there("#new-key").await;
    tab.click("#new-key button.primary").await;
    tab.until_there("#key").await;
    let key: String = tab.eval("document.querySelector('#key').textContent").await;

    // The agent comes, which the page that waits for it shows.
    let agent = server.client(&key);
    let call = async |tool: &str, arguments: serde_json::Value| agent.call(tool, arguments).await.ok();
    tab.until("document.documentElement.dataset.connected").await;
    call("chorus_checkin", json!({})).await;
    tab.until_there("[data-part='connection'] .s-done").await;

    // It works, and the project's page shows that while it is open.
    tab.goto(&format!("/projects/{project}")).await;
    tab.until("document.documentElement.dataset.connected").await;
    let idea = call("chorus_pm_create_idea", json!({ "projectUuid": project, "title": "Merge offline edits" })).await;
    let idea = idea["uuid"].as_str().unwrap().to_owned();
    tab.until_seen("Merge offline edits").await;
    call("chorus_claim_idea", json!({ "ideaUuid": idea })).await;
    let questions = json!([{ "id": "q1", "text": "How soon?", "category": "scope",
        "options": [{ "id": "a", "label": "This month" }, { "id": "b", "label": "Later" }] }]);
    call("chorus_pm_start_elaboration", json!({ "ideaUuid": idea, "depth": "minimal", "questions": questions })).await;

    // The person answers, and says that it is clear.
    tab.goto("/").await;
    tab.until_seen("Merge offline edits").await;
    tab.goto(&format!("/projects/{project}/ideas/{idea}")).await;
    tab.click("form[action='/do/chorus_answer_elaboration'] input[value='a']").await;
    tab.click("form[action='/do/chorus_answer_elaboration'] button.primary").await;
    tab.until_there("form[action='/do/chorus_pm_validate_elaboration']").await;
    let read = call("chorus_get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_eq!(read["rounds"][0]["questions"][0]["answer"]["selectedOptionId"], "a");
    tab.click("form[action='/do/chorus_pm_validate_elaboration'] button").await;
    tab.until("!document.querySelector(\"form[action='/do/chorus_pm_validate_elaboration']\")").await;

    // The agent proposes, the person approves.
    let proposal = json!({ "projectUuid": project, "title": "Two steps", "inputType": "idea", "inputUuids": [idea] });
    let proposal = call("chorus_pm_create_proposal", proposal).await["uuid"].as_str().unwrap().to_owned();
    let design = "Later wins. ".repeat(20);
    let design = json!({ "proposalUuid": proposal, "type": "tech_design", "title": "Design", "content": design });
    call("chorus_pm_add_document_draft", design).await;
    let step = json!({ "proposalUuid": proposal, "title": "Keep a log", "description": "Write it down first.",
        "acceptanceCriteriaItems": [{ "description": "Tests pass", "required": true }] });
    call("chorus_pm_add_task_draft", step).await;
    call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    tab.goto(&format!("/projects/{project}/proposals/{proposal}")).await;
    tab.click("form[action='/do/chorus_admin_approve_proposal'] button.primary").await;
    tab.until("!document.querySelector(\"form[action='/do/chorus_admin_approve_proposal']\")").await;

    // The agent does the work, and the open board shows it.
    tab.goto(&format!("/projects/{project}/tasks")).await;
    tab.until("document.documentElement.dataset.connected").await;
    let tasks = call("chorus_list_tasks", json!({ "projectUuid": project })).await;
    let task = tasks["tasks"][0]["uuid"].as_str().unwrap().to_owned();
    call("chorus_claim_task", json!({ "taskUuid": task })).await;
    tab.until("document.querySelector('[data-drop=assigned]').innerText.includes('Keep a log')").await;
    call("chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })).await;
    let detail = call("chorus_get_task", json!({ "taskUuid": task })).await;
    let criterion = detail["acceptanceCriteriaItems"][0]["uuid"].clone();
    let check = json!([{ "uuid": criterion, "devStatus": "passed", "devEvidence": "cargo test" }]);
    call("chorus_report_criteria_self_check", json!({ "taskUuid": task, "criteria": check })).await;
    call("chorus_submit_for_verify", json!({ "taskUuid": task, "summary": "Done." })).await;
    tab.until("document.querySelector('[data-drop=to_verify]').innerText.includes('Keep a log')").await;

    // The person looks at the evidence and verifies.
    tab.goto(&format!("/projects/{project}/tasks/{task}")).await;
    assert!(tab.sees("cargo test").await);
    tab.click("[data-part='criteria'] details.more summary").await;
    tab.click("form[action='/do/chorus_mark_acceptance_criteria'] button[value='passed']").await;
    tab.until_there("button[formaction='/do/chorus_admin_verify_task']:not([disabled])").await;
    tab.click("button[formaction='/do/chorus_admin_verify_task']").await;
    tab.until_there("[data-part='head'] .s-done").await;
    let idea = call("chorus_get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!(idea["derivedStatus"], "done");
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_see_and_do_what_their_level_allows() {
    let town = Town::new(Backend::Postgres, "x").await;
    let (viewer, stranger) = (town.world.user("viewer").await, town.world.user("stranger").await);
    town.world.member(town.project, viewer, Role::Viewer).await;
    let (one, other) = (Chromium::launch().await, Chromium::launch().await);
    let owners = town.signed_in(&one, town.owner).await;
    let viewers = town.signed_in(&other, viewer).await;
    let task = town.fill("/projects/{project}/tasks/{task}").unwrap();
    owners.goto(&task).await;
    owners.until_there("main form[action^='/do/']").await;
    viewers.goto(&task).await;
    let forms: u64 = viewers.eval("document.querySelectorAll(\"main form[action^='/do/']\").length").await;
    assert_eq!(forms, 0, "a viewer is offered what they may not do");
    // What one does, the other sees without doing anything.
    viewers.until("document.documentElement.dataset.connected").await;
    owners.fill("#comment-text", "Looks good to me").await;
    owners.click("form[data-form='comment'] > button").await;
    viewers.until_seen("Looks good to me").await;
    // Who may see it no longer does not keep what is on the screen.
    owners.goto(&format!("/projects/{}/settings/members/{viewer}?role=none", town.project)).await;
    owners.click("#confirm button.primary").await;
    viewers.until_seen("Not found").await;
    assert!(!viewers.sees("Looks good to me").await);
    other.close().await;

    // To who has no access there is nothing, and nothing of it comes through the stream.
    let other = Chromium::launch().await;
    let strangers = town.signed_in(&other, stranger).await;
    strangers.goto(&task).await;
    strangers.until_seen("Not found").await;
    strangers.goto("/projects").await;
    assert!(!strangers.sees("Offline sync").await);
    strangers.until("document.documentElement.dataset.connected").await;
    strangers
        .eval::<bool>("(window.__heard = [], new EventSource('/api/events').addEventListener('change', (e) => window.__heard.push(e.data)), true)")
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let said = json!({ "targetType": "task", "targetUuid": town.ids.task, "content": "secret" });
    town.client().call("chorus_add_comment", said).await.ok();
    // A change that they may see comes after; whatever was told before is there by then.
    let open = json!({ "name": "Open", "visibility": "public" });
    let open = town.client().call("chorus_admin_create_project", open).await.ok()["uuid"].as_str().unwrap().to_owned();
    town.client().call("chorus_pm_create_idea", json!({ "projectUuid": open, "title": "Visible" })).await.ok();
    strangers.until(&format!("window.__heard.some((data) => data.includes('{open}'))")).await;
    let heard: String = strangers.eval("window.__heard.join(' ')").await;
    assert!(!heard.contains(&town.project.to_string()) && !heard.contains(&town.ids.task), "{heard}");
    for tab in [&owners, &strangers] {
        tab.assert_quiet();
    }
    one.close().await;
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tile_is_dragged_and_a_blocked_move_says_what_is_in_the_way() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    tab.goto(&town.fill("/projects/{project}/tasks").unwrap()).await;
    let tile = |id: &str| format!(".tile:has(a[href$='{id}'])");
    // It waits for another: starting it is refused, with what it waits for.
    town.client().call("chorus_claim_task", json!({ "taskUuid": town.ids.blocked })).await.ok();
    tab.until(&format!("document.querySelector(\"[data-drop='assigned'] a[href$='{}']\")", town.ids.blocked)).await;
    tab.drag(&tile(&town.ids.blocked), "[data-drop='in_progress']").await;
    tab.until("location.pathname.endsWith('/blocked') && document.readyState === 'complete'").await;
    assert!(tab.sees("Keep a log").await, "what is in the way is named");
    let status = async || {
        let task = town.client().call("chorus_get_task", json!({ "taskUuid": town.ids.blocked })).await.ok();
        task["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status().await, "assigned");
    // Nor is there a way from here to done: the board says so, and nothing changes.
    tab.goto(&town.fill("/projects/{project}/tasks").unwrap()).await;
    tab.drag(&tile(&town.ids.blocked), "[data-drop='done']").await;
    tab.until("document.querySelector('.toast')?.innerText === document.querySelector(\"[data-drop='done']\").dataset.refuses").await;
    assert_eq!(status().await, "assigned");
    // Closing asks for nothing else to be finished.
    tab.goto(&town.fill("/projects/{project}/tasks").unwrap()).await;
    tab.eval::<bool>("(window.confirm = () => true)()").await;
    tab.drag(&tile(&town.ids.blocked), "[data-drop='closed']").await;
    tab.until(&format!("document.querySelector(\"[data-drop='closed'] a[href$='{}']\")", town.ids.blocked)).await;
    assert_eq!(status().await, "closed");
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tile_is_moved_with_the_keyboard_and_a_blocked_move_says_what_is_in_the_way() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    let board = town.fill("/projects/{project}/tasks").unwrap();
    let quick = json!({ "projectUuid": town.project, "tasks": [
        { "title": "Free to start", "acceptanceCriteriaItems": [{ "description": "It works" }] }] });
    let quick = town.client().call("chorus_create_tasks", quick).await.ok();
    let free = quick["tasks"][0]["uuid"].as_str().unwrap().to_owned();
    for task in [&free, &town.ids.blocked] {
        town.client().call("chorus_claim_task", json!({ "taskUuid": task })).await.ok();
    }
    for (task, column) in [(&free, "in_progress"), (&town.ids.blocked, "in_progress")] {
        tab.goto(&board).await;
        let tile = format!(".tile:has(a[href$='{task}'])");
        tab.tab_to(&format!("{tile} summary")).await;
        tab.enter().await;
        tab.tab_to(&format!("{tile} button[data-to='{column}']")).await;
        tab.enter().await;
        if *task == free {
            tab.until(&format!("document.querySelector(\"[data-drop='in_progress'] a[href$='{task}']\")")).await;
        } else {
            tab.until("location.pathname.endsWith('/blocked') && document.readyState === 'complete'").await;
            assert!(tab.sees("Keep a log").await, "what is in the way is named");
        }
    }
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_stop_of_the_keyboard_skips_to_the_content() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    tab.goto("/projects").await;
    tab.key("Tab", "Tab", 9, false).await;
    tab.until(
        "(() => { const one = document.activeElement; const at = one.getBoundingClientRect(); \
               return one.matches('a.skip') && at.left >= 0 && at.top >= 0 && at.width > 0; })()",
    )
    .await;
    tab.enter().await;
    tab.until("document.activeElement.id === 'content'").await;
    // The next stop is in the content.
    tab.key("Tab", "Tab", 9, false).await;
    tab.until("document.querySelector('#content').contains(document.activeElement) && document.activeElement.id !== 'content'").await;
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_can_be_reached_with_the_keyboard() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    // Search.
    tab.key("k", "KeyK", 75, true).await;
    tab.until("document.activeElement?.name === 'q'").await;
    tab.type_text("merge").await;
    tab.enter().await;
    tab.until("location.pathname === '/search' && document.readyState === 'complete'").await;
    // A new idea, from the project's page.
    tab.goto(&town.fill("/projects/{project}").unwrap()).await;
    tab.tab_to("a[href$='/ideas/new']").await;
    tab.enter().await;
    tab.until("location.pathname.endsWith('/ideas/new') && document.readyState === 'complete'").await;
    tab.tab_to("form[action='/do/chorus_pm_create_idea'] [name='title']").await;
    tab.type_text("Typed, not clicked").await;
    tab.tab_to("form[action='/do/chorus_pm_create_idea'] button.primary").await;
    tab.enter().await;
    tab.until_seen("Typed, not clicked").await;
    tab.until("/ideas\\/[0-9a-f-]{36}/.test(location.pathname)").await;
    // Every element that has the focus shows it.
    let unseen: bool = tab
        .eval("getComputedStyle(document.activeElement).outlineStyle === 'none' && document.activeElement !== document.body && document.activeElement.id !== 'content'")
        .await;
    assert!(!unseen);
    tab.assert_quiet();
    chromium.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_dragged_onto_a_group_shows_what_the_move_would_do() {
    let town = Town::new(Backend::Sqlite, "x").await;
    let chromium = Chromium::launch().await;
    let tab = town.signed_in(&chromium, town.owner).await;
    tab.goto("/projects").await;
    tab.drag("[data-drop-at]", "[data-drop='none']").await;
    tab.until_at(&format!("/projects/{}/settings/group", town.project)).await;
    tab.until_there("#confirm").await;
    tab.assert_quiet();
    chromium.close().await;
}
