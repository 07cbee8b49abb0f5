//! Contract of every behaviour.

use std::time::Duration;

use proptest::prelude::*;
use reckoning::{CurveBasis, DVec3, Kinematics, Model, SimTime};
use reckoning_predict::{
    Behaviour, Interest, InterestConfig, InterestHybrid, Item, KnownBody, Outline, PatternsHybrid,
    Pheromone, PheromoneConfig, PheromoneMap, Restores, Routes, RoutesConfig, Scene, Sighting,
    TrendMap, TrendMapConfig, Trended, TrendedConfig, Wall, Walls,
};

use crate::{Scatter, assert_near, at, ekb, oaekb, player, roll, ticks};

fn all() -> Vec<Behaviour> {
    let interest = Interest::new(InterestConfig::default()).unwrap();
    vec![
        Behaviour::Straight,
        Behaviour::Patterns(ekb()),
        Behaviour::Patterns(oaekb()),
        Behaviour::PatternsHybrid(PatternsHybrid::new(oaekb())),
        Behaviour::Interest(interest),
        Behaviour::InterestHybrid(InterestHybrid::new(interest)),
        Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default()).unwrap()),
        Behaviour::Trended(Trended::new(TrendedConfig::default()).unwrap()),
    ]
}

/// A level 2000 across with twelve boxes, and all that can be known of it.
struct Level {
    walls: Walls,
    routes: Routes,
    trends: TrendMap,
    trails: PheromoneMap,
}

fn level(random: &mut Scatter) -> Level {
    let boxes: Vec<Wall<'_>> = (0..12)
        .map(|_| Outline::Box {
            center: random.place(2000.0),
            half_x_m: random.between(20.0, 200.0),
            half_y_m: random.between(20.0, 200.0),
            yaw_rad: random.between(0.0, 3.0),
        })
        .map(Wall::from)
        .collect();
    let walls = Walls::new(boxes).unwrap();
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m, config.goals) = (40.0, 10.0, 64);
    let routes = Routes::new(walls.clone(), config).unwrap();
    let mut trails = PheromoneMap::new(DVec3::ZERO, 40.0, 50, 50, Duration::from_secs(9)).unwrap();
    let seen: Vec<Sighting> = (0..500)
        .map(|_| Sighting {
            position: random.place(2000.0),
            velocity: random.place(200.0) - at(100.0, 100.0),
            acceleration: random.place(20.0),
        })
        .collect();
    for s in &seen {
        trails.deposit(s.position, 1.0);
    }
    let trends = TrendMap::new(&seen, &TrendMapConfig::default()).unwrap();
    Level { walls, routes, trends, trails }
}

impl Level {
    fn scene<'a>(&'a self, bodies: &'a [KnownBody], items: &'a [Item]) -> Scene<'a> {
        let mut scene = Scene::new(bodies, items);
        scene.walls = Some(&self.walls);
        scene.routes = Some(&self.routes);
        scene.trends = Some(&self.trends);
        scene.pheromones = Some(&self.trails);
        scene
    }
}

/// Players outside all boxes.
fn outside(random: &mut Scatter, level: &Level, count: u32) -> Vec<KnownBody> {
    let mut bodies = random.players(count, 2000.0);
    for body in &mut bodies {
        while level.walls.inside(body.kinematics.position) {
            body.kinematics.position = random.place(2000.0);
        }
    }
    bodies
}

#[test]
fn play_patterns_never_exceed_top_speed_even_if_the_last_known_velocity_did() {
    let mut random = Scatter::new(21);
    for scene in 0..60 {
        let level = level(&mut random);
        let mut bodies = outside(&mut random, &level, 12);
        bodies[0].kinematics.velocity *= 3.0;
        bodies[0].top_speed_mps = 200.0;
        for behaviour in [Behaviour::Patterns(ekb()), Behaviour::Patterns(oaekb())] {
            let mut before = bodies[0].kinematics.position;
            for (tick, place) in
                ticks(&behaviour, &level.scene(&bodies, &[]), 126).into_iter().enumerate()
            {
                let speed = before.distance(place) * 60.0;
                assert!(speed <= 200.0 + 1e-6, "scene {scene}, tick {tick}: {speed}");
                before = place;
            }
        }
    }
}

#[test]
fn behaviours_that_know_walls_never_go_through_them() {
    let mut random = Scatter::new(22);
    let knowing = [
        Behaviour::Patterns(oaekb()),
        Behaviour::Pheromone(Pheromone::new(PheromoneConfig::default()).unwrap()),
        Behaviour::Trended(Trended::new(TrendedConfig::default()).unwrap()),
    ];
    for n in 0..120 {
        let level = level(&mut random);
        let bodies = outside(&mut random, &level, 12);
        let scene = level.scene(&bodies, &[]);
        for (kind, behaviour) in knowing.iter().enumerate() {
            // At the ends of their slices; no box is thinner than a slice is long.
            let hz = [60, 10, 30][kind];
            let horizons_s: Vec<f64> = (1..=2 * hz).map(|n| f64::from(n) / f64::from(hz)).collect();
            for (step, place) in roll(behaviour, &scene, &horizons_s).into_iter().enumerate() {
                assert!(!level.walls.inside(place), "scene {n}, {kind}, step {step}: {place}");
            }
        }
    }
}

#[test]
fn a_room_of_thin_walls_keeps_whoever_is_in_it() {
    let mut random = Scatter::new(26);
    for n in 0..60 {
        let corner = |c: f64| {
            let angle = c * std::f64::consts::TAU / 7.0 + f64::from(n);
            at(libm::cos(angle), libm::sin(angle)) * 150.0
        };
        let sides = (0..7).map(|c| Outline::Line(corner(f64::from(c)), corner(f64::from(c + 1))));
        let walls = Walls::new(sides.map(Wall::from)).unwrap();
        let mut bodies = random.players(8, 1500.0);
        for body in &mut bodies {
            body.kinematics.position -= at(750.0, 750.0);
        }
        bodies[0].kinematics.position =
            at(random.between(-90.0, 90.0), random.between(-90.0, 90.0));
        let mut scene = Scene::new(&bodies, &[]);
        scene.walls = Some(&walls);
        for (tick, place) in
            ticks(&Behaviour::Patterns(oaekb()), &scene, 900).into_iter().enumerate()
        {
            assert!(walls.sees(DVec3::ZERO, place), "room {n}, tick {tick}: {place}");
        }
    }
}

#[test]
fn a_player_finds_the_way_round_the_wall_to_his_friend() {
    let corners = [at(-400.0, -400.0), at(400.0, -400.0), at(400.0, 400.0), at(-400.0, 400.0)];
    let outer = (0..4).map(|c| Outline::Line(corners[c], corners[(c + 1) % 4]));
    let inner = Outline::Line(at(0.0, -400.0), at(0.0, 200.0));
    let walls = Walls::new(outer.chain([inner]).map(Wall::from)).unwrap();
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m) = (32.0, 16.0);
    let routes = Routes::new(walls.clone(), config).unwrap();
    let bodies =
        [player(0, 0, at(-150.0, 0.0), DVec3::ZERO), player(1, 0, at(150.0, 0.0), DVec3::ZERO)];
    let mut scene = Scene::new(&bodies, &[]);
    (scene.walls, scene.routes) = (Some(&walls), Some(&routes));
    let path = ticks(&Behaviour::Patterns(oaekb()), &scene, 600);
    assert!(path.iter().all(|p| p.x < 0.0 || path[0].x > 0.0 || p.y > -1.0), "round the top");
    let crossing = path.iter().find(|p| p.x > 0.0).expect("gets to the other side");
    assert!(crossing.y > 200.0, "{crossing}");
    assert_near(path[599], at(150.0, 0.0), 40.0);

    let blind = ticks(&Behaviour::Patterns(ekb()), &scene, 600);
    assert!(blind.iter().find(|p| p.x > 0.0).unwrap().y < 1.0, "EKB goes through");
}

#[test]
fn a_player_between_two_ways_does_not_stand_for_ever() {
    // On the way round the end of the wall, follow and bravery wait on opposite sides.
    let bodies = [
        player(0, 0, at(0.0, 0.0), at(0.0, -120.0)),
        player(1, 0, at(300.0, 0.0), DVec3::ZERO),
        player(2, 1, at(80.0, -200.0), DVec3::ZERO),
    ];
    let wall = Outline::Line(at(150.0, -80.0), at(150.0, 400.0));
    let walls = Walls::new([Wall::from(wall)]).unwrap();
    let mut config = RoutesConfig::default();
    (config.cell_m, config.clearance_m) = (32.0, 20.0);
    let routes = Routes::new(walls.clone(), config).unwrap();
    let mut scene = Scene::new(&bodies, &[]);
    (scene.walls, scene.routes) = (Some(&walls), Some(&routes));
    let path = ticks(&Behaviour::Patterns(oaekb()), &scene, 240);
    assert!(path[239].x > 190.0, "{}", path[239]);
}

#[test]
fn one_pass_gives_what_each_horizon_alone_gives_in_any_order() {
    let mut random = Scatter::new(23);
    let level = level(&mut random);
    let mut bodies = outside(&mut random, &level, 12);
    bodies[0].steady = Duration::from_millis(700);
    let items = [Item { position: at(700.0, 800.0), restores: Restores::Ammo, worth: 4.0 }];
    let scene = level.scene(&bodies, &items);
    let horizons_s = [0.0, 0.3, 0.6, 2.1, 0.9, 0.017, 1.2, 1.2];
    for behaviour in all() {
        let together = roll(&behaviour, &scene, &horizons_s);
        assert_eq!(together[0], bodies[0].kinematics.position);
        for (&horizon_s, &place) in horizons_s.iter().zip(&together) {
            let alone = roll(&behaviour, &scene, &[horizon_s])[0];
            assert_eq!(alone, place, "{behaviour:?} at {horizon_s}");
        }
    }
}

#[test]
fn the_dead_stay_and_the_unknown_are_said_to_be_so() {
    let mut bodies = Scatter::new(24).players(4, 500.0);
    bodies[0].alive = false;
    let scene = Scene::new(&bodies, &[]);
    for behaviour in all() {
        assert_eq!(roll(&behaviour, &scene, &[1.0])[0], bodies[0].kinematics.position);
        let mut out = [DVec3::ONE];
        assert!(!behaviour.roll_out(&scene, 99, &[1.0], &mut out));
        assert_eq!(out, [DVec3::ONE]);
        assert_eq!(behaviour.planned_curve(&scene, 99, 2.0, CurveBasis::THREE), None);
    }
}

#[test]
fn a_plan_is_a_curve_that_follows_the_rollout() {
    let mut random = Scatter::new(25);
    let level = level(&mut random);
    let bodies = outside(&mut random, &level, 12);
    let scene = level.scene(&bodies, &[]);
    let horizons_s: Vec<f64> = (1..=20).map(|n| f64::from(n) * 0.1).collect();
    for behaviour in all() {
        let plan = behaviour.planned_curve(&scene, 0, 2.0, CurveBasis::FOUR).unwrap();
        assert!(matches!(plan, Model::Curve(_)));
        let seen = &bodies[0].kinematics;
        let places = roll(&behaviour, &scene, &horizons_s);
        let length = seen.position.distance(places[19]).max(200.0);
        for (&t_s, &place) in horizons_s.iter().zip(&places) {
            let off =
                plan.position_at(seen, seen.at + Duration::from_secs_f64(t_s)).distance(place);
            assert!(off < 0.06 * length, "{behaviour:?} at {t_s}: {off} of {length}");
        }
    }
    let still = Behaviour::Straight.planned_curve(&scene, 0, f64::NAN, CurveBasis::FOUR).unwrap();
    let seen = &bodies[0].kinematics;
    assert_eq!(still.position_at(seen, seen.at + Duration::from_secs(1)), seen.position);
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e4..1e4_f64,
        Just(0.0),
        proptest::num::f64::NORMAL,
        proptest::num::f64::SUBNORMAL,
        Just(f64::MAX),
        Just(f64::MIN),
    ]
}

fn vector() -> impl Strategy<Value = DVec3> {
    (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn body() -> impl Strategy<Value = KnownBody> {
    let share = proptest::num::f32::NORMAL | proptest::num::f32::ZERO;
    ((vector(), vector(), vector()), -2..2_i32, [share, share, share, share], number()).prop_map(
        |((position, velocity, acceleration), team, [health, max_health, ammo, max_ammo], top)| {
            let moving = Kinematics::moving(SimTime::ZERO, position, velocity);
            let mut body = KnownBody::new(0, team, Kinematics { acceleration, ..moving });
            (body.health, body.max_health) = (health, max_health);
            (body.ammo, body.max_ammo) = (ammo, max_ammo);
            body.top_speed_mps = top;
            body
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_finite_scene_gives_finite_places(
        mut bodies in proptest::collection::vec(body(), 1..40),
        places in proptest::collection::vec(vector(), 0..4),
        horizons_s in proptest::collection::vec(proptest::num::f64::ANY.prop_map(|t| t % 4.0), 1..6),
        seed in 0..50_u64,
    ) {
        for (id, body) in (0..).zip(&mut bodies) {
            body.id = id;
        }
        let items: Vec<Item> = places
            .iter()
            .map(|&position| Item { position, restores: Restores::Health, worth: 9.0 })
            .collect();
        let level = level(&mut Scatter::new(seed));
        for behaviour in all() {
            for scene in [Scene::new(&bodies, &items), level.scene(&bodies, &items)] {
                let out = roll(&behaviour, &scene, &horizons_s);
                prop_assert!(out.iter().all(|place| place.is_finite()), "{behaviour:?}: {out:?}");
                let _ = behaviour.planned_curve(&scene, 0, 2.0, CurveBasis::THREE);
            }
        }
    }
}
