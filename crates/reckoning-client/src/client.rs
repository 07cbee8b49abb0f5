//! The client: connects, joins, exchanges datagrams, and reconnects after a loss.

use std::collections::VecDeque;
use std::time::Duration;

use reckoning::ground::Pose;
use reckoning::rewind::ShownAs;
use reckoning::{
    ConfigError, DVec3, GhostConfig, Kinematics, Planner, Publisher, PublisherConfig, SimTime,
    Terrain,
};
use reckoning_net::wire::{MAX_DATAGRAM_BYTES, is_out_of_band};
use reckoning_net::{
    Delivery, DisconnectReason, EntityId, JointRef, Kinds, PropertyError, PropertyId,
    PropertyValue, RemoteEntity, SendError, Session, SessionConfig, SessionEvent, Show,
    Surroundings,
};

use crate::backoff::Backoff;
use crate::transport::{Clock, ConnectError, Transport, TransportState, Trust, random_identity};

/// Events that nobody polled; beyond it the oldest are dropped.
const MAX_EVENTS: usize = 1_024;
/// Out-of-band datagrams that nobody polled; beyond it the oldest are dropped.
const MAX_OUT_OF_BAND: usize = 256;

/// A try that hangs is given up, whatever carries it; a browser has its own, shorter patience with
/// each transport that it tries.
const CONNECTING_AT_MOST: Duration = Duration::from_secs(30);

/// Settings for a [`Client`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientConfig {
    /// The server, as `host:port`.
    pub server: String,
    /// Which servers to trust. Default: [`Trust::SystemRoots`].
    pub trust: Trust,
    /// How bodies are published and shown, and the token to join with. An empty token becomes
    /// a random one, by which a server that is open to all knows who comes back and returns its
    /// bodies. Default: [`SessionConfig::default`], whose token is empty.
    pub session: SessionConfig,
    /// How long to wait after a lost connection before the next try; doubles with each try, and each
    /// wait is a random part of it from a half up. Default: 250 ms.
    pub retry_first: Duration,
    /// The longest wait from the beginning of one try to that of the next, unless the try itself
    /// takes longer; zero never tries again. Default: 2 s.
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

/// State of a [`Client`]'s connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Connecting to the server, or asking to join.
    Connecting,
    /// Joined: bodies are exchanged.
    Joined,
    /// The connection was lost and is tried again after a while.
    Reconnecting {
        /// Why it was lost.
        reason: String,
    },
    /// Over for good: it left, was refused, or may not try again.
    Over {
        /// Why.
        reason: String,
    },
}

/// One player's side of a game over the network.
///
/// Call [`Client::drive`] once a frame: it takes in what came and sends what is due. In
/// between, [`Client::observe`] what is yours, show the rest with [`Client::shown`], and
/// look at [`Client::poll_event`]. Nothing here waits.
///
/// # After a lost connection
///
/// [`SessionEvent::Lost`] means that the session with the server is over. Unless
/// [`ClientConfig::retry_longest`] is zero the client reconnects by itself, and a new
/// [`SessionEvent::Joined`] follows. The loss voids everything that
/// belonged to that session:
/// - all ghosts: [`Client::ghosts`] is empty, [`Client::shown`] is `None`, and there is no
///   [`SessionEvent::Exited`] for them; bodies in sight enter again after the join;
/// - bodies of our own: [`Client::observe`] returns false until a new [`SessionEvent::Granted`] comes.
///   Whoever is back within the server's grace period is granted the same bodies again, each
///   with an [`SessionEvent::Corrected`] that says where it is;
/// - the server's clock, and so every moment from [`Session::host_time`], and the peer number:
///   a restarted server begins at zero;
/// - messages that were sent and not acknowledged, reliable ones as well: what matters is sent
///   again after the join.
///
/// Own time, [`Client::now`], runs on.
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    clock: Clock,
    connection: Option<SessionConnection>,
    status: Status,
    events: VecDeque<SessionEvent>,
    /// When the last try began, and when the next one is due.
    tried_at: SimTime,
    retry_at: SimTime,
    backoff: Backoff,
    was_joined: bool,
    buffer: Vec<u8>,
    /// Out-of-band datagrams, and when they arrived.
    out_of_band: VecDeque<(SimTime, Vec<u8>)>,
}

/// A connection and the session over it.
#[derive(Debug)]
struct SessionConnection {
    transport: Transport,
    session: Session,
}

impl Client {
    /// Begins to connect; [`SessionEvent::Joined`] tells when it is in.
    ///
    /// # Errors
    /// When the address or a setting cannot be used, or the system gives no thread.
    pub fn connect(mut config: ClientConfig) -> Result<Self, ConnectError> {
        if config.session.token.is_empty() {
            config.session.token = random_identity()?.to_vec();
        }
        let clock = Clock::start();
        let seed = random_seed()?;
        let mut client = Self {
            backoff: Backoff::new(config.retry_first, config.retry_longest, seed),
            config,
            clock,
            connection: None,
            status: Status::Connecting,
            events: VecDeque::new(),
            tried_at: SimTime::ZERO,
            retry_at: SimTime::ZERO,
            was_joined: false,
            buffer: vec![0; MAX_DATAGRAM_BYTES],
            out_of_band: VecDeque::new(),
        };
        client.connection = Some(client.open()?);
        Ok(client)
    }

    fn open(&self) -> Result<SessionConnection, ConnectError> {
        let session = Session::new(self.config.session.clone()).map_err(ConnectError::Session)?;
        let transport = Transport::open(&self.config.server, &self.config.trust, self.clock)?;
        Ok(SessionConnection { transport, session })
    }

    /// Now, on the client's own timeline: what [`Kinematics::at`] means here.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.clock.now()
    }

    /// Takes in what came and sends what is due. Returns the moment it looked at.
    pub fn drive(&mut self) -> SimTime {
        let now = self.clock.now();
        match self.connection.as_ref().map(|connection| connection.transport.state()) {
            None => self.reconnect(now),
            Some(TransportState::Connecting) => {
                if now.saturating_since(self.tried_at) > CONNECTING_AT_MOST {
                    self.handle_loss(now, "the server does not answer".to_string());
                }
            }
            Some(TransportState::Open) => self.pump(now),
            Some(TransportState::Closed(reason)) => {
                // The last words may still lie in the inbox.
                self.pump(now);
                self.handle_loss(now, reason);
            }
        }
        now
    }

    fn pump(&mut self, now: SimTime) {
        let Some(connection) = &mut self.connection else { return };
        while let Some((at, bytes)) = connection.transport.receive() {
            if is_out_of_band(&bytes) {
                push_bounded(&mut self.out_of_band, MAX_OUT_OF_BAND, (at.min(now), bytes));
            } else {
                connection.session.handle_datagram(at.min(now), &bytes);
            }
        }
        connection.session.handle_timeout(now);
        while let Some(length) = connection.session.poll_datagram(now, &mut self.buffer) {
            connection.transport.send(self.buffer.get(..length).unwrap_or_default());
        }
        while let Some(event) =
            self.connection.as_mut().and_then(|connection| connection.session.poll_event())
        {
            self.handle_event(now, event);
        }
    }

    fn handle_event(&mut self, now: SimTime, event: SessionEvent) {
        match &event {
            SessionEvent::Joined { .. } => {
                self.status = Status::Joined;
                self.was_joined = true;
                self.backoff.reset();
            }
            SessionEvent::Disconnected(why) if self.is_temporary(*why) => {
                return self.handle_loss(now, format!("refused: {why:?}"));
            }
            SessionEvent::Disconnected(why) => self.end(&format!("refused: {why:?}")),
            SessionEvent::Kicked { words, .. } => self.end(words),
            SessionEvent::Lost => return self.handle_loss(now, "the server is silent".to_string()),
            _ => {}
        }
        self.push(event);
    }

    /// Whether a refusal may pass. After a broken connection the server may still believe that
    /// the old one stands, and hold its token and its place.
    const fn is_temporary(&self, why: DisconnectReason) -> bool {
        matches!(why, DisconnectReason::Closing | DisconnectReason::Silent)
            || (self.was_joined && matches!(why, DisconnectReason::Token | DisconnectReason::Full))
    }

    fn push(&mut self, event: SessionEvent) {
        push_bounded(&mut self.events, MAX_EVENTS, event);
    }

    /// The connection is gone; plans the next try.
    fn handle_loss(&mut self, now: SimTime, reason: String) {
        if self.connection.take().is_none() {
            return;
        }
        if self.status == Status::Joined {
            self.push(SessionEvent::Lost);
        }
        if self.config.retry_longest.is_zero() {
            return self.end(&reason);
        }
        self.status = Status::Reconnecting { reason };
        // A try that took long was a wait already; what is left is only there to be random.
        let wait = self.backoff.next_wait();
        let least = wait.min(self.config.retry_first);
        self.retry_at = (self.tried_at + wait).max(now + least);
    }

    fn end(&mut self, reason: &str) {
        self.connection = None;
        self.status = Status::Over { reason: reason.to_string() };
    }

    fn reconnect(&mut self, now: SimTime) {
        if !matches!(self.status, Status::Reconnecting { .. }) || now < self.retry_at {
            return;
        }
        self.tried_at = now;
        match self.open() {
            Ok(connection) => {
                self.connection = Some(connection);
                self.status = Status::Connecting;
            }
            Err(error) => self.end(&error.to_string()),
        }
    }

    /// The state of the connection.
    #[must_use]
    pub const fn status(&self) -> &Status {
        &self.status
    }

    /// The next event; poll until `None`. See [`Client`] for what [`SessionEvent::Lost`] voids. If
    /// nobody polls, the oldest of 1,024 are dropped.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Says where a body of ours is; updates are sent when others need them. False while that is
    /// not possible: the body is not ours, or the server's clock is not known yet.
    pub fn observe(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.connection.as_mut().is_some_and(|connection| connection.session.observe(entity, truth))
    }

    /// As [`observe`](Self::observe), with what is `around` the body for the planner of its kind:
    /// see [`Session::observe_with`].
    pub fn observe_with(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        around: &Surroundings<'_>,
    ) -> bool {
        self.connection
            .as_mut()
            .is_some_and(|connection| connection.session.observe_with(entity, truth, around))
    }

    /// As [`observe`](Self::observe), with the model that `planner` chooses for each update from
    /// what is `around` the body.
    pub fn observe_planned<S: ?Sized>(
        &mut self,
        entity: EntityId,
        truth: &Kinematics,
        planner: &mut impl Planner<S>,
        around: &S,
    ) -> bool {
        self.connection.as_mut().is_some_and(|connection| {
            connection.session.observe_planned(entity, truth, planner, around)
        })
    }

    /// Aims a joint of an entity of ours, each frame; see [`Session::aim`].
    pub fn aim<'a>(
        &mut self,
        entity: EntityId,
        joint: impl Into<JointRef<'a>>,
        angle_rad: f64,
        rate_radps: f64,
    ) -> bool {
        let now = self.now();
        self.connection.as_mut().is_some_and(|connection| {
            connection.session.aim(now, entity, joint, angle_rad, rate_radps)
        })
    }

    /// As [`shown`](Self::shown), set onto the game's ground as the entity's kind says, for a viewer
    /// whose eye is there; see [`Session::shown_on`].
    pub fn shown_on(
        &mut self,
        entity: EntityId,
        now: SimTime,
        terrain: &(impl Terrain + ?Sized),
        eye: DVec3,
    ) -> Option<Pose> {
        self.connection.as_mut()?.session.shown_on(entity, now, terrain, eye)
    }

    /// Where and how to draw all entities of others, in order, in place of what `poses` held; see
    /// [`Session::poses_into`].
    pub fn poses_into(&self, now: SimTime, poses: &mut Vec<(EntityId, Pose)>) {
        match &self.connection {
            Some(connection) => connection.session.poses_into(now, poses),
            None => poses.clear(),
        }
    }

    /// The angle at which to draw a joint of an entity of others; see [`Session::joint_at`].
    pub fn joint_at<'a>(
        &mut self,
        entity: EntityId,
        joint: impl Into<JointRef<'a>>,
        now: SimTime,
    ) -> Option<f64> {
        self.connection.as_mut()?.session.joint_at(entity, joint, now)
    }

    /// Says that a body of ours is elsewhere at once, without moving there.
    pub fn teleport(&mut self, entity: EntityId, truth: &Kinematics) -> bool {
        self.connection
            .as_mut()
            .is_some_and(|connection| connection.session.teleport(entity, truth))
    }

    /// The kinds of bodies that the server declared; `None` without a connection.
    #[must_use]
    pub fn kinds(&self) -> Option<&Kinds> {
        self.connection.as_ref().map(|connection| connection.session.kinds())
    }

    /// Where to draw a body of others at `now`.
    #[must_use]
    pub fn shown(&self, entity: EntityId, now: SimTime) -> Option<Pose> {
        self.connection.as_ref()?.session.shown(entity, now)
    }

    /// Where to draw a body of ours whose truth this is: see [`Session::shown_owned`].
    #[must_use]
    pub fn shown_owned(&self, entity: EntityId, truth: &Kinematics) -> Option<Pose> {
        self.connection.as_ref()?.session.shown_owned(entity, truth)
    }

    /// Of what our picture of a body is made, to be sent with a shot at it: see
    /// [`Session::shown_as`].
    #[must_use]
    pub fn shown_as(&self, entity: EntityId, now: SimTime) -> Option<ShownAs> {
        self.connection.as_ref()?.session.shown_as(entity, now)
    }

    /// Shows the bodies of others by these settings from now on, without a jump; also after a
    /// return.
    ///
    /// # Errors
    /// When a setting is out of range; nothing is changed then.
    pub fn set_ghosts(&mut self, config: GhostConfig) -> Result<(), ConfigError> {
        let now = self.clock.now();
        if let Some(connection) = &mut self.connection {
            connection.session.set_ghosts(config, now)?;
        }
        self.config.session.ghost = config;
        Ok(())
    }

    /// Shows the bodies of others by their distance class from now on, without a jump, whatever
    /// their kinds say; also after a return: see [`Session::set_class_shows`].
    ///
    /// # Errors
    /// When a setting is out of range; nothing is changed then.
    pub fn set_class_shows(&mut self, shows: &[Show]) -> Result<(), ConfigError> {
        let now = self.clock.now();
        if let Some(connection) = &mut self.connection {
            connection.session.set_class_shows(shows, now)?;
        }
        self.config.session.class_shows = shows.to_vec();
        Ok(())
    }

    /// What carries the datagrams: `quic`, `webtransport` or `websocket`; `None` until it stands.
    #[must_use]
    pub fn transport(&self) -> Option<&'static str> {
        self.connection.as_ref().and_then(|connection| connection.transport.name())
    }

    /// All bodies of others.
    pub fn ghosts(&self) -> impl Iterator<Item = (EntityId, &RemoteEntity)> {
        self.connection.iter().flat_map(|connection| connection.session.ghosts())
    }

    /// The value of a property of a body, of ours or of others: see [`Session::property`]. Which
    /// properties there are says [`Session::kinds`].
    #[must_use]
    pub fn property(&self, entity: EntityId, property: PropertyId) -> Option<&PropertyValue> {
        self.connection.as_ref()?.session.property(entity, property)
    }

    /// Sets a property of a body of ours, if the server lets owners: see [`Session::set`].
    ///
    /// # Errors
    /// When the body is not ours, the property is the server's to set or not known, or the value is
    /// not one of that property.
    pub fn set(
        &mut self,
        entity: EntityId,
        property: PropertyId,
        value: impl Into<PropertyValue>,
    ) -> Result<bool, PropertyError> {
        let connection = self.connection.as_mut().ok_or(PropertyError::NotOwner { entity })?;
        connection.session.set(entity, property, value)
    }

    /// Asks the server to send all properties of a body again: see [`Session::request_full`].
    pub fn request_full(&mut self, entity: EntityId) -> bool {
        self.connection.as_mut().is_some_and(|it| it.session.request_full(entity))
    }

    /// Sends a message of the game's own.
    ///
    /// # Errors
    /// When not joined, when it is too long, or when too much waits already.
    pub fn send(&mut self, bytes: &[u8], delivery: Delivery) -> Result<(), SendError> {
        self.connection.as_mut().ok_or(SendError::NotJoined)?.session.send(bytes, delivery)
    }

    /// Exports bodies of ours by these settings from now on, also after a lost connection.
    ///
    /// # Errors
    /// When a setting is out of range; nothing changes then.
    pub fn set_publisher(&mut self, publisher: PublisherConfig) -> Result<(), ConfigError> {
        Publisher::start(publisher.clone(), &Kinematics::default())?;
        if let Some(connection) = &mut self.connection {
            connection.session.set_publisher(publisher.clone())?;
        }
        self.config.session.publisher = publisher;
        Ok(())
    }

    /// Sends an out-of-band datagram, beside the protocol: as it is, once, with no promise that it
    /// arrives.
    /// False, and nothing is sent, unless it begins with seven zero bytes, fits a datagram and
    /// the client has joined.
    pub fn send_out_of_band(&mut self, bytes: &[u8]) -> bool {
        let fits = is_out_of_band(bytes) && bytes.len() <= MAX_DATAGRAM_BYTES;
        match &mut self.connection {
            Some(connection) if fits && self.status == Status::Joined => {
                connection.transport.send(bytes);
                true
            }
            _ => false,
        }
    }

    /// The next out-of-band datagram, its seven zero bytes included, and when it arrived; poll
    /// until `None`. If nobody polls, the oldest of 256 are dropped.
    pub fn poll_out_of_band(&mut self) -> Option<(SimTime, Vec<u8>)> {
        self.out_of_band.pop_front()
    }

    /// Leaves the game and closes the connection. Natively this waits until the server's socket has
    /// been sent the word, for fifty milliseconds at most; in a browser the connection is closed a
    /// moment later. Call it when a page is closed (`pagehide`): the body does not stand for the grace
    /// period then.
    pub fn leave(&mut self) {
        let now = self.clock.now();
        if let Some(connection) = &mut self.connection {
            connection.session.leave();
        }
        self.pump(now);
        if let Some(connection) = &mut self.connection {
            connection.transport.flush();
        }
        self.end("left");
    }

    /// The session, for its clock and its counters; `None` between two tries.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.connection.as_ref().map(|connection| &connection.session)
    }

    /// Datagrams that came and were dropped, because [`Client::drive`] was not called for long.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.connection.as_ref().map_or(0, |connection| connection.transport.dropped())
    }
}

/// A number that hardly any other client has.
fn random_seed() -> Result<u64, ConnectError> {
    let bytes = random_identity()?;
    Ok(bytes.iter().fold(0, |all: u64, byte| all.rotate_left(8) ^ u64::from(*byte)))
}

/// Appends to a queue; drops the oldest when there are too many.
fn push_bounded<T>(queue: &mut VecDeque<T>, max: usize, newest: T) {
    if queue.len() >= max {
        queue.pop_front();
    }
    queue.push_back(newest);
}
