//! Following a ghost with a body of the game's own physics, so that others can collide with it.
//!
//! A ghost is a picture: it goes through walls and is pushed by nobody. A game that has its physics
//! engine move a body in the ghost's place asks a [`Follower`] before each step which velocities to
//! set; collisions push the body off, and the follower brings it back.
//!
//! ```
//! use core::time::Duration;
//! use reckoning::follow::FollowAction;
//! use reckoning::{Blend, DVec3, Follower, Ghost, Kinematics, Model, SimTime, Update, UpdateKind};
//!
//! let seen = Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::X * 10.0);
//! let ghost = Ghost::new(Update::new(seen, Model::Linear, UpdateKind::Full)?, Blend::default());
//! let follower = Follower::new(Default::default())?;
//! let mut body = Kinematics::at_rest(SimTime::ZERO, DVec3::Y); // beside it, and standing
//! for tick in 0..120 {
//!     let (now, next) = (SimTime::from_tick(tick, 60), SimTime::from_tick(tick + 1, 60));
//!     match follower.steer(&body, &ghost.kinematics_at(now), &ghost.kinematics_at(next)) {
//!         FollowAction::Velocity { velocity, .. } => body.velocity = velocity,
//!         FollowAction::Teleport(state) => body = state,
//!     }
//!     body.position += body.velocity * next.secs_since(now); // your physics engine
//! }
//! assert!(body.position.distance(DVec3::X * 20.0) < 0.01);
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! ```text
//! closing speed
//!    max_excess_speed  ........----------
//!                          .-'              braking at half of max_acceleration
//!                       .-'
//!                     /                     distance / catch_up
//!                   /
//!                  +--------------------->  distance to the ghost
//! ```
//!
//! Near the ghost the distance shrinks to a third within `catch_up`, exactly so at any frame rate.
//! Further away the body closes in only as fast as half of its acceleration can brake; the other
//! half is left to follow the ghost's own manoeuvres. So a body that began at the ghost's velocity,
//! or at rest, does not overshoot.
//!
//! Others rely on this:
//! - the velocity changes by no more than `max_acceleration` allows in the step;
//! - the body is not made faster than the ghost is and `max_excess_speed`; one that already is, from
//!   a collision, is slowed down as fast as its acceleration allows;
//! - while no cap holds, the body is at the same places at any frame rate. Where the caps hold, it
//!   differs by no more than `max_excess_speed` times two steps of the slower rate;
//! - what is not finite in the body is answered by a teleport.
//!
//! The physics engine must not change velocities of its own before it moves the body: take gravity
//! and damping off a body that follows. It is to move it by the new velocity for the whole step.

use core::time::Duration;

use glam::DVec3;

use crate::Kinematics;
use crate::error::SettingError;
use crate::math::{expm1, scaled_axis, sqrt};

/// Settings for a [`Follower`]. The default suits a car or a person, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct FollowerConfig {
    /// The time in which what is left of the distance to the ghost shrinks to a third. Default: 150
    /// ms. Above zero.
    pub catch_up: Duration,
    /// How much the velocity may change in a second, the ghost's own manoeuvres included. Default:
    /// 60 m/s^2. Positive.
    pub max_acceleration_mps2: f64,
    /// How much faster than the ghost the body may be, to catch up with it. Default: 10 m/s.
    /// Positive.
    pub max_excess_speed_mps: f64,
    /// How much the angular velocity may change in a second. Default: 60 rad/s^2. Positive.
    pub max_angular_acceleration_radps2: f64,
    /// How much faster than the ghost the body may turn. Default: 10 rad/s. Positive.
    pub max_excess_spin_radps: f64,
    /// Further than this from the ghost the body is put where the ghost is. Default: 10 m.
    /// Positive; infinity never does.
    pub teleport_m: f64,
}

impl Default for FollowerConfig {
    fn default() -> Self {
        Self {
            catch_up: Duration::from_millis(150),
            max_acceleration_mps2: 60.0,
            max_excess_speed_mps: 10.0,
            max_angular_acceleration_radps2: 60.0,
            max_excess_spin_radps: 10.0,
            teleport_m: 10.0,
        }
    }
}

impl FollowerConfig {
    fn validate(&self) -> Result<(), SettingError> {
        if self.catch_up.is_zero() {
            return Err(SettingError::SpanZero { name: "catch_up" });
        }
        let (least, most) = (f64::MIN_POSITIVE, f64::MAX);
        let caps = [
            ("max_acceleration_mps2", self.max_acceleration_mps2),
            ("max_excess_speed_mps", self.max_excess_speed_mps),
            ("max_angular_acceleration_radps2", self.max_angular_acceleration_radps2),
            ("max_excess_spin_radps", self.max_excess_spin_radps),
        ];
        for (name, got) in caps {
            SettingError::in_range(name, got, least, most)?;
        }
        SettingError::in_range("teleport_m", self.teleport_m, least, f64::INFINITY)?;
        Ok(())
    }
}

/// What to do with a body before the next step of its physics engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FollowAction {
    /// Set these velocities. Times the mass, their change is the impulse to give.
    Velocity {
        /// In world axes.
        velocity: DVec3,
        /// In world axes.
        angular_velocity: DVec3,
    },
    /// Too far: put the body here, with these velocities.
    Teleport(Kinematics),
}

/// Steers a body of a physics engine after a ghost. It remembers nothing: one does for all bodies
/// with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    config: FollowerConfig,
    linear: Caps,
    angular: Caps,
}

impl Follower {
    /// A follower with these settings.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(config: FollowerConfig) -> Result<Self, SettingError> {
        config.validate()?;
        let caps = |acceleration, excess| Caps {
            catch_up_s: config.catch_up.as_secs_f64(),
            acceleration,
            excess,
        };
        let linear = caps(config.max_acceleration_mps2, config.max_excess_speed_mps);
        let angular = caps(config.max_angular_acceleration_radps2, config.max_excess_spin_radps);
        Ok(Self { config, linear, angular })
    }

    /// What to do with a body for the step from `shown.at` to `shown_next.at`, given what its ghost
    /// shows at both moments: [`Ghost::kinematics_at`](crate::Ghost::kinematics_at). Of the `body`
    /// its time and acceleration do not matter. A step that is not longer than zero leaves the
    /// body's velocities alone. Pure.
    #[must_use]
    pub fn steer(
        &self,
        body: &Kinematics,
        shown: &Kinematics,
        shown_next: &Kinematics,
    ) -> FollowAction {
        let step_s = shown_next.at.secs_since(shown.at);
        if step_s <= 0.0 {
            let Kinematics { velocity, angular_velocity, .. } = *body;
            return FollowAction::Velocity { velocity, angular_velocity };
        }
        let travel = (shown_next.position - shown.position) / step_s;
        let spin = turn(shown, shown_next) / step_s;
        if self.is_too_far(body, shown, shown_next) {
            let state = Kinematics { velocity: travel, angular_velocity: spin, ..*shown };
            // The ghost itself leapt: be where it is at the end of the step.
            let leapt = !self.is_near(shown.position, shown_next.position);
            return FollowAction::Teleport(if leapt { *shown_next } else { state });
        }
        let away = shown.position - body.position;
        FollowAction::Velocity {
            velocity: self.linear.steered(body.velocity, away, travel, step_s),
            angular_velocity: self.angular.steered(
                body.angular_velocity,
                turn(body, shown),
                spin,
                step_s,
            ),
        }
    }

    /// The settings it runs with.
    #[must_use]
    pub const fn config(&self) -> &FollowerConfig {
        &self.config
    }

    fn is_too_far(&self, body: &Kinematics, shown: &Kinematics, shown_next: &Kinematics) -> bool {
        body.validate().is_err()
            || !self.is_near(body.position, shown.position)
            || !self.is_near(shown.position, shown_next.position)
    }

    fn is_near(&self, a: DVec3, b: DVec3) -> bool {
        a.distance(b) <= self.config.teleport_m
    }
}

/// The rotation from one body's orientation to another's, in world axes.
fn turn(from: &Kinematics, to: &Kinematics) -> DVec3 {
    scaled_axis(to.orientation * from.orientation.conjugate())
}

/// How a body may close in, in metres or in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Caps {
    catch_up_s: f64,
    acceleration: f64,
    excess: f64,
}

impl Caps {
    /// The velocity for a step of a body that is `away` from a ghost that travels at `travel`.
    fn steered(&self, velocity: DVec3, away: DVec3, travel: DVec3, step_s: f64) -> DVec3 {
        let wanted = travel + away.normalize_or_zero() * self.closing(away.length(), step_s);
        let steered = velocity + (wanted - velocity).clamp_length_max(self.acceleration * step_s);
        if steered.is_finite() { steered } else { travel }
    }

    /// How fast to close in from a distance.
    fn closing(&self, distance: f64, step_s: f64) -> f64 {
        let braking = 0.5 * self.acceleration;
        // What takes the share of an exponential decay away within the step, whatever its length.
        let decay = distance * -expm1(-step_s / self.catch_up_s) / step_s;
        // Where the decay would brake harder than that, the distance left at its end is this.
        let tail = 0.5 * braking * self.catch_up_s * self.catch_up_s;
        let braked = if distance > 2.0 * tail {
            sqrt(2.0 * braking * (distance - tail))
        } else {
            f64::INFINITY
        };
        decay.min(braked).min(self.excess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_speed_has_no_step_and_never_falls_with_the_distance() {
        let caps = Caps { catch_up_s: 0.15, acceleration: 60.0, excess: 20.0 };
        let mut before = 0.0;
        for step in 0..10_000 {
            let closing = caps.closing(f64::from(step) * 1e-3, 1e-6);
            assert!(closing >= before && closing - before < 0.01, "{closing} after {before}");
            before = closing;
        }
        assert_eq!(before, 20.0);
    }

    #[test]
    fn wrong_settings_are_named() {
        let refused = |change: fn(&mut FollowerConfig)| {
            let mut config = FollowerConfig::default();
            change(&mut config);
            Follower::new(config).unwrap_err()
        };
        let zero = refused(|config| config.catch_up = Duration::ZERO);
        assert_eq!(zero, SettingError::SpanZero { name: "catch_up" });
        for (name, error) in [
            ("max_acceleration_mps2", refused(|it| it.max_acceleration_mps2 = f64::NAN)),
            ("max_excess_speed_mps", refused(|it| it.max_excess_speed_mps = 0.0)),
            (
                "max_angular_acceleration_radps2",
                refused(|it| it.max_angular_acceleration_radps2 = -1.0),
            ),
            ("max_excess_spin_radps", refused(|it| it.max_excess_spin_radps = f64::INFINITY)),
            ("teleport_m", refused(|it| it.teleport_m = f64::NAN)),
        ] {
            assert!(matches!(error, SettingError::OutOfRange { name: got, .. } if got == name));
        }
    }
}
