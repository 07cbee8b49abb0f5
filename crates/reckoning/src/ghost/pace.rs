//! Pace of a picture: blends that are long enough for no body to be shown faster than it can be.
//!
//! A blend adds a speed to that of the motion which is believed: its error over its span, times a
//! factor of its shape. So a bound on the speed is a bound on the span from below, known when the
//! update arrives.

use core::time::Duration;

use glam::DVec3;

use super::Blend;
use crate::error::SettingError;

/// A bound on how fast a body is shown.
///
/// It holds for the blends that are laid over the believed motion, where that is straight and within
/// the bound itself, and as far as [`max_span`](Self::max_span) allows: a picture that is further off
/// than can be shed by then is shown faster.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pace {
    /// Nothing is shown faster than this: somewhat above the top speed of the game. Above 0, finite.
    pub max_speed_mps: f64,
    /// No blend is made longer than this. Above zero.
    pub max_span: Duration,
}

impl Pace {
    pub(super) fn validate(&self) -> Result<(), SettingError> {
        let speed = self.max_speed_mps;
        SettingError::in_range("pace.max_speed_mps", speed, f64::MIN_POSITIVE, f64::MAX)?;
        if self.max_span.is_zero() {
            return Err(SettingError::SpanZero { name: "pace.max_span" });
        }
        Ok(())
    }

    /// How long a blend takes that would take `span_s`, from a picture that is `off_m` off and
    /// moves so, to a motion that is believed.
    pub(super) fn lengthened_s(
        &self,
        blend: Blend,
        (span_s, off_m): (f64, f64),
        believed: DVec3,
        shown: DVec3,
    ) -> f64 {
        let (longest_s, (steepest, beyond)) = (self.max_span.as_secs_f64(), blend.steepest());
        let overshot = believed - (shown - believed) * beyond;
        let speed_mps = shown.length().max(overshot.length());
        let room_mps = self.max_speed_mps - speed_mps;
        // Written so that what is not a number asks for the longest.
        let needed_s = if room_mps > 0.0 { off_m * steepest / room_mps } else { longest_s };
        span_s.max(needed_s.min(longest_s))
    }
}
