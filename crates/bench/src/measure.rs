//! Measuring, piece by piece.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use tokio::time::{Instant, sleep};

use crate::{
    capture::{ENDPOINT, check},
    database::{Backend, Database, connect},
    load::{Outcome, Request, Target, Wrk},
    ops::{Operation, Work},
    process::{Cpu, Server, cpu, cpu_of_tree, resident},
    report::Figure,
};

/// Requests that warm a server up at the same time.
const WARMING: usize = 16;

/// How long a server is looked at to see whether it is at rest, and how often.
const PAUSE: Duration = Duration::from_millis(100);
const SETTLING: u32 = 50;

/// Answers over each connection, with fewer than which an operation is measured again, and how much longer.
const ENOUGH: u64 = 4;
const LONGER: u32 = 5;

/// What is common to all pieces.
pub(crate) struct Bench {
    pub(crate) wrk: Wrk,
    pub(crate) client: Client<HttpConnector, Full<Bytes>>,
    pub(crate) connections: u32,
    pub(crate) warm_up: Duration,
    pub(crate) measure: Duration,
    /// The first process of the PostgreSQL server, if it is on this machine.
    pub(crate) postmaster: Option<u32>,
}

/// Which of the two is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Product,
    Floor,
}

/// A server on a database.
pub(crate) struct Subject {
    pub(crate) side: Side,
    pub(crate) server: Server,
    pub(crate) database: Database,
}

/// An operation with its requests, and the file in which they are for `wrk`.
pub(crate) struct Prepared {
    pub(crate) operation: &'static Operation,
    pub(crate) requests: Vec<Request>,
    pub(crate) file: PathBuf,
}

impl Subject {
    /// The path at which an operation is answered.
    fn path(&self, operation: &Operation) -> String {
        match self.side {
            Side::Product => ENDPOINT.to_owned(),
            Side::Floor => format!("/{}", operation.slug()),
        }
    }
}

impl Bench {
    /// Warms a subject up and measures an operation on it.
    ///
    /// # Errors
    /// A request fails, or a write is missing afterwards.
    pub(crate) async fn piece(&self, subject: &Subject, prepared: &Prepared) -> Result<Figure> {
        self.warm(subject, prepared).await.context("warming up")?;
        let written = self.written(subject).await?;
        let mut figure = self.load(&[subject], prepared, self.connections).await?;
        if prepared.operation.can_go_on() && figure.outcome.requests < u64::from(self.connections) * ENOUGH {
            // What takes so long says nothing in so short a time.
            figure = self.load_for(&[subject], prepared, self.connections, self.measure * LONGER).await?;
        }
        let written = self.written(subject).await?.saturating_sub(written);
        let requests = figure.outcome.requests;
        // Those under way at the end are done and not counted.
        if prepared.operation.is_audited() && written * 100 < requests * 98 {
            bail!("of {requests} answered requests only {written} were done");
        }
        Ok(figure)
    }

    /// Sends each request once, in order, and again from the beginning until the time is over.
    async fn warm(&self, subject: &Subject, prepared: &Prepared) -> Result<()> {
        let url = format!("http://{}{}", subject.server.address, subject.path(prepared.operation));
        let began = Instant::now();
        loop {
            let sent = prepared.requests.iter().map(|request| self.one(subject.side, &url, request));
            stream::iter(sent).buffered(WARMING).try_collect::<()>().await?;
            if began.elapsed() >= self.warm_up {
                return Ok(());
            }
        }
    }

    async fn one(&self, side: Side, url: &str, request: &Request) -> Result<()> {
        let answered = self.client.request(request.for_server(url)?).await?;
        let status = answered.status();
        let bytes = answered.into_body().collect().await?.to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let checked = match side {
            Side::Product => check(&text),
            Side::Floor if status.is_success() => Ok(()),
            Side::Floor => bail!("the floor fails: {text}"),
        };
        checked.with_context(|| format!("{} is answered {status}: {text}", request.body))
    }

    /// Loads servers on the same database with their parts of the connections.
    ///
    /// # Errors
    /// As of `wrk`.
    pub(crate) async fn load(&self, subjects: &[&Subject], prepared: &Prepared, connections: u32) -> Result<Figure> {
        self.load_for(subjects, prepared, connections, self.measure).await
    }

    async fn load_for(
        &self,
        subjects: &[&Subject],
        prepared: &Prepared,
        connections: u32,
        duration: Duration,
    ) -> Result<Figure> {
        for subject in subjects {
            settle(subject).await?;
        }
        let before = self.spent(subjects)?;
        let each = connections / u32::try_from(subjects.len())?;
        let loads = subjects.iter().map(|subject| async {
            let path = subject.path(prepared.operation);
            let target = Target { address: &subject.server.address, path: &path, connections: each };
            self.wrk.send(&prepared.file, target, duration).await
        });
        let outcomes = futures_util::future::try_join_all(loads).await?;
        let after = self.spent(subjects)?;
        let outcome = Outcome::of_all(&outcomes);
        let of_request = |spent: Duration| {
            #[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
            let requests = outcome.requests.max(1) as f64;
            spent.as_secs_f64() * 1e6 / requests
        };
        let resident = subjects.iter().map(|subject| resident(subject.server.id)).sum::<Result<u64>>()?;
        let cpu_database = after.1.zip(before.1).map(|(after, before)| of_request(after.since(before)));
        Ok(Figure { outcome, cpu_server: of_request(after.0.since(before.0)), cpu_database, resident })
    }

    /// Processor time of servers and of the database.
    fn spent(&self, subjects: &[&Subject]) -> Result<(Cpu, Option<Cpu>)> {
        let servers = subjects.iter().map(|subject| cpu(subject.server.id)).sum::<Result<Cpu>>()?;
        let apart = subjects.iter().any(|subject| subject.database.backend == Backend::Postgres);
        let database = self.postmaster.filter(|_| apart).map(cpu_of_tree).transpose()?;
        Ok((servers, database))
    }

    /// How many calls have written so far, by the log that the product keeps of them.
    async fn written(&self, subject: &Subject) -> Result<u64> {
        const SQL: &str = "SELECT count(*) FROM audit";
        let count: i64 = match subject.database.backend {
            Backend::Postgres => connect(&subject.database.url).await?.query_one(SQL, &[]).await?.get(0),
            Backend::Sqlite => {
                let connection = rusqlite::Connection::open(&subject.database.name)?;
                connection.query_row(SQL, [], |row| row.get(0))?
            }
        };
        Ok(u64::try_from(count)?)
    }

    /// The most memory of a server while it is loaded over so many connections.
    ///
    /// # Errors
    /// As of [`Bench::load`].
    pub(crate) async fn peak(&self, subject: &Subject, prepared: &Prepared, connections: u32) -> Result<u64> {
        let subjects = [subject];
        let load = self.load(&subjects, prepared, connections);
        tokio::pin!(load);
        let mut most = 0;
        loop {
            most = most.max(resident(subject.server.id)?);
            tokio::select! {
                done = &mut load => return done.map(|figure| most.max(figure.resident)),
                () = sleep(Duration::from_millis(50)) => {}
            }
        }
    }

    /// Starts the product; says how long it took until it has answered a first request, in milliseconds.
    ///
    /// # Errors
    /// It does not start, or refuses the request.
    pub(crate) async fn start(
        &self,
        binary: &Path,
        database: &Database,
        request: &Request,
        log: &Path,
    ) -> Result<(Subject, f64)> {
        let server = Server::product(binary, &database.url, log).await?;
        let (ready, asked) = (server.ready, Instant::now());
        let url = format!("http://{}{ENDPOINT}", server.address);
        self.one(Side::Product, &url, request).await?;
        let millis = (ready + asked.elapsed()).as_secs_f64() * 1e3;
        Ok((Subject { side: Side::Product, server, database: database.clone() }, millis))
    }
}

impl Operation {
    /// Whether it can be sent again from its beginning, wherever it was broken off: what was taken is not given back then.
    fn can_go_on(&self) -> bool {
        !matches!(self.name, "claim_task" | crate::ops::SWARM)
    }

    /// Whether each call leaves a row in the log of calls.
    fn is_audited(&self) -> bool {
        self.work == Work::Write && !matches!(self.name, "checkin" | crate::ops::SWARM)
    }
}

/// Waits, but not for ever, until a server has done what earlier loads left it with.
async fn settle(subject: &Subject) -> Result<()> {
    for _ in 0..SETTLING {
        let before = cpu(subject.server.id)?;
        sleep(PAUSE).await;
        if cpu(subject.server.id)?.since(before) < PAUSE / 5 {
            break;
        }
    }
    Ok(())
}
