//! What is measured: kept in memory, and rendered as the text that Prometheus reads.

use std::{sync::Arc, time::Duration};

use chorus_http::{Metrics, Readers};
use chorus_store::Metric;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;

use crate::{config::MetricsFor, failure::Failure};

/// Upper bounds of the classes into which times are sorted, in seconds.
const SECONDS: &[f64] =
    &[0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// The same of what is counted.
const SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
/// How often what was measured is sorted into classes, so that it takes little room.
const UPKEEP: Duration = Duration::from_secs(5);

/// Everything that is measured, beside what the process's own collector says.
pub(crate) fn tables() -> impl Iterator<Item = &'static Metric> {
    [chorus_http::METRICS, chorus_dispatch::METRICS, chorus_app::unit::METRICS, chorus_store_diesel::METRICS]
        .into_iter()
        .flatten()
}

/// Begins to measure, for these readers. What is made before is not measured.
///
/// # Errors
/// Something in this process measures already.
pub(crate) fn start(readers: MetricsFor) -> Result<Option<Metrics>, Failure> {
    let readers = match readers {
        MetricsFor::Off => return Ok(None),
        MetricsFor::Local => Readers::Local,
        MetricsFor::All => Readers::Everybody,
    };
    let handle = install().map_err(|error| Failure::refused(format_args!("can't measure: {error}")))?;
    tables().for_each(Metric::describe);
    let process = Collector::default();
    process.describe();
    let rendering = handle.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            handle.run_upkeep();
        }
    });
    let render = move || {
        process.collect();
        rendering.render()
    };
    Ok(Some(Metrics { readers, render: Arc::new(render) }))
}

fn install() -> Result<PrometheusHandle, metrics_exporter_prometheus::BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_units".to_owned()), SIZES)?
        .install_recorder()
}
