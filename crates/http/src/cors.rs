//! Cross-origin headers, for configured origins only (README decision 27).

use http::{HeaderMap, HeaderValue, header};

use crate::Answer;

/// What a page may send (protocol checklist §2.5, and the headers of Chorus).
const REQUEST_HEADERS: &str = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, \
     Mcp-Session-Id, Last-Event-ID, X-Chorus-Project, X-Chorus-Project-Group, X-Chorus-Readonly, X-Chorus-Tools";
/// What a page may read.
const RESPONSE_HEADERS: &str = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, X-Request-Id";
/// Seconds for which a browser may remember what it was told.
const MAX_AGE: &str = "600";

/// Lets the page that sent the request read the answer.
pub(crate) fn expose(answer: &mut Answer, origin: HeaderValue) {
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(RESPONSE_HEADERS));
}

/// Tells a page what it may send.
pub(crate) fn preflight(headers: &mut HeaderMap, methods: &'static str) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
}
