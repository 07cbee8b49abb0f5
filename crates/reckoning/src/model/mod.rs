//! Motion models: where a body is between updates.
//!
//! A [`Model`] turns the last state seen into a position, a velocity and an orientation at
//! any later time, in closed form: never step by step, so the answer does not depend on the
//! frame rate. Publisher, ghost, server and lab all call the same functions.
//!
//! [`Model::Linear`] is a good start. Take [`Model::Accelerating`] or [`Model::Decaying`] for
//! vehicles, [`Model::Damped`] for people, [`Model::Arc`] for what turns at a steady rate,
//! [`Model::Ballistic`] for what falls, [`Model::Path`] for rails and [`Model::Curve`] where a
//! [`Planner`](crate::Planner) predicts more than that.
//!
//! ```
//! use core::time::Duration;
//! use reckoning::{DVec3, Kinematics, Model, SimTime};
//!
//! let seen = Kinematics {
//!     acceleration: DVec3::X * -4.0,
//!     ..Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 10.0)
//! };
//! let after_1_s = SimTime::from_millis(1_000);
//! assert_eq!(Model::Linear.position_at(&seen, after_1_s).x, 10.0);
//! let braking = Model::Accelerating { trust: Duration::from_millis(500) };
//! assert_eq!(braking.position_at(&seen, after_1_s).x, 8.5);
//! ```
//!
//! The rest of the engine relies on these properties:
//! - at the moment it was seen the body is exactly where it was seen;
//! - before that moment it is taken to have come straight along its velocity;
//! - finite states give finite answers: a projection that would overflow stays where the
//!   body was seen.
//!
//! Sources: MURPHY (accelerating, path), BZFlag (arc, ballistic), IEEE 1278.1 (DIS), and
//! fits to recorded play (damped, decaying, curve).

mod ballistic;
mod curve;
mod path;
pub(crate) mod spin;

use core::time::Duration;

use glam::{DQuat, DVec3};

use crate::dis::DisModel;
use crate::error::ModelError;
use crate::math::{exp, expm1, rotation};
use crate::{Kinematics, SimTime};

pub use ballistic::{Ballistic, Landing};
pub use curve::{Curve, CurveBasis};
pub use path::{Path, PathRide};
use spin::Spin;

/// How a body is assumed to move between updates.
///
/// Publisher and ghosts must use the same one, so it travels inside each
/// [`Update`](crate::Update).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Model {
    /// Stays where it was last seen.
    Hold,
    /// Keeps its velocity.
    Linear,
    /// Keeps its acceleration for `trust`, then coasts at the velocity it reached.
    Accelerating {
        /// How long an acceleration is believed.
        trust: Duration,
    },
    /// Loses its velocity, to a third within `fade`: right for players, who stop sooner
    /// than they go on for ever.
    Damped {
        /// The time constant.
        fade: Duration,
    },
    /// Loses its acceleration, to a third within `fade`, and keeps the velocity gained.
    Decaying {
        /// The time constant.
        fade: Duration,
    },
    /// Follows a displacement planned by its owner.
    Curve(Curve),
    /// Keeps its speed and its turning: a circle, or a screw when it also climbs.
    Arc,
    /// Falls freely until it meets the floor.
    Ballistic(Ballistic),
    /// Rides a known line.
    Path(PathRide),
    /// One of the models of IEEE 1278.1.
    Dis(DisModel),
    /// A model of the game's own.
    Custom(CustomModel),
}

/// A motion of the game's own: a pure function and the id that stands for it in an update.
///
/// Both ends register the same function under the same id.
#[derive(Clone, Copy, Debug)]
pub struct CustomModel {
    /// What travels in place of the function.
    pub id: u8,
    /// Where the body is so many seconds (never negative) after it was seen. Must be
    /// continuous, and must give the position seen for zero seconds.
    pub position_after: fn(&Kinematics, f64) -> DVec3,
}

impl PartialEq for CustomModel {
    /// Functions have no identity to compare; the id has.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Model {
    /// Where the body is believed to be at `at`.
    #[must_use]
    #[inline]
    pub fn position_at(&self, seen: &Kinematics, at: SimTime) -> DVec3 {
        self.position_after(seen, at.secs_since(seen.at))
    }

    /// How fast it is believed to move at `at`.
    #[must_use]
    pub fn velocity_at(&self, seen: &Kinematics, at: SimTime) -> DVec3 {
        self.velocity_after(seen, at.secs_since(seen.at))
    }

    /// How it is believed to be turned at `at`.
    #[must_use]
    pub fn orientation_at(&self, seen: &Kinematics, at: SimTime) -> DQuat {
        self.orientation_after(seen, at.secs_since(seen.at))
    }

    /// How fast it is believed to turn at any time, in world axes: the slope of
    /// [`orientation_at`](Self::orientation_at). A body that rides a path turns at its corners, all
    /// at once, and not between.
    #[must_use]
    pub const fn angular_velocity(&self, seen: &Kinematics) -> DVec3 {
        match self {
            Self::Hold | Self::Path(_) => DVec3::ZERO,
            Self::Dis(dis) if !dis.algorithm.rotates() => DVec3::ZERO,
            _ => seen.angular_velocity,
        }
    }

    /// The same kind of motion with the parameters that fit `truth`, for the models that
    /// carry any of their own: a curve gets plain coefficients, a ride its place and rate.
    #[must_use]
    pub fn fitted(self, truth: &Kinematics) -> Self {
        match self {
            Self::Curve(curve) => Self::Curve(Curve::coasting(*curve.basis(), truth)),
            Self::Path(ride) => Self::Path(PathRide::new(ride.path, truth)),
            other => other,
        }
    }

    /// Checks the numbers a caller can set directly.
    ///
    /// # Errors
    /// Names the parameter that is not finite.
    pub fn validate(&self) -> Result<(), ModelError> {
        if let Self::Path(ride) = self {
            for (name, got) in [("progress", ride.progress_m), ("rate", ride.rate_mps)] {
                if !got.is_finite() {
                    return Err(ModelError::NotFinite { name, got });
                }
            }
        }
        Ok(())
    }

    /// Whether listeners need the velocity seen.
    #[must_use]
    pub const fn uses_velocity(&self) -> bool {
        !matches!(self, Self::Hold | Self::Curve(_) | Self::Path(_))
    }

    /// Whether listeners need the acceleration seen.
    #[must_use]
    pub const fn uses_acceleration(&self) -> bool {
        match self {
            Self::Accelerating { .. } | Self::Decaying { .. } | Self::Custom(_) => true,
            Self::Dis(dis) => dis.algorithm.accelerates(),
            _ => false,
        }
    }

    /// Where the body is `t_s` seconds after it was seen.
    #[inline]
    pub(crate) fn position_after(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        // The two that are asked most need no call.
        let position = match self {
            Self::Linear => seen.position + seen.velocity * t_s,
            Self::Curve(curve) if t_s >= 0.0 => seen.position + curve.displacement(t_s),
            _ => self.position_of_any(seen, t_s),
        };
        // Zero times what is not finite is not zero: quicker than looking at each.
        let zero = position * 0.0;
        if zero.x + zero.y + zero.z == 0.0 { position } else { seen.position }
    }

    #[inline(never)]
    fn position_of_any(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        if t_s < 0.0 {
            seen.position + self.velocity_ahead(seen, 0.0) * t_s
        } else {
            self.position_ahead(seen, t_s)
        }
    }

    /// How fast it moves `t_s` seconds after it was seen.
    pub(crate) fn velocity_after(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        let velocity = self.velocity_ahead(seen, t_s.max(0.0));
        if velocity.is_finite() { velocity } else { DVec3::ZERO }
    }

    /// How it is turned `t_s` seconds after it was seen.
    pub(crate) fn orientation_after(&self, seen: &Kinematics, t_s: f64) -> DQuat {
        if seen.angular_velocity == DVec3::ZERO && !matches!(self, Self::Path(_)) {
            return seen.orientation;
        }
        let orientation = match self {
            Self::Hold => seen.orientation,
            Self::Path(ride) => ride.orientation(seen, t_s),
            Self::Dis(dis) => dis.orientation_after(seen, t_s),
            _ => rotation(seen.angular_velocity * t_s) * seen.orientation,
        };
        if orientation.is_finite() { orientation } else { seen.orientation }
    }

    #[inline]
    fn position_ahead(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        match self {
            Self::Hold => seen.position,
            Self::Linear => seen.position + seen.velocity * t_s,
            Self::Accelerating { trust } => {
                let push = t_s.min(trust.as_secs_f64());
                let reached = seen.velocity + seen.acceleration * push;
                seen.position
                    + (seen.velocity + seen.acceleration * (0.5 * push)) * push
                    + reached * (t_s - push)
            }
            Self::Damped { fade } => seen.position + seen.velocity * faded_s(t_s, *fade),
            Self::Decaying { fade } => {
                seen.position + seen.velocity * t_s + seen.acceleration * pushed_s2(t_s, *fade)
            }
            Self::Curve(curve) => seen.position + curve.displacement(t_s),
            Self::Arc => seen.position + Spin::new(seen.angular_velocity, t_s).swept(seen.velocity),
            Self::Ballistic(fall) => fall.position(seen, t_s),
            Self::Path(ride) => ride.position(seen, t_s),
            Self::Dis(dis) => dis.position_after(seen, t_s),
            Self::Custom(custom) => (custom.position_after)(seen, t_s),
        }
    }

    #[inline]
    fn velocity_ahead(&self, seen: &Kinematics, t_s: f64) -> DVec3 {
        match self {
            Self::Hold => DVec3::ZERO,
            Self::Linear => seen.velocity,
            Self::Accelerating { trust } => {
                seen.velocity + seen.acceleration * t_s.min(trust.as_secs_f64())
            }
            Self::Damped { fade } => seen.velocity * remains(t_s, *fade),
            Self::Decaying { fade } => seen.velocity + seen.acceleration * faded_s(t_s, *fade),
            Self::Curve(curve) => curve.velocity(t_s),
            Self::Arc => Spin::new(seen.angular_velocity, t_s).turned(seen.velocity),
            Self::Ballistic(fall) => fall.velocity(seen, t_s),
            Self::Path(ride) => ride.velocity(t_s),
            Self::Dis(dis) => dis.velocity_after(seen, t_s),
            Self::Custom(custom) => slope(|t_s| (custom.position_after)(seen, t_s), t_s),
        }
    }
}

/// What is left after `t_s` of something that fades with time constant `fade`.
fn remains(t_s: f64, fade: Duration) -> f64 {
    // A fade of nothing is over at once: 0 / 0 would be NaN.
    if fade.is_zero() { 0.0 } else { exp(-t_s / fade.as_secs_f64()) }
}

/// How many seconds' worth of a fading velocity have been travelled by `t_s`.
fn faded_s(t_s: f64, fade: Duration) -> f64 {
    let fade_s = fade.as_secs_f64();
    if fade.is_zero() { 0.0 } else { -fade_s * expm1(-t_s / fade_s) }
}

/// How far a fading acceleration of one has pushed the body by `t_s`.
fn pushed_s2(t_s: f64, fade: Duration) -> f64 {
    let x = t_s / fade.as_secs_f64();
    if x < 0.01 {
        // The closed form subtracts what is nearly equal, which after years of `fade` is all
        // there is; six terms of the series are exact here.
        let tail = 1.0 / 24.0 - x * (1.0 / 120.0 - x * (1.0 / 720.0 - x / 5_040.0));
        return t_s * t_s * (0.5 - x * (1.0 / 6.0 - x * tail));
    }
    (t_s - faded_s(t_s, fade)) * fade.as_secs_f64()
}

/// Derivative of a position at `t_s >= 0`, by the central difference, one-sided at zero.
fn slope(position: impl Fn(f64) -> DVec3, t_s: f64) -> DVec3 {
    // A millisecond: far above rounding, far below any motion a game shows.
    const H_S: f64 = 1e-3;
    let from = (t_s - H_S).max(0.0);
    (position(t_s + H_S) - position(from)) / (t_s + H_S - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dis::DisAlgorithm;

    fn seen() -> Kinematics {
        Kinematics {
            at: SimTime::from_millis(250),
            position: DVec3::new(1.0, 2.0, 3.0),
            velocity: DVec3::new(4.0, -1.0, 0.5),
            acceleration: DVec3::new(-1.0, 2.0, 0.25),
            orientation: rotation(DVec3::new(0.2, 0.1, -0.4)),
            angular_velocity: DVec3::new(0.1, -0.3, 0.8),
        }
    }

    fn swings(seen: &Kinematics, t_s: f64) -> DVec3 {
        seen.position + DVec3::Y * libm::sin(t_s)
    }

    fn all() -> [Model; 11] {
        let fade = Duration::from_millis(700);
        let track = [DVec3::ZERO, DVec3::new(30.0, 5.0, 0.0), DVec3::new(60.0, -10.0, 2.0)];
        let path = Path::spline(1, &track, false).unwrap().leak();
        [
            Model::Hold,
            Model::Linear,
            Model::Accelerating { trust: Duration::from_millis(900) },
            Model::Damped { fade },
            Model::Decaying { fade },
            Model::Curve(Curve::still(CurveBasis::FOUR)).fitted(&seen()),
            Model::Arc,
            Model::Ballistic(Ballistic::new(9.81, 0.0, Landing::Run).unwrap()),
            Model::Path(PathRide { path, progress_m: 3.0, rate_mps: 4.0 }),
            Model::Dis(DisModel::new(DisAlgorithm::Rvb)),
            Model::Custom(CustomModel { id: 1, position_after: swings }),
        ]
    }

    #[test]
    fn a_body_is_where_it_was_seen() {
        for model in all() {
            let seen = seen();
            assert!((model.position_at(&seen, seen.at) - seen.position).length() < 1e-12);
            assert_eq!(model.orientation_at(&seen, seen.at), seen.orientation, "{model:?}");
        }
    }

    #[test]
    fn velocity_is_the_slope_of_position() {
        for model in all() {
            for t_s in [-0.5, 0.3, 0.85, 1.7] {
                let h = 1e-5;
                let ahead = model.position_after(&seen(), t_s + h);
                let slope = (ahead - model.position_after(&seen(), t_s - h)) / (2.0 * h);
                let got = model.velocity_after(&seen(), t_s);
                assert!((slope - got).length() < 1e-4, "{model:?} at {t_s}: {slope} {got}");
            }
        }
    }

    #[test]
    fn a_fade_of_nothing_is_over_at_once() {
        let still = Model::Damped { fade: Duration::ZERO };
        assert_eq!(still.position_after(&seen(), 1.0), seen().position);
        assert_eq!(still.velocity_after(&seen(), 0.0), DVec3::ZERO);
    }

    #[test]
    fn an_overflowing_projection_stays_where_it_was_seen() {
        let fast = Kinematics { velocity: DVec3::splat(1e307), ..seen() };
        assert_eq!(Model::Linear.position_at(&fast, SimTime::MAX), fast.position);
    }
}
