//! Which requests are listened to: those that name this machine (protocol checklist §2.5).

use http::{HeaderMap, HeaderName, Uri, header};

/// Whether a request was sent to this machine, and by no page of another one.
pub(crate) fn admits(headers: &HeaderMap) -> bool {
    let host = one(headers, header::HOST).is_some_and(|host| is_here(&host));
    let origin = !headers.contains_key(header::ORIGIN)
        || one(headers, header::ORIGIN)
            .and_then(|origin| origin.parse::<Uri>().ok()?.authority().map(ToString::to_string))
            .is_some_and(|authority| is_here(&authority));
    host && origin
}

/// The value of a header that stands once.
fn one(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let mut lines = headers.get_all(name).iter();
    let value = lines.next()?.to_str().ok()?.to_owned();
    lines.next().is_none().then_some(value)
}

fn is_here(authority: &str) -> bool {
    let authority = authority.parse::<http::uri::Authority>();
    authority.is_ok_and(|authority| matches!(authority.host(), "localhost" | "127.0.0.1" | "[::1]"))
}
