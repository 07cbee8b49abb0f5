//! A host and its clients over simulated links, in one loop.

use std::time::Duration;

use reckoning::random::SplitMix64;
use reckoning::{DVec3, Kinematics, SimTime};
use reckoning_net::{
    EntityId, Host, HostConfig, HostEvent, Owner, PeerId, Session, SessionConfig, SessionEvent,
};
use reckoning_netsim::{Link, LinkConfig};

/// The loop's step, which is a frame of the clients' games.
pub const FRAME: Duration = Duration::from_millis(10);

/// One client and its two ways.
pub struct Client {
    pub session: Session,
    pub peer: PeerId,
    pub up: Link<Vec<u8>>,
    pub down: Link<Vec<u8>>,
    /// How far its clock is ahead of the host's, in microseconds.
    pub ahead_us: i64,
    pub events: Vec<SessionEvent>,
    /// A sleeping client does nothing and hears nothing.
    pub asleep: bool,
    /// What it was sent, as a running hash.
    pub hash: u64,
    pub datagrams: u64,
    pub bytes: u64,
}

impl Client {
    pub fn local(&self, now: SimTime) -> SimTime {
        SimTime::from_micros(now.as_micros() + self.ahead_us)
    }

    pub fn owned(&self) -> Vec<EntityId> {
        self.session.owned().collect()
    }
}

/// The host, the clients and the time.
pub struct World {
    pub host: Host,
    pub clients: Vec<Client>,
    pub now: SimTime,
    pub events: Vec<HostEvent>,
    /// Each client gets an entity when it joins for the first time.
    pub spawns: bool,
    next_peer: u32,
}

/// FNV-1a, good enough to tell runs apart.
pub fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

impl World {
    pub fn new(config: HostConfig) -> Self {
        let host = Host::new(config).unwrap();
        let (clients, events) = (Vec::new(), Vec::new());
        Self { host, clients, now: SimTime::ZERO, events, spawns: true, next_peer: 1 }
    }

    /// A client connects over links like that, each way with luck of its own.
    pub fn connect(&mut self, config: SessionConfig, link: LinkConfig) -> usize {
        let peer = self.next_peer();
        let mut back = link;
        back.seed = link.seed ^ 0x5555;
        self.clients.push(Client {
            session: Session::new(config).unwrap(),
            peer,
            up: Link::new(link).unwrap(),
            down: Link::new(back).unwrap(),
            ahead_us: 1_000_000 * i64::from(peer.0) * 37 % 90_000_000,
            events: Vec::new(),
            asleep: false,
            hash: 0xcbf2_9ce4_8422_2325,
            datagrams: 0,
            bytes: 0,
        });
        self.clients.len() - 1
    }

    fn next_peer(&mut self) -> PeerId {
        let peer = PeerId(self.next_peer);
        self.next_peer += 1;
        self.host.connect(self.now, peer);
        peer
    }

    /// A client comes back with a new session over a new connection.
    pub fn reconnect(&mut self, client: usize, config: SessionConfig) {
        let peer = self.next_peer();
        let client = &mut self.clients[client];
        client.peer = peer;
        client.session = Session::new(config).unwrap();
        client.up = Link::new(*client.up.config()).unwrap();
        client.down = Link::new(*client.down.config()).unwrap();
    }

    /// One frame. `truth` says where each client's own entity is, by the host's clock.
    pub fn step(&mut self, truth: &dyn Fn(usize, SimTime) -> Kinematics) {
        self.now += FRAME;
        let now = self.now;
        for client in &mut self.clients {
            while let Some((_, bytes)) = client.up.poll(now) {
                self.host.handle_datagram(now, client.peer, &bytes);
            }
        }
        self.host.handle_timeout(now);
        self.answer_joins(truth);
        self.send_down();
        for place in 0..self.clients.len() {
            self.frame(place, truth);
        }
    }

    pub fn run(&mut self, span: Duration, truth: &dyn Fn(usize, SimTime) -> Kinematics) {
        let end = self.now + span;
        while self.now < end {
            self.step(truth);
        }
    }

    fn answer_joins(&mut self, truth: &dyn Fn(usize, SimTime) -> Kinematics) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = &event {
                self.host.admit(self.now, *peer);
            }
            if let (HostEvent::Joined { peer, before: None }, true) = (&event, self.spawns) {
                let place = self.clients.iter().position(|it| it.peer == *peer).unwrap();
                let start = truth(place, self.now);
                self.host.spawn(self.now, Owner::Peer(*peer), b"body", &start).unwrap();
            }
            self.events.push(event);
        }
    }

    fn send_down(&mut self) {
        let mut buf = [0; 1000];
        while let Some((peer, length)) = self.host.poll_datagram(self.now, &mut buf) {
            let Some(client) = self.clients.iter_mut().find(|it| it.peer == peer) else { continue };
            let bytes = buf[..length].to_vec();
            client.hash = hashed(client.hash, &bytes);
            client.datagrams += 1;
            client.bytes += length as u64;
            client.down.send(self.now, length as u32, bytes);
        }
    }

    fn frame(&mut self, place: usize, truth: &dyn Fn(usize, SimTime) -> Kinematics) {
        let now = self.now;
        let client = &mut self.clients[place];
        let local = client.local(now);
        while let Some((_, bytes)) = client.down.poll(now) {
            if !client.asleep {
                client.session.handle_datagram(local, &bytes);
            }
        }
        if client.asleep {
            return;
        }
        client.session.handle_timeout(local);
        for entity in client.owned() {
            client.session.observe(entity, &Kinematics { at: local, ..truth(place, now) });
        }
        let mut buf = [0; 1000];
        while let Some(length) = client.session.poll_datagram(local, &mut buf) {
            client.up.send(now, length as u32, buf[..length].to_vec());
        }
        client.events.extend(std::iter::from_fn(|| client.session.poll_event()));
    }

    /// How far what a client shows is from the truth, for each entity in its sight, now.
    pub fn errors(&self, client: usize, truth: &dyn Fn(usize, SimTime) -> Kinematics) -> Vec<f64> {
        let seer = &self.clients[client];
        let local = seer.local(self.now);
        seer.session
            .ghosts()
            .filter_map(|(id, remote)| {
                let shown = seer.session.shown(id, local)?;
                let Owner::Peer(owner) = remote.owner() else { return None };
                let place = self.clients.iter().position(|it| it.peer == owner)?;
                Some(shown.position.distance(truth(place, self.now).position))
            })
            .collect()
    }
}

/// A body that runs about, turning now and then, until `stops`; each has a course of its own.
pub fn wandering(seed: u64, stops: SimTime) -> impl Fn(usize, SimTime) -> Kinematics {
    move |place, at| {
        let mut random = SplitMix64::new(seed).fork(place as u64 + 1);
        let (mut position, mut velocity) = (DVec3::ZERO, DVec3::ZERO);
        let until_s = at.min(stops).as_secs_f64();
        let mut t_s = 0.0;
        while t_s < until_s {
            let angle = random.between(0.0, std::f64::consts::TAU);
            velocity =
                DVec3::new(libm::cos(angle), libm::sin(angle), 0.0) * random.between(1.0, 6.0);
            let leg_s = random.between(0.3, 1.5).min(until_s - t_s);
            position += velocity * leg_s;
            t_s += leg_s;
        }
        let moves = if at >= stops { DVec3::ZERO } else { velocity };
        Kinematics::moving(at, position, moves)
    }
}

/// A body that never stops turning, so that its owner has something to say all the time.
pub fn curving(seed: u64) -> impl Fn(usize, SimTime) -> Kinematics {
    move |place, at| {
        let mut random = SplitMix64::new(seed).fork(place as u64 + 1);
        let (mut position, mut velocity) = (DVec3::ZERO, DVec3::ZERO);
        for axis in [DVec3::X, DVec3::Y] {
            for rate in [0.2, 0.5, 0.9] {
                let rate = rate * random.between(0.8, 1.2);
                let reach = random.between(1.0, 2.0) / rate;
                let angle = rate * at.as_secs_f64() + random.between(0.0, std::f64::consts::TAU);
                position += axis * (reach * libm::sin(angle));
                velocity += axis * (reach * rate * libm::cos(angle));
            }
        }
        Kinematics::moving(at, position, velocity)
    }
}
