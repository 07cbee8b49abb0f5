//! Tallies of what was shown: how far off, how rough and how much too fast.

use std::time::Duration;

use reckoning::{DVec3, SimTime};

/// Least span over which speeds and accelerations are differenced: two frames and a half, which is
/// no multiple of the time between snapshots at any usual rate.
const DIFFERENCE: Duration = Duration::from_millis(40);

/// Counts of positive numbers by their logarithm, for quantiles of millions of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogHistogram {
    counts: Vec<u32>,
    n: u64,
}

/// From a ten-thousandth to ten thousand, a hundredth apart.
const BINS_PER_E: f64 = 100.0;
const LEAST: f64 = 1e-4;
const BINS: usize = 1_843;

impl Default for LogHistogram {
    fn default() -> Self {
        Self { counts: vec![0; BINS], n: 0 }
    }
}

impl LogHistogram {
    pub(crate) fn add(&mut self, value: f64) {
        let bin = if value > LEAST { libm::log(value / LEAST) * BINS_PER_E } else { 0.0 };
        self.counts[(bin as usize).min(BINS - 1)] += 1;
        self.n += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, more)| *own += more);
        self.n += other.n;
    }

    /// What this share of the numbers stays below, to half a hundredth.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut left = (self.n as f64 * share) as u64;
        for (bin, &count) in self.counts.iter().enumerate() {
            if u64::from(count) > left {
                let middle = (bin as f64 + 0.5) / BINS_PER_E;
                return if bin == 0 { 0.0 } else { LEAST * libm::exp(middle) };
            }
            left -= u64::from(count);
        }
        0.0
    }
}

/// A picture of one body at one sample, and the truth of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    pub(crate) at: SimTime,
    pub(crate) shown: DVec3,
    pub(crate) truth: DVec3,
}

/// What was shown of some bodies, in body widths and seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ShownTally {
    errors: LogHistogram,
    error_sum: f64,
    error_n: u64,
    acceleration_squares: f64,
    acceleration_n: u64,
    extra_speeds: LogHistogram,
}

impl ShownTally {
    /// Adds what was seen of one life of a body, in order of time.
    pub(crate) fn add_life(&mut self, looks: &[Look], width: f64) {
        for look in looks {
            let error = look.shown.distance(look.truth) / width;
            self.errors.add(error);
            self.error_sum += error;
            self.error_n += 1;
        }
        self.add_differences(looks, width);
    }

    fn add_differences(&mut self, looks: &[Look], width: f64) {
        let [first, second, .., last] = looks else { return };
        // Sources of few samples a second say nothing of what is between them.
        let usual = last.at.saturating_since(first.at) / (looks.len() as u32 - 1);
        let step = DIFFERENCE.max(usual).max(second.at.saturating_since(first.at) / 2);
        let step_s = step.as_secs_f64();
        let (mut one, mut two) = (PastLook::new(looks), PastLook::new(looks));
        for look in looks {
            let Some(before) = one.at(look.at - step) else { continue };
            let speed = |way: DVec3| way.length() / (step_s * width);
            let shown = speed(look.shown - before.shown);
            self.extra_speeds.add(shown - speed(look.truth - before.truth));
            let Some(earlier) = two.at(look.at - step - step) else { continue };
            let off = |look: &Look| look.shown - look.truth;
            // The second difference of the error is that of the picture less that of the truth.
            let bend = off(look) - off(&before) * 2.0 + off(&earlier);
            self.acceleration_squares += (bend / (step_s * step_s * width)).length_squared();
            self.acceleration_n += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.errors.merge(&other.errors);
        self.extra_speeds.merge(&other.extra_speeds);
        self.error_sum += other.error_sum;
        self.error_n += other.error_n;
        self.acceleration_squares += other.acceleration_squares;
        self.acceleration_n += other.acceleration_n;
    }

    /// The sum of all errors, and of how many pictures.
    pub(crate) const fn error_sum(&self) -> (f64, f64) {
        (self.error_sum, self.error_n as f64)
    }

    pub(crate) fn mean_error(&self) -> f64 {
        self.error_sum / self.error_n.max(1) as f64
    }

    pub(crate) fn p95_error(&self) -> f64 {
        self.errors.quantile(0.95)
    }

    /// Root of the mean square.
    pub(crate) fn acceleration_error(&self) -> f64 {
        libm::sqrt(self.acceleration_squares / self.acceleration_n.max(1) as f64)
    }

    /// What 95 of 100 pictures stay below.
    pub(crate) fn extra_speed(&self) -> f64 {
        self.extra_speeds.quantile(0.95)
    }
}

/// Looks back into a list of looks, at moments that only go forward.
struct PastLook<'a> {
    looks: &'a [Look],
    next: usize,
}

impl<'a> PastLook<'a> {
    const fn new(looks: &'a [Look]) -> Self {
        Self { looks, next: 0 }
    }

    fn at(&mut self, at: SimTime) -> Option<Look> {
        while self.looks.get(self.next).is_some_and(|look| look.at < at) {
            self.next += 1;
        }
        let after = self.looks.get(self.next)?;
        if after.at == at {
            return Some(*after);
        }
        let before = &self.looks[self.next.checked_sub(1)?];
        let share = at.secs_since(before.at) / after.at.secs_since(before.at);
        let shown = before.shown.lerp(after.shown, share);
        Some(Look { at, shown, truth: before.truth.lerp(after.truth, share) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(shown: impl Fn(f64) -> f64, truth: impl Fn(f64) -> f64) -> Vec<Look> {
        let look = |n: i64| {
            let at = SimTime::from_millis(20 * n);
            let t = at.as_secs_f64();
            Look { at, shown: DVec3::X * shown(t), truth: DVec3::X * truth(t) }
        };
        (0..200).map(look).collect()
    }

    #[test]
    fn quantiles_are_right_to_a_hundredth() {
        let mut histogram = LogHistogram::default();
        (1..=1_000).for_each(|n| histogram.add(f64::from(n)));
        assert!((histogram.quantile(0.95) / 950.0 - 1.0).abs() < 0.01);
        histogram.add(-5.0);
        assert!(histogram.quantile(0.0) == 0.0);
    }

    #[test]
    fn an_offset_is_an_error_but_neither_rough_nor_fast() {
        let mut tally = ShownTally::default();
        tally.add_life(&looks(|t| 3.0 * t + 1.0, |t| 3.0 * t), 0.5);
        assert!((tally.mean_error() - 2.0).abs() < 1e-9);
        assert!((tally.p95_error() - 2.0).abs() < 0.02);
        assert!(tally.acceleration_error() < 1e-6, "{}", tally.acceleration_error());
        assert!(tally.extra_speed() < 1e-6);
    }

    #[test]
    fn a_bend_is_its_acceleration_in_widths_and_a_faster_picture_is_faster() {
        let mut tally = ShownTally::default();
        tally.add_life(&looks(|t| 4.0 * t * t, |_| 0.0), 2.0);
        assert!((tally.acceleration_error() - 4.0).abs() < 1e-6);
        let mut tally = ShownTally::default();
        tally.add_life(&looks(|t| 5.0 * t, |t| 3.0 * t), 1.0);
        assert!((tally.extra_speed() / 2.0 - 1.0).abs() < 0.01);
    }
}
