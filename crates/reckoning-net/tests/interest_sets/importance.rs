//! Importance chooses the class, with hysteresis, and what is sent first.

use std::time::Duration;

use reckoning_net::{
    DVec3, EntityId, Kind, Kinds, Kinematics, PeerId, Viewpoint, ZoneClass, ZoneConfig,
};

use crate::world::{LOSSY, World, config};

fn zones() -> ZoneConfig {
    let class = |radius_m| {
        let mut class = ZoneClass::default();
        class.radius_m = radius_m;
        class
    };
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class(20.0), class(60.0)];
    zones
}

fn world(kinds: Kinds, seed: u64) -> World {
    let mut config = config();
    (config.zones, config.kinds) = (zones(), kinds);
    let mut world = World::new(config, 1, LOSSY, seed);
    world.host.set_viewpoint(PeerId(1), Viewpoint::Place(DVec3::ZERO));
    world
}

fn class_of(world: &World, body: EntityId) -> Option<u8> {
    let mut ghosts = world.clients[0].session.ghosts();
    ghosts.find(|(id, _)| *id == body).map(|(_, remote)| remote.class())
}

/// Lets bodies move a little, so that whoever has them is sent which class they are in.
fn stir(world: &mut World, bodies: &[(EntityId, f64)]) {
    for frame in 0..300 {
        for (body, x_m) in bodies {
            let way = DVec3::new(*x_m, if frame % 100 < 50 { 0.0 } else { 0.5 }, 0.0);
            world.host.observe(*body, &Kinematics::at_rest(world.now, way));
        }
        world.run(Duration::from_millis(10));
    }
}

#[test]
fn what_counts_twice_as_much_is_in_the_class_of_half_its_distance() {
    let mut kinds = Kinds::default();
    let mut boss = Kind::default();
    boss.importance = 2.0;
    let boss = kinds.add("boss", boss).unwrap();
    let mut weed = Kind::default();
    weed.importance = 0.5;
    let weed = kinds.add("weed", weed).unwrap();
    let plain = kinds.add("plain", Kind::default()).unwrap();
    let mut world = world(kinds, 1);
    let mut bodies = Vec::new();
    for kind in [boss, plain, weed] {
        for x_m in [15.0, 35.0, 100.0] {
            bodies.push((world.spawn_kind(kind, DVec3::X * x_m), x_m));
        }
    }
    stir(&mut world, &bodies);
    let classes: Vec<_> = bodies.iter().map(|(body, _)| class_of(&world, *body)).collect();
    let (near, far, out) = (Some(0), Some(1), None);
    assert_eq!(classes, [near, near, far, near, far, out, far, out, out]);
}

#[test]
fn a_game_says_how_much_one_body_counts_and_the_border_does_not_flicker() {
    let mut world = world(Kinds::default(), 2);
    let (flag, other) = (world.spawn(DVec3::X * 300.0), world.spawn(DVec3::X * 40.0));
    let places = [(flag, 300.0), (other, 40.0)];
    stir(&mut world, &places);
    assert_eq!([class_of(&world, flag), class_of(&world, other)], [None, Some(1)]);
    assert_eq!(world.host.set_importance(flag, 20.0), Ok(true));
    assert_eq!(world.host.set_importance(other, 2.0), Ok(true));
    stir(&mut world, &places);
    assert_eq!([class_of(&world, flag), class_of(&world, other)], [Some(0), Some(0)]);
    // 40 m / 1.9 is 21.05 m: beyond the border at 20 m, but not by a tenth.
    assert_eq!(world.host.set_importance(other, 1.9), Ok(true));
    stir(&mut world, &places);
    assert_eq!(class_of(&world, other), Some(0));
    assert_eq!(world.host.set_importance(other, 1.7), Ok(true));
    stir(&mut world, &places);
    assert_eq!(class_of(&world, other), Some(1));
    for wrong in [0.0, -1.0, f64::NAN, 101.0] {
        let refused = world.host.set_importance(flag, wrong).unwrap_err().to_string();
        assert!(refused.contains("importance"), "{refused}");
    }
    let mut kind = Kind::default();
    kind.importance = 0.0;
    assert!(Kinds::default().add("nothing", kind).is_err());
}

#[test]
fn what_counts_more_is_sent_more_often_when_the_budget_is_short() {
    let mut config = config();
    config.bytes_per_s = 800;
    let mut world = World::new(config, 1, "delay=40", 3);
    let bodies: Vec<_> = (0..40).map(|n| world.spawn(DVec3::Y * f64::from(n))).collect();
    for body in &bodies[..10] {
        world.host.set_importance(*body, 10.0).unwrap();
    }
    let mut updates = [0_u32; 40];
    for _ in 0..3_000 {
        let angle = 3.0 * world.now.as_secs_f64();
        for (n, body) in bodies.iter().enumerate() {
            let place = DVec3::new(libm::sin(angle) * 4.0, n as f64, 0.0);
            let truth = Kinematics::moving(world.now, place, DVec3::X * libm::cos(angle) * 12.0);
            world.host.observe(*body, &truth);
        }
        world.step(|_, _, datagram| {
            for (body, _) in crate::world::said_in(datagram) {
                updates[bodies.iter().position(|it| *it == body).unwrap()] += 1;
            }
        });
    }
    let mean = |of: &[u32]| f64::from(of.iter().sum::<u32>()) / of.len() as f64;
    let (important, others) = (mean(&updates[..10]), mean(&updates[10..]));
    println!("updates in 30 s: {important:.1} of what counts ten times, {others:.1} of others");
    assert!(important > 2.0 * others, "{important} and {others}");
    assert!(*updates.iter().min().unwrap() > 3, "nobody starves: {updates:?}");
}
