//! Delays added up hop by hop, for sessions without a common clock.
//!
//! THESIS 4.5.1: each peer that receives an update estimates the delay of its last hop and
//! projects the update over that. A relay does the same, so that a timestamp only has to mean
//! something to the peer that wrote it.

use alloc::vec::Vec;
use core::time::Duration;

use super::estimate::median;
use crate::time::span_of;
use crate::{Kinematics, SimTime, Update};

/// Enough round trips for a median that one spike does not move.
const HELD: usize = 15;

/// Age of an update that came over one or more hops, estimated without a common clock.
///
/// ```
/// use core::time::Duration;
/// use reckoning::{DVec3, Kinematics, Model, SimTime, Update, UpdateKind};
/// use reckoning::clock::RelayDelay;
///
/// let seen = Kinematics::moving(SimTime::from_millis(987_654), DVec3::ZERO, DVec3::X * 10.0);
/// let update = Update::new(seen, Model::Linear, UpdateKind::Partial)?;
/// // 40 ms to the server, which passed it on at once, and 60 ms from there.
/// let age = RelayDelay::NONE.then(Duration::from_millis(40)).then(Duration::from_millis(60));
/// let now = SimTime::from_millis(500);
/// assert_eq!(age.localise(&update, now).position_at(now), DVec3::X); // x + v (d1 + d2)
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayDelay {
    age: Duration,
}

impl RelayDelay {
    /// Just made, here.
    pub const NONE: Self = Self { age: Duration::ZERO };

    /// As old as a relay reported.
    #[must_use]
    pub const fn aged(age: Duration) -> Self {
        Self { age }
    }

    /// After one more hop, or after a time in a queue.
    #[must_use]
    pub const fn then(self, span: Duration) -> Self {
        Self { age: self.age.saturating_add(span) }
    }

    /// The sum of all hops.
    #[must_use]
    pub const fn age(&self) -> Duration {
        self.age
    }

    /// The same update, timestamped by the clock of the peer it reached at `arrived`. A
    /// [`Ghost`](crate::Ghost) then projects over all hops by itself.
    #[must_use]
    pub fn localise(&self, update: &Update, arrived: SimTime) -> Update {
        let seen = Kinematics { at: arrived - self.age, ..*update.kinematics() };
        Update::from_checked(seen, *update.model(), update.kind())
            .with_teleports(update.teleports())
    }
}

/// Estimate of the one-way delay from round trips timed by one clock: half their median.
#[derive(Clone, Debug, Default)]
pub struct OneWay {
    round_trips_s: Vec<f64>,
    next: usize,
}

impl OneWay {
    /// Nothing measured yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { round_trips_s: Vec::new(), next: 0 }
    }

    /// Takes in a round trip, without the time the peer held the answer.
    pub fn observe(&mut self, round_trip: Duration) {
        let round_trip_s = round_trip.as_secs_f64();
        if self.round_trips_s.len() < HELD {
            self.round_trips_s.push(round_trip_s);
        } else {
            self.round_trips_s[self.next] = round_trip_s;
        }
        self.next = (self.next + 1) % HELD;
    }

    /// Half the median of the last fifteen; `None` before the first.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        let mut sorted = self.round_trips_s.clone();
        sorted.sort_by(f64::total_cmp);
        median(&sorted).map(|round_trip_s| span_of(round_trip_s * 0.5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_does_not_move_the_usual_delay() {
        let mut way = OneWay::new();
        assert_eq!(way.delay(), None);
        for n in 0..40 {
            way.observe(Duration::from_millis(if n % 5 == 0 { 900 } else { 80 }));
        }
        assert_eq!(way.delay(), Some(Duration::from_millis(40)));
    }
}
