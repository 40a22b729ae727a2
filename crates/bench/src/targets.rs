//! What should be reached, and whether it is.

use crate::{
    database::Backend,
    ops::{OPERATIONS, Operation, Work},
    report::{Report, Row, ratio},
};

/// A line of the list of targets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) figure: &'static str,
    pub(crate) target: &'static str,
    /// What was measured at worst, and where; `None` if it was not.
    pub(crate) measured: Option<String>,
    pub(crate) met: bool,
}

/// Operations of which lists of targets speak.
const LISTINGS: [&str; 2] = ["ping", "tools/list"];
const READS: [&str; 4] = ["get_task", "list_tasks", "list_tasks, large project", "search"];
const POSTGRES_WRITES: [&str; 3] = ["claim_task", "add_comment", "checkin"];

const MB: f64 = 1e6;

/// All targets.
pub(crate) fn targets(report: &Report) -> Vec<Line> {
    let writes = |row: &Row| Operation::named(&row.operation).is_some_and(|operation| operation.work == Work::Write);
    vec![
        floor(report, "authenticated `ping`, `tools/list`: part of the floor", "≥ 0.6", 0.6, |_, row| {
            LISTINGS.contains(&row.operation.as_str())
        }),
        floor(report, "reads on SQLite: part of the bare driver", "≥ 0.5", 0.5, |backend, row| {
            backend == Backend::Sqlite && READS.contains(&row.operation.as_str())
        }),
        floor(report, "reads on PostgreSQL: part of the bare driver", "≥ 0.7", 0.7, |backend, row| {
            backend == Backend::Postgres && READS.contains(&row.operation.as_str())
        }),
        floor(
            report,
            "writes on SQLite: part of grouped commits by the bare driver",
            "≥ 0.6",
            0.6,
            |backend, row| backend == Backend::Sqlite && writes(row),
        ),
        grouped(report),
        floor(report, "writes on PostgreSQL: part of the bare driver", "≥ 0.6", 0.6, |backend, row| {
            backend == Backend::Postgres && POSTGRES_WRITES.contains(&row.operation.as_str())
        }),
        tail(report),
        growth(report, "growth with the size, keyed calls and lists", "≤ 1.5 ×", 1.5, |name| name != "search"),
        growth(report, "growth with the size, search", "≤ 3 ×", 3.0, |name| name == "search"),
        process(report, "memory, idle", "< 40 MB", 40.0 * MB, |process| process.idle),
        process(report, "memory at 256 connections", "< 150 MB", 150.0 * MB, |process| process.at_256),
        start(report),
        processes(report),
    ]
}

/// The worst of some numbers, each with where it was measured.
fn worst(all: impl Iterator<Item = (f64, String)>, smallest: bool) -> Option<(f64, String)> {
    all.reduce(|worst, next| {
        let is_worse = if smallest { next.0 < worst.0 } else { next.0 > worst.0 };
        if is_worse { next } else { worst }
    })
}

fn line(
    figure: &'static str,
    target: &'static str,
    found: Option<(f64, String)>,
    met: impl Fn(f64) -> bool,
    show: impl Fn(f64) -> String,
) -> Line {
    let is_met = found.as_ref().is_some_and(|(number, _)| met(*number));
    let measured = found.map(|(number, at)| format!("{} ({at})", show(number)));
    Line { figure, target, measured, met: is_met }
}

/// Every measured row with its place.
fn rows(report: &Report) -> impl Iterator<Item = (Backend, u32, &Row)> {
    report.blocks.iter().flat_map(|block| block.rows.iter().map(|row| (block.backend, block.tasks, row)))
}

fn floor(
    report: &Report,
    figure: &'static str,
    target: &'static str,
    least: f64,
    counts: impl Fn(Backend, &Row) -> bool,
) -> Line {
    let ratios = rows(report).filter(|(backend, _, row)| counts(*backend, row));
    let ratios = ratios.map(|(backend, tasks, row)| (row.ratio(), place(backend, tasks, &row.operation)));
    line(figure, target, worst(ratios, true), |number| number >= least, |number| format!("{number:.2}"))
}

fn place(backend: Backend, tasks: u32, operation: &str) -> String {
    format!("{operation}, {}, {}", backend.name(), crate::table::size(tasks))
}

/// How many times more comments are written when commits are shared than when each stands alone.
fn grouped(report: &Report) -> Line {
    let gains = report.processes.iter().filter(|process| process.backend == Backend::Sqlite).filter_map(|process| {
        let row = report.row(process.backend, process.tasks, "add_comment")?;
        Some((ratio(row.product.outcome.rate(), process.alone), place(process.backend, process.tasks, "add_comment")))
    });
    let show = |number| format!("{number:.1} ×");
    line("writes on SQLite against our own ungrouped ones", "> 1 ×", worst(gains, true), |number| number > 1.0, show)
}

#[expect(clippy::cast_precision_loss, reason = "no time here comes near 2^52 µs")]
fn tail(report: &Report) -> Line {
    let tails = rows(report).map(|(backend, tasks, row)| {
        let outcome = row.product.outcome;
        (ratio(outcome.p99 as f64, outcome.p50 as f64), place(backend, tasks, &row.operation))
    });
    let (figure, show) = ("p99 at 32 connections", |number| format!("{number:.1} × p50"));
    line(figure, "< 10 × p50", worst(tails, false), |number| number < 10.0, show)
}

fn growth(
    report: &Report,
    figure: &'static str,
    target: &'static str,
    most: f64,
    counts: impl Fn(&str) -> bool,
) -> Line {
    let of = |backend: Backend, name: &str| {
        let (small, large) = report.span(backend)?;
        let rate = |tasks| Some(report.row(backend, tasks, name)?.product.outcome.rate());
        let grown = ratio(rate(small)?, rate(large)?);
        let span = format!("{} to {}", crate::table::size(small), crate::table::size(large));
        Some((grown, format!("{name}, {}, {span}", backend.name())))
    };
    let all = [Backend::Sqlite, Backend::Postgres].into_iter().flat_map(|backend| {
        let counted = OPERATIONS.iter().filter(|operation| counts(operation.name));
        counted.filter_map(move |operation| of(backend, operation.name))
    });
    line(figure, target, worst(all, false), |number| number <= most, |number| format!("{number:.2} ×"))
}

fn process(
    report: &Report,
    figure: &'static str,
    target: &'static str,
    most: f64,
    of: impl Fn(&crate::report::Process) -> u64,
) -> Line {
    #[expect(clippy::cast_precision_loss, reason = "no memory here comes near 2^52 bytes")]
    let all = report.processes.iter().map(|process| (of(process) as f64, process.backend.name().to_owned()));
    let all = all.filter(|(bytes, _)| *bytes > 0.0);
    line(figure, target, worst(all, false), |bytes| bytes < most, |bytes| format!("{:.0} MB", bytes / MB))
}

fn start(report: &Report) -> Line {
    let all = report.processes.iter().map(|process| (process.start_millis, process.backend.name().to_owned()));
    let (figure, show) = ("start to first answer on an existing database", |millis| format!("{millis:.0} ms"));
    line(figure, "< 100 ms", worst(all, false), |millis| millis < 100.0, show)
}

fn processes(report: &Report) -> Line {
    let all = report
        .growing
        .iter()
        .map(|growing| ((ratio(growing.two.cpu(), growing.one.cpu()) - 1.0) * 100.0, growing.operation.clone()));
    let (figure, show) = ("two processes on one PostgreSQL: CPU of a request", |percent| format!("{percent:+.0} %"));
    line(figure, "≤ +10 %", worst(all, false), |percent| percent <= 10.0, show)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{
        load::Outcome,
        report::{Block, Figure, Process},
    };

    fn figure(requests: u64, p50: u64, p99: u64) -> Figure {
        let outcome = Outcome { requests, micros: 1_000_000, p50, p99, ..Outcome::default() };
        Figure { outcome, ..Figure::default() }
    }

    fn report() -> Report {
        let row = |operation: &str, product, floor| Row {
            operation: operation.to_owned(),
            statements: 1.0,
            product: figure(product, 1_000, 5_000),
            floor: figure(floor, 100, 200),
        };
        let block = |tasks, rows| Block { backend: Backend::Sqlite, tasks, rows };
        let small = vec![row("ping", 900, 1_000), row("get_task", 400, 1_000), row("search", 100, 150)];
        let large = vec![row("ping", 700, 1_000), row("get_task", 500, 1_000), row("search", 25, 40)];
        let process = Process {
            backend: Backend::Sqlite,
            tasks: 2_000,
            start_millis: 50.0,
            idle: 41_000_000,
            at_256: 149_000_000,
            alone: 0.0,
        };
        Report { blocks: vec![block(1_000, small), block(2_000, large)], processes: vec![process], ..Report::default() }
    }

    #[test]
    fn each_target_is_held_against_the_worst_that_was_measured() {
        let lines = targets(&report());
        let line = |figure: &str| {
            let line = lines.iter().find(|line| line.figure.contains(figure)).unwrap();
            (line.measured.clone().unwrap_or_default(), line.met)
        };
        assert_eq!(line("`ping`"), ("0.70 (ping, SQLite, 2k)".to_owned(), true));
        assert_eq!(line("reads on SQLite"), ("0.40 (get_task, SQLite, 1k)".to_owned(), false));
        assert_eq!(line("reads on PostgreSQL"), (String::new(), false));
        assert_eq!(line("p99"), ("5.0 × p50 (ping, SQLite, 1k)".to_owned(), true));
        assert_eq!(line("keyed calls"), ("1.29 × (ping, SQLite, 1k to 2k)".to_owned(), true));
        assert_eq!(line("size, search"), ("4.00 × (search, SQLite, 1k to 2k)".to_owned(), false));
        assert_eq!(line("memory, idle"), ("41 MB (SQLite)".to_owned(), false));
        assert_eq!(line("256 connections"), ("149 MB (SQLite)".to_owned(), true));
        assert_eq!(line("first answer"), ("50 ms (SQLite)".to_owned(), true));
    }

    #[test]
    fn the_tables_name_every_operation_and_every_target() {
        let text = crate::table::tables(&report(), crate::table::Style::Markdown);
        for part in ["### SQLite, 2k tasks", "| get_task", "| NOT MET ", "| not measured |"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
