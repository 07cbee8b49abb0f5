//! Interest sets over real sockets of this machine: what counts more is seen from farther away, what
//! is hidden is not sent, and what left is told apart from what died.

mod support;

use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_client::{Client, ClientConfig, SessionEvent};
use reckoning_net::wire::{Message, PacketReader};
use reckoning_net::{
    Camera, Delivery, EntityId, ExitReason, Format, GroupId, Host, HostConfig, HostEvent, KindId,
    Model, Owner, PeerId, Quantiser, Registry, Session, SessionConfig, Viewpoint,
};
use reckoning_server::{Clock, Game, Server, Settings};
use tungstenite::WebSocket;

use support::{open_socket, wait_for};

const FILE: &str = "listen = '127.0.0.1:0'\nlog = 'error'\n\
    [[kind]]\nname = 'flag'\nimportance = 10.0\n\
    [[kind.class]]\nradius_m = 20.0\n[[kind.class]]\nradius_m = 60.0\n\
    [[kind]]\nname = 'walker'\n\
    [[kind.class]]\nradius_m = 20.0\n[[kind.class]]\nradius_m = 60.0\n\
    [[kind]]\nname = 'spy'\nvisibility = 'listed'\n";

fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(true, 1_000, steps, &[Model::Linear], Registry::default()).unwrap()
}

/// A flag and a walker far away, a walker and a spy near. Who knows the spy is said by commands.
struct Fog {
    kinds: [KindId; 3],
    bodies: Vec<(EntityId, f64)>,
}

impl Fog {
    fn spawn(&mut self, now: SimTime, host: &mut Host) {
        let [flag, walker, spy] = self.kinds;
        for (kind, x_m) in [(flag, 100.0), (walker, 100.0), (walker, 10.0), (spy, 5.0)] {
            let rest = Kinematics::at_rest(now, DVec3::X * x_m);
            let body = host.spawn_kind(now, kind, Owner::Host, b"", &rest).unwrap();
            self.bodies.push((body, x_m));
        }
    }

    fn obey(&mut self, peer: PeerId, order: &[u8], host: &mut Host) {
        let (mortal, spy) = (self.bodies[2].0, self.bodies[3].0);
        match order {
            b"show" => assert!(host.set_visible(peer, spy, true)),
            b"hide" => assert!(host.set_visible(peer, spy, false)),
            b"kill" => {
                host.despawn(mortal);
                host.despawn(spy);
            }
            _ => {}
        }
    }
}

impl Game for Fog {
    fn event(&mut self, _: SimTime, event: &HostEvent, host: &mut Host) {
        match event {
            HostEvent::Joined { peer, .. } => {
                host.set_viewpoint(*peer, Viewpoint::Place(DVec3::ZERO));
            }
            HostEvent::Message { peer, bytes } => self.obey(*peer, bytes, host),
            _ => {}
        }
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        if self.bodies.is_empty() {
            self.spawn(now, host);
        }
        let (sin, cos) = libm::sincos(3.0 * now.as_secs_f64());
        for (body, x_m) in &self.bodies {
            let place = DVec3::new(*x_m, sin * 2.0, 0.0);
            host.observe(*body, &Kinematics::moving(now, place, DVec3::Y * cos * 6.0));
        }
    }
}

fn serve() -> reckoning_server::Running {
    let settings = Settings::from_toml(FILE).unwrap();
    let kinds = settings.kinds().unwrap();
    let ids = ["flag", "walker", "spy"].map(|name| kinds.named(name).unwrap());
    let mut host = HostConfig::new(format());
    host.kinds = kinds;
    let mut server = Server::new(settings);
    server.set_host(host);
    server.start(Fog { kinds: ids, bodies: Vec::new() }).unwrap()
}

/// A client that keeps every byte that it is sent.
struct Recorder {
    session: Session,
    clock: Clock,
    wire: WebSocket<std::net::TcpStream>,
    kept: Vec<Vec<u8>>,
}

impl Recorder {
    fn frame(&mut self) {
        let mut buf = [0; 1_000];
        while let Ok(message) = self.wire.read() {
            if let tungstenite::Message::Binary(bytes) = message {
                self.session.handle_datagram(self.clock.now(), &bytes);
                self.kept.push(bytes.to_vec());
            }
        }
        let now = self.clock.now();
        self.session.handle_timeout(now);
        while let Some(length) = self.session.poll_datagram(now, &mut buf) {
            let _ = self.wire.send(tungstenite::Message::Binary(buf[..length].to_vec().into()));
        }
    }

    /// The entities that any datagram named.
    fn named(&self) -> Vec<EntityId> {
        let mut named = Vec::new();
        for datagram in &self.kept {
            let Ok(mut reader) = PacketReader::new(datagram) else { continue };
            while let Some(message) = reader.next_message(Some(&format())).unwrap() {
                named.extend(match message {
                    Message::Enter { entity, .. }
                    | Message::Update { entity, .. }
                    | Message::Exit { entity, .. }
                    | Message::Values { entity, .. }
                    | Message::Joints { entity, .. } => Some(entity),
                    _ => None,
                });
            }
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}

struct Watcher {
    client: Client,
    exits: Vec<(EntityId, ExitReason)>,
}

impl Watcher {
    fn frame(&mut self) {
        self.client.drive();
        while let Some(event) = self.client.poll_event() {
            if let SessionEvent::Exited { entity, why } = event {
                self.exits.push((entity, why));
            }
        }
    }

    fn order(&mut self, order: &[u8]) {
        self.client.send(order, Delivery::Reliable).unwrap();
    }

    /// What it shows, as the names of kinds and the classes.
    fn shows(&self) -> Vec<(EntityId, String, u8)> {
        let Some(kinds) = self.client.kinds() else { return Vec::new() };
        let told = |(id, remote): (EntityId, &reckoning_net::RemoteEntity)| {
            (id, kinds.name(remote.kind()).unwrap().to_string(), remote.class())
        };
        self.client.ghosts().map(told).collect()
    }
}

#[test]
fn a_flag_is_seen_from_afar_a_spy_by_whom_it_is_shown_and_a_death_by_whom_it_was_seen() {
    let server = serve();
    let client = Client::connect(ClientConfig::new(&server.address().to_string())).unwrap();
    let mut watcher = Watcher { client, exits: Vec::new() };
    let session = Session::new(SessionConfig::default()).unwrap();
    let wire = open_socket(server.address());
    let mut recorder = Recorder { session, clock: Clock::start(), wire, kept: Vec::new() };
    let mut wait = |what: &str, watcher: &mut Watcher, done: &dyn Fn(&Watcher) -> bool| {
        wait_for(what, 20.0, || {
            watcher.frame();
            recorder.frame();
            done(watcher)
        });
    };
    wait("the flag and the near walker", &mut watcher, &|it| it.shows().len() == 2);
    let shown = watcher.shows();
    let (flag, mortal) = (&shown[0], &shown[1]);
    assert_eq!((flag.1.as_str(), flag.2), ("flag", 0), "a hundred metres count as ten");
    assert_eq!((mortal.1.as_str(), mortal.2), ("walker", 0));

    watcher.order(b"show");
    wait("the spy", &mut watcher, &|it| it.shows().len() == 3);
    let spy = watcher.shows()[2].0;
    watcher.order(b"hide");
    wait("the spy's exit", &mut watcher, &|it| !it.exits.is_empty());
    assert_eq!(watcher.exits, [(spy, ExitReason::Left)]);
    watcher.order(b"kill");
    wait("a death", &mut watcher, &|it| it.exits.len() > 1);
    let mut frames = 0;
    wait_for("nothing more", 20.0, || {
        watcher.frame();
        recorder.frame();
        frames += 1;
        frames > 500
    });
    let expected = [(spy, ExitReason::Left), (mortal.0, ExitReason::Despawned)];
    assert_eq!(watcher.exits, expected, "the spy died unseen");
    assert_eq!(recorder.named(), [flag.0, mortal.0], "of {} datagrams", recorder.kept.len());
    assert!(recorder.kept.len() > 20, "{} datagrams", recorder.kept.len());
    assert_eq!(recorder.session.ghosts().count(), 1);
    server.stop();
}

const YARD: &str = "listen = '127.0.0.1:0'\nlog = 'error'\n\
    [[kind]]\nname = 'crate'\ndormant = true\n\
    [[kind]]\nname = 'goat'\nnearest = 3\n\
    [[kind]]\nname = 'rider'\n";

/// Ten goats in a row, a rider on a horse, and a crate for whoever joins.
struct Yard {
    kinds: [KindId; 3],
    pair: Vec<EntityId>,
}

impl Yard {
    fn spawn(&mut self, now: SimTime, host: &mut Host) {
        let [_, goat, rider] = self.kinds;
        for n in 1..=10 {
            let place = Kinematics::at_rest(now, DVec3::X * f64::from(n));
            host.spawn_kind(now, goat, Owner::Host, b"goat", &place).unwrap();
        }
        for _ in 0..2 {
            let place = Kinematics::at_rest(now, DVec3::ZERO);
            let body = host.spawn_kind(now, rider, Owner::Host, b"", &place).unwrap();
            assert!(host.set_group(body, Some(GroupId(1))));
            self.pair.push(body);
        }
    }
}

impl Game for Yard {
    fn event(&mut self, now: SimTime, event: &HostEvent, host: &mut Host) {
        if let HostEvent::Joined { peer, .. } = event {
            let place = Kinematics::at_rest(now, DVec3::Y);
            host.spawn_kind(now, self.kinds[0], Owner::Peer(*peer), b"", &place).unwrap();
            host.set_viewpoint(*peer, Viewpoint::Place(DVec3::ZERO));
            assert_eq!(host.set_camera(*peer, Camera::new(DVec3::ZERO, DVec3::X)), Ok(true));
        }
    }

    fn tick(&mut self, now: SimTime, host: &mut Host) {
        if self.pair.is_empty() {
            self.spawn(now, host);
        }
        // Only the rider swerves; the horse goes straight on.
        let (sin, cos) = libm::sincos(3.0 * now.as_secs_f64());
        let swerves =
            Kinematics::moving(now, DVec3::new(sin, cos, 0.0), DVec3::new(cos, -sin, 0.0) * 3.0);
        let straight = DVec3::X * (0.1 * now.as_secs_f64());
        host.observe(self.pair[0], &swerves);
        host.observe(self.pair[1], &Kinematics::moving(now, straight, DVec3::X * 0.1));
    }
}

#[test]
fn a_client_has_the_nearest_goats_a_rider_with_its_horse_and_a_crate_that_says_nothing() {
    let settings = Settings::from_toml(YARD).unwrap();
    let kinds = settings.kinds().unwrap();
    let ids = ["crate", "goat", "rider"].map(|name| kinds.named(name).unwrap());
    let mut host = HostConfig::new(format());
    host.kinds = kinds;
    let mut server = Server::new(settings);
    server.set_host(host);
    let server = server.start(Yard { kinds: ids, pair: Vec::new() }).unwrap();
    let session = Session::new(SessionConfig::default()).unwrap();
    let wire = open_socket(server.address());
    let mut recorder = Recorder { session, clock: Clock::start(), wire, kept: Vec::new() };
    let parks = |recorder: &mut Recorder| {
        recorder.frame();
        let now = recorder.clock.now();
        let mine: Vec<EntityId> = recorder.session.owned().collect();
        for body in &mine {
            recorder.session.observe(*body, &Kinematics::at_rest(now, DVec3::Y));
        }
        !mine.is_empty()
    };
    wait_for("goats, rider and horse", 20.0, || {
        parks(&mut recorder) && recorder.session.ghosts().count() == 5
    });
    let goats = recorder.session.ghosts().filter(|(_, remote)| remote.tag() == b"goat");
    let places = goats.map(|(_, remote)| remote.ghost().update().kinematics().position.x);
    assert_eq!(places.collect::<Vec<_>>(), [1.0, 2.0, 3.0]);

    let mut frames = 0;
    wait_for("the crate known", 20.0, || {
        parks(&mut recorder);
        frames += 1;
        frames > 300 && recorder.session.stats().updates_out > 0
    });
    let before = recorder.session.stats().updates_out;
    recorder.kept.clear();
    wait_for("a while", 20.0, || {
        parks(&mut recorder);
        recorder.kept.len() > 30
    });
    assert_eq!(recorder.session.stats().updates_out, before, "the crate says nothing");
    let together = recorder.kept.iter().map(|datagram| updates_in(datagram));
    let together: Vec<usize> = together.filter(|count| *count > 0).collect();
    assert!(together.len() > 5 && together.iter().all(|count| *count == 2), "{together:?}");
    server.stop();
}

fn updates_in(datagram: &[u8]) -> usize {
    let Ok(mut reader) = PacketReader::new(datagram) else { return 0 };
    let messages = std::iter::from_fn(|| reader.next_message(Some(&format())).unwrap());
    messages.filter(|message| matches!(message, Message::Update { .. })).count()
}
