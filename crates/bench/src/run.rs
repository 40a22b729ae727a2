//! The whole run: databases are made one after the other, and on each the product and its floor take turns.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tokio::{process::Command, time::Instant};

use crate::{
    capture::{Requests, capture},
    cli::Options,
    database::{Backend, Database, Place, postmaster},
    load::Wrk,
    measure::{Bench, Prepared, Side, Subject},
    ops::{OPERATIONS, Operation, SWARM, Source, slug},
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
            if began + run.expected() > run.until {
                run.miss(format!("{name}: there was no time left"));
                continue;
            }
            say(&format!("{name}: making the database"));
            if let Err(error) = run.block(*backend, tasks, tasks == largest).await {
                run.miss(format!("{name}: {error:#}"));
            }
            say(&format!("{name}: took {} s", began.elapsed().as_secs()));
        }
    }
    Ok(run.report)
}

impl Run<'_> {
    /// How long a database takes at least.
    fn expected(&self) -> Duration {
        let operations = u32::try_from(self.operations().count()).unwrap_or_default();
        (self.options.warm_up + self.options.measure) * operations * 2
    }

    fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        let asked = &self.options.operations;
        OPERATIONS.iter().filter(move |operation| asked.is_empty() || asked.iter().any(|name| name == operation.name))
    }

    fn miss(&mut self, what: String) {
        say(&format!("NOT MEASURED: {what}"));
        self.report.missing.push(what);
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
    async fn block(&mut self, backend: Backend, tasks: u32, whole: bool) -> Result<()> {
        let (place, model) = (self.place(backend)?, Model::new(Shape { tasks, seed: self.options.seed }));
        let source = Source { model: &model, shape: Shape { tasks, seed: self.options.seed } };
        let database = place.empty("product").await?;
        database.fill(&self.product, &model).await?;
        let copy = place.copy(&database, "floor").await?;
        let all: Vec<Requests> = self.operations().map(|operation| (operation, operation.requests(&source))).collect();
        say("  overhearing statements");
        let plan = capture(&copy, &model, &all).await?;
        let (statements, file) = (plan.statements(), self.file("floor.plan.json"));
        plan.write(&file)?;

        let first = all.first().and_then(|(_, requests)| requests.first()).context("nothing to measure")?.clone();
        let log = self.file("product.log");
        let (product, start_millis) = self.bench.start(&self.product, &database, &first, &log).await?;
        let idle = process::resident(product.server.id)?;
        let floor = self.floor(&file, &copy).await?;
        let mut block = Block { backend, tasks, rows: Vec::new() };
        let mut prepared = Vec::new();
        for (operation, requests) in all {
            let file = self.bench.wrk.prepare(&operation.slug(), &requests)?;
            prepared.push(Prepared { operation, requests, file });
        }
        for one in &prepared {
            let name = one.operation.name;
            let measured = self.row(&product, &floor, one).await;
            match measured.with_context(|| format!("{}, {tasks} tasks: {name}", backend.name())) {
                Ok((product, floor)) => {
                    let statements = statements.get(&one.operation.slug()).copied().unwrap_or_default();
                    let row = Row { operation: name.to_owned(), statements, product, floor };
                    let (rate, ratio) = (row.product.outcome.rate(), row.ratio());
                    say(&format!("  {name}: {rate:.0}/s, {ratio:.2} of the floor"));
                    block.rows.push(row);
                }
                Err(error) => self.miss(format!("{error:#}")),
            }
        }
        self.report.blocks.push(block);
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

    async fn row(
        &self,
        product: &Subject,
        floor: &Subject,
        one: &Prepared,
    ) -> Result<(crate::report::Figure, crate::report::Figure)> {
        let measured = self.bench.piece(product, one).await.context("the product")?;
        let bare = self.bench.piece(floor, one).await.context("the floor")?;
        Ok((measured, bare))
    }

    async fn floor(&self, plan: &Path, database: &Database) -> Result<Subject> {
        let mut command = Command::new(std::env::current_exe().context("can't find this program")?);
        let server = Server::start(command.arg("floor").arg(plan), &self.file("floor.log")).await?;
        Ok(Subject { side: Side::Floor, server, database: database.clone() })
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
