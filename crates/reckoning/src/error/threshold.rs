//! Errors about thresholds.

use core::fmt;

/// Why a threshold was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ThresholdError {
    /// A position threshold must be a positive, finite distance.
    NotPositive {
        /// The distance given.
        got_m: f64,
    },
    /// An orientation threshold must be above zero and at most half a turn.
    AngleOutOfRange {
        /// The angle given.
        got_rad: f64,
    },
    /// A joint's threshold must be a positive, finite angle.
    JointNotPositive {
        /// The angle given.
        got_rad: f64,
    },
}

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPositive { got_m } => {
                write!(f, "threshold {got_m} m is not a positive, finite distance")
            }
            Self::AngleOutOfRange { got_rad } => {
                write!(f, "orientation threshold {got_rad} rad is not above 0 and at most pi")
            }
            Self::JointNotPositive { got_rad } => {
                write!(f, "joint threshold {got_rad} rad must be positive and finite")
            }
        }
    }
}

impl core::error::Error for ThresholdError {}
