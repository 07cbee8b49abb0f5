//! The motion that an update claims, against what bodies can do.

use glam::DVec3;

use super::envelope::{ENVELOPE_SPANS_S, Ways, within};
use super::{Guard, Offence};
use crate::math::{angle_between, sqrt};
use crate::{Kinematics, SimTime, Terrain};

impl Guard {
    /// The worst thing about a motion, and how bad it is: 1 and more is corrected at once.
    pub(super) fn motion_offence(
        &self,
        new: &Kinematics,
        walls: Option<&dyn Terrain>,
    ) -> Option<(Offence, f64)> {
        if walls.is_some_and(|walls| self.passes_wall(new, walls)) {
            return Some((Offence::Wall, 1.0));
        }
        let worst = [
            (Offence::Distance, self.distance_excess(new, new.at)),
            (Offence::Speed, self.speed_excess(new)),
            (Offence::Acceleration, self.acceleration_excess(new)),
            (Offence::Turn, self.turn_excess(new)),
        ]
        .into_iter()
        .reduce(|worst, next| if next.1 > worst.1 { next } else { worst });
        worst.filter(|(_, excess)| *excess > 0.0).map(|(offence, excess)| {
            let weight = if self.config.gross > 0.0 { excess / self.config.gross } else { 1.0 };
            (offence, weight)
        })
    }

    /// By which share it got further than a body can up to the moment `credited`.
    pub(super) fn distance_excess(&self, new: &Kinematics, credited: SimTime) -> f64 {
        let envelope = &self.config.envelope;
        let ways = Ways::of((credited, new.position), self.history.newest_first());
        let over = |far_m: f64, limit_m: f64| {
            let limit_m = limit_m + self.config.tolerance_m;
            if far_m > limit_m { (far_m - limit_m) / limit_m.max(f64::MIN_POSITIVE) } else { 0.0 }
        };
        let mut worst: f64 = 0.0;
        for place in 0..ways.whole {
            worst = worst.max(over(ways.reach_m[place], envelope.reach_m[place]));
            worst = worst.max(over(ways.travel_m[place], envelope.travel_m[place]));
        }
        let (span_s, reach_m, travel_m) = ways.rest;
        if ways.whole < ENVELOPE_SPANS_S.len() && span_s > 0.0 {
            worst = worst.max(over(reach_m, within(&envelope.reach_m, span_s)));
            worst = worst.max(over(travel_m, within(&envelope.travel_m, span_s)));
        }
        worst.min(f64::MAX)
    }

    fn speed_excess(&self, new: &Kinematics) -> f64 {
        excess(new.velocity.length(), self.config.envelope.speed_mps)
    }

    fn acceleration_excess(&self, new: &Kinematics) -> f64 {
        let envelope = &self.config.envelope;
        let run_s = new.at.secs_since(self.last.at) + self.config.foresight.as_secs_f64();
        let change_mps = (new.velocity - self.last.velocity).length();
        let allowed_mps = envelope.kick_mps + envelope.acceleration_mps2 * run_s;
        excess(change_mps, allowed_mps)
            .max(excess(new.acceleration.length(), envelope.acceleration_mps2))
    }

    fn turn_excess(&self, new: &Kinematics) -> f64 {
        let limit_radps = self.config.envelope.turn_radps;
        if limit_radps == f64::INFINITY {
            return 0.0;
        }
        let turned_rad = angle_between(self.last.orientation, new.orientation);
        let run_s = new.at.secs_since(self.last.at);
        // A tenth of a second of grace: orientations are rounded and have thresholds too.
        excess(turned_rad, limit_radps * (run_s + 0.1))
            .max(excess(new.angular_velocity.length(), limit_radps))
    }

    /// Whether no way near the straight one is free. Updates are few, so a straight line
    /// between two of them may cut a corner that the body went round; never by a way that is longer
    /// than a body goes in the time.
    fn passes_wall(&self, new: &Kinematics, walls: &dyn Terrain) -> bool {
        let (from, to) = (self.last.position, new.position);
        let sees = |from, to| walls.first_hit(from, to).is_none();
        if sees(from, to) {
            return false;
        }
        let run_s = new.at.secs_since(self.last.at);
        let longest_m = within(&self.config.envelope.travel_m, run_s) + self.config.tolerance_m;
        let free = |via: DVec3| {
            from.distance(via) + via.distance(to) <= longest_m && sees(from, via) && sees(via, to)
        };
        if self.promised.is_some_and(|update| free(update.position_at(new.at))) {
            return false;
        }
        let aside = (to - from).cross(DVec3::Z).normalize_or_zero();
        // As far aside as the time allows, when updates were lost on the way.
        let spare_m2 = longest_m * longest_m - from.distance_squared(to);
        let widest_m = 0.5 * sqrt(spare_m2.clamp(0.0, f64::MAX));
        let near_m = self.config.tolerance_m;
        let round = |share: f64, far_m: f64| {
            // Over it as well: bodies jump, and climb steps.
            let (aside, up) = (aside * far_m, DVec3::Z * near_m);
            let detours = [up, aside, -aside, aside + up, up - aside];
            detours.iter().any(|way| free(from.lerp(to, share) + *way))
        };
        let shares = [0.5, 0.25, 0.75, 1.0, 0.0];
        let asides = [near_m, near_m * 0.5, widest_m, widest_m * 0.5];
        !shares.into_iter().any(|share| asides.into_iter().any(|far_m| round(share, far_m)))
    }
}

/// By which share `got` exceeds `limit`; a tenth is forgiven, for rounding and sampling.
fn excess(got: f64, limit: f64) -> f64 {
    let limit = limit * 1.1;
    if got > limit { ((got - limit) / limit.max(f64::MIN_POSITIVE)).min(f64::MAX) } else { 0.0 }
}
