//! Receiving of a session: datagrams of the host, from their bytes to ghosts and events.

use core::time::Duration;

use reckoning::clock::{Exchange, Exchanged, RelayDelay};
use reckoning::{ClockSync, Kinematics, SimTime, Update};

use super::entities::AcceptedUpdates;
use super::event::SessionEvent;
use super::facing::FacingState;
use super::joints::{OwnedJoints, WatchedJoints};
use super::remote_ghost::RemoteGhost;
use super::{OwnedEntity, RemoteEntity, Session, SessionStage};
use crate::ack_window::{Arrival, Sequence};
use crate::channel::{Arriving, is_ack_eliciting};
use crate::history::UpdateHistory;
use crate::host::config::ClockMode;
use crate::kinds::KindId;
use crate::loss_detection::AckReport;
use crate::reliable::Taken;
use crate::wire::{Ack, EntityId, ExitReason, Message, Owner, PacketReader, UpdateBody, UpdateSeq};

/// A datagram sent this long after what we take for now proves our clock wrong.
const MAX_CLOCK_LEAD: Duration = Duration::from_millis(60);

/// A datagram that took no longer than this was under way, not in a queue that nobody read.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// Where the host's time proves to lie further back than this, it is not shed but stepped over.
const MAX_CLOCK_SHED: Duration = Duration::from_secs(1);

/// Without a common clock, an update is taken to be at most this old when it was sent.
const MAX_AGE: Duration = Duration::from_secs(30);

impl Session {
    /// Handles a datagram of the host. Whatever is wrong with it is counted.
    pub fn handle_datagram(&mut self, now: SimTime, bytes: &[u8]) {
        self.begin(now);
        self.stats.datagrams_in += 1;
        self.stats.bytes_in += bytes.len() as u64;
        let Ok(reader) = PacketReader::new(bytes) else {
            self.stats.malformed += 1;
            return;
        };
        match self.channel.classify(reader.header().sequence) {
            _ if self.is_over() => self.stats.unexpected += 1,
            Arrival::New => self.read(now, reader),
            Arrival::Duplicate => self.stats.duplicates += 1,
            Arrival::TooOld => self.stats.too_old += 1,
        }
    }

    fn read(&mut self, now: SimTime, mut reader: PacketReader) {
        let header = *reader.header();
        let arriving = self.channel.arriving(&header);
        let heard = self.sent_about(&arriving, now);
        self.channel.last_received_at = self.channel.last_received_at.max(heard);
        self.doubt_clock(&arriving, now);
        if let Some(ack) = header.ack {
            self.handle_ack(now, ack);
        }
        let (mut ack_eliciting, mut complete) = (false, true);
        loop {
            let (format, before_bits) = (self.format.clone(), reader.bits_left());
            match reader.next_message(format.as_ref()) {
                Ok(None) => break,
                Ok(Some(message)) => {
                    self.weigh(&message, before_bits - reader.bits_left());
                    ack_eliciting |= is_ack_eliciting(&message);
                    complete &= self.handle_message(now, &arriving, &message);
                }
                Err(_) => {
                    // What needs a format that was not received yet will be sent again.
                    self.stats.malformed += u64::from(self.format.is_some());
                    complete = false;
                    break;
                }
            }
        }
        if complete {
            let host_now = self.timeline_at(now).unwrap_or(SimTime::from_millis(header.sent_ms));
            self.channel.record_received(header.sequence, host_now, now, ack_eliciting);
            self.stats.missed = self.channel.missed();
        }
    }

    /// Counts what an update took, for its kind.
    fn weigh(&mut self, message: &Message, bits: usize) {
        let Message::Update { entity, .. } = message else { return };
        let Some(remote) = self.ghosts.get(entity) else { return };
        let traffic = self.received.entry(remote.kind).or_default();
        traffic.updates += 1;
        traffic.bits += bits as u64;
    }

    /// When the host lived, by our clock, to send this. What lay in a queue while nobody read is no
    /// sign that it still does.
    fn sent_about(&self, datagram: &Arriving, now: SimTime) -> SimTime {
        let sent = SimTime::from_millis(datagram.sent_ms);
        let age = self.host_time(now).map(|host_now| host_now.saturating_since(sent));
        age.filter(|age| *age > MAX_DELAY).map_or(now, |age| now - age)
    }

    /// Nothing is received before it was sent: if it seems so, our clock stood still.
    fn doubt_clock(&mut self, datagram: &Arriving, now: SimTime) {
        let sent = SimTime::from_millis(datagram.sent_ms);
        if self.host_time(now).is_some_and(|host_now| sent > host_now + MAX_CLOCK_LEAD) {
            self.in_doubt = true;
        }
    }

    fn handle_ack(&mut self, now: SimTime, ack: Ack) {
        let host_now = self.timeline_at(now).unwrap_or(now);
        let report = AckReport::from_ack(ack, host_now);
        let (sent_packets, apply) = self.delivery();
        let known = sent_packets.handle_ack_report(&report, now, apply);
        self.stats.false_acks += u64::from(!known);
    }

    /// Returns false for what cannot be used and has to be sent again.
    fn handle_message(&mut self, now: SimTime, datagram: &Arriving, message: &Message) -> bool {
        if let Message::Reliable { bytes, .. } | Message::Command { bytes, .. } = message {
            self.stats.carried_bytes_in += bytes.len() as u64;
        }
        match *message {
            Message::Welcome { peer, format, config } => self.handle_welcome(peer, format, config),
            Message::Kind { kind, bytes } => return self.handle_kind(kind, bytes),
            Message::Property { property, bytes } => return self.handle_property(property, bytes),
            Message::Refused(why) | Message::Bye(why) => {
                self.stage = SessionStage::Ended(0);
                self.push_event(SessionEvent::Disconnected(why));
            }
            Message::Kick { why, words } => {
                self.stage = SessionStage::Ended(0);
                self.push_event(SessionEvent::Kicked { why, words: words.into() });
            }
            Message::Pong { sent_us, received_us, answered_us } => {
                self.handle_pong(now, [sent_us, received_us, answered_us]);
            }
            Message::Reliable { index, bytes } => {
                if self.channel.inbox.take(index, bytes) == Taken::TooFar {
                    self.stats.no_room += 1;
                    return false;
                }
                while let Some(bytes) = self.channel.inbox.ready() {
                    self.push_event(SessionEvent::Message(bytes));
                }
            }
            Message::Command { index, bytes } => {
                if self.channel.duplicates.is_new(index) {
                    self.push_event(SessionEvent::Command(bytes.to_vec()));
                }
            }
            _ if matches!(self.stage, SessionStage::Joined(_)) => {
                return self.handle_entity(now, datagram, message);
            }
            _ => return false,
        }
        true
    }

    fn handle_entity(&mut self, now: SimTime, datagram: &Arriving, message: &Message) -> bool {
        let sequence = datagram.sequence;
        match *message {
            Message::Enter { entity, owner, kind, number, class, tag, ref body } => {
                let enters = EnterHeader { entity, owner, kind, number, class, tag };
                return self.handle_enter(now, datagram, &enters, body);
            }
            Message::Update { entity, seq, class, ref body } => {
                return self.handle_update(now, datagram, (entity, seq, class), body);
            }
            Message::Joints { entity, mask, ref codes } => {
                return self.handle_joints(now, datagram, entity, (mask, codes));
            }
            Message::Exit { entity, why } => self.handle_exit(now, entity, why, sequence),
            Message::Grant { entity, kind } => return self.handle_grant(entity, kind, sequence),
            Message::Revoke { entity } => self.handle_revoke(now, entity, sequence),
            Message::Values { entity, bytes } => {
                return self.handle_values(entity, sequence, bytes);
            }
            Message::Correct { entity, serial, class, ref body } => {
                return self.handle_correct(now, datagram, (entity, serial), class, body);
            }
            _ => self.stats.unexpected += 1,
        }
        true
    }

    fn handle_pong(&mut self, now: SimTime, [sent_us, received_us, answered_us]: [u64; 3]) {
        let moment = |micros: u64| SimTime::from_micros(micros.cast_signed());
        // Only an answer to what we sent since the session began.
        let sent = moment(sent_us);
        if self.started.is_none_or(|started| sent < started) || sent > now {
            self.stats.unexpected += 1;
            return;
        }
        let exchange = Exchange {
            sent,
            received: moment(received_us),
            answered: moment(answered_us),
            returned: now,
        };
        if let Some(round_trip) = exchange.round_trip() {
            self.way.observe(round_trip);
        }
        match self.clock.handle_exchange(&exchange) {
            Exchanged::Used => self.in_doubt = false,
            Exchanged::Restarted => {
                self.in_doubt = false;
                self.handle_clock_restart(&exchange, now);
            }
            _ => {}
        }
    }

    /// A clock was set or stood still: what we published may bear stamps that the host refused, so
    /// it is exported anew. A timeline that is far ahead begins anew as well.
    fn handle_clock_restart(&mut self, exchange: &Exchange, now: SimTime) {
        for owned in self.owned.values_mut() {
            owned.publisher = None;
        }
        let ahead =
            self.clock.remote_at(now).is_some_and(|it| it > exchange.answered + MAX_CLOCK_SHED);
        let Ok(mut clock) = ClockSync::new(self.config.clock) else { return };
        if !ahead || clock.handle_exchange(exchange) != Exchanged::Used {
            return;
        }
        self.clock = clock;
        let at = self.timeline_at(now).unwrap_or(now);
        for remote in self.ghosts.values_mut() {
            // Its blend would begin in the future. The settings were taken before.
            let show = remote.ghost.show();
            if let Ok(ghost) = RemoteGhost::born(show, *remote.ghost.update(), at) {
                remote.ghost = ghost;
                remote.accepted = AcceptedUpdates::born(remote.sequence, at);
            }
        }
    }

    fn handle_enter(
        &mut self,
        now: SimTime,
        datagram: &Arriving,
        entry: &EnterHeader,
        body: &UpdateBody,
    ) -> bool {
        let (entity, sequence) = (entry.entity, datagram.sequence);
        let entered = self.ghosts.get(&entity).map(|old| old.entered);
        if self.exited.covers(entity, sequence) || entered.is_some_and(|it| it > sequence) {
            self.stats.stale += 1;
            return true;
        }
        let Some(coarser) = self.coarser_log2(entry.kind, entry.class) else {
            self.stats.malformed += 1;
            return false;
        };
        let Some(update) = self.resolved(coarser, None, body) else { return false };
        if entered.is_some() {
            self.enter_again(now, datagram, entry, update);
            return true;
        }
        let arrived = self.arrival(now, datagram);
        let shown = self.rebased(&update, datagram, now);
        if self.ghosts.len() >= self.config.max_ghosts {
            self.stats.no_room += 1;
            return false;
        }
        let show = self.show_in(entry.kind, entry.class);
        let entering = self.entering_ghost(entity, show, shown, arrived);
        let Ok((ghost, glides)) = entering else { return true };
        let mut history = UpdateHistory::default();
        history.put(Sequence::restore(entry.number, None), update);
        let (owner, kind, class) = (entry.owner, entry.kind, entry.class);
        let tag = entry.tag.into();
        let mut accepted = AcceptedUpdates::born(sequence, arrived);
        if glides {
            accepted.glide(arrived);
        }
        let entered = sequence;
        let joints = WatchedJoints::default();
        let facing = FacingState::new(self.facing_of(kind), &ghost, arrived);
        let remote = RemoteEntity {
            owner,
            kind,
            class,
            tag,
            ghost,
            history,
            entered,
            sequence,
            accepted,
            joints,
            facing,
            ground: None,
        };
        self.ghosts.insert(entity, remote);
        self.begin_values(entity);
        self.stats.updates_in += 1;
        let tag = entry.tag.to_vec();
        self.push_event(SessionEvent::Entered { entity, owner, kind, tag });
        true
    }

    /// An entity that is shown enters anew: its exit was not received, or its owner changed.
    fn enter_again(
        &mut self,
        now: SimTime,
        datagram: &Arriving,
        entry: &EnterHeader,
        update: Update,
    ) {
        let (arrived, shown) = (self.arrival(now, datagram), self.rebased(&update, datagram, now));
        let (entity, owner) = (entry.entity, entry.owner);
        let (kind, show) = (entry.kind, self.show_in(entry.kind, entry.class));
        let facing = self.facing_of(kind);
        let Some(old) = self.ghosts.get_mut(&entity) else { return };
        let before = core::mem::replace(&mut old.owner, owner);
        let kind_before = core::mem::replace(&mut old.kind, kind);
        if kind_before != kind {
            old.joints.forget();
            old.ground = None;
            old.facing.set(facing, &old.ghost, arrived);
        }
        old.class = entry.class;
        if !show.snaps() {
            old.set_show(show, arrived);
        }
        (old.tag, old.entered) = (entry.tag.into(), datagram.sequence);
        if old.sequence > datagram.sequence {
            // An update overtook its entry; it is newer, and the rest of the entry counts.
            let number = Sequence::restore(entry.number, old.history.newest());
            old.history.put(number, update);
        } else {
            // What came before the entry serves as no baseline, and may bear any number.
            old.history = UpdateHistory::default();
            old.history.put(Sequence::restore(entry.number, None), update);
            old.sequence = datagram.sequence;
            if before == owner {
                old.show(shown, arrived, datagram.sequence);
            } else {
                old.hand_over(shown, arrived, datagram.sequence);
            }
            self.stats.updates_in += 1;
        }
        old.set_show(show, arrived); // what is shown at once is so from the next update on
        if before != owner {
            self.push_event(SessionEvent::OwnerChanged { entity, owner });
        }
        if kind_before != kind {
            self.push_event(SessionEvent::KindChanged { entity, kind });
        }
    }

    fn handle_update(
        &mut self,
        now: SimTime,
        datagram: &Arriving,
        (entity, seq, class): (EntityId, UpdateSeq, u8),
        body: &UpdateBody,
    ) -> bool {
        let Some(remote) = self.ghosts.get(&entity) else {
            self.stats.unknown_entity += 1;
            // It overtook its entry, unless it is late.
            return self.exited.covers(entity, datagram.sequence);
        };
        // Numbers are sent in order, so what an older datagram carries is overtaken.
        if datagram.sequence < remote.sequence {
            self.stats.stale += 1;
            return true;
        }
        let (number, baseline) = remote.history.restore(seq);
        let baseline = baseline.and_then(|number| remote.history.get(number)).copied();
        if matches!(seq, UpdateSeq::Delta { .. }) && baseline.is_none() {
            self.stats.no_baseline += 1;
            return false;
        }
        let remote_kind = remote.kind;
        let Some(coarser) = self.coarser_log2(remote_kind, class) else {
            self.stats.malformed += 1;
            return false;
        };
        let Some(update) = self.resolved(coarser, baseline.as_ref(), body) else { return false };
        let shown = self.rebased(&update, datagram, now);
        let arrived = self.arrival(now, datagram);
        let show = self.show_in(remote_kind, class);
        if let Some(remote) = self.ghosts.get_mut(&entity) {
            remote.history.put(number, update);
            remote.sequence = datagram.sequence;
            let changes = core::mem::replace(&mut remote.class, class) != class;
            if changes && !show.snaps() {
                remote.set_show(show, arrived);
            }
            remote.show(shown, arrived, datagram.sequence);
            if changes {
                remote.set_show(show, arrived);
            }
            self.stats.updates_in += 1;
        }
        true
    }

    fn resolved(
        &mut self,
        coarser_log2: u8,
        baseline: Option<&Update>,
        body: &UpdateBody,
    ) -> Option<Update> {
        let format = self.format.as_ref()?.coarser(coarser_log2);
        let update = body.resolve(&format, baseline).ok();
        self.stats.malformed += u64::from(update.is_none());
        update
    }

    /// Now, on the timeline of ghosts.
    fn arrival(&self, now: SimTime, datagram: &Arriving) -> SimTime {
        self.timeline_at(now).unwrap_or(SimTime::from_millis(datagram.sent_ms))
    }

    /// An update on the timeline of ghosts.
    fn rebased(&self, update: &Update, datagram: &Arriving, now: SimTime) -> Update {
        if self.clock_mode == ClockMode::Synchronised {
            return *update;
        }
        let age = SimTime::from_millis(datagram.sent_ms).saturating_since(update.at());
        let way = self.way.delay().unwrap_or_default();
        RelayDelay::aged(age.min(MAX_AGE)).then(way).localise(update, now)
    }

    fn handle_exit(&mut self, now: SimTime, entity: EntityId, why: ExitReason, sequence: Sequence) {
        let overtaken = self.ghosts.get(&entity).is_some_and(|it| it.entered > sequence);
        if overtaken {
            self.stats.stale += 1;
            return;
        }
        self.exited.put(entity, sequence);
        if let Some(remote) = self.ghosts.remove(&entity) {
            self.keep_left(now, entity, remote.ghost);
            self.forget_values(entity);
            self.push_event(SessionEvent::Exited { entity, why });
        }
    }

    fn handle_grant(&mut self, entity: EntityId, kind: KindId, sequence: Sequence) -> bool {
        if !self.kinds.has(kind) {
            self.stats.malformed += 1;
            return false;
        }
        if self.revoked.covers(entity, sequence) {
            self.stats.stale += 1;
            return true;
        }
        if let Some(owned) = self.owned.get_mut(&entity) {
            if sequence > owned.granted && owned.kind != kind {
                (owned.kind, owned.publisher, owned.planner) = (kind, None, None);
                owned.joints = OwnedJoints::default();
                owned.granted = sequence;
                self.push_event(SessionEvent::KindChanged { entity, kind });
            } else {
                owned.granted = owned.granted.max(sequence);
            }
            return true;
        }
        if self.owned.len() >= self.config.max_ghosts {
            self.stats.no_room += 1;
            return true;
        }
        self.owned.insert(entity, OwnedEntity::granted(sequence, kind));
        self.keep_picture(entity, None);
        self.begin_values(entity);
        self.values.granted(entity);
        self.push_event(SessionEvent::Granted(entity));
        true
    }

    fn handle_revoke(&mut self, now: SimTime, entity: EntityId, sequence: Sequence) {
        if self.owned.get(&entity).is_some_and(|owned| owned.granted > sequence) {
            self.stats.stale += 1;
            return;
        }
        self.revoked.put(entity, sequence);
        self.values.revoked(entity, sequence);
        if let Some(owned) = self.owned.remove(&entity) {
            self.hand_over(now, entity, &owned);
            self.forget_values(entity);
            self.push_event(SessionEvent::Revoked(entity));
        }
    }

    fn handle_correct(
        &mut self,
        now: SimTime,
        datagram: &Arriving,
        (entity, serial): (EntityId, u16),
        class: u8,
        body: &UpdateBody,
    ) -> bool {
        let Some(owned) = self.owned.get(&entity) else {
            self.stats.unknown_entity += 1;
            return self.revoked.covers(entity, datagram.sequence);
        };
        if owned.corrected.is_some_and(|newest| newest >= datagram.sequence) {
            self.stats.stale += 1;
            return true;
        }
        // Its acknowledgement was lost, not the correction: the game has gone on from there.
        if owned.correction == Some(serial) {
            return true;
        }
        let Some(update) = self.resolved(class, None, body) else { return false };
        let rested_us = {
            let sent = SimTime::from_millis(datagram.sent_ms);
            let host_now = self.host_time(now).unwrap_or(sent);
            host_now.as_micros().saturating_sub(update.at().as_micros())
        };
        let at = SimTime::from_micros(now.as_micros().saturating_sub(rested_us));
        if let Some(owned) = self.owned.get_mut(&entity) {
            owned.correct(datagram.sequence, update.teleports());
            owned.correction = Some(serial);
        }
        let state = Kinematics { at, ..*update.kinematics() };
        self.push_event(SessionEvent::Corrected { entity, state });
        true
    }
}

/// An entry into the interest set, without its body.
struct EnterHeader<'a> {
    entity: EntityId,
    owner: Owner,
    kind: KindId,
    number: u16,
    class: u8,
    tag: &'a [u8],
}
