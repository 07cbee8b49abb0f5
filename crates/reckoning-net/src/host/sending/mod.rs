//! Filling datagrams: who needs what, what fits the budget, and how it is put.

use alloc::vec::Vec;

use reckoning::{Rewind, SimTime};

mod payload_cache;
mod peer_entity_state;
mod prediction_error;

pub(crate) use payload_cache::{PayloadCache, PayloadKey};
pub(crate) use peer_entity_state::{InterestStage, PeerEntityState};
pub(crate) use prediction_error::{PredictionError, PredictionErrorCache};

use crate::budget::DATAGRAM_OVERHEAD_BYTES;
use crate::channel::SentItem;
use crate::control_messages::ControlMessage;
use crate::host::config::{ClockMode, HostConfig};
use crate::host::connections::{Peer, PeerStage};
use crate::host::delivery::{DeliveryEffects, rewind_key};
use crate::host::entities::BaselineRef;
use crate::host::entities::EntityTable;
use crate::wire::{
    EncodedBody, EntityId, Format, Header, Message, PacketWriter, PeerId, UpdateSeq,
};

/// What everybody's datagrams are filled from.
pub(crate) struct SendContext<'a> {
    pub(crate) config: &'a HostConfig,
    pub(crate) world: &'a mut EntityTable,
    pub(crate) rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
    /// The welcome's parts.
    pub(crate) format: &'a [u8],
    pub(crate) greeting: &'a [u8],
    pub(crate) found: &'a mut Vec<(f32, u32)>,
}

/// One datagram on its way to being full.
struct PacketBuilder<'b> {
    out: PacketWriter<'b>,
    items: Vec<SentItem>,
    /// It says something.
    said: bool,
}

impl PacketBuilder<'_> {
    fn put(&mut self, format: &Format, message: &Message, item: Option<SentItem>) -> bool {
        let fits = self.out.push(Some(format), message);
        if fits {
            self.said = true;
            self.items.extend(item);
        }
        fits
    }

    fn put_encoded(
        &mut self,
        entity: EntityId,
        seq: UpdateSeq,
        class: u8,
        encoded: &EncodedBody,
        item: SentItem,
    ) -> bool {
        let fits = self.out.push_encoded(entity, seq, class, encoded);
        if fits {
            self.said = true;
            self.items.push(item);
        }
        fits
    }
}

impl SendContext<'_> {
    /// The next datagram for a peer, or `None` when there is nothing to say or no budget left.
    pub(crate) fn write_datagram(
        &mut self,
        peer: &mut Peer,
        now: SimTime,
        buf: &mut [u8],
    ) -> Option<usize> {
        if core::mem::take(&mut peer.ticks) && peer.is_joined() {
            self.choose_updates(peer, now);
        }
        let limit = buf.len().min(self.config.max_datagram_bytes);
        let header = Header {
            sequence: peer.channel.sent_packets.next_sequence(),
            sent_ms: now.as_micros().div_euclid(1000),
            ack: peer.channel.ack(),
        };
        let items = peer.channel.sent_packets.item_list();
        let out = PacketWriter::new(&mut buf[..limit], &header);
        let mut packet = PacketBuilder { out, items, said: false };
        self.write_connection(peer, &mut packet, now);
        if peer.is_joined() {
            self.write_messages(peer, &mut packet);
            self.write_entities(peer, &mut packet, now);
        }
        let owed = peer.channel.ack_owed_since().is_some();
        let PacketBuilder { out, items, said } = packet;
        if !said && !owed {
            peer.channel.sent_packets.recycle(items);
            return None;
        }
        let length = out.finish();
        self.sent(peer, items, length.unwrap_or(0), now);
        length
    }

    fn sent(&mut self, peer: &mut Peer, items: Vec<SentItem>, bytes: usize, now: SimTime) {
        let updates = items
            .iter()
            .filter(|it| matches!(it, SentItem::Update { .. } | SentItem::EarlyUpdate { .. }))
            .count();
        if updates * 2 > items.len() {
            let each = bytes as f64 / items.len() as f64;
            peer.update_bytes += 0.1 * (each - peer.update_bytes);
        }
        peer.stats.datagrams_out += 1;
        peer.stats.bytes_out += bytes as u64;
        peer.budget.spend(bytes);
        peer.channel.ack_sent();
        let (sent_packets, mut fates) =
            DeliveryEffects::split(peer, self.world, self.rewind.as_deref_mut(), now);
        sent_packets.sent(now, items, |fate, packet| fates.apply(fate, packet));
    }

    /// What is said whether it joined or not.
    fn write_connection(&mut self, peer: &mut Peer, packet: &mut PacketBuilder, now: SimTime) {
        let format = &self.config.format;
        if let Some(asked) = peer.pending_ping.take() {
            let micros = |at: SimTime| at.as_micros().cast_unsigned();
            let (received_us, answered_us) = (micros(asked.received), micros(now));
            let pong = Message::Pong { sent_us: asked.sent_us, received_us, answered_us };
            packet.put(format, &pong, None);
        }
        if let PeerStage::Ended { why, was_in, left } = &mut peer.stage
            && *left > 0
        {
            *left -= 1;
            let word = if *was_in { Message::Bye(*why) } else { Message::Refused(*why) };
            packet.put(format, &word, None);
        }
        if peer.welcome && peer.is_joined() {
            let (format_bytes, config) = (self.format, self.greeting);
            let welcome = Message::Welcome { peer: peer.id, format: format_bytes, config };
            peer.welcome = !packet.put(format, &welcome, Some(SentItem::Welcome));
        }
    }

    /// ControlMessages, messages and commands.
    fn write_messages(&self, peer: &mut Peer, packet: &mut PacketBuilder) {
        let format = &self.config.format;
        while let Some(pending) = peer.control.next() {
            let (entity, serial) = (pending.entity, pending.serial);
            let message = match pending.message {
                ControlMessage::Grant => Message::Grant { entity },
                ControlMessage::Revoke => Message::Revoke { entity },
                ControlMessage::Correct(update) => {
                    let body = crate::wire::Body::new(format, None, &update);
                    Message::Correct { entity, class: 0, body }
                }
            };
            if !packet.put(format, &message, Some(SentItem::Control { serial })) {
                return;
            }
            peer.control.sent(serial);
        }
        while let Some((index, bytes)) = peer.channel.outbox.next() {
            let message = Message::Reliable { index, bytes };
            if !packet.put(format, &message, Some(SentItem::Reliable { index })) {
                break;
            }
            peer.channel.outbox.sent(index);
        }
        let mut for_next_datagram = 0;
        for (index, bytes) in peer.channel.redundant.for_next_datagram() {
            if !packet.put(format, &Message::Command { index, bytes }, None) {
                break;
            }
            for_next_datagram += 1;
        }
        peer.channel.redundant.sent(for_next_datagram);
    }

    /// Decides which states are served in this tick: all that need it, or the neediest if the
    /// budget is short. In order of entity, which is cheapest to write.
    fn choose_updates(&mut self, peer: &mut Peer, now: SimTime) {
        peer.queue.clear();
        peer.served = 0;
        let available_bytes = peer.budget.available_bytes(now);
        if available_bytes <= 0.0 {
            return;
        }
        let candidates = &mut *self.found;
        candidates.clear();
        for (place, view) in peer.entity_states.iter().enumerate() {
            let Some(class) = self.config.zones.classes.get(usize::from(view.class)) else {
                continue;
            };
            let (slots, classes) = (&mut self.world.slots, &self.world.classes);
            let entity = slots.get_mut(view.slot as usize).and_then(Option::as_mut);
            let need = match entity.filter(|entity| entity.id == view.entity) {
                Some(entity) => view.need(entity, class, classes, now),
                None => view.need_without(now),
            };
            if let Some(need) = need {
                candidates.push((need.urgency, place as u32));
            }
        }
        let room = (available_bytes / peer.update_bytes) as usize + 1;
        if room < candidates.len() {
            candidates.select_nth_unstable_by(room, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            candidates.truncate(room);
            candidates.sort_unstable_by_key(|(_, place)| *place);
        }
        peer.queue.extend(candidates.iter().map(|(_, place)| *place));
    }

    fn write_entities(&mut self, peer: &mut Peer, packet: &mut PacketBuilder, now: SimTime) {
        let available_bytes = peer.budget.available_bytes(now);
        while let Some(&place) = peer.queue.get(peer.served) {
            let written = (packet.out.bits() / 8 + DATAGRAM_OVERHEAD_BYTES) as f64;
            if available_bytes - written <= 0.0 {
                peer.served = peer.queue.len();
                return;
            }
            if !self.write_entity(peer, place as usize, packet, now) {
                if packet.said {
                    return; // the rest goes into the next datagram
                }
                peer.stats.no_room += 1; // it would not fit an empty one either
            }
            peer.served += 1;
        }
    }

    /// Puts what one view needs. False when it does not fit.
    fn write_entity(
        &mut self,
        peer: &mut Peer,
        place: usize,
        packet: &mut PacketBuilder,
        now: SimTime,
    ) -> bool {
        let Some(view) = peer.entity_states.get_mut(place) else { return true };
        let (id, epoch) = (view.entity, view.epoch);
        match view.stage {
            InterestStage::Exit { sent: false } => {
                let fits = write_exit(view, &self.config.format, packet);
                peer.stats.exits_out += u64::from(fits);
                return fits;
            }
            InterestStage::Exit { sent: true } | InterestStage::Gone => return true,
            InterestStage::Enter { .. } | InterestStage::Shown => {}
        }
        let classes = &self.world.classes;
        let entity = self.world.slots.get_mut(view.slot as usize).and_then(Option::as_mut);
        let Some(entity) = entity.filter(|entity| entity.id == id) else { return true };
        let newest = entity.number(&self.config.format);
        let (number, base) = view.form(newest, entity);
        let enters = view.stage == InterestStage::Enter { sent: false };
        if view.has_number(number) && !enters {
            view.rest();
            return true;
        }
        let held = BaselineRef { number, class: view.class };
        let (base, teleport) =
            if enters { (None, false) } else { (base, view.needs_teleport(entity)) };
        let key = PayloadKey { held, baseline: base, teleport };
        let class = classes.get(usize::from(view.class)).map_or(0, |class| class.log2);
        let format = &self.config.format;
        let fits = if enters {
            let Some(body) = entity.body(classes, key) else { return true };
            let (owner, tag) = (entity.owner, &entity.tag);
            let item = SentItem::Enter { entity: id, number, class: view.class, epoch };
            let message = Message::Enter { entity: id, owner, number, class, tag, body };
            packet.put(format, &message, Some(item))
        } else {
            let item = match view.stage {
                InterestStage::Shown => {
                    SentItem::Update { entity: id, number, class: view.class, epoch }
                }
                _ => SentItem::EarlyUpdate { entity: id, number, epoch },
            };
            let off = base.and_then(|base| UpdateSeq::delta(base.number, number));
            let seq = off.unwrap_or(UpdateSeq::Full(number));
            let near_tick = packet.out.near_tick(format);
            if let Some(encoded) = entity.encoded(classes, format, key, near_tick) {
                packet.put_encoded(id, seq, class, &encoded, item)
            } else {
                let Some(body) = entity.body(classes, key) else { return true };
                let message = Message::Update { entity: id, seq, class, body };
                packet.put(format, &message, Some(item))
            }
        };
        if !fits {
            return false;
        }
        view.sent(number, now);
        peer.stats.updates_out += 1;
        if enters {
            view.stage = InterestStage::Enter { sent: true };
            peer.stats.enters_out += 1;
        }
        self.remember(view.slot, held);
        true
    }

    /// Keeps what was sent for hit checks, once per number and class.
    fn remember(&mut self, slot: u32, held: BaselineRef) {
        let Some(rewind) = self.rewind.as_deref_mut() else { return };
        let (slots, classes) = (&mut self.world.slots, &self.world.classes);
        let Some(entity) = slots.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let class = usize::from(held.class);
        if held.class >= self.config.rewind_classes || entity.remembered[class] == Some(held.number)
        {
            return;
        }
        if let Some(update) = entity.update_in(classes, held) {
            rewind.remember(entity.id, rewind_key(held), update);
            entity.remembered[class] = Some(held.number);
        }
    }
}

/// The first byte of a welcome's config: how the ends agree on time.
pub(crate) const fn clock_mode_byte(clock_mode: ClockMode) -> u8 {
    match clock_mode {
        ClockMode::Synchronised => 0,
        ClockMode::PerHop => 1,
    }
}

/// Says that an entity is out of sight. False when it does not fit.
fn write_exit(view: &mut PeerEntityState, format: &Format, packet: &mut PacketBuilder) -> bool {
    let (entity, epoch) = (view.entity, view.epoch);
    let item = SentItem::Exit { entity, epoch };
    let fits = packet.put(format, &Message::Exit { entity }, Some(item));
    if fits {
        view.stage = InterestStage::Exit { sent: true };
    }
    fits
}
