//! What loss does to what is shown, and what a host makes of it: the tables `testdata/loss.txt` and
//! `testdata/loss-recorded.txt`.
//!
//! The bodies of recordings are moved by a [`Host`](reckoning_net::Host) and watched by a
//! [`Session`](reckoning_net::Session) over simulated links, both ways lossy, in virtual time. What
//! the host assumes its peer to hold differs: see [`Repair`]. Rows are compared at equal updates:
//! bounds are swept, and errors read off at the updates that the row before took.

mod chain;
mod table;

use std::fmt;

use reckoning::ConfigError;
use reckoning_net::SpawnError;
use reckoning_net::wire::FormatError;
use reckoning_netsim::LinkError;

pub use table::{loss_table, recorded_loss_table};

/// What a sender makes of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing: updates leave by the bound and by heartbeats, and nobody acknowledges any.
    None,
    /// What counts as lost is sent again; until then it counts as held.
    Resent,
    /// Each peer is judged by what it holds in expectation.
    Held,
}

/// Why there is no table.
#[derive(Debug)]
pub enum LossError {
    /// A setting of a host, a session or a publisher.
    Config(ConfigError),
    /// The format.
    Format(FormatError),
    /// A link.
    Link(LinkError),
    /// A body.
    Spawn(SpawnError),
}

impl fmt::Display for LossError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Spawn(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LossError {}

impl From<ConfigError> for LossError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<FormatError> for LossError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<LinkError> for LossError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<SpawnError> for LossError {
    fn from(error: SpawnError) -> Self {
        Self::Spawn(error)
    }
}
