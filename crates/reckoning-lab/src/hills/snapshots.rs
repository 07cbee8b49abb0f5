//! What a game without dead reckoning shows of the snapshots that it receives.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reckoning::SimTime;
use reckoning::orientation::shortest_turn_rad;
use reckoning_arena::hills::protocol::HillsTruthBody;

/// Snapshots of one body that are kept: a second of them.
const KEPT: usize = 20;

/// Snapshots as they arrived.
#[derive(Clone, Debug, Default)]
pub struct Snapshots {
    bodies: BTreeMap<u32, VecDeque<(SimTime, HillsTruthBody)>>,
    bytes: u64,
    datagrams: u64,
}

impl Snapshots {
    pub(super) fn take(&mut self, at: SimTime, bodies: &[HillsTruthBody], bytes: usize) {
        self.bytes += bytes as u64;
        self.datagrams += 1;
        for body in bodies {
            let kept = self.bodies.entry(body.entity).or_default();
            let place = kept.partition_point(|it| it.0 <= at);
            kept.insert(place, (at, *body));
            if kept.len() > KEPT {
                kept.pop_front();
            }
        }
    }

    /// Bytes that arrived, and in how many datagrams.
    #[must_use]
    pub const fn received(&self) -> (u64, u64) {
        (self.bytes, self.datagrams)
    }

    /// The newest snapshot of an entity.
    #[must_use]
    pub fn newest(&self, entity: u32) -> Option<HillsTruthBody> {
        self.bodies.get(&entity)?.back().map(|it| it.1)
    }

    /// An entity as it was `back` before `now`, between the two snapshots around that moment; the
    /// newest where none came since.
    #[must_use]
    pub fn past(&self, entity: u32, now: SimTime, back: Duration) -> Option<HillsTruthBody> {
        let kept = self.bodies.get(&entity)?;
        let at = now - back;
        let after = kept.partition_point(|it| it.0 < at);
        let Some((end, b)) = kept.get(after) else { return self.newest(entity) };
        let Some((begin, a)) = after.checked_sub(1).and_then(|it| kept.get(it)) else {
            return Some(*b);
        };
        let share = at.secs_since(*begin) / end.secs_since(*begin).max(1e-9);
        let mut shown = *b;
        shown.position = a.position.lerp(b.position, share);
        shown.orientation = a.orientation.lerp(b.orientation, share);
        let turned = shortest_turn_rad(a.aim.turret_rad, b.aim.turret_rad);
        shown.aim.turret_rad = a.aim.turret_rad + turned * share;
        Some(shown)
    }
}
