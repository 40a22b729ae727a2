//! `subscriptions/listen`: a stream of news (protocol checklist §16).

use std::{sync::Arc, time::Duration};

use chorus_domain::Caller;
use chorus_mcp::{Answer as Answered, Exchange, Filter, RpcError, Stream};
use tracing::Instrument as _;

use super::{
    Live, Seat,
    watcher::{Watch, Watcher},
};
use crate::{
    Answer, answer,
    events::{self, HungUp, Pipe},
};

/// Answers a request to listen. What is granted is said first; the stream ends with the server, with the key, or when the
/// client hangs up.
pub(crate) async fn answer(
    live: &Arc<Live>,
    watch: Watch,
    caller: Caller,
    patience: Duration,
    exchange: Exchange,
    filter: Filter,
) -> Answer {
    let Some(stream) = exchange.stream() else {
        let message = "`subscriptions/listen` is answered with events: `Accept` must admit text/event-stream";
        let refused = Answered::Error(RpcError::invalid_request(message));
        return answer::reply(chorus_mcp::Reply { status: 406, ..exchange.finish(vec![refused]) });
    };
    let seat = match live.admit(watch.ticket.key.uuid()) {
        Ok(seat) => seat,
        Err(full) => return full.answer(),
    };
    let (watcher, granted) = match Watcher::open(watch, caller, filter).await {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!(%error, cause = ?std::error::Error::source(&error), "a stream can't be opened");
            let reply = chorus_mcp::Reply::rejected(503, "the server can't look up what to tell; try again later");
            return answer::retrying(answer::reply(reply));
        }
    };
    let (pipe, answer) = events::open(patience);
    let closed = live.closed();
    tokio::spawn(
        async move {
            let ended = tell(seat, watcher, granted, stream, pipe, closed).await;
            tracing::debug!(hung_up = ended.is_err(), "a stream ended");
        }
        .in_current_span(),
    );
    answer
}

async fn tell(
    _seat: Seat,
    mut watcher: Watcher,
    granted: Filter,
    mut stream: Stream,
    pipe: Pipe,
    closed: impl Future<Output = ()>,
) -> Result<(), HungUp> {
    let mut closed = std::pin::pin!(closed);
    pipe.send(stream.acknowledged(&granted)).await?;
    loop {
        tokio::select! {
            biased;
            () = pipe.hung_up() => return Err(HungUp),
            () = &mut closed => break,
            heard = watcher.wait() => if heard.is_err() { break },
        }
        let Ok(news) = watcher.settle().await else { break };
        for changed in news {
            if let Some(event) = stream.changed(&changed) {
                pipe.send(event).await?;
            }
        }
    }
    pipe.send(stream.finish(Answered::Listening)).await
}
