//! Blending along a path: what rides on it is never shown beside it.
//!
//! A picture that is off along the path sheds its error along the path as well. The blend is the
//! same as that of any other body, on a straight line: `x` is the progress, and only what comes out
//! is laid onto the path.

use glam::DVec3;

use super::Ghost;
use super::fading::Shown;
use crate::model::PathRide;
use crate::{Model, SimTime, Update};

/// Progress and rate of a picture on a path.
type Along = (f64, f64);

fn ride_of(update: &Update) -> Option<&PathRide> {
    match update.model() {
        Model::Path(ride) => Some(ride),
        _ => None,
    }
}

/// Whether an update puts a body onto its path, not beside it.
pub(super) fn is_on_rails(update: &Update) -> bool {
    ride_of(update)
        .is_some_and(|ride| update.kinematics().position == ride.path.place_at(ride.progress_m).0)
}

impl Ghost {
    /// Where the picture is along the path, if `next` goes on along it.
    pub(super) fn along_rails(&self, next: &Update, now: SimTime) -> Option<Along> {
        let (ride, to) = (ride_of(&self.update)?, ride_of(next)?);
        let same = core::ptr::eq(ride.path, to.path) || ride.path == to.path;
        if !(same && is_on_rails(next)) {
            return None;
        }
        if self.on_rails {
            return Some((self.blended_position(now).x, self.blended_velocity(now).x));
        }
        // It came from elsewhere, and has arrived.
        let (t_s, rate) = self.model_time(now);
        let arrived = self.blended(now).is_none() && is_on_rails(&self.update);
        arrived.then(|| (self.believed_along(t_s).x, self.rate_along().x * rate))
    }

    /// What is shown, on the straight line that the path of the update is rolled out to. A path
    /// that goes round is rolled out as often as brings it nearest to what is believed.
    pub(super) fn unrolled(
        &self,
        (progress_m, rate_mps): Along,
        shown: &Shown,
        now: SimTime,
    ) -> Shown {
        let mut progress_m = progress_m;
        if let Some(ride) = ride_of(&self.update) {
            let ahead_m = self.believed_position(now).x - progress_m;
            progress_m += ride.path.laps_m(ahead_m);
        }
        Shown { position: DVec3::X * progress_m, velocity: DVec3::X * rate_mps, ..*shown }
    }

    pub(super) fn believed_along(&self, t_s: f64) -> DVec3 {
        let along = ride_of(&self.update).map_or(0.0, |it| it.progress_m + it.rate_mps * t_s);
        DVec3::X * if along.is_finite() { along } else { 0.0 }
    }

    pub(super) fn rate_along(&self) -> DVec3 {
        DVec3::X * ride_of(&self.update).map_or(0.0, |ride| ride.rate_mps)
    }

    /// The place of a blend that may run along a path.
    pub(super) fn in_world(&self, blended: DVec3) -> DVec3 {
        match ride_of(&self.update) {
            Some(ride) if self.on_rails => ride.path.place_at(blended.x).0,
            _ => blended,
        }
    }

    /// The velocity of a blend that may run along a path.
    pub(super) fn velocity_in_world(&self, blended: DVec3, now: SimTime) -> DVec3 {
        match ride_of(&self.update) {
            Some(ride) if self.on_rails => {
                let progress_m = self.blended_position(now).x;
                PathRide { progress_m, rate_mps: blended.x, ..*ride }.velocity(0.0)
            }
            _ => blended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Path;
    use crate::{Blend, Kinematics, UpdateKind};

    /// Round a square, where every straight line between two places leads off the path.
    #[test]
    fn a_picture_that_is_off_goes_round_corners_and_jumps_nowhere() {
        let corners = [DVec3::ZERO, DVec3::X * 10.0, DVec3::new(10.0, 10.0, 0.0), DVec3::Y * 10.0];
        let path = Path::polyline(1, &corners, true).unwrap().leak();
        let update = |ms: i64, progress_m: f64| {
            let model = Model::Path(PathRide { path, progress_m, rate_mps: 8.0 });
            let place = path.place_at(progress_m).0;
            let seen = Kinematics::moving(SimTime::from_millis(ms), place, DVec3::ZERO);
            Update::new(seen, model, UpdateKind::Partial).unwrap()
        };
        for blend in Blend::ALL.into_iter().filter(|blend| *blend != Blend::Snap) {
            let mut ghost = Ghost::new(update(0, 33.0), blend);
            let mut last = ghost.position_at(SimTime::ZERO);
            for ms in 1..10_000 {
                let now = SimTime::from_millis(ms);
                if ms % 450 == 0 {
                    // Up to two metres off, to either side, and round and round.
                    let off_m = 2.0 * libm::sin(ms as f64);
                    ghost.accept(update(ms - 50, path.wrap(33.0 + 0.008 * ms as f64 + off_m)), now);
                }
                let place = ghost.position_at(now);
                let off_m = place.distance(path.place_at(path.nearest_m(place)).0);
                assert!(off_m < 1e-9, "{blend:?}: {off_m} m off the path at {ms} ms");
                let step_m = place.distance(last);
                assert!(step_m < 0.06, "{blend:?}: a step of {step_m} m at {ms} ms");
                last = place;
            }
        }
    }
}
