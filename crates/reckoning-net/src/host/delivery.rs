//! What becomes of things when the datagram that carried them arrived or was lost.

use core::time::Duration;

use reckoning::{ListenerId, Rewind, SimTime};

use super::connections::Peer;
use super::entities::BaselineRef;
use super::entities::EntityTable;
use super::sending::{InterestStage, PeerEntityState};
use crate::channel::{Channel, SentItem};
use crate::control_messages::ControlMessages;
use crate::loss_detection::{PacketOutcome, SentPacket, SentPackets};
use crate::reliable::Outbox;
use crate::wire::{EntityId, PeerId};

/// Everything of a peer and of the host that a datagram's fate can concern.
pub(crate) struct DeliveryEffects<'a> {
    peer: PeerId,
    now: SimTime,
    entity_states: &'a mut [PeerEntityState],
    /// Where the next view is likely to be.
    next: usize,
    /// Whether entities keep accounts of what arrived.
    keeps_accounts: bool,
    control: &'a mut ControlMessages,
    outbox: &'a mut Outbox,
    welcome: &'a mut bool,
    lost: &'a mut u64,
    delay_s: &'a mut Option<f64>,
    world: &'a mut EntityTable,
    rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
}

impl<'a> DeliveryEffects<'a> {
    /// Takes a peer apart into its sent_packets and all that their fates concern.
    pub(crate) fn split(
        peer: &'a mut Peer,
        world: &'a mut EntityTable,
        rewind: Option<&'a mut Rewind<EntityId, PeerId>>,
        now: SimTime,
    ) -> (&'a mut SentPackets<SentItem>, Self) {
        let Channel { sent_packets, outbox, .. } = &mut peer.channel;
        let fates = Self {
            peer: peer.id,
            now,
            entity_states: &mut peer.entity_states,
            next: 0,
            keeps_accounts: world.keeps_accounts,
            control: &mut peer.control,
            outbox,
            welcome: &mut peer.welcome,
            lost: &mut peer.stats.lost,
            delay_s: &mut peer.delay_s,
            world,
            rewind,
        };
        (sent_packets, fates)
    }

    /// Tells everything that a datagram carried what became of it.
    pub(crate) fn apply(&mut self, fate: PacketOutcome, packet: &SentPacket<SentItem>) {
        match fate {
            PacketOutcome::Acknowledged(at) => {
                self.learn_delay(at.secs_since(packet.sent_at));
                packet.items.iter().for_each(|item| self.arrived(*item, at));
            }
            PacketOutcome::Lost => {
                *self.lost += 1;
                packet.items.iter().for_each(|item| self.lost(*item));
            }
        }
    }

    fn learn_delay(&mut self, sample_s: f64) {
        let sample_s = sample_s.clamp(0.0, 5.0);
        let delay_s = self.delay_s.map_or(sample_s, |old_s| old_s + 0.1 * (sample_s - old_s));
        *self.delay_s = Some(delay_s);
    }

    fn arrived(&mut self, item: SentItem, at: SimTime) {
        match item {
            SentItem::Update { entity, number, class, epoch }
            | SentItem::Enter { entity, number, class, epoch } => {
                let enters = matches!(item, SentItem::Enter { .. });
                self.shown(entity, BaselineRef { number, class }, epoch, enters, at);
            }
            SentItem::Exit { entity, epoch } => {
                if let Some(view) = self.view(entity, epoch)
                    && matches!(view.stage, InterestStage::Exit { .. })
                {
                    view.stage = InterestStage::Gone;
                }
            }
            SentItem::Control { serial } => self.control.arrived(serial),
            SentItem::Reliable { index } => self.outbox.arrived(index),
            SentItem::Welcome | SentItem::EarlyUpdate { .. } => {}
        }
    }

    fn shown(
        &mut self,
        entity: EntityId,
        held: BaselineRef,
        epoch: u16,
        enters: bool,
        at: SimTime,
    ) {
        let Some(view) = self.view(entity, epoch) else { return };
        view.arrived(held);
        if enters && matches!(view.stage, InterestStage::Enter { .. }) {
            view.stage = InterestStage::Shown;
        }
        let slot = view.slot;
        if let Some(rewind) = self.rewind.as_deref_mut() {
            rewind.handle_shown(self.peer, entity, rewind_key(held), at);
        }
        if !self.keeps_accounts {
            return;
        }
        let (delay_s, peer, now) = (*self.delay_s, self.peer, self.now);
        let Some(entity) = self.world.seen(slot, entity) else { return };
        let Some(export) = entity.numbered(held.number).map(reckoning::Update::at) else { return };
        // Accounts that hear of no arrivals keep every course they were told of.
        if let Some(fairness) = entity.fairness.as_deref_mut() {
            let delay = Duration::try_from_secs_f64(delay_s.unwrap_or(0.0)).unwrap_or_default();
            fairness.handle_delay(ListenerId(peer.0), delay);
            fairness.handle_acknowledgement(ListenerId(peer.0), export, at, now);
        }
    }

    fn lost(&mut self, item: SentItem) {
        match item {
            SentItem::Update { entity, number, epoch, .. }
            | SentItem::EarlyUpdate { entity, number, epoch } => self.missed(entity, number, epoch),
            SentItem::Enter { entity, number, epoch, .. } => {
                self.missed(entity, number, epoch);
                if let Some(view) = self.view(entity, epoch)
                    && let InterestStage::Enter { sent } = &mut view.stage
                {
                    *sent = false;
                }
            }
            SentItem::Exit { entity, epoch } => {
                if let Some(view) = self.view(entity, epoch)
                    && let InterestStage::Exit { sent } = &mut view.stage
                {
                    *sent = false;
                }
            }
            SentItem::Control { serial } => self.control.lost(serial),
            SentItem::Reliable { index } => self.outbox.lost(index),
            SentItem::Welcome => *self.welcome = true,
        }
    }

    fn missed(&mut self, entity: EntityId, number: u16, epoch: u16) {
        let Some(view) = self.view(entity, epoch) else { return };
        view.lost(number);
        let slot = view.slot;
        if !self.keeps_accounts {
            return;
        }
        let (peer, now) = (self.peer, self.now);
        let Some(entity) = self.world.seen(slot, entity) else { return };
        let Some(export) = entity.numbered(number).map(reckoning::Update::at) else { return };
        if let Some(fairness) = entity.fairness.as_deref_mut() {
            fairness.handle_loss(ListenerId(peer.0), export, now);
        }
    }

    /// Datagrams carry entities in the order of the states, so the next is nearly always the one
    /// after the last.
    fn view(&mut self, entity: EntityId, epoch: u16) -> Option<&mut PeerEntityState> {
        let next = self.entity_states.get(self.next).is_some_and(|view| view.entity == entity);
        let place = if next {
            self.next
        } else {
            self.entity_states.binary_search_by_key(&entity, |view| view.entity).ok()?
        };
        self.next = place + 1;
        self.entity_states.get_mut(place).filter(|view| view.epoch == epoch)
    }
}

/// The name under which an update is remembered for hit checks.
pub(crate) const fn rewind_key(held: BaselineRef) -> u32 {
    (held.class as u32) << 16 | held.number as u32
}
