//! Coefficients rounded together, so that what one term loses another makes up for.
//!
//! The terms of a curve look alike: an error in one can be hidden by a little of its
//! neighbours. Rounding from the longest term to the shortest and handing on what was lost,
//! weighted by how alike they are, is Babai's nearest plane; few bits per coefficient are then
//! nearly as good as all of them.

use glam::DVec3;

use reckoning::CurveBasis;
use reckoning::math::{exp, sqrt};

/// Steps on each side of zero that eight bits leave.
const MAX_STEPS: f64 = 127.0;
/// Added to a number of this size and taken away again, it leaves the nearest whole one.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// Moments at which the rounded curve shall be near the exact one.
const HORIZONS_S: [f64; 6] = [0.1, 0.2, 0.35, 0.6, 1.0, 1.8];

/// How curves of one basis are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rounding {
    terms: usize,
    steps_mps: [f64; 4],
    /// One over each; zero where nothing is rounded.
    per_step: [f64; 4],
    /// How much of the column's term is in the row's, beyond the terms before the column's.
    hand_on: [[f64; 4]; 4],
}

impl Rounding {
    pub fn new(basis: &CurveBasis, steps_mps: &[f32]) -> Self {
        let terms = basis.tau_s().len();
        let mut rounding = Self { terms, ..Self::default() };
        for (term, &step) in steps_mps.iter().enumerate().take(terms) {
            rounding.steps_mps[term] = f64::from(step);
            rounding.per_step[term] = if step > 0.0 { 1.0 / f64::from(step) } else { 0.0 };
        }
        // The triangular factor of the likeness of the terms, by Gram and Schmidt.
        let columns: [[f64; HORIZONS_S.len()]; 4] = core::array::from_fn(|term| {
            let tau_s = basis.tau_s().get(term).copied().unwrap_or(1.0);
            // A step far off counts no more than one nearby: the bound is soon left anyway.
            HORIZONS_S.map(|t_s| tau_s * (1.0 - exp(-t_s / tau_s)) / sqrt(t_s))
        });
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut straight = columns;
        for term in 0..terms {
            for earlier in 0..term {
                let square = dot(&straight[earlier], &straight[earlier]).max(1e-12);
                let share = dot(&columns[term], &straight[earlier]) / square;
                rounding.hand_on[term][earlier] = share;
                let taken = straight[earlier];
                for (x, taken) in straight[term].iter_mut().zip(taken) {
                    *x -= share * taken;
                }
            }
        }
        rounding
    }

    /// Rounds world coefficients, one vector per term.
    pub fn round(&self, coefficients: &mut [DVec3; 4]) {
        let most = DVec3::splat(MAX_STEPS);
        let mut lost = [DVec3::ZERO; 4];
        for term in (0..self.terms).rev() {
            let mut wanted = coefficients[term];
            for (lost, hand_on) in lost.iter().zip(&self.hand_on).skip(term + 1) {
                wanted += *lost * hand_on[term];
            }
            let step = self.steps_mps[term];
            let mut kept = wanted;
            if step > 0.0 {
                let steps = (wanted * self.per_step[term]).max(-most).min(most);
                kept = ((steps + WHOLE) - WHOLE) * step;
            }
            lost[term] = coefficients[term] - kept;
            coefficients[term] = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reckoning::random::SplitMix64;

    #[test]
    fn few_bits_rounded_together_are_nearer_than_rounded_alone() {
        let steps = [11.0, 24.0, 25.0, 10.0];
        let rounding = Rounding::new(&CurveBasis::FOUR, &steps);
        let mut random = SplitMix64::new(3);
        let mut off = [0.0; 2];
        for _ in 0..2_000 {
            let exact: [DVec3; 4] = core::array::from_fn(|k| {
                DVec3::X * ((random.unit() - 0.5) * 40.0 * f64::from(steps[k]))
            });
            let mut together = exact;
            rounding.round(&mut together);
            let alone: [DVec3; 4] = core::array::from_fn(|k| {
                let step = f64::from(steps[k]);
                exact[k].map(|x| libm::round(x / step) * step)
            });
            for (sum, rounded) in off.iter_mut().zip([together, alone]) {
                for t_s in [0.1, 0.3, 0.8] {
                    let way = |c: &[DVec3; 4]| -> f64 {
                        let reach = |tau: f64| tau * (1.0 - exp(-t_s / tau));
                        CurveBasis::FOUR.tau_s().iter().zip(c).map(|(t, c)| reach(*t) * c.x).sum()
                    };
                    *sum += (way(&rounded) - way(&exact)).abs();
                }
            }
        }
        assert!(off[0] < 0.3 * off[1], "{off:?}");
    }
}
