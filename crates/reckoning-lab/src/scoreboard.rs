//! A scoreboard over all sources: one row for each predictor.
//!
//! Lengths of two sources cannot be averaged, so every predictor is set beside constant velocity on
//! each source, and what is averaged over sources are those ratios: their geometric mean, in which
//! twice as good on one and half as good on another cancel out.
//!
//! Intervals are those of the comparison, by resampling over players, carried through the ratio as if
//! a predictor and constant velocity were measured on different players. They were measured on the
//! same ones, which makes the true intervals narrower.

use libm::{exp, hypot, log};

use crate::compare::{ClosedRow, Comparison, OpenRow, Predictor, PredictorCost};
use crate::report::{ALL_SESSIONS, pooled_closed, pooled_open};

/// What every predictor is set beside.
pub const BASELINE: &str = "linear";

/// A number and what it lies within in 95 of 100 draws of the players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What one predictor did on one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceScore {
    /// Which.
    pub source: String,
    /// Updates per body and second within the bound.
    pub packets: Scored,
    /// Mean error at the scoreboard's delay, in the units of the source.
    pub error: Scored,
    /// Whether every number is that of constant velocity: it had nothing to go by.
    pub as_baseline: bool,
}

/// One predictor over all sources.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRow {
    /// Its name.
    pub predictor: String,
    /// What has to be known for it, besides the motion of the body.
    pub needs: &'static str,
    /// Updates over those of constant velocity.
    pub packets: Scored,
    /// Mean error over that of constant velocity.
    pub error: Scored,
    /// Nanoseconds to plan an update, and to ask where a body is; as measured in this run.
    pub plan_ns: f64,
    /// The latter.
    pub look_ns: f64,
    /// Source by source.
    pub sources: Vec<SourceScore>,
}

impl ScoreRow {
    /// Whether it had nothing to go by on any source.
    #[must_use]
    pub fn is_inert(&self) -> bool {
        self.sources.iter().all(|it| it.as_baseline)
    }
}

/// The whole board, the fewest updates first.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoreboard {
    /// The age of the news at which errors are compared.
    pub delay_ms: u64,
    /// One for each predictor.
    pub rows: Vec<ScoreRow>,
}

impl Scoreboard {
    /// The board of a comparison that constant velocity took part in, at the delay nearest to
    /// `delay_ms`; empty without it.
    #[must_use]
    pub fn new(
        comparison: &Comparison,
        predictors: &[Predictor],
        costs: &[PredictorCost],
        delay_ms: u64,
    ) -> Self {
        let (open, closed) = (pooled_open(comparison), pooled_closed(comparison));
        debug_assert!(open.iter().all(|row| row.session == ALL_SESSIONS));
        let nearest = open.iter().map(|row| row.delay_ms).min_by_key(|it| it.abs_diff(delay_ms));
        let delay_ms = nearest.unwrap_or(delay_ms);
        let open: Vec<OpenRow> = open.into_iter().filter(|row| row.delay_ms == delay_ms).collect();
        let row = |predictor: &Predictor| row(predictor, &open, &closed, costs);
        let mut rows: Vec<ScoreRow> = predictors.iter().filter_map(row).collect();
        rows.sort_by(|a, b| a.packets.value.total_cmp(&b.packets.value));
        Self { delay_ms, rows }
    }
}

fn row(
    predictor: &Predictor,
    open: &[OpenRow],
    closed: &[ClosedRow],
    costs: &[PredictorCost],
) -> Option<ScoreRow> {
    let name = predictor.to_string();
    let of = |wanted: &str, source: &str| {
        let error = open.iter().find(|it| it.predictor == wanted && it.source == source)?;
        let cost = closed.iter().find(|it| it.predictor == wanted && it.source == source)?;
        Some((error, cost))
    };
    let (mut sources, mut packets, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for own in closed.iter().filter(|row| row.predictor == name) {
        let source = &own.source;
        let ((error, cost), (usual_error, usual_cost)) =
            (of(&name, source)?, of(BASELINE, source)?);
        let (own_packets, own_error) = (packets_of(cost), error_of(error));
        let is_baseline = name == BASELINE;
        let as_baseline = !is_baseline
            && cost.packets_per_entity_s == usual_cost.packets_per_entity_s
            && cost.mean_error == usual_cost.mean_error
            && error.aee == usual_error.aee;
        let is_same = is_baseline || as_baseline;
        packets.push(Ratio::new(own_packets, packets_of(usual_cost), is_same));
        errors.push(Ratio::new(own_error, error_of(usual_error), is_same));
        let source = source.clone();
        sources.push(SourceScore { source, packets: own_packets, error: own_error, as_baseline });
    }
    let cost = costs.iter().find(|it| it.predictor == name);
    (!sources.is_empty()).then(|| ScoreRow {
        predictor: name,
        needs: predictor.needs(),
        packets: Ratio::mean(&packets),
        error: Ratio::mean(&errors),
        plan_ns: cost.map_or(f64::NAN, |it| it.plan_ns),
        look_ns: cost.map_or(f64::NAN, |it| it.look_ns),
        sources,
    })
}

fn packets_of(row: &ClosedRow) -> Scored {
    Scored { value: row.packets_per_entity_s, low: row.packets_low, high: row.packets_high }
}

fn error_of(row: &OpenRow) -> Scored {
    Scored { value: row.aee, low: row.aee_low, high: row.aee_high }
}

/// The logarithm of a ratio, and half of its interval.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    log: f64,
    half: f64,
}

impl Ratio {
    fn new(own: Scored, usual: Scored, is_same: bool) -> Self {
        let relative = |it: Scored| 0.5 * (it.high - it.low) / it.value;
        let both = hypot(relative(own), relative(usual));
        // What is set beside itself is 1, whoever plays.
        let half = if is_same { 0.0 } else { both };
        Self { log: log(own.value / usual.value), half }
    }

    /// The geometric mean, sources taken as independent.
    fn mean(ratios: &[Self]) -> Scored {
        let count = ratios.len() as f64;
        let log = ratios.iter().map(|it| it.log).sum::<f64>() / count;
        let half = ratios.iter().map(|it| it.half * it.half).sum::<f64>().sqrt() / count;
        Scored { value: exp(log), low: exp(log - half), high: exp(log + half) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(value: f64, half: f64) -> Scored {
        Scored { value, low: value - half, high: value + half }
    }

    /// By hand: half as many on one source and twice as many on the other is as many; intervals of
    /// 3 and 4 per cent make 5 for each ratio, and 5 / sqrt 2 for the mean of two.
    #[test]
    fn ratios_of_sources_are_averaged_by_their_logarithms() {
        let halved = Ratio::new(scored(1.0, 0.03), scored(2.0, 0.08), false);
        let doubled = Ratio::new(scored(2.0, 0.06), scored(1.0, 0.04), false);
        let mean = Ratio::mean(&[halved, doubled]);
        assert!((mean.value - 1.0).abs() < 1e-12, "{mean:?}");
        let half = 0.05 / 2.0_f64.sqrt();
        assert!((mean.high - exp(half)).abs() < 1e-12, "{mean:?}");
        assert!((mean.low - exp(-half)).abs() < 1e-12, "{mean:?}");
    }

    #[test]
    fn what_is_set_beside_itself_is_one_without_a_doubt() {
        let own = scored(3.0, 1.0);
        assert_eq!(Ratio::mean(&[Ratio::new(own, own, true)]), scored(1.0, 0.0));
    }
}
