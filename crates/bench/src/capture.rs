//! Finding out which statements the product runs for a call, with what they bind.
//!
//! The product's service runs in this process, on a copy of the database, and is asked for every request one after the
//! other. What SQLite is asked is told by the store's own watch; what PostgreSQL is asked stands in the server's log.

mod tap;

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use anyhow::{Context as _, Result, bail};
use chorus_app::Services;
use chorus_http::{App, Config, Mount};
use chorus_library::ChorusLibrary;
use chorus_mcp::ServerInfo;
use http_body_util::BodyExt as _;
use serde_json::Value as Json;

use self::tap::Tap;
use crate::{
    database::{Backend, Database},
    load::Request,
    ops::{Floor, Operation, Work},
    plan::{Part, Plan, Sample},
    seed::Model,
    statement::{Bind, Boundary, Made, Run, Statement, Value, statement},
};

/// Where the product answers.
pub(crate) const ENDPOINT: &str = "/api/mcp";

/// How often a write is asked for. What is done the first time only is not looked at.
const ROUNDS: usize = 4;

/// How often a read is, which is the same each time but for what the server does by the way.
const ROUNDS_OF_READS: usize = 3;

/// What reads run, by whose they are and what they ask for.
type Known = BTreeMap<(String, String), Sample>;

/// An operation with its requests.
pub(crate) type Requests = (&'static Operation, Vec<Request>);

/// What was overheard.
pub(crate) struct Captured {
    pub(crate) plan: Plan,
    /// How many statements a call takes on average, by the name of the operation.
    pub(crate) counts: BTreeMap<&'static str, f64>,
}

/// What one request ran, and what it answered, in one round.
struct Seen {
    runs: Vec<Run>,
    answer: String,
}

/// Asks for everything, and writes down what is to be replayed on the same database.
///
/// # Errors
/// The product refuses a request, or what it runs can't be made out.
pub(crate) async fn capture(database: &Database, model: &Model, all: &[Requests]) -> Result<Captured> {
    let (store, mut tap) = Tap::open(database).await?;
    let app = app(Services::new(Arc::new(store)))?;
    let (mut operations, mut counts, mut known) = (BTreeMap::new(), BTreeMap::new(), Known::new());
    for (operation, requests) in all {
        let rounds = if operation.work == Work::Write { ROUNDS } else { ROUNDS_OF_READS };
        let captured = statements(&app, &mut tap, requests, rounds, &known).await;
        let mut samples = captured.with_context(|| format!("capturing {}", operation.name))?;
        if operation.work == Work::Read {
            let of = |request: &Request| (request.key.clone(), request.about.clone());
            known.extend(requests.iter().map(of).zip(samples.iter().cloned()));
        }
        counts.insert(operation.name, average(&samples));
        if operation.floor == Floor::Lookup {
            for (sample, request) in samples.iter_mut().zip(requests) {
                sample.parts = vec![look_up(model, database.backend, request)?];
            }
        }
        operations.insert(operation.slug(), samples);
    }
    app.close_streams();
    tap.close().await?;
    let place = if database.backend == Backend::Sqlite { &database.name } else { &database.url };
    Ok(Captured { plan: Plan { backend: database.backend, database: place.clone(), operations }, counts })
}

fn app(services: Services) -> Result<App> {
    let tools = Arc::new(chorus_tools::surface().context("the tools can't be served")?);
    let library = Arc::new(ChorusLibrary::new(Arc::clone(&tools)));
    let mount = Mount::new(ENDPOINT, tools, ServerInfo::new("chorus", "0")).with_library(library);
    Ok(App::new(services, [mount], Config::default()))
}

/// The product's answer to a request.
async fn ask(app: &App, request: &Request) -> Result<String> {
    let answered = app.handle(request.for_server(ENDPOINT)?).await;
    let status = answered.status();
    let bytes = answered.into_body().collect().await.map_err(|error| anyhow::anyhow!("no answer: {error}"))?.to_bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    check(&text).with_context(|| format!("{} is answered {status}: {text}", request.body))?;
    Ok(text)
}

/// Passes if this is the answer to a request that was done.
///
/// # Errors
/// It is another one.
pub(crate) fn check(answer: &str) -> Result<()> {
    let answer: Json = serde_json::from_str(answer).context("no JSON")?;
    let result = answer.get("result").context("an error of the protocol")?;
    if result.get("isError").is_some_and(|is| *is == Json::Bool(true)) {
        bail!("a refusal of the tool");
    }
    Ok(())
}

/// How many statements a call takes on average; BEGIN and COMMIT are not counted.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn average(samples: &[Sample]) -> f64 {
    let all: usize = samples.iter().flat_map(|sample| &sample.parts).map(|part| part.statements().len()).sum();
    all as f64 / samples.len().max(1) as f64
}

/// The floor of what needs no statement but the look-up of the key: that, by hand.
fn look_up(model: &Model, backend: Backend, request: &Request) -> Result<Part> {
    let place = if backend == Backend::Sqlite { "?" } else { "$1" };
    let sql = format!("SELECT id, agent_id, expires_at, revoked_at FROM api_key WHERE key_hash = {place}");
    let hash = model.hash(&request.key).context("a key of nobody")?;
    Ok(Part::Read(vec![Statement { sql, binds: vec![Bind::Same(Value::Text(hash))] }]))
}

/// What the product ran for each request. What is known is not asked again.
async fn statements(
    app: &App,
    tap: &mut Tap,
    requests: &[Request],
    rounds: usize,
    known: &Known,
) -> Result<Vec<Sample>> {
    let since = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    let since = u64::try_from(since).unwrap_or_default();
    let of = |request: &Request| known.get(&(request.key.clone(), request.about.clone())).cloned();
    let asked: Vec<&Request> = requests.iter().filter(|request| of(request).is_none()).collect();
    let mut seen = Vec::new();
    for _ in 0..rounds {
        let mut answers = Vec::new();
        for request in &asked {
            tap.begin().await?;
            answers.push(ask(app, request).await?);
            tap.end()?;
        }
        let runs = tap.take().await?;
        seen.push(answers.into_iter().zip(runs).map(|(answer, runs)| Seen { runs, answer }).collect::<Vec<_>>());
    }
    let mut fresh = (0..asked.len()).map(|nth| sample(&seen, nth, since));
    let all = requests.iter().map(|request| match of(request) {
        Some(known) => Ok(known),
        None => fresh.next().context("a request was not asked")?,
    });
    all.collect()
}

/// What to do for the `nth` request, found by comparing rounds that ran the same statements.
fn sample(rounds: &[Vec<Seen>], nth: usize, since: u64) -> Result<Sample> {
    let of: Vec<&Seen> = rounds.iter().skip(1).filter_map(|round| round.get(nth)).collect();
    let shape = |seen: &Seen| seen.runs.iter().map(|run| run.sql.clone()).collect::<Vec<_>>();
    // The latest two that follow each other and are alike. What only one of them ran is no part of the call.
    let alike = (1..of.len()).rev().find_map(|at| {
        let (before, last) = (of.get(at - 1)?, of.get(at)?);
        (shape(before) == shape(last)).then_some((*last, Some(*before), of.len() - at))
    });
    let shortest = || of.iter().min_by_key(|seen| seen.runs.len()).map(|seen| (*seen, None, 1));
    let (last, before, rounds_ahead) = alike.or_else(shortest).context("nothing was captured")?;
    let mut made = Made::since(since, i64::try_from(rounds_ahead).unwrap_or(1));
    let mut parts = Vec::new();
    let (mut current, mut writes) = (Vec::new(), false);
    for (at, run) in last.runs.iter().enumerate() {
        match run.boundary() {
            Some(Boundary::Inner) => {}
            Some(boundary) => {
                close(&mut parts, std::mem::take(&mut current), writes);
                writes = boundary == Boundary::Begin;
            }
            None => current.push(statement(run, before.and_then(|before| before.runs.get(at)), &mut made)),
        }
    }
    close(&mut parts, current, writes);
    Ok(Sample { answer: last.answer.clone(), parts, ids: made.count() })
}

fn close(parts: &mut Vec<Part>, statements: Vec<Statement>, writes: bool) {
    if !statements.is_empty() {
        parts.push(if writes { Part::Write(statements) } else { Part::Read(statements) });
    }
}
