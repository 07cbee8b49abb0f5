//! What happens each tick.

use reckoning::{ListenerId, SimTime};

use super::Host;
use super::connections::PeerStage;
use super::delivery::DeliveryEffects;
use super::entities::{BaselineRef, ClassFormat, Entity};
use super::interest::{update_interest, view_origin};
use crate::wire::{Format, PeerId};
use crate::zones::ZoneClass;

impl Host {
    /// Makes the tick that is due, if one is: who is gone, who sees whom, who needs what.
    pub fn handle_timeout(&mut self, now: SimTime) {
        let Some(due) = self.next_tick.filter(|due| *due <= now) else { return };
        self.stats.ticks += 1;
        self.expire(now);
        self.detect_losses(now);
        if self.world.changed
            || now.saturating_since(self.interest_updated_at) >= self.config.zone_interval
        {
            self.update_interest_sets(now);
        }
        if self.config.fairness != reckoning::Policy::Base {
            self.export(now);
        }
        let ids: alloc::vec::Vec<PeerId> = self.peers.keys().copied().collect();
        for id in ids {
            if let Some(peer) = self.peers.get_mut(&id) {
                peer.ticks = true;
            }
            self.enqueue(id);
        }
        // Ticks that were slept through are not made up for.
        let next = due + self.config.tick;
        let next = if next <= now { now + self.config.tick } else { next };
        let idle = self.peers.is_empty() && self.absent.is_empty();
        self.next_tick = (!idle).then_some(next);
    }

    /// Starts ticking, if it does not.
    pub(super) fn wake(&mut self, now: SimTime) {
        self.next_tick = self.next_tick.or(Some(now));
    }

    fn detect_losses(&mut self, now: SimTime) {
        for peer in self.peers.values_mut() {
            let rewind = self.rewind.as_mut();
            let (sent_packets, mut fates) =
                DeliveryEffects::split(peer, &mut self.world, rewind, now);
            sent_packets.handle_timeout(now, |fate, packet| fates.apply(fate, packet));
        }
    }

    fn update_interest_sets(&mut self, now: SimTime) {
        self.interest_updated_at = now;
        self.world.rebuild_grid(now);
        for peer in
            self.peers.values_mut().filter(|peer| matches!(peer.stage, PeerStage::Joined(_)))
        {
            let sight = view_origin(peer, &self.world, now);
            self.world.find_near(sight, now, &mut self.found);
            update_interest(peer, &mut self.world, self.rewind.as_mut(), &self.found, now);
        }
    }

    /// Lets the fairness policies of all entities choose their receivers.
    fn export(&mut self, now: SimTime) {
        let Some(nearest) = self.config.zones.classes.first() else { return };
        let (slots, classes) = (&mut self.world.slots, &self.world.classes);
        for entity in slots.iter_mut().flatten() {
            if entity.fairness.is_none() {
                continue;
            }
            if strays_too_far(entity, classes, nearest, now) {
                export_one(entity, &self.config.format, now);
            }
            while let Some(delivery) =
                entity.fairness.as_deref_mut().and_then(|fairness| fairness.poll_delivery(now))
            {
                let ListenerId(to) = delivery.to;
                let number = entity.number_at(delivery.update.at());
                let peer = self.peers.get_mut(&PeerId(to));
                if let Some(view) = peer.and_then(|peer| peer.entity_state_mut(entity.id)) {
                    view.choose(number);
                }
            }
        }
    }
}

/// Whether the last export is no longer good enough: what a publisher decides.
fn strays_too_far(
    entity: &mut Entity,
    classes: &[ClassFormat],
    class: &ZoneClass,
    now: SimTime,
) -> bool {
    let Some((number, at)) = entity.exported else { return true };
    if entity.teleported_since(number) {
        return true;
    }
    let held = BaselineRef { number, class: 0 };
    let Some(prediction_error) = entity.prediction_error(classes, held, (0, class), now) else {
        return true;
    };
    let waited = now.saturating_since(at);
    if prediction_error.is_newest || waited < class.min_interval {
        return false;
    }
    let restless = prediction_error.moves || prediction_error.apart;
    prediction_error.misses_stop
        || prediction_error.turned
        || prediction_error.crosses
        || (waited >= class.heartbeat && restless)
}

fn export_one(entity: &mut Entity, format: &Format, now: SimTime) {
    let number = entity.number(format);
    entity.exported = Some((number, now));
    let Some(update) = entity.numbered(number).copied() else { return };
    if let Some(fairness) = entity.fairness.as_deref_mut() {
        fairness.handle_export(update, now);
    }
}
