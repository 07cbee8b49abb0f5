//! Seeded random numbers, the same on every machine and in every version.
//!
//! Take a [`SplitMix64`] wherever a simulation must replay to the same bits.
//!
//! ```
//! use reckoning::random::SplitMix64;
//!
//! let mut random = SplitMix64::new(7);
//! let mut replay = random.clone();
//! assert_eq!(random.unit(), replay.unit());
//! ```
//!
//! A committed table must not change because a library improved its generator, so the few
//! lines are our own: `SplitMix64` (Steele, Lea and Flood 2014), integer arithmetic only,
//! which passes the usual batteries and starts well from any seed.

use core::f64::consts::TAU;

use crate::math::{cos, ln, sqrt};

/// A sequence of random numbers that depends on its seed alone.
///
/// It is a plain value without global state, and a clone draws the same numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence that belongs to `seed`. Every seed is as good as another.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A sequence of its own for one purpose, so that more draws for one purpose do not
    /// change those of another.
    #[must_use]
    pub const fn fork(&self, purpose: u64) -> Self {
        let mut seed = Self::new(self.state ^ purpose.wrapping_mul(0xd134_2543_de82_ef95));
        Self::new(seed.next_u64())
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `count`; 0 when `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.next_u64()) * count as u128;
        (product >> 64) as usize
    }

    /// True with probability `share`; the sequence moves on by one number either way.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A number from the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        sqrt(-2.0 * ln(radius)) * cos(TAU * angle)
    }

    /// A number from the Pareto distribution that starts at zero (Lomax), with mean 1.
    ///
    /// The smaller `shape`, which must be above 1, the heavier the tail.
    pub fn pareto(&mut self, shape: f64) -> f64 {
        (libm::pow(1.0 - self.unit(), -1.0 / shape) - 1.0) * (shape - 1.0)
    }

    /// Bell-shaped about 0 with a standard deviation of 1, never beyond 3.5: the sum of four
    /// even draws, for a hand that trembles.
    pub fn bell(&mut self) -> f64 {
        let sum = self.unit() + self.unit() + self.unit() + self.unit();
        (sum - 2.0) * 1.732_050_807_568_877_2
    }

    /// The index of one of `weights`, each as likely as it is heavy.
    ///
    /// Weights below zero count as zero. `None` when nothing weighs anything.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().map(|it| it.max(0.0)).sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.unit() * total;
        for (index, weight) in weights.iter().enumerate() {
            left -= weight.max(0.0);
            if left < 0.0 {
                return Some(index);
            }
        }
        weights.iter().rposition(|it| *it > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn mean(mut draw: impl FnMut(&mut SplitMix64) -> f64) -> f64 {
        let mut random = SplitMix64::new(1);
        (0..100_000).map(|_| draw(&mut random)).sum::<f64>() / 100_000.0
    }

    #[test]
    fn the_sequence_is_the_published_one() {
        // The reference implementation's first outputs for the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn distributions_have_the_moments_they_claim() {
        // Five standard errors of 100,000 draws.
        assert!((mean(SplitMix64::unit) - 0.5).abs() < 0.005);
        assert!(mean(SplitMix64::normal).abs() < 0.016);
        let square = |d: &mut SplitMix64| {
            let x = d.normal();
            x * x
        };
        assert!((mean(square) - 1.0).abs() < 0.023);
        assert!((mean(|d| d.pareto(4.0)) - 1.0).abs() < 0.03);
    }

    #[test]
    fn draws_stay_in_their_ranges_and_fill_them() {
        let mut random = SplitMix64::new(7);
        let mut seen = [0; 6];
        for _ in 0..6_000 {
            seen[random.below(6)] += 1;
            assert!((2.0..3.0).contains(&random.between(2.0, 3.0)));
            assert!(random.bell().abs() <= 3.5);
        }
        assert!(seen.iter().all(|it| (850..1150).contains(it)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn weights_decide_how_often() {
        let mut random = SplitMix64::new(3);
        let picks: Vec<_> =
            (0..4_000).map(|_| random.weighted(&[1.0, 0.0, 3.0, -2.0]).unwrap()).collect();
        let heavy = picks.iter().filter(|it| **it == 2).count();
        assert!((2_850..3_150).contains(&heavy), "{heavy}");
        assert!(picks.iter().all(|it| [0, 2].contains(it)));
        assert_eq!(random.weighted(&[0.0, -1.0]), None);
    }

    #[test]
    fn forks_are_strangers() {
        let random = SplitMix64::new(7);
        let (mut one, mut two) = (random.fork(1), random.fork(2));
        let same = (0..64).filter(|_| one.chance(0.5) == two.chance(0.5)).count();
        assert!((16..48).contains(&same), "{same} of 64 alike");
        assert_eq!(random.fork(5), random.fork(5));
    }
}
