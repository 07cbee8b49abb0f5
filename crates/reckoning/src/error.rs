//! Why settings were refused.

use core::fmt;
use core::time::Duration;

/// Why a configuration was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A height field needs at least one cell.
    GridTooSmall {
        /// Heights along x.
        columns: usize,
        /// Heights along y.
        rows: usize,
    },
    /// A height field needs one height per grid point.
    GridSizeMismatch {
        /// Heights along x.
        columns: usize,
        /// Heights along y.
        rows: usize,
        /// How many heights were given.
        got: usize,
    },
    /// Grid points must be a positive, finite distance apart.
    SpacingNotPositive {
        /// The distance given.
        got_m: f64,
    },
    /// The grid must begin at a finite place.
    CornerNotFinite {
        /// The corner given.
        got: glam::DVec3,
    },
    /// Every height of a grid must be finite.
    HeightNotFinite {
        /// Which one, counted from the start of the list.
        index: usize,
        /// Its value.
        got_m: f64,
    },
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
    /// A joint's threshold must be a positive, finite angle.
    JointThresholdNotPositive {
        /// The angle given.
        got_rad: f64,
    },
    /// A heartbeat cannot fall due before the next export is allowed.
    HeartbeatTooShort {
        /// The longest silence wanted.
        heartbeat: Duration,
        /// The shortest silence wanted.
        min_interval: Duration,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GridTooSmall { columns, rows } => {
                write!(f, "grid of {columns} x {rows} heights has no cell; give at least 2 x 2")
            }
            Self::GridSizeMismatch { columns, rows, got } => {
                write!(f, "got {got} heights for a grid of {columns} x {rows}; give one per point")
            }
            Self::SpacingNotPositive { got_m } => {
                write!(f, "grid spacing {got_m} m must be positive and finite")
            }
            Self::CornerNotFinite { got } => {
                write!(f, "grid corner {got} is not finite; give a place in the world")
            }
            Self::HeightNotFinite { index, got_m } => {
                write!(f, "height {index} of the grid is {got_m} m; give a finite one")
            }
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
            Self::JointThresholdNotPositive { got_rad } => {
                write!(f, "joint threshold {got_rad} rad must be positive and finite")
            }
            Self::HeartbeatTooShort { heartbeat, min_interval } => write!(
                f,
                "heartbeat {heartbeat:?} is shorter than min_interval {min_interval:?}; lengthen it"
            ),
        }
    }
}

impl core::error::Error for ConfigError {}
