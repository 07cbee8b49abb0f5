//! The straight line that fits a foreseen path best within a window ahead.
//!
//! Least squares over a window of time are linear in the path, so each term of a [`Curve`] has a
//! line of its own, `a + b t`, and the line of the curve is the sum of them: `p' = p + sum a_k c_k`
//! and `v' = sum b_k c_k`. With `m` the middle of the window, `h` half its length and `x = h / tau`,
//!
//! ```text
//! b = 3 (cosh x - sinh x / x) / x^2 * exp(-m / tau)
//! a = tau (1 - sinh x / x * exp(-m / tau)) - m b
//! ```
//!
//! Other motions are asked at the four points of Gauss and Legendre, which is exact for those that
//! are polynomials of up to the sixth degree within the window.

use core::time::Duration;

use glam::DVec3;

use crate::error::SettingError;
use crate::math::{exp, expm1, sqrt};
use crate::time::span_of;
use crate::{CurveBasis, Kinematics, Model};

/// The furthest that a window may reach.
const MAX_AHEAD_S: f64 = 10.0;
/// Points of Gauss and Legendre between -1 and 1, and what they weigh.
const POINTS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_3, 0.652_145_154_862_546_2),
    (0.339_981_043_584_856_3, 0.652_145_154_862_546_2),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// A straight line as listeners are to follow it from the stamp of an update on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Where it begins, seen from where the body truly is.
    pub offset: DVec3,
    /// How fast it goes.
    pub velocity: DVec3,
}

/// The window ahead within which a line is to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimWindow {
    middle_s: f64,
    half_s: f64,
    /// For the curves of one basis: an offset and a rate for each coefficient.
    basis: CurveBasis,
    weights: [(f64, f64); 4],
}

impl AimWindow {
    /// The window from so long ahead to so long ahead.
    ///
    /// # Errors
    /// Refuses windows without a length and such that reach further than ten seconds.
    pub fn new(from: Duration, to: Duration) -> Result<Self, SettingError> {
        if from >= to {
            return Err(SettingError::RangeReversed { name: "aim window", min: from, max: to });
        }
        let (from_s, to_s) = (from.as_secs_f64(), to.as_secs_f64());
        if to_s > MAX_AHEAD_S {
            let most = span_of(MAX_AHEAD_S);
            return Err(SettingError::SpanTooLong { name: "aim window", got: to, most });
        }
        let (middle_s, half_s) = (0.5 * (from_s + to_s), 0.5 * (to_s - from_s));
        let basis = CurveBasis::FOUR;
        Ok(Self { middle_s, half_s, basis, weights: weights_of(&basis, middle_s, half_s) })
    }

    /// The middle of the window, in seconds ahead.
    #[must_use]
    pub const fn middle_s(&self) -> f64 {
        self.middle_s
    }

    /// What each coefficient of curves of a basis adds to the line: seconds of offset, and a rate.
    #[must_use]
    pub fn weights(&self, basis: &CurveBasis) -> [(f64, f64); 4] {
        if *basis == self.basis {
            self.weights
        } else {
            weights_of(basis, self.middle_s, self.half_s)
        }
    }

    /// The line that fits best what `model` makes of `seen`, in the least squares of the distance
    /// over the window.
    #[must_use]
    pub fn line(&self, seen: &Kinematics, model: &Model) -> Line {
        match model {
            Model::Hold => Line { offset: DVec3::ZERO, velocity: DVec3::ZERO },
            Model::Linear => Line { offset: DVec3::ZERO, velocity: seen.velocity },
            Model::Curve(curve) => {
                let mut line = Line { offset: DVec3::ZERO, velocity: DVec3::ZERO };
                let weights = self.weights(curve.basis());
                for (&coefficient, (offset_s, rate)) in curve.coefficients().iter().zip(weights) {
                    line.offset += coefficient * offset_s;
                    line.velocity += coefficient * rate;
                }
                line
            }
            _ => self.line_through(|ahead_s| model.position_after(seen, ahead_s) - seen.position),
        }
    }

    fn line_through(&self, way: impl Fn(f64) -> DVec3) -> Line {
        let (mut mean, mut slope) = (DVec3::ZERO, DVec3::ZERO);
        for (point, weight) in POINTS {
            let reached = way(self.middle_s + self.half_s * point);
            mean += reached * (0.5 * weight);
            slope += reached * (1.5 * weight * point);
        }
        let velocity = slope / self.half_s;
        Line { offset: mean - velocity * self.middle_s, velocity }
    }

    /// The same line, or where that begins further than `max_m` from the truth one that begins
    /// there and meets it in the middle of the window.
    #[must_use]
    pub fn bounded(&self, line: &Line, max_m: f64) -> Line {
        let far_m = sqrt(line.offset.length_squared());
        if far_m <= max_m {
            return *line;
        }
        let kept = max_m / far_m;
        let offset = if kept > 0.0 { line.offset * kept } else { DVec3::ZERO };
        let turned = (line.offset - offset) / self.middle_s;
        Line { offset, velocity: line.velocity + turned }
    }
}

fn weights_of(basis: &CurveBasis, middle_s: f64, half_s: f64) -> [(f64, f64); 4] {
    let mut weights = [(0.0, 0.0); 4];
    for (weight, &tau_s) in weights.iter_mut().zip(basis.tau_s()) {
        *weight = weight_of(tau_s, middle_s, half_s);
    }
    weights
}

fn weight_of(tau_s: f64, middle_s: f64, half_s: f64) -> (f64, f64) {
    let x = half_s / tau_s;
    let (rate, mean_s) = if x < 0.5 {
        let (x2, left) = (x * x, exp(-middle_s / tau_s));
        // Sums of powers, since the differences of the formula have few digits left here.
        let bent = 1.0 + x2 * (0.1 + x2 * (1.0 / 280.0 + x2 * (1.0 / 15_120.0 + x2 / 1_330_560.0)));
        let spread = x2 * (1.0 / 6.0 + x2 * (1.0 / 120.0 + x2 * (1.0 / 5_040.0 + x2 / 362_880.0)));
        // What the middle has lost, as a loss: it is small where time constants are long.
        (left * bent, tau_s * -(expm1(-middle_s / tau_s) + left * spread))
    } else {
        // By both ends, since the hyperbolic functions overflow.
        let (near, far) = (exp((half_s - middle_s) / tau_s), exp(-(half_s + middle_s) / tau_s));
        let (sum, difference) = (0.5 * (near + far), 0.5 * (near - far) / x);
        (3.0 * (sum - difference) / (x * x), tau_s * (1.0 - difference))
    };
    (mean_s - middle_s * rate, rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Curve, SimTime};

    fn window() -> AimWindow {
        AimWindow::new(Duration::from_millis(200), Duration::from_millis(500)).unwrap()
    }

    /// The line of least squares through very many points of a motion.
    fn fitted(way: impl Fn(f64) -> f64, from_s: f64, to_s: f64) -> (f64, f64) {
        let count = 20_000;
        let at = |n: i32| from_s + (to_s - from_s) * ((f64::from(n) + 0.5) / f64::from(count));
        let mean =
            |of: &dyn Fn(f64) -> f64| (0..count).map(|n| of(at(n))).sum::<f64>() / f64::from(count);
        let (t, x) = (mean(&|t| t), mean(&way));
        let slope = mean(&|s| (s - t) * (way(s) - x)) / mean(&|s| (s - t) * (s - t));
        (x - slope * t, slope)
    }

    #[test]
    fn weights_are_the_least_squares_of_every_time_constant() {
        for (from_s, to_s) in [(0.2, 0.5), (0.0, 0.3), (0.1, 2.0), (0.35, 0.36)] {
            let (middle_s, half_s) = (0.5 * (from_s + to_s), 0.5 * (to_s - from_s));
            for tau_s in [1e-3, 0.05, 0.1, 0.15, 0.29, 0.3, 0.31, 0.6, 1.0, 4.0, 100.0, 1e5] {
                let way = |t: f64| -tau_s * libm::expm1(-t / tau_s);
                let (offset, slope) = fitted(way, from_s, to_s);
                let (offset_s, rate) = weight_of(tau_s, middle_s, half_s);
                let case = (from_s, to_s, tau_s);
                assert!((offset - offset_s).abs() < 1e-6, "{case:?}: {offset_s} not {offset}");
                assert!((slope - rate).abs() < 1e-6, "{case:?}: {rate} not {slope}");
            }
        }
    }

    #[test]
    fn the_two_ways_to_a_weight_meet() {
        let (middle_s, half_s) = (0.35, 0.15);
        let near = half_s / 0.5;
        let (a, b) = (
            weight_of(near * 0.999_999, middle_s, half_s),
            weight_of(near * 1.000_001, middle_s, half_s),
        );
        assert!((a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() < 1e-6, "{a:?} {b:?}");
    }

    #[test]
    fn the_weights_of_four_terms_are_those_that_were_tried() {
        let tried = [(0.0826, 0.0376), (0.0909, 0.3193), (0.0455, 0.7063), (0.0135, 0.9163)];
        for (got, tried) in window().weights(&CurveBasis::FOUR).into_iter().zip(tried) {
            assert!((got.0 - tried.0).abs() < 6e-5 && (got.1 - tried.1).abs() < 6e-5, "{got:?}");
        }
    }

    #[test]
    fn any_other_motion_has_a_line_as_well() {
        let seen = Kinematics {
            acceleration: DVec3::new(0.0, 6.0, -1.0),
            ..Kinematics::moving(SimTime::ZERO, DVec3::new(5.0, -3.0, 1.0), DVec3::X * 8.0)
        };
        let fade = Duration::from_millis(600);
        for model in [
            Model::Linear,
            Model::Damped { fade },
            Model::Decaying { fade },
            Model::Accelerating { trust: Duration::from_secs(1) },
            Model::Curve(Curve::coasting(CurveBasis::THREE, &seen)),
        ] {
            let line = window().line(&seen, &model);
            for axis in 0..3 {
                let way = |t: f64| (model.position_after(&seen, t) - seen.position)[axis];
                let (offset, slope) = fitted(way, 0.2, 0.5);
                assert!((line.offset[axis] - offset).abs() < 1e-5, "{model:?}: {line:?}");
                assert!((line.velocity[axis] - slope).abs() < 1e-5, "{model:?}: {line:?}");
            }
        }
    }

    #[test]
    fn a_bounded_line_meets_the_free_one_in_the_middle() {
        let (window, free) = (window(), Line { offset: DVec3::X * 0.8, velocity: DVec3::Y * 3.0 });
        for max_m in [0.0, 0.3, 0.8, 2.0] {
            let line = window.bounded(&free, max_m);
            assert!(line.offset.length() <= max_m + 1e-12, "{line:?}");
            let at = |line: &Line| line.offset + line.velocity * window.middle_s();
            assert!(at(&line).distance(at(&free)) < 1e-12, "{line:?}");
        }
    }

    #[test]
    fn windows_without_a_length_are_refused() {
        let ms = Duration::from_millis;
        for (from, to) in [(500, 500), (500, 200), (0, 0), (0, 10_001)] {
            assert!(AimWindow::new(ms(from), ms(to)).is_err(), "{from} to {to}");
        }
    }
}
