//! Names of servers, bodies and their versions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A server of the mesh. Its number stays over restarts; at most [`ServerId::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub u16);

impl ServerId {
    /// The highest number of a server: twelve bits of a [`BodyId`] name the server of its birth.
    pub const MAX: Self = Self(0x0fff);
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// How often something changed hands: of a server, which life of it this is; of a cell, how many
/// owners it had. Never falls.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Epoch(pub u32);

impl Epoch {
    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// One life of a server: what a lease is given to, and what is fenced when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Incarnation {
    /// Which server.
    pub server: ServerId,
    /// Which of its lives.
    pub epoch: Epoch,
}

impl Incarnation {
    /// This life of that server.
    #[must_use]
    pub const fn new(server: ServerId, epoch: Epoch) -> Self {
        Self { server, epoch }
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.server, self.epoch.0)
    }
}

/// A body, by a number that is unique in the world: the server and epoch of its birth and a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyId(pub u64);

impl BodyId {
    /// The `count`-th body born in that life of that server.
    ///
    /// Twelve bits name the server, twenty the epoch: a server that restarts once a minute repeats
    /// itself after two years.
    #[must_use]
    pub const fn born(at: Incarnation, count: u32) -> Self {
        let server = (at.server.0 & ServerId::MAX.0) as u64;
        let epoch = (at.epoch.0 & 0x000f_ffff) as u64;
        Self(server << 52 | epoch << 32 | count as u64)
    }
}

impl fmt::Display for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How often a body changed hands. Whoever knows of a higher version knows better.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Version {
    /// How often it was revived after a crash. A revived body outranks everything that the dead owner
    /// may still have had under way, however often that one had offered it.
    pub term: u32,
    /// How often it was offered within the term; an offer that came to nothing burns its number.
    pub step: u32,
}

impl Version {
    /// Of the next offer.
    #[must_use]
    pub const fn next_step(self) -> Self {
        Self { term: self.term, step: self.step.saturating_add(1) }
    }

    /// Of a body revived from this one.
    #[must_use]
    pub const fn next_term(self) -> Self {
        Self { term: self.term.saturating_add(1), step: 0 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.term, self.step)
    }
}
