//! Moments on the simulation's own timeline.
//!
//! Nothing in this crate reads a clock: every question carries the moment it is about. A
//! [`SimTime`] counts whole microseconds, so it is exact on the wire, in `==` and as a
//! JavaScript number, and 292,000 years fit before it runs out. Spans in settings are
//! [`Duration`]s, which cannot be negative; where a span may point backwards it is
//! seconds in an `f64`.

use core::fmt;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use core::time::Duration;

const MICROS_PER_SEC: i64 = 1_000_000;

/// A moment, in whole microseconds since the simulation began.
///
/// All sides of a session must mean the same timeline; bringing clocks together is not done
/// here. Arithmetic saturates at the ends of the range instead of overflowing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(i64);

impl SimTime {
    /// The moment the simulation began.
    pub const ZERO: Self = Self(0);
    /// The latest moment there is.
    pub const MAX: Self = Self(i64::MAX);
    /// The earliest moment there is.
    pub const MIN: Self = Self(i64::MIN);

    /// The moment `micros` microseconds after the beginning.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The moment `millis` milliseconds after the beginning.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// The moment `secs` seconds after the beginning, rounded to a microsecond.
    ///
    /// Out-of-range values saturate and NaN becomes zero, as with Rust's own `as`.
    #[must_use]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self(libm::round(secs * MICROS_PER_SEC as f64) as i64)
    }

    /// The moment of the `tick`-th step of a simulation that makes `hz` steps a second.
    ///
    /// Rounded down to a microsecond from the beginning, so ticks never drift apart: tick
    /// 60 of a 60 Hz game is exactly one second. A rate of zero counts as one.
    #[must_use]
    pub const fn from_tick(tick: i64, hz: u32) -> Self {
        let hz = if hz == 0 { 1 } else { hz as i128 };
        let micros = (tick as i128 * MICROS_PER_SEC as i128).div_euclid(hz);
        if micros > i64::MAX as i128 {
            Self::MAX
        } else if micros < i64::MIN as i128 {
            Self::MIN
        } else {
            Self(micros as i64)
        }
    }

    /// Microseconds since the beginning.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Seconds since the beginning. Exact to a microsecond for 285 years.
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / MICROS_PER_SEC as f64
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is in fact later.
    #[must_use]
    pub const fn secs_since(self, earlier: Self) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / MICROS_PER_SEC as f64
    }

    /// The span from `earlier` to this moment; zero when `earlier` is in fact later.
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        let micros = self.0.saturating_sub(earlier.0);
        Duration::from_micros(if micros > 0 { micros as u64 } else { 0 })
    }
}

/// A span of so many seconds: zero when negative or NaN, the longest when too long for one.
pub(crate) fn span_of(seconds: f64) -> Duration {
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    } else {
        Duration::ZERO
    }
}

/// A span in whole microseconds, saturating.
const fn micros_of(span: Duration) -> i64 {
    let micros = span.as_micros();
    if micros > i64::MAX as u128 { i64::MAX } else { micros as i64 }
}

impl Add<Duration> for SimTime {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros_of(span)))
    }
}

impl AddAssign<Duration> for SimTime {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub<Duration> for SimTime {
    type Output = Self;

    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros_of(span)))
    }
}

impl SubAssign<Duration> for SimTime {
    fn sub_assign(&mut self, span: Duration) {
        *self = *self - span;
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_do_not_drift() {
        assert_eq!(SimTime::from_tick(60, 60), SimTime::from_micros(1_000_000));
        assert_eq!(SimTime::from_tick(60 * 3_600 * 24, 60), SimTime::from_millis(86_400_000));
        assert_eq!(SimTime::from_tick(-1, 60), SimTime::from_micros(-16_667));
        assert_eq!(SimTime::from_tick(i64::MAX, 1), SimTime::MAX);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(SimTime::MAX + Duration::from_secs(1), SimTime::MAX);
        assert_eq!(SimTime::MIN - Duration::MAX, SimTime::MIN);
        assert!(SimTime::MAX.secs_since(SimTime::MIN).is_finite());
    }

    #[test]
    fn spans_keep_their_sign_as_seconds_only() {
        let early = SimTime::from_millis(100);
        let late = SimTime::from_millis(350);
        assert!((late.secs_since(early) - 0.25).abs() < 1e-15);
        assert!((early.secs_since(late) + 0.25).abs() < 1e-15);
        assert_eq!(early.saturating_since(late), Duration::ZERO);
        assert_eq!(late.saturating_since(early), Duration::from_millis(250));
    }
}
