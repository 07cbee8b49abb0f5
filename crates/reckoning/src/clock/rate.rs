//! Drift of the remote clock, estimated from minutes of exchanges.

use alloc::vec::Vec;
use core::time::Duration;

use super::estimate::{Fact, median, passed};

/// The rate window is cut into this many pieces, each with its best exchange.
const PIECES: u32 = 48;
/// Fewer pieces prove nothing.
const FEWEST: usize = 8;
/// A rate is known to within the spread of its slopes over this.
const SURE: f64 = 0.1;
/// Crystals change with temperature by this much.
const WANDER: f64 = 5e-6;

/// The best exchange of every few seconds, and the slope through them.
#[derive(Clone, Debug)]
pub(super) struct RateLog {
    piece: Duration,
    best: Vec<Fact>,
    rate: f64,
    /// How wrong the rate may be; infinite before there is one.
    spread: f64,
}

impl RateLog {
    pub(super) fn new(window: Duration) -> Self {
        let piece = (window / PIECES).max(Duration::from_micros(1));
        Self { piece, best: Vec::new(), rate: 0.0, spread: f64::INFINITY }
    }

    /// Above 1; zero until enough is known.
    pub(super) const fn rate(&self) -> f64 {
        self.rate
    }

    /// How wrong the rate may be, at most `most`.
    pub(super) fn uncertainty(&self, most: f64) -> f64 {
        (self.spread + WANDER).min(most)
    }

    /// Begins anew. The rate stays: a clock that was set still runs as it ran.
    pub(super) fn clear(&mut self) {
        self.best.clear();
    }

    pub(super) fn push(&mut self, fact: &Fact) {
        match self.best.last_mut() {
            Some(last) if !passed(last.at, fact.at, self.piece) => {
                // The piece began when its first exchange came in, so that pieces end.
                if fact.way_s() < last.way_s() {
                    (last.low_s, last.high_s) = carried_back(fact, last, self.rate);
                }
            }
            _ => {
                if self.best.len() == PIECES as usize {
                    self.best.remove(0);
                }
                self.measure();
                self.best.push(*fact);
            }
        }
    }

    /// The median of the slopes between all pairs that lie far enough apart.
    fn measure(&mut self) {
        if self.best.len() < FEWEST {
            return;
        }
        let apart_s = self.piece.as_secs_f64() * (self.best.len() / 3) as f64;
        let mut slopes = Vec::with_capacity(self.best.len() * self.best.len() / 3);
        for (index, early) in self.best.iter().enumerate() {
            for late in &self.best[index + 1..] {
                let run_s = late.at.secs_since(early.at);
                if run_s >= apart_s {
                    slopes.push((late.middle_s() - early.middle_s()) / run_s);
                }
            }
        }
        slopes.sort_by(f64::total_cmp);
        let Some(middle) = median(&slopes) else { return };
        let quarter = slopes.len() / 4;
        let spread = slopes[slopes.len() - 1 - quarter] - slopes[quarter];
        // Noise moves the median about; what is within it is not believed.
        let doubt = spread * SURE.max(1.0 / self.best.len() as f64) * 2.0;
        let trust =
            if middle == 0.0 { 0.0 } else { middle * middle / (middle * middle + doubt * doubt) };
        self.rate = middle * trust;
        self.spread = spread;
    }
}

/// What `fact` would have proved when `held` was learnt.
fn carried_back(fact: &Fact, held: &Fact, rate: f64) -> (f64, f64) {
    let moved_s = fact.at.secs_since(held.at) * rate;
    (fact.low_s - moved_s, fact.high_s - moved_s)
}
