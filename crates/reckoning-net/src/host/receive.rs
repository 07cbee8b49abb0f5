//! Datagrams that come in.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::{Hops, SimTime, Terrain, Update, UpdateKind, Verdict};

use super::Host;
use super::config::Clocking;
use super::entity::Entity;
use super::event::{Departure, HostEvent};
use super::fates::Fates;
use super::peer::{Peer, Question, Stage};
use super::spawn::put;
use crate::acks::{Arrival, Report, ahead};
use crate::channel::{owes_ack, report_of};
use crate::notices::Word;
use crate::stats::TrafficStats;
use crate::wire::{
    Ack, Body, EntityId, Format, Header, Message, Number, Owner, PacketReader, PeerId, Refusal,
    VERSION,
};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handled {
    Yes,
    /// It could not be used and has to come again: the datagram is not acknowledged.
    Not,
    /// The peer is gone.
    Over,
}

impl Host {
    /// Takes a datagram from a peer. Whatever is wrong with it is counted.
    pub fn handle_datagram(&mut self, now: SimTime, from: PeerId, bytes: &[u8]) {
        let Some(peer) = self.peers.get_mut(&from) else {
            self.stats.unknown_peer += 1;
            return;
        };
        peer.stats.datagrams_in += 1;
        peer.stats.bytes_in += bytes.len() as u64;
        if peer.inflow.left_bytes(now) <= 0.0 {
            peer.stats.flooded += 1;
            return;
        }
        peer.inflow.spend(0);
        let Ok(reader) = PacketReader::new(bytes) else {
            peer.stats.malformed += 1;
            return;
        };
        match peer.channel.judge(reader.header().sequence) {
            Arrival::New => self.read(now, from, reader),
            Arrival::Copy => peer.stats.copies += 1,
            Arrival::TooOld => peer.stats.too_old += 1,
        }
    }

    fn read(&mut self, now: SimTime, from: PeerId, mut reader: PacketReader) {
        let header = *reader.header();
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.channel.heard_at = now;
        }
        if let Some(ack) = header.ack {
            self.handle_ack(now, from, ack);
        }
        let format = self.config.format.clone();
        let (mut owes, mut complete) = (false, true);
        loop {
            match reader.next_message(Some(&format)) {
                Ok(None) => break,
                Ok(Some(message)) => {
                    owes |= owes_ack(&message);
                    match self.handle_message(now, from, &header, &message) {
                        Handled::Yes => {}
                        Handled::Not => complete = false,
                        Handled::Over => return,
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
            peer.channel.note(header.sequence, now, now, owes);
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
        let report = match self.config.clocking {
            Clocking::Synchronised => report_of(ack, now),
            Clocking::PerHop => Report { arrived: now - way_of(peer), ..report_of(ack, now) },
        };
        let (flights, mut fates) = Fates::of(peer, &mut self.world, self.rewind.as_mut(), now);
        if !flights.handle_report(&report, now, |fate, flight| fates.settle(fate, flight)) {
            peer.stats.false_acks += 1;
        }
    }

    fn handle_message(
        &mut self,
        now: SimTime,
        from: PeerId,
        header: &Header,
        message: &Message,
    ) -> Handled {
        let Some(peer) = self.peers.get_mut(&from) else { return Handled::Over };
        let joined = peer.is_joined();
        match *message {
            Message::Ping { sent_us } => {
                peer.question = Some(Question { sent_us, received: now });
                self.enqueue(from);
            }
            Message::Join { version, token } => self.handle_join(now, from, version, token),
            Message::Leave => {
                self.part(now, from, Departure::Left);
                return Handled::Over;
            }
            Message::Update { entity, number, class, ref body } if joined => {
                return self.handle_update(now, from, header, entity, number, class, body);
            }
            Message::Reliable { index, bytes } if joined => {
                peer.stats.carried_bytes_in += bytes.len() as u64;
                if peer.channel.inbox.take(index, bytes) == crate::reliable::Taken::TooFar {
                    peer.stats.no_room += 1;
                    return Handled::Not;
                }
                while let Some(bytes) =
                    self.peers.get_mut(&from).and_then(|peer| peer.channel.inbox.ready())
                {
                    self.tell(HostEvent::Message { peer: from, bytes });
                }
            }
            Message::Command { index, bytes } if joined => {
                peer.stats.carried_bytes_in += bytes.len() as u64;
                if peer.channel.copies.is_first(index) {
                    self.tell(HostEvent::Command { peer: from, bytes: bytes.to_vec() });
                }
            }
            _ => peer.stats.unexpected += 1,
        }
        Handled::Yes
    }

    fn handle_join(&mut self, now: SimTime, from: PeerId, version: u16, token: &[u8]) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        match &peer.stage {
            Stage::Connected if version != VERSION => {
                self.refuse(now, from, Refusal::Version(VERSION));
            }
            Stage::Connected => {
                peer.stage = Stage::Asked(Box::from(token));
                self.tell(HostEvent::JoinAsked { peer: from, token: token.to_vec() });
            }
            // It asks again because it did not hear the answer.
            Stage::Joined(_) => {
                peer.welcome = true;
                self.enqueue(from);
            }
            Stage::Asked(_) | Stage::Ended { .. } => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one message, taken apart")]
    fn handle_update(
        &mut self,
        now: SimTime,
        from: PeerId,
        header: &Header,
        id: EntityId,
        number: Number,
        class: u8,
        body: &Body,
    ) -> Handled {
        let format = self.config.format.coarser(class);
        let Some(peer) = self.peers.get_mut(&from) else { return Handled::Over };
        let Some(entity) = self.world.get_mut(id) else {
            peer.stats.unknown_entity += 1;
            return Handled::Yes;
        };
        if entity.owner != Owner::Peer(from) {
            peer.stats.not_owner += 1;
            return Handled::Yes;
        }
        let Some(update) = decode(entity, header, &format, number, body, &mut peer.stats) else {
            return Handled::Not;
        };
        let Ok(update) = update else { return Handled::Yes };
        let update = match self.config.clocking {
            Clocking::Synchronised => update,
            Clocking::PerHop => localised(&update, header, way_of(peer), now),
        };
        self.judge(now, from, id, &update)
    }

    /// Believes an update of an owner, or does not.
    fn judge(&mut self, now: SimTime, from: PeerId, id: EntityId, update: &Update) -> Handled {
        let Some(entity) = self.world.get_mut(id) else { return Handled::Yes };
        let walls = self.config.walls.as_ref().map(|walls| walls as &dyn Terrain);
        let verdict = match entity.guard.as_deref_mut() {
            Some(guard) => guard.judge(update, walls, now),
            None => Verdict::Accept,
        };
        let offence = entity.guard.as_ref().and_then(|guard| guard.offence());
        match verdict {
            Verdict::Accept => self.believe(from, id, update),
            Verdict::Reject(_) => self.count(from, |stats| stats.rejected += 1),
            Verdict::Correct(place) => {
                let corrected = put(&place, self.config.model);
                if let Some(known) = corrected {
                    entity.learn(known);
                    let state = entity.state(&self.config.format);
                    if let Some(peer) = self.peers.get_mut(&from) {
                        peer.stats.corrected += 1;
                        peer.notices.say(id, Word::Correct(state));
                    }
                    self.enqueue(from);
                }
                self.tell(HostEvent::Judged { peer: from, entity: id, verdict, offence });
            }
            Verdict::Disconnect(_) => {
                self.tell(HostEvent::Judged { peer: from, entity: id, verdict, offence });
                self.refuse(now, from, Refusal::Conduct);
                return Handled::Over;
            }
        }
        Handled::Yes
    }

    fn believe(&mut self, from: PeerId, id: EntityId, update: &Update) {
        let learnt = self.world.get_mut(id).is_some_and(|entity| entity.learn(*update));
        self.count(from, |stats| {
            let counter = if learnt { &mut stats.updates_in } else { &mut stats.stale };
            *counter += 1;
        });
        if let (true, Some(rewind)) = (learnt, &mut self.rewind) {
            rewind.observe(id, update.kinematics());
        }
    }
}

/// Decodes an owner's update. `None` when its baseline is not here or it makes no sense with
/// it, so that it has to come again; an error when it is overtaken.
fn decode(
    entity: &mut Entity,
    header: &Header,
    format: &Format,
    number: Number,
    body: &Body,
    stats: &mut TrafficStats,
) -> Option<Result<Update, ()>> {
    let inbound = &mut entity.inbound;
    // Numbers are sent in order, so what an older datagram brings is overtaken.
    if inbound.sequence.is_some_and(|newest| ahead(header.sequence, newest) < 0) {
        stats.stale += 1;
        return Some(Err(()));
    }
    let newest = inbound.history.newest();
    let baseline = newest.and_then(|newest| number.baseline(newest));
    let held = baseline.and_then(|number| inbound.history.get(number));
    if matches!(number, Number::Off { .. }) && held.is_none() {
        stats.no_baseline += 1;
        return None;
    }
    let Ok(update) = body.resolve(format, held) else {
        stats.malformed += 1;
        return None;
    };
    let number = number.number(newest.unwrap_or_default());
    if !body.has_baseline() && newest.is_some_and(|newest| ahead(newest, number) > 0) {
        inbound.history.clear(); // the owner counts anew
    }
    inbound.history.put(number, update);
    inbound.sequence = Some(header.sequence);
    Some(Ok(update))
}

/// Half of the shortest way there and back.
fn way_of(peer: &Peer) -> Duration {
    peer.channel.flights.least_round_trip().unwrap_or_default() / 2
}

/// The update by the host's clock: as old as its way took, and as it was when it left.
fn localised(update: &Update, header: &Header, way: Duration, now: SimTime) -> Update {
    let left = SimTime::from_millis(header.sent_ms);
    let age = left.saturating_since(update.at()).min(Duration::from_secs(5));
    let kept = Hops::aged(age).then(way).localise(update, now);
    let kind =
        if update.kind() == UpdateKind::Teleport { UpdateKind::Teleport } else { kept.kind() };
    Update::new(*kept.kinematics(), *kept.model(), kind).unwrap_or(kept)
}
