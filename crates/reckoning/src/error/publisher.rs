//! Errors about publishers and quantisers.

use core::fmt;
use core::time::Duration;

/// Why the settings of a publisher, or of its quantiser, were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PublisherError {
    /// A heartbeat cannot fall due before the next export is allowed.
    HeartbeatTooShort {
        /// The shortest silence the heartbeat and its spread allow.
        heartbeat: Duration,
        /// The shortest allowed time between exports.
        min_interval: Duration,
    },
    /// A heartbeat's random spread is a share of it, from 0 to a half.
    SpreadOutOfRange {
        /// The share given.
        got: f64,
    },
    /// A quantisation step must be finite and not negative; zero means exact.
    StepOutOfRange {
        /// Which step.
        name: &'static str,
        /// The step given.
        got: f64,
    },
    /// Rounding alone would cross the threshold, so every tick would export.
    QuantisationTooCoarse {
        /// The largest error rounding can make.
        rounding: f64,
        /// The threshold it has to stay below, in the same unit.
        threshold: f64,
    },
    /// What the wire's format rounds would alone cross a threshold, so every tick would export.
    ThresholdTooFine {
        /// Which threshold, and its unit.
        name: &'static str,
        /// The threshold given.
        got: f64,
        /// The finest that the format allows.
        finest: f64,
    },
}

impl fmt::Display for PublisherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeartbeatTooShort { heartbeat, min_interval } => {
                write!(f, "heartbeat {heartbeat:?} is shorter than min_interval {min_interval:?}")
            }
            Self::SpreadOutOfRange { got } => {
                write!(f, "heartbeat_spread {got} is not a share from 0 to 0.5")
            }
            Self::StepOutOfRange { name, got } => {
                write!(
                    f,
                    "quantisation step {name} {got} is not finite and at least 0 (0 is exact)"
                )
            }
            Self::QuantisationTooCoarse { rounding, threshold } => write!(
                f,
                "rounding alone is off by {rounding}, over the threshold {threshold}; \
                 quantise finer or raise the threshold"
            ),
            Self::ThresholdTooFine { name, got, finest } => write!(
                f,
                "{name} {got} is finer than what the format rounds; raise it to {finest} or \
                 choose finer steps of the format"
            ),
        }
    }
}

impl core::error::Error for PublisherError {}
