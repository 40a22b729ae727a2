//! An answer as a stream of events, rendered message by message (protocol checklist §2.4, §13, §14, §16).

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::jsonrpc::Response;
use crate::render::{self, SERVER_INFO_KEY, insert};
use crate::{Answer, Changed, Filter, Id, LogLevel, Request, ServerInfo, Version, Work, reply, sse};

/// The metadata key that names the subscription which a message belongs to.
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Renders what goes out on the stream of one request: notifications, then the response, after which there is nothing.
///
/// The caller writes the bytes in the order in which they are made. A notification that this client must not get is
/// `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    server: ServerInfo,
    request: Request,
    /// How far the request was said to be, once it was said.
    progress: Option<f64>,
    /// What a listener was granted, once that was said.
    granted: Option<Filter>,
}

impl Stream {
    pub(crate) fn new(server: &ServerInfo, request: &Request) -> Self {
        Self { server: server.clone(), request: request.clone(), progress: None, granted: None }
    }

    /// Whether progress reaches the client at all, so that nobody works it out in vain.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.token().is_some()
    }

    /// How far the work is, of `total` if that is known. `None` if the client did not ask, or if this is not more than
    /// what was said before; 2024-11-05 does not get the message.
    pub fn progress(&mut self, progress: f64, total: Option<f64>, message: Option<&str>) -> Option<Vec<u8>> {
        let token = self.token()?.clone();
        let increases = progress.is_finite() && self.progress.is_none_or(|before| progress > before);
        if !increases {
            return None;
        }
        self.progress = Some(progress);
        let mut params = Map::new();
        params.insert("progressToken".into(), token);
        params.insert("progress".into(), number(progress));
        insert(&mut params, "total", total.filter(|total| total.is_finite()).map(number));
        let message = message.filter(|_| self.request.version.has_progress_messages());
        insert(&mut params, "message", message.map(|message| json!(message)));
        Some(notification("notifications/progress", &params))
    }

    /// A log message. `None` if the client did not ask for messages this severe: under 2026-07-28 each request says
    /// from which level on, the handshake revisions get `info` and above where logging is offered.
    #[must_use]
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &Value) -> Option<Vec<u8>> {
        if self.listens() || self.request.log_level.is_none_or(|least| level < least) {
            return None;
        }
        let mut params = Map::new();
        params.insert("level".into(), json!(level.as_str()));
        insert(&mut params, "logger", logger.map(|logger| json!(logger)));
        params.insert("data".into(), data.clone());
        Some(notification("notifications/message", &params))
    }

    /// The first message to a listener: what it is granted. News are told only after this.
    pub fn acknowledged(&mut self, granted: &Filter) -> Vec<u8> {
        self.granted = Some(granted.clone());
        let params = Map::from_iter([("notifications".to_owned(), granted.render())]);
        notification("notifications/subscriptions/acknowledged", &self.tagged(params))
    }

    /// News for a listener; `None` if it was not granted this, or nothing yet. A task that waits for something which the
    /// listener did not declare is not news for it either: nothing is to be asked of it on any way.
    #[must_use]
    pub fn changed(&self, changed: &Changed) -> Option<Vec<u8>> {
        self.granted.as_ref().filter(|granted| granted.covers(changed))?;
        if let Changed::Task(task) = changed
            && render::declared(&self.request, task).is_err()
        {
            return None;
        }
        let params = changed_params(&self.server, self.request.version, changed);
        Some(notification(changed.method(), &self.tagged(params)))
    }

    /// The response, with which the stream ends.
    #[must_use]
    pub fn finish(self, answer: Answer) -> Vec<u8> {
        if self.listens() && answer == Answer::Listening {
            let info = render::implementation(&self.server, self.request.version);
            let meta = Tag { id: &self.request.id, info: Some(info) };
            let result = Map::from_iter([("resultType".to_owned(), json!("complete"))]);
            let ended = Ended { jsonrpc: "2.0", id: &self.request.id, result: Tagged { meta, rest: result } };
            return sse::event(&reply::json(&ended));
        }
        let outcome = render::answer(&self.server, &self.request, Some(answer));
        sse::event(&reply::response(&Response { id: Some(self.request.id), outcome }))
    }

    fn listens(&self) -> bool {
        matches!(self.request.work, Work::Listen(_))
    }

    /// What the client wants to be told the progress under: a string or an integer, any other value is none.
    fn token(&self) -> Option<&Value> {
        progress_token(&self.request)
    }

    fn tagged(&self, rest: Map<String, Value>) -> Tagged<'_> {
        Tagged { meta: Tag { id: &self.request.id, info: None }, rest }
    }
}

/// See [`Stream::wants_progress`].
pub(crate) fn progress_token(request: &Request) -> Option<&Value> {
    let token = request.meta.get("progressToken")?;
    let told = !matches!(request.work, Work::Listen(_)) && (token.is_string() || token.is_i64() || token.is_u64());
    told.then_some(token)
}

/// News on a stream that belongs to a session of a handshake revision instead of to a request; `None` if the revision
/// does not have them.
#[must_use]
pub fn session_news(server: &ServerInfo, version: Version, changed: &Changed) -> Option<Vec<u8>> {
    (!version.is_modern() && changed.exists_in(version))
        .then(|| notification(changed.method(), &changed_params(server, version, changed)))
}

fn changed_params(server: &ServerInfo, version: Version, changed: &Changed) -> Map<String, Value> {
    match changed {
        Changed::Tools | Changed::Prompts | Changed::Resources => Map::new(),
        Changed::Resource(uri) => Map::from_iter([("uri".to_owned(), json!(uri))]),
        Changed::Task(task) => task.clone().detail(server, version),
    }
}

/// A whole number as one: clients print what they get.
fn number(value: f64) -> Value {
    serde_json::from_str(&format!("{value}")).unwrap_or_else(|_| json!(value))
}

fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    sse::event(&reply::json(&Notification { jsonrpc: "2.0", method, params }))
}

#[derive(Serialize)]
struct Notification<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a P,
}

/// The response that ends a subscription.
#[derive(Serialize)]
struct Ended<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
    result: Tagged<'a>,
}

/// Parameters or a result that name their subscription.
#[derive(Serialize)]
struct Tagged<'a> {
    #[serde(rename = "_meta")]
    meta: Tag<'a>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The metadata. The id is written as the client wrote it, like that of every response.
struct Tag<'a> {
    id: &'a Id,
    info: Option<Value>,
}

impl Serialize for Tag<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;

        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(SUBSCRIPTION_KEY, self.id)?;
        if let Some(info) = &self.info {
            map.serialize_entry(SERVER_INFO_KEY, info)?;
        }
        map.end()
    }
}
