//! History of the true positions of one entity.

use alloc::collections::VecDeque;
use core::time::Duration;

use glam::DVec3;

use crate::{Kinematics, SimTime};

/// A bounded history of one entity, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct PositionHistory {
    held: VecDeque<(SimTime, DVec3, DVec3)>,
}

impl PositionHistory {
    /// Adds a newer state. When a span does not fit into the ring, the states are thinned
    /// to so many per span: the newest is replaced until the one before it is old enough.
    pub(super) fn push(&mut self, truth: &Kinematics, span: Duration, kept: usize) {
        if self.held.back().is_some_and(|(at, ..)| truth.at <= *at) {
            return;
        }
        // Any two neighbours together are as long as this, so the ring covers the span.
        let pairs = u32::try_from(kept / 2).unwrap_or(u32::MAX).saturating_sub(1).max(1);
        let apart = span / pairs;
        let before = self.held.len().checked_sub(2).and_then(|place| self.held.get(place));
        if before.is_some_and(|(at, ..)| truth.at.saturating_since(*at) < apart) {
            self.held.pop_back();
        }
        if self.held.len() >= kept {
            self.held.pop_front();
        }
        self.held.push_back((truth.at, truth.position, truth.velocity));
    }

    /// Straight between two states, and on at the last one's velocity.
    pub(super) fn position_at(&self, at: SimTime) -> Option<DVec3> {
        let after = self.held.partition_point(|(held, ..)| *held <= at);
        let (start, from, velocity) = *self.held.get(after.checked_sub(1)?)?;
        let passed_s = at.secs_since(start);
        Some(match self.held.get(after) {
            Some((end, to, _)) => from.lerp(*to, passed_s / end.secs_since(start)),
            None => from + velocity * passed_s,
        })
    }
}
