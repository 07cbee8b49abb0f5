//! A comparison over several sessions, asked by predictor and delay.

use crate::compare::{ClosedRow, Comparison, OpenRow};

/// The sessions of one setting, taken together.
#[derive(Clone, Debug)]
pub(super) struct Pooled(pub(super) Comparison);

impl Pooled {
    /// Mean distance of prediction and truth, every prediction counting the same.
    pub(super) fn aee(&self, predictor: &str, delay_ms: u64) -> f64 {
        self.mean(predictor, delay_ms, |row| row.aee)
    }

    /// Share of predictions within the bound.
    pub(super) fn hits(&self, predictor: &str, delay_ms: u64) -> f64 {
        self.mean(predictor, delay_ms, |row| row.hit_rate)
    }

    /// Mean over all predictions at a delay.
    pub(super) fn mean(&self, predictor: &str, delay_ms: u64, of: impl Fn(&OpenRow) -> f64) -> f64 {
        let wanted = |row: &&OpenRow| row.predictor == predictor && row.delay_ms == delay_ms;
        let rows = self.0.open.iter().filter(wanted);
        let (sum, n) =
            rows.fold((0.0, 0.0), |(sum, n), row| (sum + of(row) * row.n as f64, n + row.n as f64));
        if n > 0.0 { sum / n } else { 0.0 }
    }

    /// Updates per body and second, every session counting the same.
    pub(super) fn packets(&self, predictor: &str) -> f64 {
        let wanted = |row: &&ClosedRow| row.predictor == predictor;
        let rows = self.0.closed.iter().filter(wanted);
        let (sum, n) =
            rows.fold((0.0, 0.0), |(sum, n), row| (sum + row.packets_per_entity_s, n + 1.0));
        if n > 0.0 { sum / n } else { 0.0 }
    }

    /// How many predictions stand behind the means at a delay.
    pub(super) fn count(&self, predictor: &str, delay_ms: u64) -> u64 {
        let wanted = |row: &&OpenRow| row.predictor == predictor && row.delay_ms == delay_ms;
        self.0.open.iter().filter(wanted).map(|row| row.n).sum()
    }
}
