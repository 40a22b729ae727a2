//! What each client does: list, check in, create, claim, be refused, clean up.

use std::time::Duration;

use chorus_testkit::{CallResult, Recorder, Site};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{driver::Driver, program::PATIENCE};

const TITLE: &str = "离线同步 · Đồng bộ \"ngoại tuyến\" 🚇";

/// The whole journey, with a crash of the server in its middle.
pub(super) async fn go<D: Driver>(mut client: D, site: &mut Site, recorder: &Recorder) {
    let direct = site.client();
    lists_every_tool(&mut client).await;
    let me = client.call("chorus_checkin", json!({})).await.ok();
    assert_eq!(me["agent"]["uuid"], site.admin.id.to_string());

    let project = client.call("chorus_admin_create_project", json!({ "name": TITLE })).await.ok();
    let idea = json!({ "projectUuid": project["uuid"], "title": TITLE, "content": "Line one.\nLine two." });
    let idea = client.call("chorus_pm_create_idea", idea).await.ok();
    let [first, second] = creates_tasks(&mut client, &project["uuid"]).await;
    let arrived = direct.call("chorus_get_task", json!({ "taskUuid": first })).await.ok();
    assert_eq!((arrived["title"].as_str(), arrived["storyPoints"].as_f64()), (Some(TITLE), Some(2.5)), "{arrived}");
    assert_eq!(arrived["acceptanceCriteriaItems"][0]["required"], false, "{arrived}");

    let claimed = client.call("chorus_claim_task", json!({ "taskUuid": first })).await.ok();
    assert_eq!(claimed["status"], "assigned");
    let streams = streams(recorder);
    recorder.cut();
    site.server.crash_and_restart_in_place().await;
    if D::STAYS && streams > 0 {
        opens_another_stream(recorder, streams).await;
    }
    let kept = client.call("chorus_get_task", json!({ "taskUuid": first })).await.ok();
    assert_eq!(kept["status"], "assigned");

    is_refused(&mut client, site, &first).await;
    client.call("chorus_admin_delete_task", json!({ "taskUuid": second })).await.ok();
    client.call("chorus_admin_delete_task", json!({ "taskUuid": first })).await.ok();
    client.call("chorus_admin_delete_idea", json!({ "ideaUuid": idea["uuid"] })).await.ok();
    for (tool, arguments) in [
        ("chorus_get_task", json!({ "taskUuid": first })),
        ("chorus_get_task", json!({ "taskUuid": second })),
        ("chorus_get_idea", json!({ "ideaUuid": idea["uuid"] })),
    ] {
        assert_eq!(direct.call(tool, arguments).await.code(), "not_found", "{tool}");
    }
    client.end().await;
}

/// How many streams have been opened that outlive requests.
fn streams(recorder: &Recorder) -> usize {
    recorder.exchanges().iter().filter(|exchange| exchange.method == "GET" && exchange.status == 200).count()
}

/// A client of HTTP+SSE has to come back before it can be told to do something: where its messages go has changed.
async fn opens_another_stream(recorder: &Recorder, before: usize) {
    let opened = async {
        while streams(recorder) == before {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, opened).await.expect("the client does not come back");
}

async fn lists_every_tool(client: &mut impl Driver) {
    let surface = chorus_tools::surface().unwrap();
    let mut expected: Vec<&str> = surface.tools().iter().map(|tool| tool.row.name).collect();
    let mut offered = client.tools().await;
    expected.sort_unstable();
    offered.sort_unstable();
    assert_eq!(offered, expected);
}

/// Two tasks, the second of which waits for the first.
async fn creates_tasks(client: &mut impl Driver, project: &Value) -> [String; 2] {
    let tasks = json!([
        { "title": TITLE, "draftUuid": "a", "storyPoints": 2.5,
          "acceptanceCriteriaItems": [{ "description": "It works", "required": false }] },
        { "title": "After it", "dependsOnDraftUuids": ["a"], "acceptanceCriteriaItems": [{ "description": "So does it" }] },
    ]);
    let made = client.call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await.ok();
    [0, 1].map(|index| made["tasks"][index]["uuid"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned())
}

/// The task is held already, and there is a tool that does not exist.
async fn is_refused<D: Driver>(client: &mut D, site: &Site, task: &str) {
    let arguments = json!({ "taskUuid": task });
    let expected = site.client().call("chorus_claim_task", arguments.clone()).await;
    match client.call("chorus_claim_task", arguments).await {
        CallResult::Refused(text, error) => {
            assert!(text.contains(expected.text()), "{text}");
            let code = D::SHOWS_CODES.then_some("already_claimed");
            assert_eq!(error["code"].as_str(), code, "{error}");
        }
        other => panic!("{other:?}"),
    }
    if D::BLIND {
        match client.call("chorus_no_such_tool", json!({})).await {
            CallResult::Protocol(error) => assert_eq!(error["code"], -32602, "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
