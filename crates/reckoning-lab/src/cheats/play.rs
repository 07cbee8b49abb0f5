//! Recorded players as unbroken pieces that can be asked about any moment.

use reckoning::{Kinematics, SimTime};

use crate::compare::Prepared;
use crate::recording::Recording;

/// Pieces shorter than this tell nothing.
const SHORTEST_S: f64 = 0.5;
/// A gap longer than this ends a piece: nobody knows what happened in it.
const GAP_S: f64 = 0.5;

/// What one player did, piece by piece: a piece ends with a death, a teleport or a gap.
pub(super) struct Player {
    pub(super) pieces: Vec<Piece>,
}

/// One unbroken piece; seconds are counted from its start.
pub(super) struct Piece {
    states: Vec<Kinematics>,
}

impl Player {
    pub(super) fn all_of(recording: &Recording) -> Vec<Self> {
        let prepared = Prepared::of(recording);
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
                .filter(|piece| piece.length_s() >= SHORTEST_S)
                .collect();
            Self { pieces }
        });
        courses.collect()
    }

    /// Moments to cheat at: the first after four seconds of a piece, then every so often, as
    /// long as `needs_s` of the piece follow.
    pub(super) fn moments(&self, every_s: f64, needs_s: f64) -> Vec<(&Piece, f64)> {
        let of_piece = |piece| {
            let last_s = Piece::length_s(piece) - needs_s;
            let starts = (0..).map(move |n| 4.0 + f64::from(n) * every_s);
            starts.take_while(move |at_s| *at_s <= last_s).map(move |at_s| (piece, at_s))
        };
        self.pieces.iter().flat_map(of_piece).collect()
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

    /// How fast it got anywhere within 0.8 s from then.
    pub(super) fn pace(&self, at_s: f64) -> f64 {
        self.at(at_s).position.distance(self.at(at_s + 0.8).position) / 0.8
    }
}
