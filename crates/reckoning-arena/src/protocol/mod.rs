//! Messages between the arena's server and its clients, as bytes.
//!
//! Moving bodies travel by the engine's own protocol, each by its kind, and so do their
//! [`Properties`]: names, sides, health and scores. This is the rest of the game, little endian:
//! - [`ClientMessage`] and [`ServerMessage`], as messages or commands of a session; the first byte
//!   is the kind;
//! - the [`Tag`] of every player's entity;
//! - [`DebugDatagram`]s beside the protocol, for the demonstration only. They begin with seven zero
//!   bytes, as no datagram of the protocol can.
//!
//! Others rely on this: whatever is decoded is within its limits, all numbers are finite, and no
//! bytes make a decoder panic.

pub(crate) mod bytes;
mod client_message;
mod debug_datagram;
mod picture;
mod properties;
mod server_message;
mod settings;
mod tag;

#[cfg(test)]
mod tests;

use std::fmt;

pub use client_message::ClientMessage;
pub use debug_datagram::{
    DebugDatagram, ErrorAccounts, MAX_SNAPSHOT_BODIES, MAX_TRUTH_BODIES, OwnState, PlannerFigures,
    PlannerWorth, PositionSnapshot, SnapshotBody, Truth, TruthBody,
};
pub use picture::{MAX_PICTURES, Picture};
pub use properties::{PlayerState, Properties};
pub use reckoning_net::wire::OUT_OF_BAND_PREFIX;
pub use server_message::{Refusal, ServerMessage};
pub use settings::{LinkChoice, ModelChoice, PolicyChoice, ServerTuning, WeightsChoice};
pub use tag::Tag;

/// The longest name of a player.
pub const MAX_NAME_BYTES: usize = 24;
/// In place of a player's number: a turret.
pub const A_TURRET: u16 = u16::MAX;
/// In place of a team: none.
pub const NO_TEAM: u8 = u8::MAX;

/// Why bytes say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// They end too early.
    Short,
    /// More follows than belongs there.
    Long {
        /// How much more.
        left_bytes: usize,
    },
    /// There is nothing of that number.
    Kind {
        /// The number.
        got: u8,
    },
    /// A value is out of its range.
    Value {
        /// Which.
        name: &'static str,
    },
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("message ends too early; send all of it"),
            Self::Long { left_bytes } => write!(f, "{left_bytes} bytes too many; leave them out"),
            Self::Kind { got } => write!(f, "kind {got} is not known; use those of this version"),
            Self::Value { name } => write!(f, "{name} is out of range; see its type for the range"),
        }
    }
}

impl std::error::Error for ProtocolError {}

/// A name without what cannot be shown, cut to [`MAX_NAME_BYTES`].
#[must_use]
pub fn clean_name(name: &str) -> String {
    // Trimmed last, or a blank behind a control character would begin it.
    let shown: String = name.chars().filter(|it| !it.is_control()).collect();
    let mut clean = String::new();
    for letter in shown.trim().chars() {
        if clean.len() + letter.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        clean.push(letter);
    }
    clean.truncate(clean.trim_end().len());
    clean
}
