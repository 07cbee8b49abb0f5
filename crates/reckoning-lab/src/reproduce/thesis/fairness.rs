//! The numbers of chapter 3, ready for claims, and their tables.

use super::policies::{DELAYS_MS, Lowering, PolicyOutcome, PolicySeries, VARIATIONS_MS, WEIGHTS};
use crate::reproduce::ReportTable;

/// Every rule under every variation of delay.
pub(super) struct FairnessFindings {
    pub(super) series: Vec<PolicySeries>,
}

impl FairnessFindings {
    /// The runs of one rule.
    pub(super) fn series_of(&self, name: &str, variation_ms: u32) -> &PolicySeries {
        let mut found = self.series.iter();
        found
            .find(|series| series.name == name && series.variation_ms == variation_ms)
            .expect("every rule of the chapter is run under every variation")
    }

    /// The five weight cases of a budget policy.
    pub(super) fn cases(&self, policy: &str, variation_ms: u32) -> [&PolicySeries; 5] {
        WEIGHTS.map(|(weights, _)| self.series_of(&format!("{policy}, {weights}"), variation_ms))
    }

    /// A number of `name` as a multiple of that of `other`, at each variation of delay.
    pub(super) fn ratios(
        &self,
        name: &str,
        other: &str,
        number: impl Fn(&PolicyOutcome) -> f64,
    ) -> [f64; 3] {
        VARIATIONS_MS.map(|variation_ms| {
            self.series_of(name, variation_ms).ratio(self.series_of(other, variation_ms), &number)
        })
    }

    /// One table for each variation of delay.
    pub(super) fn tables(&self) -> Vec<ReportTable> {
        VARIATIONS_MS.into_iter().map(|variation_ms| self.table(variation_ms)).collect()
    }

    fn table(&self, variation_ms: u32) -> ReportTable {
        let title = format!(
            "THESIS chapter 3, delays of 200, 500 and 800 ms, each packet's +-{variation_ms} ms"
        );
        table(&title, self.series.iter().filter(|series| series.variation_ms == variation_ms))
    }
}

/// The same packets with lower and lower thresholds.
pub(super) fn threshold_table(lowering: Lowering, series: &[PolicySeries]) -> ReportTable {
    let title = format!(
        "THESIS section 3.5, deterministic by accumulated error, {} updates per trigger of the \
         first threshold, heartbeats of {} s",
        lowering.updates,
        lowering.heartbeat.as_secs_f64()
    );
    table(&title, series.iter())
}

fn table<'a>(title: &str, series: impl Iterator<Item = &'a PolicySeries>) -> ReportTable {
    let title = format!(
        "{title}: accumulated export error over the length of the run, in metres; mean and \
         deviation among receivers, +- between seeds"
    );
    let columns =
        ["policy", "packets", "mean", "+-", "deviation", "+-", "at 200", "at 500", "at 800"];
    let mut table = ReportTable::new(&title, &columns);
    table.rows = series.map(row).collect();
    table
}

fn row(series: &PolicySeries) -> Vec<String> {
    let packets = series.spread(|outcome| outcome.packets as f64).mean;
    let (mean, deviation) =
        (series.spread(PolicyOutcome::mean_m), series.spread(PolicyOutcome::deviation_m));
    let numbers = [mean.mean, mean.deviation, deviation.mean, deviation.deviation];
    let each = (0..DELAYS_MS.len()).map(|who| series.spread(|run| run.errors_m[who]).mean);
    let metres = numbers.into_iter().chain(each).map(|number| format!("{number:.3}"));
    [series.name.clone(), format!("{packets:.0}")].into_iter().chain(metres).collect()
}

/// A multiple as a change in percent, with its sign.
pub(super) fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

/// Changes in percent, one after the other.
pub(super) fn percents(ratios: &[f64]) -> String {
    ratios.iter().map(|&ratio| percent(ratio)).collect::<Vec<_>>().join(", ")
}
