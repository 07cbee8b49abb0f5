//! Host, game and clients in one loop, with simulated links between them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{ConfigError, Kinematics, Quantiser, SimTime};
use reckoning_arena::hills::host::{
    BARREL, HillsHost, HillsHostConfig, TURRET, host_config, session_config,
};
use reckoning_arena::hills::protocol::{HillsCommand, HillsDatagram, HillsNotice};
use reckoning_arena::hills::{DriverInput, HillsLevel, RemoteDriver};
use reckoning_arena::host::{ArenaHostError, ArenaRequest};
use reckoning_arena::protocol::{ClientMessage, LinkChoice, ServerMessage};
use reckoning_net::{
    Delivery, EntityId, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session,
    SessionEvent,
};
use reckoning_netsim::{Jitter, Link, LinkConfig, LinkError, Loss};

use super::costs::{self, UpdateCost};
use super::snapshots::Snapshots;

/// One frame of everything, and one step of the game.
pub const FRAME: Duration = Duration::from_micros(16_667);
/// Of UDP and IP.
const HEADERS: u32 = 28;

/// Why there is no chain.
#[derive(Debug)]
#[non_exhaustive]
pub enum HillsLabError {
    /// The level or its settings.
    Arena(ArenaHostError),
    /// A setting of the host or of a client.
    Config(ConfigError),
    /// A link.
    Link(LinkError),
}

impl fmt::Display for HillsLabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arena(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HillsLabError {}

impl From<ArenaHostError> for HillsLabError {
    fn from(error: ArenaHostError) -> Self {
        Self::Arena(error)
    }
}

impl From<ConfigError> for HillsLabError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for HillsLabError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

/// A link as the server simulates it for a choice of the page.
#[must_use]
pub fn link_config(choice: LinkChoice, seed: u64) -> LinkConfig {
    let mut link = LinkConfig::default();
    link.delay = Duration::from_millis(choice.delay_ms.into());
    if choice.jitter_ms > 0 {
        link.jitter = Jitter::Normal { deviation: Duration::from_millis(choice.jitter_ms.into()) };
    }
    let share = f64::from(choice.loss_percent) / 100.0;
    link.loss = if choice.burst > 1 && share > 0.0 {
        Loss::bursts(share, choice.burst.into())
    } else {
        Loss::Independent { share }
    };
    link.seed = seed;
    link
}

/// One client: it watches, or it drives.
pub struct HillsClient {
    /// Its number.
    pub peer: PeerId,
    /// Its end of the protocol.
    pub session: Session,
    /// Its vehicle, if it drives.
    pub driver: RemoteDriver,
    /// What it was told, in order.
    pub notices: Vec<HillsNotice>,
    /// What a game without dead reckoning would have sent it.
    pub snapshots: Snapshots,
    watches: bool,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    aside: Link<Vec<u8>>,
}

impl HillsClient {
    fn new(
        peer: PeerId,
        level: &Arc<HillsLevel>,
        link: LinkConfig,
        watches: bool,
    ) -> Result<Self, HillsLabError> {
        let link = |more: u64| {
            let mut link = link;
            link.seed = link.seed.wrapping_mul(3).wrapping_add(more);
            Link::new(link)
        };
        Ok(Self {
            peer,
            session: Session::new(session_config(level))?,
            driver: RemoteDriver::new(Arc::clone(level), peer.0.into()),
            notices: Vec::new(),
            snapshots: Snapshots::default(),
            watches,
            up: link(0)?,
            down: link(1)?,
            aside: link(2)?,
        })
    }

    /// Takes in what came.
    fn receive(&mut self, now: SimTime) {
        while let Some((at, bytes)) = self.down.poll(now) {
            self.session.handle_datagram(at, &bytes);
        }
        while let Some((_, bytes)) = self.aside.poll(now) {
            if let Ok(HillsDatagram::Snapshot { at, bodies }) = HillsDatagram::decode(&bytes) {
                self.snapshots.take(at, &bodies, bytes.len());
            }
        }
        self.session.handle_timeout(now);
        while let Some(event) = self.session.poll_event() {
            self.note(event);
        }
        self.driver.look(&self.session);
    }

    fn note(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Joined { .. } => {
                let hello = ClientMessage::Hello { name: "Tess".into(), watch: self.watches };
                self.say(&hello.encode());
                if self.watches {
                    let wants = ClientMessage::Subscribe { truth: false, snapshots: true };
                    self.say(&wants.encode());
                }
            }
            SessionEvent::Entered { entity, tag, .. } => self.driver.handle_entered(entity.0, &tag),
            SessionEvent::Exited { entity, .. } => self.driver.handle_exited(entity.0),
            SessionEvent::Corrected { state, .. } => self.driver.handle_corrected(&state),
            SessionEvent::Message(bytes) | SessionEvent::Command(bytes) => {
                if let Ok(notice) = HillsNotice::decode(&bytes) {
                    self.notices.push(notice);
                } else if let Ok(message) = ServerMessage::decode(&bytes) {
                    self.driver.handle_message(&message);
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        // What does not fit into a session's outbox is missed by the test that needs it.
        let _ = self.session.send(bytes, Delivery::Reliable);
    }

    /// Asks the server for something.
    pub fn ask(&mut self, command: &HillsCommand) {
        self.say(&command.encode());
    }

    fn send(&mut self, now: SimTime) {
        let mut buffer = [0; 1_000];
        while let Some(length) = self.session.poll_datagram(now, &mut buffer) {
            self.up.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
    }

    /// How it shows an entity, before any ground.
    #[must_use]
    pub fn shown(&self, entity: EntityId, now: SimTime) -> Option<Kinematics> {
        let at = self.session.timeline_at(now)?;
        let ghost = self.session.ghosts().find(|it| it.0 == entity)?.1.ghost();
        Some(ghost.kinematics_at(at))
    }

    /// One step of its own vehicle as its bot decides, published and, if it fires, told.
    pub fn play(&mut self, now: SimTime) {
        let session = &self.session;
        let Some(at) = session.timeline_at(now) else { return };
        let shown = |entity: u32| {
            let ghost = session.ghosts().find(|it| it.0.0 == entity)?.1.ghost();
            Some(ghost.kinematics_at(at))
        };
        if let Some(input) = self.driver.decide(shown) {
            self.act(now, &input);
        }
    }

    /// One step of its own vehicle by an input.
    pub fn act(&mut self, now: SimTime, input: &DriverInput) {
        self.driver.drive(input);
        self.publish(now);
        if let Some(fire) = self.driver.fire(&self.session, now, input) {
            self.ask(&fire);
        }
        if input.lob {
            self.ask(&HillsCommand::Lob);
        }
    }

    /// Publishes its own vehicle and where it aims.
    pub fn publish(&mut self, now: SimTime) {
        let (Some(entity), Some(truth)) = (self.driver.entity(), self.driver.kinematics(now))
        else {
            return;
        };
        let entity = EntityId(entity);
        self.session.observe(entity, &truth);
        if let Some(aim) = self.driver.body().map(|it| it.aim) {
            self.session.aim(now, entity, TURRET, aim.turret_rad, aim.turret_radps);
            self.session.aim(now, entity, BARREL, aim.barrel_rad, aim.barrel_radps);
        }
    }
}

/// Everything in one loop.
pub struct HillsChain {
    /// The server's end of the protocol.
    pub host: Host,
    /// The game.
    pub hills: HillsHost,
    /// Those who joined, in order.
    pub clients: Vec<HillsClient>,
    /// The moment of the last frame.
    pub now: SimTime,
    /// What updates to clients took so far, by entity.
    pub costs: BTreeMap<EntityId, UpdateCost>,
    level: Arc<HillsLevel>,
}

impl HillsChain {
    /// A server for a level, before its first frame; demonstrations are granted.
    ///
    /// # Errors
    /// When the level's numbers make no host.
    pub fn new(
        level: impl Into<Arc<HillsLevel>>,
        config: &HillsHostConfig,
    ) -> Result<Self, HillsLabError> {
        let level = level.into();
        let mut host = Host::new(host_config(HostConfig::new(any_format()?), &level)?)?;
        let hills = HillsHost::new(Arc::clone(&level), config);
        hills.apply_tuning(SimTime::ZERO, &mut host);
        let costs = BTreeMap::new();
        Ok(Self { host, hills, clients: Vec::new(), now: SimTime::ZERO, costs, level })
    }

    /// The level.
    #[must_use]
    pub const fn level(&self) -> &Arc<HillsLevel> {
        &self.level
    }

    /// A client connects through that link, each way; returns its place. One that watches is sent
    /// everything as if it were near, and the snapshots of a plain game.
    ///
    /// # Errors
    /// When the link is refused.
    pub fn join(&mut self, link: LinkConfig, watches: bool) -> Result<usize, HillsLabError> {
        let peer = PeerId(self.clients.len() as u32 + 1);
        self.host.connect(self.now, peer);
        self.clients.push(HillsClient::new(peer, &self.level, link, watches)?);
        Ok(self.clients.len() - 1)
    }

    /// One sixtieth of a second. Drivers do what `play` makes them do, between receiving and
    /// sending; afterwards [`Self::now`] is the moment that truth and pictures are about.
    pub fn frame(&mut self, mut play: impl FnMut(&mut HillsClient, SimTime)) {
        self.now += FRAME;
        let now = self.now;
        for client in &mut self.clients {
            client.receive(now);
            play(client, now);
            client.send(now);
            while let Some((at, bytes)) = client.up.poll(now) {
                self.host.handle_datagram(at, client.peer, &bytes);
            }
        }
        self.tell(now);
        self.hills.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.tell(now);
        self.send(now);
    }

    fn tell(&mut self, now: SimTime) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(now, peer);
            } else {
                self.hills.handle_event(now, &event, &mut self.host);
            }
        }
    }

    fn send(&mut self, now: SimTime) {
        let mut buffer = [0; 1_000];
        let format = self.host.config().format.clone();
        while let Some((peer, length)) = self.host.poll_datagram(now, &mut buffer) {
            costs::note(&mut self.costs, &format, &buffer[..length]);
            if let Some(client) = self.clients.iter_mut().find(|it| it.peer == peer) {
                client.down.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
            }
        }
        while let Some(request) = self.hills.poll_request() {
            if let ArenaRequest::OutOfBand { to, bytes, .. } = request
                && let Some(client) = self.clients.iter_mut().find(|it| it.peer == to)
            {
                client.aside.send(now, bytes.len() as u32 + HEADERS, bytes);
            }
        }
        // A link without a delay delivers within the frame.
        for client in &mut self.clients {
            client.receive(now);
        }
    }
}

/// The hills choose their own; this is only there to begin with.
fn any_format() -> Result<Format, HillsLabError> {
    let steps = Quantiser {
        position_m: 1.0,
        velocity_mps: 1.0,
        acceleration_mps2: 1.0,
        angular_velocity_radps: 1.0,
        orientation: 0.1,
    };
    let format = Format::new(false, 1_000, steps, &[], Registry::default());
    format.map_err(|error| HillsLabError::Arena(error.into()))
}
