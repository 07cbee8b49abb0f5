//! Where a body has lately been.

use alloc::collections::VecDeque;
use core::time::Duration;

use glam::DVec3;

use crate::SimTime;

/// How far back it reaches.
const REACH: Duration = Duration::from_millis(1_700);
/// A last place nearer in time than this to the one before it makes way for the next: a
/// history costs the same at any frame rate.
const SPACING: Duration = Duration::from_millis(30);

/// How far back every frame is kept, or nearly so: what a body does at this very moment
/// is in its last two frames.
const LATELY: Duration = Duration::from_millis(40);
/// The same spacing for those.
const LATELY_SPACING: Duration = Duration::from_millis(5);

/// The recent places of one body.
#[derive(Clone, Debug, Default)]
pub struct History {
    seen: VecDeque<(SimTime, DVec3)>,
    lately: VecDeque<(SimTime, DVec3)>,
}

impl History {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self { seen: VecDeque::with_capacity(72), lately: VecDeque::with_capacity(12) }
    }

    /// Forgets everything, as after a teleport.
    pub fn restart(&mut self) {
        self.seen.clear();
        self.lately.clear();
    }

    /// Takes in where the body is. A moment that is not later than the last, and a gap that
    /// is longer than the memory, start anew.
    pub fn observe(&mut self, at: SimTime, position: DVec3) {
        if self.seen.back().is_some_and(|last| at <= last.0 || last.0 + REACH < at) {
            self.restart();
        }
        keep(&mut self.seen, (at, position), SPACING, REACH);
        keep(&mut self.lately, (at, position), LATELY_SPACING, LATELY);
    }

    /// The mean velocity over each of the rising `ages_s`, or over what is remembered if
    /// that is shorter; zero for a body seen once.
    pub(super) fn velocities<const N: usize>(&self, ages_s: [f64; N]) -> [DVec3; N] {
        velocities(&self.seen, ages_s)
    }

    /// The same over ages of a frame or two.
    pub(super) fn late_velocities<const N: usize>(&self, ages_s: [f64; N]) -> [DVec3; N] {
        velocities(&self.lately, ages_s)
    }

    /// The way from the oldest place to `here`.
    pub(super) fn way(&self, here: DVec3) -> DVec3 {
        self.seen.front().map_or(DVec3::ZERO, |oldest| here - oldest.1)
    }

    /// Seconds that are remembered.
    pub(super) fn span_s(&self) -> f64 {
        let ends = self.seen.front().zip(self.seen.back());
        ends.map_or(0.0, |(first, last)| last.0.secs_since(first.0))
    }
}

/// Adds a place to a list that reaches so far back.
fn keep(
    list: &mut VecDeque<(SimTime, DVec3)>,
    now: (SimTime, DVec3),
    spacing: Duration,
    reach: Duration,
) {
    let count = list.len();
    if count >= 2 && list[count - 1].0.saturating_since(list[count - 2].0) < spacing {
        list.pop_back();
    }
    list.push_back(now);
    while list.len() > 2 && list[1].0 + reach < now.0 {
        list.pop_front();
    }
}

fn velocities<const N: usize>(
    seen: &VecDeque<(SimTime, DVec3)>,
    ages_s: [f64; N],
) -> [DVec3; N] {
    let mut found = [DVec3::ZERO; N];
    let Some(&(now, here)) = seen.back() else { return found };
    let mut place = seen.len() - 1;
    for (age_s, found) in ages_s.into_iter().zip(&mut found) {
        while place > 0 && now.secs_since(seen[place].0) < age_s {
            place -= 1;
        }
        let (older, was) = seen[place];
        let span_s = now.secs_since(older);
        *found = if span_s > age_s {
            let (newer, at) = seen[place + 1];
            let share = (span_s - age_s) / newer.secs_since(older);
            (here - was.lerp(at, share)) / age_s
        } else if span_s > 0.0 {
            (here - was) / span_s
        } else {
            DVec3::ZERO
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_velocities_are_the_same_at_any_frame_rate() {
        for hertz in [10_u32, 60, 240] {
            let mut history = History::new();
            for tick in 0..i64::from(hertz) * 3 {
                let at = SimTime::from_tick(tick, hertz);
                history.observe(at, DVec3::X * (3.0 * at.as_secs_f64()));
            }
            for velocity in history.velocities([0.05, 0.4, 1.6]) {
                assert!((velocity - DVec3::X * 3.0).length() < 1e-4, "{hertz}: {velocity}");
            }
            assert!(history.seen.len() <= 72 && history.span_s() >= 1.6, "{hertz}");
        }
    }

    #[test]
    fn a_gap_or_a_step_back_in_time_starts_anew() {
        let mut history = History::new();
        for millis in [0, 100, 200, 5_000, 4_000] {
            history.observe(SimTime::from_millis(millis), DVec3::ZERO);
        }
        assert_eq!(history.seen.len(), 1);
    }
}
