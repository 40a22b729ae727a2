//! What a client asks to be offered, by header and by the query of the URL: it narrows tools, and never widens them.

use std::collections::BTreeSet;

use chorus_dispatch::Effect;
use chorus_testkit::{Backend, CallResult, Client, Reply, Site};
use chorus_visibility::Visibility;
use serde_json::{Value, json};

use crate::backends;

const READONLY: (&str, &str) = ("X-Chorus-Readonly", "true");

/// The names of all tools, those with these effects.
fn table(wanted: impl Fn(Effect) -> bool) -> Vec<String> {
    let rows = chorus_tools::table().into_iter().filter(|tool| wanted(tool.run.effect));
    rows.map(|tool| tool.name.to_owned()).collect()
}

fn family(name: &str) -> Vec<String> {
    let rows = chorus_tools::table().into_iter().filter(|tool| tool.family == name);
    rows.map(|tool| tool.name.to_owned()).collect()
}

fn request(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// Posts to the endpoint with a query behind its path.
async fn post(site: &Site, query: &str, headers: &[(&str, &str)], body: String) -> Value {
    let url = format!("{}/api/mcp{query}", site.server.base());
    let mut post = chorus_testkit::http().post(url).bearer_auth(&site.admin.key);
    for (name, value) in [("content-type", "application/json"), ("mcp-protocol-version", "2025-11-25")] {
        post = post.header(name, value);
    }
    for (name, value) in headers {
        post = post.header(*name, *value);
    }
    let reply = Reply::of(post.body(body).send().await.unwrap()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

async fn listed(site: &Site, query: &str, headers: &[(&str, &str)]) -> Vec<String> {
    let answer = post(site, query, headers, request("tools/list", &json!({}))).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

async fn called(site: &Site, query: &str, headers: &[(&str, &str)], tool: &str, arguments: Value) -> Value {
    post(site, query, headers, request("tools/call", &json!({ "name": tool, "arguments": arguments }))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_can_ask_for_tools_that_only_read() {
    let site = Site::new(Backend::Sqlite).await;
    let reading = table(|effect| effect != Effect::Write);
    for kept in ["chorus_checkin", "chorus_get_notifications", "chorus_get_session", "chorus_search"] {
        assert!(reading.iter().any(|tool| tool == kept), "{kept}");
    }
    assert_eq!(listed(&site, "", &[READONLY]).await, reading);
    for query in ["?readonly=true", "?readonly=1", "?x=y&readonly=TRUE", "/?readonly=yes"] {
        assert_eq!(listed(&site, query, &[]).await, reading, "{query}");
    }
    let everything = table(|_| true);
    for (query, headers) in [
        ("", &[][..]),
        ("?readonly=false", &[]),
        ("?readonly=", &[]),
        ("", &[("X-Chorus-Readonly", "false")]),
        ("", &[("X-Chorus-Readonly", "")]),
    ] {
        assert_eq!(listed(&site, query, headers).await, everything, "{query} {headers:?}");
    }
    // Neither place takes back what the other one asks for.
    assert_eq!(listed(&site, "?readonly=false", &[READONLY]).await, reading);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_can_ask_for_tools_by_name_and_by_family() {
    let site = Site::new(Backend::Sqlite).await;
    let check = async |query: &str, header: Option<&str>, expected: &[String]| {
        let headers: Vec<(&str, &str)> = header.map(|list| ("X-Chorus-Tools", list)).into_iter().collect();
        assert_eq!(listed(&site, query, &headers).await, expected, "{query} {header:?}");
    };
    let names = |names: &[&str]| names.iter().map(|name| format!("chorus_{name}")).collect::<Vec<_>>();
    check("", Some("chorus_get_task"), &names(&["get_task"])).await;
    // In the order of the table, each once, whatever else is named.
    check("", Some("chorus_get_task, chorus_checkin,nonsense, chorus_get_task"), &names(&["checkin", "get_task"]))
        .await;
    check("", Some("document"), &family("document")).await;
    check("", Some("Document , CHORUS_CHECKIN"), &[names(&["checkin"]), family("document")].concat()).await;
    check("?tools=document", None, &family("document")).await;
    check("?tools=search%2C+mention", None, &[family("mention"), family("search")].concat()).await;
    check("?tools=search&tools=mention", None, &[family("mention"), family("search")].concat()).await;
    // Both have to name it.
    check("?tools=document,search", Some("search,task"), &family("search")).await;
    check("?tools=document", Some("task"), &[]).await;
    check("?tools=document&readonly=1", None, &names(&["get_documents", "get_document"])).await;
    // What names nothing leaves nothing; what says nothing asks for nothing in particular.
    check("", Some("nonsense"), &[]).await;
    check("?tools=chorus_", None, &[]).await;
    for nothing in ["", " ", ",, "] {
        check("?tools=", Some(nothing), &table(|_| true)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_is_in_one_family_that_is_a_word() {
    let families: BTreeSet<&str> = chorus_tools::table().iter().map(|tool| tool.family).collect();
    assert!(families.iter().all(|family| family.bytes().all(|byte| byte.is_ascii_lowercase())), "{families:?}");
    let expected = [
        "activity",
        "checkin",
        "comment",
        "document",
        "elaboration",
        "group",
        "idea",
        "mention",
        "notification",
        "project",
        "proposal",
        "reference",
        "search",
        "session",
        "task",
    ];
    assert_eq!(families.into_iter().collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_was_not_asked_for_does_not_exist() {
    let site = Site::new(Backend::Sqlite).await;
    let write = ("chorus_pm_create_idea", json!({ "projectUuid": site.admin.id, "title": "x" }));
    for (query, headers) in [
        ("", &[READONLY][..]),
        ("?readonly=true", &[]),
        ("?tools=task", &[]),
        ("", &[("X-Chorus-Tools", "chorus_checkin")]),
        ("", &[("X-Chorus-Tools", "nonsense")]),
    ] {
        for arguments in [write.1.clone(), json!({}), json!({ "idempotencyKey": 5 })] {
            let refused = called(&site, query, headers, write.0, arguments.clone()).await;
            let unknown = called(&site, query, headers, "chorus_pm_create_ideas", arguments).await;
            let same = unknown.to_string().replace("chorus_pm_create_ideas", write.0);
            assert_eq!(refused.to_string(), same, "{query} {headers:?}");
            assert_eq!(refused["error"]["code"], -32602);
        }
    }
    // Asking for a tool does not give it to somebody who lacks its permission.
    let bare = site.world.agent("bare", Some(site.world.first_user), &[], &[]).await;
    let client = site.server.client(&bare.key).with_header("X-Chorus-Tools", "chorus_pm_create_idea");
    assert_eq!(client.tools().await, [""; 0]);
    let refused = client.call("chorus_pm_create_idea", write.1).await;
    assert!(matches!(&refused, CallResult::Protocol(error) if error["code"] == -32602), "{refused:?}");
}

async fn a_client_that_only_reads_leaves_no_trace(backend: Backend) {
    let site = Site::new(backend).await;
    let client = site.client();
    let ok = async |client: &Client, tool: &str, arguments: Value| {
        client.call(&format!("chorus_{tool}"), arguments).await.ok()
    };
    let project = site.world.project("P", Visibility::Public, &[]).await;
    let criteria = json!([{ "description": "It works" }]);
    let tasks = json!([{ "title": "T", "acceptanceCriteriaItems": criteria }]);
    let task = ok(&client, "create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await["tasks"][0]["uuid"]
        .clone();
    let other = site.world.agent("other", Some(site.world.first_user), &["admin_agent"], &[]).await;
    let remark = json!({ "targetType": "task", "targetUuid": task, "content": "Why?" });
    ok(&site.server.client(&other.key), "add_comment", remark).await;
    let session = ok(&client, "create_session", json!({ "name": "s" })).await["uuid"].clone();
    let sessions = async || ok(&client, "list_sessions", json!({})).await;
    let before = sessions().await;

    let reading = site.client().with_header(READONLY.0, READONLY.1);
    for _ in 0..2 {
        assert_eq!(ok(&reading, "checkin", json!({})).await["notifications"]["unread"], 1);
        assert_eq!(ok(&reading, "get_notifications", json!({})).await["unreadCount"], 1);
        ok(&reading, "get_session", json!({ "sessionUuid": session })).await;
    }
    let seen = async || {
        let mut reads = site.world.services.store.read().await.unwrap();
        let profile = reads.directory().profile(site.admin.id, site.world.now()).await.unwrap().unwrap();
        profile.agent.last_active_at
    };
    assert_eq!((seen().await, sessions().await), (None, before));
    // The same calls of a client that did not ask do.
    let checkin = ok(&client, "checkin", json!({})).await;
    assert_eq!(checkin["notifications"]["unread"], 0);
    assert!(seen().await.is_some());
    assert_eq!(ok(&client, "get_notifications", json!({})).await["unreadCount"], 0);
}

backends!(a_client_that_only_reads_leaves_no_trace);
