//! What a host knows of one entity, and what it has said about it.
//!
//! The host's knowledge is one [`Update`]: a truth observed here, or the latest accepted from
//! its owner. A *number* is given to it only when somebody must be told, once for all
//! receivers; what differs between them is the baseline and the class, and for each pair the
//! body is written once ([`PayloadCache`]). How far a number has strayed from the knowledge is
//! computed once per tick ([`PredictionErrorCache`]), however many receivers predict from it.

use alloc::boxed::Box;

use reckoning::{DVec3, Fairness, Guard, Kinematics, Model, SimTime, Update, UpdateKind};

use crate::history::History;
use crate::host::sending::{PayloadCache, PayloadKey, PredictionError, PredictionErrorCache};
use crate::wire::{Body, EncodedBody, EntityId, Format, Owner};
use crate::zones::ZoneClass;

/// How a zone class is written.
#[derive(Clone, Debug)]
pub(crate) struct ClassFormat {
    pub(crate) format: Format,
    pub(crate) log2: u8,
    pub(crate) model: Option<Model>,
}

impl ClassFormat {
    /// What is closer than this is the same place.
    pub(crate) const fn step_m(&self) -> f64 {
        self.format.quantiser().position_m
    }

    /// What receivers of this class get of an update of the host's own grid.
    fn of(&self, update: &Update) -> Update {
        if self.log2 == 0 && self.model.is_none() {
            return *update;
        }
        let model = self.model.map_or(*update.model(), |model| model.fitted(update.kinematics()));
        let carried = Update::new(*update.kinematics(), model, update.kind()).unwrap_or(*update);
        self.format.round(&carried)
    }
}

/// What a receiver has: a number, as its class wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BaselineRef {
    pub(crate) number: u16,
    pub(crate) class: u8,
}

/// What an owner's updates are decoded with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbound {
    pub(crate) history: History,
    /// The datagram that brought the newest.
    pub(crate) sequence: Option<u16>,
}

/// One entity.
#[derive(Debug)]
pub(crate) struct Entity {
    pub(crate) id: EntityId,
    pub(crate) owner: Owner,
    pub(crate) tag: Box<[u8]>,
    /// What the host knows.
    known: Update,
    /// Whether `known` has a number, the newest of `history`.
    numbered: bool,
    history: History,
    /// The number from which on the body is elsewhere.
    teleported: Option<u16>,
    /// The knowledge says teleport and has no number yet.
    teleports: bool,
    pub(crate) inbound: Inbound,
    pub(crate) guard: Option<Box<Guard>>,
    pub(crate) fairness: Option<Box<Fairness>>,
    /// The number last given to `fairness`, and when.
    pub(crate) exported: Option<(u16, SimTime)>,
    /// What was remembered last for hit checks, by class.
    pub(crate) remembered: [Option<u16>; crate::zones::MAX_CLASSES],
    prediction_errors: PredictionErrorCache,
    bodies: PayloadCache,
}

impl Entity {
    pub(crate) fn new(id: EntityId, owner: Owner, tag: &[u8], known: Update) -> Self {
        Self {
            id,
            owner,
            tag: tag.into(),
            known,
            numbered: false,
            history: History::default(),
            teleported: None,
            teleports: false,
            inbound: Inbound::default(),
            guard: None,
            fairness: None,
            exported: None,
            remembered: [None; crate::zones::MAX_CLASSES],
            prediction_errors: PredictionErrorCache::default(),
            bodies: PayloadCache::default(),
        }
    }

    /// What the host knows.
    pub(crate) const fn known(&self) -> &Update {
        &self.known
    }

    /// The host learns something newer; what is not newer changes nothing.
    pub(crate) fn learn(&mut self, known: Update) -> bool {
        if known.at() <= self.known.at() {
            return false;
        }
        self.teleports |= known.kind() == UpdateKind::Teleport;
        self.known = known;
        self.numbered = false;
        self.prediction_errors.forget();
        true
    }

    /// The number of what the host knows; it gets one now if it has none.
    pub(crate) fn number(&mut self, format: &Format) -> u16 {
        let newest = self.history.newest();
        if let (true, Some(number)) = (self.numbered, newest) {
            return number;
        }
        let number = newest.map_or(0, |newest| newest.wrapping_add(1));
        let plain = Update::new(*self.known.kinematics(), *self.known.model(), UpdateKind::Partial);
        self.history.put(number, format.round(&plain.unwrap_or(self.known)));
        if core::mem::take(&mut self.teleports) {
            self.teleported = Some(number);
        }
        self.numbered = true;
        self.bodies.clear();
        number
    }

    /// The update of a number, if it is still here.
    pub(crate) fn numbered(&self, number: u16) -> Option<&Update> {
        self.history.get(number)
    }

    /// Whether the update of a number is still here.
    pub(crate) fn has_number(&self, number: u16) -> bool {
        self.history.has(number)
    }

    /// The number of the update about that moment, if it is still here.
    pub(crate) fn number_at(&self, at: SimTime) -> Option<u16> {
        let newest = self.history.newest()?;
        (0..crate::history::HISTORY as u16)
            .map(|back| newest.wrapping_sub(back))
            .find(|number| self.history.get(*number).is_some_and(|update| update.at() == at))
    }

    /// Whether the body went elsewhere after `number`, so that whoever has that must be told
    /// to show it there at once.
    pub(crate) fn teleported_since(&self, number: u16) -> bool {
        self.teleports || self.teleported.is_some_and(|at| crate::ack_window::ahead(at, number) > 0)
    }

    /// How far a receiver who believes that is off at `now`, by the rules of the class it is in
    /// by now; `None` when its number is forgotten.
    pub(crate) fn prediction_error(
        &mut self,
        classes: &[ClassFormat],
        held: BaselineRef,
        rules: (u8, &ZoneClass),
        now: SimTime,
    ) -> Option<PredictionError> {
        self.prediction_errors.at(now, &self.known);
        if let Some(prediction_error) = self.prediction_errors.kept(held, rules.0) {
            return Some(prediction_error);
        }
        let believed = self.update_in(classes, held)?;
        let is_newest = self.numbered && self.history.newest() == Some(held.number);
        let step_m = classes.get(usize::from(rules.0)).map_or(0.0, ClassFormat::step_m);
        let prediction_error =
            self.prediction_errors.measure(&believed, is_newest, step_m, rules.1, now);
        self.prediction_errors.keep(held, rules.0, prediction_error);
        Some(prediction_error)
    }

    /// Where the host knows it to be at `now`.
    pub(crate) fn position_at(&self, now: SimTime) -> DVec3 {
        self.known.position_at(now)
    }

    /// What a class makes of a number.
    pub(crate) fn update_in(&self, classes: &[ClassFormat], held: BaselineRef) -> Option<Update> {
        let class = classes.get(usize::from(held.class))?;
        self.history.get(held.number).map(|update| class.of(update))
    }

    /// The same as bits, with a stamp that counts from `near_tick` of the host's format.
    /// `None` when there are too many of them, or no body.
    pub(crate) fn encoded(
        &mut self,
        classes: &[ClassFormat],
        format: &Format,
        key: PayloadKey,
        near_tick: i64,
    ) -> Option<EncodedBody> {
        if let Some(encoded) = self.bodies.encoded(key, near_tick) {
            return Some(*encoded);
        }
        let encoded = EncodedBody::new(format, &self.body(classes, key)?, near_tick)?;
        self.bodies.keep_encoded(key, near_tick, encoded);
        Some(encoded)
    }

    /// The body of a number for receivers of a class who have that baseline.
    pub(crate) fn body(&mut self, classes: &[ClassFormat], key: PayloadKey) -> Option<Body> {
        if let Some(body) = self.bodies.body(key) {
            return Some(*body);
        }
        let mut update = self.update_in(classes, key.held)?;
        if key.teleport {
            let kind = UpdateKind::Teleport;
            update = Update::new(*update.kinematics(), *update.model(), kind).unwrap_or(update);
        }
        let off = match key.baseline {
            Some(baseline) => Some(self.update_in(classes, baseline)?),
            None => None,
        };
        let format = &classes.get(usize::from(key.held.class))?.format;
        let body = Body::new(format, off.as_ref(), &update);
        self.bodies.keep(key, body);
        Some(body)
    }

    /// What the host knows, as an update to put an owner right with.
    pub(crate) fn state(&self, format: &Format) -> Update {
        let full = Update::new(*self.known.kinematics(), *self.known.model(), UpdateKind::Full);
        format.round(&full.unwrap_or(self.known))
    }

    /// Truths of the host's own are carried on like this.
    pub(crate) fn update_from_truth(
        truth: &Kinematics,
        model: Model,
        kind: UpdateKind,
    ) -> Option<Update> {
        Update::new(*truth, model, kind).ok()
    }
}
