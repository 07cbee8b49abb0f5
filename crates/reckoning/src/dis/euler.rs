//! The angles by which DIS names an orientation.
//!
//! Psi, theta and phi turn the world's axes into the body's (x ahead, y right, z down). The
//! engine keeps orientations as quaternions and comes here only at the edge, because the
//! angles have two places, nose straight up and straight down, where they leave the
//! heading open.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3};

use crate::math::{atan2, cos, sin, sqrt};

/// The rotation from body to world axes for the standard's angles in radians: first `psi`
/// about z, then `theta` about the new y, then `phi` about the newest x.
#[must_use]
pub fn quat_from_euler(psi_rad: f64, theta_rad: f64, phi_rad: f64) -> DQuat {
    let about = |axis: DVec3, angle: f64| {
        let axis = axis * sin(angle * 0.5);
        DQuat::from_xyzw(axis.x, axis.y, axis.z, cos(angle * 0.5))
    };
    about(DVec3::Z, psi_rad) * about(DVec3::Y, theta_rad) * about(DVec3::X, phi_rad)
}

/// Nose this close to straight up or down (in radians, about) counts as vertical: ten times
/// what rounding does to a unit quaternion.
const GIMBAL_LOCK: f64 = 1e-14;

/// The standard's angles `(psi, theta, phi)` in radians of a rotation from body to world
/// axes: the inverse of [`quat_from_euler`].
///
/// `psi` and `phi` are in `-pi..=pi`, `theta` in `-pi/2..=pi/2`. With the nose straight up
/// or down only the sum or difference of `psi` and `phi` means anything; then `phi` is 0.
#[must_use]
pub fn euler_from_quat(q: DQuat) -> (f64, f64, f64) {
    // With half angles, (w + y, z - x) is (cos, sin) of psi - phi times cos + sin of theta,
    // and (w - y, x + z) is that of psi + phi times cos - sin of theta. Unlike the arcsine
    // of a matrix element this keeps all digits when the nose is nearly vertical.
    let up = length(q.w + q.y, q.z - q.x);
    let down = length(q.w - q.y, q.x + q.z);
    let theta = 2.0 * atan2(up, down) - FRAC_PI_2;
    let mut half_difference = atan2(q.z - q.x, q.w + q.y);
    let mut half_sum = atan2(q.x + q.z, q.w - q.y);
    if down < GIMBAL_LOCK {
        half_sum = half_difference;
    } else if up < GIMBAL_LOCK {
        half_difference = half_sum;
    }
    (wrapped(half_sum + half_difference), theta, wrapped(half_sum - half_difference))
}

fn length(x: f64, y: f64) -> f64 {
    sqrt(x * x + y * y)
}

/// The same angle within half a turn of zero, for angles within one and a half.
fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::angle_between;

    #[test]
    fn angles_survive_the_round_trip_up_to_the_vertical() {
        for theta in [0.0, -1.2, FRAC_PI_2 - 1e-9, -FRAC_PI_2 + 1e-9, FRAC_PI_2, -FRAC_PI_2] {
            for (psi, phi) in [(0.0, 0.0), (3.1, -3.1), (-2.0, 0.7), (1.5, 3.0)] {
                let q = quat_from_euler(psi, theta, phi);
                for q in [q, -q] {
                    let (psi, theta, phi) = euler_from_quat(q);
                    assert!(psi.abs() <= PI && phi.abs() <= PI, "{psi} {theta} {phi}");
                    let off = angle_between(q, quat_from_euler(psi, theta, phi));
                    assert!(off < 1e-13, "{psi} {theta} {phi}: off by {off}");
                }
            }
        }
    }

    #[test]
    fn straight_up_and_down_have_no_roll() {
        let (psi, theta, phi) = euler_from_quat(quat_from_euler(0.7, FRAC_PI_2, 0.2));
        assert!((psi - 0.5).abs() < 1e-14 && (theta - FRAC_PI_2).abs() < 1e-14);
        assert!(phi.abs() < f64::MIN_POSITIVE);
        let (psi, theta, phi) = euler_from_quat(quat_from_euler(0.7, -FRAC_PI_2, 0.2));
        assert!((psi - 0.9).abs() < 1e-14 && (theta + FRAC_PI_2).abs() < 1e-14);
        assert!(phi.abs() < f64::MIN_POSITIVE);
    }
}
