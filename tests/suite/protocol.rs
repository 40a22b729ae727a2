//! The five revisions of the protocol on one endpoint, over the wire (protocol checklist §1, §2, §5, §6, §19).

use chorus_testkit::{Backend, Client, Reply, Site, Wire};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");
const VERSION: &str = "mcp-protocol-version";
const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What a revision may be sent, written by hand from the emission matrix.
struct Emission {
    version: &'static str,
    annotations: bool,
    /// Titles, output schemas and structured content.
    structure: bool,
    modern: bool,
}

const MATRIX: [Emission; 5] = [
    Emission { version: "2024-11-05", annotations: false, structure: false, modern: false },
    Emission { version: "2025-03-26", annotations: true, structure: false, modern: false },
    Emission { version: "2025-06-18", annotations: true, structure: true, modern: false },
    Emission { version: "2025-11-25", annotations: true, structure: true, modern: false },
    Emission { version: MODERN, annotations: true, structure: true, modern: true },
];

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A request of the modern era with everything that it needs in its body.
fn modern_request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(method, params)
}

async fn post(client: &Client, headers: &[(&str, &str)], body: &Value) -> Reply {
    client.exchange(&[&[JSON][..], headers].concat(), body.to_string()).await
}

/// A request as a client of this revision sends it.
async fn ask(client: &Client, version: &str, method: &str, params: Value) -> Reply {
    if version != MODERN {
        return post(client, &[(VERSION, version)], &request(method, params)).await;
    }
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![(VERSION, MODERN), ("mcp-method", method)];
    if method == "tools/call" {
        headers.push(("mcp-name", name.as_str()));
    }
    post(client, &headers, &modern_request(method, params)).await
}

/// The error in a reply, and its code.
#[track_caller]
fn error(reply: &Reply) -> (i64, Value) {
    let body = reply.json();
    assert_eq!(body.get("result"), None, "{body}");
    (body["error"]["code"].as_i64().unwrap_or_else(|| panic!("{reply:?} is no error")), body)
}

#[track_caller]
fn result(reply: &Reply) -> Value {
    let body = reply.json();
    assert_eq!((reply.status, body.get("error")), (200, None), "{reply:?}");
    assert_eq!(body["jsonrpc"], "2.0", "{reply:?}");
    body["result"].clone()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().map(String::as_str).collect()
}

/// Compares the keys of an object with a list in any order.
#[track_caller]
fn assert_keys(value: &Value, expected: &[&str]) {
    let (mut found, mut expected) = (keys(value), expected.to_vec());
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

async fn initialize(client: &Client, headers: &[(&str, &str)], params: Value) -> Reply {
    post(client, headers, &request("initialize", params)).await
}

fn proposal(version: Value) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_settles_on_a_revision_that_has_one() {
    let site = Site::new(Backend::Sqlite).await;
    let newest = "2025-11-25";
    for (proposed, settled) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", newest),
        ("2031-01-01", newest),
        ("2023-01-01", newest),
        ("", newest),
        ("latest", newest),
    ] {
        let reply = initialize(&site.client(), &[], proposal(json!(proposed))).await;
        let answer = result(&reply);
        assert_keys(&answer, &["protocolVersion", "capabilities", "serverInfo", "instructions"]);
        assert_eq!(answer["protocolVersion"], settled, "{proposed}");
        // Nothing is advertised that does not work.
        let mut offered = json!({ "tools": {}, "resources": {}, "prompts": {} });
        if settled > "2024-11-05" {
            offered["completions"] = json!({});
        }
        assert_eq!(answer["capabilities"], offered, "{settled}");
        assert_eq!(answer["serverInfo"]["name"], "chorus");
        assert!(!answer["serverInfo"]["version"].as_str().unwrap().is_empty());
        let titled = answer["serverInfo"].get("title").is_some();
        assert_eq!(titled, settled >= "2025-06-18", "{answer}");
        assert!(answer["instructions"].as_str().unwrap().contains("chorus_checkin"));
        // There is no session to lose (reports 2 and 17).
        assert_eq!(reply.header("mcp-session-id"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_without_a_version_is_invalid() {
    let site = Site::new(Backend::Sqlite).await;
    for params in [json!({ "capabilities": {} }), proposal(json!(5)), proposal(Value::Null)] {
        let reply = initialize(&site.client(), &[], params).await;
        assert_eq!((reply.status, error(&reply).0), (200, -32602));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_is_negotiated_on_its_body_unless_its_header_has_none() {
    let site = Site::new(Backend::Sqlite).await;
    for header in ["2025-06-18", "2025-11-25", "nonsense"] {
        let reply = initialize(&site.client(), &[(VERSION, header)], proposal(json!("2024-11-05"))).await;
        assert_eq!(result(&reply)["protocolVersion"], "2024-11-05", "{header}");
    }
    let reply = initialize(&site.client(), &[(VERSION, MODERN)], proposal(json!("2025-11-25"))).await;
    assert_eq!((reply.status, error(&reply).0), (400, -32020));
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_as_each_revision_may_be_sent_them() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let mut names: Option<Vec<String>> = None;
    for Emission { version, annotations, structure, modern } in MATRIX {
        let answer = result(&ask(&client, version, "tools/list", json!({})).await);
        let extra: &[&str] = if modern { &["resultType", "ttlMs", "cacheScope", "_meta"] } else { &[] };
        assert_keys(&answer, &[&["tools"][..], extra].concat());
        if modern {
            check_modern(&answer);
            assert!(answer["ttlMs"].is_u64());
            assert_eq!(answer["cacheScope"], "private", "{version}");
        }
        let tools = answer["tools"].as_array().unwrap();
        for tool in tools {
            let mut expected = vec!["name", "description", "inputSchema"];
            expected.extend(annotations.then_some("annotations"));
            expected.extend(structure.then_some(["title", "outputSchema"]).into_iter().flatten());
            expected.extend((structure && tool.get("_meta").is_some()).then_some("_meta"));
            assert_keys(tool, &expected);
            check_schema(&tool["inputSchema"]);
            if structure {
                check_schema(&tool["outputSchema"]);
            }
            if annotations {
                for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                    assert!(tool["annotations"][hint].is_boolean(), "{tool}");
                }
            }
        }
        // Everything on the one page that some clients read, in the same order for everybody.
        let listed: Vec<String> = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        assert!(listed.len() >= 45, "{listed:?}");
        assert_eq!(names.get_or_insert_with(|| listed.clone()), &listed, "{version}");
    }
    let reply = ask(&client, "2025-11-25", "tools/list", json!({ "cursor": "x" })).await;
    assert_eq!((reply.status, error(&reply).0), (200, -32602), "no page leads to another");
}

/// One offending schema makes clients drop every tool (report 3).
#[track_caller]
fn check_schema(schema: &Value) {
    assert_eq!(schema["type"], "object", "{schema}");
    assert!(schema["properties"].is_object(), "{schema}");
    for combinator in ["anyOf", "oneOf", "allOf", "not", "$ref", "$schema"] {
        assert_eq!(schema.get(combinator), None, "{schema}");
    }
}

#[track_caller]
fn check_modern(answer: &Value) {
    assert_eq!(answer["resultType"], "complete", "{answer}");
    assert_eq!(answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "chorus", "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_answered_as_each_revision_may_be_sent_them() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    for Emission { version, structure, modern, .. } in MATRIX {
        let params = json!({ "name": "chorus_checkin", "arguments": {} });
        let answer = result(&ask(&client, version, "tools/call", params).await);
        let mut expected = vec!["content", "isError"];
        expected.extend(structure.then_some("structuredContent"));
        expected.extend(modern.then_some(["resultType", "_meta"]).into_iter().flatten());
        assert_keys(&answer, &expected);
        assert_eq!(answer["isError"], false);
        let content = answer["content"].as_array().unwrap();
        assert_eq!(content.len(), 1, "{answer}");
        assert_keys(&content[0], &["type", "text"]);
        assert_eq!(content[0]["type"], "text");
        // Compact, and the same value as beside it (README decision 10).
        let text = content[0]["text"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(value["agent"]["uuid"], site.admin.id.to_string());
        assert!(!structure || answer["structuredContent"] == value, "{answer}");
        if modern {
            check_modern(&answer);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_a_tool_is_a_result_that_says_so() {
    let site = Site::new(Backend::Sqlite).await;
    for Emission { version, modern, .. } in MATRIX {
        let missing = "00000000-0000-7000-8000-000000000000";
        for (arguments, code) in [
            (json!({ "projectUuid": missing }), "not_found"),
            (json!({}), "invalid_arguments"),
            (json!({ "projectUuid": 5 }), "invalid_arguments"),
        ] {
            let params = json!({ "name": "chorus_get_project", "arguments": arguments });
            let answer = result(&ask(&site.client(), version, "tools/call", params).await);
            let extra: &[&str] = if modern { &["resultType"] } else { &[] };
            assert_keys(&answer, &[&["content", "isError", "_meta"][..], extra].concat());
            assert_eq!(answer["isError"], true);
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(!text.is_empty() && !text.starts_with('{'), "a sentence: {text}");
            let error = &answer["_meta"]["chorus/error"];
            assert_eq!((&error["code"], &error["retryable"]), (&json!(code), &json!(false)), "{answer}");
        }
    }
}

/// README decision 15.
#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_for_the_caller_answers_like_one_that_does_not_exist() {
    const GATED: &str = "chorus_admin_verify_task";
    const ABSENT: &str = "chorus_admin_verify_tusk";
    let site = Site::new(Backend::Sqlite).await;
    let stranger = site.server.client(&site.world.agent("stranger", None, &[], &[]).await.key);
    let by_name = |name: &str, arguments: &Value| match arguments {
        Value::Null => json!({ "name": name }),
        arguments => json!({ "name": name, "arguments": arguments }),
    };
    for Emission { version, .. } in MATRIX {
        for arguments in [
            Value::Null,
            json!({}),
            json!({ "taskUuid": "00000000-0000-7000-8000-000000000000" }),
            json!({ "taskUuid": [], "idempotencyKey": "no good" }),
            json!("no object"),
        ] {
            let gated = ask(&stranger, version, "tools/call", by_name(GATED, &arguments)).await;
            let absent = ask(&stranger, version, "tools/call", by_name(ABSENT, &arguments)).await;
            assert_eq!((gated.status, error(&gated).0), (200, -32602), "{version}");
            assert_eq!(alike(gated, GATED), alike(absent, ABSENT), "{version} {arguments}");
        }
    }
    let listed = stranger.tools().await;
    assert!(!listed.is_empty() && !listed.iter().any(|name| name == GATED));
}

/// A reply without what differs between any two: the name asked for, the time, the id of the request.
fn alike(reply: Reply, name: &str) -> Reply {
    let headers = reply.headers.into_iter().filter(|(name, _)| name != "date" && name != "x-request-id");
    Reply { headers: headers.collect(), text: reply.text.replace(name, "NAME"), ..reply }
}

/// Report 7.
#[tokio::test(flavor = "multi_thread")]
async fn missing_arguments_are_none_and_anything_but_an_object_is_invalid() {
    let site = Site::new(Backend::Sqlite).await;
    for Emission { version, .. } in MATRIX {
        let call = async |arguments: Option<Value>| {
            let mut params = json!({ "name": "chorus_list_projects" });
            if let Some(arguments) = arguments {
                params["arguments"] = arguments;
            }
            ask(&site.client(), version, "tools/call", params).await
        };
        for arguments in [None, Some(Value::Null), Some(json!({}))] {
            assert_eq!(result(&call(arguments).await)["isError"], false);
        }
        for arguments in [json!([]), json!("{}"), json!("x"), json!(5), json!(true)] {
            let reply = call(Some(arguments.clone())).await;
            assert_eq!((reply.status, error(&reply).0), (200, -32602), "{version} {arguments}");
        }
    }
    for params in [json!({}), json!({ "name": 5 }), json!({ "name": null })] {
        let reply = ask(&site.client(), "2025-11-25", "tools/call", params).await;
        assert_eq!((reply.status, error(&reply).0), (200, -32602));
    }
}

/// Reports 2 and 17.
#[tokio::test(flavor = "multi_thread")]
async fn a_stale_session_means_nothing() {
    let mut site = Site::new(Backend::Sqlite).await;
    let stale = ("mcp-session-id", "3c5d6d55-6f0f-4a53-8d5c-1d0d26b9cf5e");
    for _ in 0..2 {
        for Emission { version, .. } in MATRIX {
            let client = site.client().with_header(stale.0, stale.1).with_header("last-event-id", "7");
            let reply = ask(&client, version, "tools/list", json!({})).await;
            assert!(!result(&reply)["tools"].as_array().unwrap().is_empty());
            assert_eq!(reply.header("mcp-session-id"), None, "{version}");
        }
        site.server.crash_and_restart().await;
    }
}

/// Report 1.
#[tokio::test(flavor = "multi_thread")]
async fn every_client_that_admits_an_answer_gets_one() {
    let site = Site::new(Backend::Sqlite).await;
    let body = request("tools/list", json!({}));
    let json = "application/json";
    let stream = "text/event-stream";
    for (accept, expected) in [
        ("application/json, text/event-stream", json),
        ("text/event-stream, application/json", json),
        ("application/json", json),
        ("APPLICATION/JSON;charset=utf-8", json),
        ("*/*", json),
        ("application/*", json),
        ("application/json;q=0.1, text/event-stream;q=0.9", json),
        ("text/html, */*;q=0.1", json),
        ("", json),
        ("text/event-stream", stream),
        ("text/*", stream),
        ("application/json;q=0, text/event-stream", stream),
        ("*/*, application/json;q=0", stream),
    ] {
        let reply = post(&site.client(), &[("accept", accept)], &body).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(expected)), "{accept:?}");
        assert!(reply.text.contains("chorus_checkin"), "{accept:?}");
    }
    for accept in ["text/html", "application/json;q=0", "*/*;q=0", "application/xml, text/plain"] {
        let reply = post(&site.client(), &[("accept", accept)], &body).await;
        assert_eq!((reply.status, error(&reply).0), (406, -32600), "{accept}");
        assert_eq!(reply.json()["id"], 1, "{accept}");
    }
    // A client that does not say anything, which libraries do not allow.
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send(format!(
        "POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        site.admin.key,
        body.to_string().len(),
    ))
    .await;
    assert!(result(&wire.answer().await)["tools"].is_array());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_stream_holds_one_event_per_response() {
    let site = Site::new(Backend::Sqlite).await;
    let accept = ("accept", "text/event-stream");
    let params = json!({ "name": "chorus_checkin" });
    let reply = post(&site.client(), &[accept, (VERSION, "2025-11-25")], &request("tools/call", params)).await;
    assert_eq!(reply.header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    let found = events(&reply.text);
    assert_eq!(found.len(), 1, "{}", reply.text);
    assert_eq!((&found[0]["id"], &found[0]["result"]["isError"]), (&json!(1), &json!(false)));

    let batch = json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": "b", "method": "tools/list" },
    ]);
    let reply = post(&site.client(), &[accept], &batch).await;
    let mut ids: Vec<String> = events(&reply.text).iter().map(|event| event["id"].to_string()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["\"a\"", "\"b\""]);

    // What is refused is JSON, whatever the client would have got.
    let reply = post(&site.client(), &[accept], &json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" })).await;
    assert_eq!((reply.status, error(&reply).0), (400, -32600));
}

/// The messages in a stream, whose every line has to be one that the protocol knows.
#[track_caller]
fn events(text: &str) -> Vec<Value> {
    assert!(text.ends_with("\n\n") && !text.contains('\r'), "{text:?}");
    let blocks = text.trim_end_matches('\n').split("\n\n");
    let message = |block: &str| {
        let lines: Vec<&str> = block.lines().filter(|line| *line != "event: message").collect();
        let [data] = lines.as_slice() else { panic!("{block:?} is no event") };
        serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap()
    };
    blocks.map(message).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_era_and_the_revision_are_told_by_each_request_alone() {
    let site = Site::new(Backend::Sqlite).await;
    let list = request("tools/list", json!({}));
    // Without a header it is taken for 2025-03-26.
    let reply = post(&site.client(), &[], &list).await;
    assert_keys(&result(&reply)["tools"][0], &["name", "description", "inputSchema", "annotations"]);
    for unknown in ["2025-01-01", "1.0", "2025-06-18x", "latest", ""] {
        let reply = post(&site.client(), &[(VERSION, unknown)], &list).await;
        let (code, body) = error(&reply);
        assert_eq!((reply.status, code, &body["id"]), (400, -32600, &json!(1)), "{unknown}");
        for known in LEGACY {
            assert!(body["error"]["message"].as_str().unwrap().contains(known), "{body}");
        }
    }
    // A later date claims the modern era, whose requests describe themselves.
    let reply = post(&site.client(), &[(VERSION, "2027-01-01")], &list).await;
    assert_eq!((reply.status, error(&reply).0), (400, -32602));
    // Blanks around a value are not part of it.
    let reply = post(&site.client(), &[(VERSION, " 2025-06-18 ")], &list).await;
    assert!(result(&reply)["tools"][0].get("outputSchema").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn pings_are_answered_without_a_handshake() {
    let site = Site::new(Backend::Sqlite).await;
    for version in LEGACY {
        assert_eq!(result(&ask(&site.client(), version, "ping", json!({})).await), json!({}));
        let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        assert_eq!(result(&post(&site.client(), &[(VERSION, version)], &bare).await), json!({}), "{version}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_method_is_404_in_the_modern_era_only() {
    let site = Site::new(Backend::Sqlite).await;
    for method in ["resources/subscribe", "subscriptions/listen", "tasks/list", "nonsense", "tools/List"] {
        for version in LEGACY {
            let reply = ask(&site.client(), version, method, json!({})).await;
            assert_eq!((reply.status, error(&reply).0), (200, -32601), "{version} {method}");
        }
    }
    for method in ["resources/subscribe", "ping", "logging/setLevel", "tasks/list", "initialize", "nonsense"] {
        let reply = ask(&site.client(), MODERN, method, json!({})).await;
        assert_eq!((reply.status, error(&reply).0), (404, -32601), "{method}");
        assert_eq!(reply.json()["id"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_client_discovers_what_it_can_use() {
    let site = Site::new(Backend::Sqlite).await;
    let answer = result(&ask(&site.client(), MODERN, "server/discover", json!({})).await);
    check_modern(&answer);
    assert_eq!(answer["supportedVersions"], json!([MODERN]));
    let (listed, watched) = (json!({ "listChanged": true }), json!({ "listChanged": true, "subscribe": true }));
    let offered = json!({ "tools": listed, "prompts": listed, "resources": watched, "completions": {} });
    assert_eq!(answer["capabilities"], offered);
    assert!(answer["instructions"].is_string() && answer["ttlMs"].is_u64());
    assert_eq!(answer["cacheScope"], "private");
    assert_eq!((answer.get("serverInfo"), answer.get("protocolVersion")), (None, None));
    // The method belongs to the modern era by itself.
    let reply = post(&site.client(), &[], &request("server/discover", json!({}))).await;
    assert_eq!((reply.status, error(&reply).0), (400, -32602));
}

#[tokio::test(flavor = "multi_thread")]
async fn modern_requests_are_checked_against_their_headers_in_order() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let version = (VERSION, MODERN);
    let method = ("mcp-method", "tools/call");
    let name = ("mcp-name", "chorus_list_projects");
    let body = modern_request("tools/call", json!({ "name": "chorus_list_projects" }));
    let check = async |headers: &[(&str, &str)], body: &Value, expected: (u16, i64)| {
        let reply = post(&client, headers, body).await;
        assert_eq!((reply.status, error(&reply).0), expected, "{headers:?} {body}");
        assert_eq!(reply.json()["id"], 1);
        reply.json()
    };
    let meta = |meta: Value| request("tools/call", json!({ "name": "chorus_list_projects", "_meta": meta }));
    let of_version = |text: &str| {
        meta(json!({
            "io.modelcontextprotocol/protocolVersion": text,
            "io.modelcontextprotocol/clientCapabilities": {},
        }))
    };

    // The version in the body and in the header.
    check(&[method, name], &body, (400, -32020)).await;
    check(&[(VERSION, "2025-11-25"), method, name], &body, (400, -32020)).await;
    check(&[(VERSION, "2027-01-01"), method, name], &body, (400, -32020)).await;
    check(&[version, method, name], &of_version("2027-01-01"), (400, -32020)).await;
    check(&[version, version, method, name], &body, (400, -32020)).await;
    // The metadata.
    check(&[version, method, name], &request("tools/call", json!({ "name": "x" })), (400, -32602)).await;
    let without_capabilities = meta(json!({ "io.modelcontextprotocol/protocolVersion": MODERN }));
    check(&[version, method, name], &without_capabilities, (400, -32602)).await;
    // A revision that is not served, even one with a handshake.
    for requested in ["2027-01-01", "2025-11-25"] {
        let body = check(&[(VERSION, requested), method, name], &of_version(requested), (400, -32022)).await;
        assert_eq!(body["error"]["data"], json!({ "supported": [MODERN], "requested": requested }));
    }
    // What the headers mirror.
    check(&[version, name], &body, (400, -32020)).await;
    check(&[version, ("mcp-method", "Tools/call"), name], &body, (400, -32020)).await;
    check(&[version, method, method, name], &body, (400, -32020)).await;
    check(&[version, method], &body, (400, -32020)).await;
    check(&[version, method, ("mcp-name", "chorus_checkin")], &body, (400, -32020)).await;
    check(&[version, method, ("mcp-name", "=?base64?!?=")], &body, (400, -32020)).await;

    for mirrored in ["chorus_list_projects", "  chorus_list_projects ", "=?base64?Y2hvcnVzX2xpc3RfcHJvamVjdHM=?="] {
        let reply = post(&client, &[version, method, ("mcp-name", mirrored)], &body).await;
        assert_eq!(result(&reply)["isError"], false, "{mirrored}");
    }
    // Headers that mirror nothing in the legacy era are not looked at there.
    let headers = [(VERSION, "2025-11-25"), ("mcp-method", "x"), ("mcp-name", "y")];
    let reply = post(&client, &headers, &request("ping", json!({}))).await;
    assert_eq!(result(&reply), json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_exist_in_one_revision() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "chorus_checkin" } },
        { "jsonrpc": "2.0", "method": "notifications/progress" },
        { "jsonrpc": "2.0", "id": "two", "method": "ping" },
        { "jsonrpc": "2.0", "id": 3, "method": "nonsense" },
        { "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": { "name": "chorus_nothing" } },
        { "jsonrpc": "2.0", "id": 5, "method": "initialize", "params": proposal(json!("2025-03-26")) },
        { "jsonrpc": "2.0", "id": 9, "result": {} },
        7,
    ]);
    for headers in [&[][..], &[(VERSION, "2025-03-26")]] {
        let reply = post(&client, headers, &batch).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let body = reply.json();
        let of = |id: Value| body.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone();
        assert_eq!(of(json!(1))["result"]["isError"], false);
        assert_eq!(of(json!("two"))["result"], json!({}));
        assert_eq!(of(json!(3))["error"]["code"], -32601);
        assert_eq!(of(json!(4))["error"]["code"], -32602);
        assert_eq!(of(json!(5))["error"]["code"], -32600);
        let nameless: Vec<&Value> = body.as_array().unwrap().iter().filter(|one| one.get("id").is_none()).collect();
        assert_eq!(nameless.len(), 1, "{body}");
        assert_eq!(nameless[0]["error"]["code"], -32600);
        assert_eq!(body.as_array().unwrap().len(), 6, "{body}");
    }
    for version in ["2024-11-05", "2025-06-18", "2025-11-25", MODERN] {
        let reply = post(&client, &[(VERSION, version)], &batch).await;
        assert_eq!((reply.status, error(&reply).0), (400, -32600), "{version}");
        assert_eq!(reply.json().get("id"), None);
    }
    let silent = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]);
    let reply = post(&client, &[], &silent).await;
    assert_eq!((reply.status, reply.text.as_str()), (202, ""));
    let endless: Vec<Value> = (0..1_000).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })).collect();
    for refused in [json!([]), json!(endless)] {
        let reply = post(&client, &[], &refused).await;
        assert_eq!((reply.status, error(&reply).0), (400, -32600));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_and_responses_are_taken_without_an_answer() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    for Emission { version, .. } in MATRIX {
        for message in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/nobody_knows", "params": {} }),
        ] {
            let reply = post(&client, &[(VERSION, version)], &message).await;
            assert_eq!((reply.status, reply.text.as_str()), (202, ""), "{version} {message}");
            assert_eq!(reply.header("content-type"), None);
        }
    }
    for response in [
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "x" } }),
    ] {
        let reply = post(&client, &[(VERSION, "2025-11-25")], &response).await;
        assert_eq!((reply.status, reply.text.as_str()), (202, ""));
    }
    let reply = post(&client, &[(VERSION, "x")], &json!({ "jsonrpc": "2.0", "method": "notifications/x" })).await;
    assert_eq!((reply.status, error(&reply).1.get("id")), (400, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_comes_back_as_it_was_sent() {
    let site = Site::new(Backend::Sqlite).await;
    let send = async |id: &str, method: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
        site.client().exchange(&[JSON], body).await
    };
    for id in ["0", "-7", "9007199254740993", "\"\"", "\"1\"", "\"α \\\" ω\""] {
        let expected: Value = serde_json::from_str(id).unwrap();
        for method in ["ping", "nonsense"] {
            assert_eq!(send(id, method).await.json()["id"], expected, "{id}");
        }
    }
    for id in ["null", "1.5", "true", "[]", "{}"] {
        let reply = send(id, "ping").await;
        let (code, body) = error(&reply);
        assert_eq!((reply.status, code, body.get("id")), (400, -32600, None), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused_in_json() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (body, code) in [
        (&b""[..], -32700),
        (b"{", -32700),
        (b"[", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700),
        (b"7", -32600),
        (b"null", -32600),
        (b"\"ping\"", -32600),
        (b"{}", -32600),
        (b"{\"id\":1,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600),
    ] {
        let reply = client.exchange(&[JSON], body.to_vec()).await;
        assert_eq!((reply.status, error(&reply).0), (400, code), "{}", String::from_utf8_lossy(body));
    }
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{}}}}}"#, "[".repeat(100_000));
    let reply = client.exchange(&[JSON], deep).await;
    assert_eq!((reply.status, error(&reply).0), (400, -32700));
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json, text/plain"] {
        let reply = client.exchange(&[("content-type", kind)], ping).await;
        assert_eq!((reply.status, error(&reply).0), (415, -32600), "{kind}");
    }
    assert_eq!(client.exchange(&[], ping).await.status, 415);
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        assert_eq!(result(&client.exchange(&[("content-type", kind)], ping).await), json!({}), "{kind}");
    }
}
