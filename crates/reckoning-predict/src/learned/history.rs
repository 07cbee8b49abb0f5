//! Recent positions of a body.

use alloc::boxed::Box;

use glam::DVec3;

use reckoning::SimTime;

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

/// A moment, and where the body was.
type TimedPosition = (SimTime, DVec3);

/// The recent places of one body.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The spacing leaves 60 at most.
    seen: Ring<64>,
    /// And 11 here.
    lately: Ring<16>,
}

impl History {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, as after a teleport.
    pub fn restart(&mut self) {
        self.seen.count = 0;
        self.lately.count = 0;
    }

    /// Takes in where the body is. A moment that is not later than the last, and a gap that
    /// is longer than the memory, start anew.
    pub fn observe(&mut self, at: SimTime, position: DVec3) {
        let gap_us = if self.seen.count > 0 { micros(self.seen.back(0).0, at) } else { 1 };
        if !(1..=REACH_US).contains(&gap_us) {
            self.restart();
        }
        self.seen.keep((at, position), SPACING_US, REACH_US);
        self.lately.keep((at, position), LATELY_SPACING_US, LATELY_US);
    }

    /// The mean velocity over each of the rising `ages_s`, or over what is remembered if
    /// that is shorter; zero for a body seen once.
    pub(super) fn velocities<const N: usize>(&self, ages_s: [f64; N]) -> [DVec3; N] {
        self.seen.velocities(ages_s)
    }

    /// The same over ages of a frame or two.
    pub(super) fn late_velocities<const N: usize>(&self, ages_s: [f64; N]) -> [DVec3; N] {
        self.lately.velocities(ages_s)
    }

    /// The way from the oldest place to `here`.
    pub(super) fn way(&self, here: DVec3) -> DVec3 {
        self.seen.oldest().map_or(DVec3::ZERO, |oldest| here - oldest.1)
    }

    /// Seconds that are remembered.
    pub(super) fn span_s(&self) -> f64 {
        self.seen.oldest().map_or(0.0, |first| self.seen.back(0).0.secs_since(first.0))
    }
}

/// From then to now. Whole numbers: this is asked for every body and frame.
const fn micros(then: SimTime, now: SimTime) -> i64 {
    now.as_micros().saturating_sub(then.as_micros())
}

/// The last places, at most `N` of them, which is a power of two: told every frame, so
/// neither length nor bounds are looked up.
#[derive(Clone, Debug)]
struct Ring<const N: usize> {
    places: Box<[TimedPosition; N]>,
    /// Where the newest stands.
    newest: usize,
    count: usize,
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self { places: Box::new([(SimTime::ZERO, DVec3::ZERO); N]), newest: 0, count: 0 }
    }
}

impl<const N: usize> Ring<N> {
    /// The place that so many newer ones follow.
    #[inline]
    fn back(&self, newer: usize) -> &TimedPosition {
        &self.places[self.newest.wrapping_sub(newer) % N]
    }

    fn oldest(&self) -> Option<&TimedPosition> {
        (self.count > 0).then(|| self.back(self.count - 1))
    }

    /// Adds a place to a list that reaches so far back.
    #[inline]
    fn keep(&mut self, now: TimedPosition, spacing_us: i64, reach_us: i64) {
        let crowded = self.count >= 2 && micros(self.back(1).0, self.back(0).0) < spacing_us;
        if !crowded {
            self.newest = (self.newest + 1) % N;
            self.count = (self.count + 1).min(N);
        }
        self.places[self.newest % N] = now;
        while self.count > 2 && micros(self.back(self.count - 2).0, now.0) > reach_us {
            self.count -= 1;
        }
    }

    fn velocities<const M: usize>(&self, ages_s: [f64; M]) -> [DVec3; M] {
        let mut found = [DVec3::ZERO; M];
        let Some(&(first, start)) = self.oldest() else { return found };
        let &(now, here) = self.back(0);
        let age_us = |newer: usize| micros(self.back(newer).0, now);
        let span_us = micros(first, now) as f64;
        // Places are spread about evenly, so this is nearly where an age is found.
        let per_us = (self.count - 1) as f64 / span_us;
        for (found, age_s) in found.iter_mut().zip(ages_s) {
            let wanted_us = age_s * 1e6;
            if span_us < wanted_us {
                if span_us > 0.0 {
                    *found = (here - start) * (1e6 / span_us);
                }
                continue;
            }
            let is_old = |newer: usize| age_us(newer) >= wanted_us as i64;
            let mut place = ((wanted_us * per_us) as usize).clamp(1, self.count - 1);
            while place < self.count - 1 && !is_old(place) {
                place += 1;
            }
            while place > 1 && is_old(place - 1) {
                place -= 1;
            }
            let (old_us, new_us) = (age_us(place) as f64, age_us(place - 1) as f64);
            let share = (old_us - wanted_us) / (old_us - new_us);
            let then = self.back(place).1.lerp(self.back(place - 1).1, share);
            *found = (here - then) * (1.0 / age_s);
        }
        found
    }
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
            assert!(history.seen.count <= 60 && history.span_s() >= 1.6, "{hertz}");
        }
    }

    #[test]
    fn a_gap_or_a_step_back_in_time_starts_anew() {
        let mut history = History::new();
        for millis in [0, 100, 200, 5_000, 4_000] {
            history.observe(SimTime::from_millis(millis), DVec3::ZERO);
        }
        assert_eq!(history.seen.count, 1);
    }
}
