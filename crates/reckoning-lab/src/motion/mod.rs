//! Motions whose truth is known at every tick.
//!
//! Each one is hard on dead reckoning in its own way, from a straight run, which every
//! model but one gets right for ever, to a walk that changes its mind. Velocity and
//! acceleration are those of the path itself, not differences of frames: what a game's
//! physics would hand over.
//!
//! - flat courses are made of [legs](course), solved exactly;
//! - hops and the orbit are formulas;
//! - the walk is [simulated](walk) at the tick rate and seeded.

mod course;
mod walk;

use std::f64::consts::{PI, TAU};

use reckoning::{DQuat, DVec3, Kinematics, SimTime};

use course::{CourseLeg, ScriptedCourse};

/// Ticks per second of every motion here.
pub const TICK_HZ: u32 = 60;

/// What pulls a hopping runner down.
pub(crate) const GRAVITY_MPS2: f64 = 9.81;

/// A built-in motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Motion {
    /// A run at 6 m/s that never turns.
    Straight,
    /// 8 m/s round a circle of 10 m radius.
    Circle,
    /// A race: up to 60 m/s, hard braking, and a turn of 10 m radius at 12 m/s.
    Hairpin,
    /// A run at 8 m/s that brakes hard, stands, and goes on.
    StopAndGo,
    /// A run at 6 m/s that turns by a right angle every second and a quarter.
    Zigzag,
    /// A straight run at 6 m/s with a leap of one second every second and a half.
    Jump,
    /// An ellipse 120 m long and tilted, flown round in 12 seconds.
    Orbit,
    /// A player on foot: goals, pauses, changes of pace, dodges.
    Walk {
        /// Seeds where and when.
        seed: u64,
    },
}

impl Motion {
    /// Every motion, for tables; the walk with a seed of its own.
    pub const ALL: [Self; 8] = [
        Self::Straight,
        Self::Circle,
        Self::Hairpin,
        Self::StopAndGo,
        Self::Zigzag,
        Self::Jump,
        Self::Orbit,
        Self::Walk { seed: 11 },
    ];

    /// Its name in tables and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Circle => "circle",
            Self::Hairpin => "hairpin",
            Self::StopAndGo => "stop-and-go",
            Self::Zigzag => "zigzag",
            Self::Jump => "jump",
            Self::Orbit => "orbit",
            Self::Walk { .. } => "walk",
        }
    }

    /// What it is, in a few words.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Straight => "6 m/s, never turning",
            Self::Circle => "8 m/s round a circle of 10 m radius",
            Self::Hairpin => "racing up to 60 m/s, braking into turns of 10 m radius",
            Self::StopAndGo => "8 m/s, braking at 8 m/s2, standing, starting again",
            Self::Zigzag => "6 m/s, a right angle every 1.25 s",
            Self::Jump => "6 m/s with leaps of one second",
            Self::Orbit => "a tilted ellipse of 120 m by 80 m in 12 s",
            Self::Walk { .. } => "a player on foot: goals, pauses, changes of pace, dodges",
        }
    }

    /// No motion of this kind is faster.
    #[must_use]
    pub const fn top_speed_mps(self) -> f64 {
        match self {
            Self::Straight | Self::Zigzag => 6.0,
            Self::Circle | Self::StopAndGo => 8.0,
            Self::Hairpin => 60.0,
            Self::Jump => 7.8,
            Self::Orbit => 31.5,
            Self::Walk { .. } => walk::TOP_SPEED_MPS,
        }
    }

    /// The truth at ticks 0 to `ticks`, both included.
    #[must_use]
    pub fn track(self, ticks: u32) -> Vec<Kinematics> {
        let at = |tick| SimTime::from_tick(i64::from(tick), TICK_HZ);
        let sampled = |truth: &dyn Fn(SimTime) -> Kinematics| {
            (0..=ticks).map(|tick| truth(at(tick))).collect()
        };
        match self {
            Self::Jump => sampled(&jump_at),
            Self::Orbit => sampled(&orbit_at),
            Self::Walk { seed } => walk::track(seed, ticks),
            flat => {
                let course = flat.course(at(ticks).as_secs_f64());
                sampled(&|at| course.truth(at))
            }
        }
    }

    /// The legs of a flat motion, repeated for at least `length_s`.
    fn course(self, length_s: f64) -> ScriptedCourse {
        match self {
            Self::Circle => {
                ScriptedCourse::new(8.0, 0.0, &[CourseLeg::turn(TAU / 0.8, 0.8)], length_s)
            }
            Self::Hairpin => ScriptedCourse::new(12.0, 0.0, &HAIRPIN, length_s),
            Self::StopAndGo => ScriptedCourse::new(0.0, 0.3, &STOP_AND_GO, length_s),
            Self::Zigzag => ScriptedCourse::new(6.0, -PI / 4.0, &ZIGZAG, length_s),
            // Leaps and orbits are formulas; a runner without them runs straight.
            _ => ScriptedCourse::new(6.0, 0.3, &[CourseLeg::push(1.0, 0.0)], length_s),
        }
    }
}

/// Half a lap each way: 6 s of speeding up, 4 s of braking, a turn through 180 degrees.
const HAIRPIN: [CourseLeg; 6] = [
    CourseLeg::push(6.0, 8.0),
    CourseLeg::push(4.0, -12.0),
    CourseLeg::turn(PI / 1.2, 1.2),
    CourseLeg::push(6.0, 8.0),
    CourseLeg::push(4.0, -12.0),
    CourseLeg::turn(PI / 1.2, -1.2),
];

/// The sums are exact in binary, so that standing is a speed of exactly zero.
const STOP_AND_GO: [CourseLeg; 4] = [
    CourseLeg::push(2.0, 4.0),
    CourseLeg::push(1.5, 0.0),
    CourseLeg::push(1.0, -8.0),
    CourseLeg::push(1.5, 0.0),
];

/// A second straight on and a quarter of a second for each corner.
const ZIGZAG: [CourseLeg; 4] = [
    CourseLeg::push(1.0, 0.0),
    CourseLeg::turn(0.25, TAU),
    CourseLeg::push(1.0, 0.0),
    CourseLeg::turn(0.25, -TAU),
];

/// Half a second on the ground, then a leap that lasts one second.
fn jump_at(at: SimTime) -> Kinematics {
    let t_s = at.as_secs_f64();
    let air_s = libm::fmod(t_s, 1.5) - 0.5;
    let run = Kinematics::moving(at, DVec3::X * (6.0 * t_s), DVec3::X * 6.0);
    if air_s <= 0.0 {
        return run;
    }
    let height_m = 0.5 * GRAVITY_MPS2 * air_s * (1.0 - air_s);
    let climb_mps = 0.5 * GRAVITY_MPS2 - GRAVITY_MPS2 * air_s;
    Kinematics {
        position: run.position.with_z(height_m),
        velocity: run.velocity.with_z(climb_mps),
        acceleration: DVec3::NEG_Z * GRAVITY_MPS2,
        ..run
    }
}

/// Steady in the angle of an ellipse that is tilted by 40 degrees about `x`; looks where it
/// flies.
fn orbit_at(at: SimTime) -> Kinematics {
    let rate = TAU / 12.0;
    let tilt = turn_about(DVec3::X, 40.0_f64.to_radians());
    let (sin, cos) = libm::sincos(rate * at.as_secs_f64());
    let position = DVec3::new(60.0 * cos, 40.0 * sin, 0.0);
    let velocity = DVec3::new(-60.0 * sin, 40.0 * cos, 0.0) * rate;
    let acceleration = position * (-rate * rate);
    let turning = velocity.cross(acceleration) / velocity.length_squared();
    let heading_rad = libm::atan2(velocity.y, velocity.x);
    Kinematics {
        at,
        position: tilt * position,
        velocity: tilt * velocity,
        acceleration: tilt * acceleration,
        orientation: tilt * facing(heading_rad),
        angular_velocity: tilt * turning,
    }
}

/// The orientation of a body that looks along `heading_rad`, counter-clockwise from `x`.
fn facing(heading_rad: f64) -> DQuat {
    turn_about(DVec3::Z, heading_rad)
}

/// The rotation by `angle_rad` about a unit vector.
fn turn_about(axis: DVec3, angle_rad: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle_rad);
    let axis = axis * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT_S: f64 = 1.0 / 60.0;
    const HALF_MINUTE: u32 = 30 * TICK_HZ;

    /// Pairs of neighbouring truths, with a label for messages.
    fn steps() -> impl Iterator<Item = (String, Kinematics, Kinematics)> {
        let walks = (0..20).map(|seed| Motion::Walk { seed });
        Motion::ALL.into_iter().chain(walks).flat_map(|motion| {
            let track = motion.track(HALF_MINUTE);
            let label = move |k: &Kinematics| format!("{motion:?} at {}", k.at);
            (1..track.len()).map(|i| (label(&track[i]), track[i - 1], track[i])).collect::<Vec<_>>()
        })
    }

    /// Take-off and landing are blows: the velocity changes at once, as it does in games.
    fn is_a_blow(one: &Kinematics, two: &Kinematics) -> bool {
        (one.position.z == 0.0) != (two.position.z == 0.0)
    }

    #[test]
    fn nothing_moves_farther_than_its_top_speed_allows() {
        for motion in Motion::ALL {
            let top_mps = motion.top_speed_mps();
            for pair in motion.track(HALF_MINUTE).windows(2) {
                let far_m = (pair[1].position - pair[0].position).length();
                assert!(far_m <= top_mps * DT_S * 1.01, "{motion:?} at {}: {far_m} m", pair[1].at);
                assert!(pair[0].velocity.length() <= top_mps * 1.000_001, "{motion:?}");
            }
        }
    }

    #[test]
    fn every_motion_comes_close_to_its_top_speed() {
        for motion in Motion::ALL {
            let speeds = motion.track(HALF_MINUTE).into_iter().map(|k| k.velocity.length());
            let fastest = speeds.fold(0.0, f64::max);
            assert!(fastest > 0.85 * motion.top_speed_mps(), "{motion:?}: {fastest} m/s");
        }
    }

    #[test]
    fn velocity_is_the_slope_of_position() {
        for (label, one, two) in steps().filter(|(_, one, two)| !is_a_blow(one, two)) {
            let slope = (two.position - one.position) / two.at.secs_since(one.at);
            let mean = (one.velocity + two.velocity) * 0.5;
            // Corners of the acceleration are off by at most an eighth of its jump times dt.
            let allowed = 0.25 * DT_S * (one.acceleration - two.acceleration).length() + 2e-2;
            assert!((slope - mean).length() < allowed, "{label}: {slope} is not {mean}");
        }
    }

    #[test]
    fn acceleration_is_the_slope_of_velocity() {
        for (label, one, two) in steps().filter(|(_, one, two)| !is_a_blow(one, two)) {
            let slope = (two.velocity - one.velocity) / two.at.secs_since(one.at);
            let off = (slope - (one.acceleration + two.acceleration) * 0.5).length();
            let corner = (one.acceleration - two.acceleration).length();
            assert!(off <= 0.5 * corner + 0.05, "{label}: off by {off} m/s2");
        }
    }

    #[test]
    fn turning_is_the_slope_of_orientation() {
        for (label, one, two) in steps() {
            let turned_rad = reckoning::math::angle_between(one.orientation, two.orientation);
            let fastest = one.angular_velocity.length().max(two.angular_velocity.length());
            // A tick is rounded to a microsecond.
            assert!(turned_rad <= fastest * DT_S + 1e-5, "{label}: {turned_rad} rad");
        }
    }

    #[test]
    fn courses_look_where_they_go() {
        for motion in [Motion::Circle, Motion::Hairpin, Motion::Zigzag, Motion::Orbit] {
            for truth in motion.track(HALF_MINUTE) {
                let ahead = truth.orientation * DVec3::X;
                let along = ahead.dot(truth.velocity.normalize());
                assert!(along > 1.0 - 1e-9, "{motion:?} at {}: {along}", truth.at);
            }
        }
    }

    #[test]
    fn those_that_stand_really_stand() {
        for motion in [Motion::StopAndGo, Motion::Walk { seed: 11 }] {
            let track = motion.track(HALF_MINUTE);
            let still = track.iter().filter(|k| k.velocity == DVec3::ZERO).count();
            assert!(still > 2 * TICK_HZ as usize, "{motion:?} stands for {still} ticks");
        }
    }

    #[test]
    fn a_leap_goes_up_and_comes_down_to_the_floor() {
        let heights: Vec<f64> =
            Motion::Jump.track(HALF_MINUTE).iter().map(|k| k.position.z).collect();
        let highest = heights.iter().copied().fold(0.0, f64::max);
        assert!((highest - 9.81 / 8.0).abs() < 0.01, "{highest} m");
        assert!(heights.iter().all(|z| *z >= 0.0));
        assert_eq!(heights[90], 0.0);
    }
}
