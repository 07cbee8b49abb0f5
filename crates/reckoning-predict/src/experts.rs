//! Choice among several predictors of a body, by what each has cost.
//!
//! Each expert runs in the shadow as if it alone published the body; every update it would have
//! sent is a loss of one. The one in force is no shadow: its updates are its losses. Shares of
//! trust fall by a factor with every loss and are mixed with a little of the prior, so that an
//! expert who comes back is noticed (Hedge with a fixed share, Herbster and Warmuth). The
//! expert in force is drawn from the shares with as few changes as possible: from one step to
//! the next it is kept with the probability that its share did not fall.
//!
//! So at any time each expert is in force with exactly the probability of its share, and the
//! expected losses L of the choice obey, against those of any expert that was best throughout
//! and whose prior share is p, over T steps at which anyone lost,
//!
//! ```text
//!   L <= (ETA * L_best + ln(1 / p) + T * ln(1 / (1 - MIX))) / (1 - exp(-ETA))
//! ```
//!
//! which is `1.078 L_best + 7.2 ln(1 / p) + 0.0036 T`, whatever the body does. With the prior of
//! the learned planner, a body of which the trained model knows nothing costs 27 updates more than
//! the best fallback, and one that it knows 0.4; with five experts trusted alike it is 12.

use reckoning::random::SplitMix64;

/// How fast trust is lost: `exp(-ETA)` with ETA = 0.15.
const KEPT: f64 = 0.860_707_976_425_057_8;
/// The part of the prior that is mixed in at every step.
const MIX: f64 = 0.0005;
/// The trust in each expert, and who is in force.
#[derive(Clone, Debug)]
pub(crate) struct Experts<const N: usize> {
    prior: [f64; N],
    shares: [f64; N],
    chosen: usize,
    random: SplitMix64,
}

impl<const N: usize> Experts<N> {
    /// With so much trust in each before anything is known; together 1.
    pub fn new(prior: [f64; N], seed: u64) -> Self {
        Self { prior, shares: prior, chosen: 0, random: SplitMix64::new(seed) }.drawn()
    }

    /// The first choice is a draw like any other; else the bound would not hold.
    fn drawn(mut self) -> Self {
        self.chosen = self.draw(self.prior);
        self
    }

    pub const fn chosen(&self) -> usize {
        self.chosen
    }

    pub const fn shares(&self) -> [f64; N] {
        self.shares
    }

    /// Takes in who would have had to publish at this step.
    pub fn judge(&mut self, lost: [bool; N]) {
        if lost == [false; N] {
            return;
        }
        let before = self.shares;
        for (share, lost) in self.shares.iter_mut().zip(lost) {
            *share *= if lost { KEPT } else { 1.0 };
        }
        let sum: f64 = self.shares.iter().sum();
        for (share, prior) in self.shares.iter_mut().zip(self.prior) {
            *share = (1.0 - MIX) * *share / sum + MIX * prior;
        }
        let fallen = self.shares[self.chosen] / before[self.chosen];
        if self.random.unit() >= fallen {
            let risen = core::array::from_fn(|k| (self.shares[k] - before[k]).max(0.0));
            self.chosen = self.draw(risen);
        }
    }

    fn draw(&mut self, weights: [f64; N]) -> usize {
        let mut left = self.random.unit() * weights.iter().sum::<f64>();
        for (expert, weight) in weights.into_iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return expert;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPERTS: usize = 3;
    const PRIOR: [f64; EXPERTS] = [0.95, 0.025, 0.025];

    /// Expected losses of the choice, and those of each expert.
    fn play(steps: usize, lost: impl Fn(usize) -> [bool; EXPERTS]) -> (f64, [f64; EXPERTS]) {
        let mut own = 0.0;
        let mut each = [0.0; EXPERTS];
        let mut experts = Experts::new(PRIOR, 1);
        for step in 0..steps {
            let lost = lost(step);
            let shares = experts.shares();
            for expert in (0..EXPERTS).filter(|&expert| lost[expert]) {
                own += shares[expert];
                each[expert] += 1.0;
            }
            experts.judge(lost);
        }
        (own, each)
    }

    const ETA: f64 = 0.15;

    fn allowed(best: f64, prior: f64, steps: usize) -> f64 {
        let mixed = steps as f64 * -libm::log(1.0 - MIX);
        (ETA * best - libm::log(prior) + mixed) / (1.0 - KEPT)
    }

    #[test]
    fn the_choice_costs_no_more_than_the_bound_whatever_happens() {
        let steps = 2_000;
        let games: [fn(usize) -> [bool; EXPERTS]; 5] = [
            |_| [true, false, true],
            |step| [step % 2 == 0, step % 2 == 1, true],
            |step| [step % 3 == 0, step % 3 == 1, step % 3 == 2],
            |step| [step > 500, step <= 500, step % 7 == 0],
            |step| [(step / 40) % 2 == 0, (step / 40) % 2 == 1, step % 5 < 3],
        ];
        for (game, lost) in games.iter().enumerate() {
            let (own, each) = play(steps, lost);
            for (expert, best) in each.into_iter().enumerate() {
                let most = allowed(best, PRIOR[expert], steps);
                assert!(own <= most, "{game}: {own} {each:?} {most}");
            }
        }
    }

    #[test]
    fn whoever_never_loses_is_soon_in_force() {
        let steps = 2_000;
        let (own, _) = play(steps, |_| [true, true, false]);
        // The bound again, with nothing lost by the best: 27 until it is in force, and 7 for
        // what is mixed in over all the steps.
        assert!(own < allowed(0.0, PRIOR[2], steps), "{own}");
        assert!(own < 34.0, "{own}");
    }

    #[test]
    fn the_choice_is_drawn_from_the_shares() {
        let mut counts = [0_u32; EXPERTS];
        let mut shares = [0.0; EXPERTS];
        for seed in 0..4_000 {
            let mut experts = Experts::new(PRIOR, seed * 104_729);
            (0..9).for_each(|step| experts.judge([true, step % 3 == 0, false]));
            counts[experts.chosen()] += 1;
            shares = experts.shares();
        }
        for (count, share) in counts.into_iter().zip(shares) {
            let off = (f64::from(count) / 4_000.0 - share).abs();
            assert!(off < 0.03, "{counts:?} {shares:?}");
        }
    }
}
