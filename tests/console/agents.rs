//! A person's agents: made, changed, connected and removed by their owner alone.

use chorus_auth::{Authenticator, Unscoped};
use chorus_domain::{Assignment, Party, Write, task::Task};
use chorus_ids::AgentId;
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_testkit::{Backend, CallResult, Tools};
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{
    backends,
    house::{Browser, House, Page},
};

/// Makes an agent in the pages, and gives the page to which that leads with the agent's id.
async fn make(browser: &mut Browser<'_>, fields: &[(&str, &str)]) -> (Page, AgentId) {
    let page = browser.page("/agents/new").await;
    let made = browser.submit(&page, "#agent", fields).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.body);
    let next = made.location().to_owned();
    let id = next.strip_prefix("/agents/").and_then(|rest| rest.strip_suffix("/connect")).unwrap().parse().unwrap();
    (browser.page(&next).await, id)
}

/// Whether a key lets its agent in.
async fn lets_in(house: &House, key: &str) -> bool {
    let authenticator = Authenticator::new(house.world.services.clone(), Unscoped::default());
    authenticator.authenticate([format!("Bearer {key}").as_bytes()]).await.is_ok()
}

async fn an_agent_is_made_given_a_key_and_seen_coming_in(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut ann = house.signed_in(user).await;
    let page = ann.page("/agents").await;
    assert_eq!(
        (page.text(".empty-title"), page.has("a.primary[href='/agents/new']")),
        ("You have no agent yet".into(), true)
    );
    let (page, id) = make(&mut ann, &[("name", " Builder "), ("persona", "Careful")]).await;
    assert_eq!(
        (page.text("h1"), page.text(".notice")),
        ("Connect Builder".into(), "The agent is there. Give it a key next.".into())
    );
    assert!(page.text("[data-part='connection']").contains("Waiting"));
    assert!(
        page.text("#claude").ends_with("--header \"Authorization: Bearer $CHORUS_API_KEY\""),
        "{}",
        page.text("#claude")
    );

    let shown = ann.submit(&page, "#new-key", &[("name?", "laptop")]).await;
    assert_eq!(shown.status, StatusCode::OK, "{}", shown.body);
    let key = shown.text("#key");
    assert_eq!((key.len(), key.starts_with("cho_")), (47, true), "{key}");
    for place in ["#claude", "#codex", "#json"] {
        assert!(shown.text(place).contains(&key), "{place}");
    }
    assert!(shown.text("#json").contains("http://127.0.0.1:8637/api/mcp"));
    assert!(lets_in(&house, &key).await);
    // The form sent twice makes no second key, and shows the first one to nobody.
    let twice = ann.submit(&page, "#new-key", &[("name?", "laptop")]).await;
    assert_eq!((twice.status, twice.body.contains(&key)), (StatusCode::CONFLICT, false));
    let page = ann.page(&format!("/agents/{id}")).await;
    assert_eq!((page.count("[data-part='keys'] tbody tr"), page.body.contains(&key)), (1, false));
    assert!(page.text("[data-part='keys'] tbody th").starts_with("laptop cho_"), "{}", page.text("[data-part='keys']"));

    let tools = Tools::new(house.world.services.clone());
    let caller = house.world.caller(id).await;
    let CallResult::Answer(told) = tools.call(&caller, "chorus_checkin", json!({})).await else {
        panic!("it comes in")
    };
    assert_eq!(told["agent"]["persona"], "Careful", "{told}");
    let page = ann.page(&format!("/agents/{id}/connect")).await;
    assert!(page.text("[data-part='connection']").contains("Connected") && !page.body.contains(&key));

    let page = ann.page(&format!("/agents/{id}")).await;
    let page = ann.follow(&page, ".revoke", &[]).await;
    assert_eq!((page.text(".notice"), page.count(".revoke")), ("The key no longer works.".to_owned(), 0));
    assert!(!lets_in(&house, &key).await);
}

async fn a_key_is_no_part_of_what_is_stored_and_comes_from_the_page_alone(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut ann = house.signed_in(user).await;
    let (page, id) = make(&mut ann, &[("name", "Builder")]).await;
    let csrf = page.attribute("[name='_csrf']", "value").unwrap();
    let id = id.to_string();
    let hash = "0".repeat(64);
    let fields =
        [("_csrf", csrf.as_str()), ("agentUuid", &id), ("hash", &hash), ("prefix", "cho_abcd...wxyz"), ("_next", "/")];
    let chosen = ann.post("/do/console_create_key", &fields).await;
    assert_eq!(chosen.status, StatusCode::NOT_FOUND, "nobody chooses a key by themselves");
    // What the form says otherwise does not count: the page makes the key.
    let shown = ann.submit(&page, "#new-key", &[]).await;
    let key = shown.text("#key");
    let stored = house.stored().await;
    assert!(stored.contains(&key[key.len() - 4..]) && !stored.contains(&key), "the key itself is nowhere");
    let past = ann.page(&format!("/agents/{id}/connect")).await;
    let refused = ann.submit(&past, "#new-key", &[("_expires", "2020-01-01")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text(".problems").contains("End is past already"), "{}", refused.text("main"));
    let refused = ann.submit(&past, "#new-key", &[("_csrf", "forged")]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
}

async fn what_an_agent_may_do_is_chosen_by_preset_and_by_box(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut ann = house.signed_in(user).await;
    let page = ann.page("/agents/new").await;
    let visible = |page: &Page| page.count(".tools li:not([hidden])");
    let total = chorus_tools_console::surface().unwrap().tools().len() - chorus_tools_console::own().len();
    assert_eq!(page.text(".sees strong"), format!("{} / {total}", visible(&page)));
    assert_eq!(page.count(".powers [checked]"), 6, "what the preset holds is ticked");
    // What was chosen is shown without being kept.
    let shown = ann
        .press(&page, "[data-effect]", &[("name", "Kept"), ("preset", "custom"), ("permissions[]", "task:admin")])
        .await;
    assert_eq!((shown.status, shown.attribute("[name='name']", "value").as_deref()), (StatusCode::OK, Some("Kept")));
    assert!(
        shown.has(".tools li[data-bit='task:admin']:not([hidden])")
            && !shown.has(".tools li[data-bit='task:write']:not([hidden])")
    );
    assert!(
        visible(&shown) < visible(&page) + 10 && shown.text(".sees strong").starts_with(&visible(&shown).to_string())
    );

    let fields = [("name", "Reviewer"), ("preset", "developer_agent"), ("permissions[]", "task:admin")];
    let (_, id) = make(&mut ann, &fields).await;
    let stored = async || {
        let mut reads = house.world.services.store.read().await.unwrap();
        let agent = reads.directory().agent_credential(id).await.unwrap().unwrap().agent;
        (agent.roles, agent.permissions)
    };
    assert_eq!(stored().await, (vec!["developer_agent".to_owned()], vec!["task:admin".to_owned()]));
    assert_eq!(house.world.caller(id).await.permissions.len(), 7);
    let page = ann.page(&format!("/agents/{id}/edit")).await;
    assert!(page.has("[value='developer_agent'][checked]") && page.has("[value='task:admin'][checked]"));
    let edited = [("name", "Auditor"), ("preset", "custom"), ("permissions[]", "task:read"), ("persona", "Strict")];
    let page = ann.follow(&page, "#agent", &edited).await;
    assert_eq!((page.text("h1"), page.text("[data-part='persona'] .prose")), ("Auditor".into(), "Strict".into()));
    assert_eq!(stored().await, (Vec::new(), vec!["task:read".to_owned()]));
    let page = ann.page("/agents/new").await;
    for (name, preset, permission) in
        [("  ", "custom", "task:read"), ("X", "root", "task:read"), ("X", "custom", "task:*")]
    {
        let fields = [("name", name), ("preset", preset), ("permissions[]", permission)];
        let refused = ann.submit(&page, "#agent", &fields).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{fields:?}");
    }
}

async fn agents_of_others_are_names_and_nothing_more(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let id = house.world.agent("secretive", Some(bob), &["admin_agent"], &[]).await.id;
    let mut ann = house.signed_in(ann).await;
    let page = ann.page("/agents").await;
    assert_eq!(page.text("[data-part='others'] li"), "secretive of bob");
    assert!(!page.has(&format!("a[href*='{id}']")));
    let csrf = page.attribute("[name='_csrf']", "value").unwrap();
    for path in ["", "/edit", "/delete", "/connect"] {
        assert_eq!(ann.get(&format!("/agents/{id}{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let (id, next) = (id.to_string(), "/");
    let fields = [("_csrf", csrf.as_str()), ("agentUuid", &id), ("name", "Mine"), ("keyUuid", &id), ("_next", next)];
    for path in ["/do/console_update_agent", "/do/console_delete_agent", "/do/console_revoke_key"] {
        assert_eq!(ann.post(path, &fields).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in ["/connect", "/edit"] {
        assert_eq!(ann.post(&format!("/agents/{id}{path}"), &fields).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(house.signed_in(bob).await.page(&format!("/agents/{id}")).await.text("h1"), "secretive");
}

async fn an_agent_goes_with_its_keys_and_what_it_held_is_free(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let project = house.world.project("Yard", Visibility::Private, &[(user, Role::Admin)]).await;
    let agent = house.world.agent("robot", Some(user), &["developer_agent"], &[]).await;
    let now = house.world.now();
    let task = Task {
        id: house.world.id(),
        company: house.world.company,
        project,
        title: "Half done".to_owned(),
        description: None,
        status: TaskStatus::InProgress,
        priority: Priority::Medium,
        story_points: None,
        assignee: Some(Assignment { to: Party::Agent(agent.id), at: now, by: None }),
        proposal: None,
        created_by: Party::User(user),
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let id = task.id;
    house.world.write(vec![Write::NewTasks(vec![task])]).await;
    let mut ann = house.signed_in(user).await;
    let page = ann.page(&format!("/agents/{}/delete", agent.id)).await;
    assert!(
        page.text("main").contains("Half done") && page.text("[data-part='goes']").starts_with("1 key stops working")
    );
    let page = ann.follow(&page, "#delete", &[]).await;
    assert_eq!(page.text(".notice"), "The agent is deleted.");
    assert!(!lets_in(&house, &agent.key).await);
    assert_eq!(ann.get(&format!("/agents/{}", agent.id)).await.status, StatusCode::NOT_FOUND);
    let page = ann.page(&format!("/projects/{project}/tasks/{id}")).await;
    assert_eq!(page.text("[data-part='head'] .sub"), "Open Nobody");
}

async fn settings_lead_to_the_rest_and_change_language_and_theme(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut ann = house.signed_in(user).await;
    let page = ann.page("/settings").await;
    for path in ["/settings/account", "/agents", "/notifications"] {
        assert!(page.has(&format!("main a[href='{path}']")), "{path}");
    }
    let page = ann.follow(&page, "main form.look", &[("language", "vi"), ("theme", "dark")]).await;
    assert_eq!((page.text("h1"), page.attribute("html", "data-theme").as_deref()), ("Cài đặt".into(), Some("dark")));
}

async fn pages_of_agents_take_few_statements(backend: Backend) {
    let house = House::new(backend).await;
    let user = house.world.user("ann").await;
    let mut ids = Vec::new();
    for n in 0..30 {
        ids.push(house.world.agent(&format!("agent {n}"), Some(user), &["pm_agent"], &[]).await.id);
    }
    let mut ann = house.signed_in(user).await;
    let id = ids[0];
    for (path, at_most) in [
        ("/agents".to_owned(), 5),
        (format!("/agents/{id}"), 14),
        (format!("/agents/{id}/edit"), 5),
        (format!("/agents/{id}/connect"), 5),
        ("/settings".to_owned(), 3),
    ] {
        house.watch.take();
        ann.page(&path).await;
        let statements = house.watch.take();
        assert!(statements.len() <= at_most, "{path} takes {}: {statements:#?}", statements.len());
    }
}

backends!(
    an_agent_is_made_given_a_key_and_seen_coming_in,
    a_key_is_no_part_of_what_is_stored_and_comes_from_the_page_alone,
    what_an_agent_may_do_is_chosen_by_preset_and_by_box,
    agents_of_others_are_names_and_nothing_more,
    an_agent_goes_with_its_keys_and_what_it_held_is_free,
    settings_lead_to_the_rest_and_change_language_and_theme,
    pages_of_agents_take_few_statements,
);
