//! Welcome of a session: format, clock, distance classes, kinds and properties, before anything is replicated.

use alloc::string::String;
use alloc::vec::Vec;

use super::event::SessionEvent;
use super::{Session, SessionStage};
use crate::host::config::ClockMode;
use crate::kinds::{self, Kind, KindId, Kinds, MAX_KINDS, MAX_PROPERTIES, Property, PropertyId};
use crate::wire::{DisconnectReason, Format, MAX_CLASS, PeerId};
use crate::zones::MAX_CLASSES;

/// A welcome whose kinds and properties have not all arrived.
#[derive(Debug)]
pub(super) struct PendingWelcome {
    peer: PeerId,
    /// The game's own bytes.
    welcome: Vec<u8>,
    kinds: Vec<Option<(String, Kind)>>,
    properties: Vec<Option<(String, Property)>>,
}

impl PendingWelcome {
    fn is_complete(&mut self) -> bool {
        self.kinds.iter().all(Option::is_some) && self.properties.iter().all(Option::is_some)
    }
}

/// The protocol's part of a welcome's config, and the game's.
struct WelcomeConfig<'a> {
    clock_mode: ClockMode,
    properties: usize,
    kinds: usize,
    classes: &'a [u8],
    game: &'a [u8],
}

impl<'a> WelcomeConfig<'a> {
    fn parse(config: &'a [u8]) -> Option<Self> {
        let (&[clock_mode, kinds, classes], rest) = config.split_first_chunk()?;
        let (kinds, count) = (usize::from(kinds), usize::from(classes));
        let (classes, game) = rest.split_at_checked(count)?;
        let properties = usize::from(clock_mode >> 1);
        let sound = kinds <= MAX_KINDS
            && properties <= MAX_PROPERTIES
            && (1..=MAX_CLASSES).contains(&count)
            && classes.iter().all(|coarser_log2| *coarser_log2 <= MAX_CLASS);
        let clock_mode =
            if clock_mode & 1 == 0 { ClockMode::Synchronised } else { ClockMode::PerHop };
        sound.then_some(Self { clock_mode, properties, kinds, classes, game })
    }
}

impl Session {
    pub(super) fn handle_welcome(&mut self, peer: PeerId, format: &[u8], config: &[u8]) {
        if self.stage != SessionStage::Joining || self.welcome.is_some() {
            return; // sent again because our acknowledgement was lost
        }
        let format = Format::from_bytes(format, self.config.registry.clone());
        let (Ok(format), Some(config)) = (format, WelcomeConfig::parse(config)) else {
            return self.end_unreadable();
        };
        self.fit_publisher(&format);
        self.format = Some(format);
        self.clock_mode = config.clock_mode;
        self.classes = config.classes.to_vec();
        let kinds = core::iter::repeat_with(|| None).take(config.kinds).collect();
        let properties = core::iter::repeat_with(|| None).take(config.properties).collect();
        let welcome = config.game.to_vec();
        self.welcome = Some(PendingWelcome { peer, welcome, kinds, properties });
        self.join_when_complete();
    }

    /// Returns false for one that came before the welcome and has to be sent again.
    pub(super) fn handle_kind(&mut self, KindId(number): KindId, bytes: &[u8]) -> bool {
        if matches!(self.stage, SessionStage::Joined(_)) {
            return true; // sent again because our acknowledgement was lost
        }
        let Some(pending) = &mut self.welcome else { return false };
        let place = pending.kinds.get_mut(usize::from(number).wrapping_sub(1));
        let (Some(place), Some(kind)) = (place, kinds::decode(bytes, &self.config.registry)) else {
            self.end_unreadable();
            return true;
        };
        *place = Some(kind);
        self.join_when_complete();
        true
    }

    /// Returns false for one that came before the welcome and has to be sent again.
    pub(super) fn handle_property(&mut self, PropertyId(number): PropertyId, bytes: &[u8]) -> bool {
        if matches!(self.stage, SessionStage::Joined(_)) {
            return true; // sent again because our acknowledgement was lost
        }
        let Some(pending) = &mut self.welcome else { return false };
        let place = pending.properties.get_mut(usize::from(number));
        let (Some(place), Some(property)) = (place, kinds::decode_property(bytes)) else {
            self.end_unreadable();
            return true;
        };
        *place = Some(property);
        self.join_when_complete();
        true
    }

    fn join_when_complete(&mut self) {
        let Some(pending) = self.welcome.take_if(PendingWelcome::is_complete) else { return };
        let mut kinds = Kinds::default();
        for (name, kind) in pending.kinds.into_iter().flatten() {
            if kinds.add_told(&name, kind).is_err() {
                return self.end_unreadable(); // two of one name
            }
        }
        for (name, property) in pending.properties.into_iter().flatten() {
            if kinds.add_property(&name, property).is_err() {
                return self.end_unreadable();
            }
        }
        let PendingWelcome { peer, welcome, .. } = pending;
        self.kinds = kinds;
        self.stage = SessionStage::Joined(peer);
        self.push_event(SessionEvent::Joined { peer, welcome });
    }

    /// The host's format, settings or kinds cannot be read here.
    fn end_unreadable(&mut self) {
        self.stats.malformed += 1;
        self.stage = SessionStage::Ended(1);
        self.push_event(SessionEvent::Disconnected(DisconnectReason::Format));
    }

    /// How often a distance class of a kind doubles the format's steps; `None` for what was not
    /// declared.
    pub(super) fn coarser_log2(&self, kind: KindId, class: u8) -> Option<u8> {
        if !self.kinds.has(kind) {
            return None;
        }
        match self.kinds.get(kind).and_then(|kind| kind.zones.as_ref()) {
            Some(zones) => zones.classes.get(usize::from(class)).map(|class| class.coarser_log2),
            None => self.classes.get(usize::from(class)).copied(),
        }
    }
}
