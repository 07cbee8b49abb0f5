//! Sender's clock: when the contents of a PDU were true, by ours.

use reckoning::SimTime;

use crate::wire::Timestamp;

/// A sender by whose timestamps its PDUs are older or newer than this has another clock.
const ABSOLUTE_SLACK_S: f64 = 5.0;
/// The least delay of this long, and of as long before, is what a relative clock is set by, so that
/// clocks may run apart.
const WINDOW_S: f64 = 20.0;
/// A relative clock that is off by more than this was set anew.
const JUMP_S: f64 = 2.0;

/// The clock of one application.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SenderClock {
    /// A moment of ours and the timestamp of it, from which others are counted.
    anchor: Option<(SimTime, Timestamp)>,
    /// Since when this window lasts, and the least of what PDUs came later than the anchor says.
    since: SimTime,
    least_s: f64,
    least_before_s: f64,
}

impl SenderClock {
    /// When a PDU of that stamp was true that came at `now`; `our_stamp` is what we would stamp now.
    /// Never later than `now`.
    pub(super) fn seen_at(&mut self, now: SimTime, stamp: Timestamp, ours: Timestamp) -> SimTime {
        if stamp.is_absolute() && ours.is_absolute() {
            let age_s = ours.secs_since(stamp);
            if age_s.abs() <= ABSOLUTE_SLACK_S {
                return before(now, age_s.max(0.0));
            }
        }
        self.by_least_delay(now, stamp)
    }

    /// Of PDUs some come at once: whatever comes later than those was under way for longer.
    fn by_least_delay(&mut self, now: SimTime, stamp: Timestamp) -> SimTime {
        let late_s = self.anchor.map(|(at, anchor)| now.secs_since(at) - stamp.secs_since(anchor));
        let Some(late_s) = late_s.filter(|it| (it - self.floor_s()).abs() < JUMP_S) else {
            (self.anchor, self.since) = (Some((now, stamp)), now);
            (self.least_s, self.least_before_s) = (0.0, 0.0);
            return now;
        };
        if now.secs_since(self.since) > WINDOW_S {
            (self.since, self.least_before_s, self.least_s) = (now, self.least_s, late_s);
        }
        self.least_s = self.least_s.min(late_s);
        before(now, late_s - self.floor_s())
    }

    fn floor_s(&self) -> f64 {
        self.least_s.min(self.least_before_s)
    }
}

fn before(now: SimTime, secs: f64) -> SimTime {
    SimTime::from_micros(now.as_micros().saturating_sub(SimTime::from_secs_f64(secs).as_micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: f64) -> SimTime {
        SimTime::from_secs_f64(secs)
    }

    fn off_s(seen: SimTime, expected: f64) -> f64 {
        (seen.as_secs_f64() - expected).abs()
    }

    #[test]
    fn absolute_stamps_are_believed_within_seconds() {
        let mut clock = SenderClock::default();
        let ours = Timestamp::new(1_000.0, true);
        let seen = clock.seen_at(secs(50.0), Timestamp::new(999.9, true), ours);
        assert!(off_s(seen, 49.9) < 1e-5);
        let from_the_future = clock.seen_at(secs(50.0), Timestamp::new(1_000.1, true), ours);
        assert!(off_s(from_the_future, 50.0) < 1e-5);
        let far_off = clock.seen_at(secs(50.0), Timestamp::new(500.0, true), ours);
        assert!(off_s(far_off, 50.0) < 1e-5, "taken for a relative one");
    }

    #[test]
    fn relative_stamps_count_from_what_came_soonest() {
        let mut clock = SenderClock::default();
        let ours = Timestamp::new(0.0, false);
        let delays = [0.05, 0.02, 0.08, 0.02, 0.3];
        for (number, delay) in delays.into_iter().enumerate() {
            let true_at = 10.0 + number as f64;
            let stamp = Timestamp::new(3_598.0 + number as f64, false); // past the hour
            let seen = clock.seen_at(secs(true_at + delay), stamp, ours);
            let expected = if number == 0 { true_at + delay } else { true_at + 0.02 };
            assert!(off_s(seen, expected) < 1e-5, "{number}: {seen:?}");
        }
    }

    #[test]
    fn a_clock_that_is_set_or_stands_still_is_followed() {
        let mut clock = SenderClock::default();
        let ours = Timestamp::new(0.0, true);
        for (at, stamp) in [(1.0, 100.0), (2.0, 101.0), (3.0, 7.0), (4.0, 8.0)] {
            let seen = clock.seen_at(secs(at), Timestamp::new(stamp, false), ours);
            assert!(off_s(seen, at) < 1e-5, "{at}");
        }
        for at in 5..60 {
            let seen = clock.seen_at(secs(f64::from(at)), Timestamp(0), ours);
            assert!(off_s(seen, f64::from(at)) < 2.0 + 1e-5, "{at}");
        }
    }
}
