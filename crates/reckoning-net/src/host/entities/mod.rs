//! Entities of a host: spawning, movement, ownership, despawning.

mod entity;
mod table;

pub(crate) use entity::{BaselineRef, ClassFormat, Entity, Exported, full_update, new_fairness};
pub(crate) use table::EntityTable;

use core::fmt;
use core::time::Duration;

use reckoning::kinematics::KinematicsError;
use reckoning::{
    ConfigError, ExportReason, Kinematics, Model, Planner, SimTime, Update, UpdateKind,
};

use super::Host;
use super::connections::Peer;
use crate::control_messages::ControlMessage;
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
    /// The owner has not joined, or owns as many entities as a peer can.
    Owner {
        /// The owner.
        peer: PeerId,
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
                write!(f, "peer {} has not joined or owns too many; admit it first", peer.0)
            }
            Self::Kinematics(error) => error.fmt(f),
            Self::Unusable(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnError {}

impl Host {
    /// Spawns an entity. `tag` is the game's own: name, team, kind. If the owner is a peer, it is
    /// granted the entity and moves it from then on.
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
        if self.entities.len() >= self.config.max_entities {
            return Err(SpawnError::Full { max: self.config.max_entities });
        }
        if tag.len() > MAX_TAG_BYTES {
            return Err(SpawnError::TagTooLong { got_bytes: tag.len() });
        }
        truth.validate().map_err(SpawnError::Kinematics)?;
        let model = self.config.model.fitted(truth);
        let known = Update::new(self.config.format.sayable(truth), model, UpdateKind::Full);
        let known = known.map_err(SpawnError::Unusable)?;
        let (policy, seed) = (self.config.fairness, self.config.seed);
        let id = self.entities.insert(|id| {
            let mut entity = Entity::new(id, Owner::Host, tag, known);
            entity.fairness = new_fairness(policy, seed, id);
            entity
        });
        if let Owner::Peer(peer) = owner
            && !self.grant(now, id, peer)
        {
            self.entities.remove(id);
            return Err(SpawnError::Owner { peer });
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
        self.entities.remove(id).is_some()
    }

    /// Observes the truth of an entity: each tick, for those the host owns. What is not finite or
    /// not newer changes nothing. Returns whether it did.
    pub fn observe(&mut self, id: EntityId, truth: &Kinematics) -> bool {
        self.observe_as(id, truth, self.config.model.fitted(truth))
    }

    /// As [`observe`](Self::observe), with the model to predict it with: what a behaviour or a
    /// trained predictor planned, taken as it is.
    pub fn observe_as(&mut self, id: EntityId, truth: &Kinematics, model: Model) -> bool {
        self.learn(id, truth, model, UpdateKind::Partial)
    }

    /// As [`observe`](Self::observe), with the model that `planner` chooses from what is `around`
    /// the entity. A host plans every observation, since each peer is due an update at another
    /// time.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        id: EntityId,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> bool {
        planner.observe(truth, around);
        let model = planner.plan(truth, around, ExportReason::Position);
        self.observe_as(id, truth, model)
    }

    /// Teleports an entity, whoever owns it; an owner that is a peer is corrected. Unlike an
    /// observation it also counts if what is known is of the same moment or later.
    pub fn teleport(&mut self, now: SimTime, id: EntityId, truth: &Kinematics) -> bool {
        let truth = &self.made_newer(id, truth);
        if !self.learn(id, truth, self.config.model.fitted(truth), UpdateKind::Teleport) {
            return false;
        }
        let format = &self.config.format;
        let Some(entity) = self.entities.get_mut(id) else { return false };
        if let Some(guard) = entity.guard.as_deref_mut() {
            guard.put(truth, now);
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

    /// Makes a peer the owner of an entity and sends it the entity's state. Returns whether both
    /// exist and the peer can own one more.
    pub fn grant(&mut self, now: SimTime, id: EntityId, to: PeerId) -> bool {
        let can_own = |peer: &Peer| peer.is_joined() && peer.owned.len() < MAX_OWNED_ENTITIES;
        if !self.peers.get(&to).is_some_and(can_own) || self.entities.get(id).is_none() {
            return false;
        }
        self.revoke(id);
        let (Some(peer), Some(entity)) = (self.peers.get_mut(&to), self.entities.get_mut(id))
        else {
            return false;
        };
        entity.set_owner(Owner::Peer(to), self.config.guard, now);
        let state = entity.correction(&self.config.format);
        peer.owned.push(id);
        peer.control.push(id, ControlMessage::Grant);
        peer.control.push(id, ControlMessage::Correct(state));
        self.entities.changed = true;
        self.enqueue(to);
        true
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
