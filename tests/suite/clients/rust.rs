//! The Rust SDK's client.

use chorus_testkit::{Backend, CallResult, Site, http};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient, ServiceError,
    model::{CallToolRequestParams, ClientConfig, ProtocolVersion},
    service::RunningService,
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

use super::{
    driver::{Driver, read},
    matrix::{Run, TESTED},
    program::{Server, Transport},
};

/// How it opens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opening {
    /// With a handshake that proposes this revision.
    Handshake(&'static str),
    /// By asking what the server speaks; the newest revision or none.
    Discover,
    /// By asking, and else with a handshake.
    Auto,
}

impl Opening {
    fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Self::Handshake(_) => ClientLifecycleMode::Initialize,
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions },
            Self::Auto => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        }
    }

    fn proposed(self) -> ProtocolVersion {
        match self {
            Self::Handshake(version) => serde_json::from_value(json!(version)).unwrap(),
            Self::Discover | Self::Auto => ProtocolVersion::LATEST,
        }
    }
}

/// A client that has connected.
pub(super) struct Rust(RunningService<RoleClient, ClientConfig>);

impl Rust {
    /// Connects.
    pub(super) async fn open(opening: Opening, server: &Server) -> Self {
        Self::try_open(opening, server).await.unwrap()
    }

    async fn try_open(opening: Opening, server: &Server) -> Result<Self, rmcp::service::ClientInitializeError> {
        // Making a client of our own sets up what theirs needs for TLS, though nothing here is encrypted.
        let _ = http();
        let settings =
            StreamableHttpClientTransportConfig::with_uri(server.url.clone()).auth_header(server.key.clone());
        let transport = StreamableHttpClientTransport::from_config(settings);
        let client = ClientConfig::default().with_protocol_version(opening.proposed());
        let connection = client.serve_with_lifecycle(transport, opening.mode()).await?;
        let peer = connection.peer_info().unwrap();
        assert_eq!(peer.server_info.as_ref().map(|info| info.name.as_str()), Some("chorus"), "{opening:?}");
        Ok(Self(connection))
    }
}

impl Driver for Rust {
    const BLIND: bool = true;
    const STAYS: bool = true;
    const SHOWS_CODES: bool = true;

    async fn tools(&mut self) -> Vec<String> {
        let tools = self.0.list_all_tools().await.unwrap();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    async fn call(&mut self, tool: &'static str, arguments: Value) -> CallResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
        match self.0.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await {
            Ok(result) => read(&serde_json::to_value(result).unwrap()),
            Err(ServiceError::McpError(error)) => CallResult::Protocol(json!({ "code": error.code.0 })),
            Err(error) => panic!("{error:?}"),
        }
    }

    async fn end(self) {
        self.0.cancel().await.unwrap();
    }
}

fn server(site: &Site, key: &str) -> Server {
    Server::at(site.server.base(), Transport::Http, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_not_valid_is_reported_as_such() {
    let site = Site::new(Backend::Sqlite).await;
    let unknown = format!("cho_{}", "x".repeat(43));
    let opened = Rust::try_open(Opening::Handshake("2025-11-25"), &server(&site, &unknown)).await;
    let error = opened.err().unwrap();
    assert!(error.auth_challenge().is_some_and(|challenge| challenge.contains("invalid_token")), "{error:?}");
}

/// Report 5: clients that turn every argument into a string.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_arrive_as_strings_are_what_they_were_meant_to_be() {
    let site = Site::new(Backend::Sqlite).await;
    let project = site.client().call("chorus_admin_create_project", json!({ "name": "strings" })).await.ok();
    let project = project["uuid"].as_str().unwrap();
    let openings = TESTED.iter().filter_map(|tested| match tested.run {
        Run::Rust(opening) => Some(opening),
        _ => None,
    });
    for opening in openings {
        let shown = format!("{opening:?}");
        let mut client = Rust::open(opening, &server(&site, &site.admin.key)).await;
        let tasks = json!([
            { "title": "first", "draftUuid": "a", "storyPoints": "3",
              "acceptanceCriteriaItems": "[{\"description\":\"works\",\"required\":\"false\"}]" },
            { "title": "[1, 2]", "dependsOnDraftUuids": "a", "acceptanceCriteriaItems": [{ "description": "works" }] },
        ]);
        let arguments = json!({ "projectUuid": project, "tasks": tasks.to_string() });
        let made = client.call("chorus_create_tasks", arguments).await.ok();
        let uuids: Vec<&str> = made["tasks"].as_array().unwrap().iter().map(|t| t["uuid"].as_str().unwrap()).collect();
        let first = client.call("chorus_get_task", json!({ "taskUuid": uuids[0] })).await.ok();
        assert_eq!(first["storyPoints"].as_f64(), Some(3.0), "{shown}: {first}");
        assert_eq!(first["acceptanceCriteriaItems"][0]["required"], false, "{shown}: {first}");
        let second = client.call("chorus_get_task", json!({ "taskUuid": uuids[1] })).await.ok();
        assert_eq!(second["title"], "[1, 2]", "a string stays one: {shown}");
        assert_eq!(second["dependsOn"][0]["uuid"], uuids[0], "{shown}: {second}");

        let page = json!({ "projectUuid": project, "page": "1", "pageSize": "1" });
        let listed = client.call("chorus_list_tasks", page).await.ok();
        assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{shown}");
        client.end().await;
    }
}
