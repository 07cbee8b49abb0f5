//! How to point a barrel so that a shell comes down on a place.

use reckoning::DVec3;
use reckoning::math::{atan2, cos, sin, sqrt};

use super::super::drive::GRAVITY_MPS2;

/// Both directions in which a shell that leaves with a speed from `from` comes to `to`, the flat arc
/// first, each with its time of flight; `None` when it is too far.
pub(super) fn arcs(from: DVec3, to: DVec3, speed_mps: f64) -> Option<[(DVec3, f64); 2]> {
    let gap = to - from;
    let run_m = gap.with_z(0.0).length().max(1e-3);
    let flat = gap.with_z(0.0) / run_m;
    let square = speed_mps * speed_mps;
    let under =
        square * square - GRAVITY_MPS2 * (GRAVITY_MPS2 * run_m * run_m + 2.0 * gap.z * square);
    (under >= 0.0).then(|| {
        [-1.0, 1.0].map(|sign| {
            let tilt = atan2(square + sign * sqrt(under), GRAVITY_MPS2 * run_m);
            let direction = flat * cos(tilt) + DVec3::Z * sin(tilt);
            (direction, run_m / (speed_mps * cos(tilt)).max(1e-3))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_arcs_pass_through_the_place_aimed_at() {
        let (from, to) = (DVec3::new(3.0, -5.0, 12.0), DVec3::new(180.0, 90.0, 31.0));
        for (direction, flight_s) in arcs(from, to, 70.0).unwrap() {
            let fallen = DVec3::Z * (0.5 * GRAVITY_MPS2 * flight_s * flight_s);
            let end = from + direction * (70.0 * flight_s) - fallen;
            assert!(end.distance(to) < 1e-6, "{end} after {flight_s} s");
        }
        assert!(arcs(from, from + DVec3::X * 600.0, 70.0).is_none(), "beyond its range");
    }
}
