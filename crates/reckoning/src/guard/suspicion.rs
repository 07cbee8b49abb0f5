//! Small offences that add up, and the pace of a client's time.

use core::time::Duration;

use crate::SimTime;

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

/// Suspicion of one silence that ended with all that was not said. Two within two seconds are
/// corrected, one a minute never is.
const BUNCHED: f64 = 0.7;

/// How a client's time passes beside the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pace {
    /// Stamp and arrival of the last accepted update.
    last: Option<(SimTime, SimTime)>,
    /// The silence before the burst that is coming in, already held against it.
    blamed_for: Option<SimTime>,
}

impl Pace {
    /// Whether stamps have crept ahead of the host's clock, rather than jumped.
    pub(super) fn crept_ahead(&self) -> bool {
        self.last.is_some_and(|(at, now)| at > now)
    }

    /// The weight of an update that was kept back: it arrives after a long silence although
    /// it was made early in it.
    pub(super) fn bunched(&mut self, at: SimTime, now: SimTime, limit: Duration) -> Option<f64> {
        let (last_at, last_now) = self.last?;
        let silent = now.saturating_since(last_now) > limit;
        let longer_s = now.secs_since(at) - last_now.secs_since(last_at);
        let kept_back = longer_s > limit.as_secs_f64() * 0.5;
        if !(silent && kept_back) || self.blamed_for == Some(last_now) {
            return None;
        }
        self.blamed_for = Some(last_now);
        Some(BUNCHED)
    }

    pub(super) const fn accepted(&mut self, at: SimTime, now: SimTime) {
        self.last = Some((at, now));
    }
}
