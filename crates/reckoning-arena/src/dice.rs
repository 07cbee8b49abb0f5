//! Seeded dice: every choice that is not forced comes from here.
//!
//! A [`Dice`] is a value; whoever rolls owns it, and a copy rolls the same numbers. The
//! generator is `SplitMix64` (Steele, Lea and Flood 2014): one addition and three mixing
//! steps, integer arithmetic only, so the same seed gives the same game on every platform.

/// A deterministic source of chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Dice that roll the sequence of `seed`. Every seed is as good as another.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Dice for a part of the game, independent of these and of other `label`s.
    #[must_use]
    pub fn fork(&self, label: u64) -> Self {
        let mut child = Self { state: self.state ^ label.wrapping_mul(0xD6E8_FEB8_6659_FD93) };
        child.state = child.roll();
        child
    }

    /// The next 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.roll() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// From `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `count`; 0 when `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.roll()) * count as u128;
        (product >> 64) as usize
    }

    /// True with probability `share`.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Bell-shaped about 0 with a standard deviation of 1, never beyond 3.5.
    ///
    /// A sum of four even rolls: near enough to normal for a hand that trembles, and exact on
    /// every platform.
    pub fn bell(&mut self) -> f64 {
        let sum = self.unit() + self.unit() + self.unit() + self.unit();
        (sum - 2.0) * 1.732_050_807_568_877_2
    }

    /// The place of one of `weights`, each as likely as it is heavy.
    ///
    /// Weights below zero count as zero. None when nothing weighs anything.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().map(|it| it.max(0.0)).sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.unit() * total;
        for (place, weight) in weights.iter().enumerate() {
            left -= weight.max(0.0);
            if left < 0.0 {
                return Some(place);
            }
        }
        weights.iter().rposition(|it| *it > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The reference implementation's first outputs for seed 1234567.
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.roll(), 6_457_827_717_110_365_317);
        assert_eq!(dice.roll(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn rolls_stay_in_their_ranges_and_fill_them() {
        let mut dice = Dice::new(7);
        let mut seen = [0; 6];
        for _ in 0..6_000 {
            seen[dice.below(6)] += 1;
            assert!((2.0..3.0).contains(&dice.between(2.0, 3.0)));
            assert!(dice.bell().abs() <= 3.5);
        }
        assert!(seen.iter().all(|it| (850..1150).contains(it)), "{seen:?}");
        assert_eq!(dice.below(0), 0);
    }

    #[test]
    fn weights_decide_how_often() {
        let mut dice = Dice::new(3);
        let picks: Vec<_> =
            (0..4_000).map(|_| dice.weighted(&[1.0, 0.0, 3.0, -2.0]).unwrap()).collect();
        let heavy = picks.iter().filter(|it| **it == 2).count();
        assert!((2_850..3_150).contains(&heavy), "{heavy}");
        assert!(picks.iter().all(|it| [0, 2].contains(it)));
        assert_eq!(dice.weighted(&[0.0, -1.0]), None);
    }

    #[test]
    fn forks_differ_from_each_other() {
        let dice = Dice::new(9);
        assert_ne!(dice.fork(0).roll(), dice.fork(1).roll());
        assert_eq!(dice.fork(5).roll(), dice.fork(5).roll());
    }
}
