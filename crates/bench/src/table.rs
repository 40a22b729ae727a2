//! What was measured as tables: for a terminal, and for the documentation.

use comfy_table::{Table, presets};

use crate::{
    report::{Block, Figure, Report},
    targets::{Line, targets},
};

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Terminal,
    Markdown,
}

/// All tables of a report.
pub(crate) fn tables(report: &Report, style: Style) -> String {
    let conditions = &report.conditions;
    let mut text = format!("Measured on {} on {}.\n", conditions.date, conditions.machine);
    text.push_str(&format!(
        "{}; {} connections, {} s for each operation, seed {}.\n",
        conditions.versions.join(", "),
        conditions.connections,
        conditions.seconds,
        conditions.seed,
    ));
    for block in &report.blocks {
        text.push_str(&heading(&format!("{}, {} tasks", block.backend.name(), size(block.tasks)), style));
        text.push_str(&operations(block, style));
    }
    if !report.processes.is_empty() {
        text.push_str(&heading("The process", style));
        text.push_str(&processes(report, style));
    }
    if !report.growing.is_empty() {
        text.push_str(&heading("Two processes on one PostgreSQL", style));
        text.push_str(&growing(report, style));
    }
    text.push_str(&heading("Targets", style));
    text.push_str(&lines(&targets(report), style));
    for missing in &report.missing {
        text.push_str(&format!("\nNot measured: {missing}\n"));
    }
    for skipped in &report.skipped {
        text.push_str(&format!("\nThere was no time for: {skipped}\n"));
    }
    text
}

/// A number of tasks.
pub(crate) fn size(tasks: u32) -> String {
    match tasks {
        0..1_000 => tasks.to_string(),
        1_000..1_000_000 => format!("{}k", tasks / 1_000),
        _ => format!("{}M", tasks / 1_000_000),
    }
}

fn heading(text: &str, style: Style) -> String {
    match style {
        Style::Terminal => format!("\n{text}\n"),
        Style::Markdown => format!("\n### {text}\n\n"),
    }
}

fn draw<const N: usize>(heading: [&str; N], rows: impl IntoIterator<Item = [String; N]>, style: Style) -> String {
    let mut table = Table::new();
    let preset = match style {
        Style::Terminal => presets::NOTHING,
        Style::Markdown => presets::ASCII_MARKDOWN,
    };
    table.load_style(preset).set_header(heading).add_rows(rows);
    format!("{table}\n")
}

fn operations(block: &Block, style: Style) -> String {
    let heading = [
        "operation",
        "requests/s",
        "of floor",
        "p50 ms",
        "p99 ms",
        "CPU µs: server",
        "database",
        "statements",
        "memory MB",
        "floor: requests/s",
        "p50 ms",
        "p99 ms",
        "CPU µs: server",
        "database",
    ];
    let rows = block.rows.iter().map(|row| {
        let Figure { outcome, cpu_server, cpu_database, resident } = row.product;
        let floor = row.floor;
        [
            row.operation.clone(),
            format!("{:.0}", outcome.rate()),
            format!("{:.2}", row.ratio()),
            millis(outcome.p50),
            millis(outcome.p99),
            format!("{cpu_server:.0}"),
            or_dash(cpu_database),
            format!("{:.1}", row.statements),
            megabytes(resident),
            format!("{:.0}", floor.outcome.rate()),
            millis(floor.outcome.p50),
            millis(floor.outcome.p99),
            format!("{:.0}", floor.cpu_server),
            or_dash(floor.cpu_database),
        ]
    });
    draw(heading, rows, style)
}

fn processes(report: &Report, style: Style) -> String {
    let heading =
        ["database", "tasks", "start to first answer ms", "idle MB", "at 256 connections MB", "lone comments/s"];
    let rows = report.processes.iter().map(|process| {
        [
            process.backend.name().to_owned(),
            size(process.tasks),
            format!("{:.0}", process.start_millis),
            megabytes(process.idle),
            megabytes(process.at_256),
            format!("{:.0}", process.alone),
        ]
    });
    draw(heading, rows, style)
}

fn growing(report: &Report, style: Style) -> String {
    let heading = ["operation", "processes", "requests/s", "CPU µs: servers", "database"];
    let rows = report.growing.iter().flat_map(|growing| {
        [("1", &growing.one), ("2", &growing.two)].map(|(processes, figure)| {
            [
                growing.operation.clone(),
                processes.to_owned(),
                format!("{:.0}", figure.outcome.rate()),
                format!("{:.0}", figure.cpu_server),
                or_dash(figure.cpu_database),
            ]
        })
    });
    draw(heading, rows, style)
}

fn lines(lines: &[Line], style: Style) -> String {
    let rows = lines.iter().map(|line| {
        let verdict = match (&line.measured, line.met) {
            (None, _) => "not measured",
            (Some(_), true) => "met",
            (Some(_), false) => "NOT MET",
        };
        let measured = line.measured.clone().unwrap_or_else(|| "–".to_owned());
        [line.figure.to_owned(), line.target.to_owned(), measured, verdict.to_owned()]
    });
    draw(["figure", "target", "measured, at worst", ""], rows, style)
}

fn or_dash(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.0}"))
}

#[expect(clippy::cast_precision_loss, reason = "no time here comes near 2^52 µs")]
fn millis(micros: u64) -> String {
    format!("{:.2}", micros as f64 / 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "no memory here comes near 2^52 bytes")]
fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}
