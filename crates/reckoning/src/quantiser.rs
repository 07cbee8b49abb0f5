//! Rounding to what travels.
//!
//! A listener never has the owner's numbers, only what the wire kept of them. The publisher
//! therefore rounds first and then guesses from the rounded state, so that both sides run
//! the same motion to the last bit.

use glam::{DQuat, DVec3};

use crate::error::PublisherError;
use crate::math::{round, sqrt};
use crate::model::PathRide;
use crate::{Kinematics, Model};

/// Steps to which the parts of an update are rounded; zero leaves a part exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Quantiser {
    /// Step of each position component, and of progress along a path. Default: 0, exact. Finite,
    /// not negative.
    pub position_m: f64,
    /// Step of each velocity component, of curve coefficients and of the rate on a path. Default:
    /// 0, exact. Finite, not negative.
    pub velocity_mps: f64,
    /// Step of each acceleration component. Default: 0, exact. Finite, not negative.
    pub acceleration_mps2: f64,
    /// Step of each angular velocity component. Default: 0, exact. Finite, not negative.
    pub angular_velocity_radps: f64,
    /// Step of the three smaller components of the orientation quaternion. Default: 0, exact.
    /// Finite, not negative.
    pub orientation: f64,
}

impl Quantiser {
    /// Leaves everything as it is.
    pub const EXACT: Self = Self {
        position_m: 0.0,
        velocity_mps: 0.0,
        acceleration_mps2: 0.0,
        angular_velocity_radps: 0.0,
        orientation: 0.0,
    };

    /// Checks that every step is finite and not negative.
    ///
    /// # Errors
    /// Names the first step that is not.
    pub fn validate(&self) -> Result<(), PublisherError> {
        let steps = [
            ("position_m", self.position_m),
            ("velocity_mps", self.velocity_mps),
            ("acceleration_mps2", self.acceleration_mps2),
            ("angular_velocity_radps", self.angular_velocity_radps),
            ("orientation", self.orientation),
        ];
        match steps.into_iter().find(|(_, got)| !(*got >= 0.0 && got.is_finite())) {
            Some((name, got)) => Err(PublisherError::StepOutOfRange { name, got }),
            None => Ok(()),
        }
    }

    /// What is left of `truth` after rounding. Rounding twice changes nothing more.
    #[must_use]
    pub fn kinematics(&self, truth: &Kinematics) -> Kinematics {
        Kinematics {
            at: truth.at,
            position: round_vector(truth.position, self.position_m),
            velocity: round_vector(truth.velocity, self.velocity_mps),
            acceleration: round_vector(truth.acceleration, self.acceleration_mps2),
            orientation: round_orientation(truth.orientation, self.orientation),
            angular_velocity: round_vector(truth.angular_velocity, self.angular_velocity_radps),
        }
    }

    /// What is left of a model's own parameters.
    #[must_use]
    pub fn model(&self, model: Model) -> Model {
        match model {
            Model::Curve(curve) => Model::Curve(curve.map(|c| round_vector(c, self.velocity_mps))),
            Model::Path(ride) => Model::Path(PathRide {
                progress_m: round_to(ride.progress_m, self.position_m),
                rate_mps: round_to(ride.rate_mps, self.velocity_mps),
                ..ride
            }),
            other => other,
        }
    }

    /// The farthest that rounding can move a position.
    #[must_use]
    pub fn worst_position_m(&self) -> f64 {
        // Half a step along each of three axes.
        0.5 * sqrt(3.0) * self.position_m
    }

    /// The farthest that rounding can turn an orientation.
    #[must_use]
    pub fn worst_orientation_rad(&self) -> f64 {
        // Three components off by half a step each; the fourth, at least 1/2, follows with
        // at most twice their length. An angle is twice a quaternion's distance.
        2.0 * 0.5 * sqrt(3.0) * 2.0 * self.orientation
    }
}

/// The multiple of `step` nearest to `x`.
fn round_to(x: f64, step: f64) -> f64 {
    let rounded = round(x / step) * step;
    // Exact (0 / 0), or a step so fine that the quotient overflows.
    if rounded.is_finite() { rounded } else { x }
}

fn round_vector(v: DVec3, step: f64) -> DVec3 {
    if step == 0.0 {
        return v;
    }
    DVec3::new(round_to(v.x, step), round_to(v.y, step), round_to(v.z, step))
}

/// Rounds the three smaller components and restores the largest, made positive, from them.
fn round_orientation(orientation: DQuat, step: f64) -> DQuat {
    let unit = orientation.normalize();
    if step == 0.0 {
        return unit;
    }
    let parts = unit.to_array();
    let largest =
        (0..4).fold(0, |best, i| if parts[i].abs() > parts[best].abs() { i } else { best });
    let sign = if parts[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut rounded = parts.map(|x| round_to(x * sign, step));
    rounded[largest] = 0.0;
    rounded[largest] = restored(&mut rounded, step);
    DQuat::from_array(rounded).normalize()
}

/// The fourth component that goes with the three others. Those are shortened by a step
/// where the fourth would not stay the largest: rounding again would restore another.
fn restored(rounded: &mut [f64; 4], step: f64) -> f64 {
    // Far below any step that matters; equal components differ by less.
    const EQUAL: f64 = 1e-12;
    loop {
        let squares: f64 = rounded.iter().map(|x| x * x).sum();
        let rest = sqrt((1.0 - squares).max(0.0));
        match rounded.iter_mut().max_by(|x, y| x.abs().total_cmp(&y.abs())) {
            Some(next) if next.abs() > rest + EQUAL => {
                *next = round_to(next.abs() - step, step).copysign(*next);
            }
            _ => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{angle_between, rotation};

    const COARSE: Quantiser = Quantiser {
        position_m: 0.02,
        velocity_mps: 0.01,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.001,
        orientation: 1.0 / 512.0,
    };

    fn truth() -> Kinematics {
        Kinematics {
            position: DVec3::new(123.456_789, -0.011, 9e5 + 1.0 / 3.0),
            velocity: DVec3::splat(0.123_456),
            orientation: rotation(DVec3::new(1.0, -2.0, 0.3)),
            ..Kinematics::default()
        }
    }

    #[test]
    fn rounding_moves_no_further_than_it_says() {
        let rounded = COARSE.kinematics(&truth());
        let moved_m = (rounded.position - truth().position).length();
        let turned = angle_between(rounded.orientation, truth().orientation);
        assert!(moved_m > 0.0 && moved_m <= COARSE.worst_position_m(), "{moved_m}");
        assert!(turned > 0.0 && turned <= COARSE.worst_orientation_rad(), "{turned}");
    }

    #[test]
    fn rounding_twice_changes_nothing_more() {
        let once = COARSE.kinematics(&truth());
        let twice = COARSE.kinematics(&once);
        assert_eq!(once.position, twice.position);
        assert!(angle_between(once.orientation, twice.orientation) < 1e-12);
    }

    #[test]
    fn wrong_steps_are_named() {
        let wrong = Quantiser { velocity_mps: -1.0, ..COARSE };
        let message = alloc::format!("{}", wrong.validate().unwrap_err());
        assert!(message.starts_with("quantisation step velocity_mps -1"), "{message}");
        assert!(Quantiser { orientation: f64::NAN, ..COARSE }.validate().is_err());
        assert_eq!(COARSE.validate(), Ok(()));
    }
}
