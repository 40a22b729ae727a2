//! Streams of events, read as they come.

use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::{Asked, check_message};

/// How long an event or an end may take; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(45);

/// An answer that is a stream of events.
pub struct EventStream {
    response: Response,
    /// What it answers: one request, or those of a session so far.
    asked: Vec<Asked>,
    /// The revision that a session on it has settled on.
    revision: Option<String>,
    read: Vec<u8>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its name; `message` if it has none.
    pub name: String,
    /// What it says.
    pub data: String,
}

impl EventStream {
    /// Reads an answer as a stream.
    ///
    /// # Panics
    /// If it is none.
    #[track_caller]
    pub fn of(response: Response) -> Self {
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(response.status().as_u16(), 200, "{response:?}");
        assert_eq!(header("content-type").as_deref(), Some("text/event-stream"), "{response:?}");
        assert_eq!(header("cache-control").as_deref(), Some("no-cache, no-transform"), "{response:?}");
        assert_eq!(header("x-accel-buffering").as_deref(), Some("no"), "{response:?}");
        let asked = response.extensions().get().cloned().unwrap_or_default();
        Self { response, asked, revision: None, read: Vec::new() }
    }

    /// The next event. Comments are passed over.
    ///
    /// # Panics
    /// If none comes, or the stream ends.
    pub async fn next(&mut self) -> Told {
        let next = timeout(PATIENCE, self.event()).await;
        next.expect("no event came").expect("the stream ended")
    }

    /// The next event, which has to be a message of JSON-RPC, and one that the server may send.
    ///
    /// # Panics
    /// If it is none, or breaks its schema.
    pub async fn message(&mut self) -> Value {
        let told = self.next().await;
        assert_eq!(told.name, "message", "{told:?}");
        let message: Value = serde_json::from_str(&told.data).unwrap_or_else(|error| panic!("{error}: {told:?}"));
        if let Some(settled) = message["result"]["protocolVersion"].as_str() {
            self.revision = Some(settled.to_owned());
        }
        let revision = self.revision.as_ref().or(self.asked.first().map(|first| &first.revision));
        let revision = revision.unwrap_or_else(|| panic!("nobody asked for {message}"));
        check_message(&self.asked, revision, &message);
        message
    }

    /// Notes that something was asked for under a revision, which is answered on this stream.
    pub fn asks(&mut self, revision: &str, method: &str, id: &Value) {
        let (revision, method) = (revision.to_owned(), method.to_owned());
        self.asked.push(Asked { revision, method, id: id.clone() });
    }

    /// Passes if nothing is told for so long.
    ///
    /// # Panics
    /// If something is, or the stream ends.
    pub async fn silent(&mut self, long: Duration) {
        if let Ok(told) = timeout(long, self.event()).await {
            panic!("the stream was to be silent: {told:?}");
        }
    }

    /// Waits for the end of the stream, before which nothing may come.
    ///
    /// # Panics
    /// If it does not end, or tells something before.
    pub async fn ended(&mut self) {
        let ended = timeout(PATIENCE, self.event()).await.expect("the stream goes on");
        assert_eq!(ended, None, "the stream goes on");
    }

    async fn event(&mut self) -> Option<Told> {
        loop {
            while let Some(end) = self.read.windows(2).position(|bytes| bytes == b"\n\n") {
                let block: Vec<u8> = self.read.drain(..end + 2).collect();
                if let Some(told) = read(std::str::from_utf8(&block).unwrap()) {
                    return Some(told);
                }
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.read.extend_from_slice(&chunk);
        }
    }
}

/// The event of a block of lines; `None` for a comment.
fn read(block: &str) -> Option<Told> {
    let mut told = Told { name: "message".to_owned(), data: String::new() };
    let mut lines = 0;
    for line in block.trim_end().lines().filter(|line| !line.starts_with(':')) {
        match line.split_once(": ") {
            Some(("event", name)) => told.name = name.to_owned(),
            Some(("data", data)) => told.data.push_str(data),
            _ => panic!("neither an id nor anything else may stand in an event: {block:?}"),
        }
        lines += 1;
    }
    (lines > 0).then_some(told)
}
