//! Nearest few: cost that does not grow with density.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use reckoning_net::{
    DVec3, EntityId, Kind, Kinds, Kinematics, PeerId, Viewpoint, ZoneClass, ZoneConfig,
};

use crate::world::{FRAME, LOSSY, World, config};

const PEER: PeerId = PeerId(1);

fn crowded(count: u32, nearest: Option<usize>) -> World {
    let mut config = config();
    config.zones.nearest = nearest.and_then(NonZeroUsize::new);
    config.bytes_per_s = 1_000_000;
    let mut world = World::new(config, 1, "delay=30,jitter=10,loss=0.05", u64::from(count));
    world.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
    for _ in 0..count {
        world.spawn(DVec3::ZERO);
    }
    world
}

/// Everyone runs about in one spot for a while. Entities shown, and bytes a second.
fn bytes_per_s(world: &mut World, seconds: u32) -> (usize, f64) {
    let bodies: Vec<EntityId> = world.host.entities().map(|(id, ..)| id).collect();
    let mut before = 0;
    for frame in 0..100 * (seconds + 3) {
        if frame == 300 {
            before = world.clients[0].bytes; // all have entered
        }
        for (n, body) in bodies.iter().enumerate() {
            let angle = 4.0 * world.now.as_secs_f64() + n as f64;
            let (sin, cos) = libm::sincos(angle);
            let place = DVec3::new(sin, cos, 0.0) * 2.0;
            let velocity = DVec3::new(cos, -sin, 0.0) * 8.0;
            world.host.observe(*body, &Kinematics::moving(world.now, place, velocity));
        }
        world.run(FRAME);
    }
    let bytes = world.clients[0].bytes - before;
    (world.shown(0).len(), bytes as f64 / f64::from(seconds))
}

#[test]
fn bytes_and_sets_do_not_grow_with_those_who_stand_in_one_spot() {
    println!("bodies in one spot | nearest 32: shown, bytes/s | no limit: shown, bytes/s");
    let mut limited = Vec::new();
    for count in [50, 150, 500] {
        let (shown, bytes) = bytes_per_s(&mut crowded(count, Some(32)), 5);
        let (all, all_bytes) = bytes_per_s(&mut crowded(count, None), 5);
        println!("{count:>18} | {shown:>5} {bytes:>8.0} | {all:>5} {all_bytes:>8.0}");
        assert_eq!((shown, all), (32, count as usize));
        limited.push(bytes);
    }
    assert!(limited[2] < limited[0] * 1.25, "{limited:?}");
}

/// Bodies at those distances, some more important: those that are in the set.
fn chosen(world: &World) -> BTreeSet<EntityId> {
    world.shown(0).into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// As a simple model says: sort by distance over importance, those in the set counting a tenth
    /// nearer, and take the first few.
    #[test]
    fn the_nearest_are_those_that_a_simple_model_names(
        seed in 0..1_000_u64,
        rounds in vec(vec((1.0..400.0_f64, 0..3_usize), 12), 1..5),
    ) {
        const NEAREST: usize = 4;
        let mut config = config();
        config.zones.nearest = NonZeroUsize::new(NEAREST);
        let mut class = ZoneClass::default();
        class.radius_m = 200.0;
        config.zones.classes = vec![class];
        let mut world = World::new(config, 1, LOSSY, seed);
        world.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
        let bodies: Vec<_> = (0..12).map(|_| world.spawn(DVec3::X * 1e6)).collect();
        let mut members: BTreeSet<EntityId> = BTreeSet::new();
        for round in rounds {
            for (body, (x_m, place)) in bodies.iter().zip(&round) {
                world.host.set_importance(*body, [0.5, 1.0, 2.0][*place]).unwrap();
                let there = Kinematics::at_rest(world.now, DVec3::X * *x_m);
                world.host.teleport(world.now, *body, &there);
            }
            let mut ranked: Vec<_> = bodies.iter().zip(&round).filter_map(|(body, (x_m, place))| {
                let judged = x_m / [0.5, 1.0, 2.0][*place];
                let is_member = members.contains(body);
                let reach = if is_member { 220.0 } else { 200.0 };
                (judged <= reach).then_some((if is_member { judged / 1.1 } else { judged }, *body))
            }).collect();
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
            members = ranked.into_iter().take(NEAREST).map(|(_, body)| body).collect();
            // Long enough for an interest update and for every repair on this link.
            world.run(Duration::from_secs(12));
            prop_assert_eq!(chosen(&world), members.clone(), "seed {}", seed);
        }
    }
}

#[test]
fn bodies_that_pace_on_the_border_do_not_flicker() {
    let enters = |step_m: f64| {
        let mut config = config();
        config.zones.nearest = NonZeroUsize::new(1);
        let mut world = World::new(config, 1, "delay=20", 5);
        world.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
        let pair = [world.spawn(DVec3::X * 100.0), world.spawn(DVec3::X * 101.0)];
        for frame in 0..2_000 {
            let nearer = usize::from(frame / 100 % 2 == 0);
            for (n, body) in pair.iter().enumerate() {
                let x_m = if n == nearer { 100.0 - step_m } else { 100.0 };
                world.host.observe(*body, &Kinematics::at_rest(world.now, DVec3::X * x_m));
            }
            world.run(FRAME);
        }
        world.host.peer_stats(PEER).unwrap().enters_out
    };
    assert_eq!(enters(8.0), 1, "within the hysteresis");
    assert!(enters(20.0) > 10, "beyond it they take turns");
}

#[test]
fn kinds_with_zones_of_their_own_have_a_number_of_their_own() {
    let mut kinds = Kinds::default();
    let mut tree = Kind::default();
    let mut zones = ZoneConfig::default();
    zones.nearest = NonZeroUsize::new(3);
    tree.zones = Some(zones);
    let tree = kinds.add("tree", tree).unwrap();
    let walker = kinds.add("walker", Kind::default()).unwrap();
    let mut config = config();
    (config.kinds, config.zones.nearest) = (kinds, NonZeroUsize::new(5));
    let mut world = World::new(config, 1, "delay=20", 6);
    world.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
    let spawn = |world: &mut World, kind| -> Vec<EntityId> {
        (1..10).map(|n| world.spawn_kind(kind, DVec3::X * f64::from(n))).collect()
    };
    let trees = spawn(&mut world, tree);
    let walkers = spawn(&mut world, walker);
    let hidden = walkers[0];
    world.host.set_visible(PEER, hidden, false);
    world.run(Duration::from_secs(2));
    let expected: BTreeSet<_> = trees[..3].iter().chain(&walkers[1..6]).copied().collect();
    assert_eq!(chosen(&world), expected, "what is hidden takes nobody's place");
}
