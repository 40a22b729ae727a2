//! Who is at work in a project, and what an owner can do with sessions.

use chorus_testkit::{Backend, CallResult, Tools};
use chorus_visibility::{Role, Visibility};
use http::StatusCode;
use serde_json::json;

use crate::{backends, house::House};

async fn those_at_work_are_shown_and_put_away_by_the_owner_alone(backend: Backend) {
    let house = House::new(backend).await;
    let (ann, bob) = (house.world.user("ann").await, house.world.user("bob").await);
    let members = [(ann, Role::Admin), (bob, Role::Viewer)];
    let project = house.world.project("Yard", Visibility::Private, &members).await;
    let agent = house.world.new_caller("robot", Some(ann), &["admin_agent"], &[]).await;
    let id = agent.subject.uuid();
    let tools = Tools::new(house.world.services.clone());
    let ok = async |tool: &str, arguments| match tools.call(&agent, tool, arguments).await {
        CallResult::Answer(answer) => answer,
        other => panic!("{tool}: {other:?}"),
    };
    let sessions = format!("/projects/{project}/sessions");
    let (mut ann, mut bob) = (house.signed_in(ann).await, house.signed_in(bob).await);
    assert_eq!(ann.page(&sessions).await.text(".empty-title"), "Nobody is at work");

    let criteria = json!([{ "description": "It is dug" }]);
    let tasks = json!({ "projectUuid": project, "tasks": [
        { "title": "Dig", "acceptanceCriteriaItems": criteria }, { "title": "Plant", "acceptanceCriteriaItems": criteria },
    ] });
    let made = ok("chorus_create_tasks", tasks).await;
    let session = ok("chorus_create_session", json!({ "name": "digger" })).await["uuid"].clone();
    for at in 0..2 {
        let arguments = json!({ "sessionUuid": session, "taskUuid": made["tasks"][at]["uuid"] });
        ok("chorus_session_checkin_task", arguments).await;
    }
    let page = ann.page(&sessions).await;
    assert_eq!((page.count("tbody tr"), page.text("tbody th")), (1, "digger".to_owned()));
    assert_eq!(
        (page.text("tbody .at a"), page.attribute("tbody td a", "href").unwrap()),
        ("Plant Dig".to_owned(), format!("/agents/{id}"))
    );
    let theirs = bob.page(&sessions).await;
    assert_eq!((theirs.text("tbody th"), theirs.has("a[href^='/agents/']")), ("digger".to_owned(), false));
    let board = bob.page(&format!("/projects/{project}/tasks")).await;
    assert_eq!(board.text(".tile .working"), "digger digger");

    // Somebody else's agent is not there, and neither are its sessions.
    let own = format!("/agents/{id}");
    assert_eq!(bob.get(&own).await.status, StatusCode::NOT_FOUND);
    let csrf = bob.page("/").await.attribute("[name='_csrf']", "value").unwrap();
    let session = session.as_str().unwrap();
    let (id, forged) = (id.to_string(), csrf.clone());
    let fields = [("_csrf", forged.as_str()), ("agentUuid", &id), ("sessionUuid", session), ("_next", "/")];
    assert_eq!(bob.post("/do/console_close_session", &fields).await.status, StatusCode::NOT_FOUND);

    let page = ann.page(&own).await;
    assert_eq!(page.text("[data-part='sessions'] li .status"), "Active");
    let page = ann.follow(&page, ".session", &[]).await;
    assert_eq!(page.text("[data-part='sessions'] li .status"), "Closed");
    assert_eq!(ann.page(&sessions).await.text(".empty-title"), "Nobody is at work");
    let closed = ok("chorus_get_session", json!({ "sessionUuid": session })).await;
    assert_eq!((closed["status"].as_str(), closed["checkins"].as_array().map(Vec::len)), (Some("closed"), Some(0)));
    let again = ann.follow(&page, ".session[action$='reopen_session']", &[]).await;
    assert_eq!(again.text("[data-part='sessions'] li .status"), "Active");
    let refused = ann.submit(&page, ".session[action$='reopen_session']", &[("idempotencyKey", "another")]).await;
    assert_eq!((refused.status, refused.text("h1")), (StatusCode::CONFLICT, "Not in its present state".to_owned()));
}

backends!(those_at_work_are_shown_and_put_away_by_the_owner_alone);
