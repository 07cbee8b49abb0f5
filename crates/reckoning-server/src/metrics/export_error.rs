//! Export errors of clients: a summary over all of them, and a series for each where asked for.
//!
//! Servers have thousands of clients in a day, and a series for each would outgrow whoever scrapes
//! them. So mean, median and worst are what is told; single clients only if the settings ask for
//! it, and not more than [`MAX_CLIENTS`] at a time.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use reckoning::SimTime;
use reckoning_net::ListenerError;

/// Clients with series of their own at most.
const MAX_CLIENTS: usize = 256;

/// Time between two looks at the accounts: asking all of them is not free.
const EVERY: Duration = Duration::from_secs(1);

/// The name of a part of an error, and the part.
type Part = (&'static str, fn(&ListenerError) -> f64);

/// The parts of an error, as THESIS calls them CEE, EEE and AEE.
const PARTS: [Part; 3] = [
    ("confirmed", |it| it.confirmed),
    ("estimated", |it| it.estimated),
    ("accumulated", ListenerError::accumulated),
];

/// What was last told of clients' errors. A clone shares it.
#[derive(Clone, Debug, Default)]
pub(super) struct ExportErrors(Arc<Mutex<Report>>);

#[derive(Debug, Default)]
struct Report {
    next: SimTime,
    clients: Vec<ListenerError>,
    /// Whether single clients are told.
    singly: bool,
    threshold_scale: f64,
}

impl ExportErrors {
    fn report(&self) -> MutexGuard<'_, Report> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is time to look again.
    pub(super) fn are_due(&self, now: SimTime) -> bool {
        now >= self.report().next
    }

    pub(super) fn set(
        &self,
        now: SimTime,
        clients: Vec<ListenerError>,
        singly: bool,
        threshold_scale: f64,
    ) {
        *self.report() = Report { next: now + EVERY, clients, singly, threshold_scale };
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Export error over clients, in metre-seconds, by part";
        registry.register("export_error_metre_seconds", help, Summary(self.clone()));
        let help = "Export error of single clients, in metre-seconds, by part";
        registry.register("client_export_error_metre_seconds", help, Singly(self.clone()));
        let help = "Part of the threshold that a budget is triggered by";
        registry.register("fairness_threshold_scale", help, Scale(self.clone()));
    }
}

#[derive(Debug)]
struct Summary(ExportErrors);

#[derive(Debug)]
struct Singly(ExportErrors);

#[derive(Debug)]
struct Scale(ExportErrors);

/// Mean, median and worst; all zero when there is nobody.
fn summary(mut errors: Vec<f64>) -> [(&'static str, f64); 3] {
    errors.sort_unstable_by(f64::total_cmp);
    // The sum of nothing would be minus zero.
    let sum = errors.iter().fold(0.0, |sum, error| sum + error);
    let mean = sum / errors.len().max(1) as f64;
    let median = errors.get(errors.len() / 2).copied().unwrap_or(0.0);
    let worst = errors.last().copied().unwrap_or(0.0);
    [("mean", mean), ("median", median), ("worst", worst)]
}

impl EncodeMetric for Summary {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let report = self.0.report();
        for (part, of) in PARTS {
            for (over, value) in summary(report.clients.iter().map(of).collect()) {
                encoder.encode_family(&[("part", part), ("over", over)])?.encode_gauge(&value)?;
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl EncodeMetric for Singly {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let report = self.0.report();
        let most = if report.singly { MAX_CLIENTS } else { 0 };
        for client in report.clients.iter().take(most) {
            let id = client.peer.0.to_string();
            for (part, of) in PARTS {
                let labels = [("client", id.as_str()), ("part", part)];
                encoder.encode_family(&labels)?.encode_gauge(&of(client))?;
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

impl EncodeMetric for Scale {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        encoder.encode_gauge(&self.0.report().threshold_scale)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_nobody_is_zero_and_of_some_is_theirs() {
        assert_eq!(summary(vec![]), [("mean", 0.0), ("median", 0.0), ("worst", 0.0)]);
        let some = summary(vec![9.0, 1.0, 2.0]);
        assert_eq!(some, [("mean", 4.0), ("median", 2.0), ("worst", 9.0)]);
    }
}
