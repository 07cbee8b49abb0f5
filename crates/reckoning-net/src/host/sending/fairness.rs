//! Fairness policies at work: what each entity exports, and which peers its policies choose.

use alloc::collections::{BTreeMap, BTreeSet};

use reckoning::fairness::{ListenerId, ThresholdTuner};
use reckoning::{SimTime, Threshold};

use super::entity_fairness::{ClassFairness, EntityFairness, Exported, relays};
use super::export_reason::{ExportState, reason_for_everybody};
use crate::host::config::HostConfig;
use crate::host::connections::Peer;
use crate::host::entities::{ClassFormat, Entity, EntityTable};
use crate::wire::{Format, PeerId};
use crate::zones::ZoneClass;

/// Lets the fairness policies of all entities choose the peers that are due an update. Returns when
/// they want to send something before they are asked again.
pub(crate) fn export_by_policy(
    config: &HostConfig,
    tuner: Option<&mut ThresholdTuner>,
    entities: &mut EntityTable,
    peers: &mut BTreeMap<PeerId, Peer>,
    now: SimTime,
) -> Option<SimTime> {
    let scale = tuner.as_deref().map_or(1.0, ThresholdTuner::scale);
    let mut pass = ExportPass { config, scale, tunes: tuner.is_some(), base: 0, spent: 0, now };
    let mut wakeup: Option<SimTime> = None;
    for (entity, classes) in entities.iter_mut() {
        // Taken out so that the entity can be asked meanwhile.
        let Some(mut fairness) = entity.fairness.take() else { continue };
        pass.export(entity, classes, &mut fairness);
        pass.spent += deliver(entity, &mut fairness, peers, now, &mut BTreeSet::new());
        wakeup = [wakeup, fairness.wakeup].into_iter().flatten().min();
        entity.fairness = Some(fairness);
    }
    if let Some(tuner) = tuner {
        tuner.observe(pass.base as f64, pass.spent as f64);
    }
    wakeup
}

/// Hands out what policies planned to send by now, between two ticks. Returns to whom, and when to
/// be asked again.
pub(crate) fn deliver_planned(
    entities: &mut EntityTable,
    peers: &mut BTreeMap<PeerId, Peer>,
    now: SimTime,
) -> (BTreeSet<PeerId>, Option<SimTime>) {
    let mut chosen = BTreeSet::new();
    let mut wakeup: Option<SimTime> = None;
    for entity in entities.slots.iter_mut().flatten() {
        let Some(mut fairness) = entity.fairness.take() else { continue };
        if fairness.wakeup.is_some_and(|at| at <= now) {
            deliver(entity, &mut fairness, peers, now, &mut chosen);
        }
        wakeup = [wakeup, fairness.wakeup].into_iter().flatten().min();
        entity.fairness = Some(fairness);
    }
    (chosen, wakeup)
}

/// The scale below which rounding alone would cross the nearest class's threshold.
pub(crate) fn finest_scale(format: &Format, nearest: &ZoneClass) -> f64 {
    let format = format.coarser(nearest.coarser_log2);
    format.finest_threshold_m() / nearest.threshold.max_error_m()
}

/// The nearest class as its policies are triggered. Farther classes keep their thresholds: they are
/// never served more finely than they say.
fn lowered(nearest: &ClassFormat, scale: f64) -> ZoneClass {
    let finest = nearest.format.finest_threshold_m() / nearest.rules.threshold.max_error_m();
    let (nearest, scale) = (&nearest.rules, scale.max(finest).min(1.0));
    let lower_m = nearest.threshold.max_error_m() * scale;
    let threshold = if nearest.threshold.is_per_axis() {
        Threshold::metres_per_axis(lower_m)
    } else {
        Threshold::metres(lower_m)
    };
    ZoneClass { threshold: threshold.unwrap_or(nearest.threshold), ..*nearest }
}

/// One round of exports.
struct ExportPass<'a> {
    config: &'a HostConfig,
    /// Of the nearest classes' thresholds.
    scale: f64,
    tunes: bool,
    /// Updates to peers of the nearest class that the base case would send.
    base: usize,
    /// Those that the policies send.
    spent: usize,
    now: SimTime,
}

impl ExportPass<'_> {
    fn export(
        &mut self,
        entity: &mut Entity,
        formats: &[ClassFormat],
        fairness: &mut EntityFairness,
    ) {
        for (place, (it, format)) in fairness.classes.iter_mut().zip(formats).enumerate() {
            let class = &format.rules;
            if it.fairness.listener_count() == 0 {
                (it.exported, it.base) = (None, None);
                continue;
            }
            if place == 0 && self.tunes && self.base_triggers(entity, format, class, it) {
                self.base += it.fairness.listener_count();
            }
            let rule = if place == 0 { lowered(format, self.scale) } else { *class };
            let state = Exported::state(it.exported.as_ref(), entity, format, &rule, self.now);
            if reason_for_everybody(&rule, &state).is_some() {
                self.trigger(entity, format, &rule, it);
            }
        }
    }

    /// Whether the base case would send an update to everyone of the nearest class.
    fn base_triggers(
        &self,
        entity: &mut Entity,
        format: &ClassFormat,
        class: &ZoneClass,
        it: &mut ClassFairness,
    ) -> bool {
        let state = Exported::state(it.base.as_ref(), entity, format, class, self.now);
        let state = ExportState { relays: relays(entity, 0), ..state };
        let triggers = reason_for_everybody(class, &state).is_some();
        if triggers {
            let (first, seed) = (it.base.is_none(), self.config.seed);
            it.base = Some(Exported::new(entity, format, class, first, seed, self.now));
        }
        triggers
    }

    fn trigger(
        &self,
        entity: &mut Entity,
        format: &ClassFormat,
        class: &ZoneClass,
        it: &mut ClassFairness,
    ) {
        let number = entity.number(&self.config.format);
        let (first, seed) = (it.exported.is_none(), self.config.seed);
        it.exported = Some(Exported::new(entity, format, class, first, seed, self.now));
        if let Some(update) = entity.numbered(number) {
            it.fairness.handle_export(*update, self.now);
        }
    }
}

/// Makes due what an entity's policies send now. Returns how many updates to peers of the nearest
/// class that are.
fn deliver(
    entity: &Entity,
    fairness: &mut EntityFairness,
    peers: &mut BTreeMap<PeerId, Peer>,
    now: SimTime,
    chosen: &mut BTreeSet<PeerId>,
) -> usize {
    let mut nearest = 0;
    for (place, class) in fairness.classes.iter_mut().enumerate() {
        while let Some(delivery) = class.fairness.poll_delivery(now) {
            let ListenerId(to) = delivery.to;
            let number = entity.number_at(delivery.update.at());
            let peer = peers.get_mut(&PeerId(to));
            if let Some(state) = peer.and_then(|peer| peer.entity_state_mut(entity.id)) {
                state.choose(number);
                chosen.insert(PeerId(to));
            }
            nearest += usize::from(place == 0);
        }
    }
    let wakeups = fairness.classes.iter().filter_map(|class| class.fairness.next_wakeup());
    fairness.wakeup = wakeups.min();
    nearest
}
