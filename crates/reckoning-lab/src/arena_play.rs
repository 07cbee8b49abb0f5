//! The arena's own host with its bots, and a session that watches all of them over a simulated
//! link, in virtual time: what the arena's tables are measured with.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reckoning::{ConfigError, Quantiser, SimTime};
use reckoning_arena::Level;
use reckoning_arena::host::{
    ArenaHost, ArenaHostConfig, ArenaHostError, ArenaRequest, MotionStyle, TRAINED_ON,
    host_config_styled, session_config, trained, with_learned,
};
use reckoning_arena::planning::trend_map;
use reckoning_arena::protocol::{
    ClientMessage, DebugDatagram, LinkChoice, PositionSnapshot, ServerTuning,
};
use reckoning_net::wire::OUT_OF_BAND_PREFIX;
use reckoning_net::{
    Delivery, Format, Host, HostConfig, HostEvent, PeerId, Registry, Session, SessionEvent,
};
use reckoning_netsim::{Jitter, Link, LinkConfig, LinkError, Loss};

/// Between two frames, and two steps of the game.
pub(crate) const STEP: Duration = Duration::from_micros(16_667);
const WATCHER: PeerId = PeerId(1);
/// Of UDP and IP.
const HEADERS: u32 = 28;

/// Why there is no table.
#[derive(Debug)]
pub enum ArenaPlayError {
    /// The level or its settings.
    Arena(ArenaHostError),
    /// A setting of the host or of the watcher.
    Config(ConfigError),
    /// A link.
    Link(LinkError),
    /// What the arena should bring along is not there.
    Missing(&'static str),
}

impl fmt::Display for ArenaPlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arena(error) => error.fmt(f),
            Self::Config(error) => error.fmt(f),
            Self::Link(error) => error.fmt(f),
            Self::Missing(what) => write!(f, "the arena has no {what}; build it with one"),
        }
    }
}

impl std::error::Error for ArenaPlayError {}

impl From<ArenaHostError> for ArenaPlayError {
    fn from(error: ArenaHostError) -> Self {
        Self::Arena(error)
    }
}

impl From<ConfigError> for ArenaPlayError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<LinkError> for ArenaPlayError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

/// What is played, and over which link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaySettings {
    pub(crate) bots: u16,
    pub(crate) seed: u64,
    pub(crate) tuning: ServerTuning,
    pub(crate) style: MotionStyle,
    pub(crate) link: LinkChoice,
    /// The watcher gets the positions of a naive game as well.
    pub(crate) snapshots: bool,
    /// Planners get a map of the trends of the level.
    pub(crate) trends: bool,
}

/// The arena's host and a watcher behind a link.
pub(crate) struct ArenaPlay {
    pub(crate) host: Host,
    pub(crate) arena: ArenaHost,
    pub(crate) watcher: Session,
    up: Link<Vec<u8>>,
    down: Link<Vec<u8>>,
    pub(crate) now: SimTime,
    snapshots: bool,
    /// What came of a naive game since the last frame: when, how many bytes, and which positions.
    pub(crate) heard: Vec<(SimTime, u32, PositionSnapshot)>,
}

impl ArenaPlay {
    pub(crate) fn new(settings: &PlaySettings) -> Result<Self, ArenaPlayError> {
        let level = Level::built_in(TRAINED_ON).map_err(|_| ArenaPlayError::Missing("level"))?;
        let network = trained().ok_or(ArenaPlayError::Missing("trained network"))?;
        let base = HostConfig::new(any_format()?);
        let config = host_config_styled(base, &level, &settings.style)?;
        let mut host = Host::new(with_learned(config, &network)?)?;
        let mut arena = ArenaHostConfig::default();
        (arena.bots, arena.seed, arena.demo) = (settings.bots, settings.seed, true);
        (arena.tuning, arena.learned) = (settings.tuning, Some(Arc::new(network)));
        if settings.trends {
            arena.trends = trend_map(&level).map(Arc::new);
        }
        let arena = ArenaHost::new(level, &arena);
        arena.apply_tuning(SimTime::ZERO, &mut host);
        host.connect(SimTime::ZERO, WATCHER);
        let mut session = session_config();
        session.ghost = settings.style.ghost;
        let watcher = Session::new(session)?;
        let [up, down] = links(settings.link, settings.seed)?;
        let (now, snapshots, heard) = (SimTime::ZERO, settings.snapshots, Vec::new());
        Ok(Self { host, arena, watcher, up, down, now, snapshots, heard })
    }

    /// Everything goes over this link from now on; what is on its way is lost.
    pub(crate) fn set_link(&mut self, link: LinkChoice, seed: u64) -> Result<(), ArenaPlayError> {
        [self.up, self.down] = links(link, seed)?;
        Ok(())
    }

    pub(crate) fn frame(&mut self) {
        self.now += STEP;
        let now = self.now;
        let mut buffer = [0; 1_000];
        while let Some((at, bytes)) = self.up.poll(now) {
            self.host.handle_datagram(at, WATCHER, &bytes);
        }
        self.arena.tick(now, &mut self.host);
        self.host.handle_timeout(now);
        self.tell();
        while let Some((_, length)) = self.host.poll_datagram(now, &mut buffer) {
            self.down.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
        while let Some(request) = self.arena.poll_request() {
            if let ArenaRequest::OutOfBand { bytes, shaped: true, .. } = request {
                self.down.send(now, bytes.len() as u32 + HEADERS, bytes);
            }
        }
        self.heard.clear();
        while let Some((at, bytes)) = self.down.poll(now) {
            self.hear(at, &bytes);
        }
        self.watcher.handle_timeout(now);
        while let Some(event) = self.watcher.poll_event() {
            if matches!(event, SessionEvent::Joined { .. }) {
                self.introduce();
            }
        }
        while let Some(length) = self.watcher.poll_datagram(now, &mut buffer) {
            self.up.send(now, length as u32 + HEADERS, buffer[..length].to_vec());
        }
    }

    fn hear(&mut self, at: SimTime, bytes: &[u8]) {
        if !bytes.starts_with(&OUT_OF_BAND_PREFIX) {
            self.watcher.handle_datagram(at, bytes);
        } else if let Ok(DebugDatagram::Snapshot(snapshot)) = DebugDatagram::decode(bytes) {
            self.heard.push((at, bytes.len() as u32, snapshot));
        }
    }

    fn introduce(&mut self) {
        let hello = ClientMessage::Hello { name: "watcher".into(), watch: true };
        let _ = self.watcher.send(&hello.encode(), Delivery::Reliable);
        if self.snapshots {
            let wish = ClientMessage::Subscribe { truth: false, snapshots: true };
            let _ = self.watcher.send(&wish.encode(), Delivery::Reliable);
        }
    }

    fn tell(&mut self) {
        while let Some(event) = self.host.poll_event() {
            if let HostEvent::JoinRequested { peer, .. } = event {
                self.host.admit(self.now, peer);
            }
            self.arena.handle_event(self.now, &event, &mut self.host);
        }
    }
}

/// The arena chooses its own; this is only there to begin with.
fn any_format() -> Result<Format, ArenaPlayError> {
    let steps = Quantiser {
        position_m: 1.0,
        velocity_mps: 1.0,
        acceleration_mps2: 1.0,
        angular_velocity_radps: 1.0,
        orientation: 0.1,
    };
    let format = Format::new(true, 1_000, steps, &[], Registry::default());
    format.map_err(|error| ArenaPlayError::Arena(error.into()))
}

fn links(choice: LinkChoice, seed: u64) -> Result<[Link<Vec<u8>>; 2], LinkError> {
    let [up, down] = [2 * seed, 2 * seed + 1].map(|seed| Link::new(link(choice, seed)));
    Ok([up?, down?])
}

/// As the server simulates it.
fn link(choice: LinkChoice, seed: u64) -> LinkConfig {
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
