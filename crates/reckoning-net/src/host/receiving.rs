//! Receiving: datagrams of peers, from their bytes to what the host knows.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::clock::RelayDelay;
use reckoning::guard::Verdict;
use reckoning::{Kinematics, Model, SimTime, Terrain, Update};

use super::Host;
use super::config::ClockMode;
use super::connections::{Peer, PeerStage, PendingPing};
use super::delivery::DeliveryEffects;
use super::entities::{Entity, full_update};
use super::event::{Departure, HostEvent};
use crate::ack_window::Arrival;
use crate::channel::{Arriving, is_ack_eliciting};
use crate::control_messages::ControlMessage;
use crate::loss_detection::AckReport;
use crate::reliable::Taken;
use crate::stats::TrafficStats;
use crate::wire::{
    Ack, DisconnectReason, EntityId, Format, Message, PacketReader, PeerId, UpdateBody, UpdateSeq,
    VERSION, decode_view,
};

/// An owner whose clock is wrong by more than this is not believed: nothing it says later would be
/// newer than what it said of the future. A guard judges that itself, and more strictly.
const MAX_STAMP_LEAD: Duration = Duration::from_secs(1);

/// What was done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handled {
    Done,
    /// It could not be used and has to be sent again: the datagram is not acknowledged.
    Retry,
    /// The peer was removed.
    PeerGone,
}

impl Host {
    /// Handles a datagram of a peer. Whatever is wrong with it is counted.
    pub fn handle_datagram(&mut self, now: SimTime, from: PeerId, bytes: &[u8]) {
        let Some(peer) = self.peers.get_mut(&from) else {
            self.stats.unknown_peer += 1;
            return;
        };
        peer.stats.datagrams_in += 1;
        peer.stats.bytes_in += bytes.len() as u64;
        if peer.receive_budget.available_bytes(now) <= 0.0 {
            peer.stats.flooded += 1;
            return;
        }
        peer.receive_budget.spend(0);
        let Ok(reader) = PacketReader::new(bytes) else {
            peer.stats.malformed += 1;
            return;
        };
        match peer.channel.classify(reader.header().sequence) {
            Arrival::New => self.read(now, from, reader),
            Arrival::Duplicate => peer.stats.duplicates += 1,
            Arrival::TooOld => peer.stats.too_old += 1,
        }
    }

    fn read(&mut self, now: SimTime, from: PeerId, mut reader: PacketReader) {
        let header = *reader.header();
        let Some(peer) = self.peers.get_mut(&from) else { return };
        let arriving = peer.channel.arriving(&header);
        peer.channel.last_received_at = now;
        if let Some(ack) = header.ack {
            self.handle_ack(now, from, ack);
        }
        let format = self.config.format.clone();
        let (mut ack_eliciting, mut complete) = (false, true);
        loop {
            match reader.next_message(Some(&format)) {
                Ok(None) => break,
                Ok(Some(message)) => {
                    ack_eliciting |= is_ack_eliciting(&message);
                    match self.handle_message(now, from, &arriving, &message) {
                        Handled::Done => {}
                        Handled::Retry => complete = false,
                        Handled::PeerGone => return,
                    }
                }
                Err(_) => {
                    self.count(from, |stats| stats.malformed += 1);
                    complete = false;
                    break;
                }
            }
        }
        if let Some(peer) = self.peers.get_mut(&from).filter(|_| complete) {
            peer.channel.record_received(header.sequence, now, now, ack_eliciting);
            peer.stats.missed = peer.channel.missed();
        }
    }

    fn count(&mut self, peer: PeerId, count: impl FnOnce(&mut TrafficStats)) {
        if let Some(peer) = self.peers.get_mut(&peer) {
            count(&mut peer.stats);
        }
    }

    fn handle_ack(&mut self, now: SimTime, from: PeerId, ack: Ack) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        let report = match self.config.clock_mode {
            ClockMode::Synchronised => AckReport::from_ack(ack, now),
            ClockMode::PerHop => {
                AckReport { arrived: now - one_way_delay(peer), ..AckReport::from_ack(ack, now) }
            }
        };
        let (sent_packets, mut effects) =
            DeliveryEffects::split(peer, &mut self.entities, self.rewind.as_mut(), now);
        if !sent_packets
            .handle_ack_report(&report, now, |outcome, packet| effects.apply(outcome, packet))
        {
            peer.stats.false_acks += 1;
        }
        let round_trip = peer.channel.sent_packets.smoothed_round_trip();
        if let (Some(rewind), Some(round_trip)) = (&mut self.rewind, round_trip) {
            rewind.set_round_trip(from, round_trip, now);
        }
    }

    fn handle_message(
        &mut self,
        now: SimTime,
        from: PeerId,
        datagram: &Arriving,
        message: &Message,
    ) -> Handled {
        let Some(peer) = self.peers.get_mut(&from) else { return Handled::PeerGone };
        let joined = peer.is_joined();
        match *message {
            Message::Ping { sent_us } => {
                peer.pending_ping = Some(PendingPing { sent_us, received: now });
                self.enqueue(from);
            }
            Message::Join { version, token } => self.handle_join(now, from, version, token),
            Message::Leave => {
                self.remove_peer(now, from, Departure::Left);
                return Handled::PeerGone;
            }
            Message::Update { entity, seq, class, ref body } if joined => {
                let update = IncomingUpdate { datagram, entity, seq, class, body };
                return self.handle_update(now, from, &update);
            }
            Message::Joints { entity, mask, ref codes } if joined => {
                self.handle_joints(now, from, datagram, entity, (mask, codes));
            }
            Message::Reliable { index, bytes } if joined => {
                peer.stats.carried_bytes_in += bytes.len() as u64;
                if peer.channel.inbox.take(index, bytes) == Taken::TooFar {
                    peer.stats.no_room += 1;
                    return Handled::Retry;
                }
                while let Some(bytes) =
                    self.peers.get_mut(&from).and_then(|peer| peer.channel.inbox.ready())
                {
                    self.push_event(HostEvent::Message { peer: from, bytes });
                }
            }
            Message::Command { index, bytes } if joined => {
                peer.stats.carried_bytes_in += bytes.len() as u64;
                if peer.channel.duplicates.is_new(index) {
                    self.push_event(HostEvent::Command { peer: from, bytes: bytes.to_vec() });
                }
            }
            Message::Values { entity, bytes } if joined => {
                if !self.handle_values(from, datagram.sequence, entity, bytes) {
                    return Handled::Retry;
                }
            }
            Message::Ask { entity } if joined => self.handle_ask(now, from, entity),
            Message::View { bytes } if joined => self.handle_view(now, from, bytes),
            _ => peer.stats.unexpected += 1,
        }
        Handled::Done
    }

    fn handle_join(&mut self, now: SimTime, from: PeerId, version: u16, token: &[u8]) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        match &peer.stage {
            PeerStage::Connected if version != VERSION => {
                self.refuse(now, from, DisconnectReason::Version(VERSION));
            }
            PeerStage::Connected => {
                peer.stage = PeerStage::Requested(Box::from(token));
                self.push_event(HostEvent::JoinRequested { peer: from, token: token.to_vec() });
            }
            // It requests again because it did not receive the answer.
            PeerStage::Joined(_) => {
                peer.welcome_due = true;
                peer.kinds.repeat();
                peer.schema.repeat();
                self.enqueue(from);
            }
            PeerStage::Requested(_) | PeerStage::Ended { .. } => {}
        }
    }

    /// A peer says how it shows others. What is out of bounds, and changes all the time, is
    /// counted by the rewind and leaves things as they are.
    fn handle_view(&mut self, now: SimTime, from: PeerId, bytes: &[u8]) {
        match (decode_view(bytes), &mut self.rewind) {
            (Some((view, at)), Some(rewind)) => {
                let _ = rewind.state_view(from, view, at, now);
            }
            (Some(_), None) => {}
            (None, _) => self.count(from, |stats| stats.malformed += 1),
        }
    }

    fn handle_update(&mut self, now: SimTime, from: PeerId, incoming: &IncomingUpdate) -> Handled {
        let format = self.config.format.coarser(incoming.class);
        let Some(peer) = self.peers.get_mut(&from) else { return Handled::PeerGone };
        let Some(entity) = self.entities.get_mut(incoming.entity) else {
            peer.stats.unknown_entity += 1;
            return Handled::Done;
        };
        if !peer.owns(entity) {
            peer.stats.not_owner += 1;
            return Handled::Done;
        }
        let update = match incoming.decode(entity, &format, &mut peer.stats) {
            Ok(update) => update,
            Err(handled) => return handled,
        };
        let update = match self.config.clock_mode {
            ClockMode::Synchronised => update,
            ClockMode::PerHop => rebased(&update, incoming.datagram, one_way_delay(peer), now),
        };
        let Some(update) = entity.as_counted(update) else {
            peer.stats.stale += 1;
            return Handled::Done;
        };
        if entity.guard.is_none() && update.at() > now + MAX_STAMP_LEAD {
            peer.stats.early += 1;
            return Handled::Done;
        }
        self.judge(now, from, incoming.entity, &update)
    }

    /// Has the guard judge an update of an owner.
    fn judge(&mut self, now: SimTime, from: PeerId, id: EntityId, update: &Update) -> Handled {
        let Some(entity) = self.entities.get_mut(id) else { return Handled::Done };
        let peer = self.peers.get(&from);
        let round_trip = peer.and_then(|peer| peer.channel.sent_packets.max_round_trip());
        let walls = self.config.walls.as_ref().map(|walls| walls as &dyn Terrain);
        let verdict = match entity.guard.as_deref_mut() {
            Some(guard) => {
                if let Some(round_trip) = round_trip {
                    guard.set_round_trip(round_trip);
                }
                guard.judge(update, walls, now)
            }
            None => Verdict::Accept,
        };
        let offence = entity.guard.as_ref().and_then(|guard| guard.offence());
        let restrained = entity.guard.as_ref().and_then(|guard| guard.restrained().copied());
        let update = &restrained.map_or(*update, |state| restrained_to(update, state));
        match verdict {
            Verdict::Accept => self.accept_update(from, id, update),
            Verdict::Reject(_) => self.count(from, |stats| stats.rejected += 1),
            Verdict::Correct(place) => {
                self.correct(from, id, &place);
                self.push_event(HostEvent::Judged { peer: from, entity: id, verdict, offence });
            }
            Verdict::Disconnect(_) => {
                self.push_event(HostEvent::Judged { peer: from, entity: id, verdict, offence });
                self.refuse(now, from, DisconnectReason::Conduct);
                return Handled::PeerGone;
            }
        }
        Handled::Done
    }

    /// Sets an entity to where the guard wants it, and sends its owner a correction.
    fn correct(&mut self, from: PeerId, id: EntityId, place: &Kinematics) {
        let place = self.made_newer(id, place);
        let Some(known) = full_update(&place, self.model_of(id)) else { return };
        let Some(entity) = self.entities.get_mut(id) else { return };
        entity.observe(known);
        let state = entity.correction(&self.config.format);
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.stats.corrected += 1;
            peer.control.push(id, ControlMessage::Correct(state));
        }
        self.enqueue(from);
    }

    fn accept_update(&mut self, from: PeerId, id: EntityId, update: &Update) {
        let learnt = self.entities.get_mut(id).is_some_and(|entity| entity.learn(*update));
        self.count(from, |stats| {
            let counter = if learnt { &mut stats.updates_in } else { &mut stats.stale };
            *counter += 1;
        });
        if let (true, Some(rewind)) = (learnt, &mut self.rewind) {
            rewind.observe(id, update.kinematics());
        }
    }
}

/// An update of an owner, as its datagram carried it.
struct IncomingUpdate<'a> {
    datagram: &'a Arriving,
    entity: EntityId,
    seq: UpdateSeq,
    class: u8,
    body: &'a UpdateBody,
}

impl IncomingUpdate<'_> {
    /// Resolves the update against its baseline, and keeps it as a later baseline. An error when a
    /// newer one overtook it, and when its baseline is not here or does not fit.
    fn decode(
        &self,
        entity: &mut Entity,
        format: &Format,
        stats: &mut TrafficStats,
    ) -> Result<Update, Handled> {
        let (inbound, seq) = (&mut entity.inbound, self.seq);
        // Numbers are sent in order, so what an older datagram carries is overtaken.
        if inbound.sequence.is_some_and(|newest| self.datagram.sequence < newest) {
            stats.stale += 1;
            return Err(Handled::Done);
        }
        let (number, baseline) = inbound.history.restore(seq);
        let baseline = baseline.and_then(|number| inbound.history.get(number));
        if matches!(seq, UpdateSeq::Delta { .. }) && baseline.is_none() {
            stats.no_baseline += 1;
            return Err(Handled::Retry);
        }
        let Ok(update) = self.body.resolve(format, baseline) else {
            stats.malformed += 1;
            return Err(Handled::Retry);
        };
        inbound.history.put(number, update);
        inbound.sequence = Some(self.datagram.sequence);
        Ok(update)
    }
}

/// An accepted update as it is shown where the guard restrains it.
fn restrained_to(update: &Update, state: Kinematics) -> Update {
    let shown = Update::new(state, Model::Linear, update.kind());
    shown.map_or(*update, |shown| shown.with_teleports(update.teleports()))
}

/// Half of the shortest recent round trip.
fn one_way_delay(peer: &Peer) -> Duration {
    peer.channel.sent_packets.min_round_trip().unwrap_or_default() / 2
}

/// The update by the host's clock, without a common one: as old as it was when it was sent, plus
/// its delay.
fn rebased(update: &Update, datagram: &Arriving, way: Duration, now: SimTime) -> Update {
    let left = SimTime::from_millis(datagram.sent_ms);
    let age = left.saturating_since(update.at()).min(Duration::from_secs(5));
    RelayDelay::aged(age).then(way).localise(update, now)
}
