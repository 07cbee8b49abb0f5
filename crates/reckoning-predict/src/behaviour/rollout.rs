//! The one loop behind all behaviours that go step by step.

use glam::DVec3;

/// Beyond this a behaviour does not predict: the body stays where it has come to.
const FURTHEST_S: f64 = 60.0;

/// A way of going, slice by slice, at constant velocity within each.
pub(super) trait RolloutStep {
    /// Where slice number `slice` (from 0) ends if it begins at `from`. Asked in order.
    fn step(&mut self, slice: u32, from: DVec3) -> DVec3;
}

/// Rolls a motion out from `start` once, and answers every horizon on the way.
///
/// Horizons should rise; one that is earlier than the one before starts the motion anew.
/// Negative ones and NaN count as zero. An answer that is not finite becomes `start`.
pub(super) fn roll_out<'o, G: RolloutStep>(
    start: DVec3,
    slice_s: f64,
    begin: impl Fn() -> G,
    asked: impl Iterator<Item = (f64, &'o mut DVec3)>,
) {
    let per_s = 1.0 / slice_s;
    let mut motion = begin();
    let (mut slice, mut from, mut to) = (0, start, None);
    for (horizon_s, out) in asked {
        let at = horizon_s.clamp(0.0, FURTHEST_S).max(0.0) * per_s;
        if at < f64::from(slice) {
            (motion, slice, from, to) = (begin(), 0, start, None);
        }
        if at == 0.0 {
            *out = start;
            continue;
        }
        let mut end = to.unwrap_or_else(|| motion.step(0, from));
        while at > f64::from(slice) + 1.0 {
            slice += 1;
            from = end;
            end = motion.step(slice, from);
        }
        to = Some(end);
        let reached = from + (end - from) * (at - f64::from(slice));
        *out = if reached.is_finite() { reached } else { start };
    }
}
