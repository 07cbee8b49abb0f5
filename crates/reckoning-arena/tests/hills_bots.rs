//! What bots of the hills do, as anyone who watches them would say.

use std::collections::{BTreeMap, BTreeSet};

use reckoning::math::{angle_between, rotation};
use reckoning::{DVec3, Terrain};
use reckoning_arena::hills::{
    Body, BodyId, Craft, DriverInput, HillsBots, HillsEvent, HillsLevel, HillsWorld,
};

const SECONDS: u32 = 180;
const TICK_S: f64 = 1.0 / 60.0;

fn game(bots: usize, seed: u64) -> (HillsWorld, HillsBots) {
    let mut world = HillsWorld::new(HillsLevel::built_in(), seed);
    for number in 0..bots {
        let craft = if number % 3 == 2 { Craft::Car } else { Craft::Tank };
        world.try_join(craft, false).unwrap();
    }
    (world, HillsBots::new(seed))
}

/// Plays and shows each step: the body before and after, and what its bot did. Who was not alive all
/// through the step is left out.
fn watch(
    (world, bots): &mut (HillsWorld, HillsBots),
    seconds: u32,
    mut seen: impl FnMut(u32, &HillsWorld, &Body, &Body, Option<&DriverInput>),
) {
    for tick in 0..seconds * 60 {
        let inputs = bots.decide(world).to_vec();
        let before = world.bodies().to_vec();
        world.step(&inputs);
        for (was, is) in before.iter().zip(world.bodies()) {
            if was.is_alive && is.is_alive && was.since_tick == is.since_tick {
                let input = inputs.iter().find(|it| it.0 == is.id).map(|it| &it.1);
                seen(tick, world, was, is, input);
            }
        }
    }
}

#[derive(Default)]
struct Life {
    way_m: f64,
    climbed_m: f64,
    steps: u32,
    stuck_steps: u32,
}

#[derive(Default)]
struct Watched {
    lives: BTreeMap<BodyId, Life>,
    on_bridges: BTreeSet<BodyId>,
    in_tunnels: BTreeSet<BodyId>,
    bends_mps: Vec<f64>,
    straights_mps: Vec<f64>,
    slides: u32,
}

impl Watched {
    fn over(seed: u64) -> (Self, HillsWorld) {
        let mut all = Self::default();
        let mut game = game(16, seed);
        watch(&mut game, SECONDS, |_, world, was, is, input| {
            if let Some(input) = input {
                all.note(world, was, is, input);
            }
        });
        (all, game.0)
    }

    fn note(&mut self, world: &HillsWorld, was: &Body, is: &Body, input: &DriverInput) {
        let (step, speed_mps) = (is.position - was.position, is.velocity.length());
        let life = self.lives.entry(is.id).or_default();
        life.way_m += step.length();
        life.climbed_m += step.z.max(0.0);
        life.steps += 1;
        life.stuck_steps += u32::from(input.throttle.abs() > 0.25 && speed_mps < 0.5);
        if is.craft == Craft::Car {
            let turn = is.angular_velocity.z.abs();
            match turn {
                _ if turn > 0.6 && speed_mps > 1.0 => self.bends_mps.push(speed_mps),
                _ if turn < 0.05 && input.throttle > 0.9 => self.straights_mps.push(speed_mps),
                _ => {}
            }
            self.slides += u32::from(is.velocity.dot(is.orientation * DVec3::Y).abs() > 2.0);
        }
        let ground = world.level().ground();
        let bed_m = ground.field().ground_below(is.position).unwrap().point.z;
        if is.position.z > bed_m + 4.0 {
            self.on_bridges.insert(is.id);
        }
        if ground.in_tunnel(is.position + DVec3::Z) {
            self.in_tunnels.insert(is.id);
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[test]
fn bots_get_about_climb_and_are_seldom_stuck() {
    for seed in 1..=3 {
        let (all, _) = Watched::over(seed);
        for (id, life) in &all.lives {
            let stuck_s = 60.0 * f64::from(life.stuck_steps) / f64::from(life.steps);
            assert!(life.way_m > 500.0, "seed {seed}: {id:?} went {} m", life.way_m);
            assert!(stuck_s < 5.0, "seed {seed}: {id:?} is stuck for {stuck_s} s a minute");
        }
        let stuck: u32 = all.lives.values().map(|it| it.stuck_steps).sum();
        let steps: u32 = all.lives.values().map(|it| it.steps).sum();
        let stuck_s = 60.0 * f64::from(stuck) / f64::from(steps);
        assert!(stuck_s < 2.0, "seed {seed}: stuck for {stuck_s} s of each minute");
        let climbed_m = median(all.lives.values().map(|it| it.climbed_m).collect());
        assert!(climbed_m > 30.0, "seed {seed}: half of them climbed less than {climbed_m} m");
        assert!(!all.on_bridges.is_empty(), "seed {seed}: nobody took a bridge");
        assert!(!all.in_tunnels.is_empty(), "seed {seed}: nobody took the tunnel");
    }
}

#[test]
fn cars_are_slow_in_bends_fast_between_them_and_seldom_slide() {
    let (all, world) = Watched::over(4);
    let top_mps = world.level().file().car.speed_mps;
    let (bends, straights) = (median(all.bends_mps), median(all.straights_mps));
    assert!(bends < 0.5 * top_mps, "half of the bends are faster than {bends} m/s");
    assert!(straights > 1.2 * bends, "{straights} m/s between bends, {bends} m/s in them");
    let steps: u32 = world
        .bodies()
        .iter()
        .filter(|it| it.craft == Craft::Car)
        .map(|it| all.lives[&it.id].steps)
        .sum();
    assert!(all.slides < steps / 50, "{} of {steps} steps are slides", all.slides);
}

#[test]
fn bots_meet_within_twenty_seconds_and_fight() {
    for seed in 1..=3 {
        let (mut world, mut bots) = game(16, seed);
        let (mut hits, mut deaths, mut lobs, mut first) = (0, 0, 0, None);
        for tick in 0..SECONDS * 60 {
            let inputs = bots.decide(&world).to_vec();
            world.step(&inputs);
            for event in world.events() {
                match event {
                    HillsEvent::Hit { .. } => hits += 1,
                    HillsEvent::Died { .. } => deaths += 1,
                    HillsEvent::Lobbed { .. } => lobs += 1,
                    HillsEvent::Fired { .. } => _ = first.get_or_insert(tick),
                    _ => {}
                }
            }
        }
        assert!(first.is_some_and(|it| it < 20 * 60), "seed {seed}: first shot in step {first:?}");
        assert!(hits > 100 && deaths > 10, "seed {seed}: {hits} hits, {deaths} deaths");
        assert!(lobs > 20, "seed {seed}: {lobs} shells");
    }
}

#[test]
fn what_bodies_say_of_their_motion_is_what_they_did() {
    for seed in 5..=6 {
        watch(&mut game(16, seed), SECONDS, |tick, _, was, is, _| {
            let at = format!("seed {seed} tick {tick}: {:?} {:?}", is.craft, is.position);
            let step = is.position - was.position;
            assert!((step - is.velocity * TICK_S).length() < 1e-9, "{at} went {step}");
            let told = rotation(is.angular_velocity * TICK_S) * was.orientation;
            let off_rad = angle_between(told, is.orientation);
            assert!(off_rad < 1e-6, "{at} turned by {off_rad} more than it says");
            if is.craft.is_driven() {
                assert!(step.z.abs() < 0.25, "{at} went up or down by {} m", step.z);
                let turn = is.angular_velocity.length();
                assert!(turn < 6.0, "{at} turned by {turn} rad/s");
            }
        });
    }
}

#[test]
fn a_bot_without_opponents_drives_and_does_not_shoot() {
    let mut game = game(1, 3);
    let mut way_m = 0.0;
    watch(&mut game, 60, |tick, _, was, is, input| {
        if let Some(input) = input {
            way_m += was.position.distance(is.position);
            assert!(!input.fire && !input.lob, "in tick {tick}");
        }
    });
    assert!(way_m > 200.0, "{way_m} m");
}
