//! Hand-over of a body from its owner to another server.

use super::{BodyEvent, BodyTable, Offer, Origin, Owned, Prepared, Tombstone, raise};
use crate::grid::CellId;
use crate::ids::{BodyId, Epoch, Incarnation, Version};
use crate::message::{BodyState, Message};

impl BodyTable {
    /// Offers a body of ours to the owner of the cell it goes into. Does nothing, and says so, while
    /// it is on offer already or its holder has not confirmed a copy: were it passed on before,
    /// a crash of its next owner could take the only two copies along.
    pub fn offer(
        &mut self,
        body: BodyId,
        to: Incarnation,
        cell: CellId,
        cell_epoch: Epoch,
    ) -> bool {
        let safe = self.is_safe(body);
        let Some(owned) = self.owned.get_mut(&body) else { return false };
        if owned.offer.is_some() || !safe || to == self.me || to.epoch < floor(&self.floors, to) {
            return false;
        }
        owned.issued = owned.issued.next_step();
        owned.offer = Some(Offer { to, version: owned.issued, cell, cell_epoch });
        self.send_offer(body);
        true
    }

    /// Whether the body is on offer.
    #[must_use]
    pub fn is_on_offer(&self, body: BodyId) -> bool {
        self.owned.get(&body).is_some_and(|it| it.offer.is_some())
    }

    /// Takes an offer back. The body stays ours, and that version is burnt.
    pub fn cancel(&mut self, body: BodyId) {
        let Some(offer) = self.owned.get_mut(&body).and_then(|it| it.offer.take()) else { return };
        self.stats.cancelled += 1;
        self.cancels.insert((body, offer.version), offer.to);
        self.send(offer.to, Message::Cancel { body, version: offer.version });
    }

    pub(super) fn take_back_offer(&mut self, body: BodyId, owned: &Owned) {
        if let Some(offer) = owned.offer {
            self.cancels.insert((body, offer.version), offer.to);
            self.send(offer.to, Message::Cancel { body, version: offer.version });
        }
    }

    pub(super) fn handle_offer(
        &mut self,
        from: Incarnation,
        body: BodyId,
        version: Version,
        state: BodyState,
        willing: bool,
    ) {
        let past = |it: Option<&super::Memory>| it.is_some_and(|it| it.version >= version);
        let later = self.prepared.get(&body).is_some_and(|it| it.version > version);
        if past(self.seen.get(&body)) || past(self.burnt.get(&body)) || later {
            return; // late: it has gone on since, or was taken back
        }
        if !willing {
            self.send(from, Message::Refuse { body, version });
            return;
        }
        self.prepared.insert(body, Prepared { from, version, state, age: 0 });
        self.send(from, Message::Accept { body, version });
    }

    pub(super) fn handle_accept(&mut self, from: Incarnation, body: BodyId, version: Version) {
        let is_answer = |it: &Offer| it.to == from && it.version == version;
        let offered = self.owned.get(&body).and_then(|it| it.offer);
        if !offered.is_some_and(|it| is_answer(&it)) || !self.is_safe(body) {
            return;
        }
        let Some(owned) = self.owned.remove(&body) else { return };
        self.remember(body, version);
        self.stats.handed_over += 1;
        self.events.push_back(BodyEvent::HandedOver { body, version, to: from });
        let holders = owned.holders().collect();
        self.send(from, Message::Commit { body, version, state: owned.state.clone() });
        if self.safeguards.tombstones {
            let tombstone = Tombstone { to: from, state: owned.state, holders };
            self.tombstones.insert((body, version), tombstone);
        } else {
            self.release(body, version, owned.state.stamp, holders);
        }
    }

    pub(super) fn handle_refuse(&mut self, from: Incarnation, body: BodyId, version: Version) {
        let Some(owned) = self.owned.get_mut(&body) else { return };
        if owned.offer.is_some_and(|it| it.to == from && it.version == version) {
            owned.offer = None;
            self.events.push_back(BodyEvent::Refused { body, by: from });
            // An earlier copy of the offer may have been accepted, and its state lie there.
            self.cancels.insert((body, version), from);
            self.send(from, Message::Cancel { body, version });
        }
    }

    pub(super) fn handle_commit(
        &mut self,
        from: Incarnation,
        body: BodyId,
        version: Version,
        state: BodyState,
    ) {
        let Some(seen) = self.seen.get(&body).map(|it| it.version).filter(|it| *it >= version)
        else {
            self.stats.taken_over += 1;
            self.own(body, version, state, Some(Origin::Handover(from)));
            return;
        };
        let waits = self.owned.get(&body).is_some_and(|it| it.owes_ack.is_some());
        if seen == version && waits {
            self.acknowledge_if_safe(body);
        } else {
            // It was safe here, and may have gone on since; only what is safe is passed on.
            self.acknowledge(from, body, version);
        }
    }

    /// Says that the body is safe here, until its former owner has said that it knows.
    pub(super) fn acknowledge(&mut self, to: Incarnation, body: BodyId, version: Version) {
        self.acks.insert((body, version), to);
        self.send(to, Message::Ack { body, version });
    }

    pub(super) fn handle_ack(&mut self, from: Incarnation, body: BodyId, version: Version) {
        let key = (body, version);
        self.send(from, Message::Closed { body, version });
        if self.tombstones.get(&key).is_none_or(|it| it.to != from) {
            return;
        }
        let Some(tombstone) = self.tombstones.remove(&key) else { return };
        self.events.push_back(BodyEvent::Settled { body });
        self.release(body, version, tombstone.state.stamp, tombstone.holders);
    }

    pub(super) fn handle_cancel(&mut self, from: Incarnation, body: BodyId, version: Version) {
        raise(&mut self.burnt, body, version);
        if self.prepared.get(&body).is_some_and(|it| it.version <= version) {
            self.prepared.remove(&body);
        }
        self.send(from, Message::CancelAck { body, version });
    }

    pub(super) fn resend_handovers(&mut self) {
        let offered: Vec<_> =
            self.owned.iter().filter(|it| it.1.offer.is_some()).map(|it| *it.0).collect();
        for body in offered {
            self.send_offer(body);
        }
        for (&(body, version), it) in &self.tombstones {
            let message = Message::Commit { body, version, state: it.state.clone() };
            self.outbox.push_back(super::Envelope { from: self.me, to: it.to, message });
        }
        for (&(body, version), &to) in &self.cancels {
            let message = Message::Cancel { body, version };
            self.outbox.push_back(super::Envelope { from: self.me, to, message });
        }
        for (&(body, version), &to) in &self.acks {
            let message = Message::Ack { body, version };
            self.outbox.push_back(super::Envelope { from: self.me, to, message });
        }
    }

    fn send_offer(&mut self, body: BodyId) {
        let Some(owned) = self.owned.get(&body) else { return };
        let Some(Offer { to, version, cell, cell_epoch }) = owned.offer else { return };
        let state = owned.state.clone();
        self.send(to, Message::Offer { body, version, cell, cell_epoch, state });
    }
}

fn floor(
    floors: &std::collections::BTreeMap<crate::ids::ServerId, Epoch>,
    of: Incarnation,
) -> Epoch {
    floors.get(&of.server).copied().unwrap_or_default()
}
