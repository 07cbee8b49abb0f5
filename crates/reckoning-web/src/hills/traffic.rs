//! What updates of a sort of bodies take, of the last seconds.

use std::collections::VecDeque;

use reckoning::SimTime;
use serde::Serialize;

/// Trains need few updates: of so many seconds there are enough for a mean.
const SPAN_S: f64 = 10.0;

/// Totals of a session, and figures made of them.
#[derive(Clone, Debug, Default)]
pub struct TrafficMeter {
    /// When they were noted, updates and bits.
    totals: VecDeque<(SimTime, [u64; 2])>,
}

/// What updates take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TrafficFigures {
    /// The mean of one; 0 when there was none.
    pub bytes_each: f64,
    /// All of them.
    pub bytes_per_s: f64,
    /// How many these figures are of.
    pub updates: u64,
}

impl TrafficMeter {
    /// So many updates and bits were received since the session began.
    pub fn note(&mut self, now: SimTime, total: [u64; 2]) {
        let is_older = |it: &(SimTime, [u64; 2])| it.0 > now || it.1[0] > total[0];
        if self.totals.back().is_some_and(is_older) {
            self.totals.clear(); // another session
        }
        self.totals.push_back((now, total));
        while self.totals.len() > 2 && now.secs_since(self.totals[1].0) >= SPAN_S {
            self.totals.pop_front();
        }
    }

    /// Nothing was received.
    pub fn clear(&mut self) {
        self.totals.clear();
    }

    /// Of the last seconds.
    #[must_use]
    pub fn figures(&self) -> TrafficFigures {
        let (Some((from, before)), Some((to, after))) = (self.totals.front(), self.totals.back())
        else {
            return TrafficFigures::default();
        };
        let updates = after[0] - before[0];
        let bytes = (after[1] - before[1]) as f64 / 8.0;
        let bytes_each = if updates == 0 { 0.0 } else { bytes / updates as f64 };
        let seconds = to.secs_since(*from);
        let bytes_per_s = if seconds > 0.0 { bytes / seconds } else { 0.0 };
        TrafficFigures { bytes_each, bytes_per_s, updates }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    #[test]
    fn figures_are_of_the_last_seconds_and_of_one_session() {
        let mut meter = TrafficMeter::default();
        assert_eq!(meter.figures(), TrafficFigures::default());
        // A heavy second, then two updates of four bytes each second.
        for second in 0..=20 {
            meter.note(ms(second * 1_000), [2 * second as u64, 64 * second as u64 + 9_000]);
        }
        let figures = meter.figures();
        assert_eq!(figures, TrafficFigures { bytes_each: 4.0, bytes_per_s: 8.0, updates: 20 });
        meter.note(ms(21_000), [1, 24]);
        assert_eq!(meter.figures(), TrafficFigures::default(), "another session");
    }
}
