//! The whole run: databases are made one after the other, and on each the product and its floor take turns.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tokio::{process::Command, time::Instant};

use crate::{
    capture::{Captured, Requests, capture},
    cli::Options,
    database::{Backend, Database, Place, postmaster},
    load::Wrk,
    measure::{Bench, Prepared, Side, Subject},
    ops::{OPERATIONS, Operation, SWARM, slug},
    process::{self, Server},
    report::{Block, Growing, Process, Report, Row},
    say,
    seed::{Model, Shape},
};

/// Operations that are also measured with two processes on one database.
const GROWING: [&str; 2] = ["get_task", "add_comment"];

/// A run that has begun.
struct Run<'o> {
    options: &'o Options,
    bench: Bench,
    product: PathBuf,
    until: Instant,
    report: Report,
}

/// Measures everything that the options ask for, as far as there is time.
///
/// # Errors
/// Nothing can be measured at all. What could not be measured on its own is named in the report.
pub(crate) async fn run(options: &Options) -> Result<Report> {
    fs::create_dir_all(&options.folder).with_context(|| format!("can't make {}", options.folder.display()))?;
    let folder = fs::canonicalize(&options.folder)?;
    let options = &Options { folder, ..options.clone() };
    let product = match &options.chorus {
        Some(path) => path.clone(),
        None => process::beside("chorus")?,
    };
    let postmaster = match &options.postgres {
        Some(admin) => postmaster(admin).await?,
        None => None,
    };
    let bench = Bench {
        wrk: Wrk::new(&options.folder).await?,
        client: Client::builder(TokioExecutor::new()).build_http(),
        connections: options.connections,
        warm_up: options.warm_up,
        measure: options.measure,
        postmaster,
    };
    let conditions = crate::conditions::conditions(options, &product).await;
    let report = Report { conditions, ..Report::default() };
    let mut run = Run { options, bench, product, until: Instant::now() + options.budget, report };
    let sizes = options.sizes();
    let largest = sizes.iter().copied().max().unwrap_or_default();
    for tasks in sizes {
        for backend in &options.backends {
            let name = format!("{}, {tasks} tasks", backend.name());
            let began = Instant::now();
            if !run.has(run.of_database()) {
                run.skip(name);
                continue;
            }
            say(&format!("{name}: making the database"));
            if let Err(error) = run.database(*backend, tasks, tasks == largest).await {
                run.miss(format!("{name}: {error:#}"));
            }
            say(&format!("{name}: took {} s", began.elapsed().as_secs()));
        }
    }
    Ok(run.report)
}

impl Run<'_> {
    /// How long an operation takes, on the product and its floor.
    fn of_operation(&self) -> Duration {
        (self.options.warm_up + self.options.measure) * 2
    }

    /// How long a database takes at least.
    fn of_database(&self) -> Duration {
        self.of_operation() * u32::try_from(self.operations().count()).unwrap_or_default()
    }

    fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        let asked = &self.options.operations;
        OPERATIONS.iter().filter(move |operation| asked.is_empty() || asked.iter().any(|name| name == operation.name))
    }

    /// Whether there is time for something.
    fn has(&self, needed: Duration) -> bool {
        Instant::now() + needed <= self.until
    }

    fn miss(&mut self, what: String) {
        say(&format!("NOT MEASURED: {what}"));
        self.report.missing.push(what);
    }

    fn skip(&mut self, what: String) {
        say(&format!("no time for {what}"));
        self.report.skipped.push(what);
    }

    fn place(&self, backend: Backend) -> Result<Place> {
        let admin = match backend {
            Backend::Sqlite => String::new(),
            Backend::Postgres => self.options.postgres.clone().context("--postgres names no server")?,
        };
        Ok(Place { backend, folder: self.options.folder.clone(), admin })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.options.folder.join(name)
    }

    /// Measures one database of one size.
    async fn database(&mut self, backend: Backend, tasks: u32, whole: bool) -> Result<()> {
        let (place, model) = (self.place(backend)?, Model::new(Shape { tasks, seed: self.options.seed }));
        let database = place.empty("product").await?;
        database.fill(&self.product, &model).await?;
        let copy = place.copy(&database, "floor").await?;
        let all: Vec<Requests> = self.operations().map(|operation| (operation, operation.requests(&model))).collect();
        say("  overhearing statements");
        let Captured { plan, counts } = capture(&copy, &model, &all).await?;
        let plan_file = self.file("floor.plan.json");
        plan.write(&plan_file)?;

        let first = all.first().and_then(|(_, requests)| requests.first()).context("nothing to measure")?.clone();
        let log = self.file("product.log");
        let (product, start_millis) = self.bench.start(&self.product, &database, &first, &log).await?;
        let idle = process::resident(product.server.id)?;
        let prepared = self.prepare(all)?;
        let floor = self.floor(&plan_file, &copy).await?;
        self.rows((&product, &floor), &prepared, tasks, &counts).await;
        drop(floor);
        if whole {
            let process = Process { backend, tasks, start_millis, idle, at_256: 0, alone: 0.0 };
            self.process(&product, &prepared, process).await?;
            if backend == Backend::Postgres {
                self.growing(&product, &prepared).await?;
            }
        }
        drop(product);
        for database in [database, copy] {
            place.remove(&database).await?;
        }
        Ok(())
    }

    fn prepare(&self, all: Vec<Requests>) -> Result<Vec<Prepared>> {
        let prepared = all.into_iter().map(|(operation, requests)| {
            let file = self.bench.wrk.prepare(&operation.slug(), &requests)?;
            Ok(Prepared { operation, requests, file })
        });
        prepared.collect()
    }

    async fn floor(&self, plan: &Path, database: &Database) -> Result<Subject> {
        let mut command = Command::new(std::env::current_exe().context("can't find this program")?);
        let server = Server::start(command.arg("floor").arg(plan), &self.file("floor.log")).await?;
        Ok(Subject { side: Side::Floor, server, database: database.clone() })
    }

    /// Measures each operation on the product and, right after it, on its floor.
    async fn rows(
        &mut self,
        (product, floor): (&Subject, &Subject),
        prepared: &[Prepared],
        tasks: u32,
        counts: &BTreeMap<&'static str, f64>,
    ) {
        let backend = product.database.backend;
        let mut rows = Vec::new();
        for one in prepared {
            let name = one.operation.name;
            let what = format!("{}, {tasks} tasks: {name}", backend.name());
            if !self.has(self.of_operation()) {
                self.skip(what);
                continue;
            }
            let measured = async {
                let product = self.bench.piece(product, one).await.context("the product")?;
                let floor = self.bench.piece(floor, one).await.context("the floor")?;
                let statements = counts.get(name).copied().unwrap_or_default();
                anyhow::Ok(Row { operation: name.to_owned(), statements, product, floor })
            };
            match measured.await.context(what) {
                Ok(row) => {
                    let (rate, ratio) = (row.product.outcome.rate(), row.ratio());
                    say(&format!("  {name}: {rate:.0}/s, {ratio:.2} of the floor"));
                    rows.push(row);
                }
                Err(error) => self.miss(format!("{error:#}")),
            }
        }
        self.report.blocks.push(Block { backend, tasks, rows });
    }

    /// What is asked of the process as a whole.
    async fn process(&mut self, product: &Subject, prepared: &[Prepared], mut process: Process) -> Result<()> {
        say("  memory and lone commits");
        if let Some(swarm) = prepared.iter().find(|one| one.operation.name == SWARM) {
            process.at_256 = self.bench.peak(product, swarm, 256).await.context("256 connections")?;
        }
        if let Some(comments) = prepared.iter().find(|one| one.operation.name == "add_comment") {
            process.alone = self.bench.load(&[product], comments, 1).await.context("one connection")?.outcome.rate();
        }
        self.report.processes.push(process);
        Ok(())
    }

    /// One process and two on the same database, as if behind a balancer that takes turns.
    async fn growing(&mut self, product: &Subject, prepared: &[Prepared]) -> Result<()> {
        say("  two processes");
        let first = prepared.first().and_then(|one| one.requests.first()).context("nothing to measure")?;
        let log = self.file("second.log");
        let (second, _) = self.bench.start(&self.product, &product.database, first, &log).await?;
        for one in prepared.iter().filter(|one| GROWING.contains(&one.operation.name)) {
            let operation = one.operation.name.to_owned();
            let (alone, both) = async {
                let alone = self.bench.load(&[product], one, self.bench.connections).await?;
                self.bench.load(&[product, &second], one, self.bench.connections).await.map(|both| (alone, both))
            }
            .await
            .with_context(|| format!("two processes: {operation}"))?;
            self.report.growing.push(Growing { operation, one: alone, two: both });
        }
        Ok(())
    }
}

/// Where the result of a run is kept.
pub(crate) fn result_file(options: &Options, date: &str) -> PathBuf {
    options.folder.join(format!("{}.json", slug(date)))
}
