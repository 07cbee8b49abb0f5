//! Fairness of one entity: a policy for the peers of each distance class.
//!
//! Every class has triggers of its own, by its own threshold, shortest interval and heartbeat, and
//! its policy compares only the peers in it. So no peer is served more finely or more often than
//! its class says, and nobody who is near pays for the larger errors that a far class allows.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use reckoning::fairness::{FairnessConfig, ListenerId};
use reckoning::random::SplitMix64;
use reckoning::{Fairness, ListenerAccount, SimTime, Update};

use super::PredictionError;
use super::export_reason::ExportState;
use crate::host::config::HostConfig;
use crate::host::entities::{ClassFormat, Entity};
use crate::kinds::KindId;
use crate::wire::{EntityId, Owner, PeerId};
use crate::zones::ZoneClass;

/// The policies of one entity, nearest class first.
#[derive(Debug)]
pub(crate) struct EntityFairness {
    pub(super) classes: Vec<ClassFairness>,
    /// When something that was planned has to be sent.
    pub(super) wakeup: Option<SimTime>,
}

/// The policy of one class.
#[derive(Debug)]
pub(super) struct ClassFairness {
    pub(super) fairness: Fairness,
    /// The last trigger.
    pub(super) exported: Option<Exported>,
    /// The last trigger of the base case, at the whole threshold, where that is asked for.
    pub(super) base: Option<Exported>,
}

/// An update that a class's policy shares out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exported {
    /// As the class writes it.
    update: Update,
    /// The moment of what the host knew.
    known_at: SimTime,
    at: SimTime,
    heartbeat_at: SimTime,
}

impl EntityFairness {
    /// `None` where everyone is served for itself and nobody asks for accounts.
    pub(crate) fn new(config: &HostConfig, kind: KindId, id: EntityId) -> Option<Box<Self>> {
        if !config.keeps_accounts() {
            return None;
        }
        let mut settings = FairnessConfig::default();
        settings.policy = config.fairness;
        settings.accounts = config.accounts;
        let mut class = |place: usize| {
            settings.seed = config.seed ^ u64::from(id.0) ^ (place as u64) << 40;
            let fairness = Fairness::new(settings.clone()).ok()?;
            Some(ClassFairness { fairness, exported: None, base: None })
        };
        let own = config.kinds.get(kind).and_then(|kind| kind.zones.as_ref());
        let count = own.unwrap_or(&config.zones).classes.len();
        let classes: Option<Vec<_>> = (0..count).map(&mut class).collect();
        Some(Box::new(Self { classes: classes?, wakeup: None }))
    }

    /// A peer sees the entity in that class from now on.
    pub(crate) fn add(&mut self, peer: PeerId, class: u8, now: SimTime) {
        if let Some(fairness) = self.class(class) {
            fairness.add_listener(ListenerId(peer.0), now);
        }
    }

    /// A peer sees it no longer.
    pub(crate) fn remove(&mut self, peer: PeerId, class: u8) {
        if let Some(fairness) = self.class(class) {
            fairness.remove_listener(ListenerId(peer.0));
        }
    }

    /// A peer sees it in another class: served at once if that is finer.
    pub(crate) fn change_class(&mut self, peer: PeerId, classes: (u8, u8), now: SimTime) {
        let (from, to) = classes;
        self.remove(peer, from);
        if to < from {
            self.add(peer, to, now);
        } else if let Some(fairness) = self.class(to) {
            fairness.adopt_listener(ListenerId(peer.0), now);
        }
    }

    /// A peer acknowledged an update of that class, which takes this long to it.
    pub(crate) fn acknowledged(
        &mut self,
        peer: PeerId,
        class: u8,
        (export, received_at): (SimTime, SimTime),
        delay: Duration,
        now: SimTime,
    ) {
        if let Some(fairness) = self.class(class) {
            fairness.handle_delay(ListenerId(peer.0), delay);
            fairness.handle_acknowledgement(ListenerId(peer.0), export, received_at, now);
        }
    }

    /// An update to a peer of that class was lost.
    pub(crate) fn lost(&mut self, peer: PeerId, class: u8, export: SimTime, now: SimTime) {
        if let Some(fairness) = self.class(class) {
            fairness.handle_loss(ListenerId(peer.0), export, now);
        }
    }

    /// What is known of each peer's error.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = (PeerId, &ListenerAccount<Update>)> {
        let accounts = self.classes.iter().flat_map(|class| class.fairness.accounts());
        accounts.map(|(ListenerId(peer), account)| (PeerId(peer), account))
    }

    fn class(&mut self, class: u8) -> Option<&mut Fairness> {
        self.classes.get_mut(usize::from(class)).map(|class| &mut class.fairness)
    }
}

impl Exported {
    /// What the host knows of an entity now, as a class writes it.
    pub(super) fn new(
        entity: &Entity,
        format: &ClassFormat,
        class: &ZoneClass,
        first: bool,
        seed: u64,
        now: SimTime,
    ) -> Self {
        let seed = seed ^ u64::from(entity.id.0) << 20 ^ now.as_micros().cast_unsigned();
        Self {
            update: format.written(entity.known()),
            known_at: entity.known().at(),
            at: now,
            heartbeat_at: class.heartbeat_at(now, first, SplitMix64::new(seed).unit()),
        }
    }

    /// What is known of the last export, if there was one, when another one is judged by the rules
    /// of a class.
    pub(super) fn state(
        last: Option<&Self>,
        entity: &mut Entity,
        format: &ClassFormat,
        class: &ZoneClass,
        now: SimTime,
    ) -> ExportState {
        let teleported = last.is_some_and(|it| it.update.teleports() != entity.teleports());
        let error = last.filter(|_| !teleported).map(|it| {
            let is_newest = it.known_at == entity.known().at();
            let known = entity.known_at(now);
            PredictionError::measure(&known, &it.update, is_newest, format.step_m(), class)
        });
        ExportState {
            silence: last.map_or_else(Default::default, |it| now.saturating_since(it.at)),
            silent: last.is_some_and(|it| now >= it.heartbeat_at),
            error,
            teleported,
            due: false,
            lost: false,
            relays: false,
        }
    }
}

/// Whether a host passes on what the owner of an entity exports without judging it again.
pub(super) fn relays(entity: &Entity, class: usize) -> bool {
    class == 0 && entity.owner != Owner::Host
}
