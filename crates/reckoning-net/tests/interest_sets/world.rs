//! A host, sessions, simulated links, and a record of everything that was sent.

use std::collections::BTreeMap;
use std::time::Duration;

use reckoning_net::wire::{Message, PacketReader};
use reckoning_net::{
    DVec3, EntityId, Format, Host, HostConfig, HostEvent, KindId, Kinematics, Model, Owner, PeerId,
    Quantiser, Registry, Session, SessionConfig, SessionEvent, SimTime, Viewpoint,
};
use reckoning_netsim::{Link, LinkConfig};

/// The loop's step.
pub const FRAME: Duration = Duration::from_millis(10);

/// Nobody is given up for gone, however much is lost.
const PATIENCE: Duration = Duration::from_mins(10);

/// Loses a fifth of all datagrams, reorders and duplicates.
pub const LOSSY: &str = "delay=40,jitter=25,loss=0.2,reorder=0.05,dup=0.05";

pub fn format() -> Format {
    let steps = Quantiser {
        position_m: 0.01,
        velocity_mps: 0.03,
        acceleration_mps2: 0.1,
        angular_velocity_radps: 0.01,
        orientation: 0.01,
    };
    Format::new(true, 1_000, steps, &[Model::Linear], Registry::default()).unwrap()
}

pub fn config() -> HostConfig {
    let mut config = HostConfig::new(format());
    (config.timeout, config.join_within) = (PATIENCE, PATIENCE);
    config
}

/// One peer and its two ways.
pub struct Client {
    pub peer: PeerId,
    pub session: Session,
    pub up: Link<Vec<u8>>,
    pub down: Link<Vec<u8>>,
    pub events: Vec<SessionEvent>,
    /// Datagrams and bytes that it was sent.
    pub datagrams: u64,
    pub bytes: u64,
}

pub struct World {
    pub host: Host,
    pub clients: Vec<Client>,
    pub now: SimTime,
    pub events: Vec<HostEvent>,
}

impl World {
    /// Everyone joins and sees everything.
    pub fn new(config: HostConfig, peers: u32, link: &str, seed: u64) -> Self {
        let link: LinkConfig = link.parse().unwrap();
        let mut host = Host::new(config).unwrap();
        let mut settings = SessionConfig::default();
        settings.timeout = PATIENCE;
        let clients = (1..=peers).map(|peer| {
            host.connect(SimTime::ZERO, PeerId(peer));
            let seeded =
                |way: u64| LinkConfig { seed: seed * 64 + u64::from(peer) * 2 + way, ..link };
            Client {
                peer: PeerId(peer),
                session: Session::new(settings.clone()).unwrap(),
                up: Link::new(seeded(0)).unwrap(),
                down: Link::new(seeded(1)).unwrap(),
                events: Vec::new(),
                datagrams: 0,
                bytes: 0,
            }
        });
        let clients = clients.collect();
        let mut world = Self { host, clients, now: SimTime::ZERO, events: Vec::new() };
        for _ in 0..2_000 {
            world.step(|_, _, _| {});
            if world.clients.iter().all(|it| it.session.timeline_at(world.now).is_some()) {
                break;
            }
        }
        assert!(world.clients.iter().all(|it| it.session.peer().is_some()), "seed {seed}: joined");
        world
    }

    /// One step; `spy` sees every datagram of the host as it is written.
    pub fn step(&mut self, mut spy: impl FnMut(&Host, PeerId, &[u8])) {
        let mut buf = [0; 1_000];
        self.now += FRAME;
        let now = self.now;
        for client in &mut self.clients {
            while let Some((_, bytes)) = client.up.poll(now) {
                self.host.handle_datagram(now, client.peer, &bytes);
            }
        }
        self.host.handle_timeout(now);
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
                self.host.set_viewpoint(peer, Viewpoint::Everywhere);
            }
            self.events.push(event);
        }
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buf) {
            spy(&self.host, peer, &buf[..length]);
            let client = &mut self.clients[peer.0 as usize - 1];
            client.datagrams += 1;
            client.bytes += length as u64;
            client.down.send(now, length as u32, buf[..length].to_vec());
        }
        for client in &mut self.clients {
            while let Some((_, bytes)) = client.down.poll(now) {
                client.session.handle_datagram(now, &bytes);
            }
            client.session.handle_timeout(now);
            while let Some(length) = client.session.poll_datagram(now, &mut buf) {
                client.up.send(now, length as u32, buf[..length].to_vec());
            }
            client.events.extend(std::iter::from_fn(|| client.session.poll_event()));
        }
    }

    pub fn run(&mut self, span: Duration) {
        let end = self.now + span;
        while self.now < end {
            self.step(|_, _, _| {});
        }
    }

    pub fn spawn(&mut self, place: DVec3) -> EntityId {
        self.spawn_kind(KindId::NONE, place)
    }

    pub fn spawn_kind(&mut self, kind: KindId, place: DVec3) -> EntityId {
        let rest = Kinematics::at_rest(self.now, place);
        self.host.spawn_kind(self.now, kind, Owner::Host, b"", &rest).unwrap()
    }

    /// The entities that a client shows.
    pub fn shown(&self, client: usize) -> Vec<EntityId> {
        self.clients[client].session.ghosts().map(|(id, _)| id).collect()
    }
}

/// What a message about an entity says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Enter,
    Update,
    Exit(reckoning_net::ExitReason),
    Values,
    Joints,
    Grant,
    Revoke,
    Correct,
}

/// All that a datagram says of entities.
pub fn said_in(datagram: &[u8]) -> Vec<(EntityId, Said)> {
    let mut reader = PacketReader::new(datagram).unwrap();
    let mut said = Vec::new();
    while let Some(message) = reader.next_message(Some(&format())).unwrap() {
        said.extend(match message {
            Message::Enter { entity, .. } => Some((entity, Said::Enter)),
            Message::Update { entity, .. } => Some((entity, Said::Update)),
            Message::Exit { entity, why } => Some((entity, Said::Exit(why))),
            Message::Values { entity, .. } => Some((entity, Said::Values)),
            Message::Joints { entity, .. } => Some((entity, Said::Joints)),
            Message::Grant { entity, .. } => Some((entity, Said::Grant)),
            Message::Revoke { entity } => Some((entity, Said::Revoke)),
            Message::Correct { entity, .. } => Some((entity, Said::Correct)),
            _ => None,
        });
    }
    said
}

/// Who owns what.
pub fn owners(host: &Host) -> BTreeMap<EntityId, Owner> {
    host.entities().map(|(id, owner, _)| (id, owner)).collect()
}

/// Numbers that look random.
pub struct Luck(pub u64);

impl Luck {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }
}
