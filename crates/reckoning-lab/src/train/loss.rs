//! Loss of a predicted curve: how far off it is, and how soon it leaves the bound.
//!
//! Two goals, and a mixture of them:
//!
//! ```text
//!   error:    mean over the horizons of  |guess - truth| / constant velocity's mean error there
//!   packets:  minus the expected time inside the bound B,
//!             sum of dt times the running product of 1 / (1 + exp((e - B) / (0.12 B)))
//!   mix:      packets + 2 error
//! ```

#![expect(clippy::inline_always, reason = "loops take the vector unit of the function they are in")]

use super::TrainGoal;
use super::examples::HORIZONS;

/// The bound is left softly, over this share of it: what has no slope cannot be learned.
const SOFT: f32 = 0.12;
/// Weight of the error in the mixture.
const MIXED: f32 = 2.0;

/// What is the same for all examples.
#[derive(Clone, Debug)]
pub(super) struct CurveLoss {
    pub goal: TrainGoal,
    pub axes: usize,
    pub terms: usize,
    /// Displacement at each horizon for an output of one, by horizon and term.
    pub reach: Vec<f32>,
    /// Time each horizon stands for.
    pub spans_s: [f32; HORIZONS],
    /// One over constant velocity's mean error.
    pub over_linear: [f32; HORIZONS],
    /// Mean time constant velocity stays within one body width.
    pub usual_s: f32,
    /// Smallest error that matters.
    pub least: f32,
}

/// What one example came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExampleCost {
    pub loss: f64,
    /// Expected seconds inside the bound.
    pub inside_s: f64,
    /// Error over constant velocity's.
    pub error: f64,
}

impl CurveLoss {
    /// How far off an answer is at a horizon.
    pub fn off(&self, out: &[f32], truth: &[f32], horizon: usize) -> f32 {
        let reach = &self.reach[horizon * self.terms..][..self.terms];
        let mut square = 0.0;
        for (out, truth) in out.chunks_exact(self.terms).zip(truth) {
            let guess: f32 = out.iter().zip(reach).map(|(c, w)| c * w).sum();
            square += (guess - truth) * (guess - truth);
        }
        libm::sqrtf(square)
    }

    /// The cost of `out` against the truth, and its slope. `widths` is the bound in body
    /// widths, `bound` the same in units, `weight` how much the time inside it counts: at
    /// moments at which nothing is published, only the error does.
    #[inline(always)]
    pub fn cost(
        &self,
        out: &[f32],
        truth: &[f32],
        bound: f32,
        widths: f32,
        weight: f32,
        slope: &mut [f32],
    ) -> ExampleCost {
        let mut off = [[0.0_f32; 3]; HORIZONS];
        let mut errors = [0.0_f32; HORIZONS];
        let mut count = 0;
        for (j, truth) in truth.chunks_exact(self.axes).enumerate() {
            if truth[0].is_nan() {
                break;
            }
            count = j + 1;
            let reach = &self.reach[j * self.terms..][..self.terms];
            let mut square = self.least * self.least;
            for (axis, truth) in truth.iter().enumerate() {
                let out = &out[axis * self.terms..][..self.terms];
                let guess: f32 = out.iter().zip(reach).map(|(c, w)| c * w).sum();
                off[j][axis] = guess - truth;
                square += off[j][axis] * off[j][axis];
            }
            errors[j] = libm::sqrtf(square);
        }
        let mut steep = [0.0_f32; HORIZONS];
        let cost = self.steepness(&errors[..count], bound, widths, weight, &mut steep);
        slope.fill(0.0);
        for j in 0..count {
            let reach = &self.reach[j * self.terms..][..self.terms];
            for (axis, slope) in slope.chunks_exact_mut(self.terms).enumerate() {
                let push = steep[j] * off[j][axis] / errors[j];
                slope.iter_mut().zip(reach).for_each(|(slope, w)| *slope += push * w);
            }
        }
        cost
    }

    /// The cost of these errors, and how it grows with each.
    fn steepness(
        &self,
        errors: &[f32],
        bound: f32,
        widths: f32,
        weight: f32,
        steep: &mut [f32],
    ) -> ExampleCost {
        let packets = if self.goal == TrainGoal::Error { 0.0 } else { weight };
        let error = match self.goal {
            TrainGoal::Packets => 0.0,
            TrainGoal::Error => 1.0,
            TrainGoal::Mix => MIXED,
        };
        let soft = SOFT * bound;
        let mut alive = [0.0_f32; HORIZONS];
        let mut stays = [0.0_f32; HORIZONS];
        let mut so_far = 1.0;
        for (j, &e) in errors.iter().enumerate() {
            stays[j] = 1.0 / (1.0 + libm::expf(((e - bound) / soft).min(60.0)));
            so_far *= stays[j];
            alive[j] = so_far;
        }
        // Time constant velocity would stay grows about so with the bound.
        let usual_s = self.usual_s * libm::powf(widths, 0.6);
        let share = 1.0 / errors.len() as f32;
        let (mut later_s, mut sum) = (0.0_f32, 0.0_f32);
        for j in (0..errors.len()).rev() {
            later_s += self.spans_s[j] * alive[j];
            sum += errors[j] * self.over_linear[j];
            steep[j] = packets * later_s * (1.0 - stays[j]) / (soft * usual_s)
                + error * share * self.over_linear[j];
        }
        ExampleCost {
            loss: f64::from(error * share * sum - packets * later_s / usual_s),
            inside_s: f64::from(later_s),
            error: f64::from(share * sum),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_cost() {
        let mut loss = CurveLoss {
            goal: TrainGoal::Mix,
            axes: 2,
            terms: 2,
            reach: (0..2 * HORIZONS).map(|k| 0.1 + 0.03 * k as f32).collect(),
            spans_s: [0.05; HORIZONS],
            over_linear: [0.4; HORIZONS],
            usual_s: 0.5,
            least: 0.01,
        };
        let truth: Vec<f32> = (0..2 * HORIZONS).map(|k| 0.07 * k as f32 - 0.2).collect();
        for goal in [TrainGoal::Packets, TrainGoal::Error, TrainGoal::Mix] {
            loss.goal = goal;
            let out = [0.6_f32, -0.2, 0.4, 0.1];
            let mut slope = [0.0; 4];
            loss.cost(&out, &truth, 0.8, 1.1, 1.3, &mut slope);
            for k in 0..4 {
                let at = |h: f32| {
                    let mut moved = out;
                    moved[k] += h;
                    loss.cost(&moved, &truth, 0.8, 1.1, 1.3, &mut [0.0; 4]).loss
                };
                let found = (at(1e-3) - at(-1e-3)) / 2e-3;
                let told = f64::from(slope[k]);
                assert!(
                    (found - told).abs() < 2e-3 * (1.0 + told.abs()),
                    "{goal:?} {k}: {found} {told}"
                );
            }
        }
    }
}
