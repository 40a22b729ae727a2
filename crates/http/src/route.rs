//! Paths and methods.

use http::Method;

/// Where a request leads, if to anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A message for the mount of this number.
    Message(usize),
    /// A browser asks what a page may send to an endpoint.
    Preflight,
    /// Another method on an endpoint.
    NotPost,
    /// The health check.
    Health,
    /// Another method on the health check.
    NotGet,
    /// Nowhere.
    Unknown,
}

const HEALTH: &str = "/api/health";

impl Route {
    /// Endpoints are served with and without a slash at their end, since a redirect would lose the body or the
    /// credential (protocol checklist §2.1).
    pub(crate) fn find<'a>(mounts: impl IntoIterator<Item = &'a str>, method: &Method, path: &str) -> Self {
        let bare = path.strip_suffix('/').unwrap_or(path);
        if let Some(index) = mounts.into_iter().position(|mount| mount == bare) {
            return match *method {
                Method::POST => Self::Message(index),
                Method::OPTIONS => Self::Preflight,
                _ => Self::NotPost,
            };
        }
        match (path, method) {
            (HEALTH, &(Method::GET | Method::HEAD)) => Self::Health,
            (HEALTH, _) => Self::NotGet,
            _ => Self::Unknown,
        }
    }

    /// Its name in the log. What a client made up stays out of it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::Preflight => "preflight",
            Self::NotPost | Self::NotGet => "method",
            Self::Health => "health",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: Method, path: &str, expected: Route) {
        assert_eq!(Route::find(["/api/mcp", "/other"], &method, path), expected, "{method} {path}");
    }

    #[test]
    fn endpoints_take_post_with_and_without_a_slash() {
        check(Method::POST, "/api/mcp", Route::Message(0));
        check(Method::POST, "/api/mcp/", Route::Message(0));
        check(Method::POST, "/other/", Route::Message(1));
        check(Method::POST, "/api/mcp//", Route::Unknown);
        check(Method::POST, "/api/mcp/x", Route::Unknown);
        check(Method::POST, "/API/MCP", Route::Unknown);
        check(Method::OPTIONS, "/api/mcp/", Route::Preflight);
        for method in [Method::GET, Method::DELETE, Method::HEAD, Method::PUT, Method::PATCH, Method::TRACE] {
            check(method, "/api/mcp", Route::NotPost);
        }
    }

    #[test]
    fn health_can_only_be_asked_for() {
        check(Method::GET, "/api/health", Route::Health);
        check(Method::HEAD, "/api/health", Route::Health);
        check(Method::POST, "/api/health", Route::NotGet);
    }

    #[test]
    fn there_is_no_authorization_server_to_be_found() {
        for path in
            ["/.well-known/oauth-protected-resource/api/mcp", "/.well-known/openid-configuration", "/register", "/"]
        {
            check(Method::GET, path, Route::Unknown);
            check(Method::POST, path, Route::Unknown);
        }
    }
}
