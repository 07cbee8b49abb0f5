//! Timestamps: a moment within an hour, in 31 bits, by a clock that is everyone's or only the sender's.

use core::fmt;

/// Units of a timestamp in an hour.
const TICKS_PER_HOUR: f64 = 2_147_483_648.0;
/// Seconds of an hour.
const HOUR_S: f64 = 3_600.0;

/// When a PDU's contents were true, in units of 3600 s / 2^31 past the hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamp(pub u32);

impl Timestamp {
    /// So many seconds past some hour; `is_absolute` where the clock is UTC, as NTP or GPS give it.
    #[must_use]
    pub fn new(secs: f64, is_absolute: bool) -> Self {
        let hours = secs / HOUR_S;
        let share = hours - reckoning::math::ceil(hours) + 1.0; // in 0..=1, whatever the sign
        // 2^31 itself is the next hour, which is the same moment of the ring.
        let ticks = (share * TICKS_PER_HOUR) as u64 & 0x7fff_ffff;
        Self((ticks as u32) << 1 | u32::from(is_absolute))
    }

    /// Whether the clock is UTC.
    #[must_use]
    pub const fn is_absolute(self) -> bool {
        self.0 & 1 == 1
    }

    /// Seconds past the hour.
    #[must_use]
    pub fn secs(self) -> f64 {
        f64::from(self.0 >> 1) * (HOUR_S / TICKS_PER_HOUR)
    }

    /// How much later this is than `other`, in seconds: within half an hour either way, as the hour
    /// begins anew.
    #[must_use]
    pub fn secs_since(self, other: Self) -> f64 {
        // The signed distance on a ring of 31 bits.
        let ticks = ((self.0 >> 1).wrapping_sub(other.0 >> 1) << 1).cast_signed() >> 1;
        f64::from(ticks) * (HOUR_S / TICKS_PER_HOUR)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.is_absolute() { "absolute" } else { "relative" };
        write!(f, "{:.6} s past the hour, {clock}", self.secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_begins_anew_and_distances_do_not_mind() {
        for (late, early, apart) in [(0.05, 3_599.95, 0.1), (3_600.0, 0.0, 0.0), (9.5, 9.0, 0.5)] {
            let (late, early) = (Timestamp::new(late, true), Timestamp::new(early, false));
            assert!((late.secs_since(early) - apart).abs() < 1e-5, "{late} {early}");
            assert!((early.secs_since(late) + apart).abs() < 1e-5, "{late} {early}");
            assert!(late.is_absolute() && !early.is_absolute());
        }
    }

    #[test]
    fn seconds_survive_for_any_hour() {
        for secs in [0.0, 1.25, 3_599.5, 3_600.0, 7_201.0, 1.7e9, -0.5] {
            let read = Timestamp::new(secs, true).secs();
            let expected = secs.rem_euclid(3_600.0);
            assert!((read - expected).abs() < 1e-5, "{secs}: {read}");
        }
    }
}
