//! Clock offset estimated from the recent exchanges together.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use super::Exchange;
use crate::SimTime;

/// More exchanges than this are never held.
const MAX_HELD: usize = 40;
/// Time stamps are rounded to a microsecond at each end.
const ROUNDING_S: f64 = 2e-6;
/// Fewer exchanges than this do not say how their delays are spread.
const SPREAD_KNOWN: usize = 16;
/// So many of the next shortest ways tell how far the shortest one is off the shortest possible.
const NEXT_SHORTEST: usize = 5;
/// By this share of the mean distance between them and it: three fifths would be right for delays
/// that are spread normally, a third for those that pile up at the shortest.
const OFF_SHARE: f64 = 0.4;
/// The mean may move the estimate by so many times what the shortest ways are off.
const MOST_MOVED: f64 = 2.0;

/// What one exchange proves: the remote clock leads by `low_s` to `high_s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fact {
    /// When it was learnt, by the local clock.
    pub at: SimTime,
    pub low_s: f64,
    pub high_s: f64,
}

impl Fact {
    /// `None` when the moments lie too far apart to be subtracted.
    pub(super) fn of(exchange: &Exchange) -> Option<Self> {
        let seconds = |later: SimTime, earlier: SimTime| {
            let micros = later.as_micros().checked_sub(earlier.as_micros())?;
            Some(micros as f64 * 1e-6)
        };
        let low_s = seconds(exchange.answered, exchange.returned)?;
        let high_s = seconds(exchange.received, exchange.sent)?;
        (low_s <= high_s).then_some(Self { at: exchange.returned, low_s, high_s })
    }

    pub(super) fn way_s(&self) -> f64 {
        self.high_s - self.low_s
    }

    pub(super) fn middle_s(&self) -> f64 {
        self.low_s + self.way_s() * 0.5
    }

    /// What it still proves at `at`, when the clocks drift apart at `rate`, give or take
    /// `drift`.
    fn carried_to(&self, at: SimTime, rate: f64, drift: f64) -> OffsetRange {
        let passed_s = at.secs_since(self.at);
        let moved_s = passed_s * rate;
        let spread_s = passed_s.abs() * drift + ROUNDING_S;
        OffsetRange {
            low_s: self.low_s + moved_s - spread_s,
            high_s: self.high_s + moved_s + spread_s,
        }
    }
}

/// Where the offset lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OffsetRange {
    low_s: f64,
    high_s: f64,
}

impl OffsetRange {
    fn middle_s(&self) -> f64 {
        self.low_s + self.half_width_s()
    }

    fn half_width_s(&self) -> f64 {
        (self.high_s - self.low_s) * 0.5
    }

    /// How wrong `offset_s`, which lies in it, can be.
    pub(super) fn most_off_s(&self, offset_s: f64) -> f64 {
        self.half_width_s() + (offset_s - self.middle_s()).abs()
    }

    fn contains(&self, offset_s: f64) -> bool {
        self.low_s <= offset_s && offset_s <= self.high_s
    }
}

/// The recent exchanges.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    held: VecDeque<Fact>,
    /// Since the last restart.
    count: u32,
}

impl Facts {
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// How many there were, the forgotten ones included.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Those that agree with the most others, oldest first.
    pub(super) fn agreeing(&self, at: SimTime, drift: f64) -> Vec<Fact> {
        let Some(range) = self.offset_range(at, 0.0, drift) else { return Vec::new() };
        let agrees = |fact: &&Fact| fact.carried_to(at, 0.0, drift).contains(range.low_s);
        self.held.iter().filter(agrees).copied().collect()
    }

    pub(super) fn push(&mut self, fact: Fact) {
        if self.held.len() == MAX_HELD {
            self.held.pop_front();
        }
        self.held.push_back(fact);
        self.count = self.count.saturating_add(1);
    }

    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.count = 0;
    }

    /// The newest stay, whatever their age: an old fact beats none.
    pub(super) fn forget_before(&mut self, at: SimTime) {
        while self.held.len() > 4 && self.held.front().is_some_and(|fact| fact.at < at) {
            self.held.pop_front();
        }
    }

    /// Whether what they prove together and what `fact` proves can both be true.
    pub(super) fn agree_with(&self, fact: &Fact, rate: f64, drift: f64) -> bool {
        self.offset_range(fact.at, rate, drift).is_none_or(|range| {
            let spread_s = 2.0 * ROUNDING_S;
            fact.low_s <= range.high_s + spread_s && fact.high_s >= range.low_s - spread_s
        })
    }

    /// The narrowest range on which the most of them agree.
    pub(super) fn offset_range(&self, at: SimTime, rate: f64, drift: f64) -> Option<OffsetRange> {
        let ranges = || self.held.iter().map(|fact| fact.carried_to(at, rate, drift));
        // The best range begins where one of them begins.
        let votes = |offset_s: f64| ranges().filter(|range| range.contains(offset_s)).count();
        let (_, low_s) = ranges()
            .map(|range| (votes(range.low_s), range.low_s))
            .reduce(|best, next| if next > best { next } else { best })?;
        let high_s = ranges()
            .filter(|range| range.contains(low_s))
            .fold(f64::INFINITY, |least, range| least.min(range.high_s));
        Some(OffsetRange { low_s, high_s })
    }

    /// The likeliest offset of those in `range`, on which the most of them agree.
    ///
    /// Where delays pile up at the shortest, as where packets wait in queues now and then, the middle
    /// between the shortest ways is known best by far, and means are drawn along by queues on one
    /// way. Where delays are spread about their mean, as on radio, the shortest of a few dozen is
    /// anywhere, and the mean is known best. How far the shortest ways lie from those next to them
    /// says which: each of the two counts by the inverse of the eighth power of how wrong it may be,
    /// so that what is clearly worse does not count.
    pub(super) fn offset_s(&self, at: SimTime, rate: f64, range: &OffsetRange) -> f64 {
        let agreeing = self.held.iter().map(|fact| fact.carried_to(at, rate, 0.0));
        let agreeing: Vec<OffsetRange> =
            agreeing.filter(|it| it.low_s <= range.high_s && range.low_s <= it.high_s).collect();
        let middle_s = range.middle_s();
        if agreeing.len() < SPREAD_KNOWN {
            return middle_s;
        }
        let there_s = shortest_off_s(agreeing.iter().map(|it| it.high_s));
        let back_s = shortest_off_s(agreeing.iter().map(|it| -it.low_s));
        let middle_off_s = 0.5 * libm::sqrt(there_s * there_s + back_s * back_s);
        let (mean_s, mean_off_s) = mean(agreeing.iter().map(OffsetRange::middle_s));
        if middle_off_s <= 0.0 {
            return middle_s;
        }
        let squared = mean_off_s * mean_off_s / (middle_off_s * middle_off_s);
        let fourth = squared * squared;
        let most_s = MOST_MOVED * middle_off_s;
        let moved_s = (mean_s - middle_s) / (1.0 + fourth * fourth);
        (middle_s + moved_s.clamp(-most_s, most_s)).clamp(range.low_s, range.high_s)
    }

    /// What was learnt last.
    pub(super) fn newest(&self) -> Option<&Fact> {
        self.held.back()
    }

    /// The median of the times on the way, there and back.
    pub(super) fn median_way_s(&self) -> Option<f64> {
        let mut ways: Vec<f64> = self.held.iter().map(Fact::way_s).collect();
        ways.sort_by(f64::total_cmp);
        median(&ways)
    }
}

/// How far the least of these is off the least that there could be, about.
fn shortest_off_s(ways_s: impl Iterator<Item = f64>) -> f64 {
    let mut ways_s: Vec<f64> = ways_s.collect();
    ways_s.sort_by(f64::total_cmp);
    let Some((shortest_s, others_s)) = ways_s.split_first() else { return 0.0 };
    let next_s = &others_s[..others_s.len().min(NEXT_SHORTEST)];
    let off_s: f64 = next_s.iter().map(|way_s| way_s - shortest_s).sum();
    OFF_SHARE * off_s / next_s.len().max(1) as f64
}

/// The mean of these, and how wrong it may be.
fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.len().max(2) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|it| (it - mean) * (it - mean)).sum();
    (mean, libm::sqrt(squares / (count * (count - 1.0))))
}

/// The middle of a sorted list, the mean of the two middle ones if there is none.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        even if even % 2 == 0 => Some((sorted[half - 1] + sorted[half]) * 0.5),
        _ => Some(sorted[half]),
    }
}

/// Whether `at` lies at least `span` after `since`.
pub(super) fn passed(since: SimTime, at: SimTime, span: Duration) -> bool {
    at.saturating_since(since) >= span
}
