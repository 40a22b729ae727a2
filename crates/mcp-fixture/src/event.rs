//! What the work on a request has to say.

use chorus_mcp::{Answer, Changed, Filter, LogLevel};
use serde_json::Value;
use tokio::sync::mpsc;

/// One thing to say, the answer last.
#[derive(Debug)]
pub(crate) enum Event {
    /// So much of so much is done.
    Progress(f64, f64),
    /// A log message.
    Log(LogLevel, Value),
    /// This is what a listener is granted.
    Granted(Filter),
    /// This has changed.
    Changed(Changed),
    /// The answer.
    Answer(Answer),
}

/// Where the work on one request reports.
#[derive(Clone, Debug)]
pub(crate) struct Reporter(mpsc::Sender<Event>);

impl Reporter {
    /// How many events may wait for a slow client.
    const WAITING: usize = 16;

    pub(crate) fn new() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(Self::WAITING);
        (Self(sender), receiver)
    }

    /// Says it; `false` if nobody is there to hear it.
    pub(crate) async fn say(&self, event: Event) -> bool {
        self.0.send(event).await.is_ok()
    }

    /// So much of 100 is done.
    pub(crate) async fn progress(&self, percent: f64) {
        self.say(Event::Progress(percent, 100.0)).await;
    }

    /// A message of the level `info`.
    pub(crate) async fn info(&self, message: &str) {
        self.say(Event::Log(LogLevel::Info, Value::from(message))).await;
    }
}
