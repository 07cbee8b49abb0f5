//! Joints on the host: aimed here or by owners, passed on to everyone who has the entity.
//!
//! Each change of a joint gets a serial; a peer is due what is newer than the serial it was sent
//! last, and what was lost. It is sent as it is at the moment of sending, so a joint that was aimed
//! long ago is right for whoever comes late.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::{Joint, SimTime};

use super::Host;
use super::config::ClockMode;
use super::connections::Peer;
use super::entities::Entity;
use super::joint_memory::JointMemory;
use super::sending::{InterestStage, PacketBuilder, SendContext};
use crate::ack_window::Sequence;
use crate::channel::{Arriving, SentItem};
use crate::kinds::{JointKind, JointRef, Joints, KindId, MAX_SENT_JOINTS};
use crate::wire::{EntityId, Message, Owner, PeerId};

/// The joints of an entity, by their place among those that are sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntityJoints {
    joints: [AimedJoint; MAX_SENT_JOINTS],
    /// Counts the changes.
    serial: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct AimedJoint {
    joint: Joint,
    /// Of its last change; 0 while it was never aimed.
    serial: u64,
    /// Of the owner's newest datagram about it, if an owner aimed it.
    sequence: Option<Sequence>,
}

impl EntityJoints {
    fn set(&mut self, place: usize, joint: Joint, sequence: Option<Sequence>) {
        if let Some(aimed) = self.joints.get_mut(place) {
            self.serial += 1;
            *aimed = AimedJoint { joint, serial: self.serial, sequence };
        }
    }

    /// Whether a datagram of the owner about a joint was overtaken by one that is newer.
    fn is_overtaken(&self, place: usize, by: Sequence) -> bool {
        let newest = self.joints.get(place).and_then(|aimed| aimed.sequence);
        newest.is_some_and(|newest| newest > by)
    }

    /// Another owner aims them from now on, and counts its datagrams anew.
    pub(crate) fn forget_owner(&mut self) {
        self.joints.iter_mut().for_each(|aimed| aimed.sequence = None);
    }

    /// The entity is of another kind. Serials go on, for those who were sent some.
    pub(crate) fn forget(&mut self) {
        *self = Self { serial: self.serial, ..Self::default() };
    }

    /// A bit for each joint that changed since.
    fn changed_since(&self, serial: u64) -> u8 {
        let changed =
            |(place, aimed): (usize, &AimedJoint)| u8::from(aimed.serial > serial) << place;
        self.joints.iter().enumerate().map(changed).fold(0, |mask, bit| mask | bit)
    }

    /// A bit for each joint that was ever aimed.
    fn known(&self) -> u8 {
        self.changed_since(0)
    }

    fn codes(&self, kinds: &[JointKind], mask: u8, at: SimTime) -> [u16; MAX_SENT_JOINTS] {
        let mut codes = [0; MAX_SENT_JOINTS];
        let joints = codes.iter_mut().zip(&self.joints).zip(kinds.all_sent());
        for (place, ((code, aimed), kind)) in joints.enumerate() {
            if mask & 1 << place != 0 {
                *code = kind.encode(&kind.later(&aimed.joint, at));
            }
        }
        codes
    }
}

/// Joints that a peer may be due.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingJoints {
    /// Of which entities, in this tick.
    queue: Vec<EntityId>,
    /// Up to which of all changes it was looked after.
    seen_changes: u64,
    /// Something else makes some due: a loss, or an entry.
    pub(crate) due: bool,
    /// What the peer was shown of the joints of entities, where hits are checked.
    pub(crate) memory: BTreeMap<EntityId, JointMemory>,
}

impl PendingJoints {
    /// Remembers what is being sent of an entity of that kind in that epoch.
    fn remember(
        &mut self,
        (id, kind, epoch): (EntityId, KindId, u32),
        kinds: &[JointKind],
        sent: (u64, SimTime),
        codes: (u8, [u16; MAX_SENT_JOINTS]),
        way: Duration,
    ) {
        let memory = self.memory.entry(id);
        let memory = memory.or_insert_with(|| JointMemory::new(kind, epoch, kinds));
        if !memory.is_of(kind, epoch) {
            *memory = JointMemory::new(kind, epoch, kinds);
        }
        memory.sent(kinds, sent, codes, way);
    }
}

/// What a peer was sent of an entity's joints.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentJoints {
    /// The newest change that was sent.
    serial: u64,
    /// A bit for each that was lost since.
    lost: u8,
}

impl SentJoints {
    pub(crate) const fn lost(&mut self, mask: u8) {
        self.lost |= mask;
    }
}

impl Host {
    /// Aims a joint of an entity that the host moves: its angle at `now` and how fast it turns; each
    /// tick. What is beyond its range or rate is clamped. Returns whether the host moves the entity
    /// and its kind has such a joint that is sent.
    pub fn aim<'a>(
        &mut self,
        now: SimTime,
        id: EntityId,
        joint: impl Into<JointRef<'a>>,
        angle_rad: f64,
        rate_radps: f64,
    ) -> bool {
        let Some(entity) = self.entities.get_mut(id) else { return false };
        let kinds = self.config.kinds.joints(entity.kind);
        let place = kinds.sent_place(joint.into()).filter(|_| entity.owner == Owner::Host);
        let Some((place, kind)) = place.and_then(|it| Some((it, kinds.all_sent().nth(it)?))) else {
            return false;
        };
        let Some(truth) = kind.possible(Joint { at: now, angle_rad, rate_radps }) else {
            return false;
        };
        let joints = entity.joints.get_or_insert_default();
        let aimed = joints.joints.get(place).filter(|aimed| aimed.serial > 0);
        if aimed.is_none_or(|aimed| kind.is_due(&aimed.joint, &truth)) {
            // Watchers predict from the bits.
            joints.set(place, kind.decode(kind.encode(&truth), now), None);
            self.entities.joint_changes += 1;
        }
        true
    }

    /// The angle of a joint as the host knows it; `None` when the entity's kind has no such joint
    /// that is sent, or it was never aimed.
    #[must_use]
    pub fn joint_at<'a>(
        &self,
        id: EntityId,
        joint: impl Into<JointRef<'a>>,
        now: SimTime,
    ) -> Option<f64> {
        let entity = self.entities.get(id)?;
        let kinds = self.config.kinds.joints(entity.kind);
        let place = kinds.sent_place(joint.into())?;
        let aimed = entity.joints.as_ref()?.joints.get(place).filter(|aimed| aimed.serial > 0)?;
        Some(kinds.all_sent().nth(place)?.later(&aimed.joint, now).angle_rad)
    }

    /// Takes joints of an owner. Two bytes cannot say an angle beyond a joint's range; a joint that
    /// the kind does not have is refused and counted.
    pub(super) fn handle_joints(
        &mut self,
        now: SimTime,
        from: PeerId,
        datagram: &Arriving,
        id: EntityId,
        (mask, codes): (u8, &[u16; MAX_SENT_JOINTS]),
    ) {
        let Some(peer) = self.peers.get_mut(&from) else { return };
        let Some(entity) = self.entities.get_mut(id) else {
            peer.stats.unknown_entity += 1;
            return;
        };
        if !peer.owns(entity) {
            peer.stats.not_owner += 1;
            return;
        }
        let kinds = self.config.kinds.joints(entity.kind);
        if u32::from(mask) >> kinds.all_sent().count() != 0 {
            peer.stats.malformed += 1;
            return;
        }
        let joints = entity.joints.get_or_insert_default();
        let sent = match self.config.clock_mode {
            ClockMode::Synchronised => SimTime::from_millis(datagram.sent_ms).min(now),
            ClockMode::PerHop => {
                now - peer.channel.sent_packets.min_round_trip().unwrap_or_default() / 2
            }
        };
        for (place, (code, kind)) in codes.iter().zip(kinds.all_sent()).enumerate() {
            if mask & 1 << place == 0 {
                continue;
            }
            // What overtook it may have brought another joint, so each is judged for itself.
            if joints.is_overtaken(place, datagram.sequence) {
                peer.stats.stale += 1;
            } else {
                joints.set(place, kind.decode(*code, sent), Some(datagram.sequence));
                peer.stats.joints_in += 1;
            }
        }
        self.entities.joint_changes += 1;
    }
}

impl SendContext<'_> {
    /// Lists the entities of which a peer may be due joints.
    pub(super) fn choose_joints(&self, peer: &mut Peer) {
        let changes = self.entities.joint_changes;
        if changes == core::mem::replace(&mut peer.joints.seen_changes, changes) && !peer.joints.due
        {
            return;
        }
        peer.joints.due = false;
        if peer.joints.memory.len() > peer.entity_states.len() {
            let states = &peer.entity_states;
            let is_here = |id: &EntityId| states.binary_search_by_key(id, |it| it.entity).is_ok();
            peer.joints.memory.retain(|id, _| is_here(id));
        }
        let due = |entity: &Entity| entity.joints.is_some();
        let states = peer.entity_states.iter();
        let found = states.filter(|state| self.entities.at(state.slot).is_some_and(due));
        peer.joints.queue.clear();
        // Taken from the end, so that they are written in rising order, which is shortest.
        peer.joints.queue.extend(found.rev().map(|state| state.entity));
    }

    /// Writes the joints that are due, as they are at the moment of sending.
    pub(super) fn write_joints(&self, peer: &mut Peer, packet: &mut PacketBuilder, sent_ms: i64) {
        let at = SimTime::from_millis(sent_ms);
        while let Some(&id) = peer.joints.queue.last() {
            if !self.write_joints_of(peer, packet, id, at) {
                return;
            }
            peer.joints.queue.pop();
        }
    }

    /// Writes the joints of one entity that are due. False when they do not fit.
    fn write_joints_of(
        &self,
        peer: &mut Peer,
        packet: &mut PacketBuilder,
        id: EntityId,
        at: SimTime,
    ) -> bool {
        let (datagram, way) = (peer.channel.sent_packets.next_number(), peer.way());
        let Some(state) = peer.entity_state_mut(id) else { return true };
        let Some(entity) = self.entities.get(id) else { return true };
        let Some(joints) = &entity.joints else { return true };
        // Before the entry is acknowledged they could overtake it.
        if state.stage != InterestStage::Shown || state.header.kind != entity.kind {
            return true;
        }
        let mask = joints.changed_since(state.joints.serial) | (state.joints.lost & joints.known());
        if mask == 0 {
            return true;
        }
        let kinds = self.config.kinds.joints(entity.kind);
        let codes = joints.codes(kinds, mask, at);
        let epoch = state.epoch;
        let item = SentItem::Joints { entity: id, mask, epoch };
        let message = Message::Joints { entity: id, mask, codes };
        let fits = packet.push(&self.config.format, &message, Some(item));
        if fits {
            state.joints = SentJoints { serial: joints.serial, lost: 0 };
            peer.stats.joints_out += u64::from(mask.count_ones());
            if self.rewind.is_some() {
                let (sent, codes) = ((datagram, at), (mask, codes));
                peer.joints.remember((id, entity.kind, epoch), kinds, sent, codes, way);
            }
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An owner that aims all its joints as often as it may makes 2^32 changes in a month.
    #[test]
    fn what_changes_after_a_month_is_still_due() {
        let mut joints = EntityJoints { serial: u64::from(u32::MAX), ..EntityJoints::default() };
        let sent = joints.serial;
        joints.set(1, Joint::default(), None);
        assert_eq!([joints.changed_since(sent), joints.known()], [0b10, 0b10]);
        assert_eq!(joints.changed_since(joints.serial), 0);
    }
}
