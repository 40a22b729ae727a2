//! Requests of several rounds, and the state that travels between them (protocol checklist §17).

use std::collections::BTreeMap;

use chorus_mcp::{
    Answer, Capability, ClientCapabilities, InputRequest, InputRequired, Inputs, StateSeal, Version, Work,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::wire::{Post, Seen, check, object};

/// The methods that may ask back, with parameters that are right.
fn methods() -> [(&'static str, Value); 3] {
    [
        ("tools/call", json!({ "name": "echo", "arguments": { "a": 1 } })),
        ("prompts/get", json!({ "name": "ask", "arguments": { "a": "1" } })),
        ("resources/read", json!({ "uri": "test://one" })),
    ]
}

fn inputs(work: Work) -> Inputs {
    match work {
        Work::CallTool { inputs, .. } | Work::GetPrompt { inputs, .. } | Work::ReadResource { inputs, .. } => inputs,
        other => panic!("{other:?}"),
    }
}

fn asking(key: &str, request: InputRequest) -> Answer {
    Answer::InputRequired(InputRequired { requests: BTreeMap::from([(key.to_owned(), request)]), state: None })
}

fn elicit() -> InputRequest {
    InputRequest::Elicit { message: "Name?".into(), schema: json!({ "type": "object", "properties": {} }) }
}

#[test]
fn what_the_client_brings_back_arrives() {
    for (method, mut params) in methods() {
        params["inputResponses"] = json!({ "k": { "action": "accept" }, "other": 1 });
        params["requestState"] = json!("s");
        let expected =
            Inputs { responses: object(json!({ "k": { "action": "accept" }, "other": 1 })), state: Some("s".into()) };
        assert_eq!(inputs(Post::modern(method, params.clone()).rich().request().work), expected);
        // Older revisions have no rounds, and what looks like one is a member that nobody asked for.
        for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
            assert_eq!(inputs(Post::of(version, method, params.clone()).rich().request().work), Inputs::default());
        }
        params["inputResponses"] = json!(null);
        params["requestState"] = json!(null);
        assert_eq!(inputs(Post::modern(method, params).rich().request().work), Inputs::default());
    }
}

#[test]
fn malformed_inputs_are_invalid_params() {
    for (method, params) in methods() {
        for (pointer, wrong) in [
            ("/params/inputResponses", json!([])),
            ("/params/inputResponses", json!("x")),
            ("/params/requestState", json!(1)),
            ("/params/requestState", json!({})),
        ] {
            check(&Post::modern(method, params.clone()).rich().with(pointer, wrong), 200, -32602);
        }
    }
}

#[test]
fn questions_are_sent_as_the_requests_that_they_stand_for() {
    let everything = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} });
    let sample = object(json!({ "messages": [], "maxTokens": 5 }));
    let rows = [
        (
            elicit(),
            json!({ "method": "elicitation/create", "params": {
                "mode": "form", "message": "Name?", "requestedSchema": { "type": "object", "properties": {} } } }),
        ),
        (
            InputRequest::ElicitUrl { message: "Sign.".into(), url: "https://example.com/".into() },
            json!({ "method": "elicitation/create", "params": {
                "mode": "url", "message": "Sign.", "url": "https://example.com/" } }),
        ),
        (
            InputRequest::Sample(sample),
            json!({ "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 5 } }),
        ),
        (InputRequest::Roots, json!({ "method": "roots/list" })),
    ];
    for (method, params) in methods() {
        for (request, expected) in rows.clone() {
            let post = Post::modern(method, params.clone()).rich().able(everything.clone());
            let seen = post.answered(asking("k", request));
            let result = seen.result();
            assert_eq!(result["resultType"], "input_required");
            assert_eq!(result["inputRequests"], json!({ "k": expected }));
            assert_eq!(Seen::keys(result), ["_meta", "inputRequests", "resultType"]);
        }
    }
    let post = Post::modern("tools/call", json!({ "name": "echo" })).rich();
    let seen =
        post.answered(Answer::InputRequired(InputRequired { requests: BTreeMap::new(), state: Some("s".into()) }));
    assert_eq!(Seen::keys(seen.result()), ["_meta", "requestState", "resultType"]);
    assert_eq!(seen.result()["requestState"], "s");
}

#[test]
fn nothing_is_asked_that_was_not_declared() {
    let rows = [
        (elicit(), json!({ "elicitation": { "url": {} } }), json!({ "elicitation": { "form": {} } })),
        (elicit(), json!({}), json!({ "elicitation": { "form": {} } })),
        (
            InputRequest::ElicitUrl { message: String::new(), url: String::new() },
            json!({ "elicitation": {} }),
            json!({ "elicitation": { "url": {} } }),
        ),
        (InputRequest::Sample(object(json!({}))), json!({ "elicitation": {} }), json!({ "sampling": {} })),
        (
            InputRequest::Sample(object(json!({ "tools": [] }))),
            json!({ "sampling": {} }),
            json!({ "sampling": { "tools": {} } }),
        ),
        (InputRequest::Roots, json!({ "sampling": {} }), json!({ "roots": {} })),
    ];
    for (method, params) in methods() {
        for (request, declared, required) in rows.clone() {
            let post = Post::modern(method, params.clone()).rich().able(declared);
            let seen = post.answered(asking("k", request));
            assert_eq!((seen.status, seen.code()), (400, Some(-32021)), "{seen:?}");
            assert_eq!(seen.body["error"]["data"], json!({ "requiredCapabilities": required }));
        }
    }
}

#[test]
fn an_empty_elicitation_means_forms() {
    let declared = |value: Value| {
        let post = Post::modern("tools/call", json!({ "name": "echo" })).able(json!({ "elicitation": value }));
        let client: ClientCapabilities = post.request().client;
        (client.declares(Capability::ElicitationForm), client.declares(Capability::ElicitationUrl))
    };
    assert_eq!(declared(json!({})), (true, false));
    assert_eq!(declared(json!({ "form": {} })), (true, false));
    assert_eq!(declared(json!({ "url": {} })), (false, true));
    assert_eq!(declared(json!({ "form": {}, "url": {} })), (true, true));
    assert_eq!(declared(json!(true)), (false, false));
}

#[test]
fn older_revisions_are_told_that_they_cannot_be_asked() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
        let seen = post.answered(asking("k", elicit()));
        assert_eq!(seen.result()["isError"], true);
        let text = seen.result()["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains(version.as_str()), "{text}");
        for (method, params) in methods().into_iter().skip(1) {
            let seen = Post::of(version, method, params).rich().answered(asking("k", elicit()));
            assert_eq!((seen.status, seen.code()), (200, Some(-32602)), "{seen:?}");
        }
        let client = Post::of(version, "tools/call", json!({ "name": "echo" })).request().client;
        assert_eq!(client, ClientCapabilities::default());
    }
}

#[test]
fn asking_for_nothing_and_asking_elsewhere_are_faults_of_ours() {
    let nothing = Answer::InputRequired(InputRequired::default());
    let post = Post::modern("tools/call", json!({ "name": "echo" }));
    assert_eq!(post.answered(nothing).code(), Some(-32603));
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let post = Post::modern(method, json!({})).rich().able(json!({ "elicitation": {} }));
        assert_eq!(post.answered(asking("k", elicit())).code(), Some(-32603), "{method}");
    }
}

const SEAL: StateSeal<'_> = StateSeal { key: b"a key of the server", principal: b"ann", now: 1_000 };

/// The next round of a request: the same with this state.
fn next(method: &str, params: &Value, state: &str) -> Work {
    let mut params = params.clone();
    params["requestState"] = json!(state);
    Post::modern(method, params).rich().request().work
}

#[test]
fn state_comes_back_to_the_request_that_it_belongs_to() {
    for (method, params) in methods() {
        let work = Post::modern(method, params.clone()).rich().request().work;
        assert_eq!(SEAL.open(&work), Ok(None));
        for state in ["", "x", "with \u{1F980} in it"] {
            let sealed = SEAL.seal(&work, state, 1_001).unwrap();
            assert_eq!(SEAL.open(&next(method, &params, &sealed)), Ok(Some(state.to_owned())));
        }
    }
    let listed = Post::bare("tools/list", &json!({})).request().work;
    assert_eq!((SEAL.seal(&listed, "x", 2_000), SEAL.open(&listed)), (None, Ok(None)));
}

#[test]
fn state_opens_for_nobody_else_and_for_nothing_else() {
    let params = json!({ "name": "echo", "arguments": { "a": 1, "b": { "c": [true, null], "d": "e" } } });
    let work = Post::modern("tools/call", params.clone()).request().work;
    let sealed = SEAL.seal(&work, "x", 1_060).unwrap();
    let back = next("tools/call", &params, &sealed);
    let opens = |seal: StateSeal<'_>, work: &Work| {
        let opened = seal.open(work);
        assert!(opened.as_ref().is_ok_and(Option::is_some) || opened.as_ref().is_err_and(|error| error.code == -32602));
        opened.is_ok()
    };
    assert!(opens(SEAL, &back));
    assert!(opens(StateSeal { now: 1_059, ..SEAL }, &back));
    assert!(!opens(StateSeal { now: 1_060, ..SEAL }, &back), "expired");
    assert!(!opens(StateSeal { principal: b"bob", ..SEAL }, &back));
    assert!(!opens(StateSeal { key: b"another key", ..SEAL }, &back));

    // The order of members is no difference, everything else is.
    let turned = json!({ "arguments": { "b": { "d": "e", "c": [true, null] }, "a": 1 }, "name": "echo" });
    assert!(opens(SEAL, &next("tools/call", &turned, &sealed)));
    for other in [
        json!({ "name": "echo" }),
        json!({ "name": "other", "arguments": params["arguments"] }),
        json!({ "name": "echo", "arguments": { "a": 2, "b": params["arguments"]["b"] } }),
        json!({ "name": "echo", "arguments": { "a": "1", "b": params["arguments"]["b"] } }),
        json!({ "name": "echo", "arguments": { "a": 1, "b": { "c": [true], "d": "e" } } }),
        json!({ "name": "echo", "arguments": { "a": 1, "b": { "c": [true, null, "d"], "e": "e" } } }),
    ] {
        assert!(!opens(SEAL, &next("tools/call", &other, &sealed)), "{other}");
    }
    let prompt = json!({ "name": "echo", "arguments": {} });
    assert!(!opens(SEAL, &next("prompts/get", &prompt, &sealed)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn altered_state_does_not_open(state: String, at: prop::sample::Index, byte in "[A-Za-z0-9_-]", more in "[A-Za-z0-9_=-]{1,4}") {
        let (method, params) = methods()[0].clone();
        let work = Post::modern(method, params.clone()).request().work;
        let sealed = SEAL.seal(&work, &state, 2_000).unwrap();
        let mut altered = sealed.clone();
        let at = at.index(sealed.len());
        altered.replace_range(at..=at, &byte);
        prop_assume!(altered != sealed);
        prop_assert!(SEAL.open(&next(method, &params, &altered)).is_err());
        prop_assert!(SEAL.open(&next(method, &params, &sealed[..at])).is_err());
        let longer = sealed + &more;
        prop_assert!(SEAL.open(&next(method, &params, &longer)).is_err());
    }

    #[test]
    fn no_text_opens_by_chance(text: String) {
        let (method, params) = methods()[1].clone();
        prop_assert!(SEAL.open(&next(method, &params, &text)).is_err());
    }
}
