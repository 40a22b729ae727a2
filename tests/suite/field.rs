//! What clients in the field send, right or wrong, and what they run into elsewhere.

use std::{fs, path::Path};

use chorus_testkit::{Backend, Client, REVISIONS, Reply, Site, Wire, exchange, http, revisions_with_schemas};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");
const VERSION: &str = "mcp-protocol-version";
const MODERN: &str = "2026-07-28";

/// A POST with these lines in its head, as bytes.
fn post(lines: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Sends this on a connection of its own.
async fn raw(site: &Site, bytes: impl AsRef<[u8]>) -> Reply {
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send(bytes).await;
    wire.answer().await
}

/// Posts a body as it is, with the key.
async fn body(site: &Site, body: impl AsRef<[u8]>) -> Reply {
    let lines = format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", site.admin.key);
    raw(site, post(&lines, body)).await
}

async fn send(client: &Client, headers: &[(&str, &str)], body: &Value) -> Reply {
    client.exchange(&[&[JSON][..], headers].concat(), body.to_string()).await
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[track_caller]
fn refusal(reply: &Reply) -> (u16, i64) {
    (reply.status, reply.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("{reply:?} is no error")))
}

/// The schemas of four revisions are in a package that the tests install. Where they are not, nothing else would say so.
#[test]
fn every_revision_has_a_schema_that_its_messages_are_held_against() {
    let found = revisions_with_schemas();
    assert_eq!(found, REVISIONS, "CHORUS_TEST_CLIENTS has to name what tests/provide installs; tests/run sees to it");
}

/// The reports that this protocol can do something about have their numbers at the tests that hold them.
#[test]
fn every_report_about_the_protocol_has_a_test_that_names_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite");
    let mut text = String::new();
    for folder in [folder.clone(), folder.join("tools")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let named: Vec<String> = text
        .lines()
        .filter(|line| line.trim().starts_with("//"))
        .filter_map(|line| line.split_once("eport"))
        .flat_map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for report in [1, 2, 3, 5, 7, 9, 17, 25] {
        assert!(named.contains(&report.to_string()), "report {report} has no test");
    }
}

// Heads.

/// Report 1, in the forms that libraries of HTTP make of it.
#[tokio::test(flavor = "multi_thread")]
async fn an_accept_header_is_read_whatever_its_form() {
    let site = Site::new(Backend::Sqlite).await;
    let key = format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", site.admin.key);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (lines, expected) in [
        ("", "application/json"),
        ("Accept:\r\n", "application/json"),
        ("Accept: text/event-stream\r\nAccept: application/json\r\n", "application/json"),
        ("ACCEPT: */*\r\n", "application/json"),
        ("Accept: , application/json ,\r\n", "application/json"),
        ("Accept: application/json;q=0.000, text/event-stream;q=0.001\r\n", "text/event-stream"),
        ("Accept: text/event-stream; Q=0.5\r\n", "text/event-stream"),
        ("Accept: application/json; profile=\"x\"; q=1\r\n", "application/json"),
        ("Accept: application/vnd.example+json, */*;q=0.01\r\n", "application/json"),
    ] {
        let reply = raw(&site, post(&format!("{key}{lines}"), ping)).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(expected)), "{lines:?}");
    }
    for lines in ["Accept: application/json;q=0, text/event-stream;q=0.0\r\n", "Accept: image/png\r\n"] {
        assert_eq!(refusal(&raw(&site, post(&format!("{key}{lines}"), ping)).await), (406, -32600), "{lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_headers_have_no_case_and_types_may_name_a_charset() {
    let site = Site::new(Backend::Sqlite).await;
    let key = &site.admin.key;
    let params = json!({ "name": "chorus_list_projects", "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
    } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    for [authorization, version, method, name, kind] in [
        ["authorization", "mcp-protocol-version", "mcp-method", "mcp-name", "content-type"],
        ["AUTHORIZATION", "MCP-PROTOCOL-VERSION", "MCP-METHOD", "MCP-NAME", "CONTENT-TYPE"],
        ["Authorization", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Content-Type"],
        ["aUTHORIZATION", "mCP-pROTOCOL-vERSION", "mCP-mETHOD", "mCP-nAME", "cONTENT-tYPE"],
    ] {
        for charset in ["", ";charset=utf-8", "; charset=\"UTF-8\"", " ; Charset=us-ascii"] {
            let lines = format!(
                "{authorization}: bearer {key}\r\n{version}: {MODERN}\r\n{method}:tools/call\r\n{name}:  \
                 chorus_list_projects\t\r\n{kind}: application/json{charset}\r\n"
            );
            let reply = raw(&site, post(&lines, &body)).await;
            assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(false)), "{lines}");
        }
    }
}

/// Report 17: a script that sends on whatever it got for a session, which is nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_gets_no_session_works_without_one() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let hello =
        json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "sh", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello });
    let reply = send(&client, &[], &hello).await;
    let session = reply.header("mcp-session-id").unwrap_or_default().to_owned();
    assert_eq!((reply.status, session.as_str()), (200, ""));
    let session = ("mcp-session-id", session.as_str());
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let reply = send(&client, &[session], &ready).await;
    assert_eq!((reply.status, reply.text.as_str()), (202, ""));
    let reply = send(&client, &[session], &call("chorus_checkin", &json!({}))).await;
    assert_eq!(reply.json()["result"]["isError"], false);
    // And it ends the session that it never had.
    let ended = exchange(http().delete(format!("{}/api/mcp", site.server.base())).bearer_auth(&site.admin.key)).await;
    assert_eq!((ended.status, ended.header("allow")), (405, Some("POST")));
}

/// Report 2: what a restart took away elsewhere, and a stream that is to be resumed.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_wants_its_stream_back_is_told_that_there_is_none() {
    let mut site = Site::new(Backend::Sqlite).await;
    let client = site.client().with_header("mcp-session-id", "0b1c2d3e");
    assert_eq!(send(&client, &[], &call("chorus_checkin", &json!({}))).await.status, 200);
    site.server.crash_and_restart_in_place().await;
    for last in ["7", "", "x/y"] {
        let request = http().get(format!("{}/api/mcp", site.server.base())).header("accept", "text/event-stream");
        let reply = exchange(request.header("last-event-id", last).bearer_auth(&site.admin.key)).await;
        assert_eq!(refusal(&reply), (405, -32600), "{last}");
        let reply = send(&client, &[("last-event-id", last)], &call("chorus_checkin", &json!({}))).await;
        assert_eq!(reply.json()["result"]["isError"], false, "{last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_come_in_pieces_and_after_an_invitation() {
    let site = Site::new(Backend::Sqlite).await;
    let key = format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", site.admin.key);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut wire = Wire::connect(site.server.base()).await;
    wire.send(format!("POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n{key}Transfer-Encoding: chunked\r\n\r\n")).await;
    for byte in ping.chars() {
        wire.send(format!("1\r\n{byte}\r\n")).await;
    }
    wire.send("0\r\n\r\n").await;
    assert_eq!(wire.answer().await.json()["result"], json!({}));

    let mut wire = Wire::connect(site.server.base()).await;
    let whole = post(&format!("{key}Expect: 100-continue\r\n"), ping);
    let (head, body) = whole.split_at(whole.len() - ping.len());
    wire.send(head).await;
    assert_eq!(wire.answer().await.status, 100);
    wire.send(body).await;
    assert_eq!(wire.answer().await.json()["result"], json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn old_versions_of_http_and_whole_urls_are_understood() {
    let site = Site::new(Backend::Sqlite).await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let base = site.server.base();
    for (line, host) in [
        ("POST /api/mcp HTTP/1.0".to_owned(), "Host: localhost\r\n"),
        (format!("POST {base}/api/mcp HTTP/1.1"), "Host: localhost\r\n"),
        ("POST /api/mcp/?key=value HTTP/1.1".to_owned(), "Host: LOCALHOST.:80\r\n"),
    ] {
        let head = format!("{line}\r\n{host}Authorization: {}\r\nContent-Type: application/json\r\n", site.admin.key);
        let reply = raw(&site, format!("{head}Content-Length: {}\r\n\r\n{ping}", ping.len())).await;
        assert_eq!((reply.status, reply.json()["result"].clone()), (200, json!({})), "{line}");
    }
}

// Bodies.

#[tokio::test(flavor = "multi_thread")]
async fn ids_come_back_as_the_same_bytes() {
    let site = Site::new(Backend::Sqlite).await;
    for id in [
        "0",
        "-1",
        "9007199254740991",
        "-9007199254740991",
        "9007199254740993",
        "18446744073709551615",
        "\"\"",
        "\" \"",
        "\"0\"",
        "\"a/b?c=d#e\"",
        "\"ключ-鍵-🔑\"",
        "\"\\u00e9\\t\\\"\"",
    ] {
        let expected = format!("\"id\":{id}");
        for message in [
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#),
            format!(r#"{{"method":"tools/call","params":{{"name":"chorus_checkin"}},"jsonrpc":"2.0","id":{id}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"no_such_tool"}}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"no/such/method"}}"#),
            format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#),
            format!(r#"[{{"jsonrpc":"2.0","id":{id},"method":"ping"}}]"#),
        ] {
            let reply = body(&site, &message).await;
            assert!(reply.text.contains(&expected), "{message}: {}", reply.text);
        }
    }
}

/// Whatever has no id wants no answer, and what wants no answer does nothing here.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_id_is_taken_and_does_nothing() {
    let site = Site::new(Backend::Sqlite).await;
    let params = json!({ "name": "chorus_admin_create_project", "arguments": { "name": "unasked" } });
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN] {
        for method in [
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/roots/list_changed",
            "notifications/message",
            "notifications/ünknown",
            "notifications/",
            "",
            "ping",
            "tools/call",
            "tools/list",
            "initialize",
        ] {
            let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            let reply = send(&site.client(), &[(VERSION, version)], &message).await;
            assert_eq!((reply.status, reply.text.as_str()), (202, ""), "{version} {method}");
            assert_eq!((reply.header("content-type"), reply.header("content-length")), (None, Some("0")), "{method}");
        }
    }
    let listed = site.client().call("chorus_list_projects", json!({})).await.ok();
    assert_eq!(listed["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_keys_that_stand_twice_the_last_one_counts_everywhere() {
    let site = Site::new(Backend::Sqlite).await;
    let reply = body(
        &site,
        r#"{"jsonrpc":"1.0","id":1,"method":"nonsense","jsonrpc":"2.0","id":2,"method":"tools/call",
            "params":{"name":"chorus_checkin","name":"chorus_admin_create_project",
                      "arguments":{"name":"first"},"arguments":{"name":"second","name":"third"}}}"#,
    )
    .await;
    let reply = reply.json();
    assert_eq!((&reply["id"], &reply["result"]["isError"]), (&json!(2), &json!(false)), "{reply}");
    let listed = site.client().call("chorus_list_projects", json!({})).await.ok();
    assert_eq!((&listed["total"], &listed["projects"][0]["name"]), (&json!(1), &json!("third")));

    // The one that is done is the one that its header was compared with.
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"chorus_checkin","name":"chorus_list_projects",{meta}}}}}"#
    );
    for (name, status) in [("chorus_checkin", 400), ("chorus_list_projects", 200)] {
        let headers = [JSON, (VERSION, MODERN), ("mcp-method", "tools/call"), ("mcp-name", name)];
        assert_eq!(site.client().exchange(&headers, twice.clone()).await.status, status, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_at_the_beginning_of_a_body_is_passed_over() {
    let site = Site::new(Backend::Sqlite).await;
    let marked = |text: &str| format!("\u{feff}{text}");
    let reply = body(&site, marked(r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#)).await;
    assert_eq!((reply.status, reply.json()["id"].clone()), (200, json!("x")));
    let reply = body(&site, marked(r#"[{"jsonrpc":"2.0","id":"x","method":"ping"}]"#)).await;
    assert_eq!((reply.status, reply.json()[0]["id"].clone()), (200, json!("x")));
    // One is a mark, two are no JSON; neither is a text in other units.
    for bytes in ["\u{feff}\u{feff}{}".as_bytes(), b"\xff\xfe{\x00}\x00", b"\xfe\xff\x00{\x00}", b"\xef\xbb\xbf"] {
        assert_eq!(refusal(&body(&site, bytes).await), (400, -32700), "{bytes:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn halves_of_characters_are_refused_in_words() {
    let site = Site::new(Backend::Sqlite).await;
    for half in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\udbffx", r"x\uDFFF"] {
        for message in [
            format!(
                r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"chorus_checkin","arguments":{{"x":"{half}"}}}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"{half}"}}}}"#),
        ] {
            let reply = body(&site, &message).await;
            assert_eq!(refusal(&reply), (400, -32700), "{message}");
            assert_eq!(reply.json()["id"], 5, "{message}");
        }
        let reply = body(&site, format!(r#"{{"jsonrpc":"2.0","id":"{half}","method":"ping"}}"#)).await;
        assert_eq!((refusal(&reply), reply.json().get("id")), ((400, -32600), None), "{half}");
    }
    // Whole ones are what they stand for.
    let name =
        call("chorus_admin_create_project", &json!({ "name": "NAME" })).to_string().replace("NAME", r"\ud83d\ude80");
    assert_eq!(body(&site, name).await.json()["result"]["isError"], false);
    let listed = site.client().call("chorus_list_projects", json!({})).await.ok();
    assert_eq!(listed["projects"][0]["name"], "🚀");
}

#[tokio::test(flavor = "multi_thread")]
async fn depth_and_length_of_what_is_sent_break_nothing() {
    let site = Site::new(Backend::Sqlite).await;
    let nested = |depth: usize| {
        let inner = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"chorus_checkin","arguments":{{"x":{inner}}}}}}}"#
        )
    };
    let reply = body(&site, nested(100)).await;
    assert_eq!((reply.status, reply.json()["result"]["isError"].clone()), (200, json!(false)));
    for depth in [128, 200, 100_000] {
        assert_eq!(refusal(&body(&site, nested(depth)).await), (400, -32700), "{depth}");
    }
    let deep_objects = format!("{}1{}", r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    assert_eq!(refusal(&body(&site, deep_objects).await).0, 400);
    let long = "x".repeat(1_000_000);
    for message in [
        json!({ "jsonrpc": "2.0", "id": long, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": long }),
        call(&long, &json!({})),
        call("chorus_admin_create_project", &json!({ "name": long })),
        call("chorus_checkin", &json!({ long.as_str(): 1 })),
    ] {
        let reply = body(&site, message.to_string()).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["id"], message["id"]);
    }
    for number in ["1e999", "-1e999", "1e-999", "123456789012345678901234567890", "-0", "1E+2"] {
        let message =
            call("chorus_list_projects", &json!({ "page": "NUMBER" })).to_string().replace("\"NUMBER\"", number);
        let reply = body(&site, message).await;
        assert!([200, 400].contains(&reply.status) && reply.json()["id"] == 1, "{number}: {reply:?}");
    }
}

// Arguments.

/// Report 7.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_may_be_missing_or_null_but_not_something_else() {
    let site = Site::new(Backend::Sqlite).await;
    for (arguments, fine) in [
        ("", true),
        (r#","arguments":null"#, true),
        (r#","arguments":{}"#, true),
        (r#","arguments":"{}""#, false),
        (r#","arguments":"""#, false),
        (r#","arguments":[]"#, false),
        (r#","arguments":0"#, false),
        (r#","arguments":false"#, false),
    ] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"chorus_list_projects"{arguments}}}}}"#
        );
        let reply = body(&site, message).await;
        assert_eq!(reply.status, 200, "{arguments}");
        if fine {
            assert_eq!(reply.json()["result"]["isError"], false, "{arguments}");
        } else {
            assert_eq!(refusal(&reply), (200, -32602), "{arguments}");
        }
    }
}

/// Report 5, and the rest of README decision 13.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_mangled_is_what_it_was_meant_to_be() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let project = client.call("chorus_admin_create_project", json!({ "name": "p" })).await.ok();
    let project = project["uuid"].as_str().unwrap();
    let criteria = r#"[{"description":"works","required":"false"}]"#;
    // An array, objects in it, a number, a boolean, and a list of names that is one name.
    let tasks = json!([
        { "title": "a", "draftUuid": "x", "storyPoints": "2.5", "acceptanceCriteriaItems": criteria },
        { "title": "{}", "draftUuid": "7", "dependsOnDraftUuids": "x", "acceptanceCriteriaItems": criteria },
        { "title": "true", "dependsOnDraftUuids": "[\"x\",\"7\"]", "acceptanceCriteriaItems": criteria },
        { "title": "null", "dependsOnDraftUuids": null, "storyPoints": null, "acceptanceCriteriaItems": criteria },
    ]);
    let made =
        client.call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks.to_string() })).await.ok();
    let uuids: Vec<&str> =
        made["tasks"].as_array().unwrap().iter().map(|task| task["uuid"].as_str().unwrap()).collect();
    let mut read = Vec::new();
    for uuid in &uuids {
        read.push(client.call("chorus_get_task", json!({ "taskUuid": uuid })).await.ok());
    }
    assert_eq!(read[0]["storyPoints"], 2.5);
    assert_eq!(read[0]["acceptanceCriteriaItems"][0]["required"], false);
    assert_eq!(read[1]["dependsOn"].as_array().unwrap().len(), 1);
    assert_eq!(read[2]["dependsOn"].as_array().unwrap().len(), 2);
    assert_eq!(read[3]["dependsOn"], json!([]));
    // What is declared as a text stays one, though it reads like something else.
    assert_eq!(read.iter().map(|task| &task["title"]).collect::<Vec<_>>(), ["a", "{}", "true", "null"]);

    let listed =
        async |page: Value| client.call("chorus_list_tasks", json!({ "projectUuid": project, "pageSize": page })).await;
    for whole in [json!(2), json!("2"), json!(2.0), json!("2.0"), json!(" 2 ")] {
        assert_eq!(listed(whole.clone()).await.ok()["tasks"].as_array().unwrap().len(), 2, "{whole}");
    }
    for wrong in [json!(2.5), json!("2.5"), json!("two"), json!(""), json!([2]), json!(true)] {
        assert_eq!(listed(wrong.clone()).await.code(), "invalid_arguments", "{wrong}");
    }
    assert_eq!(listed(Value::Null).await.ok()["tasks"].as_array().unwrap().len(), 4, "null is as good as nothing");

    let title =
        async |title: Value| client.call("chorus_update_task", json!({ "taskUuid": uuids[0], "title": title })).await;
    for wrong in [json!(7), json!(true), json!(["x"]), json!({})] {
        assert_eq!(title(wrong.clone()).await.code(), "invalid_arguments", "no text was mangled into {wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_no_tool_knows_are_passed_over_and_named() {
    let site = Site::new(Backend::Sqlite).await;
    let client = site.client();
    let create = async |more: Value| {
        let mut arguments = json!({ "name": "p" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        send(&client, &[(VERSION, "2025-11-25")], &call("chorus_admin_create_project", &arguments)).await.json()
    };
    let answer = create(json!({ "descripton": "lost", "zzz": 1 })).await;
    assert_eq!(answer["result"]["isError"], false);
    let ignored = answer["result"]["_meta"]["chorus/ignoredArguments"].as_array().unwrap();
    let named = |name: &str| ignored.iter().find(|line| line.to_string().contains(name)).unwrap().to_string();
    assert!(
        named("descripton").contains("`description`") || named("descripton").contains("\"description\""),
        "{answer}"
    );
    assert_eq!(named("zzz").matches("description").count(), 0, "{answer}");
    assert_eq!(create(json!({})).await["result"].get("_meta"), None, "nothing to name");

    for near in ["idempotencykey", "idempotency_key", "idempotencyKye", "IdempotencyKey"] {
        let answer = create(json!({ near: "k" })).await;
        assert_eq!(answer["result"]["isError"], true, "{near}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(near) && text.contains("`idempotencyKey`"), "{text}");
    }
    for near in ["preveiw", "confirmation_token"] {
        assert_eq!(create(json!({ near: true })).await["result"]["isError"], true, "{near}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cursors_of_the_list_of_tools_lead_nowhere_but_to_its_beginning() {
    let site = Site::new(Backend::Sqlite).await;
    let list = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
    let all = site.client().tools().await;
    for params in [json!(null), json!({}), json!({ "cursor": null }), json!({ "cursor": "" }), json!({ "limit": 1 })] {
        let reply = send(&site.client(), &[(VERSION, "2025-11-25")], &list(params.clone())).await.json();
        assert_eq!(reply["result"]["tools"].as_array().unwrap().len(), all.len(), "{params}");
        assert_eq!(reply["result"].get("nextCursor"), None, "some clients read one page only");
    }
    for cursor in [json!("x"), json!("0"), json!("bmV4dA=="), json!(7), json!({}), json!(true)] {
        let reply = send(&site.client(), &[(VERSION, "2025-11-25")], &list(json!({ "cursor": cursor }))).await;
        assert_eq!(refusal(&reply), (200, -32602), "{cursor}");
    }
}

// Where else clients look.

#[tokio::test(flavor = "multi_thread")]
async fn probes_for_an_authorization_server_find_json_that_says_no() {
    let site = Site::new(Backend::Sqlite).await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/api/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/api/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/api/mcp",
        "/api/mcp/.well-known/openid-configuration",
        "/register",
        "/authorize",
        "/token",
    ] {
        for method in ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE"] {
            for key in [None, Some(&site.admin.key)] {
                let mut request = http().request(method.parse().unwrap(), format!("{}{path}", site.server.base()));
                if let Some(key) = key {
                    request = request.bearer_auth(key);
                }
                let reply = exchange(request.header(JSON.0, JSON.1).header("accept", "text/html")).await;
                assert_eq!((reply.status, reply.header("content-type")), (404, Some(JSON.1)), "{method} {path}");
                assert_eq!((reply.header("location"), reply.header("www-authenticate")), (None, None));
                if method != "HEAD" {
                    assert_eq!(reply.json()["error"], "not_found", "{method} {path}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_may_mirror_arguments_in_headers() {
    let site = Site::new(Backend::Sqlite).await;
    let page = "https://console.example.com";
    let server = chorus_testkit::Launch::on(site.database.url()).flag("--allow-origin", page).start().await;
    let ask = |names: &str| {
        let request = http().request(reqwest::Method::OPTIONS, format!("{}/api/mcp", server.base()));
        let request = request.header("origin", page).header("access-control-request-method", "POST");
        exchange(request.header("access-control-request-headers", names))
    };
    let reply = ask("content-type, mcp-param-region, x-evil, Mcp-Param-Project-Id").await;
    assert_eq!((reply.status, reply.text.as_str()), (204, ""));
    let lines = reply.headers.iter().filter(|(name, _)| name == "access-control-allow-headers");
    let allowed = lines.map(|(_, value)| value.to_ascii_lowercase()).collect::<Vec<_>>().join(", ");
    let allowed: Vec<&str> = allowed.split(", ").collect();
    for name in ["mcp-param-region", "mcp-param-project-id", "x-chorus-readonly", "x-chorus-tools", "mcp-name"] {
        assert!(allowed.contains(&name), "{name} in {allowed:?}");
    }
    assert!(!allowed.contains(&"x-evil") && !allowed.contains(&"*"), "{allowed:?}");
    assert_eq!(reply.header("access-control-allow-credentials"), None);
    assert!(reply.header("access-control-max-age").unwrap().parse::<u32>().is_ok());
    // What it is told stands in what it may read.
    let reply = site.server.client(&site.admin.key).exchange(&[JSON], "{").await;
    assert_eq!(reply.header("access-control-expose-headers"), None, "that server has no such page");
    let reply = server.client(&site.admin.key).exchange(&[JSON, ("origin", page)], "{").await;
    let exposed = reply.header("access-control-expose-headers").unwrap().to_ascii_lowercase();
    for name in ["www-authenticate", "mcp-protocol-version", "mcp-session-id", "retry-after", "x-request-id"] {
        assert!(exposed.split(", ").any(|known| known == name), "{name} in {exposed}");
    }
}
