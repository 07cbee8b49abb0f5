//! Cost of updates of real recordings on the wire: the table `testdata/wire.txt`.
//!
//! Every player of a recording publishes with the engine's own
//! [`Publisher`](reckoning::Publisher) on the grid of a wire format. A host collects what
//! they publish and sends it to one listener, [`DATAGRAMS_PER_S`] times a second, with the
//! real [`PacketWriter`](reckoning_net::wire::PacketWriter); every datagram is read again
//! and compared.

mod publish;
mod send;
mod table;
mod trains;

use std::fmt;

use reckoning::ConfigError;
use reckoning_net::wire::{DecodeError, FormatError};
use reckoning_recording::RecordingError;

pub use table::wire_table;

/// How often the host of the table sends.
pub const DATAGRAMS_PER_S: i64 = 30;

/// Steps per threshold of the grid that shows the least error for its bytes: of position, and of
/// velocity per second. Chosen on sessions that no table measures; decision 44 has the figures.
pub(crate) const COARSE_STEPS: (f64, f64) = (4.0, 0.5);
/// Stamps in a second that go with it.
pub(crate) const COARSE_HZ: u32 = 250;

/// Why the table could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireTableError {
    /// A recording could not be read.
    Recording(RecordingError),
    /// The engine refused a setting.
    Config(ConfigError),
    /// The wire refused a setting.
    Format(FormatError),
    /// A datagram could not be read again.
    Decode(DecodeError),
    /// An update came out of the wire other than it went in.
    Changed {
        /// Which session.
        session: String,
    },
}

impl fmt::Display for WireTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Decode(error) => write!(f, "a datagram just written cannot be read: {error}"),
            Self::Changed { session } => {
                write!(f, "an update of session {session} came back changed from the wire")
            }
        }
    }
}

impl std::error::Error for WireTableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Recording(error) => Some(error),
            Self::Config(error) => Some(error),
            Self::Format(error) => Some(error),
            Self::Decode(error) => Some(error),
            Self::Changed { .. } => None,
        }
    }
}

impl From<RecordingError> for WireTableError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

impl From<ConfigError> for WireTableError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<FormatError> for WireTableError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<DecodeError> for WireTableError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}
