//! `Mcp-Param-*` (protocol checklist §2.6).

use chorus_mcp::{Head, check_annotations, check_params, code};
use serde_json::{Value, json};

use crate::wire::object;

fn schema() -> Value {
    json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "count": { "type": "integer", "x-mcp-header": "Count" },
        "dry": { "type": "boolean", "x-mcp-header": "Dry" },
        "free": { "type": "string" },
        "odd": true,
        "deep": { "type": "object", "properties": { "id": { "type": "string", "x-mcp-header": "Deep-Id" } } },
        "list": { "type": "array", "items": { "properties": { "x": { "x-mcp-header": "Never" } } } },
    } })
}

#[track_caller]
fn check(lines: &[(&str, &str)], arguments: Value, expected: Result<(), &str>) {
    let lines = lines.iter().map(|(name, value)| (format!("Mcp-Param-{name}"), *value)).collect::<Vec<_>>();
    let head = Head::from_lines(lines.iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
    let result = check_params(&head, &schema(), &object(arguments));
    let part = expected.err().unwrap_or_default();
    match &result {
        Ok(()) => assert_eq!(expected, Ok(())),
        Err(error) => {
            assert!(expected.is_err() && error.message.contains(part), "{error}");
            assert_eq!(error.code, code::HEADER_MISMATCH);
        }
    }
}

#[test]
fn headers_mirror_annotated_arguments() {
    check(&[], json!({}), Ok(()));
    check(&[], json!({ "free": "x", "odd": 1, "list": [{ "x": 1 }] }), Ok(()));
    check(&[("Region", "eu")], json!({ "region": "eu" }), Ok(()));
    check(&[("rEGION", " eu ")], json!({ "region": "eu" }), Ok(()));
    check(&[("Region", "=?base64?w6k=?=")], json!({ "region": "é" }), Ok(()));
    check(&[("Region", "Eu")], json!({ "region": "eu" }), Err("differs"));
    check(&[("Region", "=?base64?w6k?=")], json!({ "region": "é" }), Err("Base64"));
    check(&[], json!({ "region": "eu" }), Err("`Mcp-Param-Region` is missing"));
    check(&[("Region", "eu"), ("region", "eu")], json!({ "region": "eu" }), Err("more than once"));
}

#[test]
fn absent_and_null_arguments_have_no_header() {
    check(&[], json!({ "region": null, "deep": null }), Ok(()));
    check(&[("Region", "eu")], json!({}), Err("not there"));
    check(&[("Region", "")], json!({ "region": null }), Err("not there"));
}

#[test]
fn numbers_are_compared_as_numbers() {
    for (header, argument) in [("42", json!(42)), ("42.0", json!(42)), ("42", json!(42.0)), ("4.2e1", json!(42))] {
        check(&[("Count", header)], json!({ "count": argument }), Ok(()));
    }
    check(&[("Count", "9007199254740993")], json!({ "count": 9_007_199_254_740_993_i64 }), Ok(()));
    check(&[("Count", "9007199254740992")], json!({ "count": 9_007_199_254_740_993_i64 }), Err("differs"));
    check(&[("Count", "18446744073709551615")], json!({ "count": u64::MAX }), Ok(()));
    for header in ["43", "", "x", "0x2a", "NaN", "inf", "\"42\""] {
        check(&[("Count", header)], json!({ "count": 42 }), Err("differs"));
    }
}

#[test]
fn booleans_are_spelled_out() {
    check(&[("Dry", "true")], json!({ "dry": true }), Ok(()));
    check(&[("Dry", "false")], json!({ "dry": false }), Ok(()));
    for header in ["True", "1", "false"] {
        check(&[("Dry", header)], json!({ "dry": true }), Err("differs"));
    }
}

#[test]
fn nested_properties_are_reached_through_properties_alone() {
    check(&[("Deep-Id", "a")], json!({ "deep": { "id": "a" } }), Ok(()));
    check(&[], json!({ "deep": { "id": "a" } }), Err("Deep-Id"));
    check(&[("Deep-Id", "a")], json!({ "deep": "a" }), Err("not there"));
    check(&[], json!({ "deep": "a" }), Ok(()));
}

#[test]
fn no_text_mirrors_an_array_or_object() {
    check(&[("Region", "[]")], json!({ "region": [] }), Err("differs"));
    check(&[("Region", "{}")], json!({ "region": {} }), Err("differs"));
}

#[test]
fn headers_that_nothing_names_are_ignored() {
    check(&[("Other", "x"), ("Never", "y")], json!({}), Ok(()));
}

#[test]
fn annotations_stand_where_clients_accept_them() {
    let property = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    let annotated = |kind: &str, name: Value| property(json!({ "type": kind, "x-mcp-header": name }));
    let nested = json!({ "type": "object", "properties": { "b": { "type": "string", "x-mcp-header": "Deep" } } });
    for good in [
        json!({}),
        json!({ "type": "object" }),
        property(json!(true)),
        annotated("string", json!("Region")),
        annotated("integer", json!("x_1.~")),
        annotated("boolean", json!("!#$%&'*+-.^_`|~")),
        property(nested.clone()),
        // A property may be called like a keyword.
        json!({ "properties": { "properties": { "type": "string", "x-mcp-header": "P" } } }),
        json!({ "properties": { "x-mcp-header": { "type": "string" } } }),
    ] {
        assert_eq!(check_annotations(&good), Ok(()), "{good}");
    }
    for (bad, reason) in [
        (annotated("number", json!("N")), "a string, an integer or a boolean"),
        (annotated("object", json!("O")), "a string, an integer or a boolean"),
        (annotated("array", json!("A")), "a string, an integer or a boolean"),
        (property(json!({ "x-mcp-header": "U" })), "a string, an integer or a boolean"),
        (property(json!({ "type": ["string", "null"], "x-mcp-header": "T" })), "a string, an integer or a boolean"),
        (annotated("string", json!("")), "a header name"),
        (annotated("string", json!("two words")), "a header name"),
        (annotated("string", json!("Ä")), "a header name"),
        (annotated("string", json!("a:b")), "a header name"),
        (annotated("string", json!(1)), "a header name"),
        (property(json!({ "type": "array", "items": { "type": "string", "x-mcp-header": "I" } })), "alone"),
        (json!({ "allOf": [annotated("string", json!("All"))] }), "alone"),
        (json!({ "$defs": { "d": { "type": "string", "x-mcp-header": "D" } } }), "alone"),
        (property(json!({ "not": nested })), "alone"),
        (
            json!({ "properties": {
                "a": { "type": "string", "x-mcp-header": "Region" },
                "b": { "type": "object", "properties": { "c": { "type": "string", "x-mcp-header": "region" } } },
            } }),
            "twice",
        ),
    ] {
        let refused = check_annotations(&bad).unwrap_err();
        assert!(refused.contains(reason), "{bad}: {refused}");
    }
}
