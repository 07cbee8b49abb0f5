//! Delivery: what takes effect when a datagram is acknowledged or lost.
//!
//! [`loss_detection`](crate::loss_detection) decides which datagrams were received and which were
//! lost; here each item of such a datagram is brought to where it belongs: an acknowledged update
//! becomes a baseline, a lost one is due again.

use alloc::collections::BTreeMap;
use core::time::Duration;

use reckoning::{Rewind, SimTime};

use super::connections::{Peer, PendingDescriptions};
use super::entities::BaselineRef;
use super::entities::EntityTable;
use super::joint_memory::JointMemory;
use super::properties::PeerValues;
use super::sending::{InterestStage, PeerEntityState};
use crate::ack_window::Sequence;
use crate::channel::{Channel, SentItem};
use crate::control_messages::ControlMessages;
use crate::loss_detection::{PacketOutcome, SentPacket, SentPackets};
use crate::reliable::ReliableOutbox;
use crate::wire::{EntityId, PeerId};

/// Everything of a peer and of the host that an acknowledgement or a loss can affect.
pub(crate) struct DeliveryEffects<'a> {
    peer: PeerId,
    now: SimTime,
    entity_states: &'a mut [PeerEntityState],
    /// Where the next state is likely to be.
    next: usize,
    /// Whether entities keep accounts of what was received.
    keeps_accounts: bool,
    control: &'a mut ControlMessages,
    outbox: &'a mut ReliableOutbox,
    welcome_due: &'a mut bool,
    joints_due: &'a mut bool,
    joint_memory: &'a mut BTreeMap<EntityId, JointMemory>,
    kinds: &'a mut PendingDescriptions,
    schema: &'a mut PendingDescriptions,
    values: &'a mut PeerValues,
    lost: &'a mut u64,
    delay_s: &'a mut Option<f64>,
    entities: &'a mut EntityTable,
    rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
}

impl<'a> DeliveryEffects<'a> {
    /// Splits a peer into its datagrams in flight and everything that their outcomes affect.
    pub(crate) fn split(
        peer: &'a mut Peer,
        entities: &'a mut EntityTable,
        rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
        now: SimTime,
    ) -> (&'a mut SentPackets<SentItem>, Self) {
        let Channel { sent_packets, outbox, .. } = &mut peer.channel;
        let effects = Self {
            peer: peer.id,
            now,
            entity_states: &mut peer.entity_states,
            next: 0,
            keeps_accounts: entities.keeps_accounts,
            control: &mut peer.control,
            outbox,
            welcome_due: &mut peer.welcome_due,
            joints_due: &mut peer.joints.due,
            joint_memory: &mut peer.joints.memory,
            kinds: &mut peer.kinds,
            schema: &mut peer.schema,
            values: &mut peer.values,
            lost: &mut peer.stats.lost,
            delay_s: &mut peer.delay_s,
            entities,
            rewind,
        };
        (sent_packets, effects)
    }

    /// Applies the outcome of a datagram to everything it carried.
    pub(crate) fn apply(&mut self, outcome: PacketOutcome, packet: &SentPacket<SentItem>) {
        match outcome {
            PacketOutcome::Acknowledged(at) => {
                self.measure_delay(at.secs_since(packet.sent_at));
                packet.items.iter().for_each(|item| self.acknowledged(*item, at));
            }
            PacketOutcome::Lost { missed } => {
                *self.lost += 1;
                packet.items.iter().for_each(|item| self.lost(*item, missed));
            }
            PacketOutcome::Missed => {
                packet.items.iter().for_each(|item| self.missed(*item));
                return;
            }
        }
        self.date_pictures(outcome, packet);
    }

    /// What a datagram carried was shown from when it arrived, or not at all.
    fn date_pictures(&mut self, outcome: PacketOutcome, packet: &SentPacket<SentItem>) {
        self.date_joints(outcome, packet);
        let Some(rewind) = self.rewind.as_deref_mut() else { return };
        let shown = packet.items.iter().filter_map(|item| match *item {
            SentItem::Update { entity, .. }
            | SentItem::Enter { entity, .. }
            | SentItem::EarlyUpdate { entity, .. }
            | SentItem::Exit { entity, .. } => Some(entity),
            _ => None,
        });
        for entity in shown {
            match outcome {
                PacketOutcome::Acknowledged(at) => {
                    rewind.handle_acknowledged(self.peer, entity, packet.number, at, self.now);
                }
                PacketOutcome::Lost { .. } => {
                    rewind.handle_lost(self.peer, entity, packet.number);
                }
                PacketOutcome::Missed => {}
            }
        }
    }

    fn date_joints(&mut self, outcome: PacketOutcome, packet: &SentPacket<SentItem>) {
        for item in &packet.items {
            let SentItem::Joints { entity, .. } = *item else { continue };
            let Some(memory) = self.joint_memory.get_mut(&entity) else { continue };
            match outcome {
                PacketOutcome::Acknowledged(at) => memory.arrived(packet.number, at),
                PacketOutcome::Lost { .. } => memory.lost(packet.number),
                PacketOutcome::Missed => {}
            }
        }
    }

    fn measure_delay(&mut self, sample_s: f64) {
        let sample_s = sample_s.clamp(0.0, 5.0);
        let delay_s = self.delay_s.map_or(sample_s, |old_s| old_s + 0.1 * (sample_s - old_s));
        *self.delay_s = Some(delay_s);
    }

    fn acknowledged(&mut self, item: SentItem, at: SimTime) {
        match item {
            SentItem::Update { entity, number, class, epoch }
            | SentItem::Enter { entity, number, class, epoch } => {
                let enters = matches!(item, SentItem::Enter { .. });
                self.update_acknowledged(entity, BaselineRef { number, class }, epoch, enters, at);
            }
            SentItem::Exit { entity, epoch } => {
                if let Some(state) = self.state(entity, epoch)
                    && matches!(state.stage, InterestStage::Exit { .. })
                {
                    state.stage = InterestStage::Gone;
                }
            }
            SentItem::Control { serial } => self.control.acknowledged(serial),
            SentItem::Reliable { index } => self.outbox.acknowledged(index),
            SentItem::Kind { kind } => self.kinds.acknowledged(kind.0),
            SentItem::Property { property } => self.schema.acknowledged(property.0),
            SentItem::Values { entity, mask, version, epoch } => {
                let arrived = self.unchanged_since(entity, mask, version);
                if let Some(unsent) = self.unsent_values(entity, epoch) {
                    *unsent &= !arrived;
                }
            }
            SentItem::Welcome
            | SentItem::EarlyUpdate { .. }
            | SentItem::Joints { .. }
            | SentItem::View { .. }
            | SentItem::Ask { .. } => {}
        }
    }

    fn update_acknowledged(
        &mut self,
        entity: EntityId,
        update: BaselineRef,
        epoch: u32,
        enters: bool,
        at: SimTime,
    ) {
        let Some(state) = self.state(entity, epoch) else { return };
        state.acknowledged(update, at);
        if enters && matches!(state.stage, InterestStage::Enter { .. }) {
            state.stage = InterestStage::Shown;
        }
        let slot = state.slot;
        *self.joints_due |= enters;
        if !self.keeps_accounts {
            return;
        }
        let (delay_s, peer, now) = (*self.delay_s, self.peer, self.now);
        let Some((entity, _)) = self.entities.at_slot(slot, entity) else { return };
        let Some(export) = entity.numbered(update.number).map(reckoning::Update::at) else {
            return;
        };
        // Accounts that are told of no acknowledgement keep every update they were told of.
        if let Some(fairness) = entity.fairness.as_deref_mut() {
            let delay = Duration::try_from_secs_f64(delay_s.unwrap_or(0.0)).unwrap_or_default();
            fairness.acknowledged(peer, update.class, (export, at), delay, now);
        }
    }

    /// What was given up because no acknowledgement came was really lost.
    fn missed(&mut self, item: SentItem) {
        let (SentItem::Update { entity, number, epoch, .. }
        | SentItem::EarlyUpdate { entity, number, epoch }) = item
        else {
            return;
        };
        let resent = self.entities.resends;
        if let Some(state) = self.state(entity, epoch).filter(|_| !resent) {
            state.missed(number);
        }
    }

    fn lost(&mut self, item: SentItem, missed: bool) {
        match item {
            SentItem::Update { entity, number, epoch, .. }
            | SentItem::EarlyUpdate { entity, number, epoch } => {
                self.update_lost(entity, number, epoch, missed);
            }
            SentItem::Enter { entity, number, epoch, .. } => {
                self.update_lost(entity, number, epoch, missed);
                if let Some(state) = self.state(entity, epoch)
                    && let InterestStage::Enter { sent } = &mut state.stage
                {
                    *sent = false;
                }
            }
            SentItem::Exit { entity, epoch } => {
                if let Some(state) = self.state(entity, epoch)
                    && let InterestStage::Exit { sent, .. } = &mut state.stage
                {
                    *sent = false;
                }
            }
            SentItem::Joints { entity, mask, epoch } => {
                if let Some(state) = self.state(entity, epoch) {
                    state.joints.lost(mask);
                    *self.joints_due = true;
                }
            }
            SentItem::Control { serial } => self.control.lost(serial),
            SentItem::Reliable { index } => self.outbox.lost(index),
            SentItem::Welcome => *self.welcome_due = true,
            SentItem::Kind { kind } => self.kinds.lost(kind.0),
            SentItem::Property { property } => self.schema.lost(property.0),
            SentItem::Values { entity, mask, version, epoch } => {
                // What changed since was due again from then on.
                let missing = self.unchanged_since(entity, mask, version);
                if let Some(unsent) = self.unsent_values(entity, epoch) {
                    *unsent |= missing;
                    self.values.due = true;
                }
            }
            SentItem::View { .. } | SentItem::Ask { .. } => {}
        }
    }

    fn update_lost(&mut self, entity: EntityId, number: Sequence, epoch: u32, missed: bool) {
        let resent = self.entities.resends;
        let Some(state) = self.state(entity, epoch) else { return };
        state.lost(number, missed, resent);
        let (slot, class) = (state.slot, state.class);
        if !self.keeps_accounts {
            return;
        }
        let (peer, now) = (self.peer, self.now);
        let Some((entity, _)) = self.entities.at_slot(slot, entity) else { return };
        let Some(export) = entity.numbered(number).map(reckoning::Update::at) else { return };
        if let Some(fairness) = entity.fairness.as_deref_mut() {
            fairness.lost(peer, class, export, now);
        }
    }

    /// Those of the properties that have not changed since then.
    fn unchanged_since(&self, entity: EntityId, mask: u32, version: u64) -> u32 {
        self.entities.get(entity).map_or(0, |entity| entity.values.unchanged_since(mask, version))
    }

    /// What of an entity's properties the peer has to be sent, in that epoch.
    fn unsent_values(&mut self, entity: EntityId, epoch: u32) -> Option<&mut u32> {
        if let Some(owned) = self.values.owned.iter().position(|it| it.is_of(entity, epoch)) {
            return self.values.owned.get_mut(owned).map(|it| &mut it.unsent);
        }
        self.state(entity, epoch).map(|state| &mut state.unsent_values)
    }

    /// Datagrams carry entities in the order of the states, so the next is nearly always the one
    /// after the last.
    fn state(&mut self, entity: EntityId, epoch: u32) -> Option<&mut PeerEntityState> {
        let next = self.entity_states.get(self.next).is_some_and(|state| state.entity == entity);
        let place = if next {
            self.next
        } else {
            self.entity_states.binary_search_by_key(&entity, |state| state.entity).ok()?
        };
        self.next = place + 1;
        self.entity_states.get_mut(place).filter(|state| state.epoch == epoch)
    }
}
