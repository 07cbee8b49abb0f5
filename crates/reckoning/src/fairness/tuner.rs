//! Tuner of the threshold: lowered until a policy costs what it may.
//!
//! A budget sends each update to a part of the listeners only. With the threshold of the base
//! case it costs that part of the bytes, and everyone sees larger errors. THESIS (3.4.1.1) lowers
//! the threshold until there are so many more triggers that the cost is that of the base case
//! again, `n t = n1 t1`, and leaves open how to find that threshold. Here it is found at work: the
//! owner counts what the base case would have sent (`n t`) and what the policy sent (`n1 t1`), and
//! the tuner moves the threshold by their ratio.

use crate::error::SettingError;
use crate::math::sqrt;

/// Updates of the base case between two adjustments: few enough to follow a body that turns to
/// dodging, enough that one trigger more or less does not matter.
const WINDOW: f64 = 32.0;

/// The threshold changes by this factor at most at once.
const MAX_STEP: f64 = 1.5;

/// The lowest scale: triggers of a body that goes straight on do not depend on the threshold, and
/// it must not flood everyone when it turns at last.
const MIN_SCALE: f64 = 1.0 / 16.0;

/// Finds the part of a threshold at which a policy costs what it may.
///
/// ```
/// use reckoning::fairness::ThresholdTuner;
///
/// let mut tuner = ThresholdTuner::new(1.0)?; // as much as everything to everyone
/// for _ in 0..200 {
///     // A third of the listeners is served at each trigger, and there are as many triggers more
///     // as the threshold is lower.
///     tuner.observe(3.0, 1.0 / tuner.scale());
/// }
/// assert!((tuner.scale() - 1.0 / 3.0).abs() < 0.01);
/// # Ok::<(), reckoning::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThresholdTuner {
    cost: f64,
    scale: f64,
    floor: f64,
    /// Updates of the base case and of the policy since the last adjustment.
    base: f64,
    spent: f64,
}

impl ThresholdTuner {
    /// The policy may cost this share of what everything to everyone would cost at the whole
    /// threshold, 0.01 to 10.
    ///
    /// # Errors
    /// Refuses other shares.
    pub fn new(cost: f64) -> Result<Self, SettingError> {
        Self::validate(cost)?;
        Ok(Self { cost, scale: 1.0, floor: MIN_SCALE, base: 0.0, spent: 0.0 })
    }

    /// Whether that may be the share of [`new`](Self::new).
    ///
    /// # Errors
    /// Refuses the others.
    pub fn validate(cost: f64) -> Result<(), SettingError> {
        SettingError::in_range("fairness cost", cost, 0.01, 10.0).map(|_| ())
    }

    /// The threshold times this is the one to export by: never more than 1, because nobody is
    /// promised less, and at least a sixteenth.
    #[must_use]
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// The scale never falls below this either, such as where rounding alone would trigger.
    pub fn keep_above(&mut self, floor: f64) {
        self.floor = floor.clamp(MIN_SCALE, 1.0);
        self.scale = self.scale.max(self.floor);
    }

    /// The base case would have sent `base` updates, and the policy sent `spent`.
    pub fn observe(&mut self, base: f64, spent: f64) {
        self.base += base.max(0.0);
        self.spent += spent.max(0.0);
        let allowed = self.cost * self.base;
        // Whoever overspends is stopped without waiting for the base case to trigger.
        if self.base < WINDOW && self.spent < 2.0 * self.cost * WINDOW {
            return;
        }
        let ratio = (self.spent.max(1.0) / allowed.max(1.0)).clamp(1e-3, 1e3);
        // Triggers come with one over the root of the threshold on curves and with one over it on
        // wild courses; the root of what the ratio asks for settles on both.
        let step = sqrt(ratio).clamp(1.0 / MAX_STEP, MAX_STEP);
        self.scale = (self.scale * step).clamp(self.floor, 1.0);
        (self.base, self.spent) = (0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The updates that both cost over 10,000 triggers of the base case, after 1,000 to settle.
    fn costs(cost: f64, share: f64, triggers: impl Fn(f64) -> f64) -> (f64, f64, f64) {
        let mut tuner = ThresholdTuner::new(cost).unwrap();
        let (mut base, mut spent) = (0.0, 0.0);
        for round in 0..11_000 {
            let sent = share * 8.0 * triggers(tuner.scale());
            tuner.observe(8.0, sent);
            if round >= 1_000 {
                (base, spent) = (base + 8.0, spent + sent);
            }
        }
        (base, spent, tuner.scale())
    }

    #[test]
    fn a_budget_costs_what_it_may_whatever_the_course() {
        for (cost, share) in [(1.0, 1.0 / 3.0), (1.0, 0.5), (0.6, 0.3)] {
            for triggers in [|scale: f64| 1.0 / scale, |scale: f64| 1.0 / sqrt(scale)] {
                let (base, spent, scale) = costs(cost, share, triggers);
                let off = spent / (cost * base) - 1.0;
                assert!(off.abs() < 0.01, "{cost} {share}: off by {off}, scale {scale}");
            }
        }
    }

    #[test]
    fn the_threshold_is_never_raised_and_never_vanishes() {
        let (_, _, scale) = costs(0.1, 1.0, |scale| 1.0 / scale);
        assert_eq!(scale, 1.0);
        let (_, _, scale) = costs(1.0, 0.1, |_| 1.0);
        assert_eq!(scale, MIN_SCALE);
        let mut tuner = ThresholdTuner::new(1.0).unwrap();
        tuner.keep_above(0.5);
        tuner.observe(1e9, 0.0);
        tuner.observe(1e9, 0.0);
        tuner.observe(f64::NAN, f64::NAN);
        assert_eq!(tuner.scale(), 0.5);
    }

    #[test]
    fn a_cost_out_of_range_is_refused() {
        for cost in [0.0, -1.0, 11.0, f64::NAN, f64::INFINITY] {
            assert!(ThresholdTuner::new(cost).is_err(), "{cost}");
        }
    }
}
