//! The export error between straight courses, in closed form.
//!
//! Two bodies that keep their velocities are `|x + v t|` apart, and the integral of that is
//! a textbook sum of roots and logarithms of `a t^2 + b t + c`, where `a = |v|^2`,
//! `b = 2 x.v`, `c = |x|^2`. (THESIS prints `a` and `b` swapped in 3.2; its Appendix B has
//! them right.) Taken literally that sum divides by `a`, takes the logarithm of zero when
//! the courses cross, and subtracts nearly equal numbers whenever the drift is small
//! against the distance. Here the line is cut into the part along the drift, `u`, and the
//! part across it, `h`, which leaves `sqrt(u^2 + h^2)` and an `asinh` that cannot fail:
//!
//! ```text
//! start o-----------------+------> end      u runs along, from -  to +
//!                         | h
//!                         o  nearest
//! ```
//!
//! When the drift over the whole span is small against the distance, the integrand is so
//! smooth that ten Gauss points are exact to the last bits, and nothing cancels.

use glam::DVec3;

use crate::math::{asinh, fma, ilogb, scalbn};
use crate::{Kinematics, SimTime};

/// The export error, in metre-seconds, while two courses that are `offset` apart at second
/// zero drift apart by `drift` per second, from second `from_s` to second `to_s`.
///
/// The signs of `offset` and `drift` do not matter as long as they belong together. Never
/// negative, unless the bounds are reversed: then it is the negative of the same integral.
/// Good to about 15 digits for all finite arguments, however large, small or parallel, and
/// finite whenever the true value is.
#[must_use]
pub fn linear_error(offset: DVec3, drift: DVec3, from_s: f64, to_s: f64) -> f64 {
    // Powers of two bring every length and time near one, so that no square can overflow or
    // vanish. They round nothing.
    let time = exponent(from_s.abs().max(to_s.abs()));
    let length = exponent(offset.abs().max_element())
        .max(exponent(drift.abs().max_element()).saturating_add(time));
    let (from, to) = (scalbn(from_s, -time), scalbn(to_s, -time));
    let offset = offset.map(|x| scalbn(x, -length));
    let drift = drift.map(|v| scalbn(v, time - length));

    let span = to - from;
    let mean = mean_distance(place(offset, drift, from), place(offset, drift, to), drift * span);
    scalbn(mean * span, length + time)
}

/// The export error from `from` to `to` while the body keeps the velocity of `truth` and the
/// listener shows it keeping that of `shown`.
///
/// In metre-seconds, as [`linear_error`]. Positions at 1e7 m are known to 2e-9 m, so
/// distances much below that are noise.
#[must_use]
pub fn linear_error_between(
    truth: &Kinematics,
    shown: &Kinematics,
    from: SimTime,
    to: SimTime,
) -> f64 {
    let moved = truth.velocity * from.secs_since(truth.at);
    let believed = shown.velocity * from.secs_since(shown.at);
    let offset = (truth.position - shown.position) + (moved - believed);
    linear_error(offset, truth.velocity - shown.velocity, 0.0, to.secs_since(from))
}

/// The binary exponent, with zero far below everything else.
fn exponent(x: f64) -> i32 {
    if x == 0.0 { -3000 } else { ilogb(x) }
}

/// `offset + drift * t`, rounded once: near the moment where the courses meet, the two
/// nearly cancel and a rounded product would be all that is left.
fn place(offset: DVec3, drift: DVec3, t: f64) -> DVec3 {
    DVec3::new(fma(drift.x, t, offset.x), fma(drift.y, t, offset.y), fma(drift.z, t, offset.z))
}

/// The mean distance from the origin of the points between `start` and `end`, which are
/// `step` apart. `step` is passed in because the difference of the ends has lost digits.
fn mean_distance(start: DVec3, end: DVec3, step: DVec3) -> f64 {
    let middle = (start + end) * 0.5;
    if step == DVec3::ZERO {
        middle.length()
    } else if 2.0 * step.length() <= middle.length() {
        mean_of_smooth(middle, step)
    } else {
        mean_by_asinh(start, end, step)
    }
}

/// Positive nodes and weights of ten-point Gauss-Legendre on -1..1, to the last bit.
const GAUSS_10: [(f64, f64); 5] = [
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
];

/// For a middle at least two steps away. The distance, continued to complex times, is smooth
/// within four half-steps, so ten points err by less than 8^-20, about 1e-18.
fn mean_of_smooth(middle: DVec3, step: DVec3) -> f64 {
    let half = step * 0.5;
    let pair = |(node, weight): (f64, f64)| {
        weight * ((middle - half * node).length() + (middle + half * node).length())
    };
    GAUSS_10.into_iter().map(pair).sum::<f64>() * 0.5
}

/// For a middle less than two steps away: no term is then much larger than the sum.
fn mean_by_asinh(start: DVec3, end: DVec3, step: DVec3) -> f64 {
    let length = step.length();
    let along = step / length;
    let (u1, u2) = (start.dot(along), end.dot(along));
    let h = (start - along * u1).length();
    let roots = u2 * end.length() - u1 * start.length();
    // Straight through the origin the second part is zero; close to that it is below 1e-36
    // of the first, and the quotients might overflow.
    let logs = if h <= 1e-20 * length { 0.0 } else { h * h * (asinh(u2 / h) - asinh(u1 / h)) };
    (roots + logs) / (2.0 * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() <= 4e-15 * want.abs(), "got {got:e}, want {want:e}");
    }

    #[test]
    fn courses_without_drift_keep_their_distance() {
        close(linear_error(DVec3::new(3.0, 4.0, 0.0), DVec3::ZERO, 1.0, 3.0), 10.0);
        close(linear_error(DVec3::ZERO, DVec3::ZERO, 1.0, 3.0), 0.0);
        close(linear_error(DVec3::splat(1e300), DVec3::X, 2.0, 2.0), 0.0);
    }

    #[test]
    fn courses_that_meet_make_two_triangles() {
        close(linear_error(DVec3::X * -2.0, DVec3::X, 0.0, 5.0), 2.0 + 4.5);
        close(linear_error(DVec3::ZERO, DVec3::new(3.0, 0.0, 4.0), 0.0, 2.0), 10.0);
    }

    #[test]
    fn reversed_bounds_give_the_negative() {
        let (x, v) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -7.0));
        close(linear_error(x, v, 3.0, -1.0), -linear_error(x, v, -1.0, 3.0));
    }

    /// From mpmath with 900 digits, on the same doubles.
    #[test]
    fn hard_cases_agree_with_nine_hundred_digits() {
        let v = DVec3::new;
        let cases = [
            (
                v(10_000_000.0, 0.0, 0.0),
                v(-10_000_000.0, 0.0, 0.0),
                1.0,
                1.000_000_001,
                5.000_000_827_403_744e-12,
            ),
            (
                v(10_000_000.0, 20_000_000.0, -30_000_000.0),
                v(1e-9, 3e-9, 2e-9),
                0.0,
                0.001,
                37_416.573_867_739_41,
            ),
            (v(1.0, 2.0, 3.0), v(1.0, 2.0, 3.000_000_000_1), -5.0, 5.0, 97.283_092_058_046_76),
            (v(1.0, 1e-9, 0.0), v(1.0, 0.0, 0.0), -1.5, 1.0, 2.125),
            (
                v(3.0, -1.0, 2.0),
                v(0.5, 0.25, -1.0),
                1_000_000.0,
                1_000_000.000_1,
                114.564_265_671_148_05,
            ),
            (
                v(3.0, -1.0, 2.0),
                v(0.5, 0.25, -1.0),
                -1_000_000_000.0,
                1_000_000_000.0,
                1.145_643_923_738_960_3e18,
            ),
            (v(1e300, 1e300, 0.0), v(-1e300, 1e299, 0.0), 0.0, 1000.0, 5.016_044_988_321_142e305),
            (v(1e-300, 2e-300, 0.0), v(3e-300, -1e-300, 0.0), 0.0, 2.0, 8.536_745_919_257_561e-300),
            (
                v(1e308, 1e308, 1e308),
                v(-1e308, -1.1e308, -9e307),
                0.5,
                1.5,
                4.690_005_015_866_141e307,
            ),
            (v(1.0, 0.0, 0.0), v(1e200, 1e180, 0.0), -1e-200, 1e-200, 2e-200),
            (v(0.3, 0.4, 0.0), v(1e-14, -2e-14, 0.0), 0.0, 0.1, 0.049_999_999_999_999_954),
            (v(1.0, 1e-300, 0.0), v(-1.0, 0.0, 0.0), 0.0, 2.0, 1.0),
        ];
        for (x, drift, from, to, want) in cases {
            close(linear_error(x, drift, from, to), want);
        }
    }
}
