//! "Left your view" told apart from "died", under loss.

use std::time::Duration;

use reckoning_net::{
    DVec3, EntityId, ExitReason, Kinematics, PeerId, SessionEvent, Viewpoint, ZoneClass,
};

use crate::world::{FRAME, LOSSY, World, config};

fn near_and_far(seed: u64) -> World {
    let mut config = config();
    let mut class = ZoneClass::default();
    class.radius_m = 100.0;
    config.zones.classes = vec![class];
    let mut world = World::new(config, 1, LOSSY, seed);
    world.host.set_viewpoint(PeerId(1), Viewpoint::Place(DVec3::ZERO));
    world
}

fn exits(world: &World) -> Vec<(EntityId, ExitReason)> {
    let told = |event: &SessionEvent| match event {
        SessionEvent::Exited { entity, why } => Some((*entity, *why)),
        _ => None,
    };
    world.clients[0].events.iter().filter_map(told).collect()
}

/// Puts a body elsewhere and lets it be known.
fn put(world: &mut World, body: EntityId, x_m: f64) {
    let there = Kinematics::at_rest(world.now, DVec3::X * x_m);
    world.host.teleport(world.now, body, &there);
}

#[test]
fn what_left_and_what_died_are_told_apart() {
    for seed in 0..30 {
        let mut world = near_and_far(seed);
        let bodies: Vec<EntityId> = (0..4).map(|n| world.spawn(DVec3::X * f64::from(n))).collect();
        let [dies, leaves, hides, both] = bodies[..] else { panic!() };
        world.run(Duration::from_secs(2));
        assert_eq!(world.shown(0), bodies, "seed {seed}");
        world.host.despawn(dies);
        put(&mut world, leaves, 500.0);
        world.host.set_visible(PeerId(1), hides, false);
        world.host.set_visible(PeerId(1), both, false);
        world.host.despawn(both);
        world.run(Duration::from_secs(3));
        let mut told = exits(&world);
        told.sort_unstable_by_key(|(body, _)| *body);
        let left = ExitReason::Left;
        let expected = [(dies, ExitReason::Despawned), (leaves, left), (hides, left), (both, left)];
        assert_eq!(told, expected, "seed {seed}");
    }
}

#[test]
fn what_died_out_of_sight_says_nothing_more() {
    for seed in 0..30 {
        let mut world = near_and_far(seed);
        let body = world.spawn(DVec3::ZERO);
        world.run(Duration::from_secs(2));
        put(&mut world, body, 500.0);
        // It dies while its exit is under way, is lost or is sent again.
        world.run(Duration::from_millis(250 + 10 * seed));
        world.host.despawn(body);
        world.run(Duration::from_secs(3));
        assert_eq!(exits(&world), [(body, ExitReason::Left)], "seed {seed}");
    }
}

#[test]
fn what_came_back_and_died_in_sight_died() {
    for seed in 0..30 {
        let mut world = near_and_far(seed);
        let body = world.spawn(DVec3::ZERO);
        world.run(Duration::from_secs(2));
        put(&mut world, body, 500.0);
        world.run(Duration::from_millis(210 + 10 * seed));
        put(&mut world, body, 0.0);
        world.run(Duration::from_millis(300));
        while world.shown(0).is_empty() {
            world.run(FRAME);
        }
        world.host.despawn(body);
        world.run(Duration::from_secs(3));
        let told = exits(&world);
        assert_eq!(told.last(), Some(&(body, ExitReason::Despawned)), "seed {seed}: {told:?}");
        let died = told.iter().filter(|(_, why)| *why == ExitReason::Despawned).count();
        assert_eq!(died, 1, "seed {seed}");
    }
}

#[test]
fn who_joins_after_a_death_hears_nothing_of_it() {
    let mut world = near_and_far(3);
    let body = world.spawn(DVec3::ZERO);
    world.host.despawn(body);
    world.run(Duration::from_secs(2));
    assert_eq!((exits(&world), world.shown(0)), (vec![], vec![]));
}
