//! The floor: a server of the same shape as the product, with nothing in it but what can't be left out. It parses
//! JSON-RPC, runs what a plan says by a bare driver, and answers bytes that are there already.

mod postgres;
mod replay;
mod sqlite;

use std::{collections::BTreeMap, convert::Infallible, path::Path, sync::Arc};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::net::TcpListener;

use self::replay::Replay;
use crate::{database::Backend, plan::Plan};

/// The bare driver of a database.
enum Driver {
    Sqlite(sqlite::Driver),
    Postgres(Arc<postgres::Driver>),
}

struct Floor {
    driver: Driver,
    operations: BTreeMap<String, Vec<Arc<Replay>>>,
}

/// A request as JSON-RPC says it.
#[derive(Deserialize)]
struct Call<'a> {
    #[expect(dead_code, reason = "parsed, as it must be")]
    jsonrpc: &'a str,
    id: usize,
    #[expect(dead_code, reason = "parsed, as it must be")]
    method: &'a str,
    #[expect(dead_code, reason = "parsed, as it must be")]
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Serves a plan until the process is ended, and says where.
///
/// # Errors
/// The plan can't be read, or its database not opened.
pub(crate) async fn serve(plan: &Path, ready: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let plan = Plan::read(plan)?;
    let driver = match plan.backend {
        Backend::Sqlite => Driver::Sqlite(sqlite::Driver::open(&plan.database)?),
        Backend::Postgres => Driver::Postgres(Arc::new(postgres::Driver::open(&plan.database).await?)),
    };
    let replays = |samples: Vec<_>| samples.into_iter().map(|sample| Arc::new(Replay::new(sample))).collect();
    let operations = plan.operations.into_iter().map(|(name, samples)| (name, replays(samples))).collect();
    let floor = Arc::new(Floor { driver, operations });
    let listener = TcpListener::bind("127.0.0.1:0").await.context("can't listen")?;
    ready(&listener.local_addr().context("no address")?.to_string())?;
    loop {
        let (stream, _) = listener.accept().await.context("can't accept")?;
        stream.set_nodelay(true).context("an odd socket")?;
        let floor = Arc::clone(&floor);
        let service = service_fn(move |request| {
            let floor = Arc::clone(&floor);
            async move { Ok::<_, Infallible>(answer(floor, request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(floor: Arc<Floor>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let body = match request.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return failed(error.to_string()),
    };
    let Ok(call) = serde_json::from_slice::<Call<'_>>(&body) else { return failed("no call".to_owned()) };
    let Some(replay) = floor.operations.get(&path).and_then(|replays| replays.get(call.id)).cloned() else {
        return failed(format!("no request {} of {path}", call.id));
    };
    let bytes = replay.answer.clone();
    let done = match &floor.driver {
        Driver::Sqlite(driver) => driver.run(&replay).await,
        Driver::Postgres(driver) => Arc::clone(driver).run(replay).await,
    };
    match done {
        Ok(()) => json(StatusCode::OK, bytes),
        Err(error) => failed(format!("{path} {}: {error:#}", call.id)),
    }
}

fn failed(text: String) -> Response<Full<Bytes>> {
    json(StatusCode::INTERNAL_SERVER_ERROR, Bytes::from(text))
}

fn json(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    answer
}
