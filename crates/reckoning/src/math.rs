//! The transcendental functions, from one library on every platform.
//!
//! `+ - * /` and `sqrt` are exact everywhere; `sin`, `exp` and their kin are not, and two
//! machines that disagree in the last bit of a guess would drift apart. Everything here
//! comes from `libm`, compiled into the program, so a replay gives the same bits in debug,
//! release and WebAssembly.

use glam::{DQuat, DVec3};
pub(crate) use libm::{
    asinh, atan2, ceil, cos, exp, expm1, fma, ilogb, log as ln, round, scalbn, sin, sincos, sqrt,
};

/// The rotation by the vector's length about its direction: what a constant angular
/// velocity does in the time it was multiplied with.
pub(crate) fn rotation(scaled_axis_rad: DVec3) -> DQuat {
    let half = scaled_axis_rad * 0.5;
    let squared = half.length_squared();
    // Below this the series is exact to the last bit and nothing is divided by zero.
    let (scale, w) = if squared < 1e-8 {
        (1.0 - squared / 6.0, 1.0 - squared * 0.5 + squared * squared / 24.0)
    } else {
        let angle = sqrt(squared);
        let (sine, cosine) = sincos(angle);
        (sine / angle, cosine)
    };
    DQuat::from_xyzw(half.x * scale, half.y * scale, half.z * scale, w)
}

/// The shortest rotation vector of `rotation`, the inverse of [`rotation`]: its length is
/// at most pi. The sign of the quaternion does not matter.
pub(crate) fn scaled_axis(rotation: DQuat) -> DVec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let axis = DVec3::new(rotation.x, rotation.y, rotation.z);
    let sine = axis.length();
    if sine < 1e-12 {
        return axis * 2.0;
    }
    axis * (2.0 * atan2(sine, rotation.w) / sine)
}

/// The angle between two orientations in radians, from 0 to pi. `q` and `-q` are the same
/// orientation.
#[must_use]
pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
    scaled_axis(a.conjugate() * b).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_survive_the_round_trip() {
        for v in [DVec3::new(0.3, -0.2, 0.9), DVec3::splat(1e-7), DVec3::ZERO, DVec3::X * 3.1] {
            assert!((scaled_axis(rotation(v)) - v).length() < 1e-12, "{v}");
            assert!((scaled_axis(-rotation(v)) - v).length() < 1e-12, "{v}");
        }
    }

    #[test]
    fn the_series_meets_the_sines() {
        for length in [1.99e-4, 2.01e-4] {
            let q = rotation(DVec3::Y * length);
            assert!((q.y - libm::sin(length / 2.0)).abs() < 1e-19);
            assert!((q.w - libm::cos(length / 2.0)).abs() < 2.3e-16);
        }
    }
}
