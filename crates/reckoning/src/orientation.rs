//! Orientations derived from motion: headings from velocities and from two points, and angles
//! that wrap.
//!
//! Take these for bodies whose nose follows their path; their orientation then need not be sent.
//!
//! ```
//! use reckoning::orientation::heading_rad;
//! use reckoning::{DQuat, DVec3, heading_from_velocity};
//!
//! let facing = heading_from_velocity(DVec3::Y * 8.0, DQuat::IDENTITY, 0.5);
//! assert!((heading_rad(facing) - 90.0_f64.to_radians()).abs() < 1e-12);
//! assert_eq!(heading_from_velocity(DVec3::ZERO, facing, 0.5), facing); // standing: kept
//! ```
//!
//! A car's nose follows its path. When orientation and path are reckoned apart, the car
//! slides sideways; here the orientation is taken from the reckoned motion instead. Body
//! axes are x forward, y left, z up, and the world's up is `+z`.
//!
//! The scheme follows Murphy, *Believable Dead Reckoning for Networked Games*, 18.7.

use core::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};
use libm::{atan2, remainder};

/// Below this sine two unit vectors count as parallel: their cross product would be mostly
/// rounding.
const PARALLEL_SIN: f64 = 1e-6;

/// The orientation of a level body whose nose points along its motion over ground.
///
/// Slower than `min_speed_mps` over ground the direction is noise, and the body keeps its
/// `previous` orientation, tilt included. A car in reverse points against its motion: give
/// the opposite of its velocity.
#[must_use]
pub fn heading_from_velocity(velocity: DVec3, previous: DQuat, min_speed_mps: f64) -> DQuat {
    let over_ground = flat(velocity);
    if !is_faster(over_ground, min_speed_mps) {
        return previous;
    }
    over_ground.try_normalize().map_or(previous, |heading| standing(heading, DVec3::Z))
}

/// The orientation of a body whose nose points along its motion, also up and down: an
/// aeroplane or a missile without roll.
///
/// Slower than `min_speed_mps` it keeps its `previous` orientation. Straight up or down it
/// keeps the previous left side.
#[must_use]
pub fn heading_and_pitch_from_velocity(
    velocity: DVec3,
    previous: DQuat,
    min_speed_mps: f64,
) -> DQuat {
    if !is_faster(velocity, min_speed_mps) {
        return previous;
    }
    let Some(forward) = velocity.try_normalize() else { return previous };
    let sideways = DVec3::Z.cross(forward);
    let left = if sideways.length() > PARALLEL_SIN {
        sideways.normalize()
    } else {
        let left = DVec3::Z.cross(level_forward(previous));
        left.reject_from_normalized(forward).normalize()
    };
    from_axes(forward, left)
}

/// The orientation of a vehicle of which a point in `front` and one in the `back` were
/// reckoned separately, with its top towards `up`.
///
/// `None` when the points coincide, lie along `up`, or are too far apart to compute with.
#[must_use]
pub fn two_point(front: DVec3, back: DVec3, up: DVec3) -> Option<DQuat> {
    let forward = (front - back).try_normalize()?;
    let sideways = up.try_normalize()?.cross(forward);
    if sideways.length() < PARALLEL_SIN {
        return None;
    }
    Some(from_axes(forward, sideways.normalize()))
}

/// The compass heading of a body: the angle of its nose from `+x` towards `+y`, in
/// `-pi..=pi`.
///
/// A body that points straight up or down has the heading from which it got there by
/// pitching.
#[must_use]
pub fn heading_rad(orientation: DQuat) -> f64 {
    let forward = level_forward(orientation);
    atan2(forward.y, forward.x)
}

/// The same angle in `-pi..=pi`. What is not finite becomes zero.
#[must_use]
pub fn wrap_rad(angle_rad: f64) -> f64 {
    if angle_rad.is_finite() { remainder(angle_rad, TAU) } else { 0.0 }
}

/// How far to turn from one angle to another, the short way round: in `-pi..=pi`.
#[must_use]
pub fn shortest_turn_rad(from_rad: f64, to_rad: f64) -> f64 {
    wrap_rad(wrap_rad(to_rad) - wrap_rad(from_rad))
}

/// The orientation with this level `heading` and its top along `up`, both unit vectors.
///
/// Seen from above the nose points along `heading` exactly, however steep `up` leans; when
/// `up` points below the horizon the body lies on its roof.
pub(crate) fn standing(heading: DVec3, up: DVec3) -> DQuat {
    let rise = heading.dot(up) * 1.0_f64.copysign(up.z);
    // Zero only where the ground is a wall along the heading, and there the heading fits.
    let forward = (heading * up.z.abs() - DVec3::Z * rise).normalize_or(heading);
    from_axes(forward, up.cross(forward))
}

/// The body's forward axis laid into the level plane; a unit vector for any orientation.
pub(crate) fn level_forward(orientation: DQuat) -> DVec3 {
    let forward = flat(orientation * DVec3::X);
    if forward.length() > PARALLEL_SIN {
        return forward.normalize_or(DVec3::X);
    }
    // The nose points up or down, so the left side is level.
    flat((orientation * DVec3::Y).cross(DVec3::Z)).normalize_or(DVec3::X)
}

fn flat(v: DVec3) -> DVec3 {
    DVec3::new(v.x, v.y, 0.0)
}

fn is_faster(velocity: DVec3, min_speed_mps: f64) -> bool {
    velocity.length() > min_speed_mps
}

/// The orientation with these forward and left axes, unit vectors at right angles.
fn from_axes(forward: DVec3, left: DVec3) -> DQuat {
    let axes = DMat3::from_cols(forward, left, forward.cross(left));
    DQuat::from_mat3(&axes).normalize()
}

#[cfg(test)]
mod tests {
    use core::f64::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::math::{angle_between, rotation};

    const NORTH: DVec3 = DVec3::Y;

    #[test]
    fn the_nose_follows_the_path_over_ground() {
        let turned = heading_from_velocity(NORTH * 3.0 + DVec3::Z * 9.0, DQuat::IDENTITY, 0.5);

        assert!((turned * DVec3::X - NORTH).length() < 1e-12);
        assert!((turned * DVec3::Z - DVec3::Z).length() < 1e-12);
    }

    #[test]
    fn a_slow_body_keeps_its_orientation() {
        let tilted = rotation(DVec3::new(0.1, 0.2, 0.3));

        for velocity in [DVec3::ZERO, NORTH * 0.4, DVec3::Z * 50.0] {
            assert_eq!(heading_from_velocity(velocity, tilted, 0.5), tilted, "{velocity}");
        }
        assert_eq!(heading_and_pitch_from_velocity(NORTH * 0.4, tilted, 0.5), tilted);
    }

    #[test]
    fn a_climbing_aeroplane_pitches_without_rolling() {
        let velocity = DVec3::new(0.0, 30.0, 40.0);
        let turned = heading_and_pitch_from_velocity(velocity, DQuat::IDENTITY, 1.0);

        assert!((turned * DVec3::X - velocity / 50.0).length() < 1e-12);
        assert!((turned * DVec3::Y).z.abs() < 1e-12);
    }

    #[test]
    fn straight_up_keeps_the_previous_left_side() {
        let facing_north = rotation(DVec3::Z * FRAC_PI_2);
        for velocity in [DVec3::Z, -DVec3::Z] {
            let turned = heading_and_pitch_from_velocity(velocity, facing_north, 0.5);
            assert!((turned * DVec3::X - velocity).length() < 1e-12, "{turned}");
            assert!((turned * DVec3::Y + DVec3::X).length() < 1e-12, "{turned}");
            assert!((heading_rad(turned) - FRAC_PI_2).abs() < 1e-12, "{turned}");
        }
    }

    #[test]
    fn two_points_orient_a_vehicle_and_two_equal_ones_do_not() {
        let front = DVec3::new(5.0, 7.0, 1.0);
        let back = DVec3::new(5.0, 3.0, 1.0);

        let turned = two_point(front, back, DVec3::Z).unwrap();
        assert!(angle_between(turned, rotation(DVec3::Z * FRAC_PI_2)) < 1e-12);

        assert_eq!(two_point(front, front, DVec3::Z), None);
        assert_eq!(two_point(front + DVec3::Z, front, DVec3::Z), None);
        assert_eq!(two_point(front, back, DVec3::ZERO), None);
    }

    #[test]
    fn a_heading_survives_any_slope() {
        let heading = DVec3::new(0.6, -0.8, 0.0);
        let slope = DVec3::new(0.5, 0.3, 0.8);
        for up in [DVec3::Z, slope, DVec3::new(1.0, 2.0, 1e-9), -DVec3::Z, -slope] {
            let up = up.normalize();
            let turned = standing(heading, up);
            assert!((turned * DVec3::Z - up).length() < 1e-9, "up of {turned} on {up}");
            // Almost on a wall the nose is almost vertical and its heading mostly rounding.
            if up.z.abs() > 1e-6 {
                assert!((level_forward(turned) - heading).length() < 1e-9, "{turned} on {up}");
            }
        }
    }

    #[test]
    fn angles_take_the_short_way_round() {
        assert!((shortest_turn_rad(3.0, -3.0) - (TAU - 6.0)).abs() < 1e-15);
        assert!((shortest_turn_rad(-3.0, 3.0) + (TAU - 6.0)).abs() < 1e-15);
        assert!((wrap_rad(7.0 * TAU + 0.25) - 0.25).abs() < 1e-13);
        assert!(wrap_rad(1e300).abs() <= PI);
        assert!(wrap_rad(f64::INFINITY).abs() < f64::MIN_POSITIVE);
    }
}
