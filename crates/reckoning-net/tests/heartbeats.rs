//! Bodies that began together do not fall due together: after a mass join heartbeats are spread
//! over their interval, from owners to the host and from the host to each peer.

#[path = "shared/linear_format.rs"]
mod linear_format;

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{
    Host, HostConfig, HostEvent, Owner, PeerId, Session, SessionConfig, Viewpoint, ZoneClass,
};

const BODIES: usize = 256;
const TICK: Duration = Duration::from_millis(50);
/// In a heartbeat of the publisher there are ten ticks, in one of a class twenty: this is what may
/// fall into one of them, as a share of all bodies.
const OWNERS_SHARE: f64 = 0.2;
const PEERS_SHARE: f64 = 0.12;

/// A host and sessions, joined by a wire that takes a tick.
struct World {
    host: Host,
    sessions: Vec<Session>,
    up: Vec<(PeerId, Vec<u8>)>,
    down: Vec<(PeerId, Vec<u8>)>,
    now: SimTime,
    joined: Vec<PeerId>,
}

impl World {
    fn new(sessions: usize) -> Self {
        let mut config = HostConfig::new(linear_format::format(true));
        config.max_peers = sessions;
        config.bytes_per_s = 10_000_000;
        let mut host = Host::new(config).unwrap();
        let join = |n| {
            host.connect(SimTime::ZERO, PeerId(n));
            Session::new(SessionConfig::default()).unwrap()
        };
        let sessions = (1..=sessions as u32).map(join).collect();
        let (up, down, joined) = (Vec::new(), Vec::new(), Vec::new());
        Self { host, sessions, up, down, now: SimTime::ZERO, joined }
    }

    fn step(&mut self) {
        self.now += TICK;
        let (now, mut buf) = (self.now, [0; 1000]);
        for (peer, bytes) in self.up.drain(..) {
            self.host.handle_datagram(now, peer, &bytes);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            match event {
                HostEvent::JoinRequested { peer, .. } => _ = self.host.admit(now, peer),
                HostEvent::Joined { peer, .. } => self.joined.push(peer),
                _ => {}
            }
        }
        for (PeerId(peer), bytes) in self.down.drain(..) {
            self.sessions[peer as usize - 1].handle_datagram(now, &bytes);
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            self.down.push((peer, buf[..length].to_vec()));
        }
        for (place, session) in self.sessions.iter_mut().enumerate() {
            session.handle_timeout(now);
            for entity in session.owned().collect::<Vec<_>>() {
                session.observe(entity, &walking(entity.0 as usize, now));
            }
            while let Some(length) = session.poll_datagram(now, &mut buf) {
                self.up.push((PeerId(place as u32 + 1), buf[..length].to_vec()));
            }
        }
    }

    fn run(&mut self, ticks: usize) {
        (0..ticks).for_each(|_| self.step());
    }

    /// The most updates that `count` tells of in one tick of five seconds.
    fn busiest_tick(
        &mut self,
        count: impl Fn(&Self) -> u64,
        mut each: impl FnMut(&mut Self),
    ) -> u64 {
        let (mut most, mut last) = (0, count(self));
        for _ in 0..100 {
            self.step();
            each(self);
            let now = count(self);
            most = most.max(now - last);
            last = now;
        }
        most
    }
}

/// Straight on at a metre a second, as everyone predicts.
fn walking(place: usize, now: SimTime) -> Kinematics {
    let start = DVec3::Y * 3.0 * place as f64;
    Kinematics::moving(now, start + DVec3::X * now.as_secs_f64(), DVec3::X)
}

fn updates_of(sessions: &[Session]) -> u64 {
    sessions.iter().map(|session| session.stats().updates_out).sum()
}

#[test]
fn bodies_of_one_owner_do_not_speak_together() {
    let mut world = World::new(1);
    world.run(40);
    for place in 0..BODIES {
        let start = walking(place, world.now);
        world.host.spawn(world.now, Owner::Peer(PeerId(1)), b"", &start).unwrap();
    }
    world.run(8); // granted, and their first updates sent
    assert_eq!(world.sessions[0].owned().count(), BODIES);
    let most = world.busiest_tick(|world| updates_of(&world.sessions), |_| {});
    let share = most as f64 / BODIES as f64;
    assert!(share < OWNERS_SHARE, "{most} of {BODIES} in one tick");
}

#[test]
fn bodies_of_as_many_owners_who_joined_in_one_tick_do_not_speak_together() {
    let mut world = World::new(BODIES);
    world.run(60);
    assert_eq!(world.joined.len(), BODIES);
    for peer in world.joined.clone() {
        world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
        let start = walking(world.host.entities().count(), world.now);
        world.host.spawn(world.now, Owner::Peer(peer), b"", &start).unwrap();
    }
    // What they see of each other is another matter.
    for session in 0..BODIES as u32 {
        world.host.set_budget(world.now, PeerId(session + 1), 20_000);
    }
    world.run(8);
    let most = world.busiest_tick(|world| updates_of(&world.sessions), |_| {});
    let share = most as f64 / BODIES as f64;
    assert!(share < OWNERS_SHARE, "{most} of {BODIES} in one tick");
}

#[test]
fn bodies_that_entered_a_peers_sight_in_one_tick_are_not_sent_together() {
    for heartbeat_spread in [ZoneClass::default().heartbeat_spread, 0.0] {
        let mut world = World::new(1);
        let mut config = world.host.config().clone();
        config.zones.classes[0].heartbeat_spread = heartbeat_spread;
        world.host = Host::new(config).unwrap();
        world.host.connect(SimTime::ZERO, PeerId(1));
        world.run(40);
        world.host.set_viewpoint(PeerId(1), Viewpoint::Everywhere);
        let bodies: Vec<_> = (0..BODIES)
            .map(|place| {
                let start = walking(place, world.now);
                world.host.spawn(world.now, Owner::Host, b"", &start).unwrap()
            })
            .collect();
        let observe = |world: &mut World| {
            for (place, body) in bodies.iter().enumerate() {
                world.host.observe(*body, &walking(place, world.now));
            }
        };
        (0..4).for_each(|_| {
            world.step();
            observe(&mut world);
        });
        assert_eq!(world.sessions[0].ghosts().count(), BODIES);
        let most = world.busiest_tick(|world| world.host.stats().traffic.updates_out, observe);
        let share = most as f64 / BODIES as f64;
        if heartbeat_spread > 0.0 {
            assert!(share < PEERS_SHARE, "{most} of {BODIES} in one tick");
        } else {
            assert!(share > 0.9, "the test sees clumps: {most} of {BODIES} in one tick");
        }
    }
}
