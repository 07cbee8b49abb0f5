//! Fairness policies at work: what each entity exports, and which peers its policy chooses.

use alloc::collections::BTreeMap;

use reckoning::SimTime;
use reckoning::fairness::ListenerId;
use reckoning::random::SplitMix64;

use super::export_reason::{ExportState, reason_for_everybody};
use crate::host::config::HostConfig;
use crate::host::connections::Peer;
use crate::host::entities::{BaselineRef, ClassFormat, Entity, EntityTable, Exported};
use crate::wire::PeerId;
use crate::zones::ZoneClass;

/// Lets the fairness policies of all entities choose the peers that are due an update.
pub(crate) fn export_by_policy(
    config: &HostConfig,
    entities: &mut EntityTable,
    peers: &mut BTreeMap<PeerId, Peer>,
    now: SimTime,
) {
    let Some(nearest) = config.zones.classes.first() else { return };
    let (slots, classes) = (&mut entities.slots, &entities.classes);
    for entity in slots.iter_mut().flatten() {
        if entity.fairness.is_none() {
            continue;
        }
        if reason_for_everybody(nearest, &export_state(entity, classes, nearest, now)).is_some() {
            export(entity, config, nearest, now);
        }
        while let Some(delivery) =
            entity.fairness.as_deref_mut().and_then(|fairness| fairness.poll_delivery(now))
        {
            let ListenerId(to) = delivery.to;
            let number = entity.number_at(delivery.update.at());
            let peer = peers.get_mut(&PeerId(to));
            if let Some(state) = peer.and_then(|peer| peer.entity_state_mut(entity.id)) {
                state.choose(number);
            }
        }
    }
}

/// What is known of the last export.
fn export_state(
    entity: &mut Entity,
    classes: &[ClassFormat],
    class: &ZoneClass,
    now: SimTime,
) -> ExportState {
    let exported = entity.exported;
    let teleported = exported.is_some_and(|it| it.teleports != entity.teleports());
    let sent =
        exported.filter(|_| !teleported).map(|it| BaselineRef { number: it.number, class: 0 });
    ExportState {
        silence: exported.map_or_else(Default::default, |it| now.saturating_since(it.at)),
        silent: exported.is_some_and(|it| now >= it.heartbeat_at),
        error: sent.and_then(|sent| entity.prediction_error(classes, sent, (0, class), now)),
        teleported,
        due: false,
        lost: false,
        relays: false,
    }
}

fn export(entity: &mut Entity, config: &HostConfig, class: &ZoneClass, now: SimTime) {
    let number = entity.number(&config.format);
    let seed = config.seed ^ u64::from(entity.id.0) << 20 ^ number.value();
    let first = entity.exported.is_none();
    let heartbeat_at = now + class.heartbeat_after(first, SplitMix64::new(seed).unit());
    entity.exported =
        Some(Exported { number, teleports: entity.teleports(), at: now, heartbeat_at });
    let Some(update) = entity.numbered(number).copied() else { return };
    if let Some(fairness) = entity.fairness.as_deref_mut() {
        fairness.handle_export(update, now);
    }
}
