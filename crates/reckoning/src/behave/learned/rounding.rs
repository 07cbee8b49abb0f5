//! Coefficients rounded together, so that what one term loses another makes up for.
//!
//! The terms of a curve look alike: an error in one can be hidden by a little of its
//! neighbours. Rounding from the longest term to the shortest and handing on what was lost,
//! weighted by how alike they are, is Babai's nearest plane; six bits per coefficient are
//! then nearly as good as all of them.

use glam::DVec3;

use crate::CurveBasis;
use crate::math::{exp, round, sqrt};

/// Steps on each side of zero that six bits leave.
const MOST_STEPS: f64 = 31.0;
/// Moments at which the rounded curve shall be near the exact one.
const HORIZONS_S: [f64; 6] = [0.1, 0.2, 0.35, 0.6, 1.0, 1.8];

/// How curves of one basis are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rounding {
    terms: usize,
    steps_mps: [f64; 4],
    /// What a loss of one in the column's term is worth in the row's, for rows below.
    hand_on: [[f64; 4]; 4],
}

impl Rounding {
    pub fn new(basis: &CurveBasis, steps_mps: &[f32]) -> Self {
        let terms = basis.tau_s().len();
        let mut rounding = Self { terms, ..Self::default() };
        for (own, &step) in rounding.steps_mps.iter_mut().zip(steps_mps) {
            *own = f64::from(step);
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
                for k in 0..HORIZONS_S.len() {
                    straight[term][k] -= share * straight[earlier][k];
                }
            }
        }
        rounding
    }

    /// Rounds world coefficients, one vector per term.
    pub fn round(&self, coefficients: &mut [DVec3; 4]) {
        for axis in 0..3 {
            for term in (0..self.terms).rev() {
                let step = self.steps_mps[term];
                if step <= 0.0 {
                    continue;
                }
                let exact = coefficients[term][axis];
                let kept = round(exact / step).clamp(-MOST_STEPS, MOST_STEPS) * step;
                coefficients[term][axis] = kept;
                for earlier in 0..term {
                    coefficients[earlier][axis] += (exact - kept) * self.hand_on[term][earlier];
                }
            }
        }
    }
}
