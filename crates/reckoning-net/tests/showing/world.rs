//! A host, two sessions, and links with a delay that lose some datagrams by a rule.

use std::time::Duration;

use reckoning_net::{
    Format, Host, HostConfig, HostEvent, Kinds, Model, PeerId, Quantiser, Registry, Session,
    SessionConfig, SessionEvent, SimTime, Viewpoint,
};

pub const PEERS: [PeerId; 2] = [PeerId(1), PeerId(2)];
/// The way of a datagram.
pub const WAY: Duration = Duration::from_millis(60);
/// The time between two steps.
pub const STEP: Duration = Duration::from_millis(10);

/// Whether the so manieth datagram is lost.
pub type LossRule = fn(u64) -> bool;

pub struct World {
    pub host: Host,
    pub sessions: Vec<Session>,
    pub now: SimTime,
    pub events: Vec<Vec<SessionEvent>>,
    /// Datagrams to the host and to the peers, with when they arrive.
    to_host: Vec<(SimTime, PeerId, Vec<u8>)>,
    to_peers: Vec<(SimTime, PeerId, Vec<u8>)>,
    /// All datagrams so far, and which of them are lost.
    sent: u64,
    pub is_lost: LossRule,
}

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

impl World {
    pub fn new(kinds: Kinds, is_lost: LossRule) -> Self {
        Self::with_host(kinds, is_lost, |_| {})
    }

    pub fn with_host(
        kinds: Kinds,
        is_lost: LossRule,
        settings: impl FnOnce(&mut HostConfig),
    ) -> Self {
        let mut config = HostConfig::new(format());
        config.kinds = kinds;
        settings(&mut config);
        let mut host = Host::new(config).unwrap();
        for peer in PEERS {
            host.connect(SimTime::ZERO, peer);
        }
        let session = |_: &PeerId| Session::new(SessionConfig::default()).unwrap();
        Self {
            host,
            sessions: PEERS.iter().map(session).collect(),
            now: SimTime::ZERO,
            events: vec![Vec::new(), Vec::new()],
            to_host: Vec::new(),
            to_peers: Vec::new(),
            sent: 0,
            is_lost,
        }
    }

    fn arrives(&mut self) -> Option<SimTime> {
        self.sent += 1;
        (!(self.is_lost)(self.sent)).then_some(self.now + WAY)
    }

    pub fn step(&mut self) {
        let mut buf = [0; 1000];
        self.now += STEP;
        let now = self.now;
        for (_, peer, bytes) in self.to_host.extract_if(.., |it| it.0 <= now) {
            self.host.handle_datagram(now, peer, &bytes);
        }
        for (_, peer, bytes) in self.to_peers.extract_if(.., |it| it.0 <= now) {
            self.sessions[peer.0 as usize - 1].handle_datagram(now, &bytes);
        }
        for (place, peer) in PEERS.into_iter().enumerate() {
            self.sessions[place].handle_timeout(now);
            while let Some(length) = self.sessions[place].poll_datagram(now, &mut buf) {
                let bytes = buf[..length].to_vec();
                let at = self.arrives();
                self.to_host.extend(at.map(|at| (at, peer, bytes)));
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
            let bytes = buf[..length].to_vec();
            let at = self.arrives();
            self.to_peers.extend(at.map(|at| (at, peer, bytes)));
        }
        for (session, events) in self.sessions.iter_mut().zip(&mut self.events) {
            events.extend(core::iter::from_fn(|| session.poll_event()));
        }
    }

    pub fn run(&mut self, steps: u32) {
        for _ in 0..steps {
            self.step();
        }
    }
}
