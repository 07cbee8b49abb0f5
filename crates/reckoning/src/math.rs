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

/// `2^(-k / 32)`, rounded correctly.
#[rustfmt::skip]
const ROOTS: [f64; 32] = [
    1.0,
    0.978_572_062_087_700_1,
    0.957_603_280_698_573_7,
    0.937_083_817_055_15,
    0.917_004_043_204_671_2,
    0.897_354_537_501_553_6,
    0.878_126_080_186_649_7,
    0.859_309_649_061_239,
    0.840_896_415_253_714_5,
    0.822_877_739_076_982_5,
    0.805_245_165_974_627_1,
    0.787_990_422_553_943_2,
    0.771_105_412_703_970_4,
    0.754_582_213_796_711_4,
    0.738_413_072_969_749_7,
    0.722_590_403_488_523_3,
    core::f64::consts::FRAC_1_SQRT_2,
    0.691_954_940_981_916,
    0.677_127_773_468_446_3,
    0.662_618_321_579_870_7,
    0.648_419_777_325_504_8,
    0.634_525_478_595_866_6,
    0.620_928_906_036_742,
    0.607_623_679_990_234_5,
    0.594_603_557_501_360_5,
    0.581_862_429_388_788_7,
    0.569_394_317_378_345_8,
    0.557_193_371_297_946_2,
    0.545_253_866_332_628_8,
    0.533_570_200_338_411_8,
    0.522_136_891_213_706_9,
    0.510_948_574_327_058_3,
];

/// `exp(-x)` for `x` from zero on, within two units of the last place of one: what a fading
/// term of a curve needs, without branches and divisions. Beyond 700 it stays as good as
/// nothing.
///
/// With `x = n ln2 / 32 - r` it is `2^(-n / 32) exp(r)`: a shift, a table, and a short sum.
#[inline]
pub(crate) fn decay(x: f64) -> f64 {
    // Adding this leaves whole numbers in the lowest bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    const PER: f64 = 46.166_241_308_446_83;
    // ln2 / 32 in two parts; the first times any `n` here is exact.
    const HIGH: f64 = 0.021_660_849_379_259_16;
    const LOW: f64 = 1.323_912_926_815_401_2e-11;
    let x = x.clamp(0.0, 700.0);
    let shifted = x * PER + WHOLE;
    let n = shifted - WHOLE;
    let r = (n * HIGH - x) + n * LOW;
    let square = r * r;
    let sum =
        1.0 + r + square * ((0.5 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0)));
    let bits = shifted.to_bits();
    let halved = f64::from_bits(1_023_u64.wrapping_sub(bits >> 5 & 0x7ff) << 52);
    ROOTS[(bits & 31) as usize] * sum * halved
}

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
    fn decay_is_the_exponential() {
        for step in 0..200_000 {
            let x = f64::from(step) * f64::from(step) * 1e-9;
            let off = decay(x) / libm::exp(-x) - 1.0;
            assert!(off.abs() < 5e-15, "{x}: {off}");
        }
        assert_eq!(decay(0.0), 1.0);
        assert!(decay(1e300) > 0.0 && decay(1e300) < 1e-300);
    }

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
