//! Orientations that watchers derive from how a body is drawn to move.

use reckoning::math::{cos, sin};
use reckoning::orientation::{heading_rad, shortest_turn_rad};
use reckoning_net::{
    DVec3, EntityId, Facing, Kind, KindId, Kinds, Kinematics, Owner, SimTime, Threshold, ZoneConfig,
};

use super::world::{PEERS, World};

fn declared(facing: Facing) -> (Kinds, KindId) {
    let mut kind = Kind::default();
    kind.facing = facing;
    kind.publisher.threshold = Threshold::metres(0.1).unwrap();
    let mut zones = ZoneConfig::default();
    zones.classes[0].threshold = Threshold::metres(0.1).unwrap();
    kind.zones = Some(zones);
    let mut kinds = Kinds::default();
    let kind = kinds.add("car", kind).unwrap();
    (kinds, kind)
}

/// Round a circle of 20 m at 4 m/s for ten seconds, then it stands. Its orientation is never said.
fn circling(now: SimTime, begun: SimTime) -> Kinematics {
    let s = now.secs_since(begun);
    let angle = 0.2 * s.min(10.0);
    let place = DVec3::new(sin(angle), -cos(angle), 0.0) * 20.0;
    if s >= 10.0 {
        return Kinematics::at_rest(now, place);
    }
    Kinematics::moving(now, place, DVec3::new(cos(angle), sin(angle), 0.0) * 4.0)
}

fn play(facing: Facing, mut look: impl FnMut(f64, f64, f64)) -> (World, EntityId) {
    let (kinds, kind) = declared(facing);
    let mut world = World::new(kinds, |n| n % 8 == 0);
    world.run(150);
    let begun = world.now;
    let owner = Owner::Peer(PEERS[0]);
    let start = circling(begun, begun);
    let body = world.host.spawn_kind(begun, kind, owner, b"", &start).unwrap();
    world.run(40);
    for _ in 0..1400 {
        world.step();
        let seen = circling(world.now, begun);
        world.sessions[0].observe(body, &seen);
        let Some(pose) = world.sessions[1].shown(body, world.now) else { continue };
        let s = world.now.secs_since(begun);
        look(s, heading_rad(pose.orientation), 0.2 * s.min(10.0));
    }
    (world, body)
}

#[test]
fn a_car_is_turned_the_way_it_goes_and_stays_so_when_it_stops() {
    let mut worst = [0.0_f64; 2];
    let (world, body) = play(Facing::Heading { min_speed_mps: 0.5 }, |s, shown, truth| {
        let off = shortest_turn_rad(shown, truth).abs();
        match s {
            2.0..10.0 => worst[0] = worst[0].max(off),
            12.0.. => worst[1] = worst[1].max(off),
            _ => {}
        }
    });
    assert!(worst[0] < 0.2 && worst[1] < 0.2, "{worst:?} rad off");
    let published = world.sessions[0].published(body).unwrap();
    assert_eq!(published.kinematics().orientation, reckoning::DQuat::IDENTITY, "nobody said it");
}

#[test]
fn a_lorry_drags_its_back_end_after_its_front() {
    let mut worst = [0.0_f64; 2];
    play(Facing::TwoPoint { length_m: 8.0 }, |s, shown, truth| {
        // On a circle the back of a lorry cuts in: its nose points outside of its way by the angle
        // whose sine is its length over the radius.
        let off = shortest_turn_rad(truth, shown);
        match s {
            7.0..10.0 => worst[0] = worst[0].max((off + 0.41).abs()),
            12.0.. => worst[1] = worst[1].max((off + 0.41).abs()),
            _ => {}
        }
    });
    assert!(worst[0] < 0.1 && worst[1] < 0.1, "{worst:?} rad off");
}

#[test]
fn no_update_is_due_because_of_an_orientation_that_is_derived() {
    let spins = |facing| {
        let (kinds, kind) = declared(facing);
        let mut world = World::new(kinds, |_| false);
        world.run(100);
        let still = Kinematics::at_rest(world.now, DVec3::X);
        let owner = Owner::Peer(PEERS[0]);
        let body = world.host.spawn_kind(world.now, kind, owner, b"", &still).unwrap();
        world.run(50);
        let before = world.sessions[0].stats().updates_out;
        for step in 0..500 {
            world.step();
            let mut truth = Kinematics::at_rest(world.now, DVec3::X);
            truth.orientation = reckoning::math::rotation(DVec3::Z * (f64::from(step) * 0.01));
            world.sessions[0].observe(body, &truth);
        }
        world.sessions[0].stats().updates_out - before
    };
    let updates = [Facing::Sent, Facing::Heading { min_speed_mps: 0.5 }].map(spins);
    assert!(updates[0] > 30 && updates[1] < 15, "{updates:?} updates in five seconds");
}
