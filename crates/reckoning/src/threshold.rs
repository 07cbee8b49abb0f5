//! Thresholds: the error a guess may have before an update is due.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use crate::error::ThresholdError;
use crate::math::cos;

/// A guess counts as too far off from this share of the threshold on.
///
/// Steady motion meets a threshold exactly at a whole tick more often than one would think:
/// 200 m/s on a circle of 5 km is 0.99999 m off the tangent after half a second. Whether
/// that tick exports must not hang on the fifth digit of the truth, and it is better to
/// send a ten-thousandth early than a tick late; published counts of such orbits are met
/// exactly this way.
const REACHED: f64 = 1.0 - 1e-4;

/// How far the guess may stray from the truth.
///
/// Euclidean by default: [`Threshold::metres`] bounds the distance itself. A bound per axis,
/// as DIS peers use, lets the distance grow to 1.73 times the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    max_error_m: f64,
    per_axis: bool,
}

impl Threshold {
    /// A quarter of a metre: what a person or a car in a game can be off unnoticed.
    pub const QUARTER_METRE: Self = Self { max_error_m: 0.25, per_axis: false };
    /// One metre along each axis: the custom of DIS.
    pub const METRE_PER_AXIS: Self = Self { max_error_m: 1.0, per_axis: true };

    /// Sends an update once the guess is off by more than this. Positive and finite.
    ///
    /// # Errors
    /// Refuses zero, negative and non-finite distances.
    pub fn metres(max_error_m: f64) -> Result<Self, ThresholdError> {
        if max_error_m > 0.0 && max_error_m.is_finite() {
            Ok(Self { max_error_m, per_axis: false })
        } else {
            Err(ThresholdError::NotPositive { got_m: max_error_m })
        }
    }

    /// Sends an update once the guess is off by more than this along any axis, as in DIS.
    ///
    /// # Errors
    /// As [`Threshold::metres`].
    pub fn metres_per_axis(max_error_m: f64) -> Result<Self, ThresholdError> {
        Ok(Self { per_axis: true, ..Self::metres(max_error_m)? })
    }

    /// The bound, in metres, on the distance or on each axis.
    #[must_use]
    pub const fn max_error_m(&self) -> f64 {
        self.max_error_m
    }

    /// Whether the bound is on each axis rather than on the distance.
    #[must_use]
    pub const fn is_per_axis(&self) -> bool {
        self.per_axis
    }

    /// This threshold, or one just above `floor_m` when that is larger.
    pub(crate) fn at_least(self, floor_m: f64) -> Self {
        // A hundredth more, so that rounding alone does not reach it.
        Self { max_error_m: self.max_error_m.max(floor_m * 1.01), ..self }
    }

    /// Whether a guess that is off by `error` has to be corrected.
    #[must_use]
    pub fn is_crossed_by(&self, error: DVec3) -> bool {
        let limit_m = self.max_error_m * REACHED;
        if self.per_axis {
            error.abs().max_element() > limit_m
        } else {
            let squared = limit_m * limit_m;
            if squared.is_normal() {
                error.length_squared() > squared
            } else {
                // As a share of the limit, whose square neither overflows nor vanishes.
                (error / limit_m).length_squared() > 1.0
            }
        }
    }
}

/// How far the guessed orientation may be turned from the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleThreshold {
    max_error_rad: f64,
    /// Two orientations are closer than the angle when the absolute dot product of their
    /// quaternions is above this.
    min_dot: f64,
}

impl AngleThreshold {
    /// Sends an update once the guess is turned by more than this. Above zero, at most pi.
    ///
    /// # Errors
    /// Refuses angles outside that range.
    pub fn radians(max_error_rad: f64) -> Result<Self, ThresholdError> {
        if max_error_rad > 0.0 && max_error_rad <= PI {
            Ok(Self { max_error_rad, min_dot: cos(max_error_rad * 0.5) })
        } else {
            Err(ThresholdError::AngleOutOfRange { got_rad: max_error_rad })
        }
    }

    /// Sends an update once the guess is turned by more than this. Above zero, at most 180.
    ///
    /// # Errors
    /// As [`AngleThreshold::radians`].
    pub fn degrees(max_error_deg: f64) -> Result<Self, ThresholdError> {
        Self::radians(max_error_deg * (PI / 180.0))
    }

    /// The bound in radians.
    #[must_use]
    pub const fn max_error_rad(&self) -> f64 {
        self.max_error_rad
    }

    /// Whether two orientations are further apart than the bound. `q` and `-q` are one
    /// orientation.
    #[must_use]
    pub fn is_crossed_between(&self, a: DQuat, b: DQuat) -> bool {
        // The truth's quaternion is a unit within a hundredth only, which is eight degrees.
        let (dot, least) = (a.dot(b), self.min_dot);
        dot * dot < least * least * (a.length_squared() * b.length_squared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    #[test]
    fn a_distance_is_a_distance_unless_axes_are_asked_for() {
        let diagonal = DVec3::splat(0.9);
        assert!(Threshold::metres(1.0).unwrap().is_crossed_by(diagonal));
        assert!(!Threshold::metres_per_axis(1.0).unwrap().is_crossed_by(diagonal));
        assert!(Threshold::metres_per_axis(1.0).unwrap().is_crossed_by(DVec3::X * -1.1));
    }

    #[test]
    fn the_sign_of_a_quaternion_does_not_matter() {
        let three = AngleThreshold::degrees(3.0).unwrap();
        let turned = |deg: f64| rotation(DVec3::Y * deg.to_radians());
        for sign in [1.0, -1.0] {
            assert!(!three.is_crossed_between(turned(10.0), turned(12.9) * sign));
            assert!(three.is_crossed_between(turned(10.0), turned(13.1) * sign));
        }
    }

    #[test]
    fn wrong_thresholds_do_not_construct() {
        for got in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = alloc::format!("{}", Threshold::metres(got).unwrap_err());
            let expected = alloc::format!("threshold {got} m is not a positive, finite distance");
            assert_eq!(message, expected);
            assert!(AngleThreshold::radians(got).is_err());
        }
        assert!(AngleThreshold::degrees(181.0).is_err());
    }
}
