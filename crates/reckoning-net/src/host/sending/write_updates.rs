//! Writing of entities into a datagram: entries, updates against their baselines, exits.

use reckoning::SimTime;
use reckoning::rewind::{RewindView, Sent};

use super::packet_builder::PacketBuilder;
use super::{InterestStage, PayloadKey, PeerEntityState, SendContext, SentUpdate};
use crate::budget::DATAGRAM_OVERHEAD_BYTES;
use crate::channel::SentItem;
use crate::history::delta;
use crate::host::connections::Peer;
use crate::host::entities::{BaselineRef, ClassFormat, Entity};
use crate::kinds::Show;
use crate::stats::TrafficStats;
use crate::wire::{ExitReason, Format, Message, PeerId, UpdateSeq};

impl SendContext<'_> {
    /// Writes what the peer's queue still holds, as far as the datagram and the budget reach.
    pub(super) fn write_entities(
        &mut self,
        peer: &mut Peer,
        packet: &mut PacketBuilder,
        now: SimTime,
    ) {
        // What was chosen is written even if it is longer than was expected, up to a datagram: whoever
        // is last in the order of writing would else be left out again and again.
        let debt_bytes = self.config.max_datagram_bytes as f64;
        let available_bytes = peer.budget.available_bytes(now) + debt_bytes;
        let has_groups = self.entities.grouped > 0;
        while let Some(&queued) = peer.queue.get(peer.served) {
            // Only between groups: what one began is brought to its end.
            if !has_groups || queued.is_first() {
                let written = (packet.bytes() + DATAGRAM_OVERHEAD_BYTES) as f64;
                if available_bytes - written <= 0.0 {
                    peer.served = peer.queue.len();
                    return;
                }
                if has_groups && packet.has_messages() && !self.group_fits(peer, packet) {
                    return; // it is written into the next datagram
                }
            }
            if !self.write_entity(peer, queued.place as usize, packet, now) {
                if packet.has_messages() {
                    return; // the rest is written into the next datagram
                }
                peer.stats.no_room += 1; // it would not fit an empty one either
            }
            peer.served += 1;
        }
    }

    /// Whether all members of the group that is next in the queue fit the datagram.
    #[cold]
    fn group_fits(&mut self, peer: &Peer, packet: &mut PacketBuilder) -> bool {
        let queue = peer.queue.get(peer.served..).unwrap_or_default();
        let Some(members) = queue.chunk_by(|a, b| a.group == b.group).next() else { return true };
        if members.len() < 2 {
            return true; // whether one by itself fits is seen when it is written
        }
        let before = packet.mark();
        let fits = members.iter().all(|queued| {
            let Some(state) = peer.entity_states.get(queued.place as usize) else { return true };
            let Some((entity, classes)) = self.entities.at_slot(state.slot, state.entity) else {
                return true;
            };
            let format = &self.config.format;
            let chosen = choose_number(state, entity, format);
            chosen.is_none_or(|chosen| {
                push_state(entity, classes, state, chosen, format, packet) != Some(false)
            })
        });
        packet.rewind(before);
        fits
    }

    /// Writes what the peer is due of one entity. False when it does not fit.
    fn write_entity(
        &mut self,
        peer: &mut Peer,
        place: usize,
        packet: &mut PacketBuilder,
        now: SimTime,
    ) -> bool {
        let (team, knows_schema) = (peer.values.team, peer.knows_schema());
        let Some(state) = peer.entity_states.get_mut(place) else { return true };
        match state.stage {
            InterestStage::Exit { sent: false, why } => {
                let fits = write_exit(state, why, &self.config.format, packet);
                peer.stats.exits_out += u64::from(fits);
                if let (true, Some(rewind)) = (fits, self.rewind.as_deref_mut())
                    && rewind.remembers(peer.id, state.entity)
                {
                    let datagram = peer.channel.sent_packets.next_number();
                    rewind.handle_sent(peer.id, state.entity, datagram, Sent::Exit, now);
                }
                fits
            }
            InterestStage::Exit { sent: true, .. } | InterestStage::Gone => true,
            InterestStage::Enter { .. } | InterestStage::Shown => {
                let datagram = peer.channel.sent_packets.next_number();
                let mut to = Recipient {
                    peer: peer.id,
                    team,
                    knows_schema,
                    datagram,
                    stats: &mut peer.stats,
                };
                self.write_state(state, &mut to, packet, now)
            }
        }
    }

    /// Writes how an entity moves: its entry, or an update. False when it does not fit.
    fn write_state(
        &mut self,
        state: &mut PeerEntityState,
        to: &mut Recipient,
        packet: &mut PacketBuilder,
        now: SimTime,
    ) -> bool {
        let format = &self.config.format;
        let Some((entity, classes)) = self.entities.at_slot(state.slot, state.entity) else {
            return true;
        };
        if state.header.kind != entity.kind {
            return true; // it enters again first
        }
        let rules = classes.get(usize::from(state.class)).map(|class| class.rules);
        let Some(key) = choose_number(state, entity, format) else {
            state.rest();
            return true;
        };
        let (update, enters) = (key.update, state.is_entering());
        let number = update.number;
        let teleports = entity.numbered(number).map_or(0, reckoning::Update::teleports);
        match push_state(entity, classes, state, key, format, packet) {
            Some(true) => {}
            Some(false) => return false,
            None => return true,
        }
        if let Some(class) = rules {
            let seed = self.config.seed ^ u64::from(to.peer.0).rotate_right(16);
            state.sent(SentUpdate { number, teleports, seed }, &class, now);
        }
        to.stats.updates_out += 1;
        if enters {
            state.stage = InterestStage::Enter { sent: true };
            to.stats.enters_out += 1;
            if to.knows_schema {
                self.write_values_of_entry(state, to.team, packet);
            }
        }
        self.remember_for_hit_checks(state, update, enters, to, now);
        true
    }

    /// Keeps what a peer was sent for hit checks, while the entity is near enough for them.
    fn remember_for_hit_checks(
        &mut self,
        state: &PeerEntityState,
        sent: BaselineRef,
        enters: bool,
        to: &Recipient,
        now: SimTime,
    ) {
        let Some(rewind) = self.rewind.as_deref_mut() else { return };
        if sent.class >= self.config.rewind_classes {
            rewind.handle_hidden(to.peer, state.entity);
            return;
        }
        let Some((entity, classes)) = self.entities.at_slot(state.slot, state.entity) else {
            return;
        };
        let Some(update) = entity.update_in(classes, sent) else { return };
        // One that came near without an entry is remembered from here on.
        let begins = enters || !rewind.remembers(to.peer, state.entity);
        let class = sent.class;
        let sent = if begins { Sent::Enter(update) } else { Sent::Update(update) };
        let kind = self.config.kinds.get(entity.kind);
        let view = kind.and_then(|kind| match kind.show_in(class) {
            Show::Delayed(config) => Some(RewindView::Delayed(config)),
            Show::Reckoned(config) => Some(RewindView::Now(config)),
            Show::BySession => None, // as the peer says itself
        });
        rewind.handle_sent_as(to.peer, state.entity, to.datagram, sent, view, now);
    }
}

/// The peer that a datagram is for, and the datagram's number.
struct Recipient<'a> {
    peer: PeerId,
    team: Option<u8>,
    /// Whether it knows the properties that were declared.
    knows_schema: bool,
    datagram: u64,
    stats: &'a mut TrafficStats,
}

/// What a peer is sent of an entity, and off which baseline; `None` when it has that already.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call costs a tenth of an update, as measured")]
fn choose_number(
    state: &PeerEntityState,
    entity: &mut Entity,
    format: &Format,
) -> Option<PayloadKey> {
    let mut newest = entity.number(format);
    if state.was_sent_in_other_class(newest) {
        newest = entity.renumber(format);
    }
    let (number, baseline) = state.choose_update(newest, entity);
    let update = BaselineRef { number, class: state.class };
    let is_known = state.has_number(number) && !state.is_entering();
    (!is_known).then_some(PayloadKey { update, baseline })
}

/// Writes an entry or an update. Whether it fits; `None` when it is no longer there.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call costs a tenth of an update, as measured")]
fn push_state(
    entity: &mut Entity,
    classes: &[ClassFormat],
    state: &PeerEntityState,
    key: PayloadKey,
    format: &Format,
    packet: &mut PacketBuilder,
) -> Option<bool> {
    if state.is_entering() {
        write_enter(entity, classes, state, key.update, format, packet)
    } else {
        write_update(entity, classes, state, key, format, packet)
    }
}

/// Writes an entry: the whole state, without a baseline. Whether it fits; `None` when the update
/// is no longer there.
fn write_enter(
    entity: &mut Entity,
    classes: &[ClassFormat],
    state: &PeerEntityState,
    update: BaselineRef,
    format: &Format,
    packet: &mut PacketBuilder,
) -> Option<bool> {
    let body = entity.body(classes, PayloadKey { update, baseline: None })?;
    let (id, epoch) = (state.entity, state.epoch);
    let BaselineRef { number, class } = update;
    let item = SentItem::Enter { entity: id, number, class, epoch };
    let (owner, kind, tag) = (entity.owner, entity.kind, &entity.tag);
    let number = number.low();
    let message = Message::Enter { entity: id, owner, kind, number, class, tag, body };
    Some(packet.push(format, &message, Some(item)))
}

/// Writes an update. Whether it fits; `None` when the update or its baseline is no longer there.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call costs a tenth of an update, as measured")]
fn write_update(
    entity: &mut Entity,
    classes: &[ClassFormat],
    state: &PeerEntityState,
    key: PayloadKey,
    format: &Format,
    packet: &mut PacketBuilder,
) -> Option<bool> {
    let (id, epoch) = (state.entity, state.epoch);
    let BaselineRef { number, class } = key.update;
    let item = match state.stage {
        InterestStage::Shown => SentItem::Update { entity: id, number, class, epoch },
        _ => SentItem::EarlyUpdate { entity: id, number, epoch },
    };
    let coded = key.baseline.and_then(|baseline| delta(baseline.number, number));
    let seq = coded.unwrap_or(UpdateSeq::Full(number.low()));
    let near_tick = packet.near_tick(format);
    if let Some(encoded) = entity.encoded_body(classes, format, key, near_tick) {
        return Some(packet.push_encoded(id, seq, class, &encoded, item));
    }
    let body = entity.body(classes, key)?;
    Some(packet.push(format, &Message::Update { entity: id, seq, class, body }, Some(item)))
}

/// Writes that an entity left the interest set. False when it does not fit.
fn write_exit(
    state: &mut PeerEntityState,
    why: ExitReason,
    format: &Format,
    packet: &mut PacketBuilder,
) -> bool {
    let (entity, epoch) = (state.entity, state.epoch);
    let item = SentItem::Exit { entity, epoch };
    let fits = packet.push(format, &Message::Exit { entity, why }, Some(item));
    if fits {
        state.stage = InterestStage::Exit { sent: true, why };
    }
    fits
}
