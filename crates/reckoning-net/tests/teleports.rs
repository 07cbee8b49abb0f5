//! A body that is somewhere else without having moved there is shown there at once, exactly once,
//! whatever is lost on the way.

#[path = "shared/linear_format.rs"]
mod linear_format;

use std::time::Duration;

use reckoning::guard::{Envelope, GuardConfig};
use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{
    ClockMode, EntityId, Host, HostConfig, HostEvent, Owner, PeerId, Session, SessionConfig,
    SessionEvent, Viewpoint, ZoneClass,
};

const FRAME: Duration = Duration::from_millis(10);
const WAY: Duration = Duration::from_millis(30);
/// Places lie this far apart; nobody walks that far.
const APART_M: f64 = 1_000.0;
const OWNER: usize = 0;
const ONLOOKER: usize = 1;

/// A client, what is under way to and from it, and what is lost.
struct Client {
    session: Session,
    peer: PeerId,
    up: Vec<(SimTime, Vec<u8>)>,
    down: Vec<(SimTime, Vec<u8>)>,
    loses_up: bool,
    loses_down: bool,
    events: Vec<SessionEvent>,
}

/// A host, the owner of a body, and onlookers.
struct World {
    host: Host,
    clients: Vec<Client>,
    now: SimTime,
    events: Vec<HostEvent>,
    random: SplitMix64,
    loss: f64,
}

fn clients_clock(now: SimTime) -> SimTime {
    now + Duration::from_secs(500)
}

/// Circles about the place of that number at four metres a second, which takes an update every
/// fifth of a second or so.
fn at_place(place: u32, at: SimTime) -> Kinematics {
    let angle = 4.0 * at.as_secs_f64();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let about = DVec3::X * APART_M * f64::from(place);
    Kinematics::moving(at, about + DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0) * 4.0)
}

impl World {
    fn new(config: HostConfig) -> Self {
        let host = Host::new(config).unwrap();
        let random = SplitMix64::new(1);
        let (clients, events) = (Vec::new(), Vec::new());
        Self { host, clients, now: SimTime::ZERO, events, random, loss: 0.0 }
    }

    fn connect(&mut self) {
        let peer = PeerId(self.clients.len() as u32 + 1);
        self.host.connect(self.now, peer);
        self.clients.push(Client {
            session: Session::new(SessionConfig::default()).unwrap(),
            peer,
            up: Vec::new(),
            down: Vec::new(),
            loses_up: false,
            loses_down: false,
            events: Vec::new(),
        });
    }

    /// Everybody has joined, and the first client owns a body at place 0.
    fn joined(config: HostConfig) -> (Self, EntityId) {
        let mut world = Self::new(config);
        world.connect();
        world.connect();
        world.run(100, |_, _| {});
        for client in &world.clients {
            world.host.set_viewpoint(client.peer, Viewpoint::Everywhere);
        }
        let peer = world.clients[OWNER].peer;
        let start = at_place(0, world.now);
        let body = world.host.spawn(world.now, Owner::Peer(peer), b"", &start).unwrap();
        (world, body)
    }

    fn run(&mut self, frames: usize, mut play: impl FnMut(&mut Self, SimTime)) {
        for _ in 0..frames {
            self.now += FRAME;
            self.step();
            play(self, self.now);
        }
    }

    fn step(&mut self) {
        let (now, mut buf) = (self.now, [0; 1000]);
        for client in &mut self.clients {
            for bytes in arrived(&mut client.up, now) {
                self.host.handle_datagram(now, client.peer, &bytes);
            }
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                assert!(self.host.admit(now, peer));
            }
            self.events.push(event);
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            let unlucky = self.random.unit() < self.loss;
            let client = self.clients.iter_mut().find(|it| it.peer == peer).unwrap();
            if !unlucky && !client.loses_down {
                client.down.push((now + WAY, buf[..length].to_vec()));
            }
        }
        for client in &mut self.clients {
            let local = clients_clock(now);
            for bytes in arrived(&mut client.down, now) {
                client.session.handle_datagram(local, &bytes);
            }
            client.session.handle_timeout(local);
            while let Some(length) = client.session.poll_datagram(local, &mut buf) {
                let unlucky = self.random.unit() < self.loss;
                if !unlucky && !client.loses_up {
                    client.up.push((now + WAY, buf[..length].to_vec()));
                }
            }
            client.events.extend(std::iter::from_fn(|| client.session.poll_event()));
        }
    }

    fn observe(&mut self, body: EntityId, place: u32) {
        let truth = Kinematics { at: clients_clock(self.now), ..at_place(place, self.now) };
        self.clients[OWNER].session.observe(body, &truth);
    }

    fn teleport(&mut self, body: EntityId, place: u32) {
        let truth = Kinematics { at: clients_clock(self.now), ..at_place(place, self.now) };
        assert!(self.clients[OWNER].session.teleport(body, &truth));
    }

    fn shown(&self, client: usize, body: EntityId) -> Option<DVec3> {
        let session = &self.clients[client].session;
        session.shown(body, clients_clock(self.now)).map(|pose| pose.position)
    }
}

fn arrived(wire: &mut Vec<(SimTime, Vec<u8>)>, now: SimTime) -> Vec<Vec<u8>> {
    let (due, later) = wire.drain(..).partition(|(at, _)| *at <= now);
    *wire = later;
    let due: Vec<(SimTime, Vec<u8>)> = due;
    due.into_iter().map(|(_, bytes)| bytes).collect()
}

/// Watches a picture: it is always at some place, never on the way between two.
#[derive(Default)]
struct Watch {
    places: Vec<u32>,
}

impl Watch {
    fn look(&mut self, world: &World, client: usize, body: EntityId) {
        let Some(shown) = world.shown(client, body) else { return };
        let place = (shown.x / APART_M).round();
        let off_m = shown.distance(DVec3::X * APART_M * place);
        assert!(off_m < 20.0, "at {:?} it glides {off_m} m from any place", world.now);
        if self.places.last() != Some(&(place as u32)) {
            self.places.push(place as u32);
        }
    }
}

fn config() -> HostConfig {
    HostConfig::new(linear_format::format(true))
}

#[test]
fn an_owners_teleport_is_seen_although_every_datagram_about_it_was_lost() {
    for lost_frames in [1, 30, 100] {
        let (mut world, body) = World::joined(config());
        let mut watch = Watch::default();
        world.run(200, |world, _| world.observe(body, 0));
        world.clients[OWNER].loses_up = true;
        world.teleport(body, 1);
        world.run(lost_frames, |world, _| world.observe(body, 1));
        world.clients[OWNER].loses_up = false;
        world.run(200, |world, _| {
            world.observe(body, 1);
            watch.look(world, ONLOOKER, body);
        });
        assert_eq!(watch.places, [0, 1], "{lost_frames} frames lost");
    }
}

#[test]
fn a_teleport_that_the_next_export_overtakes_before_it_is_sent_is_seen() {
    let (mut world, body) = World::joined(config());
    let mut watch = Watch::default();
    world.run(200, |world, _| world.observe(body, 0));
    world.teleport(body, 1);
    world.now += FRAME;
    let far = at_place(1, world.now);
    let strayed = Kinematics { position: far.position + DVec3::Y * 3.0, ..far };
    let strayed = Kinematics { at: clients_clock(world.now), ..strayed };
    world.clients[OWNER].session.observe(body, &strayed); // replaces what was not sent yet
    world.run(200, |world, _| {
        world.observe(body, 1);
        watch.look(world, ONLOOKER, body);
    });
    assert_eq!(watch.places, [0, 1]);
}

#[test]
fn a_hosts_teleport_is_seen_although_the_first_datagrams_were_lost() {
    for lost_frames in [4, 40, 150] {
        let (mut world, _) = World::joined(config());
        let start = at_place(0, world.now);
        let body = world.host.spawn(world.now, Owner::Host, b"", &start).unwrap();
        let mut watch = Watch::default();
        world.run(100, |world, now| _ = world.host.observe(body, &at_place(0, now)));
        world.clients[ONLOOKER].loses_down = true;
        // Several, so that no single one can be waited for.
        for place in 1..4 {
            world.now += FRAME;
            let elsewhere = at_place(place, world.now);
            assert!(world.host.teleport(world.now, body, &elsewhere));
            world.run(lost_frames / 4, |world, now| {
                _ = world.host.observe(body, &at_place(place, now));
            });
        }
        world.clients[ONLOOKER].loses_down = false;
        world.run(200, |world, now| {
            world.host.observe(body, &at_place(3, now));
            watch.look(world, ONLOOKER, body);
        });
        assert_eq!(watch.places, [0, 3], "{lost_frames} frames lost");
    }
}

/// Right after a teleport the body swerves, so that updates are sent before the first one is
/// acknowledged: they are blended.
#[test]
fn nothing_snaps_twice() {
    let (mut world, _) = World::joined(config());
    let swerving = |born: SimTime, at: SimTime| {
        let t_s = at.secs_since(born);
        let side = if (t_s * 20.0) as i64 % 2 == 0 { 1.0 } else { -1.0 };
        let place = DVec3::new(APART_M, 0.0, 0.0) + DVec3::Y * side * 0.8;
        Kinematics::moving(at, place, DVec3::Y * side * 4.0)
    };
    let start = at_place(0, world.now);
    let body = world.host.spawn(world.now, Owner::Host, b"", &start).unwrap();
    world.run(100, |world, now| _ = world.host.observe(body, &at_place(0, now)));
    world.now += FRAME;
    let born = world.now;
    assert!(world.host.teleport(born, body, &swerving(born, born)));
    let (mut jumps, mut last) = (0, world.shown(ONLOOKER, body).unwrap());
    world.run(100, |world, now| {
        world.host.observe(body, &swerving(born, now));
        let shown = world.shown(ONLOOKER, body).unwrap();
        // Blends of a third of a second move less than half a metre in a frame.
        jumps += u32::from(shown.distance(last) > 0.5);
        last = shown;
    });
    assert_eq!(jumps, 1, "updates after the teleport were shown without a blend");
}

#[test]
fn a_teleport_before_the_entry_is_acknowledged_is_seen() {
    let (mut world, body) = World::joined(config());
    world.run(100, |world, _| world.observe(body, 0));
    world.connect();
    let joins = world.clients.len() - 1;
    let mut watch = Watch::default();
    let mut entered = false;
    world.run(300, |world, _| {
        let peer = world.clients[joins].peer;
        world.host.set_viewpoint(peer, Viewpoint::Everywhere);
        // Its acknowledgements are lost, so the host does not know that it sees the body.
        let sees = world.clients[joins].session.ghosts().any(|(id, _)| id == body);
        if sees && !entered {
            entered = true;
            world.clients[joins].loses_up = true;
            world.teleport(body, 1);
        }
        world.observe(body, u32::from(entered));
        watch.look(world, joins, body);
    });
    assert_eq!(watch.places, [0, 1]);
}

#[test]
fn who_changes_class_or_comes_back_into_sight_meanwhile_sees_it_once() {
    let mut config = config();
    let mut near = ZoneClass::default();
    near.radius_m = 5_000.0;
    let mut far = ZoneClass::default();
    (far.radius_m, far.coarser_log2) = (f64::INFINITY, 1);
    config.zones.classes = vec![near, far];
    config.zone_interval = FRAME;
    let (mut world, body) = World::joined(config);
    let peer = world.clients[ONLOOKER].peer;
    let mut watch = Watch::default();
    world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::ZERO));
    world.run(200, |world, _| world.observe(body, 0));
    for (place, eye_x) in [(1, 9_000.0), (2, 0.0), (3, 9_000.0)] {
        world.clients[ONLOOKER].loses_down = true;
        world.host.set_viewpoint(peer, Viewpoint::Place(DVec3::X * eye_x));
        world.teleport(body, place);
        world.run(20, |world, _| world.observe(body, place));
        world.clients[ONLOOKER].loses_down = false;
        world.run(100, |world, _| {
            world.observe(body, place);
            watch.look(world, ONLOOKER, body);
        });
    }
    assert_eq!(watch.places, [0, 1, 2, 3]);
}

#[test]
fn a_granted_teleport_is_allowed_although_its_first_datagram_was_lost() {
    for grants in [true, false] {
        let mut config = config();
        let mut guard = GuardConfig::new(Envelope::of_speed(5.0, 50.0), 1.0);
        guard.max_silence = Duration::from_secs(2);
        config.guard = Some(guard);
        let (mut world, body) = World::joined(config);
        let mut watch = Watch::default();
        world.run(200, |world, _| world.observe(body, 0));
        if grants {
            world.host.allow_teleport(world.now, body, Duration::from_secs(3));
        }
        world.clients[OWNER].loses_up = true;
        world.teleport(body, 1);
        world.run(30, |world, _| world.observe(body, 1));
        world.clients[OWNER].loses_up = false;
        world.clients[OWNER].events.clear();
        world.run(100, |world, _| {
            world.observe(body, 1);
            watch.look(world, ONLOOKER, body);
        });
        let corrections = world.clients[OWNER].events.len();
        if grants {
            assert_eq!((watch.places, corrections), (vec![0, 1], 0));
        } else {
            assert_eq!(watch.places, [0], "a teleport that nobody allowed");
            assert!(corrections > 0);
        }
    }
}

/// The owner's updates that are under way when the host teleports its body are about the old place.
#[test]
fn what_an_owner_said_before_it_knew_does_not_drag_the_body_back() {
    for clock_mode in [ClockMode::Synchronised, ClockMode::PerHop] {
        let mut config = config();
        config.clock_mode = clock_mode;
        let (mut world, body) = World::joined(config);
        let mut watch = Watch::default();
        let mut at = 0;
        world.run(200, |world, _| world.observe(body, 0));
        world.clients[OWNER].events.clear();
        assert!(world.host.teleport(world.now, body, &at_place(1, world.now)));
        world.run(200, |world, _| {
            let corrected = |event: &SessionEvent| matches!(event, SessionEvent::Corrected { .. });
            if world.clients[OWNER].events.iter().any(corrected) {
                at = 1;
            } else {
                // Until it hears, it teleports of its own accord too.
                world.teleport(body, 5);
            }
            world.observe(body, at);
            watch.look(world, ONLOOKER, body);
        });
        assert_eq!(watch.places, [0, 1], "{clock_mode:?}");
    }
}

#[test]
fn with_every_third_datagram_lost_pictures_leap_and_never_glide() {
    for seed in 0..8 {
        let (mut world, owned) = World::joined(config());
        let start = at_place(0, world.now);
        let hosts = world.host.spawn(world.now, Owner::Host, b"", &start).unwrap();
        world.run(100, |world, now| {
            world.observe(owned, 0);
            world.host.observe(hosts, &at_place(0, now));
        });
        world.random = SplitMix64::new(seed);
        world.loss = 0.33;
        let mut watches = [Watch::default(), Watch::default()];
        let mut places = [0_u32; 2];
        world.run(3_000, |world, now| {
            if world.random.unit() < 0.01 {
                places[0] += 1;
                world.teleport(owned, places[0]);
            }
            if world.random.unit() < 0.01 {
                places[1] += 1;
                world.host.teleport(now, hosts, &at_place(places[1], now));
            }
            world.observe(owned, places[0]);
            world.host.observe(hosts, &at_place(places[1], now));
            watches[0].look(world, ONLOOKER, owned);
            watches[1].look(world, ONLOOKER, hosts);
        });
        world.loss = 0.0;
        world.run(100, |world, now| {
            world.observe(owned, places[0]);
            world.host.observe(hosts, &at_place(places[1], now));
            watches[0].look(world, ONLOOKER, owned);
            watches[1].look(world, ONLOOKER, hosts);
        });
        for (watch, place) in watches.iter().zip(places) {
            assert!(watch.places.is_sorted_by(|a, b| a < b), "seed {seed}: {:?}", watch.places);
            assert_eq!(watch.places.last(), Some(&place), "seed {seed}");
        }
    }
}
