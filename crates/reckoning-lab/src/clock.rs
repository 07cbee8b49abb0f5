//! Clocks that are off and drift.

use reckoning::SimTime;

/// A clock that shows a time of its own instead of the true one.
///
/// The default is a perfect clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// What it shows when the true time is zero; negative when it is behind.
    pub offset_s: f64,
    /// How much faster than true time it runs, in parts per million; a good quartz stays
    /// within 50, a bad one within 200.
    pub drift_ppm: f64,
}

impl Clock {
    /// What this clock shows at the true time `at`.
    #[must_use]
    pub fn local(&self, at: SimTime) -> SimTime {
        let ahead_us = self.offset_s * 1e6 + at.as_micros() as f64 * (self.drift_ppm * 1e-6);
        SimTime::from_micros(at.as_micros().saturating_add(libm::round(ahead_us) as i64))
    }

    /// The true time at which this clock shows `shown`, to a microsecond.
    #[must_use]
    pub fn true_time(&self, shown: SimTime) -> SimTime {
        let run_us = shown.as_micros() as f64 - self.offset_s * 1e6;
        SimTime::from_micros(libm::round(run_us / (1.0 + self.drift_ppm * 1e-6)) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drifting_clock_gains_what_it_says() {
        let clock = Clock { offset_s: -0.25, drift_ppm: 100.0 };
        assert_eq!(clock.local(SimTime::ZERO), SimTime::from_millis(-250));
        // 100 parts per million of an hour are 360 ms.
        assert_eq!(clock.local(SimTime::from_millis(3_600_000)), SimTime::from_millis(3_600_110));
    }

    #[test]
    fn true_time_is_found_again() {
        let clock = Clock { offset_s: 12.5, drift_ppm: -170.0 };
        for minutes in 0..100 {
            let at = SimTime::from_millis(minutes * 60_000);
            let off_s = clock.true_time(clock.local(at)).secs_since(at);
            assert!(off_s.abs() <= 2e-6, "off by {off_s} s after {minutes} minutes");
        }
    }
}
