//! Kinds of bodies through host and sessions over simulated links.

use std::time::Duration;

use reckoning_net::{
    Blend, Codes, DVec3, EntityId, Format, Host, HostConfig, HostEvent, Kind, KindId, Kinds,
    Kinematics, Model, Owner, PeerId, Quantiser, Registry, Session, SessionConfig, SessionEvent,
    Show, SimTime, Threshold, Update, Viewpoint, ZoneClass, ZoneConfig,
};

const PEERS: [PeerId; 2] = [PeerId(1), PeerId(2)];

fn steps() -> Quantiser {
    Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    }
}

fn declared() -> (Kinds, KindId, KindId) {
    let mut kinds = Kinds::default();
    let mut fine = Kind::default();
    fine.publisher.threshold = Threshold::metres(0.1).unwrap();
    fine.show = Show::reckoned(Blend::Snap);
    let mut coarse = Kind::default();
    coarse.publisher.threshold = Threshold::metres(2.0).unwrap();
    coarse.publisher.heartbeat = Duration::from_secs(5);
    let mut class = ZoneClass::default();
    (class.threshold, class.coarser_log2) = (Threshold::metres(2.0).unwrap(), 3);
    class.angle_threshold = None;
    let mut zones = ZoneConfig::default();
    zones.classes = vec![class];
    coarse.zones = Some(zones);
    let fine = kinds.add("fine", fine).unwrap();
    let coarse = kinds.add("coarse", coarse).unwrap();
    (kinds, fine, coarse)
}

/// A host, two sessions, and links that lose some datagrams by a rule and deliver in order.
struct World {
    host: Host,
    sessions: Vec<Session>,
    now: SimTime,
    /// The datagrams to peers so far, and which of them are lost.
    sent: u64,
    is_lost: fn(u64) -> bool,
    bytes: usize,
    events: Vec<Vec<SessionEvent>>,
}

impl World {
    fn new(kinds: Kinds, is_lost: fn(u64) -> bool) -> Self {
        let format = Format::new(true, 1_000, steps(), &[Model::Linear], Registry::default());
        let mut config = HostConfig::new(format.unwrap());
        config.kinds = kinds;
        let mut host = Host::new(config).unwrap();
        for peer in PEERS {
            host.connect(SimTime::ZERO, peer);
        }
        let session = |_: &PeerId| Session::new(SessionConfig::default()).unwrap();
        let sessions = PEERS.iter().map(session).collect();
        let events = vec![Vec::new(), Vec::new()];
        Self { host, sessions, now: SimTime::ZERO, sent: 0, is_lost, bytes: 0, events }
    }

    fn step(&mut self) {
        let mut buf = [0; 1000];
        self.now += Duration::from_millis(25);
        let now = self.now;
        for (session, peer) in self.sessions.iter_mut().zip(PEERS) {
            session.handle_timeout(now);
            while let Some(length) = session.poll_datagram(now, &mut buf) {
                self.host.handle_datagram(now, peer, &buf[..length]);
            }
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            self.sent += 1;
            self.bytes += length;
            if !(self.is_lost)(self.sent) {
                let place = peer.0 as usize - 1;
                self.sessions[place].handle_datagram(now, &buf[..length]);
            }
        }
        for (session, events) in self.sessions.iter_mut().zip(&mut self.events) {
            events.extend(core::iter::from_fn(|| session.poll_event()));
        }
    }

    fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }
}

/// Round a circle of 10 m at 5 m/s.
fn circling(now: SimTime) -> Kinematics {
    let (sin, cos) = libm::sincos(0.5 * now.as_secs_f64());
    Kinematics::moving(now, DVec3::new(cos, sin, 0.0) * 10.0, DVec3::new(-sin, cos, 0.0) * 5.0)
}

/// Plays for so long; updates that each session received meanwhile.
fn play(world: &mut World, body: EntityId, steps: u32) -> u64 {
    let before = world.sessions[1].stats().updates_in;
    for _ in 0..steps {
        world.step();
        let truth = circling(world.now);
        world.sessions[0].observe(body, &truth);
    }
    world.sessions[1].stats().updates_in - before
}

#[test]
fn owners_and_watchers_go_by_the_kind_of_a_body() {
    let (kinds, fine, coarse) = declared();
    let mut world = World::new(kinds.clone(), |_| false);
    world.run(20);
    // A peer is not told radii, budgets and guards; names and settings it is.
    assert_eq!(world.sessions[1].kinds().named("coarse"), Some(coarse));
    assert_eq!(world.sessions[1].kinds().get(fine), kinds.get(fine));
    let spawn = |world: &mut World, kind| {
        let (now, owner) = (world.now, Owner::Peer(PEERS[0]));
        world.host.spawn_kind(now, kind, owner, b"", &circling(now)).unwrap()
    };
    let body = spawn(&mut world, fine);
    world.run(10);
    let updates = [play(&mut world, body, 400), {
        assert!(world.host.set_kind(world.now, body, coarse));
        world.run(10);
        play(&mut world, body, 400)
    }];
    assert!(updates[0] > 3 * updates[1], "{updates:?} updates in ten seconds each");
    let changed = SessionEvent::KindChanged { entity: body, kind: coarse };
    for (place, events) in world.events.iter().enumerate() {
        assert!(events.contains(&changed), "session {place}: {events:?}");
        assert!(!events.iter().any(|it| matches!(it, SessionEvent::Revoked(_))), "{place}");
        assert!(!events.iter().any(|it| matches!(it, SessionEvent::Exited { .. })), "{place}");
    }
    let (_, remote) = world.sessions[1].ghosts().next().unwrap();
    assert_eq!((remote.kind(), remote.class()), (coarse, 0));
    assert_eq!(remote.ghost().show(), kinds.get(coarse).unwrap().show);
    assert_eq!(remote.ghost().show().max_extrapolation(), Some(Duration::from_secs(20)));
    let shown = world.sessions[1].shown(body, world.now).unwrap().position;
    let off = shown.distance(circling(world.now).position);
    assert!(off < 2.5, "{off} m off by a threshold of 2 m");
}

/// A hundred bodies on circles with these priors: the bytes to all peers, and what the second one holds.
fn crowd(codes: Option<Codes>) -> (usize, Vec<Update>) {
    let mut kinds = Kinds::default();
    let mut kind = Kind::default();
    (kind.publisher.threshold, kind.codes) = (Threshold::metres(0.1).unwrap(), codes);
    let kind = kinds.add("told", kind).unwrap();
    let mut world = World::new(kinds, |n| n % 7 == 3);
    world.run(40);
    let start = circling(world.now);
    let bodies: Vec<EntityId> = (0..100)
        .map(|_| world.host.spawn_kind(world.now, kind, Owner::Host, b"", &start).unwrap())
        .collect();
    world.run(40);
    let before = world.bytes;
    for _ in 0..200 {
        world.step();
        let truth = circling(world.now);
        for &body in &bodies {
            world.host.observe(body, &truth);
        }
    }
    assert_eq!(world.sessions[1].stats().malformed, 0);
    let held = world.sessions[1].ghosts().map(|(_, remote)| *remote.ghost().update()).collect();
    (world.bytes - before, held)
}

#[test]
fn priors_of_a_kind_change_the_bytes_and_nothing_else() {
    let [mut near, mut wrong] = [Codes::default(); 2];
    (near.position, near.velocity) = (4, 2);
    (wrong.age, wrong.position, wrong.velocity) = (9, 12, 12);
    let [usual, near, wrong] = [None, Some(near), Some(wrong)].map(crowd);
    assert!(usual.1.len() == 100 && usual.1 == near.1 && usual.1 == wrong.1);
    let bytes = [usual.0, near.0, wrong.0];
    assert!(bytes[1] * 20 < bytes[0] * 21 && bytes[0] * 5 < bytes[2] * 4, "{bytes:?}");
    assert_ne!(bytes[0], bytes[1], "told, and of no effect");
}

#[test]
fn a_prior_that_cannot_be_told_is_refused() {
    let mut kind = Kind::default();
    let mut codes = Codes::default();
    codes.term = Codes::MAX_ORDER + 1;
    kind.codes = Some(codes);
    let refused = Kinds::default().add("far", kind).unwrap_err().to_string();
    assert!(refused.contains("codes") && refused.contains("16"), "{refused}");
}

/// What a kind of the second peer's ghost is made of is what the host has, to the bit, while the
/// kind changes and every third datagram is lost.
#[test]
fn ghosts_hold_what_the_host_sent_though_kinds_change_and_datagrams_are_lost() {
    let (kinds, fine, coarse) = declared();
    for is_lost in [|n| n % 3 == 0, |n| n % 5 < 2, |n: u64| n % 16 < 7] as [fn(u64) -> bool; 3] {
        let mut world = World::new(kinds.clone(), is_lost);
        world.run(80);
        let start = circling(world.now);
        let body = world.host.spawn_kind(world.now, fine, Owner::Host, b"", &start).unwrap();
        for step in 0..800 {
            world.step();
            let truth = circling(world.now);
            world.host.observe(body, &truth);
            if step % 37 == 0 {
                let kind = [fine, coarse, KindId::NONE][(step / 37) % 3];
                assert!(world.host.set_kind(world.now, body, kind));
            }
            for session in &world.sessions {
                let Some((_, remote)) = session.ghosts().next() else { continue };
                let at = remote.ghost().update().at();
                let off = remote.ghost().update().position_at(at).distance(circling(at).position);
                assert!(off < 0.1, "{off} m off at step {step}: read by another kind's rounding");
            }
        }
        assert!(
            world.sessions.iter().all(|it| it.ghosts().count() == 1 && it.stats().malformed == 0)
        );
    }
}

#[test]
fn kinds_that_do_not_fit_one_datagram_arrive_whatever_is_lost() {
    let mut kinds = Kinds::default();
    for number in 0..reckoning_net::MAX_KINDS {
        let mut kind = Kind::default();
        kind.publisher.seed = number as u64;
        kinds.add(&format!("kind {number}"), kind).unwrap();
    }
    let mut world = World::new(kinds.clone(), |n| n % 2 == 0);
    world.run(400);
    for session in &world.sessions {
        assert_eq!(session.kinds(), &kinds);
        assert!(session.peer().is_some());
    }
}

#[test]
fn a_kind_that_was_not_declared_is_refused() {
    let (kinds, _, coarse) = declared();
    let mut world = World::new(Kinds::default(), |_| false);
    let refused = world.host.spawn_kind(world.now, coarse, Owner::Host, b"", &circling(world.now));
    assert!(refused.unwrap_err().to_string().contains("kind 2 was not declared"));
    let body = world.host.spawn(world.now, Owner::Host, b"", &circling(world.now)).unwrap();
    assert!(!world.host.set_kind(world.now, body, coarse));
    assert_eq!(world.host.kind(body), Some(KindId::NONE));
    drop(kinds);
}
