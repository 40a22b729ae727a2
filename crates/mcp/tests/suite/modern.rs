//! Headers of the modern era (protocol checklist §2.6).

use chorus_mcp::Version;
use serde_json::json;

use crate::wire::{Post, check};

fn call() -> Post {
    Post::modern("tools/call", json!({ "name": "echo" }))
}

#[test]
fn header_names_ignore_case_and_values_do_not() {
    let post =
        call().without("Mcp-Method").also("mcp-METHOD", "tools/call").without("Mcp-Name").also("MCP-NAME", "echo");
    check(&post, 200, 0);
    check(&call().header("Mcp-Method", "Tools/Call"), 400, -32020);
    check(&call().header("Mcp-Name", "Echo"), 400, -32020);
}

#[test]
fn whitespace_around_values_is_no_part_of_them() {
    let post = call()
        .header("MCP-Protocol-Version", "\t2026-07-28 ")
        .header("Mcp-Method", " tools/call")
        .header("Mcp-Name", "echo\t");
    check(&post, 200, 0);
    check(&call().header("Mcp-Name", "ec ho"), 400, -32020);
}

#[test]
fn repeated_headers_are_malformed_even_when_they_agree() {
    check(&call().also("MCP-Protocol-Version", "2026-07-28"), 400, -32020);
    check(&call().also("Mcp-Method", "tools/call"), 400, -32020);
    check(&call().also("Mcp-Name", "echo"), 400, -32020);
    // The header alone can claim the era, too.
    check(
        &Post::bare("ping", &json!({})).also("MCP-Protocol-Version", "2026-07-28").also("MCP-Protocol-Version", "x"),
        400,
        -32020,
    );
}

#[test]
fn standard_headers_are_required() {
    for header in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        check(&call().without(header), 400, -32020);
    }
    // `Mcp-Name` only where there is a name.
    check(&Post::modern("tools/list", json!({})), 200, 0);
    check(&Post::modern("server/discover", json!({})), 200, 0);
}

#[test]
fn a_name_may_be_encoded() {
    let named =
        |name: &str, header: &str| Post::modern("tools/call", json!({ "name": name })).header("Mcp-Name", header);
    check(&named("echo", "=?base64?ZWNobw==?="), 200, 0);
    check(&named("écho 🦀", "=?base64?w6ljaG8g8J+mgA==?="), 200, 0);
    check(&named("", "=?base64??="), 200, 0);
    check(&named("other", "=?base64?ZWNobw==?="), 400, -32020);
    check(&named("echo", "=?base64?ZWNobw?="), 400, -32020);
    check(&named("echo", "=?base64?ZW_obw==?="), 400, -32020);
    check(&named("echo", "=?base64?/w==?="), 400, -32020);
    // Without both markers it is literal text.
    check(&named("=?base64?ZWNobw==", "=?base64?ZWNobw=="), 200, 0);
    check(&named("ZWNobw==?=", "ZWNobw==?="), 200, 0);
    check(&named("=?BASE64?ZWNobw==?=", "=?BASE64?ZWNobw==?="), 200, 0);
    // The method is never encoded.
    check(&call().header("Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?="), 400, -32020);
}

#[test]
fn a_name_that_is_not_there_cannot_be_mirrored() {
    let nameless = || Post::modern("tools/call", json!({}));
    check(&nameless(), 200, -32602);
    check(&nameless().header("Mcp-Name", "echo"), 400, -32020);
}

#[test]
fn client_info_is_optional_and_capabilities_may_be_empty() {
    check(&call(), 200, 0);
    check(
        &call().with("/params/_meta/io.modelcontextprotocol~1clientInfo", json!({ "name": "c", "version": "1" })),
        200,
        0,
    );
    check(&call().with("/params/_meta/io.modelcontextprotocol~1clientInfo", json!("odd")), 200, 0);
}

#[test]
fn legacy_requests_ignore_modern_headers() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        let post = Post::of(version, "tools/call", json!({ "name": "echo" }))
            .also("Mcp-Method", "other")
            .also("Mcp-Method", "another")
            .also("Mcp-Name", "=?base64?!?=")
            .also("Mcp-Param-X", "y");
        assert_eq!(post.request().version, version);
    }
}
