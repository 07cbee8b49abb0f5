//! What is sent first when the budget is too short for all: what the peer sees, and nobody never.

use reckoning_net::{AimCapsule, Camera, DVec3, EntityId, Kinematics, PeerId, SimTime};

use crate::world::{Luck, World, config, said_in};

const PEER: PeerId = PeerId(1);
const BODIES: usize = 200;

/// Bodies all around that change their course every now and then.
struct Crowd {
    bodies: Vec<EntityId>,
    states: Vec<Kinematics>,
    luck: Luck,
}

impl Crowd {
    fn new(world: &mut World, luck: Luck) -> Self {
        let mut crowd = Self { bodies: Vec::new(), states: Vec::new(), luck };
        for _ in 0..BODIES {
            let angle = crowd.luck.unit() * std::f64::consts::TAU;
            let (sin, cos) = libm::sincos(angle);
            let place = DVec3::new(cos, sin, 0.0) * (6.0 + 150.0 * crowd.luck.unit());
            crowd.bodies.push(world.spawn(place));
            crowd.states.push(Kinematics::at_rest(world.now, place));
        }
        crowd
    }

    fn step(&mut self, world: &mut World) {
        for (body, state) in self.bodies.iter().zip(&mut self.states) {
            let span_s = world.now.secs_since(state.at);
            if self.luck.below(100) == 0 {
                let (sin, cos) = libm::sincos(self.luck.unit() * std::f64::consts::TAU);
                state.velocity = DVec3::new(cos, sin, 0.0) * (1.0 + 6.0 * self.luck.unit());
            }
            state.position += state.velocity * span_s;
            state.at = world.now;
            world.host.observe(*body, state);
        }
    }
}

/// What was measured over a run.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    /// Mean error in milliradians of what is in the cone, and of the rest.
    seen_mrad: f64,
    unseen_mrad: f64,
    /// The longest that a body waited for an update, in seconds.
    worst_age_s: f64,
    updates_per_s: f64,
}

fn camera() -> Camera {
    let mut camera = Camera::new(DVec3::ZERO, DVec3::X);
    camera.aim = Some(AimCapsule { length_m: 100.0, radius_m: 3.0, weight: 4.0 });
    camera
}

fn measure(budget: u32, looks: bool) -> Measured {
    let mut config = config();
    config.bytes_per_s = 200_000;
    let mut world = World::new(config, 1, "delay=30", u64::from(budget));
    let mut crowd = Crowd::new(&mut world, Luck(u64::from(budget)));
    let view = camera();
    let in_cone = |place: DVec3| place.x >= place.length() * libm::cos(view.half_angle_rad);
    if looks {
        assert_eq!(world.host.set_camera(PEER, view), Ok(true));
    }
    let (mut sums, mut counts, mut updates) = ([0.0; 2], [0.0; 2], 0.0);
    let (mut last, mut worst_age_s) = (vec![None; BODIES], 0.0_f64);
    for frame in 0..6_000 {
        if frame == 200 {
            world.host.set_budget(world.now, PEER, budget); // all have entered
        }
        crowd.step(&mut world);
        let now = world.now;
        world.step(|_, _, datagram| {
            for (body, _) in said_in(datagram).iter().filter(|_| frame >= 1_000) {
                let place = crowd.bodies.iter().position(|it| it == body).unwrap();
                let before: Option<SimTime> = last[place].replace(now);
                worst_age_s = worst_age_s.max(before.map_or(0.0, |at| now.secs_since(at)));
                updates += 1.0;
            }
        });
        if frame < 1_000 || frame % 10 > 0 {
            continue;
        }
        for (body, truth) in crowd.bodies.iter().zip(&crowd.states) {
            let shown = world.clients[0].session.shown(*body, now).unwrap().position;
            let place = truth.position;
            let error_rad = shown.distance(place) / place.length().max(view.near_m);
            let group = usize::from(!in_cone(place));
            sums[group] += error_rad * 1e3;
            counts[group] += 1.0;
        }
    }
    Measured {
        seen_mrad: sums[0] / counts[0],
        unseen_mrad: sums[1] / counts[1],
        worst_age_s,
        updates_per_s: updates / 50.0,
    }
}

#[test]
fn with_a_camera_less_error_is_seen_for_the_same_budget() {
    println!("200 bodies, a right angle in view; errors in mrad as the peer would see them");
    println!("bytes/s | no camera: seen, unseen, worst age | camera: seen, unseen, worst age");
    for budget in [500, 1_000, 1_500] {
        let (blind, looks) = (measure(budget, false), measure(budget, true));
        println!(
            "{budget:>7} | {:>15.1} {:>7.1} {:>9.1} s | {:>12.1} {:>7.1} {:>9.1} s",
            blind.seen_mrad,
            blind.unseen_mrad,
            blind.worst_age_s,
            looks.seen_mrad,
            looks.unseen_mrad,
            looks.worst_age_s
        );
        assert!(looks.seen_mrad < blind.seen_mrad * 0.8, "{budget}: {blind:?} {looks:?}");
        // All taking turns would be served once in this time.
        let turn_s = BODIES as f64 / looks.updates_per_s;
        assert!(looks.worst_age_s < 6.0 * turn_s, "{budget}: {looks:?}, a turn is {turn_s} s");
    }
}

/// Slow bodies among many that err a hundred times as much.
#[test]
fn nobody_starves_behind_those_who_err_more() {
    let mut config = config();
    config.bytes_per_s = 200_000;
    let mut world = World::new(config, 1, "delay=30", 8);
    let bodies: Vec<_> = (0..100).map(|n| world.spawn(DVec3::Y * f64::from(n))).collect();
    let (mut last, mut worst_s, mut updates) = (vec![SimTime::ZERO; 100], 0.0_f64, 0);
    for frame in 0..20_000 {
        let now = world.now;
        if frame == 200 {
            world.host.set_budget(now, PEER, 600);
        }
        for (n, body) in bodies.iter().enumerate() {
            // Ten crawl to and fro, the others race.
            let (reach_m, rate) = if n % 10 == 0 { (0.6, 0.2) } else { (40.0, 1.0) };
            let (sin, cos) = libm::sincos(rate * now.as_secs_f64() + n as f64);
            let place = DVec3::new(sin * reach_m, n as f64, 0.0);
            let velocity = DVec3::X * (cos * reach_m * rate);
            world.host.observe(*body, &Kinematics::moving(now, place, velocity));
        }
        world.step(|_, _, datagram| {
            for (body, _) in said_in(datagram) {
                let place = bodies.iter().position(|it| *it == body).unwrap();
                let before = std::mem::replace(&mut last[place], now);
                if frame >= 2_000 {
                    worst_s = worst_s.max(now.secs_since(before));
                    updates += 1;
                }
            }
        });
    }
    let turn_s = 100.0 / (f64::from(updates) / 180.0);
    let waiting = last.iter().map(|at| world.now.secs_since(*at)).fold(worst_s, f64::max);
    println!("a turn takes {turn_s:.1} s; the longest wait was {waiting:.1} s");
    assert!(waiting < 6.0 * turn_s, "{waiting} s, a turn is {turn_s} s");
}
