//! Budget of a trigger: how many updates it may cost, and their shares.

use alloc::vec::Vec;

use crate::error::FairnessError;

/// How far from one the sum of [`Weights`] may be: thirds do not add up exactly.
const SUM_TOLERANCE: f64 = 1e-9;

/// How many updates are sent per trigger, on average: to each listener, or to all together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    updates: f64,
    among: Among,
}

/// Whom the updates of a budget are for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Among {
    Each,
    All,
}

impl Budget {
    /// One update per trigger, for all listeners together.
    pub const ONE: Self = Self { updates: 1.0, among: Among::All };

    /// Every listener is served at one trigger in three, on average.
    pub const THIRD: Self = Self { updates: 1.0 / 3.0, among: Among::Each };

    /// This share of the triggers for each listener, on average, however many there are: the
    /// budget grows with them. More than one is never spent.
    ///
    /// # Errors
    /// Refuses zero, negative and non-finite numbers.
    pub fn per_listener(updates: f64) -> Result<Self, FairnessError> {
        Self::new(updates, Among::Each)
    }

    /// This many updates per trigger for all listeners together, as THESIS has it; it need not be
    /// whole. More than one per listener is never spent. With more listeners each gets less.
    ///
    /// # Errors
    /// As [`per_listener`](Self::per_listener).
    pub fn per_trigger(updates: f64) -> Result<Self, FairnessError> {
        Self::new(updates, Among::All)
    }

    fn new(updates: f64, among: Among) -> Result<Self, FairnessError> {
        if updates > 0.0 && updates.is_finite() {
            Ok(Self { updates, among })
        } else {
            Err(FairnessError::BudgetNotPositive { got: updates })
        }
    }

    /// The budget that costs the same bytes after the threshold was lowered: each of
    /// `listeners` was sent `triggers` a minute (or an hour), now there are `lowered_triggers`
    /// in that time. Equation 3.5 of THESIS, for one that knows both;
    /// [`ThresholdTuner`](super::ThresholdTuner) finds the threshold to a given budget.
    ///
    /// # Errors
    /// As [`per_listener`](Self::per_listener).
    pub fn matching(
        listeners: u32,
        triggers: f64,
        lowered_triggers: f64,
    ) -> Result<Self, FairnessError> {
        Self::per_trigger(f64::from(listeners) * triggers / lowered_triggers)
    }

    /// What it allows per trigger with this many listeners.
    #[must_use]
    pub fn updates_for(&self, listeners: usize) -> f64 {
        let listeners = listeners as f64;
        let updates = match self.among {
            Among::Each => self.updates * listeners,
            Among::All => self.updates,
        };
        updates.min(listeners)
    }

    /// This budget, changed by a share of it, but at least half of it.
    pub(super) fn raised_by(self, share: f64) -> Self {
        Self { updates: self.updates * (1.0 + share).max(0.5), ..self }
    }

    /// At which share of the triggers, from 0 to 1, each listener is served when their claims
    /// are these.
    ///
    /// Proportional to the claims, except that nobody can be served more than once per
    /// trigger: what that leaves over goes to the others in equal parts (step 3 in 3.4.1.3 of
    /// THESIS), as often as it takes. The sum is the budget, or the number of listeners if the
    /// budget is larger. Claims count as zero unless they are positive numbers; if there are
    /// none, all are equal.
    #[must_use]
    pub fn frequencies(&self, claims: &[f64]) -> Vec<f64> {
        let budget = self.updates_for(claims.len());
        let shares = shares(claims.iter().copied());
        let mut frequencies: Vec<f64> = shares.iter().map(|share| share * budget).collect();
        // Each round brings at least one more to 1, which it never leaves.
        for _ in 0..claims.len() {
            let surplus: f64 = frequencies.iter().map(|f| (f - 1.0).max(0.0)).sum();
            frequencies = frequencies.into_iter().map(|f| f.min(1.0)).collect();
            let open = frequencies.iter().filter(|f| **f < 1.0).count();
            if surplus == 0.0 || open == 0 {
                break;
            }
            let part = surplus / open as f64;
            for frequency in frequencies.iter_mut().filter(|f| **f < 1.0) {
                *frequency += part;
            }
        }
        // The last parts may have been rounded up.
        frequencies.into_iter().map(|f| f.min(1.0)).collect()
    }
}

/// Each value's part of their sum, where only positive numbers count. Equal parts when there
/// are none.
pub(super) fn shares(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let positive = |x: f64| if x > 0.0 { x.min(f64::MAX) } else { 0.0 };
    let values: Vec<f64> = values.map(positive).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    // Brought to at most one before they are added, so that nothing overflows.
    let part = |x: &f64| if largest > 0.0 { x / largest } else { 1.0 };
    let sum: f64 = values.iter().map(part).sum();
    values.iter().map(|x| part(x) / sum).collect()
}

/// What makes a listener deserve the next update: a mixture of three claims.
///
/// THESIS calls the shares alpha 1 to 3 and tries the first five mixtures below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    accumulated: f64,
    recent: f64,
    waiting: f64,
}

impl Default for Weights {
    /// What "deterministic" and "probabilistic" claim by wherever no weights are named.
    fn default() -> Self {
        Self::TEMPERED
    }
}

impl Weights {
    /// All by the error since the listener joined. Levels the most with
    /// [`Deterministic`](crate::fairness::Policy::Deterministic).
    pub const ACCUMULATED: Self = Self { accumulated: 1.0, recent: 0.0, waiting: 0.0 };
    /// All by the error since the last arrival it acknowledged.
    pub const RECENT: Self = Self { accumulated: 0.0, recent: 1.0, waiting: 0.0 };
    /// All by the time since it was last served.
    pub const WAITING: Self = Self { accumulated: 0.0, recent: 0.0, waiting: 1.0 };
    /// A third of each.
    pub const THIRDS: Self = Self { accumulated: 1.0 / 3.0, recent: 1.0 / 3.0, waiting: 1.0 / 3.0 };
    /// Half by all of the error, half by its latest part.
    pub const ERRORS: Self = Self { accumulated: 0.5, recent: 0.5, waiting: 0.0 };

    /// Three quarters by the error since the listener joined, one by the time since it was last
    /// served, so that the far ones do not take so much from the near ones that everyone is
    /// worse off on average. Not one of the document's five. The default.
    pub const TEMPERED: Self = Self { accumulated: 0.75, recent: 0.0, waiting: 0.25 };

    /// A mixture: how much the accumulated error counts, the error since the last arrival
    /// known, and the time since the last service. None negative, together one.
    ///
    /// # Errors
    /// Refuses everything else.
    pub fn new(accumulated: f64, recent: f64, waiting: f64) -> Result<Self, FairnessError> {
        let got = [accumulated, recent, waiting];
        let sum: f64 = got.iter().sum();
        if got.iter().all(|share| *share >= 0.0) && (sum - 1.0).abs() <= SUM_TOLERANCE {
            Ok(Self { accumulated, recent, waiting })
        } else {
            Err(FairnessError::SharesOutOfRange { got })
        }
    }

    /// What a listener may claim, given its parts of everyone's errors and waiting.
    pub(super) fn mix(&self, accumulated: f64, recent: f64, waiting: f64) -> f64 {
        self.accumulated * accumulated + self.recent * recent + self.waiting * waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saturated_listener_leaves_the_rest_to_the_others_in_equal_parts() {
        let budget = Budget::per_trigger(2.0).unwrap();
        let got = budget.frequencies(&[8.0, 2.0, 1.0, 1.0]);
        let want = [1.0, 4.0 / 9.0, 2.5 / 9.0, 2.5 / 9.0];
        assert!(got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-15), "{got:?}");
        assert_eq!(
            budget.frequencies(&[1.0, 0.0, 0.0, 0.0]),
            [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]
        );
        assert_eq!(budget.frequencies(&[3.0]), [1.0]);
        assert!(budget.frequencies(&[]).is_empty());
    }

    #[test]
    fn claims_beyond_all_numbers_do_no_harm() {
        let claims = [f64::INFINITY, f64::MAX, f64::NAN, -1.0];
        assert_eq!(Budget::ONE.frequencies(&claims), [0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn everyone_keeps_its_share_when_more_listen() {
        for listeners in [1, 3, 64, 1000] {
            let claims = alloc::vec![1.0; listeners];
            let frequencies = Budget::THIRD.frequencies(&claims);
            assert!(frequencies.iter().all(|f| (f - 1.0 / 3.0).abs() < 1e-12), "{frequencies:?}");
        }
        let whole = Budget::per_listener(7.0).unwrap();
        assert_eq!((whole.updates_for(3), Budget::ONE.updates_for(3)), (3.0, 1.0));
    }

    #[test]
    fn a_budget_keeps_the_bytes_when_the_threshold_is_lowered() {
        assert_eq!(Budget::matching(3, 100.0, 300.0), Ok(Budget::ONE));
        assert!(Budget::matching(3, 100.0, 0.0).is_err());
        for got in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(Budget::per_trigger(got), Err(FairnessError::BudgetNotPositive { got }));
            assert!(Budget::per_listener(got).is_err());
        }
    }

    #[test]
    fn weights_add_up_to_one() {
        assert_eq!(Weights::new(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), Ok(Weights::THIRDS));
        for got in [[0.5, 0.5, 0.5], [2.0, -1.0, 0.0], [0.0; 3], [0.0, 0.0, f64::INFINITY]] {
            let [a, b, c] = got;
            assert_eq!(Weights::new(a, b, c), Err(FairnessError::SharesOutOfRange { got }));
        }
        assert!(Weights::new(f64::NAN, 0.5, 0.5).is_err());
    }
}
