//! A POST to an MCP endpoint: credential, body, protocol, and then the work.

use chorus_mcp::{Head, Received, Request, Work};
use http::{HeaderName, request::Parts};
use hyper::body::Body;

use crate::{Answer, Mount, answer, app::Inner, body, door, live::listen, load, narrowing, work};

/// Answers a POST.
pub(crate) async fn post<B>(app: &Inner, mount: &Mount, request: &Parts, body: B) -> Answer
where
    B: Body<Data: Send> + Send + 'static,
{
    let (headers, limits) = (&request.headers, &app.config.limits);
    let (caller, ticket) = match door::identify(&app.authenticator, headers).await {
        Ok(known) => known,
        Err(refused) => return door::ending(refused, body::discard(body, headers, limits).await),
    };
    let body = match door::message(body, headers, limits, &app.load).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let Some(turn) = app.load.turn().await else { return load::busy() };
    let head = Head::from_lines(headers.iter().map(|(name, value)| (HeaderName::as_str(name), value.as_bytes())));
    let exchange = match chorus_mcp::receive(&mount.info, &head, &body.bytes) {
        Received::Reply(reply) => return answer::reply(reply),
        Received::Work(exchange) => exchange,
    };
    let asked = narrowing::read(headers, request.uri.query());
    if let [Request { work: Work::Listen(filter), .. }] = exchange.requests() {
        // Whoever waits for news needs no turn, and no room for what it asked.
        drop((turn, body));
        let filter = filter.clone();
        let watch = app.watch(mount, ticket, asked);
        return listen::answer(&app.live, watch, caller, limits.write_stall, exchange, filter).await;
    }
    work::answer(app.desk(mount, caller, asked, head), exchange, turn).await
}
