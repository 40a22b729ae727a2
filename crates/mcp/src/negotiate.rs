//! Which revision a POST is served under, told from that POST alone (protocol checklist §1.1).

use crate::head::{Line, trim};
use crate::jsonrpc::{Call, Params};
use crate::{Head, RpcError, Version};

/// The `_meta` key in which a request of the modern era names its revision.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The method that exists only in the modern era.
pub(crate) const DISCOVER: &str = "server/discover";

/// The method that opens the handshake of the legacy era.
pub(crate) const INITIALIZE: &str = "initialize";

/// What the rest of the checks goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The legacy era, under this revision.
    Legacy(Version),
    /// The modern era; whether it is served is still to be checked.
    Modern,
}

/// What one value of the version header claims.
enum Claim {
    Legacy(Version),
    Modern,
    Unknown,
}

/// Judges a header value. What looks like a date after the last handshake revision claims the modern era, even when
/// the revision does not exist (yet): its sender speaks the modern way and understands the modern refusal.
fn claim(value: &str) -> Claim {
    match Version::parse(value) {
        Some(version) if version.is_modern() => Claim::Modern,
        Some(version) => Claim::Legacy(version),
        None if is_date(value) && value > Version::NEWEST_LEGACY.as_str() => Claim::Modern,
        None => Claim::Unknown,
    }
}

fn is_date(value: &str) -> bool {
    value.len() == 10
        && value
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

fn header_claims_modern(head: &Head) -> bool {
    head.protocol_version.iter().any(|value| matches!(claim(trim(value)), Claim::Modern))
}

/// Whether the message itself is of the modern era, whatever the headers say.
pub(crate) fn claims_modern(call: &Call) -> bool {
    call.method == DISCOVER || call.params.meta().is_some_and(|meta| meta.contains_key(VERSION_KEY))
}

/// The basis of a request other than `initialize`, of a notification, or (without a call) of a response.
///
/// # Errors
/// The version header is repeated or names nothing known; 400.
pub(crate) fn basis(head: &Head, call: Option<&Call>) -> Result<Basis, RpcError> {
    if header_claims_modern(head) || call.is_some_and(claims_modern) {
        Ok(Basis::Modern)
    } else {
        header_version(head).map(Basis::Legacy)
    }
}

/// The legacy revision that the header names, or the assumed one without a header.
///
/// # Errors
/// The header is repeated or names no legacy revision.
pub(crate) fn header_version(head: &Head) -> Result<Version, RpcError> {
    match Line::of(&head.protocol_version) {
        Line::Absent => Ok(Version::ASSUMED),
        Line::Repeated => Err(repeated_version()),
        Line::One(value) => match claim(value) {
            Claim::Legacy(version) => Ok(version),
            Claim::Modern | Claim::Unknown => {
                let known = Version::ALL.map(Version::as_str).join(", ");
                Err(RpcError::invalid_request(format!("`MCP-Protocol-Version` is not one of {known}")))
            }
        },
    }
}

fn repeated_version() -> RpcError {
    RpcError::invalid_request("`MCP-Protocol-Version` is sent more than once")
}

/// Whether the headers of a legacy `initialize` allow it to be negotiated. A legacy or unknown value is no reason to
/// refuse, since the body is what is negotiated.
///
/// # Errors
/// The header is repeated, or claims an era that has no handshake; 400.
pub(crate) fn admit_handshake(head: &Head) -> Result<(), RpcError> {
    if header_claims_modern(head) {
        return Err(RpcError::header_mismatch(
            "`MCP-Protocol-Version` names a revision without `initialize`; send `server/discover` or another header",
        ));
    }
    match Line::of(&head.protocol_version) {
        Line::Absent | Line::One(_) => Ok(()),
        Line::Repeated => Err(repeated_version()),
    }
}

/// The revision that answers an `initialize`: the proposed one if it has a handshake, else the newest that has.
///
/// # Errors
/// The proposal is missing or no string.
pub(crate) fn handshake(params: &Params) -> Result<Version, RpcError> {
    let proposed = params.get("protocolVersion").and_then(|version| version.as_str());
    let proposed = proposed.ok_or_else(|| RpcError::invalid_params("`protocolVersion` must be a string"))?;
    Ok(Version::parse(proposed).filter(|version| !version.is_modern()).unwrap_or(Version::NEWEST_LEGACY))
}
