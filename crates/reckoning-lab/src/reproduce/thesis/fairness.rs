//! The numbers of chapter 3, ready for claims, and their tables.

use super::policies::{DELAYS_MS, Outcome, Series, VARIATIONS_MS, WEIGHTS};
use crate::reproduce::Table;

/// Every rule under every variation of delay.
pub(super) struct Findings {
    pub(super) series: Vec<Series>,
}

impl Findings {
    /// The runs of one rule.
    pub(super) fn of(&self, name: &str, variation_ms: u32) -> &Series {
        let mut found = self.series.iter();
        found
            .find(|series| series.name == name && series.variation_ms == variation_ms)
            .expect("every rule of the chapter is run under every variation")
    }

    /// The five weight cases of a budget policy.
    pub(super) fn cases(&self, policy: &str, variation_ms: u32) -> [&Series; 5] {
        WEIGHTS.map(|(weights, _)| self.of(&format!("{policy}, {weights}"), variation_ms))
    }

    /// A number of `name` as a multiple of that of `other`, at each variation of delay.
    pub(super) fn ratios(
        &self,
        name: &str,
        other: &str,
        number: impl Fn(&Outcome) -> f64,
    ) -> [f64; 3] {
        VARIATIONS_MS.map(|variation_ms| {
            self.of(name, variation_ms).ratio(self.of(other, variation_ms), &number)
        })
    }

    /// One table for each variation of delay.
    pub(super) fn tables(&self) -> Vec<Table> {
        VARIATIONS_MS.into_iter().map(|variation_ms| self.table(variation_ms)).collect()
    }

    fn table(&self, variation_ms: u32) -> Table {
        let title = format!(
            "THESIS chapter 3, delays of 200, 500 and 800 ms, each packet's +-{variation_ms} ms"
        );
        table(&title, self.series.iter().filter(|series| series.variation_ms == variation_ms))
    }
}

/// The same packets with lower and lower thresholds.
pub(super) fn threshold_table(series: &[Series]) -> Table {
    let title = "THESIS section 3.5, deterministic by accumulated error with the packets of the \
                 base case at the first threshold";
    table(title, series.iter())
}

fn table<'a>(title: &str, series: impl Iterator<Item = &'a Series>) -> Table {
    let title = format!(
        "{title}: accumulated export error over the length of the run, in metres; mean and \
         deviation among receivers, +- between seeds"
    );
    let columns =
        ["policy", "packets", "mean", "+-", "deviation", "+-", "at 200", "at 500", "at 800"];
    let mut table = Table::new(&title, &columns);
    table.rows = series.map(row).collect();
    table
}

fn row(series: &Series) -> Vec<String> {
    let packets = series.spread(|outcome| outcome.packets as f64).mean;
    let (mean, deviation) = (series.spread(Outcome::mean_m), series.spread(Outcome::deviation_m));
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
