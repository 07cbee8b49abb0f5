//! Entities: how they come, move and go.

use core::fmt;

use alloc::boxed::Box;
use core::time::Duration;

use reckoning::{
    Fairness, FairnessConfig, Guard, GuardConfig, Kinematics, KinematicsError, Model, Policy,
    SimTime, Update, UpdateKind,
};

mod entity;
mod table;

pub(crate) use entity::{BaselineRef, ClassFormat, Entity};
pub(crate) use table::EntityTable;

use super::Host;
use crate::control_messages::ControlMessage;
use crate::wire::{EntityId, MAX_TAG_BYTES, Owner, PeerId};
use entity::Inbound;

/// Why an entity was not spawned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpawnError {
    /// There are as many as the settings allow.
    Full {
        /// How many that is.
        most: usize,
    },
    /// The tag does not fit.
    TagTooLong {
        /// Its length.
        got_bytes: usize,
    },
    /// The owner has not joined, or owns as many as one can.
    Owner {
        /// Who.
        peer: PeerId,
    },
    /// The state is not usable.
    Kinematics(KinematicsError),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { most } => {
                write!(f, "there are {most} entities already; despawn some or raise max_entities")
            }
            Self::TagTooLong { got_bytes } => {
                write!(f, "tag of {got_bytes} bytes is longer than {MAX_TAG_BYTES}; shorten it")
            }
            Self::Owner { peer } => {
                write!(f, "peer {} has not joined or owns too many; admit it first", peer.0)
            }
            Self::Kinematics(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnError {}

impl Host {
    /// Puts an entity into the world. `tag` is the game's own: name, team, kind. An owner that
    /// is a peer is told, and moves it from then on.
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
        if self.world.len() >= self.config.max_entities {
            return Err(SpawnError::Full { most: self.config.max_entities });
        }
        if tag.len() > MAX_TAG_BYTES {
            return Err(SpawnError::TagTooLong { got_bytes: tag.len() });
        }
        truth.check().map_err(SpawnError::Kinematics)?;
        let known =
            Entity::update_from_truth(truth, self.config.model.fitted(truth), UpdateKind::Full);
        let Some(known) = known else { return Err(SpawnError::Full { most: 0 }) };
        let fairness = self.config.fairness;
        let seed = self.config.seed;
        let id = self.world.insert(|id| {
            let mut entity = Entity::new(id, Owner::Host, tag, known);
            entity.fairness = new_fairness(fairness, seed, id);
            entity
        });
        if let Owner::Peer(peer) = owner
            && !self.grant(now, id, peer)
        {
            self.world.remove(id);
            return Err(SpawnError::Owner { peer });
        }
        if let Some(rewind) = &mut self.rewind {
            rewind.observe(id, truth);
        }
        Ok(id)
    }

    /// Takes an entity out of the world. Returns whether it was there.
    pub fn despawn(&mut self, id: EntityId) -> bool {
        self.revoke(id);
        if let Some(rewind) = &mut self.rewind {
            rewind.forget_entity(id);
        }
        self.world.remove(id).is_some()
    }

    /// Says where an entity is: each tick, for those the host owns. What is not finite or not
    /// newer changes nothing. Returns whether it did.
    pub fn observe(&mut self, id: EntityId, truth: &Kinematics) -> bool {
        self.observe_as(id, truth, self.config.model.fitted(truth))
    }

    /// As [`observe`](Self::observe), with the model to carry it on with: what a behaviour or
    /// a trained predictor planned, taken as it is.
    pub fn observe_as(&mut self, id: EntityId, truth: &Kinematics, model: Model) -> bool {
        self.learn(id, truth, model, UpdateKind::Partial)
    }

    /// Puts an entity elsewhere at once, whoever owns it; an owner that is a peer is told.
    pub fn teleport(&mut self, now: SimTime, id: EntityId, truth: &Kinematics) -> bool {
        if !self.learn(id, truth, self.config.model.fitted(truth), UpdateKind::Teleport) {
            return false;
        }
        let format = self.config.format.clone();
        let Some(entity) = self.world.get_mut(id) else { return false };
        if let Some(guard) = entity.guard.as_deref_mut() {
            guard.put(truth, now);
        }
        let (owner, state) = (entity.owner, entity.state(&format));
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
        let entity = self.world.get_mut(id);
        if let Some(guard) = entity.and_then(|entity| entity.guard.as_deref_mut()) {
            guard.grant_teleport(now, within);
        }
    }

    fn learn(&mut self, id: EntityId, truth: &Kinematics, model: Model, kind: UpdateKind) -> bool {
        let Some(known) = Entity::update_from_truth(truth, model, kind) else { return false };
        let learnt = self.world.get_mut(id).is_some_and(|entity| entity.learn(known));
        if let (true, Some(rewind)) = (learnt, &mut self.rewind) {
            rewind.observe(id, truth);
        }
        learnt
    }
}

impl Entity {
    /// Somebody else moves it from now on.
    pub(crate) fn owned_by(&mut self, owner: Owner, guard: Option<GuardConfig>, now: SimTime) {
        self.owner = owner;
        self.inbound = Inbound::default();
        let start = *self.known().kinematics();
        let guard = guard.and_then(|config| Guard::start(config, &start).ok());
        self.guard = guard.map(|mut guard| {
            guard.put(&start, now);
            Box::new(guard)
        });
    }
}

pub(super) fn new_fairness(policy: Policy, seed: u64, id: EntityId) -> Option<Box<Fairness>> {
    if policy == Policy::Base {
        return None;
    }
    let mut config = FairnessConfig::default();
    config.policy = policy;
    config.seed = seed ^ u64::from(id.0);
    config.accounts = false; // nobody here reads what the policy does not
    Fairness::new(config).ok().map(Box::new)
}

/// A state at rest or moving that the host puts an entity into.
pub(crate) fn put(place: &Kinematics, model: Model) -> Option<Update> {
    Update::new(*place, model.fitted(place), UpdateKind::Full).ok()
}
