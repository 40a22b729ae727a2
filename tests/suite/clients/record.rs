//! What has to be true of everything that passes between a client and the server.

use std::collections::BTreeSet;

use chorus_testkit::Exchange;
use serde_json::Value;

use super::{matrix::Tested, program::Transport};

/// Checks the record of a client that has been on its journey with this key.
#[track_caller]
pub(super) fn check(tested: &Tested, key: &str, exchanges: &[Exchange]) {
    for exchange in exchanges {
        assert_eq!(exchange.header("authorization"), Some(format!("Bearer {key}").as_str()), "{exchange:#?}");
        assert_eq!(exchange.status, expected(tested.transport, exchange), "{exchange:#?}");
        if exchange.status == 202 {
            assert!(exchange.answer.is_empty(), "{exchange:#?}");
        }
    }
    assert_eq!(spoken(exchanges), BTreeSet::from([tested.revision.to_owned()]), "{exchanges:#?}");
    let refusals = exchanges.iter().flat_map(Exchange::answers);
    let codes: Vec<Value> = refusals.map(|answer| answer["result"]["_meta"]["chorus/error"]["code"].clone()).collect();
    assert!(codes.contains(&"already_claimed".into()), "{codes:?}");
}

/// The status with which a request has to be answered.
fn expected(transport: Transport, exchange: &Exchange) -> u16 {
    match (transport, exchange.method.as_str()) {
        // There is nothing to listen to: whatever belongs to a request is in its answer.
        (Transport::Http, "GET") => 405,
        (Transport::Sse, "GET") => 200,
        (Transport::Http, "POST") if exchange.message().get("id").is_some() => 200,
        // Notifications, and whatever is answered on the stream.
        (Transport::Http | Transport::Sse, "POST") => 202,
        _ => panic!("nobody should send {exchange:#?}"),
    }
}

/// The revisions that were spoken: what handshakes settled on, and what later requests say.
fn spoken(exchanges: &[Exchange]) -> BTreeSet<String> {
    let settled = exchanges.iter().flat_map(Exchange::answers);
    let settled = settled.filter_map(|answer| answer["result"]["protocolVersion"].as_str().map(str::to_owned));
    let opening = ["initialize", "server/discover"];
    let later = exchanges.iter().filter(|exchange| !opening.contains(&exchange.rpc().as_str()));
    let said = later.filter_map(|exchange| exchange.header("mcp-protocol-version").map(str::to_owned));
    settled.chain(said).collect()
}
