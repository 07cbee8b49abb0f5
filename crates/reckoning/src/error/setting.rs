//! Errors about single settings.

use core::fmt;
use core::time::Duration;

/// Why a number or a span among settings was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// A setting lies outside the range that makes sense.
    OutOfRange {
        /// Which setting.
        name: &'static str,
        /// Its value.
        got: f64,
        /// The smallest allowed.
        min: f64,
        /// The largest allowed.
        max: f64,
    },
    /// A span must be longer than zero.
    SpanZero {
        /// Which setting.
        name: &'static str,
    },
    /// A span is too short for what depends on it.
    SpanTooShort {
        /// Which setting.
        name: &'static str,
        /// The span given.
        got: Duration,
        /// The shortest one allowed.
        least: Duration,
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
    /// A setting that would have no effect where it stands.
    Ineffective {
        /// Which setting.
        name: &'static str,
        /// What it belongs to.
        needs: &'static str,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { name, got, min, max } => {
                write!(f, "{name} is {got}; it must be from {min} to {max}")
            }
            Self::SpanZero { name } => write!(f, "{name} is zero; give it a length"),
            Self::SpanTooShort { name, got, least } => {
                write!(f, "{name} {got:?} is shorter than {least:?}")
            }
            Self::SpanTooLong { name, got, most } => {
                write!(f, "{name} {got:?} is longer than {most:?}")
            }
            Self::RangeReversed { name, min, max } => {
                write!(f, "{name} runs from {min:?} down to {max:?}; swap them")
            }
            Self::FrameCount { got } => {
                write!(f, "velocities are averaged over 1 to 3 frames, not {got}")
            }
            Self::TinyOutOfRange { name, got } => {
                write!(f, "{name} {got} is not finite and at least 0")
            }
            Self::Ineffective { name, needs } => {
                write!(f, "{name} has no effect without {needs}; leave it out")
            }
        }
    }
}

impl core::error::Error for SettingError {}

impl SettingError {
    /// Lets `got` through if it is from `min` to `max`; NaN never is.
    ///
    /// # Errors
    /// Names the setting, its value and the range.
    pub fn in_range(name: &'static str, got: f64, min: f64, max: f64) -> Result<f64, Self> {
        let fits = got >= min && got <= max;
        if fits { Ok(got) } else { Err(Self::OutOfRange { name, got, min, max }) }
    }
}
