//! The whole way of a request through the service, whatever comes in: every answer is one that a client can read.
//!
//! `PROPTEST_CASES` says how much is tried. Coverage-guided targets for the same are in `fuzz/`.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use chorus_http::{App, Config, Mount};
use chorus_library::ChorusLibrary;
use chorus_mcp::ServerInfo;
use chorus_testkit::{Backend, Database, Raw, Reply, World, check_answer, check_refusal};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::TestRunner,
};
use serde_json::{Value, json};

const VERSIONS: [&str; 8] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2027-01-01", "latest", ""];

/// The service on a database, and an agent that may do everything.
struct House {
    runtime: tokio::runtime::Runtime,
    app: App,
    key: String,
    _database: Database,
}

impl House {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (app, key, database) = runtime.block_on(async {
            let database = Database::fresh(Backend::Sqlite).await;
            let world = World::new(database.services().await).await;
            let agent = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await;
            let surface = Arc::new(chorus_tools::surface().unwrap());
            let library = Arc::new(ChorusLibrary::new(Arc::clone(&surface)));
            let mount = Mount::new("/api/mcp", surface, ServerInfo::new("chorus", "1")).with_library(library);
            (App::new(database.services().await, [mount], Config::default()), agent.key, database)
        });
        Self { runtime, app, key, _database: database }
    }

    /// The answer to a request, which is checked; `None` if HTTP has no such request.
    fn answer(&self, raw: &Raw) -> Option<Reply> {
        let request = raw.request()?;
        let reply = self.runtime.block_on(async { Reply::of_service(self.app.handle(request).await).await });
        raw.check(&raw.request()?, &reply);
        Some(reply)
    }

    /// Tries many inputs: `share` of as many as are asked for.
    fn try_all<S: Strategy>(&self, share: f64, strategy: S, check: impl Fn(&Self, S::Value)) {
        let asked = ProptestConfig::default().cases;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of cases")]
        let cases = (f64::from(asked) * share).ceil() as u32;
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let tried = TestRunner::new(config).run(&strategy, |input| {
            check(self, input);
            Ok(())
        });
        if let Err(failure) = tried {
            panic!("{failure}");
        }
    }
}

fn corpus(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(any::<char>(), 0..8).prop_map(String::from_iter),
        select(vec!["", " ", "\0", "null", "[]", "{\"a\":1}", "-1", "0", "true", "é\u{301}", "'; --", "\u{202e}x"])
            .prop_map(str::to_owned),
        (1_usize..3_000).prop_map(|length| "长".repeat(length)),
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
        thing(),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Stands for one of the things that answers have named so far.
fn thing() -> impl Strategy<Value = Value> {
    (0_usize..40).prop_map(|number| Value::String(format!("@{number}")))
}

/// What fits a schema mostly.
fn fitting(name: &str, schema: &Value) -> BoxedStrategy<Value> {
    let proper = match schema["type"].as_str().unwrap_or_default() {
        "object" => object(schema),
        "array" => vec(fitting(name, &schema["items"]), 0..3).prop_map(Value::from).boxed(),
        "integer" => prop_oneof![4 => (0_i64..30).boxed(), 1 => any::<i64>().boxed()].prop_map(Value::from).boxed(),
        "number" => prop_oneof![(0.0..20.0).boxed(), any::<f64>().boxed()].prop_map(Value::from).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        _ => match schema["enum"].as_array() {
            Some(words) => select(words.clone()).boxed(),
            None if name.to_lowercase().contains("uuid") => thing().boxed(),
            None => text().prop_map(Value::from).boxed(),
        },
    };
    let mangled = proper.clone().prop_map(|value| Value::String(value.to_string()));
    prop_oneof![12 => proper, 1 => mangled, 1 => anything()].boxed()
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let required = schema["required"].clone();
    let Some(properties) = schema["properties"].as_object() else { return Just(json!({})).boxed() };
    let members: Vec<_> = properties
        .iter()
        .map(|(name, property)| {
            let needed = required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
            let value = proptest::option::weighted(if needed { 0.97 } else { 0.3 }, fitting(name, property));
            let name = name.clone();
            value.prop_map(move |value| value.map(|value| (name.clone(), value)))
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
}

/// A call of any tool.
fn tool_call() -> impl Strategy<Value = (String, Value)> {
    let surface = chorus_tools::surface().unwrap();
    let tools: Vec<_> =
        surface.tools().iter().map(|tool| (tool.row.name.to_owned(), object(&tool.definition.input_schema))).collect();
    select(tools).prop_flat_map(|(name, arguments)| (Just(name), arguments))
}

fn headers() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
    let line = |names: Vec<&'static str>, values: Vec<&'static str>| {
        let value = prop_oneof![
            8 => select(values).prop_map(|value| value.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 0..12),
        ];
        (select(names).prop_map(|name| name.as_bytes().to_vec()), value)
    };
    let odd = prop_oneof![
        line(vec!["accept"], vec!["*/*", "application/json", "text/event-stream", "text/html", "*/*;q=0"]),
        line(vec!["mcp-protocol-version"], VERSIONS.to_vec()),
        line(
            vec!["mcp-method", "mcp-name"],
            vec!["tools/call", "tools/list", "ping", "chorus_checkin", "=?base64?!?="]
        ),
        line(vec!["origin"], vec!["http://localhost", "null", "http://evil.example", "https://[::1]:1"]),
        line(vec!["host", "authorization", "content-type", "content-length"], vec!["localhost", "", "text/plain", "9"]),
        line(vec!["x-chorus-project", "x-chorus-project-group", "mcp-session-id", "mcp-param-x"], vec!["x", ",", "@1"]),
        (vec(any::<u8>(), 1..6), vec(any::<u8>(), 0..6)),
    ];
    vec(odd, 0..4)
}

fn base(key: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let line = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    vec![
        line("host", "localhost"),
        line("authorization", &format!("Bearer {key}")),
        line("content-type", "application/json"),
    ]
}

#[test]
fn every_request_of_the_corpus_gets_an_answer() {
    let house = House::new();
    let posts = corpus("posts");
    assert!(posts.len() > 20, "{}", posts.len());
    for post in posts {
        let raw = Raw::read(&post, &house.key);
        assert!(house.answer(&raw).is_some(), "{}", String::from_utf8_lossy(&post));
    }
    for body in corpus("messages") {
        let raw = Raw { method: b"POST".to_vec(), path: b"/api/mcp".to_vec(), headers: base(&house.key), body };
        let status = house.answer(&raw).unwrap().status;
        assert!([200, 202, 400, 404].contains(&status), "{status} to {}", String::from_utf8_lossy(&raw.body));
    }
}

#[test]
fn any_bytes_get_an_answer() {
    let house = House::new();
    let messages = corpus("messages");
    let body = (
        prop::option::weighted(0.8, any::<Index>()),
        vec((any::<Index>(), any::<u8>()), 0..4),
        vec(any::<u8>(), 0..40),
    )
        .prop_map(move |(seed, edits, bytes)| {
            let Some(seed) = seed else { return bytes };
            let mut body = seed.get(&messages).clone();
            for (at, byte) in &edits {
                if !body.is_empty() {
                    let at = at.index(body.len());
                    body[at] = *byte;
                }
            }
            body
        });
    let method = prop_oneof![6 => Just("POST"), 1 => select(vec!["GET", "HEAD", "PUT", "OPTIONS", "DELETE", "X", ""])];
    let path = prop_oneof![
        8 => select(vec!["/api/mcp", "/api/mcp/", "/api/mcp?x"]).prop_map(|path| path.as_bytes().to_vec()),
        1 => select(vec!["/", "*", "/api/health", "/sse", "http://evil.example/api/mcp"])
            .prop_map(|path| path.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..12),
    ];
    house.try_all(
        4.0,
        (method, path, headers(), any::<bool>(), body),
        |house, (method, path, mut odd, usual, body)| {
            if usual {
                odd.extend(base(&house.key));
            }
            let raw = Raw { method: method.as_bytes().to_vec(), path, headers: odd, body };
            house.answer(&raw);
        },
    );
}

#[test]
fn any_message_gets_the_answer_of_its_id() {
    let house = House::new();
    let methods = [
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "notifications/x",
    ];
    let id = prop_oneof![any::<i64>().prop_map(Value::from), text().prop_map(Value::from)];
    let version = || select(VERSIONS.to_vec());
    let meta = (version(), any::<bool>()).prop_map(|(version, whole)| {
        let mut meta = json!({ "io.modelcontextprotocol/protocolVersion": version });
        if whole {
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        meta
    });
    let params = prop_oneof![
        anything(),
        (anything(), anything()).prop_map(|(arguments, meta)| {
            json!({ "name": "chorus_list_projects", "arguments": arguments, "_meta": meta })
        }),
        (version(), meta).prop_map(|(version, meta)| json!({ "protocolVersion": version, "_meta": meta, "name": "x" })),
        Just(json!({ "name": "chorus_list_projects", "arguments": {} })),
    ];
    let message = (id, select(methods.to_vec()), params, headers(), any::<bool>());
    house.try_all(2.0, message, |house, (id, method, params, odd, batch)| {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let body = if batch { json!([message]) } else { message };
        let mut headers = base(&house.key);
        let known = headers.clone();
        headers.extend(odd.into_iter().filter(|(name, _)| !known.iter().any(|(known, _)| known == name)));
        let raw = Raw { method: b"POST".to_vec(), path: b"/api/mcp".to_vec(), headers, body: body.to_string().into() };
        let reply = house.answer(&raw).unwrap();
        if matches!(reply.status, 200 | 404) && reply.header("content-type") == Some("application/json") {
            let answer = reply.json();
            let answer = if batch { &answer[0] } else { &answer };
            assert_eq!(answer["id"], id, "{reply:?}");
            assert_ne!(answer["error"]["code"], -32603, "{reply:?}");
        }
    });
}

/// Whatever a model makes up, a tool answers what it declares; nothing is our fault.
#[test]
fn any_arguments_get_an_answer_that_the_tool_declares() {
    let house = House::new();
    // What answers name is what later calls are about.
    let things = std::cell::RefCell::new(vec![json!("00000000-0000-7000-8000-000000000000")]);
    let outcomes = std::cell::RefCell::new(BTreeMap::<String, usize>::new());
    let call = |house: &House, tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let mut headers = base(&house.key);
        headers.push((b"mcp-protocol-version".to_vec(), b"2025-11-25".to_vec()));
        let raw = Raw { method: b"POST".to_vec(), path: b"/api/mcp".to_vec(), headers, body: body.to_string().into() };
        let reply = house.answer(&raw).unwrap();
        let result = reply.json()["result"].clone();
        assert!(result.is_object(), "{reply:?} to {body}");
        let outcome = if result["isError"] == true {
            let error = &result["_meta"]["chorus/error"];
            let code = error["code"].as_str().unwrap().to_owned();
            assert!(code != "internal" && code != "unavailable", "{reply:?} to {body}");
            check_refusal(tool, result["content"][0]["text"].as_str().unwrap(), error);
            code
        } else {
            check_answer(tool, &result["structuredContent"]);
            collect(&result["structuredContent"], &mut things.borrow_mut());
            "answered".to_owned()
        };
        *outcomes.borrow_mut().entry(outcome).or_default() += 1;
        result["structuredContent"].clone()
    };
    let project = call(&house, "chorus_admin_create_project", json!({ "name": "p" }));
    let idea = json!({ "projectUuid": project["uuid"], "title": "i" });
    call(&house, "chorus_pm_create_idea", idea);
    let tasks = json!([{ "title": "t", "acceptanceCriteriaItems": [{ "description": "c" }] }]);
    call(&house, "chorus_create_tasks", json!({ "projectUuid": project["uuid"], "tasks": tasks }));
    house.try_all(2.0, tool_call(), |house, (tool, arguments)| {
        let arguments = named(arguments, &things.borrow());
        call(house, &tool, arguments);
    });
    let outcomes = outcomes.into_inner();
    assert!(
        outcomes.get("answered").is_some_and(|count| *count > 20),
        "calls that go well are tried too: {outcomes:?}"
    );
}

/// Remembers the ids in an answer, the newest last.
fn collect(answer: &Value, things: &mut Vec<Value>) {
    match answer {
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 && !things.contains(answer) => {
            things.push(answer.clone());
            if things.len() > 40 {
                things.remove(1);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, things)),
        Value::Object(members) => members.values().for_each(|member| collect(member, things)),
        _ => {}
    }
}

/// The same with ids where numbers stand for them.
fn named(value: Value, things: &[Value]) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => things[number % things.len()].clone(),
            None => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(|item| named(item, things)).collect(),
        Value::Object(members) => members.into_iter().map(|(name, member)| (name, named(member, things))).collect(),
        other => other,
    }
}
