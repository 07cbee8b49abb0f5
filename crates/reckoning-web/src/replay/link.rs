//! The simulated link of a replay.

use std::collections::VecDeque;

use reckoning::SimTime;
use reckoning::random::SplitMix64;
use reckoning_arena::protocol::LinkChoice;

/// Delays, reorders and loses what is sent, by a seed.
#[derive(Clone, Debug)]
pub(crate) struct ReplayLink<T> {
    flights: VecDeque<(SimTime, T)>,
    random: SplitMix64,
    is_losing: bool,
}

impl<T> Default for ReplayLink<T> {
    fn default() -> Self {
        Self { flights: VecDeque::new(), random: SplitMix64::new(1), is_losing: false }
    }
}

impl<T> ReplayLink<T> {
    /// Puts something on its way, unless the link loses it; returns whether it is on its way.
    pub(crate) fn send(&mut self, now: SimTime, link: LinkChoice, sent: T) -> bool {
        if self.loses(link) {
            return false;
        }
        let jitter_ms = f64::from(link.jitter_ms) * self.random.bell();
        let delay_ms = (f64::from(link.delay_ms) + jitter_ms).max(0.0);
        let due = SimTime::from_micros(now.as_micros() + (delay_ms * 1e3) as i64);
        let place = self.flights.partition_point(|it| it.0 <= due);
        self.flights.insert(place, (due, sent));
        true
    }

    /// The next that arrives until `now`.
    pub(crate) fn arrive(&mut self, now: SimTime) -> Option<T> {
        self.flights.front().filter(|it| it.0 <= now)?;
        self.flights.pop_front().map(|it| it.1)
    }

    /// Losses in runs of the wanted mean length, at the wanted share.
    pub(crate) fn loses(&mut self, link: LinkChoice) -> bool {
        let share = f64::from(link.loss_percent) / 100.0;
        let ends = 1.0 / f64::from(link.burst.max(1));
        let begins = (share * ends / (1.0 - share).max(1e-3)).min(1.0);
        self.is_losing = self.random.chance(if self.is_losing { 1.0 - ends } else { begins });
        self.is_losing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_come_at_the_share_and_in_the_runs_asked_for() {
        let mut link = ReplayLink::<()>::default();
        for (loss_percent, burst) in [(10, 1), (20, 5)] {
            let choice = LinkChoice { loss_percent, burst, ..LinkChoice::NONE };
            let fates: Vec<bool> = (0..40_000).map(|_| link.loses(choice)).collect();
            let lost = fates.iter().filter(|it| **it).count() as f64;
            let runs = fates.windows(2).filter(|it| !it[0] && it[1]).count() as f64;
            assert!((lost / 400.0 - f64::from(loss_percent)).abs() < 1.5, "{lost}");
            let mean = if burst == 1 { 1.0 } else { 5.0 };
            assert!((lost / runs - mean).abs() < 0.4, "{}", lost / runs);
        }
    }
}
