//! Small offences that add up, the pace of a client's time, and the time it banks.

use core::time::Duration;

use crate::SimTime;
use crate::time::span_of;

/// A sum that leaks away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Suspicion {
    level: f64,
    at: SimTime,
}

impl Suspicion {
    pub(super) const fn none(now: SimTime) -> Self {
        Self { level: 0.0, at: now }
    }

    pub(super) fn at(&self, now: SimTime, leak_per_s: f64) -> f64 {
        (self.level - now.secs_since(self.at).max(0.0) * leak_per_s).max(0.0)
    }

    pub(super) fn add(&mut self, weight: f64, now: SimTime, leak_per_s: f64) {
        self.level = (self.at(now, leak_per_s) + weight).min(f64::MAX);
        self.at = self.at.max(now);
    }
}

/// Suspicion of one silence that ended with a burst of held-back updates. Two within two
/// seconds are corrected, one a minute never is.
const BUNCHED: f64 = 0.7;

/// A burst comes in within this; jitter shuffles it.
const BURST_S: f64 = 0.15;

/// How a client's time passes beside the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pace {
    /// Stamp and arrival of the last accepted update.
    accepted: Option<(SimTime, SimTime)>,
    /// How old the last update before the burst was, and when anything last arrived.
    usual: Option<(f64, SimTime)>,
    /// When the burst after a silence began, until it is held against the client.
    burst: Option<SimTime>,
}

impl Pace {
    /// Whether stamps have crept ahead of the host's clock, rather than jumped.
    pub(super) fn crept_ahead(&self) -> bool {
        self.accepted.is_some_and(|(at, now)| at > now)
    }

    /// Notes an arrival, also of what is dropped later. The weight, once for each burst, if
    /// it was kept back: it ends a long silence although it was made early in it.
    pub(super) fn arrived(&mut self, at: SimTime, now: SimTime, limit: Duration) -> Option<f64> {
        let age_s = now.secs_since(at);
        let Some((usual_s, last)) = self.usual else {
            self.usual = Some((age_s, now));
            return None;
        };
        if now.saturating_since(last) > limit {
            self.burst = Some(now);
        }
        let in_burst = self.burst.is_some_and(|began| now.secs_since(began) <= BURST_S);
        let kept_back = in_burst && age_s - usual_s > limit.as_secs_f64() * 0.5;
        if kept_back {
            self.burst = None;
        }
        // What a burst brings is old and says nothing about what is usual.
        let usual_s = if in_burst { usual_s } else { age_s };
        self.usual = Some((usual_s, last.max(now)));
        kept_back.then_some(BUNCHED)
    }

    pub(super) const fn accepted(&mut self, at: SimTime, now: SimTime) {
        self.accepted = Some((at, now));
    }
}

/// Seconds of catching up that are forgotten in a second.
const BANK_LEAK: f64 = 0.2;

/// Leaky bucket over the lag of stamps behind the host's clock.
///
/// Stamps that fall behind bank time, and catch up by claiming more of it than passes. One spike of
/// a network looks the same, so the bucket forgives that; whoever does it again and again is judged
/// by the host's time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TimeBank {
    /// The longest lag since stamps last caught up, in seconds, and when anything last arrived.
    lag: Option<(f64, SimTime)>,
    /// Seconds caught up lately.
    spent_s: f64,
}

impl TimeBank {
    /// Notes the stamp of an update that arrived `now`; catching up by less than `jitter` is none.
    /// The moment up to which the update's distance is judged: its stamp, or earlier by what was
    /// caught up beyond `most`.
    pub(super) fn credited(
        &mut self,
        at: SimTime,
        now: SimTime,
        jitter: Duration,
        most: Duration,
    ) -> SimTime {
        let lag_s = now.secs_since(at);
        let Some((longest_s, last)) = self.lag.replace((lag_s, now)) else { return at };
        self.spent_s = (self.spent_s - now.secs_since(last).max(0.0) * BANK_LEAK).max(0.0);
        if longest_s - lag_s > jitter.as_secs_f64() {
            self.spent_s += longest_s - lag_s;
        } else {
            self.lag = Some((longest_s.max(lag_s), now.max(last)));
        }
        at - span_of((self.spent_s - most.as_secs_f64()).max(0.0))
    }

    /// What was caught up has been paid for.
    pub(super) const fn settle(&mut self) {
        self.spent_s = 0.0;
    }
}
