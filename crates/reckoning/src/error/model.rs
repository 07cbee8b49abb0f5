//! Errors about motion models.

use core::fmt;

use glam::DVec3;

/// Why a motion model was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// A curve has three or four terms.
    CurveTermCount {
        /// How many time constants were given.
        got: usize,
    },
    /// The time constants of a curve are positive, finite and strictly rising.
    CurveTimeConstants {
        /// Place of the first constant that breaks the rule.
        index: usize,
        /// Its value.
        got_s: f64,
    },
    /// A coefficient, rate or height of a motion model is not finite.
    NotFinite {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        got: f64,
    },
    /// A path needs at least two points.
    PathTooShort {
        /// How many points were given.
        got: usize,
    },
    /// Two neighbouring points of a path are the same or not finite.
    PathPoint {
        /// Place of the second of the two.
        index: usize,
        /// The point.
        got: DVec3,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CurveTermCount { got } => write!(f, "a curve has 3 or 4 terms, not {got}"),
            Self::CurveTimeConstants { index, got_s } => write!(
                f,
                "time constant {index} of the curve is {got_s} s; they must be positive, finite \
                 and rising"
            ),
            Self::NotFinite { name, got } => {
                write!(f, "{name} of the motion model is {got}, which is not finite")
            }
            Self::PathTooShort { got } => write!(f, "a path needs at least 2 points, not {got}"),
            Self::PathPoint { index, got } => write!(
                f,
                "point {index} of the path, {got}, is not finite or repeats the one before it"
            ),
        }
    }
}

impl core::error::Error for ModelError {}
