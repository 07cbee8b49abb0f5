//! Shots and bursts, for as long as they are seen.

use reckoning::{DVec3, SimTime};

use super::affine::Affine;
use super::colours::HillsColours;
use super::frame::Frame;
use super::models::Model;

/// Length of a tracer, and half its width.
const TRACER_M: f64 = 9.0;
const HALF_M: f64 = 0.09;
/// How long a burst is seen, and how large it gets.
const BURST_S: f64 = 0.7;
const SHELL_BURST_M: f64 = 6.0;
const SPARK_M: f64 = 1.1;
/// Effects at a time at most: the oldest go first.
const MOST: usize = 96;

#[derive(Clone, Copy, Debug)]
struct Tracer {
    from: DVec3,
    to: DVec3,
    speed_mps: f64,
    at: SimTime,
}

#[derive(Clone, Copy, Debug)]
struct Burst {
    place: DVec3,
    size_m: f64,
    at: SimTime,
}

/// What flies and flashes at present.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    tracers: Vec<Tracer>,
    bursts: Vec<Burst>,
}

impl Effects {
    /// A gun was fired from here to there.
    pub fn shoot(&mut self, now: SimTime, from: DVec3, to: DVec3, speed_mps: f64) {
        if self.tracers.len() == MOST {
            self.tracers.remove(0);
        }
        self.tracers.push(Tracer { from, to, speed_mps: speed_mps.max(1.0), at: now });
        let flight_us = from.distance(to) / speed_mps.max(1.0) * 1e6;
        let lands = SimTime::from_micros(now.as_micros() + flight_us as i64);
        self.flash(lands, to, SPARK_M);
    }

    /// A shell burst.
    pub fn burst(&mut self, now: SimTime, place: DVec3) {
        self.flash(now, place, SHELL_BURST_M);
    }

    fn flash(&mut self, at: SimTime, place: DVec3, size_m: f64) {
        if self.bursts.len() == MOST {
            self.bursts.remove(0);
        }
        self.bursts.push(Burst { place, size_m, at });
    }

    /// How many there are, for those who count.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.tracers.len() + self.bursts.len()
    }

    /// Drops what is past.
    pub fn clean(&mut self, now: SimTime) {
        self.tracers
            .retain(|it| now.secs_since(it.at) * it.speed_mps < it.from.distance(it.to) + TRACER_M);
        self.bursts.retain(|it| now.secs_since(it.at) < BURST_S);
    }

    /// Puts them into the picture.
    pub fn add_to(&self, frame: &mut Frame, now: SimTime, colours: &HillsColours) {
        for tracer in &self.tracers {
            add_tracer(frame, tracer, now, colours);
        }
        for burst in &self.bursts {
            let age = now.secs_since(burst.at) / BURST_S;
            if (0.0..1.0).contains(&age) {
                let size = burst.size_m * (0.3 + 0.7 * age);
                let axes = [DVec3::X * size, DVec3::Y * size, DVec3::Z * size];
                let ball = Affine { axes, origin: burst.place };
                frame.add(Model::Ball, &ball, colours.fire, (0.85 * (1.0 - age)) as f32);
            }
        }
    }
}

fn add_tracer(frame: &mut Frame, tracer: &Tracer, now: SimTime, colours: &HillsColours) {
    let way = tracer.to - tracer.from;
    let (length_m, along) = (way.length(), way.normalize_or(DVec3::X));
    let head_m = now.secs_since(tracer.at) * tracer.speed_mps;
    let tail_m = (head_m - TRACER_M).max(0.0);
    if head_m < 0.0 || tail_m >= length_m {
        return;
    }
    let head_m = head_m.min(length_m).max(tail_m + 0.1);
    let left = DVec3::Z.cross(along).normalize_or(DVec3::Y);
    let axes = [along * (0.5 * (head_m - tail_m)), left * HALF_M, along.cross(left) * HALF_M];
    let origin = tracer.from + along * (0.5 * (head_m + tail_m));
    frame.add(Model::Block, &Affine { axes, origin }, colours.fire, 1.0);
}

#[cfg(test)]
mod tests {
    use super::super::colours::DARK;
    use super::super::frame::INSTANCE_BYTES;
    use super::*;
    use crate::testing::ms;

    fn drawn(effects: &Effects, now: SimTime) -> [usize; 2] {
        let mut frame = Frame::default();
        effects.add_to(&mut frame, now, &DARK);
        [Model::Block, Model::Ball]
            .map(|it| frame.instances(it).iter().map(|list| list.len() / INSTANCE_BYTES).sum())
    }

    #[test]
    fn a_shot_flies_and_strikes_where_it_ends() {
        let mut effects = Effects::default();
        effects.shoot(ms(0), DVec3::ZERO, DVec3::X * 100.0, 200.0);
        assert_eq!(drawn(&effects, ms(250)), [1, 0]);
        assert_eq!(drawn(&effects, ms(600)), [0, 1]);
        effects.clean(ms(2_000));
        assert_eq!(effects.count(), 0);
    }

    #[test]
    fn a_battle_of_hours_leaves_little_behind() {
        let mut effects = Effects::default();
        for shot in 0..10_000 {
            effects.shoot(ms(shot), DVec3::ZERO, DVec3::X, 100.0);
            effects.burst(ms(shot), DVec3::Y);
        }
        assert!(effects.count() <= 2 * MOST);
    }
}
