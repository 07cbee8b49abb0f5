//! A bandwidth profile of a recording: bytes by kind, field and receiver, beside the error.
//!
//! A recording knows where bodies were, not what was sent of them: settings change, and links differ.
//! So its bodies are played once more, moved by a real [`Host`](reckoning_net::Host), and watched by a
//! real [`Session`](reckoning_net::Session) behind each link that is asked for. Every datagram of the
//! host is read as it leaves, message by message; every bit of it is put down to a kind and a field,
//! and what all fields take is what was sent.
//!
//! ```text
//! recording -> host --datagrams--+--> link -> session: shown, beside the truth
//!                                |
//!                                +--> read: bits by kind and field, second by second
//! ```

mod play;
mod tap;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reckoning::ConfigError;
use reckoning_net::wire::FormatError;
use reckoning_net::{KindError, Kinds};
use reckoning_netsim::{LinkConfig, LinkError};
use reckoning_recording::Recording;

pub use play::MAX_RECEIVERS;
pub use tap::TrafficField;

/// What to profile.
#[derive(Clone, Debug)]
pub struct TrafficConfig {
    /// A receiver behind each of these links. Default: one at 80 ms. From 1 to [`MAX_RECEIVERS`].
    pub receivers: Vec<LinkConfig>,
    /// Stray at which an update is due, in units of the recording. Default: `None`, the width of a
    /// body. Kinds that are declared with zones of their own go by those.
    pub bound: Option<f64>,
    /// How the kinds of the recording's bodies are published and shown, by their names. Default:
    /// none; kinds that are not declared go by constant velocity.
    pub kinds: Kinds,
}

impl Default for TrafficConfig {
    fn default() -> Self {
        let mut link = LinkConfig::default();
        link.delay = Duration::from_millis(80);
        Self { receivers: vec![link], bound: None, kinds: Kinds::default() }
    }
}

/// Why there is no profile.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrafficError {
    /// A setting was refused.
    Config(ConfigError),
    /// A kind was refused.
    Kind(KindError),
    /// A link was refused.
    Link(LinkError),
    /// Updates of these kinds do not fit one format.
    Format(FormatError),
    /// Nobody moves in the recording.
    Nobody,
    /// Too few or too many receivers.
    Receivers {
        /// How many.
        got: usize,
    },
}

impl fmt::Display for TrafficError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Kind(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Nobody => f.write_str("nobody moves in it: nothing is sent"),
            Self::Receivers { got } => {
                write!(f, "{got} receivers; give from 1 to {MAX_RECEIVERS} links")
            }
        }
    }
}

impl std::error::Error for TrafficError {}

impl From<ConfigError> for TrafficError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for TrafficError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<FormatError> for TrafficError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

impl From<KindError> for TrafficError {
    fn from(error: KindError) -> Self {
        Self::Kind(error)
    }
}

/// A sum of errors on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSum {
    sum: f64,
    looks: u64,
    worst: f64,
}

impl ErrorSum {
    fn add(&mut self, error: f64) {
        self.sum += error;
        self.looks += 1;
        self.worst = self.worst.max(error);
    }

    pub(crate) fn add_all(&mut self, other: Self) {
        self.sum += other.sum;
        self.looks += other.looks;
        self.worst = self.worst.max(other.worst);
    }

    /// The mean over bodies and frames; `None` where nothing was looked at.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.looks > 0).then(|| self.sum / self.looks as f64)
    }

    /// The largest.
    #[must_use]
    pub const fn worst(&self) -> f64 {
        self.worst
    }
}

/// What one kind of bodies took of one receiver's connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KindTraffic {
    /// Bits by field.
    pub bits: BTreeMap<TrafficField, u64>,
    /// Updates, without entries.
    pub updates: u64,
    /// Seconds that bodies of the kind lived, all together.
    pub body_seconds: f64,
    /// How far off they were shown.
    pub error: ErrorSum,
}

impl KindTraffic {
    /// Bytes of all fields.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.bits.values().sum::<u64>() as f64 / 8.0
    }

    /// Bytes of one field.
    #[must_use]
    pub fn bytes_of(&self, field: TrafficField) -> f64 {
        self.bits.get(&field).copied().unwrap_or(0) as f64 / 8.0
    }
}

/// One second of one receiver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Bits by field, of all kinds.
    pub bits: BTreeMap<TrafficField, u64>,
    /// How far off bodies were shown.
    pub error: ErrorSum,
}

impl Moment {
    /// Bytes of all fields.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.bits.values().sum::<u64>() as f64 / 8.0
    }
}

/// What one receiver was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReceiverTraffic {
    /// Which, by its link.
    pub receiver: String,
    /// By kind; what belongs to no body is under [`CONNECTION`].
    pub kinds: BTreeMap<String, KindTraffic>,
    /// Second by second.
    pub moments: Vec<Moment>,
    /// Datagrams.
    pub datagrams: u64,
    /// What the host itself counted of them, without the headers of UDP and IP.
    pub counted_bytes: u64,
}

/// The name under which stands what belongs to no kind of bodies: headers, pings, declarations.
pub const CONNECTION: &str = "(connection)";
/// The name of bodies whose kind the recording does not tell.
pub const BODIES: &str = "body";

impl ReceiverTraffic {
    /// Bytes of everything, headers of UDP and IP included.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.kinds.values().map(KindTraffic::bytes).sum()
    }

    /// How far off all bodies were shown.
    #[must_use]
    pub fn error(&self) -> ErrorSum {
        let mut all = ErrorSum::default();
        self.kinds.values().for_each(|it| all.add_all(it.error));
        all
    }
}

/// The profile of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficProfile {
    /// Of which session.
    pub session: String,
    /// How long it is.
    pub seconds: f64,
    /// What lengths are in.
    pub units: String,
    /// The stray at which updates were due.
    pub bound: f64,
    /// One for each link.
    pub receivers: Vec<ReceiverTraffic>,
}

/// Profiles a recording. `progress` is called with how much is done of how much.
///
/// # Errors
/// Refuses settings out of range, and a recording in which nobody moves.
pub fn traffic_profile(
    config: &TrafficConfig,
    recording: &Recording,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<TrafficProfile, TrafficError> {
    play::run(config, recording, progress)
}
