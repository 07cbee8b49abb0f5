//! Sending: which updates a peer is due, and the datagrams that carry them.
//!
//! - [`export_reason`] decides why a peer is due an update of an entity, if it is;
//! - [`fairness`] lets the policies of entities choose the peers, where there are any;
//! - [`choose_updates`] picks the most urgent ones that the peer's budget has room for;
//! - [`write_updates`] chooses the baseline of each and writes it;
//! - [`write_values`] writes what changed of properties, before the updates and with entries;
//! - this file assembles the datagram: connection and game messages first, then the entities.
//!
//! What was sent of an entity to a peer is a [`PeerEntityState`], and what the peer holds of that
//! by what it acknowledged are its [`held_updates`]. Bodies and prediction errors that several peers share are computed once
//! ([`PayloadCache`], [`PredictionErrorCache`]). What happens when a datagram is acknowledged or
//! lost is in [`delivery`](super::delivery).

mod choose_updates;
mod entity_fairness;
mod export_reason;
mod fairness;
mod held_updates;
mod packet_builder;
mod payload_cache;
mod peer_entity_state;
mod prediction_error;
mod write_updates;
mod write_values;

pub(super) use choose_updates::{Candidate, GroupMember, QueuedEntity};
pub(super) use entity_fairness::EntityFairness;
pub(super) use fairness::{deliver_planned, export_by_policy, finest_scale};
pub(super) use payload_cache::{PayloadCache, PayloadKey};
pub(super) use peer_entity_state::{EntryHeader, InterestStage, PeerEntityState, SentUpdate, View};
pub(super) use prediction_error::{KnownSight, PredictionError, PredictionErrorCache};

use alloc::vec::Vec;

use reckoning::{Rewind, SimTime};

use super::config::HostConfig;
use super::connections::{Peer, PeerStage};
use super::delivery::DeliveryEffects;
use super::entities::EntityTable;
use crate::channel::SentItem;
use crate::control_messages::ControlMessage;
use crate::kinds::KindId;
use crate::wire::{EntityId, Header, Message, PeerId, UpdateBody};
pub(super) use packet_builder::PacketBuilder;

/// Everything that the datagrams of all peers are written from.
pub(super) struct SendContext<'a> {
    pub(super) config: &'a HostConfig,
    pub(super) entities: &'a mut EntityTable,
    pub(super) rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
    /// The format, as a welcome carries it.
    pub(super) format_bytes: &'a [u8],
    /// The config of a welcome.
    pub(super) welcome_config: &'a [u8],
    /// Room for [`choose_updates`], so that a tick does not allocate.
    pub(super) candidates: &'a mut Vec<Candidate>,
    pub(super) members: &'a mut Vec<GroupMember>,
    /// Whether this tick leaves out farther classes than the nearest: see
    /// [`Shedding`](super::Shedding).
    pub(super) nearest_only: bool,
}

impl SendContext<'_> {
    /// Writes the next datagram for a peer: its length, or `None` when there is nothing to send
    /// or no budget left.
    pub(super) fn write_datagram(
        &mut self,
        peer: &mut Peer,
        now: SimTime,
        buf: &mut [u8],
    ) -> Option<usize> {
        if core::mem::take(&mut peer.tick_due) && peer.is_joined() {
            self.choose_updates(peer, now);
            self.choose_joints(peer);
            peer.values.begin_tick();
        }
        let limit = buf.len().min(self.config.max_datagram_bytes);
        let header = Header {
            sequence: peer.channel.sent_packets.next_sequence(),
            sent_ms: now.as_micros().div_euclid(1000),
            ack: peer.channel.ack(),
        };
        let items = peer.channel.sent_packets.item_list();
        let mut packet = PacketBuilder::new(&mut buf[..limit], &header, items);
        self.write_connection_messages(peer, &mut packet, now);
        if peer.is_joined() {
            self.write_game_messages(peer, &mut packet);
            self.write_joints(peer, &mut packet, header.sent_ms);
            self.write_values(peer, &mut packet, limit, now);
            self.write_entities(peer, &mut packet, now);
            self.repeat_grants(peer, &mut packet);
        }
        let worth_sending = packet.has_messages() || peer.channel.ack_owed_since().is_some();
        let (length, items) = packet.finish();
        if !worth_sending {
            peer.channel.sent_packets.recycle(items);
            return None;
        }
        self.record_sent(peer, items, length.unwrap_or(0), now);
        length
    }

    fn record_sent(&mut self, peer: &mut Peer, items: Vec<SentItem>, bytes: usize, now: SimTime) {
        let is_update =
            |it: &&SentItem| matches!(it, SentItem::Update { .. } | SentItem::EarlyUpdate { .. });
        if items.iter().filter(is_update).count() * 2 > items.len() {
            let each = bytes as f64 / items.len() as f64;
            peer.update_bytes += 0.1 * (each - peer.update_bytes);
        }
        peer.stats.datagrams_out += 1;
        peer.stats.bytes_out += bytes as u64;
        peer.budget.spend(bytes);
        peer.channel.ack_sent();
        let rewind = self.rewind.as_deref_mut();
        let (sent_packets, mut effects) = DeliveryEffects::split(peer, self.entities, rewind, now);
        sent_packets.sent(now, items, |outcome, packet| effects.apply(outcome, packet));
    }

    /// Pong, refusal or disconnection, and welcome: sent whether the peer joined or not.
    fn write_connection_messages(&self, peer: &mut Peer, packet: &mut PacketBuilder, now: SimTime) {
        let format = &self.config.format;
        if let Some(ping) = peer.pending_ping.take() {
            let micros = |at: SimTime| at.as_micros().cast_unsigned();
            let (received_us, answered_us) = (micros(ping.received), micros(now));
            let pong = Message::Pong { sent_us: ping.sent_us, received_us, answered_us };
            packet.push(format, &pong, None);
        }
        if let PeerStage::Ended { reason, words, was_joined, left } = &mut peer.stage
            && *left > 0
        {
            *left -= 1;
            let message = match (*was_joined, &**words) {
                (true, "") => Message::Bye(*reason),
                (false, "") => Message::Refused(*reason),
                (_, words) => Message::Kick { why: *reason, words },
            };
            packet.push(format, &message, None);
        }
        if peer.welcome_due && peer.is_joined() {
            let (format_bytes, config) = (self.format_bytes, self.welcome_config);
            let welcome = Message::Welcome { peer: peer.id, format: format_bytes, config };
            peer.welcome_due = !packet.push(format, &welcome, Some(SentItem::Welcome));
        }
        self.write_kinds(peer, packet);
        self.write_schema(peer, packet);
    }

    /// The kinds that the peer has not acknowledged, as many as fit.
    fn write_kinds(&self, peer: &mut Peer, packet: &mut PacketBuilder) {
        if peer.kinds.is_empty() || !peer.is_joined() {
            return;
        }
        while let Some(number) = peer.kinds.next() {
            let kind = KindId(number);
            let Some(bytes) = self.config.kinds.encoded(kind) else { return };
            let message = Message::Kind { kind, bytes: &bytes };
            if !packet.push(&self.config.format, &message, Some(SentItem::Kind { kind })) {
                return;
            }
            peer.kinds.sent(number);
        }
    }

    /// Grants that were sent and not acknowledged, once more: the exit of the same entity must not
    /// arrive without, or the entity is on nobody's screen.
    fn repeat_grants(&self, peer: &Peer, packet: &mut PacketBuilder) {
        if !packet.has_messages() {
            return;
        }
        for entity in peer.control.grants_in_flight() {
            let kind = self.entities.get(entity).map_or(KindId::NONE, |it| it.kind);
            packet.push(&self.config.format, &Message::Grant { entity, kind }, None);
        }
    }

    /// Control messages, reliable messages and commands.
    fn write_game_messages(&self, peer: &mut Peer, packet: &mut PacketBuilder) {
        let format = &self.config.format;
        while let Some(pending) = peer.control.next() {
            let (entity, serial) = (pending.entity, pending.serial);
            let message = match pending.message {
                ControlMessage::Grant => {
                    let kind = self.entities.get(entity).map_or(KindId::NONE, |it| it.kind);
                    Message::Grant { entity, kind }
                }
                ControlMessage::Revoke => Message::Revoke { entity },
                ControlMessage::Correct(update) => {
                    let body = UpdateBody::new(format, None, &update);
                    Message::Correct { entity, serial: serial as u16, class: 0, body }
                }
            };
            if !packet.push(format, &message, Some(SentItem::Control { serial })) {
                return;
            }
            peer.control.sent(serial);
        }
        while let Some((index, bytes)) = peer.channel.outbox.next() {
            let message = Message::Reliable { index, bytes };
            if !packet.push(format, &message, Some(SentItem::Reliable { index })) {
                break;
            }
            peer.channel.outbox.sent(index);
        }
        let mut written = 0;
        for (index, bytes) in peer.channel.redundant.for_next_datagram() {
            if !packet.push(format, &Message::Command { index, bytes }, None) {
                break;
            }
            written += 1;
        }
        peer.channel.redundant.sent(written);
    }
}
