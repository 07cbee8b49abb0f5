//! Joints: parts that move on a body, such as turrets, which are sent, and wheels, which are
//! derived.
//!
//! A turret that points at you has a state of its own. It is published and shown like a
//! body, with an angle in place of a position: [`JointPublisher`] sends a [`Joint`] when
//! the listeners' guess is off, [`JointGhost`] turns on at its rate and fades the error of
//! each update away. An angle is the same after a full turn, so errors are taken the short
//! way round.
//!
//! ```
//! use core::time::Duration;
//! use reckoning::joints::{JointGhost, JointPublisher, JointPublisherConfig};
//! use reckoning::{Joint, SimTime};
//!
//! let turret = |ms, rate_radps| {
//!     let at = SimTime::from_millis(ms);
//!     Joint { at, angle_rad: rate_radps * at.as_secs_f64(), rate_radps }
//! };
//! let config = JointPublisherConfig::default(); // three degrees
//! let (mut publisher, first) = JointPublisher::start(config, turret(0, 0.5))?;
//! let mut ghost = JointGhost::new(first, Duration::from_millis(200));
//! assert_eq!(publisher.observe(turret(100, 0.5)), None); // as predicted: nothing to send
//! if let Some(update) = publisher.observe(turret(200, 1.0)) {
//!     ghost.accept(update, SimTime::from_millis(250));
//! }
//! assert_eq!(ghost.angle_at(SimTime::from_millis(500)), 0.5);
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! Wheels are not sent at all: [`wheel_spin_rad`] and [`Steering`] derive them from the
//! reckoned motion of the body. Body axes are x forward, y left, z up.
//!
//! The split follows Murphy, *Believable Dead Reckoning for Networked Games*, 18.8.

use core::time::Duration;

use glam::{DQuat, DVec3};
use libm::atan2;

use crate::error::{PublisherError, ThresholdError};
use crate::orientation::{shortest_turn_rad, wrap_rad};
use crate::{ConfigError, SimTime};

/// How a turret, a gun or a crane stands and turns at one moment; also what is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Joint {
    /// The moment the rest is about.
    pub at: SimTime,
    /// The angle; full turns do not matter.
    pub angle_rad: f64,
    /// Change of the angle per second.
    pub rate_radps: f64,
}

impl Joint {
    /// The angle if the joint keeps its rate, in `-pi..=pi`. Publisher and ghost both use it.
    #[must_use]
    pub fn angle_at(&self, at: SimTime) -> f64 {
        wrap_rad(self.angle_rad + self.rate_radps * at.secs_since(self.at))
    }

    fn is_finite(&self) -> bool {
        self.angle_rad.is_finite() && self.rate_radps.is_finite()
    }
}

/// Settings for a [`JointPublisher`]. The default suits a tank's turret: three degrees and
/// five seconds, as in DIS.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointPublisherConfig {
    /// Sends an update once the listeners' guess is off by more than this. Default: 3 degrees, in
    /// radians. Positive and finite.
    pub threshold_rad: f64,
    /// Sends an update at least this often, so that a lost update heals. Default: 5 s. At least
    /// `min_interval`.
    pub heartbeat: Duration,
    /// Never sends more often than this. Default: 50 ms. At most the `heartbeat`.
    pub min_interval: Duration,
}

impl Default for JointPublisherConfig {
    fn default() -> Self {
        Self {
            threshold_rad: 3.0_f64.to_radians(),
            heartbeat: Duration::from_secs(5),
            min_interval: Duration::from_millis(50),
        }
    }
}

impl JointPublisherConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        if !(self.threshold_rad > 0.0 && self.threshold_rad.is_finite()) {
            return Err(ThresholdError::JointNotPositive { got_rad: self.threshold_rad }.into());
        }
        if self.heartbeat < self.min_interval {
            return Err(PublisherError::HeartbeatTooShort {
                heartbeat: self.heartbeat,
                min_interval: self.min_interval,
            }
            .into());
        }
        Ok(())
    }
}

/// The owner's side of a joint: decides when the listeners need an update.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPublisher {
    config: JointPublisherConfig,
    exported: Joint,
}

impl JointPublisher {
    /// A publisher and its first update, which is `truth` itself.
    ///
    /// # Errors
    /// A threshold that is not positive, or a heartbeat shorter than the least interval.
    pub fn start(config: JointPublisherConfig, truth: Joint) -> Result<(Self, Joint), ConfigError> {
        config.validate()?;
        Ok((Self { config, exported: truth }, truth))
    }

    /// Compares the truth with what listeners guess, and returns the update they need, if any.
    /// A truth that is not finite is passed over.
    pub fn observe(&mut self, truth: Joint) -> Option<Joint> {
        let silence = truth.at.saturating_since(self.exported.at);
        if silence < self.config.min_interval || !truth.is_finite() {
            return None;
        }
        let error = shortest_turn_rad(self.exported.angle_at(truth.at), truth.angle_rad);
        if error.abs() <= self.config.threshold_rad && silence < self.config.heartbeat {
            return None;
        }
        self.exported = truth;
        Some(truth)
    }
}

/// The listeners' side of a joint: turns on by itself and fades its errors away.
#[derive(Clone, Debug, PartialEq)]
pub struct JointGhost {
    update: Joint,
    arrived_at: SimTime,
    /// What was shown minus what the update predicts, when it arrived.
    error_rad: f64,
    blend: Duration,
}

impl JointGhost {
    /// A ghost that shows `first` and takes `blend` to fade away the error of each later
    /// update. The time between two updates suits; zero jumps.
    #[must_use]
    pub fn new(first: Joint, blend: Duration) -> Self {
        Self { update: first, arrived_at: first.at, error_rad: 0.0, blend }
    }

    /// Takes an update that arrives at `now`. One that is not newer than the last, or not
    /// finite, is passed over.
    pub fn accept(&mut self, update: Joint, now: SimTime) {
        if update.at <= self.update.at || !update.is_finite() {
            return;
        }
        self.error_rad = shortest_turn_rad(update.angle_at(now), self.angle_at(now));
        self.arrived_at = now;
        self.update = update;
    }

    /// The angle to draw, in `-pi..=pi`. Pure: any frame rate, any order, same answer.
    #[must_use]
    pub fn angle_at(&self, now: SimTime) -> f64 {
        wrap_rad(self.update.angle_at(now) + self.error_rad * self.error_left(now))
    }

    fn error_left(&self, now: SimTime) -> f64 {
        if self.blend.is_zero() {
            return 0.0;
        }
        let faded = now.saturating_since(self.arrived_at).as_secs_f64() / self.blend.as_secs_f64();
        1.0 - faded.min(1.0)
    }
}

/// How far a wheel has turned after its hub went from one place to another, in `-pi..=pi`;
/// `spin_rad` is how far it had turned before.
///
/// Only the way along the body's nose counts; sideways a wheel slides. Forward is positive,
/// a rotation about the body's left axis `+y`. On a straight way the result does not depend
/// on the frame rate. With each wheel's own hub the outer wheels of a curve turn more. A
/// radius that is not positive leaves the wheel as it was.
#[must_use]
pub fn wheel_spin_rad(
    spin_rad: f64,
    from: DVec3,
    to: DVec3,
    orientation: DQuat,
    radius_m: f64,
) -> f64 {
    if radius_m > 0.0 {
        wrap_rad(spin_rad + (to - from).dot(orientation * DVec3::X) / radius_m)
    } else {
        wrap_rad(spin_rad)
    }
}

/// What a vehicle's front wheels need to look steered. The default suits a car, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Steering {
    /// From the front axle to the rear one. Default: 2.7 m. Positive.
    pub wheelbase_m: f64,
    /// How far the wheels can turn to either side. Default: 35 degrees, in radians. Not negative.
    pub max_rad: f64,
    /// Below this speed the wheels straighten as the yaw rate fades, instead of following its
    /// noise. Default: 0.5 m/s. Positive.
    pub min_speed_mps: f64,
}

impl Default for Steering {
    fn default() -> Self {
        Self { wheelbase_m: 2.7, max_rad: 35.0_f64.to_radians(), min_speed_mps: 0.5 }
    }
}

impl Steering {
    /// The angle of the front wheels that makes the vehicle turn at this rate, positive to
    /// the left. `speed_mps` is along the nose, negative in reverse.
    ///
    /// From the bicycle model: the tangent of the angle is wheelbase times yaw rate over
    /// speed.
    #[must_use]
    pub fn angle_rad(&self, speed_mps: f64, yaw_rate_radps: f64) -> f64 {
        let speed = speed_mps.abs().max(self.min_speed_mps);
        let rate = if speed_mps < 0.0 { -yaw_rate_radps } else { yaw_rate_radps };
        // Not `clamp`, which panics when the limits are in the wrong order.
        atan2(self.wheelbase_m * rate, speed).min(self.max_rad).max(-self.max_rad)
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::{FRAC_PI_2, PI, TAU};

    use alloc::vec::Vec;

    use super::*;
    use crate::math::rotation;

    fn joint(millis: i64, angle_rad: f64, rate_radps: f64) -> Joint {
        Joint { at: SimTime::from_millis(millis), angle_rad, rate_radps }
    }

    #[test]
    fn a_turret_at_a_steady_rate_sends_only_heartbeats() {
        let turret = |millis: i64| joint(millis, millis as f64 * 1e-3 * 2.0, 2.0);
        let (mut publisher, _) =
            JointPublisher::start(JointPublisherConfig::default(), turret(0)).unwrap();

        let sent: Vec<i64> = (1..=160)
            .map(|tick| tick * 100)
            .filter(|&millis| publisher.observe(turret(millis)).is_some())
            .collect();

        assert_eq!(sent, [5_000, 10_000, 15_000]); // past several full turns
    }

    #[test]
    fn the_threshold_is_taken_the_short_way_round() {
        let (mut publisher, _) =
            JointPublisher::start(JointPublisherConfig::default(), joint(0, PI - 0.01, 0.0))
                .unwrap();

        assert_eq!(publisher.observe(joint(100, 0.01 - PI, 0.0)), None);
        assert_eq!(publisher.observe(joint(200, PI - 0.01 + TAU, 0.0)), None);
        assert!(publisher.observe(joint(300, 0.05 - PI, 0.0)).is_some());
    }

    #[test]
    fn updates_keep_their_distance_even_when_the_guess_is_wrong() {
        let (mut publisher, _) =
            JointPublisher::start(JointPublisherConfig::default(), joint(0, 0.0, 0.0)).unwrap();

        assert_eq!(publisher.observe(joint(49, 1.0, 0.0)), None);
        assert_eq!(publisher.observe(joint(50, f64::NAN, 0.0)), None);
        assert_eq!(publisher.observe(joint(50, 1.0, 0.0)), Some(joint(50, 1.0, 0.0)));
    }

    #[test]
    fn an_update_never_makes_the_ghost_jump_and_its_error_is_gone_in_time() {
        let blend = Duration::from_millis(200);
        let mut ghost = JointGhost::new(joint(0, 3.0, 0.5), blend);
        let now = SimTime::from_millis(250);
        let before = ghost.angle_at(now);

        let update = joint(200, -3.0, 0.4);
        ghost.accept(update, now);

        assert!(shortest_turn_rad(before, ghost.angle_at(now)).abs() < 1e-12);
        let halfway = ghost.angle_at(now + blend / 2);
        assert!(halfway.abs() > 3.0, "through pi, not through zero: {halfway}");
        let after = now + blend;
        assert!(shortest_turn_rad(ghost.angle_at(after), update.angle_at(after)).abs() < 1e-12);
    }

    #[test]
    fn an_update_in_the_middle_of_a_blend_does_not_jump_either() {
        let mut ghost = JointGhost::new(joint(0, 0.0, 0.0), Duration::from_millis(300));
        ghost.accept(joint(100, 1.0, 0.2), SimTime::from_millis(150));
        let now = SimTime::from_millis(240);
        let before = ghost.angle_at(now);

        ghost.accept(joint(200, -1.0, -3.0), now);

        assert!((ghost.angle_at(now) - before).abs() < 1e-12);
    }

    #[test]
    fn late_and_repeated_updates_are_passed_over() {
        let mut ghost = JointGhost::new(joint(500, 1.0, 0.0), Duration::ZERO);
        let untouched = ghost.clone();

        ghost.accept(joint(400, 2.0, 0.0), SimTime::from_millis(600));
        ghost.accept(joint(500, 2.0, 0.0), SimTime::from_millis(600));
        ghost.accept(joint(600, f64::NAN, 0.0), SimTime::from_millis(600));

        assert_eq!(ghost, untouched);
    }

    #[test]
    fn a_wheel_rolls_with_the_way_along_its_nose() {
        let north = rotation(DVec3::Z * FRAC_PI_2);
        let to = DVec3::new(50.0, 0.3, 0.0);
        assert!((wheel_spin_rad(0.0, DVec3::ZERO, to, north, 0.3) - 1.0).abs() < 1e-12);
        assert!((wheel_spin_rad(0.0, to, DVec3::ZERO, north, 0.3) + 1.0).abs() < 1e-12);
        assert!((wheel_spin_rad(0.5, DVec3::ZERO, to, north, 0.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn on_a_straight_way_wheels_do_not_depend_on_the_frame_rate() {
        let way = DVec3::new(30.0, 40.0, 5.0);
        let orientation = rotation(DVec3::new(0.1, 0.2, 0.9));
        let at_once = wheel_spin_rad(0.2, DVec3::ZERO, way, orientation, 0.3);
        let mut spin = 0.2;
        for frame in 0..64 {
            let [from, to] = [frame, frame + 1].map(|i| way * (f64::from(i) / 64.0));
            spin = wheel_spin_rad(spin, from, to, orientation, 0.3);
        }
        assert!(shortest_turn_rad(spin, at_once).abs() < 1e-11, "{spin} and {at_once}");
    }

    #[test]
    fn wheels_steer_into_the_curve() {
        let steering = Steering::default();
        // A left-hand circle of radius 27 m, ten wheelbases.
        let left = steering.angle_rad(10.0, 10.0 / 27.0);
        assert!((left - libm::atan(0.1)).abs() < 1e-12);
        assert!((steering.angle_rad(10.0, -10.0 / 27.0) + left).abs() < 1e-12);
        assert!((steering.angle_rad(-10.0, -10.0 / 27.0) - left).abs() < 1e-12, "in reverse");
        assert!(steering.angle_rad(0.0, 1e-3).abs() < 0.01, "standing, noise");
        assert!((steering.angle_rad(0.0, 50.0) - steering.max_rad).abs() < 1e-12);
    }

    #[test]
    fn unusable_settings_are_refused() {
        let mut config =
            JointPublisherConfig { threshold_rad: 0.0, ..JointPublisherConfig::default() };
        assert_eq!(
            JointPublisher::start(config.clone(), Joint::default()).unwrap_err(),
            ThresholdError::JointNotPositive { got_rad: 0.0 }.into()
        );
        config.threshold_rad = 0.1;
        config.heartbeat = Duration::from_millis(10);
        let refused = JointPublisher::start(config, Joint::default()).unwrap_err();
        let message = alloc::format!("{refused}");
        assert_eq!(message, "heartbeat 10ms is shorter than min_interval 50ms");
    }
}
