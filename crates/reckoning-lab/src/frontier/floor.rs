//! Clairvoyant floor: the same payloads, sent at the best moments.
//!
//! A sender that knows the future may choose among what it could have sent at every sample. Which
//! choice shows the least error, snapped to, with as many updates, is found by dynamic
//! programming: each update has a price, the cheapest sequence is the shortest path from payload
//! to payload, and the price is moved until as many are sent. No causal rule can do better with
//! these payloads; how far one is from it says how much room there is.

use std::time::Duration;

use reckoning::{SimTime, Update};

use super::tally::Look;

/// Samples closer than this are passed over: twenty-five moments a second are enough to choose
/// from.
const SPACING: Duration = Duration::from_millis(40);
/// The longest silence, in moments.
const WINDOW: usize = 100;
/// Halvings of the price.
const HALVINGS: usize = 30;

/// What one life of a body could have sent, and what came true.
pub(crate) struct Choices {
    /// Payloads of moments at least [`SPACING`] apart.
    payloads: Vec<Update>,
    truths: Vec<Look>,
}

impl Choices {
    /// From a payload and the truth of every sample.
    pub(crate) fn new(all: impl Iterator<Item = (Update, Look)>) -> Self {
        let (mut payloads, mut truths) = (Vec::new(), Vec::<Look>::new());
        for (payload, truth) in all {
            if truths.last().is_none_or(|last| truth.at >= last.at + SPACING) {
                payloads.push(payload);
                truths.push(truth);
            }
        }
        Self { payloads, truths }
    }

    fn arrival(&self, number: usize, delay: Duration) -> usize {
        if number == 0 {
            return 0; // All have the first from the start.
        }
        let at: SimTime = self.truths[number].at + delay;
        self.truths.partition_point(|truth| truth.at < at)
    }
}

/// What each payload costs, for as long as it may stay in force.
struct Costs {
    arrivals: Vec<usize>,
    /// By payload: the sum of errors over the first, the first two, ... samples after its arrival.
    sums: Vec<Vec<f32>>,
    samples: usize,
}

impl Costs {
    fn new(choices: &Choices, delay: Duration) -> Self {
        let samples = choices.truths.len();
        let arrivals: Vec<usize> = (0..samples).map(|n| choices.arrival(n, delay)).collect();
        let sum = |number: usize| {
            let payload = &choices.payloads[number];
            let start = arrivals[number];
            let mut sum = 0.0;
            let errors = choices.truths[start..].iter().take(WINDOW).map(|truth| {
                sum += payload.position_at(truth.at).distance(truth.truth) as f32;
                sum
            });
            errors.collect()
        };
        let sums = (0..samples).map(sum).collect();
        Self { arrivals, sums, samples }
    }

    /// Sum of the errors while `number` is in force, until the sample `until`.
    fn between(&self, number: usize, until: usize) -> Option<f32> {
        match until.checked_sub(self.arrivals[number])? {
            0 => Some(0.0),
            length => self.sums[number].get(length - 1).copied(),
        }
    }

    /// Least sum of errors and the updates it takes, if each costs `price`.
    fn cheapest(&self, price: f32) -> (f32, usize) {
        // By payload in force last: its cost until its own arrival, and the updates so far.
        let mut best: Vec<(f32, usize)> = vec![(f32::INFINITY, 0); self.samples];
        best[0] = (0.0, 1);
        let mut end = (f32::INFINITY, 0);
        for number in 0..self.samples {
            let (so_far, updates) = best[number];
            if so_far == f32::INFINITY {
                continue;
            }
            if let Some(rest) = self.between(number, self.samples)
                && so_far + rest < end.0
            {
                end = (so_far + rest, updates);
            }
            for (next, best) in best.iter_mut().enumerate().skip(number + 1) {
                let Some(cost) = self.between(number, self.arrivals[next]) else { break };
                let total = so_far + cost + price;
                if total < best.0 {
                    *best = (total, updates + 1);
                }
            }
        }
        (end.0 - price * (end.1.saturating_sub(1)) as f32, end.1)
    }
}

/// The least mean error of pictures that snap, with at most `updates` in all lives together.
pub(crate) fn floor(lives: &[&Choices], delay: Duration, updates: usize, width: f64) -> f64 {
    let costs: Vec<Costs> = lives.iter().map(|life| Costs::new(life, delay)).collect();
    let samples: usize = costs.iter().map(|it| it.samples).sum();
    let all = |price: f32| {
        let each = costs.iter().filter(|it| it.samples > 0).map(|it| it.cheapest(price));
        each.fold((0.0, 0), |(sum, n), (more, m)| (sum + f64::from(more), n + m))
    };
    let (mut low, mut high) = (0.0_f32, (width * 1_000.0) as f32);
    for _ in 0..HALVINGS {
        let middle = f32::midpoint(low, high);
        if all(middle).1 > updates {
            low = middle;
        } else {
            high = middle;
        }
    }
    all(high).0 / samples.max(1) as f64 / width
}

#[cfg(test)]
mod tests {
    use reckoning::{DVec3, Kinematics, Model, UpdateKind};

    use super::*;

    /// A body that goes one way, then another; payloads are its own motion.
    fn corner() -> Choices {
        Choices::new((0..200).map(|n| {
            let at = SimTime::from_millis(50 * n);
            let x = if n < 100 { n as f64 } else { 200.0 - n as f64 };
            let velocity = DVec3::X * if n < 100 { 20.0 } else { -20.0 };
            let seen = Kinematics::moving(at, DVec3::X * x, velocity);
            let update = Update::new(seen, Model::Linear, UpdateKind::Partial).unwrap();
            (update, Look { at, shown: DVec3::ZERO, truth: DVec3::X * x })
        }))
    }

    #[test]
    fn two_updates_are_enough_for_one_corner() {
        let life = corner();
        let life = [&life];
        // One sample passes after the turn until the news of it arrives: off by two, then by nothing.
        for updates in [2, 4, 200] {
            let late = floor(&life, Duration::from_millis(100), updates, 1.0);
            assert!((late - 2.0 / 200.0).abs() < 1e-6, "{updates} updates: {late}");
        }
    }

    #[test]
    fn more_updates_never_show_more_error_and_more_delay_never_less() {
        let life = corner();
        let life = [&life];
        let error = |ms, updates| floor(&life, Duration::from_millis(ms), updates, 1.0);
        assert!(error(100, 10) <= error(100, 4));
        assert!(error(350, 10) >= error(100, 10));
    }
}
