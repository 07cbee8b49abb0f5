//! Envelope of a body: limits on how far it gets in how long.

use alloc::vec::Vec;

use glam::DVec3;

use crate::error::SettingError;
use crate::math::angle_between;
use crate::{Kinematics, SimTime};

/// The spans, in seconds, at which an [`Envelope`] knows how far a body gets.
pub const ENVELOPE_SPANS_S: [f64; 6] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
const SPANS: usize = ENVELOPE_SPANS_S.len();

/// What a body of a game can do.
///
/// Distances are kept per span: a body that gets 12 m in a second by a leap does not keep
/// that up for three, and a limit on speed alone would let a cheat hide behind the leap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// How fast it can be.
    pub speed_mps: f64,
    /// How much its velocity can change per second by its own power.
    pub acceleration_mps2: f64,
    /// How much its velocity can change at once: a knock, a jump, a wall.
    pub kick_mps: f64,
    /// How fast it can turn; infinite where a mouse turns it.
    pub turn_radps: f64,
    /// How far from where it was it can be after each of [`ENVELOPE_SPANS_S`].
    pub reach_m: [f64; 6],
    /// How long a way it can go in each of [`ENVELOPE_SPANS_S`], in straight lines from
    /// update to update.
    pub travel_m: [f64; 6],
}

impl Envelope {
    /// A body that can keep its top speed for ever.
    #[must_use]
    pub fn of_speed(speed_mps: f64, acceleration_mps2: f64) -> Self {
        let far = ENVELOPE_SPANS_S.map(|span_s| span_s * speed_mps);
        Self {
            speed_mps,
            acceleration_mps2,
            kick_mps: 2.0 * speed_mps,
            turn_radps: f64::INFINITY,
            reach_m: far,
            travel_m: far,
        }
    }

    /// The envelope of honest play: for each limit the value that the share `quantile` of
    /// all moments stayed within, times `1 + margin`.
    ///
    /// Each track is one unbroken piece of play, as its updates recorded it, so teleports and
    /// respawns end a track. `None` if no track has two states in order of time.
    pub fn learnt_from<'a>(
        tracks: impl IntoIterator<Item = &'a [Kinematics]>,
        quantile: f64,
        margin: f64,
    ) -> Option<Self> {
        let mut seen = HonestSamples::default();
        for track in tracks {
            seen.add(track);
        }
        let mut limit = |list: &mut Vec<f64>| quantile_of(list, quantile) * (1.0 + margin);
        if seen.speed.is_empty() {
            return None;
        }
        let mut envelope = Self {
            speed_mps: limit(&mut seen.speed),
            acceleration_mps2: limit(&mut seen.acceleration),
            kick_mps: limit(&mut seen.kick),
            turn_radps: limit(&mut seen.turn),
            reach_m: seen.reach.each_mut().map(&mut limit),
            travel_m: seen.travel.each_mut().map(&mut limit),
        };
        envelope.fill_gaps();
        Some(envelope)
    }

    /// Spans longer than any track get what the top speed allows, and no span less than a
    /// shorter one.
    fn fill_gaps(&mut self) {
        for list in [&mut self.reach_m, &mut self.travel_m] {
            for (index, span_s) in ENVELOPE_SPANS_S.into_iter().enumerate() {
                if list[index] <= 0.0 {
                    list[index] = span_s * self.speed_mps;
                }
                if index > 0 {
                    list[index] = list[index].max(list[index - 1]);
                }
            }
        }
    }

    pub(super) fn validate(&self) -> Result<(), SettingError> {
        let limits = [
            ("speed_mps", self.speed_mps),
            ("acceleration_mps2", self.acceleration_mps2),
            ("kick_mps", self.kick_mps),
            ("turn_radps", self.turn_radps),
        ];
        for (name, got) in limits {
            SettingError::in_range(name, got, 0.0, f64::INFINITY)?;
        }
        for (name, list) in [("reach_m", self.reach_m), ("travel_m", self.travel_m)] {
            for got in list {
                SettingError::in_range(name, got, 0.0, f64::INFINITY)?;
            }
        }
        Ok(())
    }
}

/// The limit of `far` after `span_s`: straight between the spans, from `(0, 0)`, and on at
/// the slope of the last two.
pub(super) fn within(far_m: &[f64; SPANS], span_s: f64) -> f64 {
    let after = ENVELOPE_SPANS_S.partition_point(|&end_s| end_s < span_s);
    let upper = after.min(SPANS - 1);
    let end = (ENVELOPE_SPANS_S[upper], far_m[upper]);
    let start = match upper {
        0 => (0.0, 0.0),
        _ => (ENVELOPE_SPANS_S[upper - 1], far_m[upper - 1]),
    };
    let slope = (end.1 - start.1) / (end.0 - start.0);
    let limit = start.1 + slope * (span_s - start.0).max(0.0);
    if limit.is_nan() { f64::INFINITY } else { limit }
}

/// Values seen in honest play.
#[derive(Default)]
struct HonestSamples {
    speed: Vec<f64>,
    acceleration: Vec<f64>,
    kick: Vec<f64>,
    turn: Vec<f64>,
    reach: [Vec<f64>; SPANS],
    travel: [Vec<f64>; SPANS],
}

impl HonestSamples {
    fn add(&mut self, track: &[Kinematics]) {
        for pair in track.windows(2) {
            let (old, new) = (&pair[0], &pair[1]);
            let run_s = new.at.secs_since(old.at);
            if run_s <= 0.0 {
                continue;
            }
            self.speed.push(new.velocity.length());
            self.acceleration.push(new.acceleration.length());
            self.kick.push((new.velocity - old.velocity).length());
            self.turn.push(angle_between(old.orientation, new.orientation) / run_s);
        }
        self.add_ways(track);
    }

    fn add_ways(&mut self, track: &[Kinematics]) {
        for (last, now) in track.iter().enumerate() {
            let earlier = track[..last].iter().rev().map(|old| (old.at, old.position));
            let ways = Ways::of((now.at, now.position), earlier);
            for place in 0..ways.whole {
                self.reach[place].push(ways.reach_m[place]);
                self.travel[place].push(ways.travel_m[place]);
            }
        }
    }
}

/// How far a body got, and how long its way was, in each of the spans before a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ways {
    pub(super) reach_m: [f64; SPANS],
    pub(super) travel_m: [f64; SPANS],
    /// So many of the spans are covered by what is remembered.
    pub(super) whole: usize,
    /// All that is remembered, if less than the next span: how long, how far, how long a way.
    pub(super) rest: (f64, f64, f64),
}

impl Ways {
    /// From where it is now and where it was, newest first; straight lines between.
    pub(super) fn of(
        now: (SimTime, DVec3),
        earlier: impl IntoIterator<Item = (SimTime, DVec3)>,
    ) -> Self {
        let mut ways = Self::default();
        let (mut newer, mut way_m) = (now, 0.0);
        for old in earlier {
            let (run_s, age_s) = (newer.0.secs_since(old.0), now.0.secs_since(old.0));
            if run_s <= 0.0 {
                continue;
            }
            let step_m = newer.1.distance(old.1);
            while ways.whole < SPANS && ENVELOPE_SPANS_S[ways.whole] <= age_s {
                let share = (age_s - ENVELOPE_SPANS_S[ways.whole]) / run_s;
                let place = old.1.lerp(newer.1, share);
                ways.reach_m[ways.whole] = now.1.distance(place);
                ways.travel_m[ways.whole] = way_m + step_m * (1.0 - share);
                ways.whole += 1;
            }
            way_m += step_m;
            ways.rest = (age_s, now.1.distance(old.1), way_m);
            if ways.whole == SPANS {
                break;
            }
            newer = old;
        }
        ways
    }
}

/// The value that the share `quantile` of the list does not exceed; zero for none.
fn quantile_of(list: &mut [f64], quantile: f64) -> f64 {
    list.sort_by(f64::total_cmp);
    let last = list.len().saturating_sub(1);
    let place = crate::math::ceil(quantile.clamp(0.0, 1.0) * last as f64) as usize;
    list.get(place).copied().unwrap_or(0.0)
}
