//! Events of a host for its game.

use alloc::vec::Vec;

use reckoning::guard::{Offence, Verdict};

use crate::kinds::{KindId, PlannerNeed, PropertyId};
use crate::wire::{DisconnectReason, EntityId, PeerId};

/// Event for the game: poll until there is none after every call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HostEvent {
    /// A peer requests to join: answer with [`Host::admit`](crate::Host::admit) or
    /// [`Host::refuse`](crate::Host::refuse).
    JoinRequested {
        /// The peer.
        peer: PeerId,
        /// What it authorises itself with:
        /// [`SessionConfig::token`](crate::SessionConfig::token).
        token: Vec<u8>,
    },
    /// A peer joined.
    Joined {
        /// The peer.
        peer: PeerId,
        /// Its earlier id, if it came back within the grace period; it owns its entities again.
        before: Option<PeerId>,
    },
    /// A peer is gone. Its entities wait for it for the grace period, unless it left or was
    /// kicked.
    Left {
        /// The peer.
        peer: PeerId,
        /// Why it is gone.
        why: Departure,
    },
    /// An entity was despawned because its owner did not come back.
    Despawned {
        /// The entity.
        entity: EntityId,
    },
    /// A message of the peer's game, sent with [`Delivery::Reliable`](crate::Delivery).
    Message {
        /// The peer.
        peer: PeerId,
        /// The message.
        bytes: Vec<u8>,
    },
    /// A command of the peer's game, sent with [`Delivery::Repeated`](crate::Delivery).
    Command {
        /// The peer.
        peer: PeerId,
        /// The command.
        bytes: Vec<u8>,
    },
    /// The owner of an entity set a property; see [`Writer`](crate::Writer).
    Changed {
        /// The owner.
        peer: PeerId,
        /// The entity.
        entity: EntityId,
        /// The property; its value: [`Host::get`](crate::Host::get).
        property: PropertyId,
    },
    /// The guard corrected a peer or disconnects it; the peer is sent that.
    Judged {
        /// The peer.
        peer: PeerId,
        /// The entity whose update was judged.
        entity: EntityId,
        /// What is done about it.
        verdict: Verdict,
        /// What the update did wrong.
        offence: Option<Offence>,
    },
    /// The kind of an entity that the host moves asks for what is not there: it is sent by the
    /// model of its kind until it is. Told once for each need.
    PlannerMissing {
        /// The entity.
        entity: EntityId,
        /// Its kind.
        kind: KindId,
        /// What is not there.
        needs: PlannerNeed,
    },
}

/// Why a peer is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Departure {
    /// It left.
    Left,
    /// Its transport closed.
    Disconnected,
    /// Nothing was received from it for too long, or it did not join in time.
    Silent,
    /// The game or the guard disconnected it.
    Kicked(DisconnectReason),
    /// It came back over another connection.
    Replaced {
        /// The id of that one.
        by: PeerId,
    },
}
