//! Groups: members are updated together or not at all, whatever is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reckoning_net::wire::{Message, PacketReader};
use reckoning_net::{DVec3, EntityId, GroupId, Kinematics, PeerId, SimTime, Viewpoint, ZoneClass};

use crate::world::{LOSSY, Luck, Said, World, config, format, said_in};

const PEER: PeerId = PeerId(1);

/// The members of each group that a datagram brings updates of.
fn grouped(
    datagram: &[u8],
    groups: &BTreeMap<EntityId, GroupId>,
) -> BTreeMap<GroupId, BTreeSet<EntityId>> {
    let mut found: BTreeMap<GroupId, BTreeSet<EntityId>> = BTreeMap::new();
    for (body, said) in said_in(datagram) {
        if let (Said::Update | Said::Enter, Some(group)) = (said, groups.get(&body)) {
            found.entry(*group).or_default().insert(body);
        }
    }
    found
}

/// How the bodies of a squad go: each its own way, and each swerves when it likes.
fn swerve(world: &mut World, bodies: &[EntityId], luck: &mut Luck, states: &mut [Kinematics]) {
    for (body, state) in bodies.iter().zip(states) {
        state.position += state.velocity * world.now.secs_since(state.at);
        state.at = world.now;
        if luck.below(60) == 0 {
            let (sin, cos) = libm::sincos(luck.unit() * std::f64::consts::TAU);
            state.velocity = DVec3::new(cos, sin, 0.0) * 4.0;
        }
        world.host.observe(*body, state);
    }
}

fn rest(count: usize) -> Vec<Kinematics> {
    vec![Kinematics::at_rest(SimTime::ZERO, DVec3::ZERO); count]
}

/// Runs groups of three among as many loose bodies, in short datagrams. Those with updates of a
/// group.
fn run_groups(
    (count, budget): (usize, u32),
    seed: u64,
    in_groups: bool,
) -> Vec<BTreeMap<GroupId, BTreeSet<EntityId>>> {
    let mut config = config();
    (config.bytes_per_s, config.max_datagram_bytes) = (budget, 400);
    let mut world = World::new(config, 1, LOSSY, seed);
    let bodies: Vec<_> = (0..count).map(|_| world.spawn(DVec3::ZERO)).collect();
    let mut groups = BTreeMap::new();
    for (n, body) in bodies.iter().enumerate().filter(|(n, _)| n % 2 == 0) {
        let group = GroupId((n % (count / 3)) as u32 / 2);
        groups.insert(*body, group);
        assert!(world.host.set_group(*body, in_groups.then_some(group)));
    }
    let (mut luck, mut states, mut found) = (Luck(seed), rest(count), Vec::new());
    for frame in 0..3_000 {
        swerve(&mut world, &bodies, &mut luck, &mut states);
        world.step(|_, _, datagram| {
            // Until all have entered, members are told of one by one.
            if frame > 1_000 {
                found.push(grouped(datagram, &groups));
            }
        });
    }
    assert_eq!(world.shown(0).len(), count, "seed {seed}");
    found
}

#[test]
fn members_are_updated_in_the_same_datagram() {
    for (seed, load) in
        [(1, (30, 128_000)), (2, (600, 128_000)), (3, (30, 700)), (4, (600, 20_000))]
    {
        let whole: Vec<usize> = run_groups(load, seed, true)
            .iter()
            .flat_map(|found| found.values().map(BTreeSet::len).collect::<Vec<_>>())
            .collect();
        let split = whole.iter().filter(|count| **count != 3).count();
        println!("seed {seed}, {load:?} bodies, bytes/s: {} times, {split} split", whole.len());
        assert!(whole.len() > 50 && split == 0, "seed {seed}: {whole:?}");
    }
    let loose = run_groups((30, 128_000), 1, false);
    let loose: Vec<_> = loose.iter().flat_map(BTreeMap::values).collect();
    assert!(loose.iter().any(|members| members.len() < 3), "without groups each by itself");
}

#[test]
fn members_bear_the_same_stamp() {
    let mut world = World::new(config(), 1, LOSSY, 5);
    let (rider, horse) = (world.spawn(DVec3::ZERO), world.spawn(DVec3::Z));
    for body in [rider, horse] {
        world.host.set_group(body, Some(GroupId(1)));
    }
    let (mut luck, mut states, mut pairs) = (Luck(5), rest(2), 0);
    for frame in 0..2_000 {
        swerve(&mut world, &[rider, horse], &mut luck, &mut states);
        world.step(|_, _, datagram| {
            let mut reader = PacketReader::new(datagram).unwrap();
            let mut stamps = Vec::new();
            while let Some(message) = reader.next_message(Some(&format())).unwrap() {
                if let Message::Update { body, .. } = message {
                    stamps.push(body.at());
                }
            }
            if frame > 500 && !stamps.is_empty() {
                assert_eq!(stamps.len(), 2, "frame {frame}");
                assert_eq!(stamps[0], stamps[1], "frame {frame}");
                pairs += 1;
            }
        });
    }
    assert!(pairs > 30, "{pairs} pairs");
}

/// Four hundred members do not fit one datagram: they go into several of the same tick, and all arrive.
#[test]
fn a_group_that_is_too_long_goes_into_several_datagrams() {
    let mut world = World::new(config(), 1, "delay=30", 6);
    let bodies: Vec<_> = (0..400).map(|_| world.spawn(DVec3::ZERO)).collect();
    let groups: BTreeMap<_, _> = bodies.iter().map(|body| (*body, GroupId(7))).collect();
    for body in &bodies {
        world.host.set_group(*body, Some(GroupId(7)));
    }
    let (mut luck, mut states) = (Luck(6), rest(400));
    let mut ticks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for frame in 0..1_000 {
        swerve(&mut world, &bodies, &mut luck, &mut states);
        world.step(|_, _, datagram| {
            let found = grouped(datagram, &groups);
            let count = found.values().map(BTreeSet::len).sum();
            if frame > 400 && count > 0 {
                ticks.entry(frame).or_default().push(count);
            }
        });
    }
    assert!(ticks.len() > 50);
    for (frame, counts) in &ticks {
        assert_eq!(counts.iter().sum::<usize>(), 400, "frame {frame}: {counts:?}");
        assert!(counts.len() > 1, "frame {frame}: {counts:?}");
    }
}

#[test]
fn only_members_in_the_set_ride_along_and_a_group_can_be_left() {
    let mut config = config();
    let mut class = ZoneClass::default();
    class.radius_m = 50.0;
    config.zones.classes = vec![class];
    let mut world = World::new(config, 1, "delay=30", 7);
    world.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
    let (near, far) = (world.spawn(DVec3::ZERO), world.spawn(DVec3::X * 500.0));
    let hidden = world.spawn(DVec3::ZERO);
    for body in [near, far, hidden] {
        assert!(world.host.set_group(body, Some(GroupId(1))));
    }
    world.host.set_visible(PEER, hidden, false);
    world.run(Duration::from_secs(1));
    for frame in 0..200 {
        let (sin, cos) = libm::sincos(f64::from(frame) / 20.0);
        let truth = Kinematics::moving(world.now, DVec3::X * sin * 5.0, DVec3::X * cos * 25.0);
        world.host.observe(near, &truth);
        world.step(|_, _, datagram| {
            assert!(said_in(datagram).iter().all(|(body, _)| *body == near), "frame {frame}");
        });
    }
    assert_eq!(world.shown(0), [near]);
    assert!(world.host.despawn(far) && world.host.set_group(near, None));
    assert!(!world.host.set_group(far, Some(GroupId(1))), "gone");
}
