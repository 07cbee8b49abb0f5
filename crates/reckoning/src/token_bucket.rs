//! Token bucket: so many at once, so many a second.

use crate::SimTime;

/// An allowance that refills at a steady rate up to a burst; time that goes back refills
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenBucket {
    level: f64,
    filled_at: SimTime,
    per_s: f64,
    burst: f64,
}

impl TokenBucket {
    /// A bucket that is full at `now`.
    #[must_use]
    pub const fn new(now: SimTime, per_s: f64, burst: f64) -> Self {
        Self { level: burst, filled_at: now, per_s, burst }
    }

    /// What may be taken at `now`; negative while a debt is paid back.
    pub fn level(&mut self, now: SimTime) -> f64 {
        let gained = now.secs_since(self.filled_at).max(0.0) * self.per_s;
        self.level = (self.level + gained).min(self.burst);
        self.filled_at = self.filled_at.max(now);
        self.level
    }

    /// Takes `cost` if that much is there.
    pub fn try_take(&mut self, now: SimTime, cost: f64) -> bool {
        let there = self.level(now) >= cost;
        if there {
            self.level -= cost;
        }
        there
    }

    /// Takes `cost` whether it is there or not, as after the fact, but never deeper into
    /// debt than one burst.
    pub fn take(&mut self, cost: f64) {
        self.level = (self.level - cost).max(-self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_refills_with_time_up_to_its_burst() {
        let mut bucket = TokenBucket::new(SimTime::ZERO, 10.0, 2.0);
        let mut taken = |ms| bucket.try_take(SimTime::from_millis(ms), 1.0);
        assert!(taken(0) && taken(0) && !taken(0));
        assert!(taken(100) && !taken(100));
        assert!(!taken(0), "going back in time refills nothing");
        assert!(taken(60_000) && taken(60_000) && !taken(60_000));
    }

    #[test]
    fn a_debt_is_paid_back_and_has_an_end() {
        let mut bucket = TokenBucket::new(SimTime::ZERO, 10.0, 2.0);
        bucket.take(1e9);
        assert_eq!(bucket.level(SimTime::ZERO), -2.0);
        assert_eq!(bucket.level(SimTime::from_millis(100)), -1.0);
    }
}
