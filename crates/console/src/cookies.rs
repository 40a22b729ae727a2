//! Cookies in and out.

use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, HeaderValue, header};

/// The name of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The session of whoever is signed in.
    Session,
    /// The language that was chosen.
    Language,
    /// Light, dark or as the system has it.
    Theme,
    /// What is said once, on the next page.
    Notice,
}

impl Name {
    /// Over TLS the session's name says that no other host, and nothing without TLS, can have set it (RFC 6265bis §4.1.3.2).
    const fn as_str(self, secure: bool) -> &'static str {
        match self {
            Self::Session if secure => "__Host-chorus_session",
            Self::Session => "chorus_session",
            Self::Language => "chorus_language",
            Self::Theme => "chorus_theme",
            Self::Notice => "chorus_notice",
        }
    }
}

/// The token of the session that a request is part of, on a server whose cookies are sent over TLS only, or not.
pub(crate) fn session(headers: &HeaderMap, secure: bool) -> Option<String> {
    find(headers, Name::Session.as_str(secure))
}

/// The value of a cookie that came with a request and holds no secret.
pub(crate) fn read(headers: &HeaderMap, name: Name) -> Option<String> {
    find(headers, name.as_str(false))
}

fn find(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse_encoded).filter_map(Result::ok);
    // Of two of one name the first is the one for the narrower path, which is never ours: all of ours are for `/`.
    cookies.filter(|cookie| cookie.name() == name).last().map(|cookie| cookie.value().to_owned())
}

/// How long a browser keeps a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Until it is closed.
    Open,
    /// So many seconds.
    Seconds(i64),
    /// Not any more.
    Gone,
}

/// A line that sets a cookie: out of reach of scripts, and not sent with requests of other sites' pages.
pub(crate) fn set(name: Name, value: &str, keep: Keep, secure: bool) -> Option<HeaderValue> {
    let cookie =
        Cookie::build((name.as_str(secure), value)).path("/").http_only(true).same_site(SameSite::Lax).secure(secure);
    let cookie = match keep {
        Keep::Open => cookie,
        Keep::Seconds(seconds) => cookie.max_age(Duration::seconds(seconds)),
        Keep::Gone => cookie.max_age(Duration::ZERO),
    };
    HeaderValue::try_from(cookie.build().encoded().to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; chorus_session=tok%20en; c=d"));
        headers.append(header::COOKIE, HeaderValue::from_static("chorus_theme=dark"));
        assert_eq!(session(&headers, false).as_deref(), Some("tok en"));
        assert_eq!(session(&headers, true), None, "what anybody could have set");
        assert_eq!(read(&headers, Name::Theme).as_deref(), Some("dark"));
        assert_eq!(read(&headers, Name::Language), None);
    }

    #[test]
    fn a_cookie_is_out_of_reach_of_scripts_and_other_sites() {
        let line = set(Name::Session, "x y", Keep::Seconds(60), true);
        let line = line.as_ref().and_then(|line| line.to_str().ok());
        assert_eq!(line, Some("__Host-chorus_session=x%20y; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60"));
        let line = set(Name::Theme, "", Keep::Gone, false);
        assert_eq!(
            line.as_ref().and_then(|l| l.to_str().ok()),
            Some("chorus_theme=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0")
        );
    }
}
