//! Accepted positions of a body, for the longest span of its envelope.

use alloc::collections::VecDeque;

use glam::DVec3;

use super::envelope::ENVELOPE_SPANS_S;
use crate::{Kinematics, SimTime};

/// Enough for the longest span at 40 updates a second; with more the spans get shorter.
const MAX_HELD: usize = 128;

/// The last few seconds of one body, bounded.
#[derive(Clone, Debug)]
pub(super) struct AcceptedPositions {
    places: VecDeque<(SimTime, DVec3)>,
}

impl From<&Kinematics> for AcceptedPositions {
    fn from(start: &Kinematics) -> Self {
        Self { places: VecDeque::from([(start.at, start.position)]) }
    }
}

impl AcceptedPositions {
    pub(super) fn push(&mut self, seen: &Kinematics) {
        let longest_s = ENVELOPE_SPANS_S[ENVELOPE_SPANS_S.len() - 1];
        // One that is older stays, so that the longest span can be cut out of it.
        while self.places.len() >= MAX_HELD
            || self.places.get(1).is_some_and(|(at, _)| seen.at.secs_since(*at) > longest_s)
        {
            self.places.pop_front();
        }
        self.places.push_back((seen.at, seen.position));
    }

    pub(super) fn newest_first(&self) -> impl Iterator<Item = (SimTime, DVec3)> {
        self.places.iter().rev().copied()
    }
}
