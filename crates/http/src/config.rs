//! What an application may be told.

use std::time::Duration;

use chorus_auth::Unscoped;
use chorus_store::SLOW;

use crate::{Metrics, Origin, StreamLimits};

/// How an application is reached, and what it puts up with.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// From where the listener can be reached.
    pub reach: Reach,
    /// Where people and clients reach the server, if that is not where it listens: its host is accepted, and its origin.
    pub public: Option<Origin>,
    /// Origins of other sites whose pages may call the server: accepted, and told so by CORS headers.
    pub origins: Vec<Origin>,
    /// What becomes of agents without any permission.
    pub unscoped: Unscoped,
    /// Whether every connection comes through a proxy that adds to `X-Forwarded-For` where it comes from.
    pub behind_proxy: bool,
    /// Bounds on requests.
    pub limits: Limits,
    /// What is served at `/metrics`; without it there is no such path.
    pub metrics: Option<Metrics>,
}

/// From where a listener can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// From this machine only.
    #[default]
    Loopback,
    /// From other machines.
    Network,
}

/// Bounds on requests and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest body, in bytes (README decision 17).
    pub body_bytes: usize,
    /// Most bytes of bodies that are held at a time, by all requests together.
    pub bodies_bytes: usize,
    /// How much of a refused body is read, in bytes, so that its sender gets to reading the answer.
    pub drain_bytes: usize,
    /// How long a refused body is read.
    pub drain_time: Duration,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// Largest header section, in bytes.
    pub head_bytes: usize,
    /// Most header lines.
    pub head_lines: usize,
    /// How long a header section may take to arrive; also how long a connection may stay idle.
    pub head_time: Duration,
    /// How long a client may read nothing of an answer before its connection is closed.
    pub write_stall: Duration,
    /// How long a tool may run.
    pub call_time: Duration,
    /// How long a page may take until the log is told of it.
    pub slow: Duration,
    /// How long the database may take to answer the health check.
    pub ping_time: Duration,
    /// Most connections at a time. Whoever comes then is told to try again, and the connection that is oldest and idle
    /// gives way.
    pub connections: usize,
    /// Most connections beyond these that are told so at a time; further ones wait until that is done.
    pub refusals: usize,
    /// Most requests that are worked on at a time. A connection has one at most, however many it sends at once.
    pub requests: usize,
    /// How long a request may wait for its turn.
    pub turn_time: Duration,
    /// How long requests in flight may go on after the server was told to end.
    pub shutdown_time: Duration,
    /// Bounds on streams that stay open.
    pub streams: StreamLimits,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        Self {
            body_bytes: 4 * MIB,
            bodies_bytes: 64 * MIB,
            drain_bytes: 8 * MIB,
            drain_time: Duration::from_secs(5),
            body_time: Duration::from_secs(30),
            head_bytes: 64 * 1024,
            head_lines: 128,
            // Longer than proxies keep idle connections (60 seconds), so that none sends on one that is being closed.
            head_time: Duration::from_secs(75),
            write_stall: Duration::from_secs(30),
            call_time: Duration::from_secs(60),
            slow: SLOW,
            ping_time: Duration::from_secs(5),
            connections: 1_024,
            refusals: 256,
            requests: 256,
            turn_time: Duration::from_secs(5),
            shutdown_time: Duration::from_secs(10),
            streams: StreamLimits::default(),
        }
    }
}
