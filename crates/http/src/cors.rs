//! Cross-origin headers, for configured origins only (README decision 27).

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::Answer;

/// What a page may send (protocol checklist §2.5, and the headers of Chorus).
const REQUEST_HEADERS: &str = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, \
     Mcp-Session-Id, Last-Event-ID, X-Chorus-Project, X-Chorus-Project-Group, X-Chorus-Readonly, X-Chorus-Tools";
/// What such names begin with: they mirror arguments, and tools decide which exist.
const PARAMETER: &str = "mcp-param-";
/// Most of them that one request may send, as many as a tool has arguments.
const PARAMETERS: usize = 32;
/// What a page may read.
const RESPONSE_HEADERS: &str = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, X-Request-Id, Retry-After";
/// Seconds for which a browser may remember what it was told.
const MAX_AGE: &str = "600";

/// Lets the page that sent the request read the answer.
pub(crate) fn expose(answer: &mut Answer, origin: HeaderValue) {
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(RESPONSE_HEADERS));
}

/// Tells a page what it may send, to a request with these headers that asks for it.
pub(crate) fn preflight(headers: &mut HeaderMap, methods: &'static str, asked: &HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(REQUEST_HEADERS));
    for name in parameters(asked) {
        headers.append(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from(name));
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
}

/// The names of mirrored arguments among those that a page asks for.
fn parameters(asked: &HeaderMap) -> Vec<HeaderName> {
    let lines = asked.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|line| line.to_str().ok());
    let names = lines.flat_map(|line| line.split(',')).filter_map(|name| name.trim().parse::<HeaderName>().ok());
    names.filter(|name| name.as_str().starts_with(PARAMETER)).take(PARAMETERS).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_page_may_mirror_arguments_and_send_nothing_else_that_it_made_up() {
        let check = |asked: &'static str, expected: &[&str]| {
            let (mut headers, mut sent) = (HeaderMap::new(), HeaderMap::new());
            sent.insert(header::ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static(asked));
            preflight(&mut headers, "POST", &sent);
            let lines = headers.get_all(header::ACCESS_CONTROL_ALLOW_HEADERS).iter().skip(1);
            assert_eq!(lines.map(|line| line.to_str().unwrap()).collect::<Vec<_>>(), expected, "{asked}");
        };
        check("", &[]);
        check("authorization, x-made-up, mcp-parameter", &[]);
        check("Mcp-Param-Region,mcp-param-count , authorization", &["mcp-param-region", "mcp-param-count"]);
        check("mcp-param-a b, mcp-param-\"", &[]);
    }

    #[test]
    fn no_page_gets_more_names_than_a_request_can_send() {
        let mut sent = HeaderMap::new();
        let many = (0..1_000).map(|n| format!("mcp-param-{n}")).collect::<Vec<_>>().join(",");
        sent.insert(header::ACCESS_CONTROL_REQUEST_HEADERS, many.parse().unwrap());
        assert_eq!(parameters(&sent).len(), PARAMETERS);
    }
}
