//! Events of a session for its game.

use alloc::string::String;
use alloc::vec::Vec;

use reckoning::Kinematics;

use crate::kinds::{KindId, PlannerNeed, PropertyId};
use crate::wire::{DisconnectReason, EntityId, ExitReason, Owner, PeerId};

/// Event for the game: poll until there is none after every call.
///
/// [`Disconnected`](Self::Disconnected), [`Kicked`](Self::Kicked) and [`Lost`](Self::Lost) end the session and void what came
/// before: the id of [`Joined`](Self::Joined) is no longer ours, no entity of
/// [`Granted`](Self::Granted) is, and no [`Exited`](Self::Exited) follows for what
/// [`Entered`](Self::Entered).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The host admitted us.
    Joined {
        /// Our id at the host.
        peer: PeerId,
        /// The game's own bytes for everyone who joins:
        /// [`HostConfig::welcome`](crate::HostConfig::welcome).
        welcome: Vec<u8>,
    },
    /// The host refused the join, or disconnected us. The session is over; the entities we owned
    /// were despawned.
    Disconnected(DisconnectReason),
    /// The host disconnected us, or refused the join, and says why in words for the player:
    /// [`Host::kick`](crate::Host::kick). The session is over as after
    /// [`Disconnected`](Self::Disconnected), which does not follow.
    Kicked {
        /// The reason.
        why: DisconnectReason,
        /// One line of at most [`MAX_KICK_BYTES`](crate::MAX_KICK_BYTES). It comes from the host:
        /// show it as text, not as markup.
        words: String,
    },
    /// Nothing was received from the host for [`SessionConfig::timeout`](crate::SessionConfig).
    /// The session is over: it sends and accepts nothing more, its clock and its ghosts are stale,
    /// messages that were not acknowledged may or may not have arrived, and every grant is void.
    /// Join with a new session; with the same token, unless that is empty, and within the host's
    /// grace period, the entities are granted again.
    Lost,
    /// We own an entity from now on; a [`Corrected`](Self::Corrected) with its state follows. Drawn by
    /// [`Session::shown_owned`](crate::Session::shown_owned) it does not jump there.
    Granted(EntityId),
    /// We no longer own an entity; what is observed of it is ignored.
    Revoked(EntityId),
    /// An entity entered our interest set.
    Entered {
        /// The entity.
        entity: EntityId,
        /// Its owner.
        owner: Owner,
        /// Its kind.
        kind: KindId,
        /// The game's own bytes about it.
        tag: Vec<u8>,
    },
    /// Somebody else moves an entity of our interest set from now on.
    OwnerChanged {
        /// The entity.
        entity: EntityId,
        /// Its owner now.
        owner: Owner,
    },
    /// An entity of our interest set, or one of ours, is of another kind from now on.
    KindChanged {
        /// The entity.
        entity: EntityId,
        /// Its kind now.
        kind: KindId,
    },
    /// A property of an entity, of ours or of others, has another value:
    /// [`Session::property`](crate::Session::property). What is known of an entity that enters comes
    /// with its entry where it fits, and soon after it otherwise:
    /// [`Entered`](Self::Entered) or [`Granted`](Self::Granted) first, then one of these for each.
    /// One that is not ours is told of with its last value only, however often it changed.
    Changed {
        /// The entity.
        entity: EntityId,
        /// The property.
        property: PropertyId,
    },
    /// An entity left our interest set, or was despawned: `why` tells the one from the other. What
    /// left and is despawned while it is out of sight is not told of again.
    Exited {
        /// The entity.
        entity: EntityId,
        /// Whether it may still be there.
        why: ExitReason,
    },
    /// The host corrects an entity of ours: go on from this state.
    Corrected {
        /// The entity.
        entity: EntityId,
        /// Its state, by our clock.
        state: Kinematics,
    },
    /// A threshold of our publisher is finer than what the host's format rounds, so that every tick
    /// would have been exported: it was raised to the finest that works. Set it higher, or have the
    /// host choose finer steps.
    ThresholdRaised {
        /// Which threshold, and its unit.
        name: &'static str,
        /// What was set.
        from: f64,
        /// What it is now.
        to: f64,
    },
    /// The kind of an entity of ours asks for what we do not have: it is published by the model and
    /// the threshold of its kind until it is there. Told once for each need.
    PlannerMissing {
        /// The entity.
        entity: EntityId,
        /// Its kind.
        kind: KindId,
        /// What is not there.
        needs: PlannerNeed,
    },
    /// A message of the host's game, sent with [`Delivery::Reliable`](crate::Delivery).
    Message(Vec<u8>),
    /// A command of the host's game, sent with [`Delivery::Repeated`](crate::Delivery).
    Command(Vec<u8>),
}
