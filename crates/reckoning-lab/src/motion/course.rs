//! Flat courses made of legs: speed up, slow down or turn, one at a time.
//!
//! On a leg either the speed changes evenly along a straight line, or the heading changes
//! evenly at constant speed. Both have closed forms, so a course is exact at any time.

use reckoning::{DVec3, Kinematics, SimTime};

use super::facing;

/// One piece of a course.
#[derive(Clone, Copy, Debug)]
pub(super) struct CourseLeg {
    length_s: f64,
    push_mps2: f64,
    turn_radps: f64,
}

impl CourseLeg {
    /// Straight on, speeding up by `push_mps2`; negative brakes.
    pub(super) const fn push(length_s: f64, push_mps2: f64) -> Self {
        Self { length_s, push_mps2, turn_radps: 0.0 }
    }

    /// Turning at constant speed; positive is to the left.
    pub(super) const fn turn(length_s: f64, turn_radps: f64) -> Self {
        Self { length_s, push_mps2: 0.0, turn_radps }
    }
}

/// How a body moves at the beginning of a leg.
#[derive(Clone, Copy, Debug)]
struct Start {
    at_s: f64,
    position: DVec3,
    heading_rad: f64,
    speed_mps: f64,
    leg: CourseLeg,
}

impl Start {
    fn heading_after(&self, t_s: f64) -> f64 {
        self.heading_rad + self.leg.turn_radps * t_s
    }

    fn speed_after(&self, t_s: f64) -> f64 {
        self.speed_mps + self.leg.push_mps2 * t_s
    }

    fn position_after(&self, t_s: f64) -> DVec3 {
        let rate = self.leg.turn_radps;
        if rate == 0.0 {
            let far_m = (self.speed_mps + 0.5 * self.leg.push_mps2 * t_s) * t_s;
            return self.position + along(self.heading_rad) * far_m;
        }
        let (from_sin, from_cos) = libm::sincos(self.heading_rad);
        let (to_sin, to_cos) = libm::sincos(self.heading_after(t_s));
        let swept = DVec3::new(to_sin - from_sin, from_cos - to_cos, 0.0);
        self.position + swept * (self.speed_mps / rate)
    }

    fn truth(&self, at: SimTime) -> Kinematics {
        let t_s = at.as_secs_f64() - self.at_s;
        let heading = self.heading_after(t_s);
        let (forward, speed_mps) = (along(heading), self.speed_after(t_s));
        let leftward = DVec3::Z.cross(forward);
        Kinematics {
            at,
            position: self.position_after(t_s),
            velocity: forward * speed_mps,
            acceleration: forward * self.leg.push_mps2
                + leftward * (speed_mps * self.leg.turn_radps),
            orientation: facing(heading),
            angular_velocity: DVec3::Z * self.leg.turn_radps,
        }
    }

    /// Where the next leg begins.
    fn next(&self, leg: CourseLeg) -> Self {
        let t_s = self.leg.length_s;
        Self {
            at_s: self.at_s + t_s,
            position: self.position_after(t_s),
            heading_rad: self.heading_after(t_s),
            speed_mps: self.speed_after(t_s),
            leg,
        }
    }
}

/// A sequence of legs, repeated.
#[derive(Clone, Debug)]
pub(super) struct ScriptedCourse {
    starts: Vec<Start>,
}

impl ScriptedCourse {
    /// Repeats `legs` until the course is at least `length_s` long, starting at the origin.
    pub(super) fn new(speed_mps: f64, heading_rad: f64, legs: &[CourseLeg], length_s: f64) -> Self {
        let mut around = legs.iter().copied().cycle();
        let leg = around.next().unwrap_or(CourseLeg::push(1.0, 0.0));
        let mut last = Start { at_s: 0.0, position: DVec3::ZERO, heading_rad, speed_mps, leg };
        let mut starts = vec![last];
        while last.at_s + last.leg.length_s <= length_s {
            last = last.next(around.next().unwrap_or(leg));
            starts.push(last);
        }
        Self { starts }
    }

    /// How the body moves at `at`, which is not before the start.
    pub(super) fn truth(&self, at: SimTime) -> Kinematics {
        let t_s = at.as_secs_f64();
        let index = self.starts.partition_point(|start| start.at_s <= t_s).max(1) - 1;
        self.starts[index].truth(at)
    }
}

fn along(heading_rad: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(heading_rad);
    DVec3::new(cos, sin, 0.0)
}
