//! Velocity and acceleration measured from positions.
//!
//! Take a [`Sampler`] when the physics of a game gives no velocities, or spiky ones.
//!
//! ```
//! use reckoning::{DQuat, DVec3, Sampler, SamplerConfig, SimTime};
//!
//! let mut sampler = Sampler::new(SamplerConfig::default())?;
//! let frame = |tick: i64| (SimTime::from_tick(tick, 50), DVec3::X * (0.1 * tick as f64));
//! let mut seen = None;
//! for (now, position) in (0..5).map(frame) {
//!     seen = Some(sampler.observe(now, position, DQuat::IDENTITY));
//! }
//! let velocity = seen.unwrap_or_default().velocity;
//! assert!((velocity - DVec3::X * 5.0).length() < 1e-9); // a tenth of a metre per 20 ms
//! # Ok::<(), reckoning::ConfigError>(())
//! ```
//!
//! A sampler takes the position of a body on every frame and differences it: the velocity over
//! the last one to three frames, the acceleration from two such velocities one frame apart,
//! the angular velocity likewise. Values near zero count as zero, so that a body that
//! trembles at rest is published as standing.
//!
//! Follows MURPHY, Listing 18.2, with one change: differences use the times of the frames
//! they are taken from, so an uneven frame rate does not show as acceleration.

use glam::{DQuat, DVec3};

use crate::error::SettingError;
use crate::math::scaled_axis;
use crate::{Kinematics, SimTime};

/// Settings for a [`Sampler`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SamplerConfig {
    /// Over how many frames velocities are averaged. More is smoother and later. Default: 2. From 1
    /// to 3.
    pub frames: u8,
    /// Slower than this counts as standing still. Default: 0.01 m/s. Finite, not negative.
    pub tiny_velocity_mps: f64,
    /// Weaker than this counts as no acceleration. Default: 0.01 m/s^2. Finite, not negative.
    pub tiny_acceleration_mps2: f64,
    /// Slower than this counts as not turning. Default: 0.001 rad/s. Finite, not negative.
    pub tiny_angular_velocity_radps: f64,
    /// Whether to measure vertical acceleration; it often shows as floating and sinking. Default:
    /// `false`.
    pub vertical_acceleration: bool,
}

impl Default for SamplerConfig {
    /// A vehicle or person in metres: smooth over two frames, nothing vertical.
    fn default() -> Self {
        Self {
            frames: 2,
            tiny_velocity_mps: 0.01,
            tiny_acceleration_mps2: 0.01,
            tiny_angular_velocity_radps: 0.001,
            vertical_acceleration: false,
        }
    }
}

impl SamplerConfig {
    fn validate(&self) -> Result<(), SettingError> {
        if !(1..=3).contains(&self.frames) {
            return Err(SettingError::FrameCount { got: self.frames });
        }
        let limits = [
            ("tiny_velocity_mps", self.tiny_velocity_mps),
            ("tiny_acceleration_mps2", self.tiny_acceleration_mps2),
            ("tiny_angular_velocity_radps", self.tiny_angular_velocity_radps),
        ];
        match limits.into_iter().find(|(_, got)| !(*got >= 0.0 && got.is_finite())) {
            Some((name, got)) => Err(SettingError::TinyOutOfRange { name, got }),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct PoseSample {
    at: SimTime,
    position: DVec3,
    orientation: DQuat,
    velocity: DVec3,
}

/// Turns poses into [`Kinematics`].
#[derive(Clone, Debug)]
pub struct Sampler {
    config: SamplerConfig,
    /// Newest first; `held` of them.
    frames: [PoseSample; 3],
    held: usize,
}

impl Sampler {
    /// A sampler that has seen nothing yet.
    ///
    /// # Errors
    /// Refuses a frame count outside 1 to 3 and limits that are negative or not finite.
    pub fn new(config: SamplerConfig) -> Result<Self, SettingError> {
        config.validate()?;
        let nothing = PoseSample {
            at: SimTime::MIN,
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
        };
        Ok(Self { config, frames: [nothing; 3], held: 0 })
    }

    /// Forgets what it saw, as after a teleport: the next frame counts as the first.
    pub fn reset(&mut self) {
        self.held = 0;
    }

    /// Takes the pose of this frame and returns how the body moves.
    ///
    /// The first frame gives a body at rest. A frame replaces those it is not later than.
    pub fn observe(&mut self, at: SimTime, position: DVec3, orientation: DQuat) -> Kinematics {
        while self.held > 0 && at <= self.frames[0].at {
            self.frames.rotate_left(1);
            self.held -= 1;
        }
        let mut seen = Kinematics { orientation, ..Kinematics::at_rest(at, position) };
        if self.held > 0 {
            self.difference(&mut seen);
        }
        self.frames.rotate_right(1);
        self.frames[0] = PoseSample { at, position, orientation, velocity: seen.velocity };
        self.held = (self.held + 1).min(3);
        seen
    }

    fn difference(&self, seen: &mut Kinematics) {
        let config = &self.config;
        let back = self.held.min(usize::from(config.frames)) - 1;
        let (oldest, last) = (&self.frames[back], &self.frames[0]);
        let span_s = seen.at.secs_since(oldest.at);
        seen.velocity =
            or_zero((seen.position - oldest.position) / span_s, config.tiny_velocity_mps);
        let turn = scaled_axis(seen.orientation * oldest.orientation.conjugate());
        seen.angular_velocity = or_zero(turn / span_s, config.tiny_angular_velocity_radps);
        // One velocity is no acceleration: the first frame's zero was a guess.
        if self.held > 1 {
            let step_s = seen.at.secs_since(last.at);
            let gained = (seen.velocity - last.velocity) / step_s;
            seen.acceleration = or_zero(gained, config.tiny_acceleration_mps2);
            if !config.vertical_acceleration {
                seen.acceleration.z = 0.0;
            }
        }
    }
}

/// The vector, or zero when it is shorter than `tiny` or not a number.
fn or_zero(v: DVec3, tiny: f64) -> DVec3 {
    if v.length_squared() > tiny * tiny && v.is_finite() { v } else { DVec3::ZERO }
}

/// Scales an acceleration by its agreement with the one published last, so that a zigzag
/// does not fling the guess from side to side: full when they point the same way, nothing
/// when they are at right angles or opposed. No last acceleration counts as agreement.
#[must_use]
pub fn damp_acceleration(now: DVec3, last_published: DVec3) -> DVec3 {
    let (Some(a), Some(b)) = (now.try_normalize(), last_published.try_normalize()) else {
        return now;
    };
    now * a.dot(b).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(config: SamplerConfig, path: impl Fn(f64) -> DVec3, ticks: i64) -> Kinematics {
        let mut sampler = Sampler::new(config).unwrap();
        let mut last = Kinematics::default();
        for tick in 0..=ticks {
            let at = SimTime::from_tick(tick, 50);
            last = sampler.observe(at, path(at.as_secs_f64()), DQuat::IDENTITY);
        }
        last
    }

    #[test]
    fn a_steady_body_has_its_velocity_and_no_acceleration() {
        for frames in 1..=3 {
            let config = SamplerConfig { frames, ..SamplerConfig::default() };
            let seen = run(config, |t| DVec3::new(3.0, 4.0, 0.0) * t, 10);
            assert!((seen.velocity - DVec3::new(3.0, 4.0, 0.0)).length() < 1e-9);
            assert_eq!(seen.acceleration, DVec3::ZERO);
        }
    }

    #[test]
    fn acceleration_is_found_and_vertical_acceleration_is_off() {
        let falling = |t: f64| DVec3::new(0.5 * 2.0 * t * t, 0.0, -4.9 * t * t);
        let seen = run(SamplerConfig::default(), falling, 10);
        assert!((seen.acceleration - DVec3::X * 2.0).length() < 1e-6, "{}", seen.acceleration);
        let config = SamplerConfig { vertical_acceleration: true, ..SamplerConfig::default() };
        assert!((run(config, falling, 10).acceleration.z + 9.8).abs() < 1e-6);
    }

    #[test]
    fn trembling_counts_as_rest() {
        let seen = run(SamplerConfig::default(), |t| DVec3::X * (1e-4 * libm::sin(50.0 * t)), 20);
        assert_eq!((seen.velocity, seen.acceleration), (DVec3::ZERO, DVec3::ZERO));
    }

    #[test]
    fn turning_is_measured_in_world_axes() {
        let mut sampler = Sampler::new(SamplerConfig::default()).unwrap();
        let mut seen = Kinematics::default();
        for tick in 0..5 {
            let at = SimTime::from_tick(tick, 50);
            let turned = crate::math::rotation(DVec3::Z * (1.5 * at.as_secs_f64()));
            seen = sampler.observe(at, DVec3::ZERO, turned);
        }
        assert!((seen.angular_velocity - DVec3::Z * 1.5).length() < 1e-9);
    }

    #[test]
    fn a_frame_observed_twice_counts_once() {
        let mut sampler = Sampler::new(SamplerConfig::default()).unwrap();
        sampler.observe(SimTime::from_millis(0), DVec3::ZERO, DQuat::IDENTITY);
        sampler.observe(SimTime::from_millis(20), DVec3::X, DQuat::IDENTITY);
        let seen = sampler.observe(SimTime::from_millis(20), DVec3::X * 2.0, DQuat::IDENTITY);
        assert!((seen.velocity - DVec3::X * 100.0).length() < 1e-9);
    }

    #[test]
    fn a_zigzag_publishes_no_sideways_pull() {
        assert_eq!(damp_acceleration(DVec3::X, DVec3::NEG_X), DVec3::ZERO);
        assert_eq!(damp_acceleration(DVec3::X * 3.0, DVec3::X), DVec3::X * 3.0);
        assert_eq!(damp_acceleration(DVec3::X * 3.0, DVec3::ZERO), DVec3::X * 3.0);
    }

    #[test]
    fn wrong_settings_do_not_construct() {
        let mut config = SamplerConfig::default();
        config.frames = 4;
        assert_eq!(Sampler::new(config).unwrap_err(), SettingError::FrameCount { got: 4 });
        config.frames = 1;
        config.tiny_velocity_mps = f64::NAN;
        assert!(Sampler::new(config).is_err());
    }
}
