//! Choice of the entities that a peer is sent in a tick, within its budget of bytes.
//!
//! What is due is compared by its urgency: how large the error is that the peer sees, how long it was
//! sent nothing, how important the entity is ([`export_reason`](super::export_reason)). Errors that
//! grow steadily, sent in the order of error times age, add up to the least that a budget allows. So
//! that nobody waits for ever behind those that err more, whoever was passed over for several times
//! as long as taking turns would last comes first.
//!
//! Members of a group are chosen together, by the most urgent of them, and stand side by side in the
//! queue.

use reckoning::SimTime;

use super::{SendContext, View};
use crate::budget::DATAGRAM_OVERHEAD_BYTES;
use crate::host::connections::Peer;
use crate::host::interest::GroupId;

/// Nobody who is due something is passed over for more than so many times as many ticks as it would
/// take if all took turns. Those who wait that long take at most a quarter of the budget.
const MAX_TURNS: usize = 4;

/// Above every error, below what enters or leaves.
const PASSED_OVER_URGENCY: f32 = 5e4;

/// An entity that a peer is due something of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    urgency: f32,
    queued: QueuedEntity,
}

/// An entity that a peer is sent something of in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueuedEntity {
    /// The place of the first member of its group that is queued; its own if it has no group.
    pub(super) group: u32,
    /// Its place in the peer's list of entity states.
    pub(super) place: u32,
}

impl QueuedEntity {
    /// Whether it is the first of its group, or has none.
    pub(super) const fn is_first(self) -> bool {
        self.group == self.place
    }
}

/// A member of a group in a peer's interest set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMember {
    group: GroupId,
    place: u32,
    /// `None` when it is due nothing itself.
    urgency: Option<f32>,
}

impl SendContext<'_> {
    /// Fills the peer's queue for this tick: all entities that it is due something of, or the most
    /// urgent ones if the budget is short. In order of entity, which is cheapest to write.
    pub(super) fn choose_updates(&mut self, peer: &mut Peer, now: SimTime) {
        peer.queue.clear();
        peer.served = 0;
        let available_bytes = peer.budget.available_bytes(now) - DATAGRAM_OVERHEAD_BYTES as f64;
        if available_bytes <= 0.0 {
            return;
        }
        self.find_candidates(peer, now);
        self.join_groups();
        let room = (available_bytes / peer.update_bytes) as usize + 1;
        let is_short = room < self.candidates.len();
        if is_short {
            self.choose_most_urgent(peer, room);
        }
        if is_short || !self.members.is_empty() {
            self.candidates.sort_unstable_by_key(|candidate| candidate.queued);
        }
        peer.queue.extend(self.candidates.iter().map(|candidate| candidate.queued));
    }

    fn find_candidates(&mut self, peer: &Peer, now: SimTime) {
        self.candidates.clear();
        self.members.clear();
        let has_groups = self.entities.grouped > 0;
        let loss = (!self.entities.resends).then(|| peer.channel.sent_packets.loss());
        let view = View { camera: peer.camera.as_ref(), loss };
        for (place, state) in peer.entity_states.iter().enumerate() {
            let mut group = None;
            let urgency = match self.entities.at_slot(state.slot, state.entity) {
                Some((entity, classes)) => {
                    if has_groups && state.can_be_updated() {
                        group = entity.interest.group;
                    }
                    let left_out = self.nearest_only && state.class > 0;
                    if left_out { None } else { state.urgency(entity, classes, view, now) }
                }
                None => state.urgency_of_exit(now),
            };
            let place = place as u32;
            if let Some(group) = group {
                self.members.push(GroupMember { group, place, urgency });
            } else if let Some(urgency) = urgency {
                let queued = QueuedEntity { group: place, place };
                self.candidates.push(Candidate { urgency, queued });
            }
        }
    }

    /// Adds the groups of which one member is due, all members as urgent as the most urgent one.
    fn join_groups(&mut self) {
        self.members.sort_unstable_by_key(|member| (member.group, member.place));
        for members in self.members.chunk_by(|a, b| a.group == b.group) {
            let urgencies = members.iter().filter_map(|member| member.urgency);
            let Some(urgency) = urgencies.reduce(f32::max) else { continue };
            let group = members.first().map_or(0, |first| first.place);
            self.candidates.extend(members.iter().map(|&GroupMember { place, .. }| Candidate {
                urgency,
                queued: QueuedEntity { group, place },
            }));
        }
    }

    /// Leaves the most urgent candidates, as many as there is room for and whole groups.
    fn choose_most_urgent(&mut self, peer: &mut Peer, room: usize) {
        let candidates = &mut *self.candidates;
        let patience = MAX_TURNS * candidates.len().div_ceil(room);
        for it in candidates.iter_mut() {
            let state = peer.entity_states.get(it.queued.place as usize);
            let passed_over = state.map_or(0, |state| usize::from(state.passed_over));
            if passed_over > patience {
                it.urgency = it.urgency.max(PASSED_OVER_URGENCY + passed_over as f32);
            }
        }
        let most_urgent_first = |a: &Candidate, b: &Candidate| {
            b.urgency.total_cmp(&a.urgency).then(a.queued.cmp(&b.queued))
        };
        candidates.select_nth_unstable_by(room, most_urgent_first);
        // The members of a group stand side by side in this order, so at most one group is cut.
        let mut kept = room;
        let cut = candidates.get(room).map(|it| it.queued.group);
        if candidates[..room].iter().any(|it| Some(it.queued.group) == cut) {
            for place in room..candidates.len() {
                if Some(candidates[place].queued.group) == cut {
                    candidates.swap(place, kept);
                    kept += 1;
                }
            }
        }
        for it in &candidates[kept..] {
            let state = peer.entity_states.get_mut(it.queued.place as usize);
            if let Some(state) = state {
                state.passed_over = state.passed_over.saturating_add(1);
            }
        }
        candidates.truncate(kept);
    }
}
