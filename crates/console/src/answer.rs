//! Answers of the console.

use askama::Template;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::Value;

use crate::fault::Fault;

/// An answer that is known as a whole.
pub(crate) type Answer = Response<Bytes>;

/// What a page may do: load our own style, script and pictures, talk to us, and send forms to us.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types chorus",
);

/// A page. What stands in it is for its reader alone, so that nothing keeps it.
///
/// # Errors
/// The template failed, which is our fault.
pub(crate) fn page(status: StatusCode, template: &impl Template) -> Result<Answer, Fault> {
    let html = template.render().map_err(|error| Fault::internal(error.to_string()))?;
    let mut answer = Response::new(Bytes::from(html));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(
        "permissions-policy",
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    );
    Ok(answer)
}

/// Another page is to be asked for, with GET.
pub(crate) fn see_other(path: &str) -> Answer {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    let headers = answer.headers_mut();
    let home = HeaderValue::from_static("/");
    headers.insert(header::LOCATION, HeaderValue::try_from(path).unwrap_or(home));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// JSON for the console's own script.
pub(crate) fn json(status: StatusCode, value: &Value) -> Answer {
    let mut answer = Response::new(Bytes::from(value.to_string()));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Adds a cookie.
pub(crate) fn with_cookie(mut answer: Answer, line: Option<HeaderValue>) -> Answer {
    if let Some(line) = line {
        answer.headers_mut().append(header::SET_COOKIE, line);
    }
    answer
}

/// Whether text is a path of this server that a browser may be sent to: not another server's, however it is written.
pub(crate) fn is_own_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && path.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_server() {
        for own in ["/", "/projects/1?a=b#c", "/a//b"] {
            assert!(is_own_path(own), "{own}");
        }
        for other in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nb",
            "/\t/x",
            "a",
        ] {
            assert!(!is_own_path(other), "{other}");
        }
    }
}
