//! Running quantile of a stream of values.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What so many of a hundred values stay below, kept up to date as they come.
///
/// The values at or above it lie in one heap, smallest first, the rest in the other. Values
/// that are not negative sort as their bits do.
pub(crate) struct RunningQuantile {
    percent: usize,
    above: BinaryHeap<Reverse<u64>>,
    below: BinaryHeap<u64>,
}

impl RunningQuantile {
    pub(crate) const fn new(percent: usize) -> Self {
        Self { percent, above: BinaryHeap::new(), below: BinaryHeap::new() }
    }

    /// The most with one more value; negative ones count as zero, as does what is no number.
    pub(crate) fn most_with(&mut self, value: f64) -> f64 {
        let bits = if value > 0.0 { value.to_bits() } else { 0 };
        self.above.push(Reverse(bits));
        // The smallest of those above may belong below, and the new one may be it.
        self.below.extend(self.above.pop().map(|Reverse(bits)| bits));
        let count = self.above.len() + self.below.len();
        while self.below.len() > count * self.percent / 100 {
            self.above.extend(self.below.pop().map(Reverse));
        }
        self.most()
    }

    /// The most so far; zero before the first value.
    pub(crate) fn most(&self) -> f64 {
        self.above.peek().map_or(0.0, |&Reverse(bits)| f64::from_bits(bits))
    }
}

#[cfg(test)]
mod tests {
    use reckoning::random::SplitMix64;

    use super::*;

    #[test]
    fn it_is_what_sorting_all_values_so_far_would_give() {
        let mut random = SplitMix64::new(3);
        let (mut usual, mut all) = (RunningQuantile::new(95), Vec::new());
        for _ in 0..2_000 {
            let value = (random.next_u64() % 500) as f64 - 20.0;
            all.push(value.max(0.0));
            all.sort_by(f64::total_cmp);
            assert_eq!(usual.most_with(value), all[all.len() * 95 / 100], "{} values", all.len());
        }
    }

    #[test]
    fn nothing_is_usual_before_the_first_value() {
        assert_eq!(RunningQuantile::new(99).most(), 0.0);
        assert_eq!(RunningQuantile::new(99).most_with(f64::NAN), 0.0);
    }
}
