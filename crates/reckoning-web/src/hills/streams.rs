//! Truth and plain positions of the others, as those of the flat arena, with their orientations
//! and turrets.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reckoning::ground::Pose;
use reckoning::{DVec3, SimTime};
use reckoning_arena::hills::protocol::HillsTruthBody;

use super::stance::Stance;
use crate::comparison::{LONGEST_GUESS_S, SETTLE_S, StandstillWatch, StreamClock};
use crate::jitter_buffer::JitterBuffer;

/// Two seconds at 60 Hz.
const PLACES: usize = 128;
/// A body without data for so long is removed.
const FORGET_S: f64 = 3.0;
/// A body that is further than this from where it was, beyond what its speed explains, was born.
const LEAP_M: f64 = 12.0;

#[derive(Clone, Copy, Debug)]
struct Seen {
    at: SimTime,
    stance: Stance,
    velocity: DVec3,
}

#[derive(Clone, Debug, Default)]
struct Track {
    seen: VecDeque<Seen>,
    leapt: Option<SimTime>,
}

impl Track {
    fn hear(&mut self, seen: Seen) {
        let place = self.seen.partition_point(|it| it.at < seen.at);
        if self.seen.get(place).is_some_and(|it| it.at == seen.at) {
            return;
        }
        if let Some(before) = self.seen.back().filter(|it| it.at < seen.at)
            && is_leap(before, &seen)
        {
            self.leapt = Some(seen.at);
        }
        self.seen.insert(place, seen);
        if self.seen.len() > PLACES {
            self.seen.pop_front();
        }
    }

    fn stance_at(&self, at: SimTime) -> Option<Stance> {
        let after = self.seen.partition_point(|it| it.at <= at);
        let Some(before) = after.checked_sub(1).and_then(|place| self.seen.get(place)) else {
            return self.seen.front().map(|it| it.stance);
        };
        let past_s = at.secs_since(before.at);
        let Some(next) = self.seen.get(after) else {
            let mut stance = before.stance;
            stance.pose.position += before.velocity * past_s;
            let is_fresh = past_s <= LONGEST_GUESS_S || before.velocity == DVec3::ZERO;
            return is_fresh.then_some(stance);
        };
        if is_leap(before, next) {
            return Some(before.stance);
        }
        Some(before.stance.towards(&next.stance, past_s / next.at.secs_since(before.at)))
    }
}

fn is_leap(before: &Seen, next: &Seen) -> bool {
    let could_m = LEAP_M + 3.0 * next.at.secs_since(before.at) * before.velocity.length();
    next.stance.pose.position.distance(before.stance.pose.position) > could_m
}

/// Everything received beside the protocol.
#[derive(Clone, Debug, Default)]
pub struct HillsStreams {
    truth_clock: StreamClock,
    standstill: StandstillWatch,
    /// How late the newest truth was, which passes no simulated link.
    held: Duration,
    buffer: JitterBuffer,
    truths: BTreeMap<u32, Track>,
    snapshots: BTreeMap<u32, Track>,
}

impl HillsStreams {
    /// The truth of some bodies at `at` came.
    pub fn hear_truth(&mut self, at: SimTime, arrived: SimTime, bodies: &[HillsTruthBody]) {
        self.truth_clock.hear(at, arrived);
        self.standstill.hear(at, arrived);
        self.held = self.truth_clock.lateness(at, arrived);
        hear(&mut self.truths, at, bodies);
    }

    /// Plain positions of some bodies at `at` came.
    pub fn hear_snapshot(&mut self, at: SimTime, arrived: SimTime, bodies: &[HillsTruthBody]) {
        self.buffer.hear_held(at, arrived, self.held);
        hear(&mut self.snapshots, at, bodies);
    }

    /// The host's time when our clock shows `now`.
    #[must_use]
    pub fn host_time(&self, now: SimTime) -> Option<SimTime> {
        self.truth_clock.at(now)
    }

    /// How a body really is.
    #[must_use]
    pub fn truth(&self, entity: u32, now: SimTime) -> Option<Stance> {
        self.truths.get(&entity)?.stance_at(self.truth_clock.at(now)?)
    }

    /// How a game shows it that draws the newest position received.
    #[must_use]
    pub fn naive(&self, entity: u32) -> Option<Stance> {
        Some(self.snapshots.get(&entity)?.seen.back()?.stance)
    }

    /// How it was between two positions, as far back as the link's buffer has to go.
    #[must_use]
    pub fn interpolated(&self, entity: u32, now: SimTime) -> Option<Stance> {
        self.snapshots.get(&entity)?.stance_at(self.buffer.play_out(now)?)
    }

    /// The same if every datagram came as soon as the soonest: how it truly was that long ago.
    #[must_use]
    pub fn interpolated_at_best(&self, entity: u32, now: SimTime) -> Option<Stance> {
        self.truths.get(&entity)?.stance_at(self.buffer.best_play_out(now)?)
    }

    /// What decides how far back interpolation goes.
    #[must_use]
    pub const fn buffer(&self) -> &JitterBuffer {
        &self.buffer
    }

    /// Whether a body lives long enough that pictures of it can be judged, and nothing stood still.
    #[must_use]
    pub fn is_settled(&self, entity: u32) -> bool {
        if self.standstill.is_recent() {
            return false;
        }
        let Some(track) = self.truths.get(&entity) else { return false };
        let (Some(newest), Some(leapt)) = (track.seen.back(), track.leapt) else { return true };
        newest.at.secs_since(leapt) > SETTLE_S
    }
}

fn hear(tracks: &mut BTreeMap<u32, Track>, at: SimTime, bodies: &[HillsTruthBody]) {
    for body in bodies {
        let pose = Pose { position: body.position, orientation: body.orientation };
        let (turret_rad, barrel_rad) = (body.aim.turret_rad, body.aim.barrel_rad);
        let stance = Stance { pose, turret_rad, barrel_rad };
        tracks.entry(body.entity).or_default().hear(Seen { at, stance, velocity: body.velocity });
    }
    tracks.retain(|_, it| it.seen.back().is_some_and(|last| at.secs_since(last.at) < FORGET_S));
}

#[cfg(test)]
mod tests {
    use reckoning::DQuat;
    use reckoning_arena::hills::Aim;

    use super::*;
    use crate::testing::ms;

    fn body(x: f64, speed: f64) -> HillsTruthBody {
        HillsTruthBody {
            entity: 4,
            position: DVec3::X * x,
            velocity: DVec3::X * speed,
            orientation: DQuat::IDENTITY,
            aim: Aim { turret_rad: x * 0.01, ..Aim::default() },
        }
    }

    #[test]
    fn truth_goes_on_and_interpolation_lags_by_one_interval_without_jitter() {
        let mut streams = HillsStreams::default();
        for tick in 0..10 {
            let (at, x) = (ms(tick * 50), tick as f64);
            streams.hear_truth(at, at, &[body(x, 20.0)]);
            streams.hear_snapshot(at, at, &[body(x, 0.0)]);
        }
        let place = |it: Option<Stance>| it.unwrap().pose.position.x;
        assert!((place(streams.truth(4, ms(475))) - 9.5).abs() < 1e-9);
        assert!((place(streams.naive(4)) - 9.0).abs() < 1e-9);
        let past = streams.interpolated(4, ms(475)).unwrap();
        assert!((past.pose.position.x - 8.5).abs() < 1e-9, "{past:?}");
        assert!((past.turret_rad - 0.085).abs() < 1e-9);
        let best = streams.interpolated_at_best(4, ms(475)).unwrap();
        assert!((best.pose.position.x - 8.5).abs() < 1e-9, "{best:?}");
        assert!(streams.is_settled(4));
    }

    #[test]
    fn a_birth_is_no_way_and_is_not_judged() {
        let mut streams = HillsStreams::default();
        streams.hear_truth(ms(0), ms(0), &[body(0.0, 1.0)]);
        streams.hear_truth(ms(100), ms(100), &[body(300.0, 1.0)]);
        assert!(!streams.is_settled(4));
        let between = streams.truth(4, ms(50)).unwrap();
        assert!(between.pose.position.x < 1.0, "{between:?}");
    }
}
