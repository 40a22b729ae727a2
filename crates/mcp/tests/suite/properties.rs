//! What holds for every input.

use chorus_mcp::{Encoding, Head, Received, Version, receive};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::wire::{CAPABILITIES_KEY, Post, Seen, VERSION_KEY, answer, rich};

const VERSIONS: [&str; 9] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", "garbage", "", " 2025-06-18"];
const METHODS: [&str; 17] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
    "tasks/get",
    "logging/setLevel",
    "notifications/initialized",
    "x",
];

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..6).prop_map(|chars| chars.into_iter().collect())
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
        select(VERSIONS.to_vec()).prop_map(Value::from),
    ];
    let name = prop_oneof![
        text(),
        select(vec![
            "_meta",
            "name",
            "arguments",
            "cursor",
            "uri",
            "ref",
            "argument",
            "level",
            "notifications",
            "taskId",
            "inputResponses",
            "requestState",
            "protocolVersion",
            "jsonrpc",
            "id",
            "method",
            "params",
            VERSION_KEY,
            CAPABILITIES_KEY
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name.clone(), inner), 0..5).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![any::<i64>().prop_map(Value::from), any::<u64>().prop_map(Value::from), text().prop_map(Value::from)]
}

/// Parameters that come close to being right.
fn params() -> impl Strategy<Value = Value> {
    let meta = (select(VERSIONS.to_vec()), any::<bool>()).prop_map(|(version, whole)| {
        if whole { json!({ VERSION_KEY: version, CAPABILITIES_KEY: {} }) } else { json!({ VERSION_KEY: version }) }
    });
    prop_oneof![
        anything(),
        (anything(), anything()).prop_map(|(name, arguments)| json!({ "name": name, "arguments": arguments })),
        (text(), anything()).prop_map(|(uri, state)| json!({ "uri": uri, "requestState": state, "taskId": uri })),
        (anything(), anything()).prop_map(|(reference, argument)| json!({ "ref": reference, "argument": argument })),
        anything().prop_map(|filter| json!({ "notifications": filter, "level": filter })),
        meta.prop_map(|meta| json!({ "_meta": meta, "name": "echo" })),
        select(VERSIONS.to_vec()).prop_map(|version| json!({ "protocolVersion": version })),
    ]
}

fn method() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(METHODS.to_vec()).prop_map(str::to_owned), 1 => text()]
}

fn request() -> impl Strategy<Value = Value> {
    (id(), method(), params())
        .prop_map(|(id, method, params)| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

fn notification() -> impl Strategy<Value = Value> {
    (method(), params()).prop_map(|(method, params)| json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

fn response() -> impl Strategy<Value = Value> {
    (id(), anything()).prop_map(|(id, result)| json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn message() -> impl Strategy<Value = Value> {
    prop_oneof![4 => request(), 1 => notification(), 1 => response(), 1 => anything()]
}

/// A message of a batch and the id under which it is to be answered, null if under none.
fn element() -> impl Strategy<Value = (Value, Value)> {
    prop_oneof![
        3 => request().prop_map(|request| { let id = request["id"].clone(); (request, id) }),
        1 => prop_oneof![notification(), response()].prop_map(|message| (message, Value::Null)),
        1 => anything().prop_filter("no message", |value| !value.is_object()).prop_map(|value| (value, Value::Null)),
    ]
}

pub(crate) fn head() -> impl Strategy<Value = Head> {
    let accepts =
        vec!["*/*", "application/json", "text/event-stream", "application/json, text/event-stream", "text/html"];
    (
        proptest::option::weighted(0.9, select(accepts).prop_map(str::to_owned)),
        vec(select(VERSIONS.to_vec()).prop_map(str::to_owned), 0..3),
        vec(method(), 0..3),
        vec(prop_oneof![Just("echo".to_owned()), Just("=?base64?!?=".to_owned()), text()], 0..3),
    )
        .prop_map(|(accept, protocol_version, mcp_method, mcp_name)| Head {
            content_type: Some("application/json".into()),
            accept,
            protocol_version,
            mcp_method,
            mcp_name,
            params: Vec::new(),
        })
}

/// The reply of a server that answers everything.
pub(crate) fn reply(head: &Head, body: &[u8]) -> Seen {
    match receive(&rich(), head, body) {
        Received::Reply(reply) => reply.into(),
        Received::Work(exchange) => {
            assert!(!exchange.requests().is_empty());
            let answers = exchange.requests().iter().map(answer).collect();
            exchange.finish(answers).into()
        }
    }
}

/// The responses in a reply, in whatever form it has.
fn responses(seen: &Seen) -> Vec<Value> {
    match &seen.body {
        Value::Null => Vec::new(),
        Value::Array(responses) => responses.clone(),
        response => vec![response.clone()],
    }
}

/// A reply is sound: a known status, and responses that are either results or errors.
pub(crate) fn assert_sound(seen: &Seen) {
    assert!([200, 202, 400, 404, 406].contains(&seen.status), "{seen:?}");
    assert_eq!(seen.status == 202, seen.text.is_empty(), "{seen:?}");
    assert!(seen.status < 400 || seen.encoding == Encoding::Json, "{seen:?}");
    for response in responses(seen) {
        assert_eq!(response["jsonrpc"], "2.0");
        assert!(response.get("result").is_some() != response.get("error").is_some(), "{response}");
        assert_ne!(response.get("id"), Some(&Value::Null), "{response}");
        assert!(response["error"].is_null() || response["error"]["code"].is_i64(), "{response}");
        assert!(seen.status == 200 || response.get("error").is_some(), "{response}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_bytes_get_a_sound_reply(head in head(), body in vec(any::<u8>(), 0..64)) {
        assert_sound(&reply(&head, &body));
    }

    #[test]
    fn any_almost_json_gets_a_sound_reply(head in head(), message in message(), cut in any::<prop::sample::Index>(), byte: u8) {
        let mut body = message.to_string().into_bytes();
        let at = cut.index(body.len());
        body[at] = byte;
        assert_sound(&reply(&head, &body));
        body.truncate(at);
        assert_sound(&reply(&head, &body));
    }

    #[test]
    fn any_json_gets_a_sound_reply(head in head(), message in message()) {
        assert_sound(&reply(&head, message.to_string().as_bytes()));
    }

    #[test]
    fn whatever_answers_a_request_carries_its_id(head in head(), request in request()) {
        let seen = reply(&head, request.to_string().as_bytes());
        let responses = responses(&seen);
        prop_assert_eq!(responses.len(), 1, "{:?}", &seen);
        prop_assert_eq!(&responses[0]["id"], &request["id"], "{:?}", &seen);
    }

    #[test]
    fn the_responses_of_a_batch_match_its_requests(elements in vec(element(), 1..12)) {
        let (messages, ids): (Vec<_>, Vec<_>) = elements.into_iter().unzip();
        let seen = Post::json(&json!(messages)).send();
        assert_sound(&seen);
        let asked: Vec<_> = ids.into_iter().filter(|id| !id.is_null()).collect();
        let answered: Vec<_> =
            responses(&seen).iter().filter_map(|response| response.get("id").cloned()).collect();
        prop_assert_eq!(answered, asked);
    }

    #[test]
    fn the_era_is_told_from_the_request_alone(
        before in (head(), message()),
        asked in (head(), request()),
    ) {
        let body = asked.1.to_string();
        let first = receive(&rich(), &asked.0, body.as_bytes());
        let _ = receive(&rich(), &before.0, before.1.to_string().as_bytes());
        prop_assert_eq!(&receive(&rich(), &asked.0, body.as_bytes()), &first);

        // Modern work stands behind modern metadata and the same header, legacy work behind neither.
        if let Received::Work(exchange) = first {
            let version = exchange.requests()[0].version;
            let named = &asked.1["params"]["_meta"][VERSION_KEY];
            let header = asked.0.protocol_version.first().map(|header| header.trim());
            if version.is_modern() {
                prop_assert_eq!(named, version.as_str());
                prop_assert_eq!(header, Some(version.as_str()));
            } else {
                prop_assert!(named.is_null());
                prop_assert_eq!(header.unwrap_or(Version::V2025_03_26.as_str()), version.as_str());
            }
        }
    }
}
