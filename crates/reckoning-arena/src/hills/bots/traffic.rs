//! Others on the way: vehicles ahead, the train, and rails that it comes along.

use reckoning::DVec3;

use super::super::body::Body;
use super::super::file::DriveRules;
use super::rails::{Rails, Train};
use super::roads::{Crossing, Roads};
use super::travel::before;

/// Vehicles that are further do not matter yet.
const NEAR_M: f64 = 16.0;
/// How far off its own way a bot leaves another vehicle.
const ROOM_M: f64 = 4.5;
/// Where the way is narrow, it goes aside by no more than this.
const NARROW_M: f64 = 1.5;
const NARROW_NEAR_M: f64 = 14.0;
/// A bot looks this far along its way for rails, in steps.
const LOOK_M: f64 = 44.0;
const STEP_M: f64 = 4.0;
/// It waits this far from rails.
const WAIT_M: f64 = 7.0;

/// What a driver watches out for.
pub(super) struct Traffic<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) rails: &'a Rails,
    pub(super) roads: &'a Roads,
    pub(super) train: Option<Train>,
}

impl Traffic<'_> {
    /// A target moved aside when another vehicle is in the way to it.
    pub(super) fn dodge(&self, me: &Body, target: DVec3) -> DVec3 {
        let way = (target - me.position).with_z(0.0);
        let ahead = way.normalize_or(me.orientation * DVec3::X);
        let left = DVec3::Z.cross(ahead);
        let mut shift_m = 0.0;
        for other in self.bodies.iter().filter(|it| it.is_alive && it.craft.is_grounded()) {
            let gap = other.position - me.position;
            let (far_m, aside_m) = (gap.dot(ahead), gap.dot(left));
            let near = far_m > 0.0 && far_m < NEAR_M && gap.z.abs() < 4.0 && other.id != me.id;
            // One that goes the same way as fast is not in the way.
            let closing = (me.velocity - other.velocity).dot(ahead) > -0.5;
            if near && closing && aside_m.abs() < ROOM_M {
                let side = if aside_m > 0.0 { -1.0 } else { 1.0 };
                shift_m = side * (ROOM_M - aside_m.abs());
            }
        }
        let most_m = if self.is_narrow(me.position) { NARROW_M } else { ROOM_M };
        target + left * shift_m.clamp(-most_m, most_m)
    }

    /// Whether a place is on a bridge, in a tunnel, or so near that one must keep to the middle.
    pub(super) fn is_narrow(&self, at: DVec3) -> bool {
        self.roads.crossings().iter().any(|it| it.away_m(at) < NARROW_NEAR_M)
    }

    /// How fast a driver may be so that it can stop before rails that the train needs; `way` is the
    /// place on its way so far ahead.
    pub(super) fn allowed_mps(
        &self,
        me: &Body,
        rules: &DriveRules,
        way: impl Fn(f64) -> DVec3,
    ) -> f64 {
        let Some(train) = self.train else { return f64::INFINITY };
        if self.rails.near(me.position).is_some() {
            return f64::INFINITY; // get off them, whatever comes
        }
        let speed_mps = me.velocity.length().max(5.0);
        let mut far_m = STEP_M;
        while far_m < LOOK_M {
            let place = way(far_m);
            if let Some(progress_m) = self.rails.near(place) {
                let crossing = self.entered(me.position, place);
                let inside_s = crossing.map_or(0.0, |it| it.long_m() / (0.7 * rules.speed_mps));
                let within_s = (far_m + 12.0) / speed_mps + inside_s;
                let taken = train.takes(self.rails, progress_m, within_s)
                    || crossing.is_some_and(|it| self.is_taken(it, train, within_s + 4.0));
                let stop = before(0.0, far_m - WAIT_M, rules);
                return if taken { stop } else { f64::INFINITY };
            }
            far_m += STEP_M;
        }
        f64::INFINITY
    }

    /// The bridge or tunnel with rails that begins at a place ahead.
    fn entered(&self, at: DVec3, place: DVec3) -> Option<&Crossing> {
        self.roads.crossings().iter().find(|it| {
            let towards = (it.middle - at).dot(place - at) > 0.0;
            it.has_rails && towards && it.ends.iter().any(|end| end.distance(place) < 16.0)
        })
    }

    /// Whether the train is anywhere in a crossing at any time within the next seconds.
    fn is_taken(&self, crossing: &Crossing, train: Train, within_s: f64) -> bool {
        [crossing.ends[0], crossing.middle, crossing.ends[1]]
            .iter()
            .filter_map(|it| self.rails.near(*it))
            .any(|it| train.takes(self.rails, it, within_s))
    }
}
