//! One measure under two conditions, subject by subject.

use std::fmt;

use crate::stats::{Paired, paired_t, signed_rank};

/// What counts as found. Both tests must agree.
const ALPHA: f64 = 0.05;

/// Ours beside theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contrast {
    pub(super) ours: f64,
    pub(super) theirs: f64,
    pub(super) t: Paired,
    pub(super) ranks: Paired,
}

impl Contrast {
    pub(super) fn new(ours: &[f64], theirs: &[f64]) -> Self {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (t, ranks) = (paired_t(ours, theirs), signed_rank(ours, theirs));
        Self { ours: mean(ours), theirs: mean(theirs), t, ranks }
    }

    fn is_found(&self) -> bool {
        self.p() < ALPHA
    }

    pub(super) fn is_lower(&self) -> bool {
        self.is_found() && self.t.difference < 0.0
    }

    pub(super) fn is_higher(&self) -> bool {
        self.is_found() && self.t.difference > 0.0
    }

    /// The greater p-value of the two tests: what a difference that both must find rests on.
    pub(super) fn p(&self) -> f64 {
        self.t.p.max(self.ranks.p)
    }

    /// Ours as a multiple of theirs.
    pub(super) fn ratio(&self) -> f64 {
        if self.ours == self.theirs { 1.0 } else { self.ours / self.theirs }
    }
}

impl fmt::Display for Contrast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} against {:.3} (p {})", self.ours, self.theirs, p_text(self.t.p))
    }
}

/// A p-value with the digits that mean something.
pub(super) fn p_text(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_difference_is_found_in_its_direction() {
        let low: Vec<f64> = (0..12).map(|n| 1.0 + 0.01 * f64::from(n * n % 7)).collect();
        let high: Vec<f64> = low.iter().map(|x| x + 0.5 + 0.1 * x).collect();
        assert!(Contrast::new(&low, &high).is_lower());
        assert!(!Contrast::new(&low, &high).is_higher());
        assert!(Contrast::new(&high, &low).is_higher());
        assert!(Contrast::new(&high, &low).ratio() > 1.1);
    }

    #[test]
    fn no_difference_is_not_found() {
        let same = [1.0, 2.0, 3.0, 4.0];
        let found = Contrast::new(&same, &same);
        assert!(!found.is_lower() && !found.is_higher() && found.ratio() == 1.0);
    }
}
