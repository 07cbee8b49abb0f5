//! Seeded chance, the same on every machine and in every version.
//!
//! A table that is committed must not change because a library improved its generator, so
//! the few lines are our own: `SplitMix64`, which passes the usual batteries and starts well
//! from any seed.

use std::f64::consts::TAU;

/// A seeded sequence of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The sequence that belongs to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A sequence of its own for one purpose, so that more rolls for one purpose do not
    /// change the luck of another.
    #[must_use]
    pub fn fork(&self, purpose: u64) -> Self {
        let mut dice = Self { state: self.state ^ purpose.wrapping_mul(0xd134_2543_de82_ef95) };
        Self { state: dice.roll() }
    }

    /// The next 64 random bits.
    pub const fn roll(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from `low` up to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True in this share of the calls; the sequence moves on by one number either way.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A number from the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(TAU * angle)
    }

    /// A number from the Pareto distribution that starts at zero (Lomax), with mean 1.
    ///
    /// The smaller `shape`, which must be above 1, the heavier the tail.
    pub fn pareto(&mut self, shape: f64) -> f64 {
        (libm::pow(1.0 - self.unit(), -1.0 / shape) - 1.0) * (shape - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mut roll: impl FnMut(&mut Dice) -> f64) -> f64 {
        let mut dice = Dice::new(1);
        (0..100_000).map(|_| roll(&mut dice)).sum::<f64>() / 100_000.0
    }

    #[test]
    fn the_sequence_is_the_published_one() {
        // The reference values of SplitMix64 for the seed 1234567.
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.roll(), 6_457_827_717_110_365_317);
        assert_eq!(dice.roll(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn distributions_have_the_moments_they_claim() {
        // Five standard errors of 100,000 rolls.
        assert!((mean(Dice::unit) - 0.5).abs() < 0.005);
        assert!(mean(Dice::normal).abs() < 0.016);
        let square = |d: &mut Dice| {
            let x = d.normal();
            x * x
        };
        assert!((mean(square) - 1.0).abs() < 0.023);
        assert!((mean(|d| d.pareto(4.0)) - 1.0).abs() < 0.03);
    }

    #[test]
    fn forks_are_strangers() {
        let dice = Dice::new(7);
        let (mut one, mut two) = (dice.fork(1), dice.fork(2));
        let same = (0..64).filter(|_| one.chance(0.5) == two.chance(0.5)).count();
        assert!((16..48).contains(&same), "{same} of 64 alike");
    }
}
