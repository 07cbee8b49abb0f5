//! Joints: aimed by an owner, passed on by the host, shown by a watcher; and derived ones.

use std::f64::consts::TAU;

use reckoning::orientation::shortest_turn_rad;
use reckoning_net::wire::{EntityId, Header, Message, PacketReader, PacketWriter};
use reckoning_net::{
    DVec3, JointKind, JointSource, Kind, KindId, Kinds, Kinematics, MAX_SENT_JOINTS, Owner,
    SentJoint, SimTime, Viewpoint,
};

use super::world::{LossRule, PEERS, World};

/// A tank with a turret, a gun that rises little, and a wheel.
fn declared() -> (Kinds, KindId) {
    let mut gun = SentJoint::default();
    gun.range_rad = Some((-0.1, 0.5));
    gun.threshold_rad = 0.02;
    let wheel = JointSource::Wheel { hub: DVec3::ZERO, radius_m: 0.5 };
    let steering = JointSource::Steering { wheelbase_m: 3.0, max_rad: 0.6, min_speed_mps: 0.5 };
    let mut tank = Kind::default();
    tank.joints = vec![
        JointKind::sent("turret", SentJoint::default()),
        JointKind::derived("wheel", wheel),
        JointKind::sent("gun", gun),
        JointKind::derived("steering", steering),
    ];
    let mut kinds = Kinds::default();
    let tank = kinds.add("tank", tank).unwrap();
    (kinds, tank)
}

fn spawned(world: &mut World, kind: KindId, owner: Owner) -> EntityId {
    let truth = Kinematics::at_rest(world.now, DVec3::ZERO);
    world.host.spawn_kind(world.now, kind, owner, b"", &truth).unwrap()
}

/// The turret swings to and fro, the gun rises slowly and falls.
fn turret(now: SimTime) -> (f64, f64) {
    let phase = 0.5 * now.as_secs_f64();
    (2.5 * reckoning::math::sin(phase), 1.25 * reckoning::math::cos(phase))
}

fn gun(now: SimTime) -> (f64, f64) {
    let phase = 0.8 * now.as_secs_f64();
    (0.2 + 0.3 * reckoning::math::sin(phase), 0.24 * reckoning::math::cos(phase))
}

/// Of every 16 datagrams five in a row are lost, somewhere among them: a fixed place would fall in
/// step with what is sent.
fn in_bursts<const SEED: u64>(n: u64) -> bool {
    let mixed = (n / 16 + (SEED << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (mixed % 12..mixed % 12 + 5).contains(&(n % 16))
}

/// The mean errors of turret and gun at a watcher, when their owner aims them for 15 seconds.
fn mean_errors(is_lost: LossRule) -> [f64; 2] {
    let (kinds, tank) = declared();
    let mut world = World::new(kinds, is_lost);
    world.run(200);
    let body = spawned(&mut world, tank, Owner::Peer(PEERS[0]));
    world.run(100);
    let mut sum = [0.0; 2];
    for step in 0..1500 {
        world.step();
        let now = world.now;
        for (name, (angle, rate)) in [("turret", turret(now)), ("gun", gun(now))] {
            assert!(world.sessions[0].aim(now, body, name, angle, rate));
        }
        if step < 300 {
            continue;
        }
        let at = world.sessions[1].timeline_at(now).unwrap();
        for (place, (joint, (truth, _))) in [(0, turret(at)), (2, gun(at))].into_iter().enumerate()
        {
            let shown = world.sessions[1].joint_at(body, joint, now).unwrap();
            sum[place] += shortest_turn_rad(shown, truth).abs() / 1200.0;
        }
    }
    let stats = world.sessions[0].stats();
    assert!(stats.joints_out < 400, "{} joints in 15 s", stats.joints_out);
    assert_eq!(world.host.stats().traffic.malformed, 0);
    sum
}

#[test]
fn joints_follow_their_owner_through_losses() {
    let bursts = [in_bursts::<1>, in_bursts::<2>, in_bursts::<3>, in_bursts::<4>];
    let more = [in_bursts::<5>, in_bursts::<6>, in_bursts::<7>, in_bursts::<8>];
    let bursts = [bursts, more].concat();
    let links: [(Vec<LossRule>, [f64; 2]); 3] = [
        (vec![|_| false], [0.06, 0.02]),
        (vec![|n| n % 5 == 0], [0.12, 0.02]),
        (bursts, [0.15, 0.03]),
    ];
    for (rules, most_rad) in links {
        let runs: Vec<[f64; 2]> = rules.iter().map(|is_lost| mean_errors(*is_lost)).collect();
        let mean =
            [0, 1].map(|place| runs.iter().map(|it| it[place]).sum::<f64>() / runs.len() as f64);
        assert!(
            mean[0] < most_rad[0] && mean[1] < most_rad[1],
            "mean errors {mean:?} rad of {runs:?}"
        );
    }
}

/// The host's own; and everybody has the newest though nothing is aimed any more and the last
/// datagrams were lost.
#[test]
fn the_last_word_about_a_joint_arrives_and_silence_costs_nothing() {
    let (kinds, tank) = declared();
    let mut world = World::new(kinds, |_| false);
    world.run(100);
    let body = spawned(&mut world, tank, Owner::Host);
    world.run(100);
    for _ in 0..100 {
        world.step();
        let (angle, rate) = turret(world.now);
        assert!(world.host.aim(world.now, body, "turret", angle, rate));
    }
    world.is_lost = |_| true;
    world.host.aim(world.now, body, "turret", 3.0, 0.0);
    world.run(20);
    world.is_lost = |_| false;
    world.run(100);
    for session in &mut world.sessions {
        let shown = session.joint_at(body, "turret", world.now).unwrap();
        assert!(shortest_turn_rad(shown, 3.0).abs() < 0.01, "{shown} rad");
    }
    let before = world.host.stats().traffic.joints_out;
    for _ in 0..500 {
        world.step();
        world.host.aim(world.now, body, "turret", 3.0, 0.0);
    }
    assert_eq!(world.host.stats().traffic.joints_out, before);
}

#[test]
fn whoever_enters_gets_the_joints_as_they_are() {
    let (kinds, tank) = declared();
    let mut world = World::new(kinds, |n| n % 6 == 0);
    world.run(200);
    world.host.set_viewpoint(PEERS[1], Viewpoint::Nowhere);
    let body = spawned(&mut world, tank, Owner::Peer(PEERS[0]));
    world.run(100);
    assert!(world.sessions[0].aim(world.now, body, 0, 1.0, 0.0));
    assert!(world.sessions[0].aim(world.now, body, 2, 0.4, 0.0));
    world.run(300);
    assert_eq!(world.sessions[1].joint_at(body, "turret", world.now), None);
    world.host.set_viewpoint(PEERS[1], Viewpoint::Everywhere);
    world.run(200);
    let shown = [0, 2].map(|it| world.sessions[1].joint_at(body, it, world.now).unwrap());
    assert!((shown[0] - 1.0).abs() < 0.01 && (shown[1] - 0.4).abs() < 0.01, "{shown:?}");
    assert_eq!(world.sessions[1].joint_at(body, "propeller", world.now), None);
    assert_eq!(world.sessions[1].joint_at(body, 4, world.now), None);
}

#[test]
fn what_a_joint_cannot_do_is_clamped_and_who_does_not_own_it_is_not_heard() {
    let (kinds, tank) = declared();
    let mut world = World::new(kinds, |_| false);
    world.run(100);
    let body = spawned(&mut world, tank, Owner::Peer(PEERS[0]));
    world.run(50);
    assert!(world.sessions[0].aim(world.now, body, "gun", 9.0, 900.0));
    assert!(!world.sessions[0].aim(world.now, body, "gun", f64::NAN, 0.0));
    assert!(!world.sessions[0].aim(world.now, body, "wheel", 1.0, 0.0), "it is derived");
    assert!(!world.sessions[1].aim(world.now, body, "gun", 0.0, 0.0), "it is not ours");
    assert!(!world.host.aim(world.now, body, "gun", 0.0, 0.0), "nor the host's");
    world.run(50);
    let shown = world.sessions[1].joint_at(body, "gun", world.now).unwrap();
    assert!((shown - 0.5).abs() < 1e-9, "{shown}");

    // A peer that does not own it, an entity that is not there, and a joint that is not.
    let mut forged = |peer, entity, mask: u16| {
        let before = world.host.stats().traffic;
        let mut buf = [0; 100];
        let header = Header { sequence: 9_000 + mask, sent_ms: 0, ack: None };
        let mut out = PacketWriter::new(&mut buf, &header);
        let mask = mask as u8;
        assert!(out.push(None, &Message::Joints { entity, mask, codes: [7; MAX_SENT_JOINTS] }));
        let length = out.finish().unwrap();
        world.host.handle_datagram(world.now, peer, &buf[..length]);
        let after = world.host.stats().traffic;
        let refused = [
            after.not_owner - before.not_owner,
            after.unknown_entity - before.unknown_entity,
            after.malformed - before.malformed,
        ];
        (refused, after.joints_in - before.joints_in)
    };
    assert_eq!(forged(PEERS[1], body, 2), ([1, 0, 0], 0));
    assert_eq!(forged(PEERS[0], EntityId(99), 3), ([0, 1, 0], 0));
    assert_eq!(forged(PEERS[0], body, 4), ([0, 0, 1], 0));
    let known = world.host.joint_at(body, "gun", world.now).unwrap();
    assert!((known - 0.5).abs() < 1e-9, "{known}");
}

#[test]
fn a_joint_costs_two_bytes() {
    let bits = |joints: u32| {
        let mut buf = [0; 100];
        let mut out = PacketWriter::new(&mut buf, &Header { sequence: 0, sent_ms: 0, ack: None });
        let empty = out.bits();
        let mask = ((1_u32 << joints) - 1) as u8;
        let codes = [0xabcd; MAX_SENT_JOINTS];
        let entity = EntityId(1);
        assert!(out.push(None, &Message::Joints { entity, mask, codes }));
        let bits = out.bits() - empty;
        let length = out.finish().unwrap();
        let read = PacketReader::new(&buf[..length]).unwrap().next_message(None).unwrap();
        let Some(Message::Joints { entity: EntityId(1), mask: got, codes }) = read else {
            panic!("{read:?}");
        };
        assert_eq!(
            (got, codes.iter().filter(|code| **code == 0xabcd).count()),
            (mask, joints as usize)
        );
        bits
    };
    let head = bits(0);
    assert!(head <= 24, "{head} bits before the first joint");
    for joints in 1..=MAX_SENT_JOINTS as u32 {
        assert_eq!(bits(joints) - head, 16 * joints as usize);
    }
}

/// Wheels roll and steer by the picture alone.
#[test]
fn wheels_are_derived_from_how_the_body_is_shown() {
    let (kinds, tank) = declared();
    let mut world = World::new(kinds, |n| n % 8 == 0);
    world.run(150);
    // Round a circle of 20 m at 4 m/s to the left, nose ahead.
    let begun = world.now;
    let truth = |now: SimTime| {
        let angle = 0.2 * now.secs_since(begun);
        let (sin, cos) = (reckoning::math::sin(angle), reckoning::math::cos(angle));
        let mut truth = Kinematics::moving(
            now,
            DVec3::new(sin, -cos, 0.0) * 20.0,
            DVec3::new(cos, sin, 0.0) * 4.0,
        );
        truth.orientation = reckoning::math::rotation(DVec3::Z * angle);
        truth.angular_velocity = DVec3::Z * 0.2;
        truth
    };
    let start = truth(begun);
    let body = world.host.spawn_kind(begun, tank, Owner::Host, b"", &start).unwrap();
    let (mut last, mut rolled, mut steered) = (None, 0.0, 0.0);
    for step in 0..700 {
        world.step();
        let seen = truth(world.now);
        world.host.observe(body, &seen);
        let Some(spin) = world.sessions[1].joint_at(body, "wheel", world.now) else { continue };
        if step >= 200 {
            if let Some(before) = last.replace(spin) {
                rolled += shortest_turn_rad(before, spin);
            }
            steered += world.sessions[1].joint_at(body, "steering", world.now).unwrap() / 500.0;
        }
    }
    // Five seconds at 4 m/s on a radius of half a metre: 40 rad; tan of the angle is 3 m / 20 m.
    assert!((rolled - 40.0).abs() < 1.0, "{rolled} rad in {} turns", rolled / TAU);
    assert!((steered - 0.149).abs() < 0.03, "{steered} rad");
    assert!(world.sessions[1].stats().joints_in == 0);
}
