//! Session: one peer's side of replication. It moves what it owns and shows what others move.
//!
//! A [`Session`] has no socket, thread or clock. The game observes its own entities by its own
//! clock and asks where to draw the others; the session estimates the host's clock, exports updates
//! of what it owns, acknowledges what it receives, and keeps a ghost of every entity in its
//! interest set.
//!
//! ```text
//! game ---- observe, send ----> Session ---- poll_datagram ---> transport
//! game <--- shown, poll_event --   |    <--- handle_datagram --
//! ```

pub(crate) mod config;
mod drawing;
pub(crate) mod entities;
pub(crate) mod event;
mod facing;
mod handover;
mod joints;
mod properties;
mod publishing;
mod receiving;
pub(crate) mod remote_ghost;
mod sending;
mod tombstones;
mod welcome;

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use reckoning::clock::OneWay;
use reckoning::rewind::ShownAs;
use reckoning::{
    ClockSync, ConfigError, Ghost, GhostConfig, Kinematics, Publisher, SimTime, Update,
};

use crate::channel::{Channel, Delivery, SendError};
use crate::host::config::ClockMode;
use crate::kinds::{Facing, KindId, Kinds, Show};
use crate::limits::MAX_SESSION_EVENTS;
use crate::stats::{TrafficStats, UpdateTraffic};
use crate::wire::{EntityId, Format, PeerId};
use config::SessionConfig;
use entities::{OwnedEntity, RemoteEntity};
use event::SessionEvent;
use properties::SessionValues;
use remote_ghost::RemoteGhost;
use tombstones::Tombstones;
use welcome::PendingWelcome;

/// A leave is sent this many times.
const LEAVE_REPEATS: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionStage {
    Joining,
    Joined(PeerId),
    /// A leave is sent this many times more.
    Ended(u8),
}

/// A silent host is pinged once this part of the time-out has passed,
const PROBE_AFTER: u32 = 3;
/// and then this many times in a time-out.
const PROBES_PER_TIMEOUT: u32 = 60;
/// After a sleep the host has this part of the time-out to be heard: it is pinged all the while, and
/// most hosts that do not answer then have removed us.
const WAKE_PATIENCE: u32 = 3;

/// One peer's connection to a host, without I/O and without a clock.
///
/// Drive it once a frame: hand over the datagrams received, call
/// [`handle_timeout`](Self::handle_timeout), observe what is ours, poll events and datagrams.
///
/// ```
/// use reckoning_net::wire::{Message, PacketReader};
/// use reckoning_net::{DVec3, Kinematics, Session, SessionConfig, SessionEvent, SimTime};
///
/// let mut config = SessionConfig::default();
/// config.token = b"let me in".to_vec();
/// let mut session = Session::new(config)?;
/// let mut received: Vec<Vec<u8>> = Vec::new(); // from your transport
/// let mut sent = Vec::new(); // to your transport
///
/// let mut buf = [0; 1000];
/// for frame in 0..60 {
///     let now = SimTime::from_tick(frame, 60);
///     for datagram in received.drain(..) {
///         session.handle_datagram(now, &datagram);
///     }
///     session.handle_timeout(now);
///     while let Some(event) = session.poll_event() {
///         if let SessionEvent::Granted(entity) = event {
///             println!("{entity:?} is ours to move");
///         }
///     }
///     for entity in session.owned().collect::<Vec<_>>() {
///         session.observe(entity, &Kinematics::moving(now, DVec3::ZERO, DVec3::X));
///     }
///     for (entity, _) in session.ghosts() {
///         println!("draw {entity:?} at {:?}", session.shown(entity, now));
///     }
///     while let Some(length) = session.poll_datagram(now, &mut buf) {
///         sent.push(buf[..length].to_vec());
///     }
/// }
/// // Nobody answered yet: it requested to join again and again.
/// let first = PacketReader::new(&sent[0])?.next_message(None)?;
/// assert!(matches!(first, Some(Message::Join { token: b"let me in", .. })));
/// assert_eq!(sent.len(), 4);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session {
    config: SessionConfig,
    stage: SessionStage,
    /// When the session was first driven.
    started: Option<SimTime>,
    join_at: SimTime,
    channel: Channel,
    clock_mode: ClockMode,
    clock: ClockSync,
    way: OneWay,
    pinged: Option<SimTime>,
    /// When [`handle_timeout`](Self::handle_timeout) was called last.
    looked_at: SimTime,
    /// The clock seems wrong: ping at once.
    in_doubt: bool,
    format: Option<Format>,
    /// A welcome whose kinds have not all arrived.
    welcome: Option<PendingWelcome>,
    kinds: Kinds,
    /// How often each distance class of entities without a kind doubles the format's steps.
    classes: Vec<u8>,
    ghosts: BTreeMap<EntityId, RemoteEntity>,
    owned: BTreeMap<EntityId, OwnedEntity>,
    /// What was ours and has not entered the interest set yet.
    handed_over: BTreeMap<EntityId, RemoteGhost>,
    /// What left the interest set a moment ago, and when: its grant may have been lost.
    just_left: BTreeMap<EntityId, (SimTime, RemoteGhost)>,
    exited: Tombstones,
    revoked: Tombstones,
    values: SessionValues,
    events: VecDeque<SessionEvent>,
    /// The host has to be told how we show others: which version of that, and since when.
    view_due: bool,
    view_serial: u16,
    view_from: SimTime,
    stats: TrafficStats,
    received: BTreeMap<KindId, UpdateTraffic>,
}

impl Session {
    /// A session that requests to join when it is first polled for a datagram.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn new(config: SessionConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        // Refused here rather than with the first entity that enters the interest set.
        let nothing = Update::new(
            Kinematics::default(),
            reckoning::Model::Hold,
            reckoning::UpdateKind::Full,
        )?;
        Ghost::with_config(config.ghost, nothing, SimTime::ZERO)?;
        Publisher::start(config.publisher.clone(), &Kinematics::default())?;
        Ok(Self {
            stage: SessionStage::Joining,
            started: None,
            join_at: SimTime::MIN,
            channel: Channel::new(config.command_repeats, SimTime::ZERO),
            clock_mode: ClockMode::Synchronised,
            clock: ClockSync::new(config.clock)?,
            way: OneWay::new(),
            pinged: None,
            looked_at: SimTime::ZERO,
            in_doubt: false,
            format: None,
            welcome: None,
            kinds: Kinds::default(),
            classes: Vec::new(),
            ghosts: BTreeMap::new(),
            owned: BTreeMap::new(),
            handed_over: BTreeMap::new(),
            just_left: BTreeMap::new(),
            exited: Tombstones::default(),
            revoked: Tombstones::default(),
            values: SessionValues::default(),
            events: VecDeque::new(),
            view_due: true,
            view_serial: 0,
            view_from: SimTime::ZERO,
            stats: TrafficStats::default(),
            received: BTreeMap::new(),
            config,
        })
    }

    /// Handles the passing of time, once a frame: detects losses, and whether the host is gone, and
    /// keeps which way bodies are turned where that is derived.
    pub fn handle_timeout(&mut self, now: SimTime) {
        self.begin(now);
        if matches!(self.stage, SessionStage::Ended(_)) {
            return;
        }
        let slept = now.saturating_since(core::mem::replace(&mut self.looked_at, now));
        if slept > self.config.timeout / 2 {
            // Nobody received meanwhile, so the host was not silent for as long as it seems; and
            // what lay in a queue meanwhile does not prove that it still knows us.
            let patience = self.config.timeout / WAKE_PATIENCE;
            self.channel.last_received_at = now + patience - self.config.timeout;
        }
        if now.saturating_since(self.channel.last_received_at) >= self.config.timeout {
            self.stage = SessionStage::Ended(0);
            self.push_event(SessionEvent::Lost);
            return;
        }
        self.detect_losses(now);
        self.keep_facings(now);
    }

    /// The next event for the game. Poll until `None`.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) and
    /// [`poll_datagram`](Self::poll_datagram) next, unless something happens first; `None`
    /// once the session is over.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<SimTime> {
        let Some(started) = self.started else { return Some(SimTime::MIN) };
        let gone = self.channel.last_received_at.max(started) + self.config.timeout;
        match self.stage {
            SessionStage::Joining => Some(self.join_at.min(gone)),
            SessionStage::Joined(_) => {
                let owed = self.channel.ack_owed_since().map(|since| since + self.config.ack_delay);
                let sent_packets = self.channel.sent_packets.next_timeout();
                let values = self.values.due_at(&self.kinds.schema);
                let wakeups = [Some(gone), Some(self.ping_at()), owed, sent_packets, values];
                wakeups.into_iter().flatten().min()
            }
            SessionStage::Ended(_) => None,
        }
    }

    /// Sends a message of the game's own.
    ///
    /// # Errors
    /// When it is too long, too many messages wait already, or we have not joined.
    pub fn send(&mut self, bytes: &[u8], delivery: Delivery) -> Result<(), SendError> {
        match self.stage {
            SessionStage::Joined(_) => self.channel.send(bytes, delivery),
            _ => Err(SendError::NotJoined),
        }
    }

    /// All entities in the interest set, in order.
    pub fn ghosts(&self) -> impl Iterator<Item = (EntityId, &RemoteEntity)> {
        self.ghosts.iter().map(|(id, remote)| (*id, remote))
    }

    /// Of what our picture of an entity is made at `now` by our clock: send it with a shot
    /// ([`wire::encode_shown`](crate::wire::encode_shown)), and the host judges the very picture
    /// that was on this screen. `None` when the entity is not in the interest set, the host's clock is
    /// not known, or the picture still glides from where the entity was drawn when it was ours,
    /// which the host does not know; and while it changes how it is shown, or where we chose that
    /// ourselves ([`SessionConfig::class_shows`]): the host cannot rebuild such a picture. Of one
    /// shown with a delay the last updates are named.
    #[must_use]
    pub fn shown_as(&self, entity: EntityId, now: SimTime) -> Option<ShownAs> {
        let shown_at = self.host_time(now)?;
        let remote = self.ghosts.get(&entity)?;
        let told = self.told_show(remote.kind, remote.class);
        if remote.ghost.is_changing(shown_at) || self.show_in(remote.kind, remote.class) != told {
            return None;
        }
        match remote.ghost.reckoned() {
            Some(ghost) => remote.accepted.shown_at(shown_at, ghost.config()),
            None => remote.accepted.shown_late(shown_at),
        }
    }

    /// The kinds of bodies that the host declared; none before we joined.
    #[must_use]
    pub const fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The kind of an entity, of ours or of others.
    #[must_use]
    pub fn kind(&self, entity: EntityId) -> Option<KindId> {
        let owned = self.owned.get(&entity).map(|owned| owned.kind);
        owned.or_else(|| self.ghosts.get(&entity).map(|remote| remote.kind))
    }

    /// The entities we own, in order.
    pub fn owned(&self) -> impl Iterator<Item = EntityId> {
        self.owned.keys().copied()
    }

    /// The host's time when our clock shows `now`; `None` until it is known, and always
    /// without a common clock.
    #[must_use]
    pub fn host_time(&self, now: SimTime) -> Option<SimTime> {
        match self.clock_mode {
            ClockMode::Synchronised => self.clock.remote_at(now),
            ClockMode::PerHop => None,
        }
    }

    /// The moment on the timeline that ghosts live on: the host's, or our own without a common
    /// clock.
    #[must_use]
    pub fn timeline_at(&self, now: SimTime) -> Option<SimTime> {
        match self.clock_mode {
            ClockMode::Synchronised => self.clock.remote_at(now),
            ClockMode::PerHop => Some(now),
        }
    }

    /// Which way entities of a kind are turned.
    fn facing_of(&self, kind: KindId) -> Facing {
        self.kinds.get(kind).map_or(Facing::Sent, |kind| kind.facing)
    }

    /// How entities of a distance class of a kind are shown.
    fn show_in(&self, kind: KindId, class: u8) -> Show {
        let chosen = self.config.class_show(class);
        chosen.map_or_else(|| self.told_show(kind, class), |show| self.filled_in(show))
    }

    /// The same as the host has it, which does not know what we chose class by class.
    fn told_show(&self, kind: KindId, class: u8) -> Show {
        let by_kind = self.kinds.get(kind).map(|kind| kind.show_in(class));
        self.filled_in(by_kind.unwrap_or(Show::BySession))
    }

    const fn filled_in(&self, show: Show) -> Show {
        match show {
            Show::BySession => Show::Reckoned(self.config.ghost),
            show => show,
        }
    }

    /// Shows entities of others by their distance class from `now` by our clock on, without a jump,
    /// whatever their kinds say: see [`SessionConfig::class_shows`]. The host is not told, so hits on
    /// what is shown with a delay are for the game to refuse: [`shown_as`](Self::shown_as) gives
    /// nothing for them.
    ///
    /// # Errors
    /// Names the first setting that is out of range; nothing is changed then.
    pub fn set_class_shows(&mut self, shows: &[Show], now: SimTime) -> Result<(), ConfigError> {
        shows.iter().try_for_each(|show| show.settled().validate())?;
        self.config.class_shows = shows.to_vec();
        let at = self.timeline_at(now).unwrap_or(now);
        let wanted = self.ghosts.iter().map(|(id, it)| (*id, self.show_in(it.kind, it.class)));
        let wanted: Vec<(EntityId, Show)> = wanted.collect();
        for (id, show) in wanted {
            if let Some(remote) = self.ghosts.get_mut(&id) {
                remote.set_show(show, at);
            }
        }
        Ok(())
    }

    /// Shows all entities of others that have no kind, or one that leaves it to sessions
    /// ([`Show::BySession`]), by these settings from `now` by our clock on, without a jump.
    ///
    /// # Errors
    /// Refuses what [`Ghost::with_config`] refuses; nothing is changed then.
    pub fn set_ghosts(&mut self, config: GhostConfig, now: SimTime) -> Result<(), ConfigError> {
        let at = self.timeline_at(now).unwrap_or(now);
        let (kinds, own) = (&self.kinds, &self.config);
        for remote in self.ghosts.values_mut() {
            let by_kind = kinds.get(remote.kind).map(|kind| kind.show_in(remote.class));
            let show = own.class_show(remote.class).or(by_kind);
            if show.is_none_or(|show| show == Show::BySession) {
                remote.ghost.set_config(config, at)?;
            }
        }
        self.config.ghost = config;
        self.view_serial = self.view_serial.wrapping_add(1);
        (self.view_due, self.view_from) = (true, at);
        Ok(())
    }

    /// Leaves: the session is over once the next datagrams are sent.
    pub fn leave(&mut self) {
        self.stage = match self.stage {
            SessionStage::Joining => SessionStage::Ended(1),
            SessionStage::Joined(_) => SessionStage::Ended(LEAVE_REPEATS),
            ended @ SessionStage::Ended(_) => ended,
        };
    }

    /// Our id at the host, while we are joined.
    #[must_use]
    pub const fn peer(&self) -> Option<PeerId> {
        if let SessionStage::Joined(peer) = self.stage { Some(peer) } else { None }
    }

    /// Whether the session is over.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.stage, SessionStage::Ended(_))
    }

    /// The estimate of the host's clock.
    #[must_use]
    pub const fn clock(&self) -> &ClockSync {
        &self.clock
    }

    /// Counters since the session began.
    #[must_use]
    pub const fn stats(&self) -> &TrafficStats {
        &self.stats
    }

    /// What updates of others took since the session began, by their kinds, in order: which sort of
    /// bodies uses up a connection.
    pub fn updates_received(&self) -> impl Iterator<Item = (KindId, UpdateTraffic)> {
        self.received.iter().map(|(kind, traffic)| (*kind, *traffic))
    }

    fn begin(&mut self, now: SimTime) {
        if self.started.is_none() {
            self.started = Some(now);
            self.join_at = now;
            self.channel.last_received_at = now;
            self.looked_at = now;
        }
    }

    fn ping_at(&self) -> SimTime {
        let usual = self.clock.next_exchange(self.pinged);
        let Some(pinged) = self.pinged else { return usual };
        // A host that has been silent for long is pinged so often that losses alone cannot make
        // it seem gone: at 30 % each way some thirty exchanges in a row, once in 10^8.
        let silent = self.channel.last_received_at + self.config.timeout / PROBE_AFTER;
        let again = silent.max(pinged + self.config.timeout / PROBES_PER_TIMEOUT);
        let quick = pinged + self.config.clock.quick_interval;
        if self.in_doubt { usual.min(again).min(quick) } else { usual.min(again) }
    }

    fn push_event(&mut self, event: SessionEvent) {
        if self.events.len() < MAX_SESSION_EVENTS {
            self.events.push_back(event);
        } else {
            self.stats.events_dropped += 1;
        }
    }
}
