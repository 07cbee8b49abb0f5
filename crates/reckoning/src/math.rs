//! Mathematical functions that give the same bits on every platform.
//!
//! Take these in place of the methods of `f64` in whatever both sides compute, a
//! [`CustomModel`](crate::model::CustomModel) for example.
//!
//! `+ - * /` and `sqrt` are exact everywhere; `sin`, `exp` and their kin are not, and two
//! machines that disagree in the last bit of a guess would drift apart. Everything here
//! comes from `libm`, compiled into the program, so a replay gives the same bits in debug,
//! release and WebAssembly.

use glam::{DQuat, DVec3};
pub(crate) use libm::{asinh, fma, ilogb, scalbn};
pub use libm::{atan2, ceil, cos, exp, expm1, log as ln, round, sin, sincos, sqrt};

/// The bits of `2^(-k / 128)`, rounded correctly.
#[rustfmt::skip]
const ROOTS: [u64; 128] = [
    0x3ff0_0000_0000_0000, 0x3fef_d3c2_2b8f_71f1, 0x3fef_a7c1_819e_90d8, 0x3fef_7bfd_ad9c_be14,
    0x3fef_5076_5b6e_4540, 0x3fef_252b_376b_ba97, 0x3fee_fa1b_ee61_5a27, 0x3fee_cf48_2d8e_67f1,
    0x3fee_a4af_a2a4_90da, 0x3fee_7a51_fbc7_4c83, 0x3fee_502e_e78b_3ff6, 0x3fee_2646_14f5_a129,
    0x3fed_fc97_337b_9b5f, 0x3fed_d321_f301_b460, 0x3fed_a9e6_03db_3285, 0x3fed_80e3_16c9_8398,
    0x3fed_5818_dcfb_a487, 0x3fed_2f87_080d_89f2, 0x3fed_072d_4a07_897c, 0x3fec_df0b_555d_c3fa,
    0x3fec_b720_dcef_9069, 0x3fec_8f6d_9406_e7b5, 0x3fec_67f1_2e57_d14b, 0x3fec_40ab_5fff_d07a,
    0x3fec_199b_dd85_529c, 0x3feb_f2c2_5bd7_1e09, 0x3feb_cc1e_904b_c1d2, 0x3feb_a5b0_30a1_064a,
    0x3feb_7f76_f2fb_5e47, 0x3feb_5972_8de5_593a, 0x3feb_33a2_b84f_15fb, 0x3feb_0e07_298d_b666,
    0x3fea_e89f_995a_d3ad, 0x3fea_c36b_bfd3_f37a, 0x3fea_9e6b_5579_fdbf, 0x3fea_799e_1330_b358,
    0x3fea_5503_b23e_255d, 0x3fea_309b_ec4a_2d33, 0x3fea_0c66_7b5d_e565, 0x3fe9_e863_19e3_2323,
    0x3fe9_c491_82a3_f090, 0x3fe9_a0f1_70ca_07ba, 0x3fe9_7d82_9fde_4e50, 0x3fe9_5a44_cbc8_520f,
    0x3fe9_3737_b0cd_c5e5, 0x3fe9_145b_0b91_ffc6, 0x3fe8_f1ae_9915_7736, 0x3fe8_cf32_16b5_448c,
    0x3fe8_ace5_422a_a0db, 0x3fe8_8ac7_d98a_6699, 0x3fe8_68d9_9b44_92ed, 0x3fe8_471a_4623_c7ad,
    0x3fe8_2589_994c_ce13, 0x3fe8_0427_543e_1a12, 0x3fe7_e2f3_36cf_4e62, 0x3fe7_c1ed_0130_c132,
    0x3fe7_a114_73eb_0187, 0x3fe7_8069_4fde_5d3f, 0x3fe7_5feb_5642_67c9, 0x3fe7_3f9a_48a5_8174,
    0x3fe7_1f75_e8ec_5f74, 0x3fe6_ff7d_f951_9484, 0x3fe6_dfb2_3c65_1a2f, 0x3fe6_c012_750b_dabf,
    0x3fe6_a09e_667f_3bcd, 0x3fe6_8155_d44c_a973, 0x3fe6_6238_8255_2225, 0x3fe6_4346_34cc_c320,
    0x3fe6_247e_b03a_5585, 0x3fe6_05e1_b976_dc09, 0x3fe5_e76f_15ad_2148, 0x3fe5_c926_8a59_46b7,
    0x3fe5_ab07_dd48_5429, 0x3fe5_8d12_d497_c7fd, 0x3fe5_6f47_36b5_27da, 0x3fe5_51a4_ca5d_920f,
    0x3fe5_342b_569d_4f82, 0x3fe5_16da_a2cf_6642, 0x3fe4_f9b2_769d_2ca7, 0x3fe4_dcb2_99fd_dd0d,
    0x3fe4_bfda_d536_2a27, 0x3fe4_a32a_f0d7_d3de, 0x3fe4_86a2_b5c1_3cd0, 0x3fe4_6a41_ed1d_0057,
    0x3fe4_4e08_6061_892d, 0x3fe4_31f5_d950_a897, 0x3fe4_160a_21f7_2e2a, 0x3fe3_fa45_04ac_801c,
    0x3fe3_dea6_4c12_3422, 0x3fe3_c32d_c313_a8e5, 0x3fe3_a7db_34e5_9ff7, 0x3fe3_8cae_6d05_d866,
    0x3fe3_71a7_373a_a9cb, 0x3fe3_56c5_5f92_9ff1, 0x3fe3_3c08_b264_16ff, 0x3fe3_2170_fc4c_d831,
    0x3fe3_06fe_0a31_b715, 0x3fe2_ecaf_a93e_2f56, 0x3fe2_d285_a6e4_030b, 0x3fe2_b87f_d0da_d990,
    0x3fe2_9e9d_f51f_dee1, 0x3fe2_84df_e1f5_6381, 0x3fe2_6b45_65e2_7cdd, 0x3fe2_51ce_4fb2_a63f,
    0x3fe2_387a_6e75_6238, 0x3fe2_1f49_917d_dc96, 0x3fe2_063b_8862_8cd6, 0x3fe1_ed50_22fc_d91d,
    0x3fe1_d487_3168_b9aa, 0x3fe1_bbe0_8404_5cd4, 0x3fe1_a35b_eb6f_cb75, 0x3fe1_8af9_388c_8dea,
    0x3fe1_72b8_3c7d_517b, 0x3fe1_5a98_c8a5_8e51, 0x3fe1_429a_aea9_2de0, 0x3fe1_2abd_c06c_31cc,
    0x3fe1_1301_d012_5b51, 0x3fe0_fb66_affe_d31b, 0x3fe0_e3ec_32d3_d1a2, 0x3fe0_cc92_2b72_47f7,
    0x3fe0_b558_6cf9_890f, 0x3fe0_9e3e_cac6_f383, 0x3fe0_8745_1875_9bc8, 0x3fe0_706b_29dd_f6de,
    0x3fe0_59b0_d315_8574, 0x3fe0_4315_e86e_7f85, 0x3fe0_2c9a_3e77_8061, 0x3fe0_163d_a9fb_3335,
];

/// Steps of [`decay`] in one time constant: `128 / ln 2`.
pub const DECAY_STEPS: f64 = 184.664_965_233_787_3;

/// `2^(-steps / 128)` for steps from zero on, within 2e-15: what a fading term of a curve
/// needs, without branches and divisions. Beyond 129,000 it stays as good as nothing.
///
/// With `steps = n - f`, `n` whole, it is `2^(-n / 128) exp(f ln2 / 128)`: a shift, a table,
/// and a short sum.
#[inline]
#[must_use]
pub fn decay(steps: f64) -> f64 {
    // Adding this leaves whole numbers in the lowest bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    // The powers of ln2 / 128 over their factorials.
    const SUM: [f64; 4] = [
        5.415_212_348_124_572_5e-3,
        1.466_226_238_764_042_5e-5,
        2.646_642_144_433_097e-8,
        3.583_032_305_400_251e-11,
    ];
    // Not `min`: a NaN is as good as nothing too.
    let steps = if steps < 129_000.0 { steps } else { 129_000.0 };
    let shifted = steps + WHOLE;
    let f = (shifted - WHOLE) - steps;
    let square = f * f;
    let sum = (1.0 + f * SUM[0]) + square * ((SUM[1] + f * SUM[2]) + square * SUM[3]);
    let bits = shifted.to_bits();
    f64::from_bits(ROOTS[(bits & 127) as usize].wrapping_sub(bits >> 7 << 52)) * sum
}

/// The rotation by the vector's length about its direction: what a constant angular
/// velocity does in the time it was multiplied with.
#[must_use]
pub fn rotation(scaled_axis_rad: DVec3) -> DQuat {
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
#[must_use]
pub fn scaled_axis(rotation: DQuat) -> DVec3 {
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
            let off = decay(x * DECAY_STEPS) - libm::exp(-x);
            assert!(off.abs() < 2e-15, "{x}: {off}");
        }
        assert_eq!(decay(0.0), 1.0);
        for far in [1e300, f64::INFINITY, f64::NAN] {
            assert!(decay(far) > 0.0 && decay(far) < 1e-300, "{far}");
        }
    }

    #[test]
    fn the_roots_of_decay_are_rounded_correctly() {
        for (k, bits) in ROOTS.into_iter().enumerate() {
            let power = libm::pow(f64::from_bits(bits), 128.0);
            let wanted = libm::pow(2.0, -(k as f64));
            assert!((power / wanted - 1.0).abs() < 128.0 * 1.2e-16, "{k}");
        }
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
