//! Where a body has lately been.

use alloc::collections::VecDeque;

use glam::DVec3;

use crate::SimTime;

/// How far back it reaches.
const REACH_US: i64 = 1_700_000;
/// A last place nearer in time than this to the one before it makes way for the next: a
/// history costs the same at any frame rate.
const SPACING_US: i64 = 30_000;

/// How far back every frame is kept, or nearly so: what a body does at this very moment
/// is in its last two frames.
const LATELY_US: i64 = 40_000;
/// The same spacing for those.
const LATELY_SPACING_US: i64 = 5_000;

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
        let gap_us = self.seen.back().map_or(1, |last| micros(last.0, at));
        if !(1..=REACH_US).contains(&gap_us) {
            self.restart();
        }
        keep(&mut self.seen, (at, position), SPACING_US, REACH_US);
        keep(&mut self.lately, (at, position), LATELY_SPACING_US, LATELY_US);
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

/// From then to now. Whole numbers: this is asked for every body and frame.
const fn micros(then: SimTime, now: SimTime) -> i64 {
    now.as_micros().saturating_sub(then.as_micros())
}

/// Adds a place to a list that reaches so far back.
fn keep(
    list: &mut VecDeque<(SimTime, DVec3)>,
    now: (SimTime, DVec3),
    spacing_us: i64,
    reach_us: i64,
) {
    let count = list.len();
    if count >= 2 && micros(list[count - 2].0, list[count - 1].0) < spacing_us {
        list.pop_back();
    }
    list.push_back(now);
    while list.len() > 2 && micros(list[1].0, now.0) > reach_us {
        list.pop_front();
    }
}

fn velocities<const N: usize>(seen: &VecDeque<(SimTime, DVec3)>, ages_s: [f64; N]) -> [DVec3; N] {
    let mut found = [DVec3::ZERO; N];
    let mut places = seen.iter().rev();
    let Some(&(now, here)) = places.next() else { return found };
    let mut newer = (now, here);
    let mut known = 0;
    for &(at, was) in places {
        while known < N && micros(at, now) >= (ages_s[known] * 1e6) as i64 {
            let share = (now.secs_since(at) - ages_s[known]) / newer.0.secs_since(at);
            found[known] = (here - was.lerp(newer.1, share)) / ages_s[known];
            known += 1;
        }
        if known == N {
            return found;
        }
        newer = (at, was);
    }
    let span_s = now.secs_since(newer.0);
    if span_s > 0.0 {
        found[known..].fill((here - newer.1) / span_s);
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
