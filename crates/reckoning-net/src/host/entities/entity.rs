//! One entity of a host: what the host knows of it, and the updates it was sent as.
//!
//! The host's knowledge is one [`Update`]: a truth observed here, or the latest accepted from
//! its owner. It gets a *number* only when some peer is due it, once for all peers; what differs
//! between them is the baseline and the class, and for each pair the body is computed once
//! ([`PayloadCache`]). How far the prediction from a number is off the knowledge is computed once
//! per tick ([`PredictionErrorCache`]), however many peers predict from it.

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::guard::GuardConfig;
use reckoning::{DVec3, Guard, Kinematics, Model, SimTime, Update, UpdateKind};

use super::planning::tightened;
use crate::ack_window::Sequence;
use crate::history::UpdateHistory;
use crate::host::interest::EntityInterest;
use crate::host::joints::EntityJoints;
use crate::host::properties::EntityValues;
use crate::host::sending::{
    EntityFairness, KnownSight, PayloadCache, PayloadKey, PredictionError, PredictionErrorCache,
};
use crate::kinds::{BodyPlanner, KindId};
use crate::wire::{EncodedBody, EntityId, Format, Owner, UpdateBody};
use crate::zones::ZoneClass;

/// A host that teleports an entity of a peer counts this many on, so that what the owner counted
/// meanwhile lies behind: the host's word wins.
const HOST_TELEPORT: u32 = 16;

/// How updates of a distance class are written.
#[derive(Clone, Debug)]
pub(crate) struct ClassFormat {
    pub(crate) format: Format,
    pub(crate) rules: ZoneClass,
}

impl ClassFormat {
    /// What is closer than this is the same place.
    pub(crate) const fn step_m(&self) -> f64 {
        self.format.quantiser().position_m
    }

    /// What peers of this class are sent of what the host knows.
    pub(crate) fn written(&self, known: &Update) -> Update {
        let model =
            self.rules.model.map_or(*known.model(), |model| model.fitted(known.kinematics()));
        self.format.round(&known.with_model(model).unwrap_or(*known))
    }

    /// What peers of this class get of an update on the host's own grid.
    fn coarsen(&self, update: &Update) -> Update {
        if self.rules.coarser_log2 == 0 && self.rules.model.is_none() {
            return *update;
        }
        let model =
            self.rules.model.map_or(*update.model(), |model| model.fitted(update.kinematics()));
        self.format.round(&update.with_model(model).unwrap_or(*update))
    }
}

/// Reference to an update that was sent: its number, as a class wrote it. A baseline once the peer
/// acknowledged it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BaselineRef {
    pub(crate) number: Sequence,
    pub(crate) class: u8,
}

/// State that an owner's updates are decoded with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inbound {
    pub(crate) history: UpdateHistory,
    /// Sequence number of the datagram that brought the newest.
    pub(crate) sequence: Option<Sequence>,
}

/// One entity.
#[derive(Debug)]
pub(crate) struct Entity {
    pub(crate) id: EntityId,
    pub(crate) owner: Owner,
    pub(crate) kind: KindId,
    pub(crate) interest: EntityInterest,
    pub(crate) tag: Box<[u8]>,
    /// Those that were aimed, if any was.
    pub(crate) joints: Option<Box<EntityJoints>>,
    /// What the host knows.
    known: Update,
    /// Whether `known` has a number, the newest of `history`.
    numbered: bool,
    history: UpdateHistory,
    pub(crate) inbound: Inbound,
    pub(crate) guard: Option<Box<Guard>>,
    pub(crate) fairness: Option<Box<EntityFairness>>,
    /// Plans for it while the host moves it, if its kind asks for more than a model.
    pub(crate) planner: Option<Box<BodyPlanner>>,
    /// The threshold of its place as a share of the widest, while the host moves it: 1, unless its
    /// kind says otherwise.
    pub(crate) threshold_share: f64,
    /// How far ahead its kind judges positions; `None` for the errors of now.
    pub(crate) judge_ahead: Option<Duration>,
    /// Whether watchers derive how it is turned.
    pub(crate) turns_by_itself: bool,
    prediction_errors: PredictionErrorCache,
    payloads: PayloadCache,
    pub(crate) values: EntityValues,
}

impl Entity {
    pub(crate) fn new(id: EntityId, owner: Owner, tag: &[u8], known: Update) -> Self {
        Self {
            id,
            owner,
            kind: KindId::NONE,
            interest: EntityInterest::default(),
            tag: tag.into(),
            joints: None,
            known,
            numbered: false,
            history: UpdateHistory::default(),
            inbound: Inbound::default(),
            guard: None,
            fairness: None,
            planner: None,
            threshold_share: 1.0,
            judge_ahead: None,
            turns_by_itself: false,
            prediction_errors: PredictionErrorCache::default(),
            payloads: PayloadCache::default(),
            values: EntityValues::default(),
        }
    }

    /// What the host knows.
    pub(crate) const fn known(&self) -> &Update {
        &self.known
    }

    /// The host learns something newer by itself, and counts the teleport if it is one.
    pub(crate) fn observe(&mut self, seen: Update) -> bool {
        let more = match (seen.kind(), self.owner) {
            (UpdateKind::Teleport, Owner::Host) => 1,
            (UpdateKind::Teleport, Owner::Peer(_)) => HOST_TELEPORT,
            _ => 0,
        };
        self.learn(seen.with_teleports(self.known.teleports().wrapping_add(more)))
    }

    /// An update of the owner as the host takes it: a teleport if the owner counts more of them,
    /// whichever of its updates said so first. `None` for one that was sent before the owner knew
    /// where the host had teleported the body to.
    pub(crate) fn as_counted(&self, update: Update) -> Option<Update> {
        let kind = match update.teleports().wrapping_sub(self.known.teleports()).cast_signed() {
            ..0 => return None,
            // Nobody would see it leap.
            0 if update.kind() == UpdateKind::Teleport => UpdateKind::Full,
            0 => update.kind(),
            1.. => UpdateKind::Teleport,
        };
        Some(update.with_kind(kind))
    }

    /// The host learns something newer; what is not newer changes nothing.
    pub(crate) fn learn(&mut self, known: Update) -> bool {
        if known.at() <= self.known.at() {
            return false;
        }
        self.known = known;
        self.numbered = false;
        self.prediction_errors.forget();
        true
    }

    /// The number of what the host knows; it gets one now if it has none.
    pub(crate) fn number(&mut self, format: &Format) -> Sequence {
        let newest = self.history.newest();
        if let (true, Some(number)) = (self.numbered, newest) {
            return number;
        }
        let number = newest.map_or_else(Sequence::default, Sequence::next);
        // Whether it leaps depends on what a peer has; the count tells.
        let told = self.told().with_kind(UpdateKind::Partial);
        let told =
            if self.turns_by_itself { format.round_along(&told) } else { format.round(&told) };
        self.history.put(number, told);
        self.numbered = true;
        self.payloads.clear();
        number
    }

    /// What is sent of what the host knows: a line, where it moves the body and its kind aims.
    fn told(&self) -> Update {
        let aimed = self.planner.as_ref().and_then(|planner| planner.aimed_update(&self.known));
        aimed.unwrap_or(self.known)
    }

    /// A new number of what the host knows, though it has one.
    pub(crate) fn renumber(&mut self, format: &Format) -> Sequence {
        self.numbered = false;
        self.number(format)
    }

    /// Whether it rides a path.
    pub(crate) const fn rides(&self) -> bool {
        matches!(self.known.model(), Model::Path(_))
    }

    /// The update of a number, if it is still here.
    pub(crate) fn numbered(&self, number: Sequence) -> Option<&Update> {
        self.history.get(number)
    }

    /// Whether the update of a number is still here.
    pub(crate) fn has_number(&self, number: Sequence) -> bool {
        self.history.has(number)
    }

    /// The number of the update about that moment, if it is still here.
    pub(crate) fn number_at(&self, at: SimTime) -> Option<Sequence> {
        let newest = self.history.newest()?;
        (0..crate::history::HISTORY as u16)
            .map(|back| newest.minus(back))
            .find(|number| self.history.get(*number).is_some_and(|update| update.at() == at))
    }

    /// How often the body has teleported. Whoever was sent another count must show it elsewhere at
    /// once.
    pub(crate) const fn teleports(&self) -> u32 {
        self.known.teleports()
    }

    /// How far the prediction from `sent` is off at `now`, by the rules of the class that the peer
    /// is in by now; `None` when its number is no longer known.
    pub(crate) fn prediction_error(
        &mut self,
        classes: &[ClassFormat],
        sent: BaselineRef,
        rules: (u8, &ZoneClass),
        now: SimTime,
    ) -> Option<PredictionError> {
        let known = self.prediction_errors.known_at(now, &self.known, self.judge_ahead);
        if let Some(error) = self.prediction_errors.kept(sent, rules.0) {
            return Some(error);
        }
        let update = self.update_in(classes, sent)?;
        let is_newest = self.numbered && self.history.newest() == Some(sent.number);
        let class = classes.get(usize::from(rules.0));
        let step_m = class.map_or(0.0, ClassFormat::step_m);
        let tight = (self.threshold_share < 1.0).then(|| {
            let finest_m = class.map_or(0.0, |class| class.format.finest_threshold_m());
            tightened(rules.1, self.threshold_share, finest_m)
        });
        let class = tight.as_ref().unwrap_or(rules.1);
        let error = PredictionError::measure(&known, &update, is_newest, step_m, class);
        self.prediction_errors.keep(sent, rules.0, error);
        Some(error)
    }

    /// What the host knows of it at `now`.
    pub(crate) fn known_at(&mut self, now: SimTime) -> KnownSight {
        self.prediction_errors.known_at(now, &self.known, self.judge_ahead)
    }

    /// Where the host knows it to be at `now`.
    pub(crate) fn position_at(&self, now: SimTime) -> DVec3 {
        self.known.position_at(now)
    }

    /// An update as its class writes it.
    pub(crate) fn update_in(&self, classes: &[ClassFormat], update: BaselineRef) -> Option<Update> {
        let class = classes.get(usize::from(update.class))?;
        self.history.get(update.number).map(|update| class.coarsen(update))
    }

    /// The body as bits, its time stamp counted from `near_tick` of the host's format. `None` when
    /// there are too many of them, or no body.
    pub(crate) fn encoded_body(
        &mut self,
        classes: &[ClassFormat],
        format: &Format,
        key: PayloadKey,
        near_tick: i64,
    ) -> Option<EncodedBody> {
        if let Some(encoded) = self.payloads.encoded(key, near_tick) {
            return Some(*encoded);
        }
        let encoded = EncodedBody::new(format, &self.body(classes, key)?, near_tick)?;
        self.payloads.keep_encoded(key, near_tick, encoded);
        Some(encoded)
    }

    /// The body of an update against a baseline; `None` when either is no longer known.
    pub(crate) fn body(&mut self, classes: &[ClassFormat], key: PayloadKey) -> Option<UpdateBody> {
        if let Some(body) = self.payloads.body(key) {
            return Some(*body);
        }
        let update = self.update_in(classes, key.update)?;
        let baseline = match key.baseline {
            Some(baseline) => Some(self.update_in(classes, baseline)?),
            None => None,
        };
        let format = &classes.get(usize::from(key.update.class))?.format;
        let body = UpdateBody::new(format, baseline.as_ref(), &update);
        self.payloads.keep(key, body);
        Some(body)
    }

    /// What the host knows, as an update to correct an owner with.
    pub(crate) fn correction(&self, format: &Format) -> Update {
        format.round(&self.known.with_kind(UpdateKind::Full))
    }

    /// It is of another kind from now on; what was computed by the classes of the old one is void.
    pub(crate) fn set_kind(&mut self, kind: KindId) {
        self.kind = kind;
        (self.planner, self.threshold_share) = (None, 1.0);
        if let Some(joints) = &mut self.joints {
            joints.forget();
        }
        self.prediction_errors.forget();
        self.payloads.clear();
    }

    /// Another owner moves the entity from now on.
    pub(crate) fn set_owner(&mut self, owner: Owner, guard: Option<GuardConfig>, now: SimTime) {
        self.owner = owner;
        (self.planner, self.threshold_share) = (None, 1.0);
        self.inbound = Inbound::default();
        if let Some(joints) = &mut self.joints {
            joints.forget_owner();
        }
        self.values.forget_writer();
        self.set_guard(guard, now);
    }

    /// Its owner is judged by these rules from now on, beginning with what is known.
    pub(crate) fn set_guard(&mut self, guard: Option<GuardConfig>, now: SimTime) {
        let start = *self.known().kinematics();
        let guard = guard.and_then(|config| Guard::start(config, &start).ok());
        self.guard = guard.map(|mut guard| {
            guard.put(&start, now);
            Box::new(guard)
        });
    }
}

/// The update of a state that the host sets itself: a halt, a correction.
pub(crate) fn full_update(state: &Kinematics, model: Model) -> Option<Update> {
    Update::new(*state, model.fitted(state), UpdateKind::Full).ok()
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Quantiser};

    use super::*;
    use crate::host::sending::{EntryHeader, PeerEntityState, SentUpdate, View};
    use crate::wire::Registry;
    use crate::zones::ZoneConfig;

    /// A peer that was sent the teleport is never due it again, and one that was not always is,
    /// however many numbers pass.
    #[test]
    fn a_teleport_does_not_come_back_when_numbers_turn_round() {
        let steps = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.03,
            acceleration_mps2: 0.1,
            angular_velocity_radps: 0.01,
            orientation: 0.01,
        };
        let format = Format::new(true, 1_000, steps, &[Model::Linear], Registry::default());
        let format = format.unwrap();
        let update = |ms: i64, kind| {
            let seen = Kinematics::moving(SimTime::from_millis(ms), DVec3::ZERO, DVec3::X);
            Update::new(seen, Model::Linear, kind).unwrap()
        };
        let classes =
            [ClassFormat { format: format.clone(), rules: ZoneConfig::default().classes[0] }];
        let class = ZoneConfig::default().classes[0];
        let mut entity = Entity::new(EntityId(1), Owner::Host, &[], update(0, UpdateKind::Full));
        let state = || {
            let mut state =
                PeerEntityState::new((EntityId(1), 0), EntryHeader::default(), 0, 1, SimTime::ZERO);
            state.stage = crate::host::sending::InterestStage::Shown;
            state
        };
        let (mut before, mut after) = (state(), state());
        let said = |entity: &mut Entity| SentUpdate {
            number: entity.number(&format),
            teleports: entity.teleports(),
            seed: 0,
        };
        before.sent(said(&mut entity), &class, SimTime::ZERO);
        entity.observe(update(1, UpdateKind::Teleport));
        for ms in 2..140_000 {
            let now = SimTime::from_millis(ms);
            after.sent(said(&mut entity), &class, now);
            entity.observe(update(ms, UpdateKind::Partial));
            let urgency = before.urgency(&mut entity, &classes, View::default(), now);
            assert!(urgency.is_some_and(|it| it > 5e3), "a teleport after {ms} updates");
            let urgency = after.urgency(&mut entity, &classes, View::default(), now);
            assert_eq!(urgency, None, "after {ms} updates");
        }
    }
}
