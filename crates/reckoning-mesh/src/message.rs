//! Messages between servers.

use std::sync::Arc;

use crate::grid::CellId;
use crate::ids::{BodyId, Epoch, Incarnation, Version};

/// Everything that goes along with a body: motion, kind, properties, owner, histories for guard and
/// rewind. The mesh carries the bytes and does not read them.
pub type Payload = Arc<[u8]>;

/// A body as its owner had it at one moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyState {
    /// Counts the changes of the body over its life: of two states, the higher is the later.
    pub stamp: u64,
    /// What goes along.
    pub payload: Payload,
}

/// A message with its sender and receiver. Each is one life of a server: what a server said before
/// it was fenced, and what was said to it then, is void.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Envelope {
    /// Who says it.
    pub from: Incarnation,
    /// Whom to.
    pub to: Incarnation,
    /// What.
    pub message: Message,
}

/// What servers tell each other of bodies. Every message may be lost, late or repeated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Message {
    /// Would you take this body? It goes into a cell that is yours, as far as I know.
    Offer {
        /// Which body.
        body: BodyId,
        /// The version it will have with you.
        version: Version,
        /// Where it goes.
        cell: CellId,
        /// The epoch of that cell, as far as I know.
        cell_epoch: Epoch,
        /// How it is now.
        state: BodyState,
    },
    /// I am prepared to take it; it is not mine yet.
    Accept {
        /// Which body.
        body: BodyId,
        /// The version offered.
        version: Version,
    },
    /// I will not take it.
    Refuse {
        /// Which body.
        body: BodyId,
        /// The version offered.
        version: Version,
    },
    /// It is yours, and no longer mine.
    Commit {
        /// Which body.
        body: BodyId,
        /// The version it has with you.
        version: Version,
        /// How it was when I let go.
        state: BodyState,
    },
    /// I have it, and so has my shadow: forget it.
    Ack {
        /// Which body.
        body: BodyId,
        /// The version committed.
        version: Version,
    },
    /// I have forgotten it, and say no more of it.
    Closed {
        /// Which body.
        body: BodyId,
        /// The version committed.
        version: Version,
    },
    /// I take the offer back, and that version is burnt.
    Cancel {
        /// Which body.
        body: BodyId,
        /// The version offered.
        version: Version,
    },
    /// I know that it is taken back.
    CancelAck {
        /// Which body.
        body: BodyId,
        /// The version burnt.
        version: Version,
    },
    /// Keep this, in case I die.
    Shadow {
        /// Which body.
        body: BodyId,
        /// The version it has with me.
        version: Version,
        /// How it is.
        state: BodyState,
    },
    /// I keep it.
    ShadowAck {
        /// Which body.
        body: BodyId,
        /// The version kept.
        version: Version,
        /// The stamp kept.
        stamp: u64,
    },
    /// You need not keep it any longer.
    Release {
        /// Which body.
        body: BodyId,
        /// The version kept, or the one by which it left me.
        version: Version,
        /// The last stamp that may have been sent.
        stamp: u64,
    },
    /// I do not keep it any longer.
    ReleaseAck {
        /// Which body.
        body: BodyId,
        /// The version named.
        version: Version,
    },
    /// That one is fenced: refuse it from now on, and say what you know.
    Recover {
        /// Who is dead.
        dead: Incarnation,
    },
    /// What I know, now that I refuse the dead.
    Report {
        /// Who is dead.
        dead: Incarnation,
        /// What I know of each body.
        claims: Vec<Claim>,
    },
}

/// What a server knows of a body when another died.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    /// Which body.
    pub body: BodyId,
    /// The version it knows of.
    pub version: Version,
    /// How.
    pub ground: Ground,
}

/// How a server knows of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ground {
    /// Somebody owned it at that version.
    Seen,
    /// The dead owned it so, and gave this to keep.
    Shadow(BodyState),
    /// I passed it to the dead at that version, and never heard that it is safe there.
    Passed(BodyState),
    /// The dead offered it to me at that version, and may have let go of it.
    Prepared(BodyState),
}
