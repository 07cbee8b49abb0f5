//! What a host leaves out when its machine cannot keep up.

use std::num::NonZeroU32;
use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{HostConfig, Owner, SessionConfig, Shedding, Viewpoint, ZoneClass, ZoneConfig};

use crate::linear_format::format;
use crate::world::World;

fn nobody(_: usize, at: SimTime) -> Kinematics {
    Kinematics::at_rest(at, DVec3::ZERO)
}

/// A body that turns all the time, this far from the origin.
fn turning(at: SimTime, away_m: f64) -> Kinematics {
    let turn = 8.0 * at.as_secs_f64();
    let (out, along) = (DVec3::new(libm::cos(turn), libm::sin(turn), 0.0), 8.0);
    let velocity = DVec3::new(-out.y, out.x, 0.0) * (along * 8.0);
    Kinematics::moving(at, DVec3::X * away_m + out * along, velocity)
}

/// Updates sent in ten seconds of a body this far away.
fn updates_in_10_s(away_m: f64, one_tick_in: u32, farther_one_in: u32) -> u64 {
    let mut config = HostConfig::new(format(true));
    let mut near = ZoneClass::default();
    near.radius_m = 50.0;
    let mut zones = ZoneConfig::default();
    zones.classes = vec![near, ZoneClass::default()];
    config.zones = zones;
    let mut world = World::new(config);
    world.spawns = false;
    world.connect(SessionConfig::default(), "delay=30".parse().unwrap());
    world.run(Duration::from_secs(1), &nobody);
    world.host.set_viewpoint(world.clients[0].peer, Viewpoint::Place(DVec3::ZERO));
    let body = world.host.spawn(world.now, Owner::Host, b"", &turning(world.now, away_m)).unwrap();
    let mut shedding = Shedding::default();
    shedding.one_tick_in = NonZeroU32::new(one_tick_in).unwrap();
    shedding.farther_one_in = NonZeroU32::new(farther_one_in).unwrap();
    world.host.set_shedding(shedding);
    for _ in 0..1_000 {
        world.host.observe(body, &turning(world.now, away_m));
        world.step(&nobody);
    }
    assert!(world.clients[0].session.ghosts().any(|(id, _)| id == body), "it stays in sight");
    world.host.stats().traffic.updates_out
}

#[test]
fn what_is_left_out_is_time_and_not_bodies() {
    let (near, far) = (updates_in_10_s(10.0, 1, 1), updates_in_10_s(90.0, 1, 1));
    assert!(near > 120 && far > 120, "{near} and {far}: something to save");
    let about = |got: u64, part: u64| (part * 8 / 10..=part * 12 / 10).contains(&got);

    assert_eq!(updates_in_10_s(10.0, 1, 4), near, "the nearest is as before");
    let farther = updates_in_10_s(90.0, 1, 4);
    assert!(about(farther, 50), "{farther} of {far} with one tick in four");
    for away_m in [10.0, 90.0] {
        let fewer = updates_in_10_s(away_m, 4, 1);
        assert!(about(fewer, 50), "{fewer} at {away_m} m with one tick in four");
    }
}
