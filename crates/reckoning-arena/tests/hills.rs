//! What the rules of the hills promise.

use reckoning::ground::{ClampDetail, ClampMode, GroundClampConfig, Pose};
use reckoning::math::{cos, rotation, sin};
use reckoning::{GroundClamp, SimTime};
use reckoning_arena::DVec3;
use reckoning_arena::hills::{
    Body, BodyId, HillsBots, HillsEvent, HillsLevel, HillsWorld, depth_m, within_walls,
};
use reckoning_arena::hills::{Craft, DriverInput, Part};

fn game(bots: usize, seed: u64) -> (HillsWorld, HillsBots) {
    let mut world = HillsWorld::new(HillsLevel::built_in(), seed);
    for number in 0..bots {
        let craft = if number % 3 == 2 { Craft::Car } else { Craft::Tank };
        world.try_join(craft, false).unwrap();
    }
    (world, HillsBots::new(seed))
}

fn depth_of(body: &Body, world: &HillsWorld) -> f64 {
    let pose = Pose { position: body.position, orientation: body.orientation };
    depth_m(body.craft, pose, world.level().ground())
}

#[test]
fn driven_bodies_stand_on_the_ground_out_of_the_lake_and_inside() {
    for seed in 1..=3 {
        let (mut world, mut bots) = game(16, seed);
        for tick in 0..3600 {
            let inputs = bots.decide(&world).to_vec();
            world.step(&inputs);
            let level = world.level();
            for body in world.bodies().iter().filter(|it| it.craft.is_grounded() && it.is_alive) {
                let at = body.position;
                assert!(depth_of(body, &world).abs() < 0.01, "seed {seed} tick {tick}: {body:?}");
                assert!(at.z > level.file().water_m - 0.5, "seed {seed} tick {tick}: {body:?}");
                let inside = |it: f64| (0.0..=level.size_m()).contains(&it);
                assert!(inside(at.x) && inside(at.y), "seed {seed} tick {tick}: {body:?}");
            }
        }
    }
}

/// Numbers from 0 to 1 that are the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// As watchers set a picture onto the ground.
fn set_onto_ground(craft: Craft, pose: Pose, level: &HillsLevel) -> Pose {
    let mut config = GroundClampConfig::default();
    (config.mode, config.footprint) = (ClampMode::Always, craft.footprint().unwrap());
    let mut clamp = GroundClamp::new(config).unwrap();
    let pose = within_walls(craft, pose, level);
    clamp.clamp_with(pose, level.ground().as_ref(), ClampDetail::AllPoints, SimTime::ZERO)
}

#[test]
fn a_picture_however_wrong_stands_on_the_ground_and_not_in_it() {
    let level = HillsLevel::built_in();
    let mut next = numbers(1);
    for number in 0..60_000 {
        let craft = [Craft::Tank, Craft::Car, Craft::Merchant][number % 3];
        // Both bridges, the tunnel, its ends, and everywhere.
        let [x, y, wide, long] = [
            [140.0, 290.0, 220.0, 20.0],
            [130.0, 390.0, 240.0, 20.0],
            [785.0, 560.0, 30.0, 280.0],
            [790.0, 570.0, 20.0, 20.0],
            [-5.0, -5.0, 1034.0, 1034.0],
        ][number % 5];
        let (x, y) = (x + wide * next(), y + long * next());
        let z = level.height_m(x, y) + 30.0 * (next() - 0.5);
        let lean = DVec3::new(next() - 0.5, next() - 0.5, 0.0) * 0.8;
        let orientation = rotation(DVec3::Z * (next() * 6.3)) * rotation(lean);
        let pose = Pose { position: DVec3::new(x, y, z), orientation };
        let shown = set_onto_ground(craft, pose, &level);
        let deep_m = depth_m(craft, shown, level.ground());
        assert!(deep_m < 0.05, "{number}: {craft:?} {deep_m} m deep, {pose:?} shown at {shown:?}");
    }
}

#[test]
fn everyone_is_born_and_the_scenery_moves() {
    let (mut world, _) = game(4, 1);
    world.step(&[]);
    let born = world.events().iter().filter(|it| matches!(it, HillsEvent::Born { .. })).count();
    assert_eq!(born, 4);
    let before: Vec<_> = world.bodies().to_vec();
    for _ in 0..60 {
        world.step(&[(before[0].id, DriverInput::default())]);
    }
    for (was, is) in before.iter().zip(world.bodies()) {
        let far_m = was.position.distance(is.position);
        assert!(is.craft.is_driven() || far_m > 1.0, "{:?} went {far_m} m", is.craft);
        assert!(is.position.is_finite() && is.orientation.is_normalized());
    }
}

fn refusal(from: &str, to: &str) -> String {
    let text = HillsLevel::built_in_text();
    assert!(text.contains(from), "the built-in level has no `{from}`");
    HillsLevel::parse(&text.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_level_is_named_with_its_value_and_a_remedy() {
    for (from, to, said) in [
        ("detail = 2", "detail = 9", "ground.detail is 9; give a number from 1 to 8"),
        ("name = \"flock\"", "name = \"geese\"", "there is no route called `flock`; add one"),
        ("water_m = 6.0", "water_m = 60.0", "m under water; move it to dry land or lower water_m"),
        ("acceleration_mps2 = 6.5", "acceleration_mps2 = 2.5", "climb_deg 32 needs 5.7; raise"),
        ("to = [345.0, 300.0, 11.2]", "to = [345.0, 300.0, 31.2]", "they must meet within 1.5 m"),
        ("heights = \"\"\"\n", "heights = \"\"\"\n7 x\n", "row 1 of ground.heights has `x`"),
        ("heights = \"\"\"\n", "heights = \"\"\"\n7 8\n", "where row 1 has 2; every row needs"),
        ("height_m = 7.0", "height_m = 1.0", "height_m of tunnel `ridge tunnel` is 1; give"),
    ] {
        let got = refusal(from, to);
        assert!(got.contains(said), "{to}: {got}");
    }
}

/// Two tanks that were just born, the first of team 0 and the second of team 1.
fn duel(level: HillsLevel) -> (HillsWorld, [BodyId; 2]) {
    let mut world = HillsWorld::new(level, 1);
    let ids = [(); 2].map(|()| world.try_join(Craft::Tank, false).unwrap());
    world.step(&[]);
    (world, ids)
}

fn happened(world: &HillsWorld, what: impl Fn(&HillsEvent) -> bool) -> bool {
    world.events().iter().any(what)
}

#[test]
fn who_is_destroyed_gives_a_point_and_is_back_after_the_pause() {
    let (mut world, [a, b]) = duel(HillsLevel::built_in());
    world.hit(b, a, Part::Hull, 1e6);
    assert_eq!((world.points(), world.body(a).unwrap().kills), ([1, 0], 1));
    let mut steps = 0;
    while !world.body(b).unwrap().is_alive {
        assert!(steps < 600, "still not back");
        world.step(&[]);
        steps += 1;
    }
    assert_eq!(steps, (60.0 * world.level().file().rules.respawn_s) as u32);
    let body = world.body(b).unwrap();
    assert_eq!((body.health, body.deaths), (world.level().file().rules.health, 1));
}

#[test]
fn a_hit_on_the_turret_takes_half_as_much_again_and_none_harms_its_own_team() {
    let (mut world, [a, b]) = duel(HillsLevel::built_in());
    let c = world.try_join(Craft::Car, false).unwrap();
    world.step(&[]);
    let health = |world: &HillsWorld, id| world.body(id).unwrap().health;
    world.hit(b, a, Part::Hull, 10.0);
    assert_eq!(health(&world, b), 90.0);
    world.hit(b, a, Part::Turret, 10.0);
    assert_eq!(health(&world, b), 75.0);
    assert_eq!(world.body(c).unwrap().team, 0);
    world.hit(c, a, Part::Hull, 10.0);
    assert_eq!(health(&world, c), 100.0, "a and c are of one team");
}

#[test]
fn a_round_ends_with_enough_points_or_when_its_time_is_over() {
    let mut file = HillsLevel::built_in().file().clone();
    (file.rules.points_to_win, file.rules.round_s, file.rules.respawn_s) = (2, 5.0, 0.1);
    let (mut world, [a, b]) = duel(HillsLevel::from_file(file).unwrap());
    for _ in 0..2 {
        world.hit(a, b, Part::Hull, 1e6);
        (0..10).for_each(|_| {
            let won = happened(&world, |it| *it == HillsEvent::RoundOver { winner: Some(1) });
            if !won {
                world.step(&[]);
            }
        });
    }
    assert!(happened(&world, |it| *it == HillsEvent::RoundOver { winner: Some(1) }));
    assert_eq!(world.points(), [0, 0]);
    let counted = [a, b].map(|id| world.body(id).map(|it| (it.kills, it.deaths)));
    assert_eq!(counted, [Some((0, 0)); 2], "kills add up to points in every round");
    for step in 1..=300 {
        world.step(&[]);
        let over = happened(&world, |it| *it == HillsEvent::RoundOver { winner: None });
        assert_eq!(over, step == 300, "in step {step}");
    }
}

#[test]
fn a_shell_bursts_where_its_landing_says() {
    let (mut world, [a, _]) = duel(HillsLevel::built_in());
    for (turn, tilt) in [(0.3, 0.3), (2.0, 0.5), (-1.5, 0.15)] {
        let aim = DVec3::new(cos(turn), sin(turn), tilt);
        (0..240).for_each(|_| world.step(&[(a, DriverInput { aim, ..DriverInput::default() })]));
        world.step(&[(a, DriverInput { aim, lob: true, ..DriverInput::default() })]);
        let shell = *world.shells().first().expect("it was lobbed");
        let (flight_s, lands) = HillsWorld::landing(world.level(), shell.from, shell.velocity);
        let mut steps = 0;
        let at = loop {
            assert!(steps < 1200, "it never bursts");
            world.step(&[]);
            steps += 1;
            let burst = world.events().iter().find_map(|it| match it {
                HillsEvent::Burst { at, .. } => Some(*at),
                _ => None,
            });
            if let Some(at) = burst {
                break at;
            }
        };
        assert!(at.distance(lands) < 1e-9, "{at} instead of {lands}");
        assert!((f64::from(steps) / 60.0 - flight_s).abs() < 0.02, "{steps} steps, {flight_s} s");
    }
}

#[test]
fn a_crowd_at_its_spawn_points_parts_without_bursting() {
    let (mut world, _) = game(HillsWorld::MAX_DRIVERS, 5);
    world.step(&[]);
    let born: Vec<Body> = world.bodies().to_vec();
    (0..300).for_each(|_| world.step(&[]));
    for (was, is) in born.iter().zip(world.bodies()).filter(|it| it.1.craft.is_driven()) {
        let far_m = was.position.distance(is.position);
        assert!(far_m < 12.0, "{:?} was pushed by {far_m} m", is.id);
    }
}

/// A number that any other motion, health or aim would change.
fn digest(seed: u64) -> u64 {
    let (mut world, mut bots) = game(16, seed);
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..120 * 60 {
        let inputs = bots.decide(&world).to_vec();
        world.step(&inputs);
        for it in world.bodies() {
            let [x, y, z] = it.position.to_array();
            let [i, j, k, w] = it.orientation.to_array();
            for value in [x, y, z, i, j, k, w, it.health, it.aim.turret_rad, it.aim.barrel_rad] {
                digest = (digest ^ value.to_bits()).wrapping_mul(0x0100_0000_01B3);
            }
        }
    }
    digest
}

#[test]
fn two_minutes_of_bots_are_the_same_again_and_others_with_another_seed() {
    let first = digest(11);
    assert_eq!(first, digest(11));
    assert_ne!(first, digest(12));
}
