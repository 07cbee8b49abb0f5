//! The export error between any two motions.
//!
//! Arcs, curves and blends have no closed form worth having (a circle against a line is
//! already an elliptic integral), so the distance is integrated numerically, at the true
//! positions. THESIS, Appendix B, puts a chord in place of each arc instead, so that a
//! body which turns once per span seems to stand still.
//!
//! Clenshaw-Curtis with 9 and 17 points on panels, the most doubtful panel halved first,
//! until the doubts together are small enough (the order of QUADPACK's QAG). These points
//! include the ends: Gauss-Kronrod points do not, and a kink in the first or last half
//! percent of a span would leave both of its rules in false agreement.
//!
//! A distance that stays the same (an arc seen from its centre, two bodies on one circle at
//! one rate) or changes evenly is exact at the first try; a kink, where two courses cross,
//! costs some twenty panels.

use alloc::vec::Vec;
use core::f64::consts::FRAC_1_SQRT_2;

use glam::DVec3;

use crate::SimTime;

/// Nodes on 0..1 and their weights in the 17-point and the 9-point rule, to the last bit.
/// The first node is the middle, the others count twice, left and right.
const CLENSHAW_CURTIS: [(f64, f64, f64); 9] = [
    (0.0, 0.196_410_125_821_890_52, 0.393_650_793_650_793_64),
    (1.0, 0.003_921_568_627_450_98, 0.015_873_015_873_015_872),
    (0.980_785_280_403_230_4, 0.037_368_702_837_205_61, 0.0),
    (0.923_879_532_511_286_7, 0.075_482_331_543_151_83, 0.146_218_649_216_018_15),
    (0.831_469_612_302_545_2, 0.108_905_552_581_890_93, 0.0),
    (FRAC_1_SQRT_2, 0.138_956_468_368_233_08, 0.279_365_079_365_079_37),
    (0.555_570_233_019_602_2, 0.163_172_664_281_703_3, 0.0),
    (0.382_683_432_365_089_8, 0.181_473_784_236_493_35, 0.361_717_858_720_489_8),
    (0.195_090_322_016_128_28, 0.192_513_864_612_925_63, 0.0),
];

/// The work stops here whatever the doubt: 256 panels hold a dozen kinks to 1e-12.
const MAX_PANELS: usize = 256;

/// Doubts below this share of the result are rounding and do not shrink any more.
const ROUNDING: f64 = 4e-15;

/// The export error, in metre-seconds, while the body is at `truth(t)` and the listener
/// shows it at `shown(t)`, where `t` is seconds since `from` and runs until `to`.
///
/// Right to `tolerance_m_s` metre-seconds, and to the last digits where that asks for more
/// than the numbers hold. The work is bounded: with hundreds of jumps or kinks in the span
/// the result may be off by more, so cut the span where motions are known to change. Both
/// functions must be pure. Reversed bounds give the negative, as in
/// [`linear_error`](crate::accounting::linear_error).
#[must_use]
pub fn error_between(
    from: SimTime,
    to: SimTime,
    truth: impl Fn(f64) -> DVec3,
    shown: impl Fn(f64) -> DVec3,
    tolerance_m_s: f64,
) -> f64 {
    let distance_m = |t: f64| (truth(t) - shown(t)).length();
    let mut panels = Vec::with_capacity(8);
    panels.push(Panel::new(0.0, to.secs_since(from), &distance_m));
    while panels.len() < MAX_PANELS && doubt_of(&panels) > allowed(&panels, tolerance_m_s) {
        let (left, right) = panels.swap_remove(worst_of(&panels)).halves(&distance_m);
        panels.push(left);
        panels.push(right);
    }
    value_of(&panels)
}

/// A stretch of time, its integral, and by how much that may be wrong.
struct Panel {
    from_s: f64,
    to_s: f64,
    value: f64,
    doubt: f64,
}

impl Panel {
    fn new(from_s: f64, to_s: f64, f: &impl Fn(f64) -> f64) -> Self {
        let (middle, half) = (0.5 * (from_s + to_s), 0.5 * (to_s - from_s));
        let (mut fine, mut coarse) = (0.0, 0.0);
        for (node, weight, coarse_weight) in CLENSHAW_CURTIS {
            let sum = if node == 0.0 {
                f(middle)
            } else {
                f(middle - half * node) + f(middle + half * node)
            };
            fine += weight * sum;
            coarse += coarse_weight * sum;
        }
        // The doubt is that of the coarser rule, so nearly always far more than the truth.
        Self { from_s, to_s, value: fine * half, doubt: ((fine - coarse) * half).abs() }
    }

    /// Two panels in place of one. A kink can lie where both rules are wrong by the same, and seems
    /// not to be there; so what the halves change counts as a doubt as well. In a smooth motion that
    /// is far less than the doubt anyway.
    fn halves(&self, f: &impl Fn(f64) -> f64) -> (Self, Self) {
        let middle = 0.5 * (self.from_s + self.to_s);
        let (mut left, mut right) =
            (Self::new(self.from_s, middle, f), Self::new(middle, self.to_s, f));
        let changed = 0.5 * (left.value + right.value - self.value).abs();
        for half in [&mut left, &mut right] {
            half.doubt = half.doubt.max(changed);
        }
        (left, right)
    }
}

fn value_of(panels: &[Panel]) -> f64 {
    panels.iter().map(|panel| panel.value).sum()
}

fn doubt_of(panels: &[Panel]) -> f64 {
    panels.iter().map(|panel| panel.doubt).sum()
}

fn allowed(panels: &[Panel], tolerance_m_s: f64) -> f64 {
    tolerance_m_s.max(ROUNDING * value_of(panels).abs())
}

/// The index of the panel with the largest doubt. There is always one.
fn worst_of(panels: &[Panel]) -> usize {
    let mut worst = 0;
    for (i, panel) in panels.iter().enumerate() {
        if panel.doubt > panels[worst].doubt {
            worst = i;
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::f64::consts::PI;

    use super::*;

    const START: SimTime = SimTime::from_millis(70_000);

    fn circle(radius_m: f64, rate_rad: f64) -> impl Fn(f64) -> DVec3 {
        move |t| DVec3::new(libm::cos(rate_rad * t), libm::sin(rate_rad * t), 0.0) * radius_m
    }

    #[test]
    fn an_arc_seen_from_its_centre_costs_one_panel() {
        let calls = Cell::new(0);
        let counted = |t| {
            calls.set(calls.get() + 1);
            circle(5.0, 2.0)(t)
        };
        let end = SimTime::from_millis(73_000);
        let got = error_between(START, end, counted, |_| DVec3::ZERO, 0.0);
        assert!((got - 15.0).abs() < 1e-14, "{got}");
        assert_eq!(calls.get(), 17);
    }

    #[test]
    fn two_bodies_on_one_circle_keep_their_chord() {
        let ahead = |t: f64| circle(5.0, 2.0)(t + 0.5 * PI / 2.0);
        let end = SimTime::from_millis(71_000);
        let got = error_between(START, end, circle(5.0, 2.0), ahead, 1e-12);
        assert!((got - 5.0 * libm::sqrt(2.0)).abs() < 1e-12, "{got}");
    }

    #[test]
    fn a_full_turn_is_not_mistaken_for_standing_still() {
        // From a point on the circle the mean distance is 4 r / pi; the chord would say 0.
        let end = START + core::time::Duration::from_secs(1);
        let got = error_between(START, end, circle(2.0, 2.0 * PI), circle(2.0, 0.0), 1e-10);
        assert!((got - 8.0 / PI).abs() < 1e-10, "{got}");
    }

    #[test]
    fn kinks_and_jumps_stay_within_tolerance_and_budget() {
        let calls = Cell::new(0);
        let jump = |t: f64| {
            calls.set(calls.get() + 1);
            DVec3::X * if t < 0.3 { 1.0 } else { (t - 0.7).abs() }
        };
        let end = START + core::time::Duration::from_secs(1);
        let got = error_between(START, end, jump, |_| DVec3::ZERO, 1e-9);
        assert!((got - (0.3 + 0.08 + 0.045)).abs() < 1e-9, "{got}");
        assert!(calls.get() < 17 * 2 * MAX_PANELS, "{}", calls.get());
    }

    #[test]
    fn noise_does_not_run_away() {
        let noise = |t: f64| DVec3::X * libm::sin(1e9 * t);
        let end = START + core::time::Duration::from_secs(1);
        assert!(error_between(START, end, noise, |_| DVec3::ZERO, 0.0).is_finite());
        assert!(error_between(end, START, circle(1.0, 1.0), |_| DVec3::ZERO, 0.0) < -0.999);
    }
}
