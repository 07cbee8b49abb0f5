//! Datagrams that overtake each other at the worst moment: what they say is not lost.

use std::time::Duration;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{EntityId, Host, HostEvent, Owner, PeerId, Session, SessionEvent, Viewpoint};

use super::game::{host_config, session_config};

const PEER: PeerId = PeerId(1);
const OTHER: PeerId = PeerId(2);
const TICK: Duration = Duration::from_millis(50);

/// A host and a session on the same clock, without delay; what the host sends can be held back.
struct Pair {
    host: Host,
    session: Session,
    now: SimTime,
    held: Option<Vec<Vec<u8>>>,
}

impl Pair {
    fn joined() -> Self {
        let mut host = Host::new(host_config()).unwrap();
        host.connect(SimTime::ZERO, PEER);
        let session = Session::new(session_config(1)).unwrap();
        let mut pair = Self { host, session, now: SimTime::ZERO, held: None };
        pair.run(40);
        assert_eq!(pair.session.peer(), Some(PEER));
        pair.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
        pair
    }

    fn step(&mut self) {
        let mut buf = [0; 1000];
        self.now += TICK;
        let now = self.now;
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, &mut buf) {
            self.host.handle_datagram(now, PEER, &buf[..length]);
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
            }
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            match &mut self.held {
                _ if peer != PEER => {}
                Some(held) => held.push(buf[..length].to_vec()),
                None => self.session.handle_datagram(now, &buf[..length]),
            }
        }
    }

    fn run(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }

    fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// Delivers what was held back, the latest first.
    fn deliver_backwards(&mut self) {
        for datagram in self.held.take().into_iter().flatten().rev() {
            self.session.handle_datagram(self.now, &datagram);
        }
    }

    fn moving(&self, x_m: f64, speed_mps: f64) -> Kinematics {
        Kinematics::moving(self.now, DVec3::X * x_m, DVec3::X * speed_mps)
    }

    /// How far the ghost is from where the host knows the body.
    fn off_m(&self, id: EntityId) -> f64 {
        let known =
            self.host.entities().find(|(it, ..)| *it == id).unwrap().2.position_at(self.now);
        self.session.shown(id, self.now).expect("in sight").position.distance(known)
    }
}

#[test]
fn an_update_that_overtakes_its_entry_is_sent_again() {
    let mut pair = Pair::joined();
    let start = pair.moving(10.0, 5.0);
    let body = pair.host.spawn(pair.now, Owner::Host, b"", &start).unwrap();
    pair.hold();
    pair.step(); // its entry
    let rest = pair.moving(10.25, 0.0);
    pair.host.observe(body, &rest);
    pair.step(); // its stop, which nothing follows
    pair.deliver_backwards();
    pair.run(100);
    assert!(pair.off_m(body) < 0.02, "it went on for {} m", pair.off_m(body));
}

#[test]
fn a_number_means_the_same_to_both_ends_in_whatever_class() {
    let mut pair = Pair::joined();
    let start = pair.moving(80.0, 0.0);
    let body = pair.host.spawn(pair.now, Owner::Host, b"", &start).unwrap();
    pair.run(10);
    // Sent coarsely, and again finely before that is acknowledged.
    let mut odd = pair.moving(82.34, 3.17);
    odd.velocity.y = 0.29;
    pair.host.observe(body, &odd);
    pair.hold();
    pair.step();
    pair.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::X * 80.0));
    pair.run(5);
    let held = pair.held.take().unwrap();
    for datagram in &held {
        pair.session.handle_datagram(pair.now, datagram);
    }
    for step in 0..60_u32 {
        pair.step();
        let fast = pair.moving(84.0 + f64::from(step % 7), 4.0 + f64::from(step % 3));
        pair.host.observe(body, &fast);
    }
    let rest = pair.moving(85.67, 0.0);
    pair.host.observe(body, &rest);
    pair.run(20);
    assert!(pair.off_m(body) < 0.02, "{} m off", pair.off_m(body));
    let stats = pair.session.stats();
    assert_eq!((stats.malformed, stats.no_baseline), (0, 0), "{stats:?}");
}

#[test]
fn an_owner_is_known_though_an_update_overtook_the_entry_that_names_it() {
    let mut pair = Pair::joined();
    pair.host.connect(pair.now, OTHER);
    let mut other = Session::new(session_config(2)).unwrap();
    let mut buf = [0; 1000];
    let length = other.poll_datagram(pair.now, &mut buf).unwrap();
    pair.host.handle_datagram(pair.now, OTHER, &buf[..length]);
    let start = pair.moving(10.0, 2.0);
    let body = pair.host.spawn(pair.now, Owner::Host, b"", &start).unwrap();
    pair.run(10);
    pair.hold();
    assert!(pair.host.grant(pair.now, body, OTHER));
    pair.step(); // the entry that names the owner
    let rest = pair.moving(20.0, 0.0);
    pair.host.observe(body, &rest);
    pair.step();
    pair.deliver_backwards();
    pair.run(30);
    let (_, ghost) = pair.session.ghosts().find(|(id, _)| *id == body).expect("in sight");
    assert_eq!(ghost.owner(), Owner::Peer(OTHER));
    let told = std::iter::from_fn(|| pair.session.poll_event());
    let changes = told.filter(|it| matches!(it, SessionEvent::OwnerChanged { .. })).count();
    assert_eq!(changes, 1);
    assert!(pair.off_m(body) < 0.02, "{} m off", pair.off_m(body));
}

#[test]
fn an_exit_from_before_an_entry_does_not_end_it() {
    let mut pair = Pair::joined();
    let start = pair.moving(10.0, 2.0);
    let body = pair.host.spawn(pair.now, Owner::Host, b"", &start).unwrap();
    pair.run(10);
    pair.hold();
    pair.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::X * 900.0));
    pair.run(5); // its exit
    pair.host.set_viewpoint(PEER, Viewpoint::Place(DVec3::ZERO));
    pair.run(5); // its entry
    let rest = pair.moving(20.0, 0.0);
    pair.host.observe(body, &rest);
    pair.run(2);
    pair.deliver_backwards();
    pair.run(100);
    assert!(pair.off_m(body) < 0.02, "{} m off", pair.off_m(body));
}
