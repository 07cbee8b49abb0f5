//! Heading of a ghost: the way its body is believed to go, held while it hardly moves.
//!
//! The picture of a body that stops is led back from where it ran ahead to, so its own velocity
//! points backwards just then. The motion that the update promised does not, and a heading is
//! taken from that. Where the body is slower than a smallest speed, the heading that it had when
//! it was last faster takes over, the more the slower it is, so that a heading never flips for
//! the noise of a standing body.

use glam::{DQuat, DVec3};

use crate::Update;
use crate::error::SettingError;
use crate::math::{atan2, rotation, sincos, sqrt};

/// Halvings of the search for the moment a body became slow: to a millionth of the time.
const HALVINGS: u32 = 20;

/// The slowest motion that turns a body; finite, and not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeadingRule {
    min_speed_mps: f64,
}

impl HeadingRule {
    pub(super) fn new(min_speed_mps: f64) -> Result<Self, SettingError> {
        if min_speed_mps >= 0.0 && min_speed_mps.is_finite() {
            return Ok(Self { min_speed_mps });
        }
        let name = "min_heading_speed_mps";
        Err(SettingError::TinyOutOfRange { name, got: min_speed_mps })
    }

    /// The heading that an update promises `t_s` seconds after its moment, of a body that had the
    /// heading `held_rad` before.
    pub(super) fn after(self, update: &Update, t_s: f64, held_rad: f64) -> f64 {
        let velocity_at = |t_s| update.model().velocity_after(update.kinematics(), t_s);
        let velocity = velocity_at(t_s);
        if self.is_fast(velocity) {
            return along(velocity);
        }
        let held_rad = if self.is_fast(velocity_at(0.0)) {
            along(velocity_at(self.last_fast_s(velocity_at, t_s)))
        } else {
            held_rad
        };
        self.of(velocity, held_rad)
    }

    /// The heading of a body that moves so and had the heading `held_rad` before: along its motion,
    /// and the slower the closer to what it had.
    pub(super) fn of(self, velocity: DVec3, held_rad: f64) -> f64 {
        if self.is_fast(velocity) {
            return along(velocity);
        }
        let hold = self.min_speed_mps - speed(velocity);
        let (sin, cos) = sincos(held_rad);
        let mixed = DVec3::new(velocity.x + hold * cos, velocity.y + hold * sin, 0.0);
        if mixed == DVec3::ZERO || !mixed.is_finite() { held_rad } else { along(mixed) }
    }

    fn is_fast(self, velocity: DVec3) -> bool {
        let speed = speed(velocity);
        speed > 0.0 && speed >= self.min_speed_mps
    }

    /// When a body that is fast at first and slow at `t_s` was last fast.
    fn last_fast_s(self, velocity_at: impl Fn(f64) -> DVec3, t_s: f64) -> f64 {
        let (mut fast_s, mut slow_s) = (0.0, t_s);
        for _ in 0..HALVINGS {
            let middle_s = fast_s + 0.5 * (slow_s - fast_s);
            if self.is_fast(velocity_at(middle_s)) {
                fast_s = middle_s;
            } else {
                slow_s = middle_s;
            }
        }
        fast_s
    }
}

/// Over ground. No square overflows: numbers that large are halved often enough before.
fn speed(velocity: DVec3) -> f64 {
    let most = velocity.x.abs().max(velocity.y.abs());
    if most == 0.0 {
        return 0.0;
    }
    let (x, y) = (velocity.x / most, velocity.y / most);
    most * sqrt(x * x + y * y)
}

fn along(velocity: DVec3) -> f64 {
    atan2(velocity.y, velocity.x)
}

/// A level body with this heading.
pub(super) fn level(heading_rad: f64) -> DQuat {
    rotation(DVec3::Z * heading_rad)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::FRAC_PI_2;
    use core::time::Duration;

    use super::*;
    use crate::{Kinematics, Model, SimTime, UpdateKind};

    #[test]
    fn a_body_that_brakes_in_a_bend_keeps_the_heading_it_had_when_it_became_slow() {
        let rule = HeadingRule::new(0.5).unwrap();
        let seen = Kinematics {
            acceleration: DVec3::new(-2.0, 0.8, 0.0),
            ..Kinematics::moving(SimTime::ZERO, DVec3::ZERO, DVec3::new(2.0, -0.8, 0.0))
        };
        let model = Model::Accelerating { trust: Duration::from_secs(1) };
        let update = Update::new(seen, model, UpdateKind::Partial).unwrap();
        for t_s in [0.0, 0.5, 0.9, 1.0, 7.0] {
            let heading_rad = rule.after(&update, t_s, FRAC_PI_2);
            assert!((heading_rad - atan2(-0.8, 2.0)).abs() < 1e-9, "{heading_rad} after {t_s} s");
        }
    }

    #[test]
    fn a_heading_is_continuous_in_the_velocity() {
        let rule = HeadingRule::new(0.5).unwrap();
        let mut before = rule.of(DVec3::Y * 2.0, 0.0);
        for step in 0..=2_000 {
            let heading_rad = rule.of(DVec3::Y * (2.0 - f64::from(step) * 1e-3), 0.0);
            assert!((heading_rad - before).abs() < 0.01, "at step {step}");
            before = heading_rad;
        }
        assert_eq!(before, 0.0);
    }

    #[test]
    fn no_speed_is_too_large_or_too_small_to_point_somewhere() {
        let rule = HeadingRule::new(0.0).unwrap();
        for size in [f64::MAX, 1e200, 1e-200, 5e-324] {
            assert_eq!(rule.of(DVec3::Y * size, 1.0), FRAC_PI_2, "{size}");
        }
        assert_eq!(rule.of(DVec3::ZERO, 1.0), 1.0);
    }
}
