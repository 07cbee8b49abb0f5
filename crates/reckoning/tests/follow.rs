//! What may be relied on of a body that follows its ghost.

mod common;

use common::cases;
use proptest::prelude::*;
use reckoning::follow::FollowAction;
use reckoning::math::{angle_between, cos, rotation, sin};
use reckoning::{DQuat, DVec3, Follower, FollowerConfig, Kinematics, SimTime};

/// A physics engine with one body, and a follower that steers it.
struct Physics {
    follower: Follower,
    body: Kinematics,
    hz: u32,
    tick: i64,
    teleports: u32,
}

impl Physics {
    fn new(body: Kinematics, hz: u32) -> Self {
        let follower = Follower::new(FollowerConfig::default()).unwrap();
        Self { follower, body, hz, tick: 0, teleports: 0 }
    }

    fn now(&self) -> SimTime {
        SimTime::from_tick(self.tick, self.hz)
    }

    /// One step; checks that every cap holds.
    fn step(&mut self, shown: impl Fn(SimTime) -> Kinematics) {
        let (now, next) = (self.now(), SimTime::from_tick(self.tick + 1, self.hz));
        let step_s = next.secs_since(now);
        let before = self.body;
        let travel = (shown(next).position - shown(now).position) / step_s;
        match self.follower.steer(&self.body, &shown(now), &shown(next)) {
            FollowAction::Velocity { velocity, angular_velocity } => {
                self.check(&before, velocity, angular_velocity, travel, step_s);
                (self.body.velocity, self.body.angular_velocity) = (velocity, angular_velocity);
            }
            FollowAction::Teleport(state) => {
                self.body = state;
                self.teleports += 1;
            }
        }
        self.body.position += self.body.velocity * step_s;
        let turn = rotation(self.body.angular_velocity * step_s);
        self.body.orientation = (turn * self.body.orientation).normalize();
        self.tick += 1;
    }

    fn check(&self, was: &Kinematics, velocity: DVec3, spin: DVec3, travel: DVec3, step_s: f64) {
        let config = self.follower.config();
        let change = (velocity - was.velocity).length() / step_s;
        assert!(change <= config.max_acceleration_mps2 * 1.000_001, "{change} m/s^2");
        let change = (spin - was.angular_velocity).length() / step_s;
        assert!(change <= config.max_angular_acceleration_radps2 * 1.000_001, "{change} rad/s^2");
        let most = travel.length() + config.max_excess_speed_mps;
        let speed = velocity.length();
        assert!(speed <= most.max(was.velocity.length()) + 1e-9, "{speed} m/s");
    }

    fn run(&mut self, seconds: f64, shown: impl Fn(SimTime) -> Kinematics) {
        let until = self.now().as_secs_f64() + seconds;
        while self.now().as_secs_f64() < until {
            self.step(&shown);
        }
    }

    fn off_m(&self, shown: impl Fn(SimTime) -> Kinematics) -> f64 {
        self.body.position.distance(shown(self.now()).position)
    }
}

/// Runs in a wavy line and turns.
fn runner(at: SimTime) -> Kinematics {
    let t_s = at.as_secs_f64();
    Kinematics {
        orientation: rotation(DVec3::Z * 0.8 * t_s),
        angular_velocity: DVec3::Z * 0.8,
        ..Kinematics::moving(
            at,
            DVec3::new(5.0 * t_s, 3.0 * sin(2.0 * t_s), 0.0),
            DVec3::new(5.0, 6.0 * cos(2.0 * t_s), 0.0),
        )
    }
}

fn straight(at: SimTime) -> Kinematics {
    let velocity = DVec3::new(8.0, -3.0, 1.0);
    Kinematics::moving(at, velocity * at.as_secs_f64(), velocity)
}

#[test]
fn a_body_stays_on_a_ghost_that_turns_and_runs() {
    for hz in [30, 60, 144, 240] {
        let mut physics = Physics::new(runner(SimTime::ZERO), hz);
        for _ in 0..300 {
            physics.step(runner);
            assert!(physics.off_m(runner) < 1e-9, "at {hz} Hz, tick {}", physics.tick);
        }
        let turned = angle_between(physics.body.orientation, runner(physics.now()).orientation);
        assert!(turned < 1e-6, "{turned} rad at {hz} Hz");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_body_converges_on_a_moving_ghost_and_does_not_overshoot(
        (x, y, z) in (-5.0..5.0, -5.0..5.0, -5.0..5.0_f64),
        hz in prop::sample::select(&[30_u32, 60, 144, 240][..]),
    ) {
        let away = DVec3::new(x, y, z);
        let body = Kinematics { position: away, ..straight(SimTime::ZERO) };
        let mut physics = Physics::new(body, hz);
        let side = away.normalize_or_zero();
        let mut before = away.length();
        for _ in 0..2 * hz {
            physics.step(straight);
            let off = physics.body.position - straight(physics.now()).position;
            prop_assert!(off.dot(side) > -1e-9, "past it by {} at tick {}", off, physics.tick);
            prop_assert!(off.length() <= before + 1e-9, "further off at tick {}", physics.tick);
            before = off.length();
        }
        prop_assert!(before < 1e-3, "{} m off", before);
        prop_assert_eq!(physics.teleports, 0);
    }

    #[test]
    fn a_body_that_a_collision_pushed_away_comes_back(
        (vx, vy) in (-20.0..20.0, -20.0..20.0_f64),
        (wx, wz) in (-12.0..12.0, -12.0..12.0_f64),
        hz in prop::sample::select(&[30_u32, 60, 144][..]),
    ) {
        let mut physics = Physics::new(runner(SimTime::ZERO), hz);
        physics.run(0.5, runner);
        physics.body.velocity += DVec3::new(vx, vy, 0.0);
        physics.body.angular_velocity += DVec3::new(wx, 0.0, wz);
        physics.run(3.0, runner);
        prop_assert!(physics.off_m(runner) < 0.01, "{} m off", physics.off_m(runner));
        let turned = angle_between(physics.body.orientation, runner(physics.now()).orientation);
        prop_assert!(turned < 0.01, "{} rad", turned);
        prop_assert_eq!(physics.teleports, 0);
    }

    #[test]
    fn the_frame_rate_matters_no_more_than_two_steps_at_the_excess_speed(
        (x, y) in (-6.0..6.0, -6.0..6.0_f64),
        (vx, vy) in (-10.0..10.0, -10.0..10.0_f64),
    ) {
        let start = Kinematics {
            position: DVec3::new(x, y, 0.0),
            velocity: DVec3::new(vx, vy, 0.0),
            ..runner(SimTime::ZERO)
        };
        let track = |hz: u32| -> Vec<DVec3> {
            let mut physics = Physics::new(start, hz);
            let at_tenths = (0..20).map(|_| {
                (0..hz / 10).for_each(|_| physics.step(runner));
                physics.body.position
            });
            at_tenths.collect()
        };
        let fine = track(480);
        for hz in [30, 60, 120] {
            let most_m = FollowerConfig::default().max_excess_speed_mps * 2.0 / f64::from(hz);
            for (tenth, (a, b)) in track(hz).iter().zip(&fine).enumerate() {
                let apart_m = a.distance(*b);
                prop_assert!(apart_m <= most_m, "{apart_m} m at {hz} Hz after {tenth} tenths");
            }
        }
    }
}

#[test]
fn while_no_cap_holds_the_frame_rate_does_not_matter() {
    let track = |hz: u32| {
        let body = Kinematics { position: DVec3::Y * 0.2, ..straight(SimTime::ZERO) };
        let mut physics = Physics::new(body, hz);
        // As if it had followed before: at the velocity that closes in.
        physics.body.velocity -= DVec3::Y * (0.2 / 0.15);
        physics.run(0.5, straight);
        physics.body.position
    };
    assert!(track(30).distance(track(240)) < 1e-5, "{}", track(30).distance(track(240)));
}

#[test]
fn a_body_too_far_from_its_ghost_is_put_there() {
    let far = Kinematics::at_rest(SimTime::ZERO, DVec3::Y * 10.5);
    let mut physics = Physics::new(far, 60);
    physics.step(straight);
    assert_eq!(physics.teleports, 1);
    assert!(physics.off_m(straight) < 1e-9);
}

#[test]
fn a_ghost_that_leaps_takes_its_body_along() {
    let leaps = |at: SimTime| {
        let beyond = if at > SimTime::ZERO { DVec3::X * 50.0 } else { DVec3::ZERO };
        Kinematics::at_rest(at, beyond)
    };
    let mut physics = Physics::new(leaps(SimTime::ZERO), 60);
    physics.step(leaps);
    assert_eq!((physics.teleports, physics.off_m(leaps)), (1, 0.0));
}

#[test]
fn a_body_that_is_not_finite_is_put_where_its_ghost_is() {
    let broken = [
        Kinematics { position: DVec3::NAN, ..straight(SimTime::ZERO) },
        Kinematics { velocity: DVec3::INFINITY, ..straight(SimTime::ZERO) },
        Kinematics { orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..straight(SimTime::ZERO) },
    ];
    for body in broken {
        let mut physics = Physics::new(body, 60);
        physics.step(straight);
        assert_eq!(physics.teleports, 1);
        assert!(physics.off_m(straight) < 1e-9);
    }
}
