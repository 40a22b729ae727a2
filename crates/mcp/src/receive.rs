//! The way of a POST, from its body to a reply or to work (protocol checklist §1.2 steps 3 to 9).

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::exchange::Exchange;
use crate::jsonrpc::{self, Body, Call, MAX_BATCH, Message, Params, Response};
use crate::negotiate::{self, Basis};
use crate::params::{Reader, unknown_level};
use crate::reply::{Encoding, Reply};
use crate::request::{self, Method};
use crate::{
    Capability, ClientCapabilities, Head, Id, LogLevel, Request, RpcError, ServerInfo, Version, Work, media, modern,
    render::{self, Rendered},
};

/// What a POST comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// Send this.
    Reply(Reply),
    /// Work out the answers, then send what [`Exchange::finish`] makes of them.
    Work(Exchange),
}

/// Judges a POST to the endpoint whose host, origin and credentials have been checked, and whose body is complete and
/// not too large.
///
/// The outcome depends on the arguments alone: there is no session, and no request has to come before another.
#[must_use]
pub fn receive(server: &ServerInfo, head: &Head, body: &[u8]) -> Received {
    if !media::is_json(head.content_type.as_deref()) {
        return Received::Reply(Reply::rejected(415, "`Content-Type` must be application/json"));
    }
    match Body::read(body) {
        Err(error) => refuse(400, None, error),
        Ok(Body::One(text)) => message(server, head, text),
        Ok(Body::Many(elements)) => batch(server, head, &elements),
    }
}

fn message(server: &ServerInfo, head: &Head, text: &str) -> Received {
    let accepted = match Message::read(text) {
        Err(response) => return Received::Reply(Reply::refused(400, response)),
        Ok(Message::Request(asked)) => return request(server, head, asked),
        Ok(Message::Notification(call)) => notification(head, &call),
        Ok(Message::Response) => negotiate::basis(head, None).map(|_| ()),
    };
    match accepted {
        Ok(()) => Received::Reply(Reply::accepted()),
        Err(error) => refuse(400, None, error),
    }
}

/// Whether a notification is taken. None has an effect here, so that all are, known or not, unless their headers lie.
fn notification(head: &Head, call: &Call) -> Result<(), RpcError> {
    match negotiate::basis(head, Some(call))? {
        Basis::Legacy(_) => Ok(()),
        Basis::Modern => modern::check_notification(head, call),
    }
}

fn request(server: &ServerInfo, head: &Head, asked: jsonrpc::Request) -> Received {
    let jsonrpc::Request { id, call } = asked;
    if request::is_handshake(&call.method) && !negotiate::claims_modern(&call) {
        return handshake(server, head, id, call.params);
    }
    let version = negotiate::basis(head, Some(&call)).and_then(|basis| match basis {
        Basis::Legacy(version) => Ok(version),
        Basis::Modern => modern::check_request(head, &call),
    });
    let version = match version {
        Ok(version) => version,
        Err(error) => return refuse(400, Some(id), error),
    };
    let step = match dispatch(server, version, &id, call) {
        // An unknown method of the modern era, or a capability that it needs, is refused before `Accept` is looked at;
        // nothing else is.
        Err(error) if error.status(version) >= 400 => return refuse(error.status(version), Some(id), error),
        step => step,
    };
    let Some(encoding) = media::encoding(head.accept.as_deref()) else { return unacceptable(Some(id)) };
    let streams = media::admits_events(head.accept.as_deref());
    match step {
        Ok(Step::Work(request)) if matches!(request.work, Work::Listen(_)) && !streams => {
            let message = "`Accept` must admit text/event-stream: what is listened to comes as events";
            refuse(406, Some(id), RpcError::invalid_request(message))
        }
        Ok(Step::Work(request)) => Received::Work(Exchange::single(server, encoding, streams, request)),
        Ok(Step::Done(result)) => respond(encoding, id, Ok(result)),
        Err(error) => respond(encoding, id, Err(error)),
    }
}

fn handshake(server: &ServerInfo, head: &Head, id: Id, params: Params) -> Received {
    if let Err(error) = negotiate::admit_handshake(head) {
        return refuse(400, Some(id), error);
    }
    let Some(encoding) = media::encoding(head.accept.as_deref()) else { return unacceptable(Some(id)) };
    let outcome = negotiate::handshake(&params).map(|version| render::initialize(server, version));
    respond(encoding, id, outcome)
}

/// How far a request gets without the caller.
enum Step {
    Done(Rendered),
    Work(Request),
}

fn dispatch(server: &ServerInfo, version: Version, id: &Id, call: Call) -> Result<Step, RpcError> {
    let offer = &server.offer;
    let method = Method::find(offer, version, &call.method);
    let method = method.ok_or_else(|| RpcError::method_not_found(&call.method))?;
    let client = if version.is_modern() { modern::client(&call) } else { ClientCapabilities::default() };
    if method.is_of_tasks() {
        client.require([Capability::Tasks])?;
    }
    let meta = call.params.meta().cloned().unwrap_or_default();
    let mut params = Reader::new(call.params)?;
    let work = match method {
        Method::Ping => return Ok(Step::Done(render::empty(server, version))),
        Method::Discover => return Ok(Step::Done(render::discover(server, version))),
        // The level is remembered nowhere: the next message may reach another process.
        Method::SetLevel => return params.level().map(|_| Step::Done(render::empty(server, version))),
        Method::ListTools => Work::ListTools { cursor: params.cursor()? },
        Method::CallTool => params.call_tool(version)?,
        Method::ListResources => Work::ListResources { cursor: params.cursor()? },
        Method::ListTemplates => Work::ListTemplates { cursor: params.cursor()? },
        Method::ReadResource => params.read_resource(version)?,
        Method::Subscribe => Work::Subscribe { uri: params.uri()? },
        Method::Unsubscribe => Work::Unsubscribe { uri: params.uri()? },
        Method::ListPrompts => Work::ListPrompts { cursor: params.cursor()? },
        Method::GetPrompt => params.get_prompt(version)?,
        Method::Complete => params.complete()?,
        Method::Listen => params.listen(offer, &client)?,
        Method::GetTask => Work::GetTask { id: params.task()? },
        Method::UpdateTask => params.update_task()?,
        Method::CancelTask => Work::CancelTask { id: params.task()? },
    };
    let log_level = log_level(server, version, &meta)?;
    Ok(Step::Work(Request { id: id.clone(), version, client, meta, log_level, work }))
}

/// From which level on log messages may be sent: what the request says, or a fixed one for the handshake revisions.
///
/// # Errors
/// The request names no level.
fn log_level(server: &ServerInfo, version: Version, meta: &Map<String, Value>) -> Result<Option<LogLevel>, RpcError> {
    let level = match (version.is_modern(), meta.get(modern::LOG_LEVEL_KEY)) {
        (false, _) => Some(LogLevel::Info),
        (true, None | Some(Value::Null)) => None,
        (true, Some(name)) => {
            let level = name.as_str().and_then(LogLevel::parse);
            Some(level.ok_or_else(|| unknown_level(modern::LOG_LEVEL_KEY))?)
        }
    };
    Ok(level.filter(|_| server.offer.logging))
}

/// Batches exist in one revision only. Each message in one is judged by itself (protocol checklist §5.2).
fn batch(server: &ServerInfo, head: &Head, elements: &[&RawValue]) -> Received {
    const VERSION: Version = Version::V2025_03_26;
    let allowed = negotiate::header_version(head) == Ok(VERSION);
    let refused = if !allowed {
        Some(format!("a batch is allowed only with protocol version {VERSION}"))
    } else if elements.is_empty() {
        Some("a batch must not be empty".to_owned())
    } else if elements.len() > MAX_BATCH {
        Some(format!("a batch must not hold more than {MAX_BATCH} messages"))
    } else {
        None
    };
    if let Some(message) = refused {
        return refuse(400, None, RpcError::invalid_request(message));
    }

    let mut slots = Vec::new();
    let mut requests = Vec::new();
    for element in elements {
        match Message::read(element.get()) {
            Ok(Message::Notification(_) | Message::Response) => {}
            Err(response) => slots.push(Some(response)),
            Ok(Message::Request(jsonrpc::Request { id, call })) => match batched(server, VERSION, &id, call) {
                Ok(Step::Work(request)) => {
                    slots.push(None);
                    requests.push(request);
                }
                Ok(Step::Done(result)) => slots.push(Some(Response { id: Some(id), outcome: Ok(result) })),
                Err(error) => slots.push(Some(Response { id: Some(id), outcome: Err(error) })),
            },
        }
    }
    if slots.is_empty() {
        return Received::Reply(Reply::accepted());
    }
    let Some(encoding) = media::encoding(head.accept.as_deref()) else { return unacceptable(None) };
    let exchange = Exchange::batch(server, encoding, slots, requests);
    if exchange.requests().is_empty() { Received::Reply(exchange.finish(Vec::new())) } else { Received::Work(exchange) }
}

fn batched(server: &ServerInfo, version: Version, id: &Id, call: Call) -> Result<Step, RpcError> {
    if negotiate::claims_modern(&call) {
        Err(RpcError::invalid_request("a request that names its own protocol version must not be in a batch"))
    } else if request::is_handshake(&call.method) {
        Err(RpcError::invalid_request("`initialize` must not be in a batch"))
    } else {
        dispatch(server, version, id, call)
    }
}

fn respond(encoding: Encoding, id: Id, outcome: Result<Rendered, RpcError>) -> Received {
    Received::Reply(Reply::one(200, encoding, Response { id: Some(id), outcome }))
}

fn refuse(status: u16, id: Option<Id>, error: RpcError) -> Received {
    Received::Reply(Reply::refused(status, Response { id, outcome: Err(error) }))
}

fn unacceptable(id: Option<Id>) -> Received {
    let message = "`Accept` must admit application/json or text/event-stream";
    refuse(406, id, RpcError::invalid_request(message))
}
