//! The server as an HTTP server: who is let in, in which order it is decided, and what it puts up with.

use std::{sync::Arc, time::Duration};

use chorus_http::{App, Config, Limits, Mount};
use chorus_mcp::ServerInfo;
use chorus_testkit::{Backend, Client, Database, Detour, Launch, Reply, Site, Wire, World, exchange, http, operator};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

const JSON: (&str, &str) = ("content-type", "application/json");
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// The form of a key, and nobody's.
const NOBODYS: &str = "cho_0123456789012345678901234567890123456789012";

async fn send(request: reqwest::RequestBuilder) -> Reply {
    exchange(request).await
}

/// A ping as a whole request, with these lines in its head.
fn ping(lines: &str) -> String {
    post(lines, PING)
}

fn post(lines: &str, body: &str) -> String {
    format!(
        "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n\
         {body}",
        body.len()
    )
}

// Who is let in.

/// README decision 21: Host and Origin, route and method, then the credential, then the body.
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_checked_in_order() {
    let site = Site::new(Backend::Sqlite).await;
    let endpoint = format!("{}/api/mcp", site.server.base());
    let key = format!("Bearer {}", site.admin.key);
    let big = "x".repeat(5 * 1024 * 1024);
    let (key, big) = (key.as_str(), big.as_str());
    // Each request is wrong in everything from some point on. What it is refused for is the first of these.
    for (method, path, host, origin, authorization, body, status) in [
        ("PUT", "/nowhere", "evil.example", "http://evil.example", "Bearer x", "{", 403),
        ("POST", "/api/mcp", "evil.example", "", key, PING, 403),
        ("POST", "/api/mcp", "localhost", "http://evil.example", key, PING, 403),
        ("POST", "/api/mcp", "localhost", "null", key, PING, 403),
        ("GET", "/api/health", "evil.example", "", "", "", 403),
        ("GET", "/api/health", "localhost", "http://evil.example", "", "", 403),
        ("GET", "/.well-known/x", "evil.example", "", "", "", 403),
        ("OPTIONS", "/api/mcp", "localhost", "http://evil.example", "", "", 403),
        ("PUT", "/api/mcp", "localhost", "", "Bearer x", "{", 405),
        ("GET", "/api/mcp", "localhost", "http://localhost:3000", "", "", 405),
        ("POST", "/nowhere", "localhost", "", "Bearer x", "{", 404),
        ("POST", "/api/mcp", "localhost", "", "Bearer x", "{", 401),
        ("POST", "/api/mcp", "localhost", "", "", "[]", 401),
        ("POST", "/api/mcp", "localhost", "", "Bearer x", big, 401),
        ("POST", "/api/mcp", "localhost", "", key, big, 413),
        ("POST", "/api/mcp", "localhost", "", key, "{", 400),
        ("POST", "/api/mcp", "localhost", "http://127.0.0.1:9", key, PING, 200),
        ("POST", "/api/mcp", "127.0.0.1:1", "", key, PING, 200),
        ("POST", "/api/mcp", "[::1]:8637", "", key, PING, 200),
    ] {
        let mut request = http().request(method.parse().unwrap(), endpoint.replace("/api/mcp", path));
        for (name, value) in [("host", host), ("origin", origin), ("authorization", authorization)] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        let reply = send(request.header(JSON.0, JSON.1).body(body.to_owned())).await;
        let shown = format!("{method} {path} {host} {origin} {authorization}: {}", reply.text);
        assert_eq!(reply.status, status, "{shown}");
        assert!(reply.json().is_object(), "never anything but JSON: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_told_which_one_is_served_whoever_asks() {
    let site = Site::new(Backend::Sqlite).await;
    for path in ["/api/mcp", "/api/mcp/"] {
        for method in ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"] {
            let request = http().request(method.parse().unwrap(), format!("{}{path}", site.server.base()));
            let reply = send(request.header("accept", "text/event-stream")).await;
            assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")), "{method} {path}");
            assert_eq!(reply.header("www-authenticate"), None);
            if method != "HEAD" {
                assert_eq!(reply.json()["error"]["code"], -32600, "{method} {path}");
            }
        }
    }
    let reply = send(http().post(format!("{}/api/health", site.server.base()))).await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_endpoint_is_served_with_a_slash_too_and_nothing_redirects() {
    let site = Site::new(Backend::Sqlite).await;
    for path in ["/api/mcp", "/api/mcp/", "/api/mcp?x=y"] {
        let request = http().post(format!("{}{path}", site.server.base())).bearer_auth(&site.admin.key);
        let reply = send(request.header(JSON.0, JSON.1).body(PING)).await;
        assert_eq!((reply.status, reply.json()["result"].clone()), (200, json!({})), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_public_url_answers_to_that_name() {
    let site = Site::new(Backend::Sqlite).await;
    let launch = Launch::on(site.database.url()).flag("--public-url", "https://chorus.example.com/base/");
    let server = launch.start().await;
    let client = server.client(&site.admin.key);
    for (host, origin, status) in [
        ("chorus.example.com", "https://chorus.example.com", 200),
        ("chorus.example.com:443", "https://chorus.example.com:443", 200),
        ("localhost", "https://chorus.example.com", 200),
        ("chorus.example.com", "http://chorus.example.com", 403),
        ("chorus.example.com", "https://www.chorus.example.com", 403),
        ("www.chorus.example.com", "https://chorus.example.com", 403),
        ("chorus.example.com.evil.example", "https://chorus.example.com", 403),
    ] {
        let reply = client.exchange(&[JSON, ("host", host), ("origin", origin)], PING).await;
        assert_eq!(reply.status, status, "{host} {origin}");
        // Its own pages need no permission to read.
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

/// Clients that look for an authorization server take anything else for one (protocol checklist §18.1).
#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_authorization_server_to_be_found() {
    let site = Site::new(Backend::Sqlite).await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/api/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/api/mcp/.well-known/openid-configuration",
        "/register",
        "/authorize",
        "/token",
        "/nowhere",
        "/api",
        "/api/mcp/x",
        "/api/mcp//",
    ] {
        for method in ["GET", "POST"] {
            let request = http().request(method.parse().unwrap(), format!("{}{path}", site.server.base()));
            let reply = send(request).await;
            assert_eq!((reply.status, reply.json()["error"].as_str()), (404, Some("not_found")), "{method} {path}");
            let description = reply.json()["error_description"].to_string();
            assert!(description.contains("Authorization: Bearer"), "{method} {path}: {description}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_not_accepted_is_told_why() {
    let site = Site::new(Backend::Sqlite).await;
    let url = site.database.url();
    let key = async |more: &[&str]| operator(url, &[&["key", "create", "--agent", "admin"][..], more].concat()).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let revoked = key(&[]).await;
    operator(url, &["key", "revoke", &text(&revoked["keyUuid"])]).await;
    let expired = key(&["--expires-at", "2020-01-31"]).await;
    let lasting = key(&["--expires-at", "2999-12-31T23:59:59Z"]).await;

    let bearer = |key: &str| format!("Authorization: Bearer {key}\r\n");
    let (revoked, expired) = (text(&revoked["apiKey"]), text(&expired["apiKey"]));
    for (lines, cause) in [
        (String::new(), None),
        ("Authorization: \r\n".to_owned(), None),
        (bearer("x"), Some("malformed")),
        (bearer(&NOBODYS[..46]), Some("malformed")),
        (format!("Authorization: Basic {}\r\n", site.admin.key), Some("malformed")),
        (bearer(&site.admin.key).repeat(2), Some("malformed")),
        (bearer(NOBODYS), Some("unknown")),
        (bearer(&revoked), Some("revoked")),
        (bearer(&expired), Some("expired")),
    ] {
        let mut wire = Wire::connect(site.server.base()).await;
        wire.send(ping(&lines)).await;
        let reply = wire.answer().await;
        assert_eq!(reply.status, 401, "{lines}");
        let body = reply.json();
        let description = body["error"].as_str().unwrap();
        let challenge = reply.header("www-authenticate").unwrap();
        match cause {
            // Nothing is wrong with what was sent, so no error is named.
            None => assert_eq!(challenge, "Bearer realm=\"chorus\"", "{lines}"),
            Some(cause) => {
                assert!(description.contains(cause), "{lines}: {description}");
                let expected =
                    format!("Bearer realm=\"chorus\", error=\"invalid_token\", error_description=\"{description}\"");
                assert_eq!(challenge, expected);
            }
        }
        assert!(!reply.text.contains("cho_0") && !challenge.contains("cho_0"), "{reply:?}");
    }
    for line in [
        format!("Authorization: Bearer {}\r\n", text(&lasting["apiKey"])),
        format!("Authorization: bearer {}\r\n", site.admin.key),
        format!("AUTHORIZATION: BEARER   {}  \r\n", site.admin.key),
        format!("authorization: {}\r\n", site.admin.key),
    ] {
        let mut wire = Wire::connect(site.server.base()).await;
        wire.send(ping(&line)).await;
        assert_eq!(wire.answer().await.status, 200, "{line}");
    }
    // Never from the query.
    let request = http().post(format!("{}/api/mcp?api_key={}", site.server.base(), site.admin.key));
    assert_eq!(send(request.header(JSON.0, JSON.1).body(PING)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_refused_before_the_body_is_there() {
    let site = Site::new(Backend::Sqlite).await;
    let head = |line: &str| {
        format!(
            "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {NOBODYS}\r\nContent-Type: \
             application/json\r\nContent-Length: 100\r\n{line}\r\n"
        )
    };
    // Who asks before sending is not invited to send.
    let mut asking = Wire::connect(site.server.base()).await;
    asking.send(head("Expect: 100-continue\r\n")).await;
    assert_eq!(asking.answer().await.status, 401);
    asking.closed().await;
    // Who never sends is answered all the same.
    let mut silent = Wire::connect(site.server.base()).await;
    silent.send(head("")).await;
    assert_eq!(silent.answer().await.status, 401);
    silent.closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_configured_origins_may_read_and_others_may_not() {
    let site = Site::new(Backend::Sqlite).await;
    let console = "https://console.example.com";
    let server = Launch::on(site.database.url()).flag("--allow-origin", console).start().await;
    let endpoint = format!("{}/api/mcp", server.base());
    let call = async |origin: &str, key: &str| {
        let request = http().post(&endpoint).bearer_auth(key).header("origin", origin);
        send(request.header(JSON.0, JSON.1).body(PING)).await
    };
    let preflight_of = async |url: &str, origin: &str, method: &str| {
        let request = http().request(reqwest::Method::OPTIONS, url).header("origin", origin);
        send(request.header("access-control-request-method", method)).await
    };
    let preflight = async |origin: &str| preflight_of(&endpoint, origin, "POST").await;
    let allowed = "access-control-allow-origin";

    let reply = preflight(console).await;
    assert_eq!((reply.status, reply.header(allowed), reply.text.as_str()), (204, Some(console), ""));
    let headers = reply.header("access-control-allow-headers").unwrap().to_ascii_lowercase();
    for header in [
        "authorization",
        "content-type",
        "accept",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "last-event-id",
        "x-chorus-project",
        "x-chorus-project-group",
    ] {
        assert!(headers.split(", ").any(|known| known == header), "{header} in {headers}");
    }
    assert!(reply.header("access-control-allow-methods").unwrap().contains("POST"));
    assert_eq!(reply.header("access-control-allow-credentials"), None);

    // The paths of the older transport are no different.
    for (path, method) in [("/sse", "GET"), ("/message", "POST")] {
        let url = endpoint.replace("/api/mcp", path);
        let reply = preflight_of(&url, console, method).await;
        assert_eq!((reply.status, reply.header(allowed)), (204, Some(console)), "{path}");
        assert_eq!(reply.header("access-control-allow-methods"), Some(format!("{method}, OPTIONS").as_str()));
        assert_eq!(preflight_of(&url, "https://evil.example", method).await.status, 403, "{path}");
    }

    for (key, status) in [(site.admin.key.as_str(), 200), (NOBODYS, 401)] {
        let reply = call(console, key).await;
        assert_eq!((reply.status, reply.header(allowed)), (status, Some(console)));
        assert!(reply.header("access-control-expose-headers").unwrap().contains("WWW-Authenticate"));
        assert_eq!(reply.header("vary"), Some("Origin"));
    }
    for stranger in ["https://evil.example", "http://console.example.com", "https://console.example.com:8443", "null"] {
        assert_eq!(preflight(stranger).await.status, 403, "{stranger}");
        let reply = call(stranger, &site.admin.key).await;
        assert_eq!((reply.status, reply.header(allowed)), (403, None), "{stranger}");
    }
    // Pages of this machine may call a server of this machine, but are not configured.
    let reply = call("http://localhost:6274", &site.admin.key).await;
    assert_eq!((reply.status, reply.header(allowed)), (200, None));
    assert_eq!(preflight("http://localhost:6274").await.status, 405);
}

/// The headers narrow one tool, and what resolves to nothing narrows to nothing (README decision 16).
async fn headers_narrow_the_assignments_and_nothing_else(backend: Backend) {
    let site = Site::new(backend).await;
    let world = &site.world;
    let group = world.group("group", Visibility::Public, &[]).await;
    let owner = [(world.first_user, Role::Admin)];
    let inside = world.project_in("inside", Visibility::Public, Some(group), &owner).await.to_string();
    let outside = world.project("outside", Visibility::Public, &owner).await.to_string();
    let hidden = world.user("somebody").await;
    let hidden = world.project("hidden", Visibility::Private, &[(hidden, Role::Admin)]).await.to_string();
    for project in [&inside, &outside] {
        let tasks = json!([{ "title": "t", "acceptanceCriteriaItems": [{ "description": "works" }] }]);
        let client = site.client();
        let idea = client.call("chorus_pm_create_idea", json!({ "projectUuid": project, "title": "i" })).await.ok();
        client.call("chorus_claim_idea", json!({ "ideaUuid": idea["uuid"] })).await.ok();
        let made = client.call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await.ok();
        client.call("chorus_claim_task", json!({ "taskUuid": made["tasks"][0]["uuid"] })).await.ok();
    }
    let group = group.to_string();
    let nowhere = "00000000-0000-7000-8000-000000000000";
    let (one, both) = (vec![inside.clone()], sorted(vec![inside.clone(), outside.clone()]));
    let list = format!(" {outside} ,, {inside},{nowhere}");
    let project = "x-chorus-project";
    let in_group = "x-chorus-project-group";
    for (headers, expected) in [
        (vec![], both.clone()),
        (vec![(project, "")], both.clone()),
        (vec![(in_group, "")], both.clone()),
        (vec![(project, inside.as_str())], one.clone()),
        (vec![(project, list.as_str())], both.clone()),
        (vec![(project, nowhere)], vec![]),
        (vec![(project, hidden.as_str())], vec![]),
        (vec![(project, "nonsense")], vec![]),
        (vec![(in_group, group.as_str())], one.clone()),
        (vec![(in_group, nowhere)], vec![]),
        (vec![(in_group, "nonsense")], vec![]),
        (vec![(project, outside.as_str()), (in_group, group.as_str())], one.clone()),
        (vec![(project, outside.as_str()), (in_group, nowhere)], vec![]),
    ] {
        let client = headers.iter().fold(site.client(), |client, (name, value)| client.with_header(name, value));
        let assignments = client.call("chorus_get_my_assignments", json!({})).await.ok();
        assert_eq!(projects(&assignments["ideaTracker"]), expected, "{headers:?}");
        assert_eq!(projects(&assignments["taskTracker"]), expected, "{headers:?}");
        let me = client.call("chorus_checkin", json!({})).await.ok();
        assert_eq!(projects(&me["ideaTracker"]), both, "{headers:?}");
        let listed = client.call("chorus_list_projects", json!({})).await.ok();
        assert_eq!(listed["total"], 2, "{headers:?}");
    }
}

fn projects(tracker: &Value) -> Vec<String> {
    sorted(tracker.as_object().unwrap().keys().cloned().collect())
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort_unstable();
    list
}

// What it puts up with.

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_four_mebibytes_is_taken_and_a_larger_one_gets_its_answer() {
    const LIMIT: usize = 4 * 1024 * 1024;
    let site = Site::new(Backend::Sqlite).await;
    let padded = |bytes: usize| format!("{PING}{}", " ".repeat(bytes - PING.len()));
    let reply = site.client().exchange(&[JSON], padded(LIMIT)).await;
    assert_eq!((reply.status, reply.json()["result"].clone()), (200, json!({})));
    for bytes in [LIMIT + 1, 7 * 1024 * 1024] {
        let reply = site.client().exchange(&[JSON], padded(bytes)).await;
        assert_eq!((reply.status, reply.json()["error"]["code"].clone()), (413, json!(-32600)), "{bytes}");
    }
    // In chunks, so that the size is known only when it is too late. The connection can go on.
    let key = format!("Authorization: Bearer {}\r\n", site.admin.key);
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send(format!("POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n{key}Transfer-Encoding: chunked\r\n\r\n")).await;
    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, " ".repeat(64 * 1024));
    for _ in 0..80 {
        wire.send(&chunk).await;
    }
    wire.send("0\r\n\r\n").await;
    assert_eq!(wire.answer().await.status, 413);
    wire.send(ping(&key)).await;
    assert_eq!(wire.answer().await.status, 200);
    // What is announced as larger than will ever be read is refused at once, without waiting for it.
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send(format!("POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n{key}Content-Length: 99999999999\r\n\r\n")).await;
    assert_eq!(wire.answer().await.status, 413);
    wire.closed().await;
}

/// The same service with less patience than the binary has, so that the test is short.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_client_is_cut_off_and_others_are_not_held_up() {
    let database = Database::fresh(Backend::Sqlite).await;
    let world = World::new(database.services().await).await;
    let agent = world.agent("agent", Some(world.first_user), &[], &[]).await;
    let second = Duration::from_secs(1);
    let limits = Limits { head_time: second, body_time: second, drain_time: second, ..Limits::default() };
    let mount = Mount::new("/api/mcp", Arc::new(chorus_tools::surface().unwrap()), ServerInfo::new("chorus", "1"));
    let app = App::new(database.services().await, [mount], Config { limits, ..Config::default() });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(chorus_http::serve(listener, app, std::future::pending()));

    let mut nothing = Wire::connect(&base).await;
    let mut head = Wire::connect(&base).await;
    head.send("POST /api/mcp HTTP/1.1\r\nHost: local").await;
    let mut body = Wire::connect(&base).await;
    let whole = ping(&format!("Authorization: Bearer {}\r\n", agent.key));
    body.send(&whole[..whole.len() - 1]).await;
    let mut prompt = Wire::connect(&base).await;
    prompt.send(&whole).await;
    assert_eq!(prompt.answer().await.status, 200);

    let late = body.answer().await;
    assert_eq!((late.status, late.header("connection")), (408, Some("close")));
    assert!(late.json()["error"]["message"].as_str().unwrap().contains("too long"));
    body.closed().await;
    nothing.closed().await;
    head.closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_without_end_is_refused() {
    let site = Site::new(Backend::Sqlite).await;
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Long: ").await;
    wire.send_until_refused("x".repeat(64 * 1024)).await;
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n").await;
    wire.send(format!("{}\r\n", "X-Many: x\r\n".repeat(200))).await;
    assert_eq!(wire.answer().await.status, 431);
    assert_eq!(site.client().exchange(&[JSON], PING).await.status, 200);
}

// What operators see.

async fn health_is_told_to_anybody(backend: Backend) {
    let site = Site::new(backend).await;
    let reply = send(http().get(format!("{}/api/health", site.server.base()))).await;
    let body = reply.json();
    assert_eq!((reply.status, &body["status"], &body["database"]), (200, &json!("ok"), &json!("connected")));
    assert!(body["timestamp"].as_str().unwrap().ends_with('Z'), "{body}");
    let reply = send(http().head(format!("{}/api/health", site.server.base()))).await;
    assert_eq!((reply.status, reply.text.as_str()), (200, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_a_server_asks_for_patience_and_not_for_another_key() {
    let database = Database::fresh(Backend::Postgres).await;
    let world = World::new(database.services().await).await;
    let agent = world.agent("agent", Some(world.first_user), &[], &[]).await;
    let mut detour = Detour::to(database.url()).await;
    let mut server = Launch::on(detour.url()).start().await;
    let client = server.client(&agent.key);
    assert_eq!(client.exchange(&[JSON], PING).await.status, 200);
    let health = format!("{}/api/health", server.base());

    detour.block().await;
    for key in [&agent.key, NOBODYS] {
        let reply = server.client(key).exchange(&[JSON], PING).await;
        assert_eq!(reply.status, 503, "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), None);
        assert!(reply.header("retry-after").unwrap().parse::<u32>().is_ok());
        assert!(!reply.text.contains("127.0.0.1") && !reply.text.contains("postgres"), "{reply:?}");
    }
    // What can be said without the database is.
    assert_eq!(server.client("x").exchange(&[JSON], PING).await.status, 401);
    let reply = send(http().get(&health)).await;
    let body = reply.json();
    assert_eq!((reply.status, &body["status"], &body["database"]), (503, &json!("error"), &json!("disconnected")));

    detour.unblock().await;
    let reply = client.exchange(&[JSON], PING).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(send(http().get(&health)).await.status, 200);
    server.terminate().await;
    assert_eq!(server.ended().await, Some(0));
    assert!(server.log().contains("database"), "{}", server.log());
    assert!(!server.log().contains(&agent.key));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_has_request_ids_and_neither_keys_nor_bodies() {
    let site = Site::new(Backend::Sqlite).await;
    for format in ["text", "json"] {
        let launch = Launch::on(site.database.url()).flag("--log-format", format).env("LOG_LEVEL", "trace");
        let mut server = launch.start().await;
        let secret = "a title that is nobody's business";
        let client = server.client(&site.admin.key);
        client.call("chorus_admin_create_project", json!({ "name": secret })).await.ok();
        client.call("chorus_admin_create_project", json!({ "name": secret, "visibility": secret })).await;
        client.call(secret, json!({})).await;
        let replies = [
            client.exchange(&[JSON], PING).await,
            server.client(NOBODYS).exchange(&[JSON], PING).await,
            server.client(&format!("{NOBODYS}x")).exchange(&[JSON], PING).await,
            client.exchange(&[JSON], format!("{{ {secret}")).await,
            client.exchange(&[JSON, ("origin", "http://evil.example")], PING).await,
        ];
        server.terminate().await;
        assert_eq!(server.ended().await, Some(0));
        let log = server.log();
        for reply in &replies {
            let id = reply.header("x-request-id").unwrap();
            assert!(log.contains(id), "{format}: {id} is not in the log:\n{log}");
        }
        let ids: std::collections::BTreeSet<_> = replies.iter().map(|reply| reply.header("x-request-id")).collect();
        assert_eq!(ids.len(), replies.len());
        for part in [&site.admin.key, NOBODYS, &site.admin.key[4..], &NOBODYS[4..], secret] {
            assert!(!log.contains(part), "{format}: `{part}` is in the log:\n{log}");
        }
        if format == "json" {
            assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok_and(|line| line.is_object())));
        }
        assert!(log.contains("chorus_admin_create_project"), "{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_told_to_end_finishes_what_is_in_flight() {
    let mut site = Site::new(Backend::Sqlite).await;
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "chorus_admin_create_project", "arguments": { "name": "last" } },
    });
    let whole = post(&format!("Authorization: Bearer {}\r\n", site.admin.key), &body.to_string());
    let (sent, rest) = whole.split_at(whole.len() - 10);
    let mut busy = Wire::connect(site.server.base()).await;
    let mut idle = Wire::connect(site.server.base()).await;
    idle.send(ping(&format!("Authorization: Bearer {}\r\n", site.admin.key))).await;
    assert_eq!(idle.answer().await.status, 200);
    busy.send(sent).await;
    // An answer on a connection made later shows that the server has taken the earlier ones.
    assert_eq!(site.client().exchange(&[JSON], PING).await.status, 200);

    site.server.terminate().await;
    // The idle connection is closed, and nothing new is let in.
    idle.closed().await;
    let address = site.server.base().trim_start_matches("http://").to_owned();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    busy.send(rest).await;
    let reply = busy.answer().await;
    assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(false)));
    busy.closed().await;
    assert_eq!(site.server.ended().await, Some(0));

    // And it was done.
    let server = Launch::on(site.database.url()).start().await;
    let listed = Client::new(server.base(), &site.admin.key).call("chorus_list_projects", json!({})).await.ok();
    assert_eq!(listed["projects"][0]["name"], "last");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_finishes_does_not_keep_a_server_from_ending() {
    let mut site = Site::new(Backend::Sqlite).await;
    let whole = ping(&format!("Authorization: Bearer {}\r\n", site.admin.key));
    let mut stuck = Wire::connect(site.server.base()).await;
    stuck.send(&whole[..whole.len() - 1]).await;
    assert_eq!(site.client().exchange(&[JSON], PING).await.status, 200);
    site.server.terminate().await;
    assert_eq!(site.server.ended().await, Some(0));
    stuck.closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_can_end_a_server_as_well() {
    let mut site = Site::new(Backend::Sqlite).await;
    site.server.interrupt().await;
    assert_eq!(site.server.ended().await, Some(0));
}

backends!(headers_narrow_the_assignments_and_nothing_else, health_is_told_to_anybody);
