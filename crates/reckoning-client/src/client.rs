//! A client that connects, joins, stays joined and comes back.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::{ConfigError, GhostConfig, Kinematics, Pose, Publisher, PublisherConfig, SimTime};
use reckoning_net::wire::{MAX_DATAGRAM_BYTES, is_out_of_band};
use reckoning_net::{
    Delivery, DisconnectReason, EntityId, RemoteEntity, SendError, Session, SessionConfig,
    SessionEvent,
};

use crate::transport::{Clock, ConnectError, State, Trust, Wire, random_identity};

/// Events that wait for nobody: the oldest go.
const MAX_EVENTS: usize = 1_024;
/// Asides that wait for nobody: the oldest go.
const MAX_ASIDES: usize = 256;

/// Settings for a [`Client`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientConfig {
    /// The server, as `host:port`.
    pub server: String,
    /// Which servers to trust.
    pub trust: Trust,
    /// How bodies are published and shown, and the token to join with. An empty token becomes
    /// a random one, which servers that are open to all take for a name, so that whoever comes
    /// back finds its bodies again.
    pub session: SessionConfig,
    /// How long to wait after a lost connection before the next try. Doubles with each try.
    pub retry_first: Duration,
    /// The longest wait between two tries; zero never tries again.
    pub retry_longest: Duration,
}

impl ClientConfig {
    /// The usual settings for a server.
    #[must_use]
    pub fn new(server: &str) -> Self {
        Self {
            server: server.to_string(),
            trust: Trust::default(),
            session: SessionConfig::default(),
            retry_first: Duration::from_millis(250),
            retry_longest: Duration::from_secs(2),
        }
    }
}

/// How a client stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// On the way to the server, or asking to join.
    Connecting,
    /// In.
    Joined,
    /// The connection was lost; it is tried again.
    Waiting {
        /// Why it was lost.
        said: String,
    },
    /// Over: it left, or was told to stay away.
    Over {
        /// Why.
        said: String,
    },
}

/// One player's side of a game over the network.
///
/// Call [`Client::drive`] once a frame: it takes in what came and sends what is due. In
/// between, [`Client::observe`] what is yours, show the rest with [`Client::shown`], and
/// look at [`Client::poll_event`]. Nothing here waits.
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    clock: Clock,
    link: Option<Link>,
    status: Status,
    events: VecDeque<SessionEvent>,
    /// When the next try is due, and the wait after that one.
    retry_at: SimTime,
    retry_after: Duration,
    was_joined: bool,
    buffer: Vec<u8>,
    /// What came beside the protocol, and when.
    asides: VecDeque<(SimTime, Vec<u8>)>,
}

/// A connection and the session over it.
#[derive(Debug)]
struct Link {
    wire: Wire,
    session: Session,
}

impl Client {
    /// Begins to connect; [`SessionEvent::Joined`] tells when it is in.
    ///
    /// # Errors
    /// When the address or a setting cannot be used, or the system gives no thread.
    pub fn connect(mut config: ClientConfig) -> Result<Self, ConnectError> {
        if config.session.token.is_empty() {
            config.session.token = random_identity().to_vec();
        }
        let clock = Clock::start();
        let mut client = Self {
            retry_after: config.retry_first,
            config,
            clock,
            link: None,
            status: Status::Connecting,
            events: VecDeque::new(),
            retry_at: SimTime::ZERO,
            was_joined: false,
            buffer: vec![0; MAX_DATAGRAM_BYTES],
            asides: VecDeque::new(),
        };
        client.link = Some(client.open()?);
        Ok(client)
    }

    fn open(&self) -> Result<Link, ConnectError> {
        let session = Session::new(self.config.session.clone())
            .map_err(|error| ConnectError::Session { said: error.to_string() })?;
        let wire = Wire::open(&self.config.server, &self.config.trust, self.clock)?;
        Ok(Link { wire, session })
    }

    /// Now, on the client's own timeline: what [`Kinematics::at`] means here.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.clock.now()
    }

    /// Takes in what came and sends what is due. Returns the moment it looked at.
    pub fn drive(&mut self) -> SimTime {
        let now = self.clock.now();
        match self.link.as_ref().map(|link| link.wire.state()) {
            None => self.try_again(now),
            Some(State::Connecting) => {}
            Some(State::Open) => self.pump(now),
            Some(State::Closed(said)) => {
                // The last words may still lie in the inbox.
                self.pump(now);
                self.lose(now, said);
            }
        }
        now
    }

    fn pump(&mut self, now: SimTime) {
        let Some(link) = &mut self.link else { return };
        while let Some((at, bytes)) = link.wire.receive() {
            if is_out_of_band(&bytes) {
                keep(&mut self.asides, MAX_ASIDES, (at.min(now), bytes));
            } else {
                link.session.handle_datagram(at.min(now), &bytes);
            }
        }
        link.session.handle_timeout(now);
        while let Some(length) = link.session.poll_datagram(now, &mut self.buffer) {
            link.wire.send(self.buffer.get(..length).unwrap_or_default());
        }
        while let Some(event) = self.link.as_mut().and_then(|link| link.session.poll_event()) {
            self.note(now, event);
        }
    }

    fn note(&mut self, now: SimTime, event: SessionEvent) {
        match &event {
            SessionEvent::Joined { .. } => {
                self.status = Status::Joined;
                self.was_joined = true;
                self.retry_after = self.config.retry_first;
            }
            SessionEvent::Disconnected(why) if self.may_return(*why) => {
                return self.lose(now, format!("refused: {why:?}"));
            }
            SessionEvent::Disconnected(why) => self.end(&format!("refused: {why:?}")),
            SessionEvent::Lost => return self.lose(now, "the server is silent".to_string()),
            _ => {}
        }
        self.push(event);
    }

    /// Whether a refusal may pass. After a broken connection the server may still believe that
    /// the old one stands, and hold its token and its place.
    const fn may_return(&self, why: DisconnectReason) -> bool {
        matches!(why, DisconnectReason::Closing | DisconnectReason::Silent)
            || (self.was_joined && matches!(why, DisconnectReason::Token | DisconnectReason::Full))
    }

    fn push(&mut self, event: SessionEvent) {
        keep(&mut self.events, MAX_EVENTS, event);
    }

    /// The connection is gone; plans the next try.
    fn lose(&mut self, now: SimTime, said: String) {
        if self.link.take().is_none() {
            return;
        }
        if self.status == Status::Joined {
            self.push(SessionEvent::Lost);
        }
        if self.config.retry_longest.is_zero() {
            return self.end(&said);
        }
        self.status = Status::Waiting { said };
        self.retry_at = now + self.retry_after;
        self.retry_after = (self.retry_after * 2).min(self.config.retry_longest);
    }

    fn end(&mut self, said: &str) {
        self.link = None;
        self.status = Status::Over { said: said.to_string() };
    }

    fn try_again(&mut self, now: SimTime) {
        if !matches!(self.status, Status::Waiting { .. }) || now < self.retry_at {
            return;
        }
        match self.open() {
            Ok(link) => {
                self.link = Some(link);
                self.status = Status::Connecting;
            }
            Err(error) => self.end(&error.to_string()),
        }
    }

    /// How it stands.
    #[must_use]
    pub const fn status(&self) -> &Status {
        &self.status
    }

    /// The next thing that happened; poll until `None`.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Tells where a body of ours is; others hear of it when they need to. False while nobody
    /// can: it is not ours, or the server's clock is not known yet.
    pub fn observe(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.link.as_mut().is_some_and(|link| link.session.observe(entity, truth))
    }

    /// Tells that a body of ours is elsewhere at once.
    pub fn teleport(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.link.as_mut().is_some_and(|link| link.session.teleport(entity, truth))
    }

    /// Where to draw a body of others at `now`.
    #[must_use]
    pub fn shown(&self, entity: EntityId, now: SimTime) -> Option<Pose> {
        self.link.as_ref()?.session.shown(entity, now)
    }

    /// Shows the bodies of others by these settings from now on, without a jump; also after a
    /// return.
    ///
    /// # Errors
    /// When a setting is out of range; nothing is changed then.
    pub fn set_ghosts(&mut self, config: GhostConfig) -> Result<(), ConfigError> {
        let now = self.clock.now();
        if let Some(link) = &mut self.link {
            link.session.set_ghosts(config, now)?;
        }
        self.config.session.ghost = config;
        Ok(())
    }

    /// What carries the datagrams: `quic`, `webtransport` or `websocket`; `None` until it stands.
    #[must_use]
    pub fn transport(&self) -> Option<&'static str> {
        self.link.as_ref().and_then(|link| link.wire.name())
    }

    /// All bodies of others.
    pub fn ghosts(&self) -> impl Iterator<Item = (EntityId, &RemoteEntity)> {
        self.link.iter().flat_map(|link| link.session.ghosts())
    }

    /// Sends a message of the game's own.
    ///
    /// # Errors
    /// When not joined, when it is too long, or when too much waits already.
    pub fn send(&mut self, bytes: &[u8], delivery: Delivery) -> Result<(), SendError> {
        self.link.as_mut().ok_or(SendError::NotJoined)?.session.send(bytes, delivery)
    }

    /// Exports bodies of ours by these settings from now on, also after a lost connection.
    ///
    /// # Errors
    /// When a setting is out of range; nothing changes then.
    pub fn set_publisher(&mut self, publisher: PublisherConfig) -> Result<(), ConfigError> {
        Publisher::start(publisher.clone(), &Kinematics::default())?;
        if let Some(link) = &mut self.link {
            link.session.set_publisher(publisher.clone())?;
        }
        self.config.session.publisher = publisher;
        Ok(())
    }

    /// Sends a datagram beside the protocol: as it is, once, with no promise that it arrives.
    /// False, and nothing is sent, unless it begins with seven zero bytes, fits a datagram and
    /// the client has joined.
    pub fn send_aside(&mut self, bytes: &[u8]) -> bool {
        let fits = is_out_of_band(bytes) && bytes.len() <= MAX_DATAGRAM_BYTES;
        match &mut self.link {
            Some(link) if fits && self.status == Status::Joined => {
                link.wire.send(bytes);
                true
            }
            _ => false,
        }
    }

    /// The next datagram that came beside the protocol, its seven zero bytes included, and when
    /// it came; poll until `None`. If nobody does, the oldest go.
    pub fn poll_aside(&mut self) -> Option<(SimTime, Vec<u8>)> {
        self.asides.pop_front()
    }

    /// Leaves the game and closes the connection.
    pub fn leave(&mut self) {
        let now = self.clock.now();
        if let Some(link) = &mut self.link {
            link.session.leave();
        }
        self.pump(now);
        self.end("left");
    }

    /// The session, for its clock and its counters; `None` between two tries.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.link.as_ref().map(|link| &link.session)
    }

    /// Datagrams that came and were dropped, because [`Client::drive`] was not called for long.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.link.as_ref().map_or(0, |link| link.wire.dropped())
    }
}

/// Puts the newest at the end of a queue; the oldest goes when there are too many.
fn keep<T>(queue: &mut VecDeque<T>, most: usize, newest: T) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(newest);
}
