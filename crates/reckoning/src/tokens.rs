//! A leaky allowance: so many at once, so many a second.

use crate::SimTime;

/// An allowance that refills with time; time that goes back refills nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tokens {
    left: f64,
    at: SimTime,
}

impl Tokens {
    pub(crate) const fn full(most: f64, now: SimTime) -> Self {
        Self { left: most, at: now }
    }

    /// Takes one if there is one.
    pub(crate) fn take(&mut self, per_s: f64, most: f64, now: SimTime) -> bool {
        let passed_s = now.secs_since(self.at).max(0.0);
        self.at = self.at.max(now);
        self.left = (self.left + passed_s * per_s).min(most);
        let there = self.left >= 1.0;
        if there {
            self.left -= 1.0;
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_refills_with_time_up_to_its_most() {
        let mut tokens = Tokens::full(2.0, SimTime::ZERO);
        let mut taken = |ms| tokens.take(10.0, 2.0, SimTime::from_millis(ms));
        assert!(taken(0) && taken(0) && !taken(0));
        assert!(taken(100) && !taken(100));
        assert!(!taken(0), "going back in time refills nothing");
        assert!(taken(60_000) && taken(60_000) && !taken(60_000));
    }
}
