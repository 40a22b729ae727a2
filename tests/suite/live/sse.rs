//! HTTP+SSE, the transport of 2024-11-05, with a client written by hand.

use std::time::Duration;

use chorus_domain::Kind;
use chorus_store::{Hold, Roots};
use chorus_testkit::{Backend, Client, EventStream, Launch, Reply, Server, Site, http, operator};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{QUIET, comment, new_task, news, updated};
use crate::backends;

/// A session of a client.
struct Session {
    client: Client,
    stream: EventStream,
    place: String,
    /// The revision that was agreed on; before that the transport's own.
    version: String,
}

impl Session {
    async fn open(client: Client) -> Self {
        let mut stream =
            EventStream::of(client.get("/sse").header("accept", "text/event-stream").send().await.unwrap());
        let first = stream.next().await;
        assert_eq!(first.name, "endpoint", "{first:?}");
        let id = first.data.strip_prefix("/message?sessionId=").unwrap();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first:?}");
        Self { client, stream, place: first.data, version: "2024-11-05".to_owned() }
    }

    /// One that has shaken hands.
    async fn ready(client: Client, version: &str) -> Self {
        let mut session = Self::open(client).await;
        version.clone_into(&mut session.version);
        let client = json!({ "name": "by hand", "version": "1" });
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let answer = session.ask(json!(0), "initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        session
    }

    /// Posts a message, which has to be taken.
    async fn post(&self, message: &Value) {
        let reply = Reply::of(self.client.post_to(&self.place).body(message.to_string()).send().await.unwrap()).await;
        assert_eq!((reply.status, reply.text.as_str()), (202, ""), "{reply:?}");
    }

    async fn send(&mut self, id: Value, method: &str, params: Value) {
        self.stream.asks(&self.version, method, &id);
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    /// Posts a request and waits for the next message, which has to be its answer.
    async fn ask(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.send(id.clone(), method, params).await;
        let answer = self.stream.message().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }
}

async fn project(site: &Site) -> String {
    let admins = [(site.world.first_user, Role::Admin)];
    site.world.project("Shared", Visibility::Private, &admins).await.to_string()
}

async fn every_handshake_revision_works_from_hello_to_answer(backend: Backend) {
    let site = Site::new(backend).await;
    let project = project(&site).await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut session = Session::ready(site.client(), version).await;
        assert_eq!(session.ask(json!("p"), "ping", json!({})).await["result"], json!({}));
        let listed = session.ask(json!(-1), "tools/list", json!({})).await;
        let tool = &listed["result"]["tools"][0];
        // The revision of the handshake counts, though no header names it.
        assert_eq!(tool.get("annotations").is_some(), version != "2024-11-05", "{version}: {tool}");
        assert_eq!(tool.get("outputSchema").is_some(), version >= "2025-06-18", "{version}: {tool}");
        let call = json!({ "name": "chorus_create_tasks", "arguments": { "projectUuid": project, "tasks": [{ "title": version, "acceptanceCriteriaItems": [{ "description": "works" }] }] } });
        let made = session.ask(json!(""), "tools/call", call).await;
        assert!(made["result"]["content"][0]["text"].as_str().unwrap().contains(version), "{made}");
        let unknown = session.ask(json!(7), "no/such", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    }
    // A revision without handshake is answered with the newest that has one.
    let mut session = Session::open(site.client()).await;
    let hello =
        json!({ "protocolVersion": "2026-07-28", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    assert_eq!(session.ask(json!(1), "initialize", hello).await["result"]["protocolVersion"], "2025-11-25");
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    } });
    let modern = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": meta });
    let reply = Reply::of(session.client.post_to(&session.place).body(modern.to_string()).send().await.unwrap()).await;
    assert_eq!(reply.status, 400, "{reply:?}");
}

async fn a_session_belongs_to_the_key_that_opened_it(backend: Backend) {
    let site = Site::new(backend).await;
    let other = site.world.agent("other", Some(site.world.first_user), &["admin_agent"], &[]).await;
    let mut session = Session::ready(site.client(), "2025-06-18").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let other = site.server.client(&other.key);
    let post =
        async |client: &Client, place: &str| Reply::of(client.post_to(place).body(ping).send().await.unwrap()).await;
    let foreign = post(&other, &session.place).await;
    let unknown = post(&session.client, &format!("/message?sessionId={}", "0".repeat(32))).await;
    assert_eq!((foreign.status, &foreign.text), (404, &unknown.text));
    assert!(foreign.text.contains("sticky"), "{foreign:?}");
    for place in ["/message", "/message?sessionId=", "/message?session=x"] {
        assert_eq!(post(&session.client, place).await.status, 400, "{place}");
    }
    let base = site.server.base();
    for request in [http().get(format!("{base}/sse")), http().post(format!("{base}{}", session.place)).body(ping)] {
        let reply = Reply::of(request.send().await.unwrap()).await;
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some("Bearer realm=\"chorus\"")));
    }
    // A session of another process is not here, and that is said.
    let far = Server::start(&site.database).await;
    assert_eq!(post(&far.client(&site.admin.key), &session.place).await.status, 404);
    assert_eq!(session.ask(json!(2), "ping", json!({})).await["result"], json!({}));
    // It ends with its stream.
    let Session { client, stream, place, .. } = session;
    drop(stream);
    for _ in 0..100 {
        if post(&client, &place).await.status == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the session is still there");
}

async fn both_paths_are_guarded_like_the_endpoint(backend: Backend) {
    let site = Site::new(backend).await;
    let client = site.client();
    for (header, value) in [("host", "evil.example"), ("origin", "http://evil.example")] {
        for request in [client.get("/sse"), client.post_to("/message?sessionId=x")] {
            assert_eq!(request.header(header, value).send().await.unwrap().status(), 403, "{header}");
        }
    }
    // A client that tries the newer transport first falls back to GET, unless a JSON-RPC error stands in the answer.
    let tried =
        Reply::of(client.post_to("/sse").body(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).send().await.unwrap())
            .await;
    assert_eq!((tried.status, tried.header("allow")), (405, Some("GET")), "{tried:?}");
    assert_eq!(tried.json().get("jsonrpc"), None, "{tried:?}");
    let tried = Reply::of(client.get("/message").send().await.unwrap()).await;
    assert_eq!((tried.status, tried.header("allow")), (405, Some("POST")), "{tried:?}");

    let off = Launch::on(site.database.url()).flag("--legacy-sse", "off").start().await;
    let off = off.client(&site.admin.key);
    assert_eq!(off.get("/sse").send().await.unwrap().status(), 404);
    assert_eq!(off.post_to("/message?sessionId=x").send().await.unwrap().status(), 404);
}

async fn resources_are_subscribed_to_and_no_longer(backend: Backend) {
    let site = Site::new(backend).await;
    let project = project(&site).await;
    let (id, uri) = new_task(&site.client(), &project, "watched").await;
    let mut session = Session::ready(site.client(), "2024-11-05").await;
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    let offered = session.ask(json!(1), "initialize", hello).await;
    assert_eq!(offered["result"]["capabilities"]["resources"], json!({ "listChanged": true, "subscribe": true }));

    let answer = session.ask(json!(2), "resources/subscribe", json!({ "uri": uri })).await;
    assert_eq!(answer["result"], json!({}), "{answer}");
    comment(&site.client(), &id).await;
    assert_eq!(news(&mut session.stream).await, updated(&uri));
    // What is hidden or gone is missing.
    for missing in [format!("chorus://projects/{project}/tasks/{project}"), "chorus://nothing".to_owned()] {
        let answer = session.ask(json!(3), "resources/subscribe", json!({ "uri": missing })).await;
        assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["uri"]), (&json!(-32002), &json!(missing)));
    }
    let answer = session.ask(json!(4), "resources/unsubscribe", json!({ "uri": uri })).await;
    assert_eq!(answer["result"], json!({}), "{answer}");
    comment(&site.client(), &id).await;
    session.stream.silent(QUIET).await;
    // Only here: single requests have no stream that could bring the news.
    let answer = site.client().rpc("resources/subscribe", json!({ "uri": uri })).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

async fn lists_that_change_are_told_to_sessions(backend: Backend) {
    let site = Site::new(backend).await;
    let agent = site.world.agent("other", None, &["developer_agent"], &[]).await;
    let mut session = Session::ready(site.server.client(&agent.key), "2025-03-26").await;
    // Before a handshake nothing is told.
    let mut silent = Session::open(site.server.client(&agent.key)).await;
    operator(site.database.url(), &["agent", "update", "other", "--preset", "admin_agent"]).await;
    assert_eq!(news(&mut session.stream).await.0, "tools/list_changed");
    assert_eq!(news(&mut session.stream).await.0, "prompts/list_changed");
    silent.stream.silent(QUIET).await;
    // Who comes back after a restart does not shake hands again, and is told all the same.
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let again = silent.client.post_to(&silent.place).header("mcp-protocol-version", "2025-06-18").body(ping);
    assert_eq!(again.send().await.unwrap().status(), 202);
    silent.stream.asks("2025-06-18", "ping", &json!(1));
    assert_eq!(silent.stream.message().await["id"], 1);
    operator(site.database.url(), &["agent", "update", "other", "--preset", "pm_agent"]).await;
    assert_eq!(news(&mut silent.stream).await.0, "tools/list_changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_on_the_stream_of_the_session() {
    let site = Site::new(Backend::Postgres).await;
    let project = project(&site).await;
    let mut session = Session::ready(site.client(), "2024-11-05").await;
    site.database.hold("audit", Duration::from_secs(2)).await;
    let tasks = json!([{ "title": "slow", "acceptanceCriteriaItems": [{ "description": "works" }] }]);
    let call = json!({
        "name": "chorus_create_tasks", "arguments": { "projectUuid": project, "tasks": tasks },
        "_meta": { "progressToken": "t" },
    });
    session.send(json!(1), "tools/call", call).await;
    let told = session.stream.message().await;
    assert_eq!((&told["method"], &told["params"]["progressToken"]), (&json!("notifications/progress"), &json!("t")));
    assert_eq!(told["params"].get("message"), None, "that revision has none: {told}");
    assert_eq!(session.stream.message().await["id"], 1);
}

/// Checklist §15: what a client cancels is not answered, and the session goes on.
async fn a_running_request_can_be_cancelled(backend: Backend) {
    let site = Site::new(backend).await;
    let project = project(&site).await;
    let (id, _) = new_task(&site.client(), &project, "contended").await;
    let mut session = Session::ready(site.client(), "2025-11-25").await;
    let mut blocker = site.world.services.store.begin().await.unwrap();
    let mut roots = Roots::default();
    roots.add(Kind::Task, id.parse().unwrap(), Hold::Own);
    blocker.lock(&roots).await.unwrap();
    let rename = |title: &str| json!({ "name": "chorus_update_task", "arguments": { "taskUuid": id, "title": title } });
    session.send(json!("slow"), "tools/call", rename("cancelled")).await;
    session.stream.silent(QUIET).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "slow" } });
    session.post(&cancel).await;
    // One that is unknown is fine.
    session.post(&cancel).await;
    blocker.rollback().await.unwrap();
    session.stream.silent(QUIET).await;
    let task = site.client().call("chorus_get_task", json!({ "taskUuid": id })).await.ok();
    assert_eq!(task["title"], "contended", "nothing was written");
    let answer = session.ask(json!("next"), "tools/call", rename("renamed")).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

/// Those of a batch do not end each other: none of them can be cancelled alone, so none is.
async fn a_request_of_a_batch_is_answered_whatever_is_cancelled(backend: Backend) {
    let site = Site::new(backend).await;
    let project = project(&site).await;
    let (id, _) = new_task(&site.client(), &project, "contended").await;
    let mut session = Session::ready(site.client(), "2025-03-26").await;
    let mut blocker = site.world.services.store.begin().await.unwrap();
    let mut roots = Roots::default();
    roots.add(Kind::Task, id.parse().unwrap(), Hold::Own);
    blocker.lock(&roots).await.unwrap();
    let rename = json!({ "name": "chorus_update_task", "arguments": { "taskUuid": id, "title": "renamed" } });
    let request =
        |id: &str, params: &Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    let me = json!({ "name": "chorus_checkin", "arguments": {} });
    for id in ["a", "b"] {
        session.stream.asks("2025-03-26", "tools/call", &json!(id));
    }
    session.post(&json!([request("a", &rename), request("b", &me)])).await;
    session.stream.silent(QUIET).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "a" } });
    session.post(&cancel).await;
    blocker.rollback().await.unwrap();
    for id in ["a", "b"] {
        let answer = session.stream.message().await;
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)), "{answer}");
    }
}

backends!(
    a_request_of_a_batch_is_answered_whatever_is_cancelled,
    every_handshake_revision_works_from_hello_to_answer,
    a_session_belongs_to_the_key_that_opened_it,
    both_paths_are_guarded_like_the_endpoint,
    resources_are_subscribed_to_and_no_longer,
    lists_that_change_are_told_to_sessions,
    a_running_request_can_be_cancelled,
);
