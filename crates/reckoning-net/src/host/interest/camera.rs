//! Camera: what a peer looks at, so that what it sees is sent first.
//!
//! ```text
//!                     .-'' cone
//!        near     .-''
//!       (  eye )>======== aim ====)
//!                 ''-.
//!                     ''-.
//! ```
//!
//! An error is as large as the angle under which the peer sees it. What is out of the cone counts for
//! less, what is in the aim for more, and nothing for nothing: it may turn round at any moment.

use reckoning::error::SettingError;
use reckoning::{ConfigError, DVec3};

use crate::host::Host;
use crate::wire::PeerId;

/// An error seen under this angle counts as one threshold does where nobody says what a peer looks
/// at: about two pixels of a wide screen.
const UNIT_RAD: f64 = 1e-3;
/// Errors count up to this many units.
const MAX_UNITS: f64 = 1e3;

/// What a peer looks at: see [`Host::set_camera`]. It says what is sent first when a budget is short;
/// it hides nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Camera {
    /// Where it looks from. Default: the origin.
    pub eye: DVec3,
    /// Which way it looks; of any length but zero. Default: along x.
    pub forward: DVec3,
    /// Half of the angle of view, 0 to pi. Default: pi / 4.
    pub half_angle_rad: f64,
    /// What is nearer than this is seen whichever way it lies, and no error counts for more than it
    /// would at this distance. Above zero. Default: 5 m.
    pub near_m: f64,
    /// How much an error out of sight counts, as a share, 0.01 to 1. Default: 0.1.
    pub unseen: f64,
    /// What it aims at. Default: `None`.
    pub aim: Option<AimCapsule>,
}

/// The part of a view that matters most: a capsule from the eye forward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimCapsule {
    /// How far it reaches. Above zero.
    pub length_m: f64,
    /// How wide it is on all sides. Above zero.
    pub radius_m: f64,
    /// How many times an error in it counts, 1 to 100.
    pub weight: f64,
}

impl Default for Camera {
    /// From the origin along x, a right angle wide.
    fn default() -> Self {
        Self {
            eye: DVec3::ZERO,
            forward: DVec3::X,
            half_angle_rad: core::f64::consts::FRAC_PI_4,
            near_m: 5.0,
            unseen: 0.1,
            aim: None,
        }
    }
}

impl Camera {
    /// One that looks from a place in a direction, otherwise as the default.
    #[must_use]
    pub fn new(eye: DVec3, forward: DVec3) -> Self {
        Self { eye, forward, ..Self::default() }
    }

    /// Validates every setting.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let least = f64::MIN_POSITIVE;
        let length = self.forward.length();
        SettingError::in_range("length of forward", length, least, f64::MAX)?;
        SettingError::in_range("distance of eye", self.eye.length(), 0.0, f64::MAX)?;
        let half = core::f64::consts::PI;
        SettingError::in_range("half_angle_rad", self.half_angle_rad, 0.0, half)?;
        SettingError::in_range("near_m", self.near_m, least, f64::MAX)?;
        SettingError::in_range("unseen", self.unseen, 0.01, 1.0)?;
        if let Some(aim) = &self.aim {
            SettingError::in_range("aim.length_m", aim.length_m, least, f64::MAX)?;
            SettingError::in_range("aim.radius_m", aim.radius_m, least, f64::MAX)?;
            SettingError::in_range("aim.weight", aim.weight, 1.0, 100.0)?;
        }
        Ok(())
    }

    /// How much the peer sees of an error of a body at that place.
    pub(crate) fn visible_error(&self, place: DVec3, error_m: f64) -> f32 {
        let away = place - self.eye;
        let distance_m = away.length();
        let angle_rad = error_m / distance_m.max(self.near_m);
        (angle_rad * self.weight(away, distance_m) / UNIT_RAD).min(MAX_UNITS) as f32
    }

    fn weight(&self, away: DVec3, distance_m: f64) -> f64 {
        let forward = self.forward.normalize_or_zero();
        let along_m = away.dot(forward);
        if let Some(aim) = &self.aim {
            let on_axis = forward * along_m.clamp(0.0, aim.length_m);
            if away.distance_squared(on_axis) <= aim.radius_m * aim.radius_m {
                return aim.weight;
            }
        }
        let in_cone = along_m >= distance_m * libm::cos(self.half_angle_rad);
        if in_cone || distance_m <= self.near_m { 1.0 } else { self.unseen }
    }
}

impl Host {
    /// Says what a peer looks at from now on, as often as the game likes: errors are compared by the
    /// angle under which the peer sees them when its budget is too short for all. `None` compares
    /// them by the thresholds of their classes. Returns whether the peer is connected. The default
    /// is `None`.
    ///
    /// # Errors
    /// Names the first setting that is out of range; nothing changes then.
    pub fn set_camera(
        &mut self,
        peer: PeerId,
        camera: impl Into<Option<Camera>>,
    ) -> Result<bool, ConfigError> {
        let camera = camera.into();
        if let Some(camera) = &camera {
            camera.validate()?;
        }
        let Some(peer) = self.peers.get_mut(&peer) else { return Ok(false) };
        peer.camera = camera;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_counts_by_its_angle_and_by_where_it_is_seen() {
        let aim = AimCapsule { length_m: 100.0, radius_m: 2.0, weight: 4.0 };
        let camera = Camera { aim: Some(aim), ..Camera::default() };
        let seen = |x: f64, y: f64| camera.visible_error(DVec3::new(x, y, 0.0), 0.1);
        assert_eq!([seen(20.0, 10.0), seen(40.0, 20.0)].map(f32::round), [4.0, 2.0]);
        assert_eq!(seen(50.0, 0.0), 4.0 * 2.0, "aimed at");
        assert_eq!(seen(-50.0, 0.0), 0.2, "behind, but not nothing");
        assert_eq!([seen(-3.0, 0.0), seen(0.0, -5.0)], [20.0, 20.0], "near");
        assert_eq!(camera.visible_error(DVec3::X * 110.0, 11.0), 100.0, "beyond the aim");
    }

    #[test]
    fn a_camera_that_looks_nowhere_is_refused_by_name() {
        let refused = |camera: Camera| alloc::format!("{}", camera.validate().unwrap_err());
        let nowhere = Camera { forward: DVec3::ZERO, ..Camera::default() };
        assert!(refused(nowhere).contains("forward"), "{}", refused(nowhere));
        let nan = Camera { eye: DVec3::NAN, ..Camera::default() };
        assert!(refused(nan).contains("eye"));
        assert!(refused(Camera { unseen: 0.0, ..Camera::default() }).contains("unseen"));
        assert_eq!(Camera::default().validate(), Ok(()));
    }
}
