//! A displacement that its sender thought out: a sum of decaying exponentials per axis.
//!
//! ```text
//! d(t) = sum over k of  c_k * tau_k * (1 - exp(-t / tau_k))
//! ```
//!
//! Each term is a push that starts with velocity `c_k` and dies away within `tau_k`, so a
//! few of them span holding still, coasting to a halt, a short burst of acceleration and
//! nearly constant velocity. The owner, which knows most, chooses the coefficients; every
//! listener only evaluates them and needs none of that knowledge.

use glam::DVec3;

use crate::Kinematics;
use crate::error::ModelError;
use crate::math::{DECAY_STEPS, decay};

/// The time constants a game's curves share: three or four, rising.
///
/// They are part of the game, not of an update, so that an update carries coefficients only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveBasis {
    tau_s: [f64; 4],
    /// Steps of [`decay`] in a second of each, so that evaluating need not divide; zero
    /// beyond the terms.
    steps_per_s: [f64; 4],
    terms: u8,
}

impl CurveBasis {
    /// 0.15, 0.6 and 4 seconds: enough for people on foot.
    pub const THREE: Self = Self::of([0.15, 0.6, 4.0, 0.0], 3);
    /// 0.1, 0.3, 1 and 4 seconds: for cars and fighters as well.
    pub const FOUR: Self = Self::of([0.1, 0.3, 1.0, 4.0], 4);

    const fn of(tau_s: [f64; 4], terms: u8) -> Self {
        let mut steps_per_s = [0.0; 4];
        let mut term = 0;
        while term < terms as usize {
            steps_per_s[term] = DECAY_STEPS / tau_s[term];
            term += 1;
        }
        Self { tau_s, steps_per_s, terms }
    }

    /// Time constants of a game's own.
    ///
    /// # Errors
    /// Refuses any number of terms but three and four, and constants that are not positive,
    /// finite and strictly rising.
    pub fn new(tau_s: &[f64]) -> Result<Self, ModelError> {
        if !(3..=4).contains(&tau_s.len()) {
            return Err(ModelError::CurveTermCount { got: tau_s.len() });
        }
        let mut own_s = [0.0; 4];
        let mut last = 0.0;
        for (index, &got_s) in tau_s.iter().enumerate() {
            // The bounds keep every quotient t / tau meaningful in microseconds.
            if !(got_s > last && (1e-6..=1e9).contains(&got_s)) {
                return Err(ModelError::CurveTimeConstants { index, got_s });
            }
            own_s[index] = got_s;
            last = got_s;
        }
        Ok(Self::of(own_s, tau_s.len() as u8))
    }

    /// The time constants in seconds.
    #[must_use]
    pub fn tau_s(&self) -> &[f64] {
        &self.tau_s[..usize::from(self.terms)]
    }
}

/// One planned displacement: a [`CurveBasis`] and a coefficient vector per term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    basis: CurveBasis,
    coefficients: [DVec3; 4],
}

impl Curve {
    /// A curve from its coefficients, in metres per second, one per time constant.
    ///
    /// # Errors
    /// Refuses a number of coefficients that differs from the number of time constants, and
    /// coefficients that are not finite.
    pub fn new(basis: CurveBasis, coefficients: &[DVec3]) -> Result<Self, ModelError> {
        if coefficients.len() != basis.tau_s().len() {
            return Err(ModelError::CurveTermCount { got: coefficients.len() });
        }
        if let Some(bad) = coefficients.iter().find(|c| !c.is_finite()) {
            let got = bad.to_array().into_iter().find(|x| !x.is_finite()).unwrap_or(f64::NAN);
            return Err(ModelError::NotFinite { name: "curve coefficient", got });
        }
        let mut curve = Self::still(basis);
        curve.coefficients[..coefficients.len()].copy_from_slice(coefficients);
        Ok(curve)
    }

    /// The curve of a body that stays where it is.
    #[must_use]
    pub const fn still(basis: CurveBasis) -> Self {
        Self { basis, coefficients: [DVec3::ZERO; 4] }
    }

    /// A plain plan when nothing better is known: start with the velocity seen, carry the
    /// acceleration seen for the shortest time constant, and coast on the longest.
    ///
    /// The two conditions, `sum c = v` and `sum c / tau = -a`, leave no choice for the first
    /// and the last coefficient.
    #[must_use]
    pub fn coasting(basis: CurveBasis, seen: &Kinematics) -> Self {
        let last = usize::from(basis.terms) - 1;
        let (short, long) = (basis.tau_s[0], basis.tau_s[last]);
        let first = (seen.acceleration * long + seen.velocity) * (short / (short - long));
        let rest = seen.velocity - first;
        let mut curve = Self::still(basis);
        if first.is_finite() && rest.is_finite() {
            (curve.coefficients[0], curve.coefficients[last]) = (first, rest);
        }
        curve
    }

    /// The time constants it is made of.
    #[must_use]
    pub const fn basis(&self) -> &CurveBasis {
        &self.basis
    }

    /// The coefficients in metres per second, one per time constant.
    #[must_use]
    pub fn coefficients(&self) -> &[DVec3] {
        &self.coefficients[..usize::from(self.basis.terms)]
    }

    /// How far the body has come `t_s` seconds after it was seen.
    #[inline]
    #[must_use]
    pub fn displacement(&self, t_s: f64) -> DVec3 {
        let mut weights = self.left(t_s);
        for (weight, tau_s) in weights.iter_mut().zip(self.basis.tau_s) {
            *weight = tau_s * (1.0 - *weight);
        }
        self.sum(weights)
    }

    /// How fast it moves then.
    #[inline]
    pub(super) fn velocity(&self, t_s: f64) -> DVec3 {
        self.sum(self.left(t_s))
    }

    /// What is left of each term's push; coefficients beyond the terms are zero.
    #[inline]
    fn left(&self, t_s: f64) -> [f64; 4] {
        // Not `map`, which is not always inlined.
        let mut left = [0.0; 4];
        for (left, steps_per_s) in left.iter_mut().zip(self.basis.steps_per_s) {
            *left = decay(t_s * steps_per_s);
        }
        left
    }

    /// The same curve with every component of its coefficients passed through `round`.
    pub(crate) fn map(mut self, round: impl Fn(DVec3) -> DVec3) -> Self {
        for coefficient in &mut self.coefficients {
            *coefficient = round(*coefficient);
        }
        self
    }

    #[inline]
    fn sum(&self, weights: [f64; 4]) -> DVec3 {
        let [a, b, c, d] = self.coefficients;
        (a * weights[0] + b * weights[1]) + (c * weights[2] + d * weights[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimTime;

    #[test]
    fn wrong_time_constants_do_not_construct() {
        let wrong = [
            (&[0.1, 0.3][..], "a curve has 3 or 4 terms, not 2"),
            (&[0.1, 0.3, 1.0, 4.0, 9.0], "a curve has 3 or 4 terms, not 5"),
            (&[0.1, 0.1, 1.0], "time constant 1 of the curve is 0.1 s"),
            (&[0.0, 0.1, 1.0], "time constant 0 of the curve is 0 s"),
            (&[0.1, f64::NAN, 1.0], "time constant 1 of the curve is NaN s"),
            (&[0.1, 0.2, f64::INFINITY], "time constant 2 of the curve is inf s"),
        ];
        for (tau_s, message) in wrong {
            let error = alloc::format!("{}", CurveBasis::new(tau_s).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
        assert_eq!(CurveBasis::new(&[0.1, 0.3, 1.0, 4.0]), Ok(CurveBasis::FOUR));
    }

    #[test]
    fn coasting_starts_with_what_was_seen() {
        let seen = Kinematics {
            velocity: DVec3::new(3.0, -1.0, 0.5),
            acceleration: DVec3::new(-2.0, 4.0, 0.0),
            ..Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO)
        };
        let curve = Curve::coasting(CurveBasis::FOUR, &seen);
        let h = 1e-6;
        let slope = (curve.velocity(h) - curve.velocity(0.0)) / h;
        assert!((curve.velocity(0.0) - seen.velocity).length() < 1e-12);
        assert!((slope - seen.acceleration).length() < 1e-3, "{slope}");
    }
}
