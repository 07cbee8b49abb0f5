//! Errors about ground clamps.

use core::fmt;

/// Why the settings of a ground clamp were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GroundError {
    /// A footprint must have a positive, finite length and width.
    FootprintNotPositive {
        /// Half the length given.
        half_length_m: f64,
        /// Half the width given.
        half_width_m: f64,
    },
    /// A body's origin must be a finite height above the ground.
    OriginHeightNotFinite {
        /// The height given.
        got_m: f64,
    },
    /// The distances of ground clamping must not be negative nor in the wrong order.
    ClampDistances {
        /// Up to here with all points.
        near_m: f64,
        /// Beyond this only now and then.
        far_m: f64,
    },
}

impl fmt::Display for GroundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FootprintNotPositive { half_length_m, half_width_m } => write!(
                f,
                "footprint of {half_length_m} m by {half_width_m} m (halves) must be positive \
                 and finite; a body without one is Footprint::Upright"
            ),
            Self::OriginHeightNotFinite { got_m } => {
                write!(f, "origin height {got_m} m must be finite; 0 puts the origin on the ground")
            }
            Self::ClampDistances { near_m, far_m } => {
                write!(f, "near {near_m} m and far {far_m} m must satisfy 0 <= near <= far")
            }
        }
    }
}

impl core::error::Error for GroundError {}
