//! What a host tells its game.

use alloc::vec::Vec;

use reckoning::{Offence, Verdict};

use crate::wire::{DisconnectReason, EntityId, PeerId};

/// Something the game should know. Poll them all after every call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HostEvent {
    /// Somebody wants to join: answer with [`Host::admit`](crate::Host::admit) or
    /// [`Host::refuse`](crate::Host::refuse).
    JoinRequested {
        /// Who.
        peer: PeerId,
        /// What it shows for it.
        token: Vec<u8>,
    },
    /// A peer is in.
    Joined {
        /// Who.
        peer: PeerId,
        /// Who it was before, if it came back within the grace period; its entities are its
        /// own again.
        before: Option<PeerId>,
    },
    /// A peer is gone. Its entities wait for it for the grace period.
    Left {
        /// Who.
        peer: PeerId,
        /// Why.
        why: Departure,
    },
    /// An entity whose owner did not come back is gone.
    Despawned {
        /// Which.
        entity: EntityId,
    },
    /// A message, sent reliably.
    Message {
        /// Who says it.
        peer: PeerId,
        /// What.
        bytes: Vec<u8>,
    },
    /// A command, sent repeatedly.
    Command {
        /// Who gives it.
        peer: PeerId,
        /// What.
        bytes: Vec<u8>,
    },
    /// The guard put a client right or wants it out; it is told.
    Judged {
        /// Who.
        peer: PeerId,
        /// Whose update.
        entity: EntityId,
        /// What is done about it.
        verdict: Verdict,
        /// What for.
        offence: Option<Offence>,
    },
}

/// Why a peer is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Departure {
    /// It said so.
    Left,
    /// The transport closed.
    Disconnected,
    /// Nothing was heard for too long.
    Silent,
    /// It was put out.
    Kicked(DisconnectReason),
    /// Its owner came back over another connection.
    Replaced {
        /// That one.
        by: PeerId,
    },
}
