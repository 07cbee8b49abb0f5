//! Kinematics: position, velocity, acceleration and turning of a body at one moment.
//!
//! A [`Kinematics`] is what a game hands to a [`Publisher`](crate::Publisher) on every tick, and
//! what an [`Update`](crate::Update) carries.
//!
//! ```
//! use reckoning::{DVec3, Kinematics, SimTime};
//!
//! let car = Kinematics {
//!     acceleration: DVec3::X * 2.0,
//!     ..Kinematics::moving(SimTime::ZERO, DVec3::new(10.0, 5.0, 0.0), DVec3::X * 15.0)
//! };
//! assert!(car.validate().is_ok());
//! assert!(Kinematics { velocity: DVec3::NAN, ..car }.validate().is_err());
//! ```

use core::fmt;

use glam::{DQuat, DVec3};

use crate::SimTime;

/// Where a body is, how it is turned and how both change, at one [`SimTime`].
///
/// Everything is in world axes and SI units; a world unit may stand for anything as long as
/// all sides agree. Up is `+z`. Games without a third dimension leave `z` at zero, games
/// that do not know a value leave it at its default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Kinematics {
    /// The moment all the rest is about. Default: [`SimTime::ZERO`].
    pub at: SimTime,
    /// Where the body is. Default: zero, the origin. Finite.
    pub position: DVec3,
    /// Change of `position` per second. Default: zero. Finite.
    pub velocity: DVec3,
    /// Change of `velocity` per second. Default: zero. Finite.
    pub acceleration: DVec3,
    /// Rotation from the body's axes to the world's; a unit quaternion. Default:
    /// [`DQuat::IDENTITY`]. Its squared length from 0.98 to 1.02.
    pub orientation: DQuat,
    /// Axis of rotation in world axes, times radians per second. Default: zero. Finite.
    pub angular_velocity: DVec3,
}

impl Default for Kinematics {
    fn default() -> Self {
        Self::at_rest(SimTime::ZERO, DVec3::ZERO)
    }
}

impl Kinematics {
    /// A body that stands still at `position`, unturned.
    #[must_use]
    pub const fn at_rest(at: SimTime, position: DVec3) -> Self {
        Self {
            at,
            position,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            angular_velocity: DVec3::ZERO,
        }
    }

    /// A body that passes `position` with `velocity`, unturned and not accelerating.
    #[must_use]
    pub const fn moving(at: SimTime, position: DVec3, velocity: DVec3) -> Self {
        Self { velocity, ..Self::at_rest(at, position) }
    }

    /// Checks that every number is finite and the orientation is a rotation.
    ///
    /// The engine asks this of everything that comes from outside, so that no infinity or
    /// NaN can spread through it.
    ///
    /// # Errors
    /// Names the first field that is not a usable number, and its value.
    #[inline]
    pub fn validate(&self) -> Result<(), KinematicsError> {
        // Asked for every body and frame, and all is well nearly always. Zero times what is
        // not finite is not zero.
        let finite = (self.position * 0.0 + self.velocity * 0.0)
            + (self.acceleration * 0.0 + self.angular_velocity * 0.0);
        if finite == DVec3::ZERO && self.is_turned_by_unit() {
            return Ok(());
        }
        self.fault()
    }

    /// Wide enough for orientations rounded to 16-bit floats, tight enough to catch zeros and
    /// Euler angles put into the wrong type. NaN fails both comparisons.
    #[inline]
    fn is_turned_by_unit(&self) -> bool {
        let squared = self.orientation.length_squared();
        squared > 0.98 && squared < 1.02
    }

    #[inline(never)]
    fn fault(&self) -> Result<(), KinematicsError> {
        let vectors = [
            (Field::Position, self.position),
            (Field::Velocity, self.velocity),
            (Field::Acceleration, self.acceleration),
            (Field::AngularVelocity, self.angular_velocity),
        ];
        for (field, got) in vectors {
            if !got.is_finite() {
                return Err(KinematicsError::NotFinite { field, got });
            }
        }
        if self.is_turned_by_unit() {
            Ok(())
        } else {
            Err(KinematicsError::OrientationNotUnit { length: self.orientation.length() })
        }
    }
}

/// A vector of [`Kinematics`], for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// [`Kinematics::position`].
    Position,
    /// [`Kinematics::velocity`].
    Velocity,
    /// [`Kinematics::acceleration`].
    Acceleration,
    /// [`Kinematics::angular_velocity`].
    AngularVelocity,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
            Self::AngularVelocity => "angular velocity",
        })
    }
}

/// Why a [`Kinematics`] cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KinematicsError {
    /// A component is NaN or infinite.
    NotFinite {
        /// Which vector.
        field: Field,
        /// Its value.
        got: DVec3,
    },
    /// The orientation is not a unit quaternion.
    OrientationNotUnit {
        /// The length it has; a rotation has 1.
        length: f64,
    },
}

impl fmt::Display for KinematicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { field, got } => {
                write!(f, "{field} {got} is not finite; check the physics step that made it")
            }
            Self::OrientationNotUnit { length } => {
                write!(f, "orientation has length {length}, not 1; normalise it first")
            }
        }
    }
}

impl core::error::Error for KinematicsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_numbers_are_named() {
        let mut body = Kinematics::default();
        assert_eq!(body.validate(), Ok(()));

        body.velocity.y = f64::NAN;
        let message = alloc::format!("{}", body.validate().unwrap_err());
        assert!(message.starts_with("velocity [0, NaN, 0] is not finite"), "{message}");

        body.velocity.y = 0.0;
        body.orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert_eq!(body.validate(), Err(KinematicsError::OrientationNotUnit { length: 0.0 }));
        body.orientation.w = f64::NAN;
        assert!(body.validate().is_err());
    }
}
