//! What is counted and measured of requests, and who may read it.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use chorus_store::{Metric, MetricKind as Kind};
use http::{HeaderName, HeaderValue, StatusCode, header, request::Parts};
use metrics::{Counter, Gauge, Histogram};

use crate::{Answer, answer, route::Route, site::Connected};

/// What this crate counts and measures.
pub const METRICS: &[Metric] = &[REQUESTS, SECONDS, CONNECTIONS, TURNS, STREAMS, BODIES, REFUSED];

const REQUESTS: Metric = Metric {
    name: "chorus_http_requests_total",
    kind: Kind::Counter,
    labels: &["route", "status"],
    says: "Requests by where they led and the status they were answered with",
};
const SECONDS: Metric = Metric {
    name: "chorus_http_request_seconds",
    kind: Kind::Seconds,
    labels: &["route"],
    says: "How long requests took until their answer, or the head of a stream, was there",
};
const CONNECTIONS: Metric =
    Metric { name: "chorus_http_connections", kind: Kind::Gauge, labels: &[], says: "Connections that are served" };
const TURNS: Metric = Metric {
    name: "chorus_http_turns",
    kind: Kind::Gauge,
    labels: &["state"],
    says: "Requests that are worked on (running) and those that wait for that (waiting)",
};
const STREAMS: Metric =
    Metric { name: "chorus_http_streams", kind: Kind::Gauge, labels: &[], says: "Streams of events that are open" };
const BODIES: Metric = Metric {
    name: "chorus_http_bodies_bytes",
    kind: Kind::Gauge,
    labels: &[],
    says: "Bytes of bodies of requests that are held",
};
const REFUSED: Metric = Metric {
    name: "chorus_http_refused_total",
    kind: Kind::Counter,
    labels: &["why"],
    says: "What was refused because it was too much: a connection (`connections`), a request after it waited for its turn \
           (`turns`), a body (`bodies`), a stream (`streams`)",
};

/// A limit that was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Connections,
    Turns,
    Bodies,
    Streams,
}

/// Something was too much.
pub(crate) fn refused(limit: Limit) {
    let why = match limit {
        Limit::Connections => "connections",
        Limit::Turns => "turns",
        Limit::Bodies => "bodies",
        Limit::Streams => "streams",
    };
    metrics::counter!(REFUSED.name, "why" => why).increment(1);
}

/// A request was answered.
pub(crate) fn answered(route: Route, status: StatusCode, took: Duration) {
    // Where what is counted goes is looked up by name. Once, for what most requests are.
    static MESSAGES: OnceLock<(Counter, Histogram)> = OnceLock::new();
    let name = route.name();
    let look_up = || {
        let counter = metrics::counter!(REQUESTS.name, "route" => name, "status" => status.as_str().to_owned());
        (counter, metrics::histogram!(SECONDS.name, "route" => name))
    };
    let count = |(counter, seconds): &(Counter, Histogram)| {
        counter.increment(1);
        seconds.record(took);
    };
    match (route, status) {
        (Route::Message(_), StatusCode::OK) => count(MESSAGES.get_or_init(look_up)),
        _ => count(&look_up()),
    }
}

/// Bodies take this much room.
#[expect(clippy::cast_precision_loss, reason = "a recorder takes nothing else, and nobody reads the last byte")]
pub(crate) fn held(bytes: usize) {
    metrics::gauge!(BODIES.name).set(bytes as f64);
}

/// One of those that there are; gone when it is dropped.
pub(crate) struct Counted(Gauge);

impl Counted {
    /// A connection.
    pub(crate) fn connection() -> Self {
        Self::one(metrics::gauge!(CONNECTIONS.name))
    }

    /// A stream.
    pub(crate) fn stream() -> Self {
        Self::one(metrics::gauge!(STREAMS.name))
    }

    /// A request that waits for its turn.
    pub(crate) fn waiting() -> Self {
        Self::one(metrics::gauge!(TURNS.name, "state" => "waiting"))
    }

    /// A request that has its turn.
    pub(crate) fn running() -> Self {
        static RUNNING: OnceLock<Gauge> = OnceLock::new();
        Self::one(RUNNING.get_or_init(|| metrics::gauge!(TURNS.name, "state" => "running")).clone())
    }

    fn one(gauge: Gauge) -> Self {
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counted")
    }
}

/// What is served at `/metrics`, and to whom.
#[derive(Clone)]
pub struct Metrics {
    /// Who may read it.
    pub readers: Readers,
    /// Renders what was recorded so far as the text that Prometheus reads.
    pub render: Arc<dyn Fn() -> String + Send + Sync>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("readers", &self.readers).finish_non_exhaustive()
    }
}

/// Who may read what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever connects from this machine itself, not through a proxy on it.
    Local,
    /// Whoever can reach the server.
    Everybody,
}

/// Headers by which a proxy says that it asks for somebody else.
const FORWARDED: [HeaderName; 2] = [header::FORWARDED, HeaderName::from_static("x-forwarded-for")];

impl Metrics {
    /// Whether they are there for this request. For anybody else there is no such path.
    pub(crate) fn are_for(&self, head: &Parts) -> bool {
        match self.readers {
            Readers::Everybody => true,
            Readers::Local => {
                let here = head.extensions.get::<Connected>().is_some_and(|from| from.0.to_canonical().is_loopback());
                here && !FORWARDED.iter().any(|name| head.headers.contains_key(name))
            }
        }
    }

    /// The text as an answer.
    pub(crate) fn answer(&self) -> Answer {
        const TYPE: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        let mut answered = answer::empty(StatusCode::OK);
        *answered.body_mut() = answer::whole((self.render)());
        answered.headers_mut().insert(header::CONTENT_TYPE, TYPE);
        answered.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        answered
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use http::Request;

    use super::*;

    fn check(readers: Readers, from: Option<&str>, forwarded: Option<&str>, expected: bool) {
        let metrics = Metrics { readers, render: Arc::new(String::new) };
        let mut request = Request::new(());
        if let Some(from) = from {
            request.extensions_mut().insert(Connected(from.parse().unwrap()));
        }
        if let Some(name) = forwarded {
            request.headers_mut().insert(HeaderName::try_from(name).unwrap(), HeaderValue::from_static("x"));
        }
        let (head, ()) = request.into_parts();
        assert_eq!(metrics.are_for(&head), expected, "{readers:?} {from:?} {forwarded:?}");
    }

    #[test]
    fn only_this_machine_reads_unless_everybody_may() {
        for here in ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"] {
            check(Readers::Local, Some(here), None, true);
            check(Readers::Local, Some(here), Some("x-forwarded-for"), false);
            check(Readers::Local, Some(here), Some("forwarded"), false);
        }
        for elsewhere in [Some("192.0.2.1"), Some("10.0.0.1"), Some("2001:db8::1"), None] {
            check(Readers::Local, elsewhere, None, false);
            check(Readers::Everybody, elsewhere, Some("forwarded"), true);
        }
    }
}
