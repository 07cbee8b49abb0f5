//! Entities of a host: spawning, movement, ownership, despawning.

mod entity;
mod planning;
mod table;

pub(crate) use entity::{BaselineRef, ClassFormat, Entity, full_update};
pub(crate) use table::EntityTable;

use core::fmt;
use core::time::Duration;

use reckoning::guard::GuardConfig;
use reckoning::kinematics::KinematicsError;
use reckoning::{
    ConfigError, ExportReason, Kinematics, Model, Planner, SimTime, Update, UpdateKind,
};
use reckoning_predict::Surroundings;

use super::Host;
use super::config::HostConfig;
use super::interest::interest_of_kind;
use super::sending::EntityFairness;
use crate::control_messages::ControlMessage;
use crate::kinds::KindId;
use crate::limits::MAX_OWNED_ENTITIES;
use crate::wire::{EntityId, MAX_TAG_BYTES, Owner, PeerId};

/// Why an entity was not spawned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpawnError {
    /// The host has as many entities as its settings allow.
    Full {
        /// How many that is.
        max: usize,
    },
    /// The tag does not fit.
    TagTooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// The owner has not joined.
    Owner {
        /// The owner.
        peer: PeerId,
    },
    /// The owner owns as many entities as a peer can.
    OwnerFull {
        /// The owner.
        peer: PeerId,
        /// How many that is.
        max: usize,
    },
    /// The kind was not declared.
    UnknownKind {
        /// The kind.
        kind: KindId,
    },
    /// The state is not usable.
    Kinematics(KinematicsError),
    /// The state and [`HostConfig::model`](crate::HostConfig::model) do not make an update.
    Unusable(ConfigError),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { max } => {
                write!(f, "there are {max} entities already; despawn some or raise max_entities")
            }
            Self::TagTooLong { got_bytes } => {
                write!(f, "tag of {got_bytes} bytes is longer than {MAX_TAG_BYTES}; shorten it")
            }
            Self::Owner { peer } => {
                write!(f, "peer {} has not joined; admit it first", peer.0)
            }
            Self::OwnerFull { peer, max } => {
                write!(f, "peer {} owns {max} entities already; let the host own some", peer.0)
            }
            Self::UnknownKind { kind } => {
                write!(f, "kind {} was not declared; add it to HostConfig::kinds", kind.number())
            }
            Self::Kinematics(error) => error.fmt(f),
            Self::Unusable(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnError {}

impl Host {
    /// Spawns an entity of no kind. `tag` is the game's own. If the owner is a peer, it is granted
    /// the entity and moves it from then on.
    ///
    /// # Errors
    /// When there is no room, the tag is too long, the owner is not there, or the state is not
    /// finite.
    pub fn spawn(
        &mut self,
        now: SimTime,
        owner: Owner,
        tag: &[u8],
        truth: &Kinematics,
    ) -> Result<EntityId, SpawnError> {
        self.spawn_kind(now, KindId::NONE, owner, tag, truth)
    }

    /// As [`spawn`](Self::spawn), of a kind of [`HostConfig::kinds`](crate::HostConfig::kinds).
    ///
    /// # Errors
    /// As [`spawn`](Self::spawn), and when the kind was not declared.
    pub fn spawn_kind(
        &mut self,
        now: SimTime,
        kind: KindId,
        owner: Owner,
        tag: &[u8],
        truth: &Kinematics,
    ) -> Result<EntityId, SpawnError> {
        if !self.config.kinds.has(kind) {
            return Err(SpawnError::UnknownKind { kind });
        }
        if self.entities.len() >= self.config.max_entities {
            return Err(SpawnError::Full { max: self.config.max_entities });
        }
        if tag.len() > MAX_TAG_BYTES {
            return Err(SpawnError::TagTooLong { got_bytes: tag.len() });
        }
        if let Owner::Peer(peer) = owner {
            self.check_owner(peer)?;
        }
        truth.validate().map_err(SpawnError::Kinematics)?;
        let model = self.model_of_kind(kind).fitted(truth);
        let known = Update::new(self.config.format.sayable(truth), model, UpdateKind::Full);
        let known = known.map_err(SpawnError::Unusable)?;
        // A peer that has not acknowledged the end of an entity would take another one for it.
        let peers = &self.peers;
        let id = self.entities.free_id(|id| peers.values().any(|peer| peer.knows_of(id)));
        let mut entity = Entity::new(id, Owner::Host, tag, known);
        entity.kind = kind;
        interest_of_kind(&mut entity, self.config.kinds.get(kind));
        entity.fairness = EntityFairness::new(&self.config, kind, id);
        self.entities.insert(entity);
        if let Owner::Peer(peer) = owner {
            self.grant(now, id, peer);
        }
        if let Some(rewind) = &mut self.rewind {
            rewind.observe(id, truth);
        }
        Ok(id)
    }

    /// Despawns an entity: it leaves all interest sets. Returns whether it existed.
    pub fn despawn(&mut self, id: EntityId) -> bool {
        self.revoke(id);
        if let Some(rewind) = &mut self.rewind {
            rewind.forget_entity(id);
        }
        self.forget_visible(id);
        self.entities.remove(id).is_some()
    }

    /// Observes the truth of an entity: each tick, for those the host owns. What is not finite or
    /// not newer changes nothing. Returns whether it did.
    pub fn observe(&mut self, id: EntityId, truth: &Kinematics) -> bool {
        self.observe_with(id, truth, &Surroundings::default())
    }

    /// As [`observe`](Self::observe), with the model to predict it with: what a behaviour or a
    /// trained predictor planned, taken as it is.
    pub fn observe_as(&mut self, id: EntityId, truth: &Kinematics, model: Model) -> bool {
        self.learn(id, truth, model, UpdateKind::Partial)
    }

    /// As [`observe`](Self::observe), with the model that `planner` chooses from what is `around`
    /// the entity. A host plans every observation, since each peer is due an update at another
    /// time. Where its kind [aims](crate::Kind::aim), what is foreseen goes out as lines.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        id: EntityId,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> bool {
        planner.observe(truth, around);
        let model = planner.plan(truth, around, ExportReason::Position);
        self.follow_plan(id, truth, &model);
        self.observe_as(id, truth, model)
    }

    /// Teleports an entity, whoever owns it; an owner that is a peer is corrected. Unlike an
    /// observation it also counts if what is known is of the same moment or later.
    pub fn teleport(&mut self, now: SimTime, id: EntityId, truth: &Kinematics) -> bool {
        let truth = &self.made_newer(id, truth);
        if !self.learn(id, truth, self.model_of(id).fitted(truth), UpdateKind::Teleport) {
            return false;
        }
        let format = &self.config.format;
        let Some(entity) = self.entities.get_mut(id) else { return false };
        if let Some(guard) = entity.guard.as_deref_mut() {
            guard.put(truth, now);
        }
        if let Some(planner) = &mut entity.planner {
            planner.forget();
        }
        let (owner, state) = (entity.owner, entity.correction(format));
        if let Owner::Peer(owner) = owner {
            if let Some(peer) = self.peers.get_mut(&owner) {
                peer.control.push(id, ControlMessage::Correct(state));
            }
            self.enqueue(owner);
        }
        true
    }

    /// Allows the owner of an entity one teleport of its own within a span: a gate, a respawn.
    pub fn allow_teleport(&mut self, now: SimTime, id: EntityId, within: Duration) {
        let entity = self.entities.get_mut(id);
        if let Some(guard) = entity.and_then(|entity| entity.guard.as_deref_mut()) {
            guard.grant_teleport(now, within);
        }
    }

    /// A state that the host sets, stamped after what it knows if need be: its owner's clock may be
    /// ahead, and the game may have observed it in this very tick.
    pub(super) fn made_newer(&self, id: EntityId, state: &Kinematics) -> Kinematics {
        let step = Duration::from_secs(1) / self.config.format.stamp_hz();
        let known = self.entities.get(id).map_or(SimTime::MIN, |entity| entity.known().at());
        Kinematics { at: state.at.max(known + step), ..*state }
    }

    fn learn(&mut self, id: EntityId, truth: &Kinematics, model: Model, kind: UpdateKind) -> bool {
        let sayable = self.config.format.sayable(truth);
        let Ok(known) = Update::new(sayable, model, kind) else { return false };
        let learnt = self.entities.get_mut(id).is_some_and(|entity| entity.observe(known));
        if let (true, Some(rewind)) = (learnt, &mut self.rewind) {
            rewind.observe(id, truth);
        }
        learnt
    }

    /// Whether a peer can own one more.
    fn check_owner(&self, peer: PeerId) -> Result<(), SpawnError> {
        let Some(owner) = self.peers.get(&peer).filter(|it| it.is_joined()) else {
            return Err(SpawnError::Owner { peer });
        };
        let max = MAX_OWNED_ENTITIES;
        if owner.owned.len() < max { Ok(()) } else { Err(SpawnError::OwnerFull { peer, max }) }
    }

    /// Makes a peer the owner of an entity and sends it the entity's state. Returns whether both
    /// exist and the peer can own one more.
    pub fn grant(&mut self, now: SimTime, id: EntityId, to: PeerId) -> bool {
        if self.check_owner(to).is_err() || self.entities.get(id).is_none() {
            return false;
        }
        self.revoke(id);
        let (Some(peer), Some(entity)) = (self.peers.get_mut(&to), self.entities.get_mut(id))
        else {
            return false;
        };
        entity.set_owner(Owner::Peer(to), guard_of_kind(&self.config, entity.kind), now);
        let state = entity.correction(&self.config.format);
        peer.owned.push(id);
        peer.grant_values(id);
        peer.control.push(id, ControlMessage::Grant);
        peer.control.push(id, ControlMessage::Correct(state));
        self.entities.changed = true;
        self.enqueue(to);
        true
    }

    /// The kind of an entity.
    #[must_use]
    pub fn kind(&self, id: EntityId) -> Option<KindId> {
        self.entities.get(id).map(|entity| entity.kind)
    }

    /// Changes the kind of an entity: its owner publishes and its watchers show it by the new one as
    /// soon as they hear of it, without a jump. Returns whether the entity exists and the kind was
    /// declared.
    pub fn set_kind(&mut self, now: SimTime, id: EntityId, kind: KindId) -> bool {
        if !self.config.kinds.has(kind) {
            return false;
        }
        let Some(entity) = self.entities.get_mut(id) else { return false };
        if entity.kind == kind {
            return true;
        }
        entity.set_kind(kind);
        interest_of_kind(entity, self.config.kinds.get(kind));
        entity.fairness = EntityFairness::new(&self.config, kind, id); // with the classes of its own
        if let Owner::Peer(owner) = entity.owner {
            entity.set_guard(guard_of_kind(&self.config, kind), now);
            if let Some(peer) = self.peers.get_mut(&owner) {
                peer.control.push(id, ControlMessage::Grant); // which says the kind
            }
            self.enqueue(owner);
        }
        self.hide_from_all(id);
        true
    }

    /// The model by which an entity that the host moves is predicted.
    pub(super) fn model_of(&self, id: EntityId) -> Model {
        self.model_of_kind(self.entities.get(id).map_or(KindId::NONE, |entity| entity.kind))
    }

    fn model_of_kind(&self, kind: KindId) -> Model {
        self.config.kinds.get(kind).map_or(self.config.model, |kind| kind.publisher.model)
    }

    /// Makes the host the owner of an entity; a peer that owned it is notified.
    pub fn revoke(&mut self, id: EntityId) {
        let Some(entity) = self.entities.get_mut(id) else { return };
        let Owner::Peer(owner) = entity.owner else { return };
        entity.set_owner(Owner::Host, None, SimTime::ZERO);
        self.entities.changed = true;
        for absent in &mut self.absent {
            absent.owned.retain(|owned| *owned != id);
        }
        if let Some(peer) = self.peers.get_mut(&owner) {
            peer.owned.retain(|owned| *owned != id);
            peer.control.forget(id);
            peer.control.push(id, ControlMessage::Revoke);
            self.enqueue(owner);
        }
    }
}

/// How updates of owners of such entities are judged.
fn guard_of_kind(config: &HostConfig, kind: KindId) -> Option<GuardConfig> {
    let kind = config.kinds.get(kind);
    let guard = kind.and_then(|kind| kind.guard).or(config.guard)?;
    Some(kind.map_or(guard, |kind| kind.judged_by(guard)))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use reckoning::{DVec3, Quantiser};

    use super::*;
    use crate::host::event::HostEvent;
    use crate::session::Session;
    use crate::session::config::SessionConfig;
    use crate::wire::{Format, Registry};

    const PEER: PeerId = PeerId(1);

    fn host() -> Host {
        let steps = Quantiser {
            position_m: 0.01,
            velocity_mps: 0.03,
            acceleration_mps2: 0.1,
            angular_velocity_radps: 0.01,
            orientation: 0.01,
        };
        let format = Format::new(true, 1_000, steps, &[Model::Linear], Registry::default());
        Host::new(HostConfig::new(format.unwrap())).unwrap()
    }

    fn spawn(host: &mut Host, now: SimTime) -> EntityId {
        host.spawn(now, Owner::Host, b"", &Kinematics::at_rest(now, DVec3::ZERO)).unwrap()
    }

    #[test]
    fn an_id_that_is_alive_is_not_given_again_when_ids_turn_round() {
        let mut host = host();
        let old: Vec<_> = (0..3).map(|_| spawn(&mut host, SimTime::ZERO)).collect();
        host.entities.next_id = u32::MAX - 1;
        let new: Vec<_> = (0..4).map(|_| spawn(&mut host, SimTime::ZERO)).collect();
        assert_eq!(new.iter().map(|id| id.0).collect::<Vec<_>>(), [u32::MAX - 1, u32::MAX, 3, 4]);
        assert_eq!(host.entities().count(), old.len() + new.len());
    }

    /// One step of fifty milliseconds; what the session sends is lost if `deaf`.
    fn step(host: &mut Host, session: &mut Session, now: SimTime, deaf: bool) {
        let mut buf = [0; 1000];
        host.handle_timeout(now);
        while let Some((_, length)) = host.poll_datagram(now, &mut buf) {
            session.handle_datagram(now, &buf[..length]);
        }
        session.handle_timeout(now);
        while let Some(length) = session.poll_datagram(now, &mut buf) {
            if !deaf {
                host.handle_datagram(now, PEER, &buf[..length]);
            }
        }
        while let Some(event) = host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                host.admit(now, peer);
                host.set_viewpoint(peer, crate::host::Viewpoint::Everywhere);
            }
        }
    }

    #[test]
    fn an_id_whose_end_nobody_acknowledged_is_not_given_again() {
        let mut host = host();
        let mut session = Session::new(SessionConfig::default()).unwrap();
        let at = |tick: i64| SimTime::from_millis(50 * tick);
        host.connect(at(0), PEER);
        let seen = spawn(&mut host, at(0));
        (0..20).for_each(|tick| step(&mut host, &mut session, at(tick), false));
        let owned =
            host.spawn(at(20), Owner::Peer(PEER), b"", &Kinematics::at_rest(at(20), DVec3::X));
        let owned = owned.unwrap();
        (20..40).for_each(|tick| step(&mut host, &mut session, at(tick), false));
        assert!(
            session.ghosts().any(|(id, _)| id == seen) && session.owned().any(|id| id == owned)
        );

        assert!(host.despawn(seen) && host.despawn(owned));
        (40..50).for_each(|tick| step(&mut host, &mut session, at(tick), true));
        host.entities.next_id = seen.0;
        let other = spawn(&mut host, at(50));
        assert!(other != seen && other != owned, "{other:?}");

        (50..80).for_each(|tick| step(&mut host, &mut session, at(tick), false));
        host.entities.next_id = seen.0;
        assert_eq!(spawn(&mut host, at(80)), seen, "its end is known everywhere");
    }

    /// A peer that was sent nothing of a body while its updates counted half a turn and more takes
    /// what comes then, and is soon sent updates off what it acknowledged, as before.
    #[test]
    fn a_peer_that_missed_half_a_turn_of_numbers_goes_on_with_baselines() {
        let mut host = host();
        let mut session = Session::new(SessionConfig::default()).unwrap();
        let at = |tick: i64| SimTime::from_millis(50 * tick);
        let zigzag = |tick: i64| {
            let side = if tick % 4 < 2 { 1.0 } else { -1.0 };
            Kinematics::moving(at(tick), DVec3::new(900.0, side, 0.0), DVec3::Y * side)
        };
        host.connect(at(0), PEER);
        let body = host.spawn(at(0), Owner::Host, b"", &zigzag(0)).unwrap();
        let mut tick = 0;
        let mut bytes_per_update = |host: &mut Host, ticks: i64| {
            let before = *session.stats();
            for _ in 0..ticks {
                tick += 1;
                host.observe(body, &zigzag(tick));
                step(host, &mut session, at(tick), false);
            }
            let after = *session.stats();
            assert_eq!(after.no_baseline, 0);
            let updates = after.updates_in - before.updates_in;
            assert!(updates.cast_signed() > ticks / 4, "{updates} updates in {ticks} ticks");
            let (_, ghost) = session.ghosts().next().unwrap();
            let off = ghost.ghost().update().position_at(at(tick)) - zigzag(tick).position;
            assert!(off.length() < 0.3, "{off} off");
            (after.bytes_in - before.bytes_in) as f64 / updates as f64
        };
        bytes_per_update(&mut host, 100);
        let usual = bytes_per_update(&mut host, 200);
        for missed in [20_000, 40_000, 65_536 - 7] {
            let format = host.config.format.clone();
            let entity = host.entities.get_mut(body).unwrap();
            for _ in 0..missed {
                // Other peers are sent what this one is not.
                let known = *entity.known().kinematics();
                let next = Kinematics { at: known.at + Duration::from_micros(1), ..known };
                entity.observe(Update::new(next, Model::Linear, UpdateKind::Partial).unwrap());
                entity.number(&format);
            }
            bytes_per_update(&mut host, 100);
            let bytes = bytes_per_update(&mut host, 200);
            assert!(bytes < usual * 1.05, "{bytes} bytes each after {missed}, {usual} before");
        }
    }
}
