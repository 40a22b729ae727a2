//! Paths and methods.

use http::Method;

/// Where a request leads, if to anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A message for the mount of this number.
    Message(usize),
    /// A browser asks what a page may send to an endpoint.
    Preflight(Methods),
    /// Another method on an endpoint, or where messages of a session are posted.
    NotPost,
    /// A stream of the older transport, for the mount of this number.
    SseStream(usize),
    /// A message of the older transport.
    SseMessage(usize),
    /// Another method where streams of the older transport are opened.
    SseNotGet,
    /// The health check.
    Health,
    /// What is measured.
    Metrics,
    /// Another method on the health check.
    NotGet,
    /// Nowhere.
    Unknown,
}

/// What is served at a place, besides preflights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Methods {
    Post,
    Get,
}

impl Methods {
    /// The methods to name in a preflight.
    pub(crate) const fn preflight(self) -> &'static str {
        match self {
            Self::Post => "POST, OPTIONS",
            Self::Get => "GET, OPTIONS",
        }
    }
}

/// The paths of a mount.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    pub(crate) endpoint: &'a str,
    /// Of the older transport: streams, and messages.
    pub(crate) sse: Option<(&'a str, &'a str)>,
}

const HEALTH: &str = "/api/health";
const METRICS: &str = "/metrics";

impl Route {
    /// Endpoints are served with and without a slash at their end, since a redirect would lose the body or the
    /// credential (protocol checklist §2.1).
    pub(crate) fn find<'a>(mounts: impl IntoIterator<Item = Paths<'a>>, method: &Method, path: &str) -> Self {
        let bare = path.strip_suffix('/').unwrap_or(path);
        for (index, mount) in mounts.into_iter().enumerate() {
            let (stream, message) = mount.sse.unzip();
            let post = if bare == mount.endpoint {
                Self::Message(index)
            } else if message == Some(bare) {
                Self::SseMessage(index)
            } else if stream == Some(bare) {
                return match *method {
                    Method::GET => Self::SseStream(index),
                    Method::OPTIONS => Self::Preflight(Methods::Get),
                    _ => Self::SseNotGet,
                };
            } else {
                continue;
            };
            return match *method {
                Method::POST => post,
                Method::OPTIONS => Self::Preflight(Methods::Post),
                _ => Self::NotPost,
            };
        }
        match (path, method) {
            (HEALTH, &(Method::GET | Method::HEAD)) => Self::Health,
            (METRICS, &(Method::GET | Method::HEAD)) => Self::Metrics,
            (HEALTH, _) => Self::NotGet,
            _ => Self::Unknown,
        }
    }

    /// The number of the mount that it leads to.
    pub(crate) const fn mount(self) -> Option<usize> {
        match self {
            Self::Message(index) | Self::SseStream(index) | Self::SseMessage(index) => Some(index),
            Self::Preflight(_)
            | Self::NotPost
            | Self::SseNotGet
            | Self::Health
            | Self::Metrics
            | Self::NotGet
            | Self::Unknown => None,
        }
    }

    /// Its name in the log. What a client made up stays out of it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::SseStream(_) => "sse_stream",
            Self::SseMessage(_) => "sse_message",
            Self::Preflight(_) => "preflight",
            Self::NotPost | Self::SseNotGet | Self::NotGet => "method",
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: Method, path: &str, expected: Route) {
        let sse = Some(("/sse", "/message"));
        let mounts = [Paths { endpoint: "/api/mcp", sse: None }, Paths { endpoint: "/other", sse }];
        assert_eq!(Route::find(mounts, &method, path), expected, "{method} {path}");
    }

    #[test]
    fn endpoints_take_post_with_and_without_a_slash() {
        check(Method::POST, "/api/mcp", Route::Message(0));
        check(Method::POST, "/api/mcp/", Route::Message(0));
        check(Method::POST, "/other/", Route::Message(1));
        check(Method::POST, "/api/mcp//", Route::Unknown);
        check(Method::POST, "/api/mcp/x", Route::Unknown);
        check(Method::POST, "/API/MCP", Route::Unknown);
        check(Method::OPTIONS, "/api/mcp/", Route::Preflight(Methods::Post));
        for method in [Method::GET, Method::DELETE, Method::HEAD, Method::PUT, Method::PATCH, Method::TRACE] {
            check(method, "/api/mcp", Route::NotPost);
        }
    }

    #[test]
    fn the_older_transport_has_a_path_for_each_direction() {
        check(Method::GET, "/sse", Route::SseStream(1));
        check(Method::GET, "/sse/", Route::SseStream(1));
        check(Method::POST, "/message", Route::SseMessage(1));
        check(Method::OPTIONS, "/sse", Route::Preflight(Methods::Get));
        check(Method::OPTIONS, "/message", Route::Preflight(Methods::Post));
        for method in [Method::POST, Method::DELETE, Method::HEAD, Method::PUT] {
            check(method, "/sse", Route::SseNotGet);
        }
        check(Method::GET, "/message", Route::NotPost);
        check(Method::GET, "/api/mcp/sse", Route::Unknown);
    }

    #[test]
    fn health_and_metrics_can_only_be_asked_for() {
        check(Method::GET, "/api/health", Route::Health);
        check(Method::HEAD, "/api/health", Route::Health);
        check(Method::POST, "/api/health", Route::NotGet);
        check(Method::GET, "/metrics", Route::Metrics);
        check(Method::POST, "/metrics", Route::Unknown);
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
