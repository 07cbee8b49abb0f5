//! Why a setting was refused.

use core::fmt;
use core::time::Duration;

use glam::DVec3;

use crate::KinematicsError;

/// Why a configuration was refused.
///
/// Settings are checked once, where they are handed over; the message names the value and
/// what to do about it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A position threshold must be a positive, finite distance.
    ThresholdNotPositive {
        /// The distance given.
        got_m: f64,
    },
    /// An orientation threshold must be above zero and at most half a turn.
    AngleOutOfRange {
        /// The angle given.
        got_rad: f64,
    },
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
    ModelNotFinite {
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
    /// Velocities are averaged over one to three frames.
    FrameCount {
        /// How many frames were asked for.
        got: u8,
    },
    /// A speed below which values count as zero must be finite and not negative.
    TinyOutOfRange {
        /// Which value.
        name: &'static str,
        /// The limit given.
        got: f64,
    },
    /// A span must be longer than zero.
    SpanZero {
        /// Which setting.
        name: &'static str,
    },
    /// A span of a crowd must be short enough for every silent ghost to come to rest.
    SpanTooLong {
        /// Which setting.
        name: &'static str,
        /// The span given.
        got: Duration,
        /// The longest one allowed.
        most: Duration,
    },
    /// The lower end of a range lies above its upper end.
    RangeReversed {
        /// Which setting.
        name: &'static str,
        /// The lower end.
        min: Duration,
        /// The upper end.
        max: Duration,
    },
    /// A budget of updates per trigger must be positive and finite.
    BudgetNotPositive {
        /// The updates per trigger given.
        got: f64,
    },
    /// The shares of a mixture must not be negative and must add up to one.
    SharesOutOfRange {
        /// The shares given.
        got: [f64; 3],
    },
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
        got: DVec3,
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
    /// A setting lies outside the range that makes sense.
    SettingOutOfRange {
        /// Which setting.
        name: &'static str,
        /// Its value.
        got: f64,
        /// The smallest allowed.
        min: f64,
        /// The largest allowed.
        max: f64,
    },
    /// A wall needs finite corners that enclose something, and a top above its bottom.
    WallShape {
        /// Which wall, counted from the start of the list.
        index: usize,
    },
    /// A state of the body is not usable.
    Kinematics(KinematicsError),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThresholdNotPositive { got_m } => {
                write!(f, "threshold {got_m} m is not a positive, finite distance")
            }
            Self::AngleOutOfRange { got_rad } => {
                write!(f, "orientation threshold {got_rad} rad is not above 0 and at most pi")
            }
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
            Self::CurveTermCount { got } => write!(f, "a curve has 3 or 4 terms, not {got}"),
            Self::CurveTimeConstants { index, got_s } => write!(
                f,
                "time constant {index} of the curve is {got_s} s; they must be positive, finite \
                 and rising"
            ),
            Self::ModelNotFinite { name, got } => {
                write!(f, "{name} of the motion model is {got}, which is not finite")
            }
            Self::PathTooShort { got } => write!(f, "a path needs at least 2 points, not {got}"),
            Self::PathPoint { index, got } => write!(
                f,
                "point {index} of the path, {got}, is not finite or repeats the one before it"
            ),
            Self::FrameCount { got } => {
                write!(f, "velocities are averaged over 1 to 3 frames, not {got}")
            }
            Self::TinyOutOfRange { name, got } => {
                write!(f, "{name} {got} is not finite and at least 0")
            }
            Self::SpanZero { name } => write!(f, "{name} is zero; give it a length"),
            Self::SpanTooLong { name, got, most } => {
                write!(f, "{name} {got:?} is longer than {most:?}")
            }
            Self::RangeReversed { name, min, max } => {
                write!(f, "{name} runs from {min:?} down to {max:?}; swap them")
            }
            Self::BudgetNotPositive { got } => {
                write!(f, "budget of {got} updates per trigger is not positive and finite")
            }
            Self::SharesOutOfRange { got: [a, b, c] } => {
                write!(f, "shares {a}, {b} and {c} are not from 0 to 1 with the sum 1")
            }
            Self::Kinematics(error) => error.fmt(f),
            _ => self.fmt_ground(f),
        }
    }
}

impl ConfigError {
    /// The messages about the ground and the parts of a body.
    fn fmt_ground(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            Self::SettingOutOfRange { name, got, min, max } => {
                write!(f, "{name} is {got}; it must be from {min} to {max}")
            }
            Self::WallShape { index } => write!(
                f,
                "wall {index} has corners that are not finite or enclose nothing, or its top is \
                 not above its bottom"
            ),
            _ => Ok(()),
        }
    }

    /// Lets `got` through if it is from `min` to `max`; NaN never is.
    ///
    /// # Errors
    /// Names the setting, its value and the range.
    pub fn in_range(name: &'static str, got: f64, min: f64, max: f64) -> Result<f64, Self> {
        let fits = got >= min && got <= max;
        if fits { Ok(got) } else { Err(Self::SettingOutOfRange { name, got, min, max }) }
    }
}

impl core::error::Error for ConfigError {}

impl From<KinematicsError> for ConfigError {
    fn from(error: KinematicsError) -> Self {
        Self::Kinematics(error)
    }
}
