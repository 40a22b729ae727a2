//! Working on what a POST asks for: the answer as one document, or as events if something is told before it.

use std::time::Duration;

use chorus_app::{Context, call::Cancellation};
use chorus_mcp::{Answer as Answered, Encoding, Exchange, RpcError};
use tokio::time::sleep;
use tracing::Instrument as _;

use crate::{
    Answer, answer,
    desk::Desk,
    events,
    hangup::{self, HangUp},
    load::Turn,
    progress::{self, Reports},
};

/// How long a client that takes nothing but events waits before it is told that an answer will come.
const BEGIN: Duration = Duration::from_secs(2);

/// The answer to a POST.
pub(crate) async fn answer(desk: Desk, exchange: Exchange, turn: Turn) -> Answer {
    // Listings are at hand: nothing is waited for, and nothing is told before the answer.
    if let Some(listings) = desk.listings(&exchange) {
        return answer::reply(exchange.finish(listings));
    }
    // Without somebody to tell it is one document.
    let told = exchange.telling();
    let encoding = exchange.encoding();
    let patience = desk.limits.write_stall;
    let (work, hang_up, mut reports) = begin(desk, exchange, turn);
    let Some(mut stream) = told else { return document(hangup::wait(work, hang_up).await) };
    let mut done = Box::pin(hangup::wait(work, hang_up));
    let mut late = std::pin::pin!(sleep(BEGIN));
    let first = loop {
        tokio::select! {
            biased;
            ended = &mut done => return document(ended),
            step = reports.next() => {
                if let Some(event) = step.render(&mut stream) {
                    break Some(event);
                }
            }
            () = &mut late, if encoding == Encoding::Sse => break None,
        }
    };
    let (pipe, answer) = events::open(patience);
    let telling = async move {
        if let Some(event) = first {
            pipe.send(event).await?;
        }
        loop {
            tokio::select! {
                biased;
                // What is not waited for any more is told what that means by its guard.
                () = pipe.hung_up() => return Err(events::HungUp),
                ended = &mut done => return pipe.send(stream.finish(only(ended))).await,
                step = reports.next() => {
                    if let Some(event) = step.render(&mut stream) {
                        pipe.send(event).await?;
                    }
                }
            }
        }
    };
    tokio::spawn(async { telling.await.ok() }.in_current_span());
    answer
}

type Done = (Exchange, Vec<Answered>);

/// The work, what hanging up means for it, and how far it is.
fn begin(desk: Desk, exchange: Exchange, turn: Turn) -> (impl Future<Output = Done> + Send + 'static, HangUp, Reports) {
    let (progress, reports) = progress::channel();
    let modern = exchange.requests().iter().any(|request| request.version.is_modern());
    let cancellation = Cancellation::default();
    let context = alone(&exchange, Context { progress, cancellation: cancellation.clone(), ..Context::default() });
    let hang_up = if modern { HangUp::Cancels(cancellation) } else { HangUp::MeansNothing };
    let work = async move {
        // Held as long as there is work, also for a client that has hung up.
        let _turn = turn;
        let mut answers = Vec::with_capacity(exchange.requests().len());
        for request in exchange.requests() {
            answers.push(desk.answer(request, &context.clone().unwrap_or_default()).await);
        }
        (exchange, answers)
    };
    (work, hang_up, reports)
}

/// The context of a request that stands alone. Only such a one tells how far it is, and only such a one can be cancelled:
/// those of a batch have a context each, so that one that takes too long does not end the others.
pub(crate) fn alone(exchange: &Exchange, context: Context) -> Option<Context> {
    (exchange.requests().len() == 1).then_some(context)
}

fn document((exchange, answers): Done) -> Answer {
    answer::reply(exchange.finish(answers))
}

/// The answer to the one request of a stream.
fn only((_, mut answers): Done) -> Answered {
    answers.pop().unwrap_or_else(|| Answered::Error(RpcError::internal()))
}
