//! Whether STEELE's confidence tells how far off a projection will be.

use reckoning::DVec3;
use reckoning_predict::TrendMap;

use super::play::BotSubject;
use crate::stats::mean;

/// Half a second.
const AHEAD_TICKS: usize = 30;
const STEP_TICKS: usize = 15;

/// The correlation of |C| with the error of a straight projection, over everyone who moves.
pub(super) fn with_error(subjects: &[BotSubject], map: &TrendMap) -> f64 {
    let mut pairs = Vec::new();
    for life in subjects.iter().flat_map(|subject| &subject.lives) {
        for start in (0..life.len().saturating_sub(AHEAD_TICKS)).step_by(STEP_TICKS) {
            let (now, later) = (&life[start], &life[start + AHEAD_TICKS]);
            let trend = map.trend_at(now.position, now.velocity);
            let guess: DVec3 = now.position + now.velocity * later.at.secs_since(now.at);
            pairs.extend(trend.map(|it| (it.confidence.abs(), guess.distance(later.position))));
        }
    }
    correlation(&pairs)
}

/// Pearson's; 0 where one of the two never varies.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        let (a, b) = (a - mean_a, b - mean_b);
        (ab, aa, bb) = (ab + a * b, aa + a * a, bb + b * b);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 * 2).
    #[test]
    fn correlation_is_pearsons() {
        assert_eq!(correlation(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]), 0.5);
        assert_eq!(correlation(&[(1.0, 1.0), (1.0, 3.0)]), 0.0);
    }
}
