//! Writing of properties into a datagram: what was declared, then the values that are due.

use reckoning::SimTime;

use super::packet_builder::PacketBuilder;
use super::{InterestStage, PeerEntityState, SendContext};
use crate::budget::DATAGRAM_OVERHEAD_BYTES;
use crate::channel::SentItem;
use crate::host::connections::Peer;
use crate::host::entities::Entity;
use crate::kinds::{PropertyId, encode_values};
use crate::wire::Message;

/// What became of the values of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// These were written; none, if nothing is due.
    Values(u32),
    /// There is no room for them in this datagram.
    NoRoom,
}

impl SendContext<'_> {
    /// The properties that the peer has not acknowledged, as many as fit.
    pub(super) fn write_schema(&self, peer: &mut Peer, packet: &mut PacketBuilder) {
        if peer.schema.is_empty() || !peer.is_joined() {
            return;
        }
        while let Some(number) = peer.schema.next() {
            let property = PropertyId(number);
            let Some(bytes) = self.config.kinds.encoded_property(property) else { return };
            let message = Message::Property { property, bytes: &bytes };
            let item = SentItem::Property { property };
            if !packet.push(&self.config.format, &message, Some(item)) {
                return;
            }
            peer.schema.sent(number);
        }
    }

    /// Writes values that are due, as far as the budget and half of the datagram reach: the other
    /// half is for updates. Who did not get their turn are first in the next datagram.
    pub(super) fn write_values(
        &self,
        peer: &mut Peer,
        packet: &mut PacketBuilder,
        limit: usize,
        now: SimTime,
    ) {
        if self.config.kinds.schema.is_empty() || !peer.values.scan || !peer.knows_schema() {
            return;
        }
        let available = peer.budget.available_bytes(now) - DATAGRAM_OVERHEAD_BYTES as f64;
        let room = (available.max(0.0) as usize).min(limit / 2);
        let mut complete = true;
        let written = self.write_owned_values(peer, packet, room, &mut complete)
            && self.write_shown_values(peer, packet, room, &mut complete);
        // Without a budget the rest waits for the next tick.
        peer.values.scan = !written && available > packet.bytes() as f64;
        peer.values.due = !(written && complete);
    }

    /// Values of the entities that the peer owns. False when the room is used up; `complete` is
    /// cleared when some have to wait for something else.
    fn write_owned_values(
        &self,
        peer: &mut Peer,
        packet: &mut PacketBuilder,
        room: usize,
        complete: &mut bool,
    ) -> bool {
        peer.forget_owned_values();
        for owned in &mut peer.values.owned {
            let Some(entity) = self.entities.get(owned.entity) else { continue };
            // With its grant, or once that is acknowledged: an earlier ownership, of which the peer
            // has not heard that it ended, would take it and end with it.
            let grant = peer.control.grant_of(owned.entity);
            if grant.is_some_and(|serial| !packet.carries(SentItem::Control { serial })) {
                *complete = false;
                continue;
            }
            while owned.unsent & entity.values.set_mask() != 0 {
                let (due, epoch) = (owned.unsent & entity.values.set_mask(), owned.epoch);
                match self.write_values_of(entity, due, epoch, packet, room) {
                    Written::Values(0) => break,
                    Written::Values(mask) => owned.unsent &= !mask,
                    Written::NoRoom => return false,
                }
            }
        }
        true
    }

    /// Values of the entities in the peer's interest set, likewise.
    fn write_shown_values(
        &self,
        peer: &mut Peer,
        packet: &mut PacketBuilder,
        room: usize,
        complete: &mut bool,
    ) -> bool {
        let count = peer.entity_states.len();
        for _ in 0..count {
            let place = peer.values.next % count;
            let id = peer.entity_states.get(place).map(|state| (state.slot, state.entity));
            let found = id.and_then(|(slot, id)| self.entities.at(slot).filter(|it| it.id == id));
            let Some(entity) = found.filter(|entity| !peer.owns(entity)) else {
                peer.values.next = place + 1;
                continue;
            };
            let seen = self.seen_values(entity, peer.values.team);
            let Some(state) = peer.entity_states.get_mut(place) else { return true };
            while state.unsent_values & seen != 0 {
                if state.stage != InterestStage::Shown {
                    // With its entry, or once that is acknowledged.
                    *complete = false;
                    break;
                }
                let (due, epoch) = (state.unsent_values & seen, state.epoch);
                match self.write_values_of(entity, due, epoch, packet, room) {
                    Written::Values(0) => break,
                    Written::Values(mask) => state.unsent_values &= !mask,
                    Written::NoRoom => return false,
                }
            }
            peer.values.next = place + 1;
        }
        true
    }

    /// Those values of an entity that somebody else than its owner sees.
    fn seen_values(&self, entity: &Entity, team: Option<u8>) -> u32 {
        let is_of_team = team.is_some() && team == entity.values.team;
        entity.values.set_mask() & self.config.kinds.schema.seen_by(is_of_team)
    }

    /// Writes values behind the entry of an entity, if they fit.
    pub(super) fn write_values_of_entry(
        &self,
        state: &mut PeerEntityState,
        team: Option<u8>,
        packet: &mut PacketBuilder,
    ) {
        let found = self.entities.at(state.slot).filter(|entity| entity.id == state.entity);
        let Some(entity) = found else { return };
        let due = state.unsent_values & self.seen_values(entity, team);
        if let Written::Values(mask) =
            self.write_values_of(entity, due, state.epoch, packet, usize::MAX)
        {
            state.unsent_values &= !mask;
        }
    }

    /// Writes as many of these values as a message holds.
    fn write_values_of(
        &self,
        entity: &Entity,
        due: u32,
        epoch: u32,
        packet: &mut PacketBuilder,
        room: usize,
    ) -> Written {
        if due == 0 {
            return Written::Values(0);
        }
        if packet.bytes() >= room {
            return Written::NoRoom;
        }
        let schema = &self.config.kinds.schema;
        let lowest = due & due.wrapping_neg();
        // All that a message holds or, if that does not fit the datagram, one.
        for due in [due, lowest] {
            let (mask, bytes) = encode_values(schema, due, |id| entity.values.get(id));
            let message = Message::Values { entity: entity.id, bytes: &bytes };
            let version = entity.values.version();
            let item = SentItem::Values { entity: entity.id, mask, version, epoch };
            if packet.push(&self.config.format, &message, Some(item)) {
                return Written::Values(mask);
            }
        }
        Written::NoRoom
    }
}
