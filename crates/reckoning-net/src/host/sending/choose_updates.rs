//! Choice of the entities that a peer is sent in a tick, within its budget of bytes.

use reckoning::SimTime;

use super::SendContext;
use crate::host::connections::Peer;

/// An entity that a peer is due something of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    urgency: f32,
    /// Its place in the peer's list of entity states.
    place: u32,
}

impl SendContext<'_> {
    /// Fills the peer's queue for this tick: all entities that it is due something of, or the most
    /// urgent ones if the budget is short. In order of entity, which is cheapest to write.
    pub(super) fn choose_updates(&mut self, peer: &mut Peer, now: SimTime) {
        peer.queue.clear();
        peer.served = 0;
        let available_bytes = peer.budget.available_bytes(now);
        if available_bytes <= 0.0 {
            return;
        }
        self.find_candidates(peer, now);
        let room = (available_bytes / peer.update_bytes) as usize + 1;
        let candidates = &mut *self.candidates;
        if room < candidates.len() {
            let most_urgent_first = |a: &Candidate, b: &Candidate| {
                b.urgency.total_cmp(&a.urgency).then(a.place.cmp(&b.place))
            };
            candidates.select_nth_unstable_by(room, most_urgent_first);
            candidates.truncate(room);
            candidates.sort_unstable_by_key(|candidate| candidate.place);
        }
        peer.queue.extend(candidates.iter().map(|candidate| candidate.place));
    }

    fn find_candidates(&mut self, peer: &Peer, now: SimTime) {
        self.candidates.clear();
        for (place, state) in peer.entity_states.iter().enumerate() {
            let urgency = match self.entities.at_slot(state.slot, state.entity) {
                Some(_) if self.nearest_only && state.class > 0 => None,
                Some((entity, classes)) => state.urgency(entity, classes, now),
                None => state.urgency_despawned(now),
            };
            if let Some(urgency) = urgency {
                self.candidates.push(Candidate { urgency, place: place as u32 });
            }
        }
    }
}
