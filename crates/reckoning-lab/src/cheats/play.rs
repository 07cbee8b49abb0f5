//! Recorded players as unbroken pieces of motion that can be evaluated at any moment.

use reckoning::{Kinematics, SimTime};
use reckoning_recording::Recording;

use super::inject::LASTS_S;
use crate::compare::Prepared;

/// Pieces shorter than this tell nothing.
const MIN_PIECE_S: f64 = 0.5;
/// A gap longer than this ends a piece: nobody knows what happened in it.
const GAP_S: f64 = 0.5;

/// Honest play before the first cheat of a piece.
const LEAD_S: f64 = 4.0;
/// Moments are looked at this often.
const STEP_S: f64 = 0.5;

/// When to cheat.
pub(super) struct CheatPlan {
    /// This often, whatever the player does.
    pub(super) every_s: f64,
    /// How many times as fast as recorded the cheat goes.
    pub(super) times: f64,
    /// And whenever the player becomes as fast as this.
    pub(super) fast_mps: f64,
}

/// A moment to cheat at.
pub(super) struct CheatMoment<'a> {
    pub(super) piece: &'a Piece,
    pub(super) at_s: f64,
    /// The player is fast then.
    pub(super) fast: bool,
    /// It would have been chosen whatever the player does.
    pub(super) regular: bool,
}

/// What one player did, piece by piece: a piece ends with a death, a teleport or a gap.
pub(super) struct PlayerPieces {
    pub(super) pieces: Vec<Piece>,
}

/// One unbroken piece; seconds are counted from its start.
pub(super) struct Piece {
    states: Vec<Kinematics>,
}

impl PlayerPieces {
    pub(super) fn all_of(recording: &Recording) -> Vec<Self> {
        let prepared = Prepared::from_recording(recording);
        let courses = prepared.courses.iter().map(|course| {
            let usable: Vec<(usize, Kinematics)> = course
                .states
                .iter()
                .enumerate()
                .filter(|(_, state)| state.alive && state.moving_known)
                .map(|(place, state)| (course.segment_end(place), state.kinematics))
                .collect();
            let unbroken = |a: &(usize, Kinematics), b: &(usize, Kinematics)| {
                let gap_s = b.1.at.secs_since(a.1.at);
                a.0 == b.0 && gap_s > 0.0 && gap_s <= GAP_S
            };
            let pieces = usable
                .chunk_by(unbroken)
                .map(|chunk| Piece { states: chunk.iter().map(|(_, state)| *state).collect() })
                .filter(|piece| piece.length_s() >= MIN_PIECE_S)
                .collect();
            Self { pieces }
        });
        courses.collect()
    }

    /// Moments to cheat at: the first after four seconds of a piece, then every so often, as
    /// long as enough of the piece follows; and whenever it becomes fast.
    pub(super) fn moments(&self, plan: &CheatPlan) -> Vec<CheatMoment<'_>> {
        let mut found = Vec::new();
        for piece in &self.pieces {
            let steps = ((piece.length_s() - LASTS_S * plan.times - LEAD_S) / STEP_S) as i64;
            let (mut due_s, mut was_fast) = (LEAD_S, false);
            for step in 0..=steps {
                let at_s = LEAD_S + step as f64 * STEP_S;
                let fast = piece.pace(at_s, plan.times) >= plan.fast_mps;
                let regular = at_s >= due_s;
                if regular || (fast && !was_fast) {
                    found.push(CheatMoment { piece, at_s, fast, regular });
                }
                due_s = if regular { at_s + plan.every_s } else { due_s };
                was_fast = fast;
            }
        }
        found
    }
}

impl Piece {
    pub(super) fn length_s(&self) -> f64 {
        let (first, last) = (self.states.first(), self.states.last());
        first.zip(last).map_or(0.0, |(first, last)| last.at.secs_since(first.at))
    }

    pub(super) fn start(&self) -> SimTime {
        self.states[0].at
    }

    /// The state so many seconds into the piece, straight between samples.
    pub(super) fn at(&self, at_s: f64) -> Kinematics {
        let at = SimTime::from_secs_f64(self.start().as_secs_f64() + at_s);
        let next = self.states.partition_point(|state| state.at < at);
        let next = next.min(self.states.len() - 1);
        let (before, after) = (&self.states[next.saturating_sub(1)], &self.states[next]);
        let span_s = after.at.secs_since(before.at);
        let share = if span_s > 0.0 { at.secs_since(before.at) / span_s } else { 1.0 };
        let share = share.clamp(0.0, 1.0);
        Kinematics {
            at,
            position: before.position.lerp(after.position, share),
            velocity: before.velocity.lerp(after.velocity, share),
            acceleration: before.acceleration.lerp(after.acceleration, share),
            ..*after
        }
    }

    /// How fast it honestly went the stretch that a cheat goes within its first 0.8 s.
    pub(super) fn pace(&self, at_s: f64, times: f64) -> f64 {
        let span_s = 0.8 * times;
        self.at(at_s).position.distance(self.at(at_s + span_s).position) / span_s
    }
}
