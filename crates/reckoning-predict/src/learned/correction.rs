//! Correction for one player's difference from the players in training.
//!
//! The network's curves are compared with where the body really went, and a small correction
//! of their coefficients, one constant and one that grows with speed, follows the difference
//! (normalised least mean squares). It starts at nothing and stays small.

use super::Frame;
use super::planner::Anchor;
use reckoning::math::exp;
use reckoning::{CurveBasis, Kinematics};

/// Moments after a plan at which it is compared with the truth.
const HORIZONS_S: [f64; 3] = [0.15, 0.4, 0.9];
/// Share of a difference that is believed to be the player's habit.
const RATE: f64 = 0.01;
/// Plans remembered.
const PLANS: usize = 4;

/// Corrections by axis, term, and constant or speed.
#[derive(Clone, Debug, Default)]
pub(super) struct Correction {
    habit: [[[f64; 2]; 4]; 3],
    plans: [Option<PastPlan>; PLANS],
    next: usize,
}

#[derive(Clone, Copy, Debug)]
struct PastPlan {
    anchor: Anchor,
    frame: Frame,
    speed: f64,
    coefficients: [[f64; 4]; 3],
    /// Horizons passed.
    passed: usize,
}

impl Correction {
    /// The coefficients with this player's habit; the plan is remembered. `speed` is in body
    /// widths per second, so that games of any size learn alike.
    pub fn apply(
        &mut self,
        seen: &Kinematics,
        frame: &Frame,
        speed: f64,
        plain: [[f64; 4]; 3],
    ) -> [[f64; 4]; 3] {
        let told = [1.0, speed * 0.1];
        let mut coefficients = plain;
        for (row, habit) in coefficients.iter_mut().zip(&self.habit) {
            for (c, habit) in row.iter_mut().zip(habit) {
                *c += habit[0] * told[0] + habit[1] * told[1];
            }
        }
        let anchor = Anchor { at: seen.at, position: seen.position };
        let plan = PastPlan { anchor, frame: *frame, speed: told[1], coefficients, passed: 0 };
        self.plans[self.next] = Some(plan);
        self.next = (self.next + 1) % PLANS;
        coefficients
    }

    /// Forgets plans, not habits: the body was moved by other means.
    pub fn restart(&mut self) {
        self.plans = [None; PLANS];
    }

    /// Compares remembered plans with the truth.
    pub fn observe(&mut self, basis: &CurveBasis, truth: &Kinematics) {
        for slot in 0..PLANS {
            let Some(plan) = self.plans[slot] else { continue };
            let t_s = truth.at.secs_since(plan.anchor.at);
            if t_s < HORIZONS_S[plan.passed] {
                continue;
            }
            self.learn(basis, &plan, t_s, truth);
            let passed = plan.passed + 1;
            self.plans[slot] = (passed < HORIZONS_S.len()).then_some(PastPlan { passed, ..plan });
        }
    }

    fn learn(&mut self, basis: &CurveBasis, plan: &PastPlan, t_s: f64, truth: &Kinematics) {
        let way = plan.frame.components(truth.position - plan.anchor.position);
        let mut weights = [0.0; 4];
        for (weight, tau_s) in weights.iter_mut().zip(basis.tau_s()) {
            *weight = tau_s * (1.0 - exp(-t_s / tau_s));
        }
        let told = [1.0, plan.speed];
        let power: f64 =
            weights.iter().map(|w| w * w).sum::<f64>() * (1.0 + plan.speed * plan.speed);
        for ((habit, row), way) in self.habit.iter_mut().zip(&plan.coefficients).zip(way) {
            let guess: f64 = row.iter().zip(&weights).map(|(c, w)| c * w).sum();
            let step = RATE * (way - guess) / (power + 1e-3);
            for (habit, weight) in habit.iter_mut().zip(weights) {
                habit[0] += step * weight * told[0];
                habit[1] += step * weight * told[1];
            }
        }
    }
}
