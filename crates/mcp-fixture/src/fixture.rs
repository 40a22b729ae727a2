//! What the server is, and what it keeps.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chorus_mcp::{Changed, Offer, ServerInfo, StateSeal};
use tokio::sync::broadcast;

use crate::job::Jobs;

/// A server with one of everything.
#[derive(Debug)]
pub struct Fixture {
    pub(crate) info: ServerInfo,
    pub(crate) jobs: Jobs,
    /// What has changed, for whoever listens.
    pub(crate) news: broadcast::Sender<Changed>,
    /// What seals state and cursors; made anew with each process, so that a restart ends what was begun.
    pub(crate) key: [u8; 32],
}

impl Fixture {
    /// How many news may wait for a slow listener before it misses some.
    const WAITING: usize = 64;

    /// A server on which nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        let offer = Offer {
            tools: true,
            tools_list_changed: true,
            resources: true,
            resources_list_changed: true,
            resources_subscribe: true,
            prompts: true,
            prompts_list_changed: true,
            completions: true,
            logging: true,
            tasks: true,
            // There is no such stream; but the suite wants `resources/subscribe` answered.
            session_stream: true,
            ..Offer::default()
        };
        let info = ServerInfo {
            title: Some("Conformance fixture".into()),
            instructions: Some("Every tool is there to be called by a test.".into()),
            offer,
            ..ServerInfo::new("chorus-mcp-fixture", env!("CARGO_PKG_VERSION"))
        };
        let news = broadcast::Sender::new(Self::WAITING);
        Self { info, jobs: Jobs::new(news.clone()), news, key: rand::random() }
    }

    /// What protects the state of requests of several rounds. Everybody is the same caller here.
    pub(crate) fn seal(&self) -> StateSeal<'_> {
        StateSeal { key: &self.key, principal: b"anybody", now: since_1970().as_secs() }
    }

    /// When state that is sealed now expires, in seconds since 1970.
    pub(crate) fn expiry() -> u64 {
        since_1970().as_secs() + 600
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
