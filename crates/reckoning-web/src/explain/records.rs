//! Short memories of a step: what was sent, how wrong pictures were, where they have been.

use reckoning::{DVec3, SimTime};

use super::TICKS_PER_S;

/// Marks are kept this long, as long as they are drawn.
const LANE_S: f64 = 6.0;
/// Places of a trail: two seconds.
const TRAIL_PLACES: usize = 2 * TICKS_PER_S as usize;

/// Something that was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// When.
    pub at: SimTime,
    /// Whether the network lost it.
    pub is_lost: bool,
}

/// What was sent one way of late.
#[derive(Clone, Debug)]
pub struct Lane {
    marks: Vec<Mark>,
    since: SimTime,
    /// Sent since the figures began, and of those lost.
    pub sent: u64,
    /// See `sent`.
    pub lost: u64,
}

impl Lane {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { marks: Vec::new(), since: SimTime::ZERO, sent: 0, lost: 0 }
    }

    /// How long marks are kept, in seconds.
    pub const SPAN_S: f64 = LANE_S;

    /// Notes that something was sent.
    pub fn note(&mut self, at: SimTime, is_lost: bool) {
        self.sent += 1;
        self.lost += u64::from(is_lost);
        let is_old = |it: &Mark| at.secs_since(it.at) > LANE_S;
        if self.marks.first().is_some_and(is_old) {
            self.marks.remove(0); // no more than one comes a tick
        }
        self.marks.push(Mark { at, is_lost });
    }

    /// Oldest first.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The last one.
    #[must_use]
    pub fn newest(&self) -> Option<&Mark> {
        self.marks.last()
    }

    /// Figures begin anew; what is drawn stays.
    pub fn reset(&mut self, now: SimTime) {
        (self.since, self.sent, self.lost) = (now, 0, 0);
    }

    /// Sent per second, over the last six or since the figures began.
    #[must_use]
    pub fn per_s(&self, now: SimTime) -> f64 {
        let span_s = now.secs_since(self.since).min(LANE_S);
        if span_s < 0.5 {
            return 0.0; // too short to say
        }
        let recent = |it: &&Mark| now.secs_since(it.at) < span_s;
        self.marks.iter().filter(recent).count() as f64 / span_s
    }
}

impl Default for Lane {
    fn default() -> Self {
        Self::new()
    }
}

/// A number over the last seconds, a value for each tick.
#[derive(Clone, Debug)]
pub struct Recent {
    values: Vec<f64>,
    places: usize,
}

impl Recent {
    /// Over so many seconds.
    #[must_use]
    pub const fn over_s(seconds: usize) -> Self {
        Self { values: Vec::new(), places: seconds * TICKS_PER_S as usize }
    }

    /// The value of this tick.
    pub fn note(&mut self, value: f64) {
        push(&mut self.values, value, self.places);
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        self.values.clear();
    }

    /// The newest; zero before there is one.
    #[must_use]
    pub fn newest(&self) -> f64 {
        self.values.last().copied().unwrap_or_default()
    }

    /// The mean; zero of nothing.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// The largest; zero of nothing.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }
}

/// Where something was drawn of late, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Trail(Vec<DVec3>);

impl Trail {
    /// It is here now.
    pub fn note(&mut self, place: DVec3) {
        push(&mut self.0, place, TRAIL_PLACES);
    }

    /// Oldest first.
    #[must_use]
    pub fn places(&self) -> &[DVec3] {
        &self.0
    }
}

/// The newest last, and no more than so many. Moving some hundred numbers up costs less than the
/// code of a ring would cost on the wire.
fn push<T>(list: &mut Vec<T>, value: T, most: usize) {
    if list.len() >= most {
        list.remove(0);
    }
    list.push(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;

    #[test]
    fn rates_are_of_the_last_seconds_and_begin_anew_with_the_figures() {
        let mut lane = Lane::new();
        for tenth in 1..=100 {
            lane.note(ms(tenth * 100), tenth % 10 == 0);
        }
        assert!((lane.per_s(ms(10_000)) - 10.0).abs() < 0.01);
        assert_eq!((lane.sent, lane.lost), (100, 10));
        lane.reset(ms(10_000));
        assert_eq!((lane.sent, lane.per_s(ms(10_100))), (0, 0.0));
        lane.note(ms(10_500), false);
        assert_eq!(lane.per_s(ms(11_000)), 1.0);
        assert!(lane.marks().len() > 50, "what is drawn stays");
    }

    #[test]
    fn old_values_are_forgotten() {
        let mut recent = Recent::over_s(1);
        assert_eq!((recent.mean(), recent.largest(), recent.newest()), (0.0, 0.0, 0.0));
        recent.note(50.0);
        (0..60).for_each(|_| recent.note(2.0));
        assert_eq!((recent.mean(), recent.largest()), (2.0, 2.0));
    }
}
