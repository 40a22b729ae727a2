//! The Rust SDK's client against the real binary.

use chorus_testkit::{Backend, Site};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient, ServiceError,
    model::{CallToolRequestParams, CallToolResult, ClientConfig, ProtocolVersion},
    service::RunningService,
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

type Connection = RunningService<RoleClient, ClientConfig>;

/// Every way in which this client can open: how, what it proposes, and what it should end up with.
fn openings() -> Vec<(ClientLifecycleMode, ProtocolVersion, ProtocolVersion)> {
    let modern = || vec![ProtocolVersion::V_2026_07_28];
    let legacy = [
        ProtocolVersion::V_2025_11_25,
        ProtocolVersion::V_2025_06_18,
        ProtocolVersion::V_2025_03_26,
        ProtocolVersion::V_2024_11_05,
    ];
    let latest = ProtocolVersion::LATEST;
    let mut openings = vec![
        // By default it proposes the newest revision in a handshake, which that revision does not have.
        (ClientLifecycleMode::Initialize, latest.clone(), ProtocolVersion::V_2025_11_25),
        (ClientLifecycleMode::Discover { preferred_versions: modern() }, latest.clone(), ProtocolVersion::V_2026_07_28),
        (
            ClientLifecycleMode::Auto { preferred_versions: modern(), legacy_version: None },
            latest,
            ProtocolVersion::V_2026_07_28,
        ),
    ];
    openings.extend(legacy.map(|version| (ClientLifecycleMode::Initialize, version.clone(), version)));
    openings
}

async fn open(site: &Site, mode: ClientLifecycleMode, proposed: ProtocolVersion) -> Connection {
    // Making a client of our own sets up what theirs needs for TLS, though nothing here is encrypted.
    let _ = site.client();
    let endpoint = format!("{}/api/mcp", site.server.base());
    let settings = StreamableHttpClientTransportConfig::with_uri(endpoint).auth_header(site.admin.key.clone());
    let transport = StreamableHttpClientTransport::from_config(settings);
    let client = ClientConfig::default().with_protocol_version(proposed);
    client.serve_with_lifecycle(transport, mode).await.unwrap()
}

async fn call(connection: &Connection, tool: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
    let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
    connection.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await
}

/// The text of a result.
#[track_caller]
fn text(result: &CallToolResult) -> &str {
    &result.content.first().unwrap().as_text().unwrap().text
}

/// The value of a result that is no error, which stands in its text under every revision.
#[track_caller]
fn value(result: &CallToolResult) -> Value {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    let value: Value = serde_json::from_str(text(result)).unwrap();
    assert!(result.structured_content.as_ref().is_none_or(|structured| structured == &value), "{result:?}");
    value
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_lists_and_calls_under_every_opening() {
    let site = Site::new(Backend::Sqlite).await;
    let expected = site.client().tools().await;
    for (mode, proposed, settled) in openings() {
        let shown = format!("{mode:?} {proposed}");
        let connection = open(&site, mode, proposed).await;
        let peer = connection.peer_info().unwrap();
        assert_eq!(peer.protocol_version, settled, "{shown}");
        assert_eq!(peer.server_info.as_ref().map(|info| info.name.as_str()), Some("chorus"), "{shown}");

        let tools = connection.list_all_tools().await.unwrap();
        let names: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, expected, "{shown}");

        let me = call(&connection, "chorus_checkin", json!({})).await.unwrap();
        assert_eq!(value(&me)["agent"]["uuid"], site.admin.id.to_string(), "{shown}");

        let missing = json!({ "taskUuid": "00000000-0000-7000-8000-000000000000" });
        let refused = call(&connection, "chorus_get_task", missing).await.unwrap();
        assert_eq!(refused.is_error, Some(true), "{shown}");
        assert_eq!(refused.structured_content, None, "{shown}");
        assert!(!text(&refused).is_empty());
        let meta = serde_json::to_value(&refused.meta).unwrap();
        assert_eq!(meta["chorus/error"]["code"], "not_found", "{shown}");

        match call(&connection, "chorus_no_such_tool", json!({})).await {
            Err(ServiceError::McpError(error)) => assert_eq!(error.code.0, -32602, "{shown}"),
            other => panic!("{shown}: {other:?}"),
        }
        connection.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_of_the_server_goes_unnoticed() {
    let mut site = Site::new(Backend::Sqlite).await;
    let connection = open(&site, ClientLifecycleMode::Initialize, ProtocolVersion::LATEST).await;
    call(&connection, "chorus_checkin", json!({})).await.unwrap();
    site.server.crash_and_restart_in_place().await;
    let me = call(&connection, "chorus_checkin", json!({})).await.unwrap();
    assert_eq!(value(&me)["agent"]["uuid"], site.admin.id.to_string());
    connection.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_not_valid_is_reported_as_such() {
    let site = Site::new(Backend::Sqlite).await;
    let _ = site.client();
    let endpoint = format!("{}/api/mcp", site.server.base());
    let unknown = format!("cho_{}", "x".repeat(43));
    let settings = StreamableHttpClientTransportConfig::with_uri(endpoint).auth_header(unknown);
    let transport = StreamableHttpClientTransport::from_config(settings);
    let opened = ClientConfig::default().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await;
    let error = opened.err().unwrap();
    assert!(error.auth_challenge().is_some_and(|challenge| challenge.contains("invalid_token")), "{error:?}");
}

/// Report 5: clients that turn every argument into a string.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_arrive_as_strings_are_what_they_were_meant_to_be() {
    let site = Site::new(Backend::Sqlite).await;
    let project = site.client().call("chorus_admin_create_project", json!({ "name": "strings" })).await.ok();
    let project = project["uuid"].as_str().unwrap();
    for (mode, proposed, _) in openings() {
        let shown = format!("{mode:?} {proposed}");
        let connection = open(&site, mode, proposed).await;
        let tasks = json!([
            { "title": "first", "draftUuid": "a", "storyPoints": "3",
              "acceptanceCriteriaItems": "[{\"description\":\"works\",\"required\":\"false\"}]" },
            { "title": "[1, 2]", "dependsOnDraftUuids": "a", "acceptanceCriteriaItems": [{ "description": "works" }] },
        ]);
        let arguments = json!({ "projectUuid": project, "tasks": tasks.to_string() });
        let made = value(&call(&connection, "chorus_create_tasks", arguments).await.unwrap());
        let uuids: Vec<&str> = made["tasks"].as_array().unwrap().iter().map(|t| t["uuid"].as_str().unwrap()).collect();
        let task =
            async |uuid: &str| value(&call(&connection, "chorus_get_task", json!({ "taskUuid": uuid })).await.unwrap());
        let first = task(uuids[0]).await;
        assert_eq!(first["storyPoints"].as_f64(), Some(3.0), "{shown}: {first}");
        assert_eq!(first["acceptanceCriteriaItems"][0]["required"], false, "{shown}: {first}");
        let second = task(uuids[1]).await;
        assert_eq!(second["title"], "[1, 2]", "a string stays one: {shown}");
        assert_eq!(second["dependsOn"][0]["uuid"], uuids[0], "{shown}: {second}");

        let page = json!({ "projectUuid": project, "page": "1", "pageSize": "1" });
        let listed = value(&call(&connection, "chorus_list_tasks", page).await.unwrap());
        assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{shown}");
        connection.cancel().await.unwrap();
    }
}
