//! Protocol checklist §1.1, row by row.

use chorus_mcp::Version;
use serde_json::{Value, json};

use crate::wire::{CAPABILITIES_KEY, Post, VERSION_KEY, check};

fn initialize(version: &Value) -> Post {
    Post::bare(
        "initialize",
        &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } }),
    )
}

#[track_caller]
fn settles(post: &Post, version: &str) {
    assert_eq!(post.send().result()["protocolVersion"], version, "{post:?}");
}

#[track_caller]
fn serves(post: &Post, version: Version) {
    assert_eq!(post.request().version, version, "{post:?}");
}

fn list(header: &str) -> Post {
    Post::bare("tools/list", &json!({})).header("MCP-Protocol-Version", header)
}

#[test]
fn a_known_handshake_revision_is_echoed() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        settles(&initialize(&json!(version.as_str())), version.as_str());
    }
}

#[test]
fn a_handshake_never_settles_on_a_revision_that_has_none() {
    settles(&initialize(&json!("2026-07-28")), "2025-11-25");
}

#[test]
fn an_unknown_proposal_is_countered_with_the_newest_handshake_revision() {
    for proposal in ["2024-10-07", "2025-06-19", "2099-01-01", "1.0", "", "2025-11-25 ", "latest"] {
        settles(&initialize(&json!(proposal)), "2025-11-25");
    }
}

#[test]
fn a_proposal_that_is_no_string_is_refused() {
    for proposal in [json!(null), json!(20_251_125), json!(["2025-11-25"]), json!({})] {
        check(&initialize(&proposal), 200, -32602);
    }
    check(&initialize(&json!("")).lacking("/params/protocolVersion"), 200, -32602);
    check(&initialize(&json!("")).lacking("/params"), 200, -32602);
    check(&initialize(&json!("")).with("/params", json!(["2025-11-25"])), 200, -32602);
}

#[test]
fn a_handshake_with_modern_metadata_is_a_removed_method() {
    check(&Post::modern("initialize", json!({ "protocolVersion": "2025-11-25" })), 404, -32601);
    check(&Post::modern("initialize", json!({ "protocolVersion": "2026-07-28" })), 404, -32601);
}

#[test]
fn metadata_and_header_that_agree_are_served_without_a_handshake() {
    serves(&Post::modern("tools/list", json!({})), Version::V2026_07_28);
    serves(&Post::modern("tools/call", json!({ "name": "echo" })), Version::V2026_07_28);
}

#[test]
fn metadata_and_header_that_agree_on_an_unserved_version_are_told_the_served_ones() {
    for version in ["2099-01-01", "2025-11-25", "2024-11-05", "garbage"] {
        let post = Post::modern("tools/list", json!({}))
            .header("MCP-Protocol-Version", version)
            .with("/params/_meta/io.modelcontextprotocol~1protocolVersion", json!(version));
        check(&post, 400, -32022);
        let error = &post.send().body["error"];
        assert_eq!(error["data"], json!({ "supported": ["2026-07-28"], "requested": version }));
    }
}

#[test]
fn a_legacy_header_names_the_version() {
    for version in Version::ALL.into_iter().filter(|version| !version.is_modern()) {
        serves(&list(version.as_str()), version);
        serves(&list(&format!(" \t{version} ")), version);
    }
}

#[test]
fn without_a_header_the_first_streamable_revision_is_assumed() {
    serves(&Post::bare("tools/list", &json!({})), Version::V2025_03_26);
}

#[test]
fn an_unknown_header_is_refused_with_the_known_versions() {
    for header in ["2024-10-07", "2025-11-24", "2025-11-25T", "1", "", "2025-06-18, 2025-06-18", "20260728xx", "latest"]
    {
        check(&list(header), 400, -32600);
        let seen = list(header).send();
        for version in Version::ALL {
            assert!(seen.message().contains(version.as_str()), "{seen:?}");
        }
        assert_eq!(seen.body["id"], 7);
    }
    check(&list("2025-06-18").also("MCP-Protocol-Version", "2025-06-18"), 400, -32600);
}

#[test]
fn a_header_that_looks_like_a_newer_date_claims_the_modern_era() {
    for header in ["2025-11-26", "2026-07-28", "2099-12-31"] {
        check(&list(header), 400, -32602); // no metadata
        let agreeing = list(header)
            .with("/params/_meta", json!({ VERSION_KEY: header, CAPABILITIES_KEY: {} }))
            .header("Mcp-Method", "tools/list");
        check(
            &agreeing,
            if header == "2026-07-28" { 200 } else { 400 },
            if header == "2026-07-28" { 0 } else { -32022 },
        );
    }
}

#[test]
fn the_header_of_a_handshake_does_not_decide_it() {
    for header in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "garbage", ""] {
        settles(&initialize(&json!("2025-06-18")).header("MCP-Protocol-Version", header), "2025-06-18");
    }
    for header in ["2026-07-28", "2099-01-01"] {
        check(&initialize(&json!("2025-06-18")).header("MCP-Protocol-Version", header), 400, -32020);
        check(&initialize(&json!("2026-07-28")).header("MCP-Protocol-Version", header), 400, -32020);
    }
    let repeated = initialize(&json!("2025-06-18")).header("MCP-Protocol-Version", "2025-06-18");
    check(&repeated.also("MCP-Protocol-Version", "2025-06-18"), 400, -32600);
}

#[test]
fn discovery_lists_the_versions_that_the_error_lists() {
    let discovered = Post::modern("server/discover", json!({})).send();
    let refused = Post::modern("tools/list", json!({}))
        .header("MCP-Protocol-Version", "2099-01-01")
        .with("/params/_meta/io.modelcontextprotocol~1protocolVersion", json!("2099-01-01"))
        .send();
    assert_eq!(discovered.result()["supportedVersions"], refused.body["error"]["data"]["supported"]);
}

#[test]
fn a_handshake_is_never_refused_for_its_version() {
    for proposal in ["2024-11-05", "2026-07-28", "2099-01-01", "garbage"] {
        for header in ["", "garbage", "2025-06-18", "2026-07-28", "2099-01-01"] {
            let seen = initialize(&json!(proposal)).header("MCP-Protocol-Version", header).send();
            assert_ne!(seen.code(), Some(-32022), "{proposal} {header}");
        }
    }
}

#[test]
fn versions_are_named_by_their_dates() {
    for version in Version::ALL {
        assert_eq!(Version::parse(version.as_str()), Some(version));
        assert_eq!(version.to_string(), version.as_str());
    }
    assert_eq!(Version::parse("2025-11-25 "), None);
    assert!(Version::ALL.is_sorted());
}
